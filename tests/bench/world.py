"""All that is compared, side by side on one machine: PostgreSQL with the content, mapdiaryd, PHP-FPM,
bare.c, and nginx before them."""

import contextlib
import glob
import os
import pathlib
import shutil
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "system/lib"))

import fastcgi  # noqa: E402
import processes  # noqa: E402, F401  # of measure.py
import service  # noqa: E402  # the private PostgreSQL of the system tests
from service import AS_ROOT, BUILD, ENVIRONMENT, TOP, Process, can_connect, free_port  # noqa: E402
from web_server import Nginx, program  # noqa: E402

import work  # noqa: E402

PHP_FPM = next(iter(glob.glob("/usr/sbin/php-fpm?.?")), "php-fpm")
NGINX_PROCESSES = 2

# What the service sets on its connections, for the peer and for pgbench.
SETTINGS = {
    "search_path": "mapdiary", "TimeZone": "UTC", "default_transaction_isolation": "repeatable\\ read",
    "plan_cache_mode": "force_generic_plan", "jit": "off", "statement_timeout": "30000",
}
OPTIONS = " ".join(f"-c {name}={value}" for name, value in SETTINGS.items())


class Cluster(service.Postgres):
    """PostgreSQL as one would run it in earnest: every commit on the disk, a quarter of the memory for its own cache. Only
    what would come at random in between is off: autovacuum, and checkpoints by time."""

    def __init__(self, folder):
        super().__init__(folder)
        quarter = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 4 >> 20
        for name, value in {
            "fsync": "on", "synchronous_commit": "on", "full_page_writes": "on", "shared_buffers": f"{quarter}MB",
            "max_connections": 400, "autovacuum": "off", "checkpoint_timeout": "1d", "max_wal_size": "32GB",
        }.items():
            self.run(f"ALTER SYSTEM SET {name} = '{value}'")
        self.stop()
        self.start()

    def psql(self, database, *arguments, options=""):
        command = [self.programs / "psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", self.folder]
        return subprocess.run(
            [*command, "-U", "postgres", "-d", database, *arguments],
            check=True, stdout=subprocess.DEVNULL, env=ENVIRONMENT | {"PGOPTIONS": options},
        )

    def registry(self, database):
        """The service's statements, with the types of their parameters."""
        pieces = subprocess.run([BUILD / "tests/bench/statements"], check=True, capture_output=True, text=True).stdout.split("\0")
        sql = dict(zip(pieces[::2], pieces[1::2]))
        with contextlib.closing(self.connect("mapdiary", database)) as connection:
            cursor = connection.cursor()
            cursor.execute("SET search_path = mapdiary")
            for name, text in sql.items():
                cursor.execute(f'PREPARE "{name}" AS {text}')
            cursor.execute("SELECT name, parameter_types::text[] FROM pg_prepared_statements")
            return {name: work.Statement(sql[name], types) for name, types in cursor.fetchall()}


class Diary:
    """A database with content, and mapdiaryd on it."""

    def __init__(self, folder, cluster, name, size):
        self.name, self.cluster, self.size = name, cluster, size
        self.folder = folder.make(name)
        self.conf = self.folder / "mapdiary.conf"
        self.socket = self.folder / "d.sock"
        cluster.create_database(name)
        self.configure(workers=work.PROCESSES)
        self.fill()
        self.daemon = None

    def configure(self, **settings):
        """What is not set here is as it ships, but for the log: a line a request is what nobody else writes here."""
        self.conf.write_text("".join(f"{key} = {value}\n" for key, value in ({
            "listen": f"unix:{self.socket}",
            "database": self.cluster.dsn("mapdiary", self.name),
            "admin_database": self.cluster.dsn("mapdiary_owner", self.name),
            "schema_directory": TOP / "schema",
            "spool_directory": self.folder,
            "log_level": "notice",
            "writes_per_minute": 1000000,  # all of them are counted, and none is too much
        } | settings).items()), encoding="utf-8")

    def ctl(self, *arguments, text=""):
        subprocess.run([BUILD / "mapdiaryctl", "-c", self.conf, *arguments], check=True, input=text, text=True,
                       stdout=subprocess.DEVNULL, env=ENVIRONMENT)

    def fill(self):
        size = self.size
        self.ctl("migrate")
        self.ctl("user", "add", "--email", "user1@example.org", "--name", "旅人 1", text=work.PASSWORD + "\n")
        options = " ".join(f"-c bench.{key}={value}" for key, value in vars(size).items())
        self.cluster.psql(self.name, "-v", f"extras={'yes' if size.extras else 'no'}", "-f", HERE / "data.sql", options=options)
        with contextlib.closing(self.cluster.connect("postgres", self.name)) as connection:
            connection.cursor().execute(
                "INSERT INTO mapdiary.session (token_hash, user_id, expires_at)"
                " SELECT hash, row_number() OVER (), now() + interval '1 day' FROM unnest(%s) AS hash",
                ([work.token(user)[1] for user in range(1, size.users + 1)],),
            )

    def start(self, command=()):
        self.daemon = Process([*command, BUILD / "mapdiaryd", "-c", self.conf], self.folder / "mapdiaryd.log")
        self.daemon.wait_ready(lambda: can_connect(self.socket), "mapdiaryd starts")
        return self

    def wait_connected(self):
        """Until a worker has a connection and all statements prepared."""
        with contextlib.closing(self.cluster.connect("postgres", self.name)) as connection:
            cursor = connection.cursor()

            def is_there():
                cursor.execute("SELECT FROM pg_stat_activity WHERE datname = %s AND application_name = 'mapdiary'"
                               " AND state = 'idle' AND backend_type = 'client backend'", [self.name])
                return cursor.rowcount > 0

            service.until(is_there, "a worker connects")

    def stop(self):
        assert self.daemon.stop() == 0, (self.folder / "mapdiaryd.log").read_text()

    def ask(self, func, **parameters):
        """One request without a web server; the bytes of the answer's body."""
        form = work.urllib.parse.urlencode({"func": func} | parameters)
        answer = fastcgi.request(self.socket, b"", {"QUERY_STRING": form})
        assert b"<status>SUCCESS</status>" in answer.body, answer.body
        return answer.body

    def start_time(self):
        """Milliseconds from the start of mapdiaryd to its first answer."""
        began = time.monotonic()
        self.daemon = Process([BUILD / "mapdiaryd", "-c", self.conf], self.folder / "mapdiaryd.log")
        while True:
            with contextlib.suppress(OSError):
                self.ask("getPOI", POIID=1)
                return (time.monotonic() - began) * 1000
            time.sleep(0.001)


class Peer:
    """PHP-FPM with the script of peer/ and the service's statements, on the same database."""

    CONF = """[global]
error_log = {folder}/fpm.log
daemonize = no
[peer]
{user}
listen = {socket}
pm = static
pm.max_children = {processes}
catch_workers_output = yes
php_admin_value[opcache.enable] = 1
php_admin_value[opcache.validate_timestamps] = 0
php_admin_value[memory_limit] = 512M
php_admin_value[date.timezone] = UTC
"""

    def __init__(self, folder, diary, registry):
        self.folder = folder.make("php")
        self.socket = self.folder / "php.sock"
        shutil.copy(HERE / "peer/API.php", self.folder)
        # Nowdocs take any text as it is; libpq's connection strings want a backslash twice.
        database = diary.cluster.dsn("mapdiary", diary.name) + f" options='{OPTIONS}'".replace("\\", "\\\\")
        statements = "".join(f"    '{name}' => <<<'SQL'\n{statement.sql}\nSQL,\n" for name, statement in registry.items())
        (self.folder / "settings.php").write_text(
            f"<?php\nconst DATABASE = <<<'TEXT'\n{database}\nTEXT;\nconst STATEMENTS = [\n{statements}];\n", encoding="utf-8"
        )

    def start(self, processes=work.PROCESSES):
        (self.folder / "fpm.conf").write_text(self.CONF.format(
            folder=self.folder, socket=self.socket, processes=processes, user="user = root" if AS_ROOT else ""
        ))
        command = [PHP_FPM, "-n", *self.modules(), "-y", self.folder / "fpm.conf", *(["-R"] if AS_ROOT else [])]
        self.daemon = Process(command, self.folder / "fpm.log")
        ready = self.daemon.wait_ready(lambda: can_connect(self.socket), "PHP-FPM starts")
        assert ready, (self.folder / "fpm.log").read_text()
        return self

    def stop(self):
        self.daemon.stop()

    @staticmethod
    def modules():
        """Debian loads two dozen modules by default; the peer needs these."""
        needed = ["opcache", "pgsql", "xmlwriter", "iconv", "ctype"]
        return [word for name in needed for word in ("-d", f"{'zend_extension' if name == 'opcache' else 'extension'}={name}")]


class Bare:
    """A FastCGI program that does no more than it must (bare.c), on the same database."""

    def __init__(self, folder, diary):
        self.folder, self.diary = folder.make("bare"), diary
        self.socket = self.folder / "b.sock"

    @contextlib.contextmanager
    def serving(self, body, statements, processes, sessions):
        """Answers every request with the body, once it has the results of the statements."""
        answer = self.folder / "answer"
        answer.write_bytes(b"Content-Type: text/xml; charset=UTF-8\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))
        database = self.diary.cluster.dsn("mapdiary", self.diary.name) + f" options='{OPTIONS}'".replace("\\", "\\\\")
        self.daemon = Process([BUILD / "tests/bench/bare", self.socket, database, answer, processes, sessions, *statements],
                              self.folder / "bare.log")
        ready = self.daemon.wait_ready(lambda: can_connect(self.socket), "bare starts")
        assert ready, (self.folder / "bare.log").read_text()
        try:
            yield
        finally:
            self.daemon.stop()


class Web:
    """nginx before a diary, with the files that ship; and before others by their names, and with static files."""

    def __init__(self, folder, diary, others=None, static=None, microcache=False):
        self.folder = folder.make("web")
        self.port = free_port()
        server = ""
        for name, other in (others or {}).items():
            server += f"""
        location = /{name}/API.php {{
            fastcgi_pass unix:{other.socket};
            fastcgi_param SCRIPT_FILENAME {other.folder}/API.php;
            fastcgi_param QUERY_STRING    $query_string;
            fastcgi_param REQUEST_METHOD  $request_method;
            fastcgi_param CONTENT_TYPE    $content_type;
            fastcgi_param CONTENT_LENGTH  $content_length;
            fastcgi_param REMOTE_ADDR     $remote_addr;
            client_body_buffer_size       64k;
        }}"""
        if static:
            server += f"\n        location /static/ {{ alias {static}/; default_type 'text/xml; charset=UTF-8'; }}"
        self.write(diary, server, microcache)

    def write(self, diary, server, microcache):
        http = (BUILD / "conf/nginx/mapdiary-http.conf").read_text(encoding="utf-8")
        if microcache:
            http = Nginx.microcache(http).replace("/var/lib/nginx/", f"{self.folder}/")
        temporary = "".join(f"    {module}_temp_path {self.folder}/{module};\n"
                            for module in ("client_body", "fastcgi", "proxy", "uwsgi", "scgi"))
        (self.folder / "nginx.conf").write_text(f"""{"user root;" if AS_ROOT else ""}
daemon off;
worker_processes {NGINX_PROCESSES};
error_log {self.folder}/nginx.log;
pid {self.folder}/nginx.pid;
events {{ worker_connections 1024; }}
http {{
    access_log off;
    sendfile on;
    tcp_nopush on;
    open_file_cache max=1000;
    keepalive_requests 1000000000;
{temporary}
{http}
    upstream mapdiary {{ server unix:{diary.socket}; }}
    server {{
        listen 127.0.0.1:{self.port};
        include {TOP}/conf/nginx/mapdiary.conf;{server}
    }}
}}
""", encoding="utf-8")

    def start(self):
        command = [program("nginx"), "-p", self.folder, "-e", self.folder / "nginx.log", "-c", self.folder / "nginx.conf"]
        self.daemon = Process(command, self.folder / "nginx.log")
        ready = self.daemon.wait_ready(lambda: can_connect(("127.0.0.1", self.port)), "nginx starts")
        assert ready, (self.folder / "nginx.log").read_text()
        return self
