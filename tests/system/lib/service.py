"""Starts what the tests talk to: a private PostgreSQL cluster, mapdiaryd and nginx, all in one temporary folder."""

import atexit
import concurrent.futures
import contextlib
import os
import pathlib
import pwd
import random
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time

import psycopg2

import fastcgi
import http_client
import web_server
from processes import children, has_all_processes, state
from web_server import AS_ROOT, BUILD, TOP

# What the tests run under: nginx or apache, and how that reaches mapdiaryd: unix or tcp.
WEB = web_server.SERVERS[os.environ.get("MAPDIARY_WEB", "nginx")]
LISTEN = os.environ.get("MAPDIARY_LISTEN", "unix")

# What servers inherit: no PG* variables, no locale of whoever runs the tests. Sanitizers leave their options to the runner,
# and a clock that is shifted is so for all (libfaketime).
ENVIRONMENT = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8"} | {
    name: value for name, value in os.environ.items() if name.endswith("SAN_OPTIONS") or name in ("LD_PRELOAD", "FAKETIME")
}


@contextlib.contextmanager
def clock_at(moment):
    """Servers and commands that start meanwhile have this time, which goes on (libfaketime)."""
    before = ENVIRONMENT.copy()
    ENVIRONMENT.update(LD_PRELOAD="/usr/$LIB/faketime/libfaketime.so.1", FAKETIME=f"{moment.timestamp() - time.time():+.0f}")
    try:
        yield
    finally:
        ENVIRONMENT.clear()
        ENVIRONMENT.update(before)


def until(condition, what, seconds=30, pause=0.01):
    """Waits until the condition is true, and returns what it returned."""
    deadline = time.monotonic() + seconds
    while not (result := condition()):
        if time.monotonic() > deadline:
            raise TimeoutError(f"waited {seconds} s in vain: {what}")
        time.sleep(pause)
    return result


def at_once(*calls):
    """Runs all of them at the same moment; returns what they returned, in their order."""
    start = threading.Barrier(len(calls))

    def run(call):
        start.wait(30)
        return call()

    with concurrent.futures.ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(run, calls))


@contextlib.contextmanager
def in_background(*calls):
    """Runs all of them beside the body; yields their futures."""
    with concurrent.futures.ThreadPoolExecutor(len(calls)) as pool:
        yield [pool.submit(call) for call in calls]


@contextlib.contextmanager
def until_stopped(stop, *calls):
    """Runs all of them beside the body, and then sets the event by which they end. What one raises is raised here."""
    with in_background(*calls) as futures:
        try:
            yield
        finally:
            stop.set()
    for future in futures:
        future.result()


def can_connect(address):
    try:
        fastcgi.connect(address).close()
    except OSError:
        return False
    return True


def free_port():
    """One that the kernel gives to no connection by itself: else one might have it before its server, or while that is away. And
    none that browsers refuse (https://fetch.spec.whatwg.org/#bad-port), the highest of which is 10080."""
    first_of_connections = int(pathlib.Path("/proc/sys/net/ipv4/ip_local_port_range").read_text(encoding="ascii").split()[0])
    while True:
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", random.SystemRandom().randrange(15000, max(first_of_connections, 20000))))
            return probe.getsockname()[1]


# Sanitizers keep memory of their own.
WITH_SANITIZERS = b"__asan_init" in (BUILD / "mapdiaryd").read_bytes()


class Process:
    """A server in a process group of its own, its output in a log file."""

    running = []

    def __init__(self, command, log, **options):
        with open(log, "ab") as output:
            self.popen = subprocess.Popen(
                [str(word) for word in command],
                stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True,
                **({"env": ENVIRONMENT} | options),
            )
        self.pid = self.popen.pid
        Process.running.append(self)

    def is_running(self):
        return self.popen.poll() is None

    def wait_ready(self, is_ready, what):
        until(lambda: not self.is_running() or is_ready(), what)
        return self.is_running()

    def stop(self, how=signal.SIGTERM, seconds=40):
        """Ends the server and whatever it left behind in its group; returns its exit status."""
        try:
            if self.is_running():
                self.popen.send_signal(how)
            return self.popen.wait(seconds)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.pid, signal.SIGKILL)
            self.popen.wait()
            with contextlib.suppress(ValueError):
                Process.running.remove(self)


def stop_everything():
    for process in reversed(Process.running[:]):
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.stop(signal.SIGINT, seconds=5)


class Folder:
    """A temporary folder with a short name, as the path of a unix socket holds 107 bytes."""

    def __init__(self):
        place = os.environ.get("TMPDIR", "/var/tmp")  # as /tmp may be in memory, and databases and photos take room
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="mapdiary-", dir=place if len(place) < 50 else "/var/tmp"))
        self.path.chmod(0o711)  # PostgreSQL runs as another user when the tests run as root
        self.count = 0
        atexit.register(self.remove)

    def make(self, name):
        self.count += 1
        path = self.path / f"{name}{self.count}"
        path.mkdir(mode=0o700)
        return path

    def logs(self):
        return sorted(self.path.glob("*/*.log"))

    def remove(self):
        stop_everything()
        shutil.rmtree(self.path, ignore_errors=True)


class Postgres:
    """A cluster that only its unix socket leads to, in a folder that only its user enters."""

    def __init__(self, folder, roles=("mapdiary_owner", "mapdiary", "mapdiary_mail"), durable=False, settings=""):
        self.folder = folder.make("pg")
        self.log = self.folder / "postgres.log"
        self.options = {"cwd": self.folder}
        if AS_ROOT:
            owner = pwd.getpwnam("postgres")
            os.chown(self.folder, owner.pw_uid, owner.pw_gid)
            self.options |= {"user": owner.pw_uid, "group": owner.pw_gid, "extra_groups": []}
        versions = pathlib.Path("/usr/lib/postgresql").glob("[0-9]*/bin")
        self.programs = max(versions, key=lambda path: int(path.parent.name))
        subprocess.run(
            [self.programs / "initdb", "--pgdata=data", "--username=postgres", "--auth=trust", "--no-sync",
             "--encoding=UTF8", "--locale=C.UTF-8"],
            check=True, stdout=subprocess.DEVNULL, env=ENVIRONMENT, **self.options,
        )
        with open(self.folder / "data/postgresql.conf", "a", encoding="utf-8") as conf:
            conf.write(
                f"listen_addresses = ''\nunix_socket_directories = '{self.folder}'\nmax_connections = 100\n"
                "shared_buffers = 64MB\n"
                + ("" if durable else "fsync = off\nsynchronous_commit = off\nfull_page_writes = off\n")
                + settings
            )
        self.start()
        for role in roles:
            self.run(f"CREATE ROLE {role} LOGIN")
        if "mapdiary" in roles:
            self.run("CREATE ROLE mapdiary_visitor")
            self.run("GRANT mapdiary_visitor TO mapdiary")

    def start(self):
        self.process = Process([self.programs / "postgres", "-D", "data"], self.log, **self.options)
        assert self.process.wait_ready(self.is_ready, "PostgreSQL starts"), self.log.read_text()

    def is_ready(self):
        try:
            self.connect("postgres", "postgres").close()
        except psycopg2.OperationalError:
            return False
        return True

    def stop(self):
        self.process.stop(signal.SIGINT)  # a "fast" shutdown

    @contextlib.contextmanager
    def frozen(self):
        """It holds its connections and says nothing, and the kernel accepts new ones for it."""
        postmaster, sessions = self.process.pid, []
        os.kill(postmaster, signal.SIGSTOP)
        try:
            # Once it has stopped, it starts no other, and whoever ends keeps its number: it is the parent who waits for them.
            until(lambda: state(postmaster) == "T", "the postmaster is stopped")
            sessions = children(postmaster)
            for pid in sessions:
                os.kill(pid, signal.SIGSTOP)
            yield
        finally:
            for pid in [*sessions, postmaster]:
                os.kill(pid, signal.SIGCONT)

    def dsn(self, role, database):
        return f"host={self.folder} user={role} dbname={database}"

    def connect(self, role, database):
        connection = psycopg2.connect(self.dsn(role, database), connect_timeout=20)
        connection.autocommit = True
        return connection

    def run(self, statement):
        """Runs a statement as the superuser."""
        with contextlib.closing(self.connect("postgres", "postgres")) as connection:
            connection.cursor().execute(statement)

    def value(self, statement):
        """The first column of the first row, as the superuser sees it; None where there is none."""
        with contextlib.closing(self.connect("postgres", "postgres")) as connection:
            cursor = connection.cursor()
            cursor.execute(statement)
            row = cursor.fetchone()
            return row and row[0]

    def create_database(self, name):
        self.run(f"CREATE DATABASE {name} OWNER mapdiary_owner TEMPLATE template0 ENCODING 'UTF8'")


def run_ctl(conf, *arguments, text=None):
    return subprocess.run(
        [BUILD / "mapdiaryctl", "-c", conf, *map(str, arguments)],
        input=text, stdin=subprocess.DEVNULL if text is None else None, capture_output=True, text=True,
        env=ENVIRONMENT, timeout=200,
    )


class Service:
    """mapdiaryd, and a web server of its own before it. Settings are lines of mapdiary.conf, None is none."""

    def __init__(self, folder, postgres, database="mapdiary", web=None, **settings):
        self.folder = folder.make("s")
        # A path, or a pair of address and port.
        self.socket = self.folder / "d.sock" if LISTEN == "unix" else ("127.0.0.1", free_port())
        self.conf = self.folder / "mapdiary.conf"
        self.log = self.folder / "mapdiaryd.log"
        self.settings = {
            "listen": f"unix:{self.socket}" if LISTEN == "unix" else "{}:{}".format(*self.socket),
            "database": postgres.dsn("mapdiary", database),
            "admin_database": postgres.dsn("mapdiary_owner", database),
            "schema_directory": TOP / "schema",
            "master_key_file": self.folder / "master.key",
            "spool_directory": self.folder,
            "public_url": self.choose_port(),
            "photo_directory": self.folder / "photos",
            "password_memory": 1,
            "password_operations": 1,
            "logins_per_account": 0,  # all tests of a run share a few accounts
            "writes_per_minute": 0,
            "login_failures_per_account": 0,
            "login_failures_per_address": 0,
            "registration": "open",
            "mails_per_address": 0,
            "mail_directory": TOP / "conf/mail",
            "mail_database": postgres.dsn("mapdiary_mail", database),
        }
        self.web_server = (web or WEB)(self.folder, self.socket)
        self.settings |= self.web_server.settings | settings
        self.write_configuration()
        self.daemon = self.web = None

    def write_configuration(self):
        lines = [f"{key} = {value}\n" for key, value in self.settings.items() if value is not None]
        self.conf.write_text("".join(lines), encoding="utf-8")

    def choose_port(self):
        """Of the web server; returns what its addresses begin with."""
        self.port = free_port()
        return f"http://127.0.0.1:{self.port}"

    def mark_photos(self):
        """Says that the new folder of photos is the one of the database, which has photos by now."""
        folder = pathlib.Path(self.settings["photo_directory"])
        mark = folder / "database"
        if not folder.parent.is_dir() or mark.exists():
            return
        folder.mkdir(exist_ok=True)
        try:
            owner = psycopg2.connect(self.settings["admin_database"])
        except psycopg2.OperationalError:  # as the test wants it
            return
        with contextlib.closing(owner), owner.cursor() as cursor:
            cursor.execute("SELECT whose FROM mapdiary.owner_of_photos()")
            mark.write_text(f"{cursor.fetchone()[0]}\n", encoding="utf-8")
        shutil.chown(mark, folder.stat().st_uid, folder.stat().st_gid)

    def start(self):
        self.start_daemon()
        # The port may be taken between its choice and its use.
        for _ in range(5):
            if self.start_web():
                return self
            self.daemon.stop()
            self.settings["public_url"] = self.choose_port()
            self.write_configuration()
            self.start_daemon()
        raise RuntimeError(self.web_server.log.read_text())

    def start_daemon(self):
        self.daemon = Process([BUILD / "mapdiaryd", "-c", self.conf], self.log)
        count = int(self.settings.get("workers", 8))
        ready = self.daemon.wait_ready(
            lambda: can_connect(self.socket) and has_all_processes(self.daemon.pid, count), "mapdiaryd starts")
        assert ready, self.log.read_text()

    def start_web(self):
        self.web = Process(self.web_server.command(self.port), self.web_server.log)
        return self.web.wait_ready(lambda: can_connect(("127.0.0.1", self.port)), f"{self.web_server.name} starts")

    def stop(self):
        """Stops both; mapdiaryd must have ended as it should."""
        if self.web:
            self.web.stop()
        status = self.daemon.stop() if self.daemon else 0
        assert status == 0, f"mapdiaryd ended with {status}:\n{self.log.read_text()[-4000:]}"

    def ctl(self, *arguments, text=None):
        """Runs mapdiaryctl; returns its exit status, standard output and standard error."""
        return run_ctl(self.conf, *arguments, text=text)

    def doctor(self, *arguments):
        """mapdiaryctl doctor for a site that needs no mails: no sender of mails is asked, as most tests run none."""
        with tempfile.NamedTemporaryFile("w", prefix=f"{self.conf}.", encoding="utf-8") as file:
            file.write(re.sub("^registration = .*", "registration = closed", self.conf.read_text("utf-8"), flags=re.MULTILINE))
            file.flush()
            return run_ctl(file.name, "doctor", *arguments)

    def request(self, method="GET", query="", body=None, headers=(), source=None, path="/API.php"):
        """One HTTP request through the web server, exactly as said, and its Answer."""
        return http_client.request(self.port, method, query, body, headers, source, path)

    def raw(self, request):
        """These bytes through the web server."""
        return http_client.raw(self.port, request)

    def fastcgi(self, body=b"", **variables):
        """One FastCGI request to mapdiaryd, without a web server."""
        return fastcgi.request(self.socket, body, variables)

    def metric(self, name):
        """The value of one series: 'requests_in_flight', 'workers{state="idle"}'."""
        lines = self.fastcgi(SCRIPT_NAME="/metrics").body.decode().splitlines()
        return float(next(line for line in lines if line.startswith(f"mapdiary_{name} ")).split()[-1])

    def call(self, func, user=None, cookie=None, method=None, headers=(), **params):
        """An operation: reads as GET with a query string, all others as POST with a form."""
        method = method or ("GET" if func.startswith("get") or func == "search" else "POST")
        headers = list(headers)
        if user or cookie:
            headers.append(("Cookie", cookie or user.cookie))
        if method != "POST":
            return self.request(method, query=http_client.encode({"func": func} | params), headers=headers)
        body, content_type = http_client.body_of({"func": func} | params)
        if content_type != http_client.FORM:
            headers.append(("Content-Type", content_type))
        return self.request(method, body=body, headers=headers)

    def ok(self, func, **arguments):
        """As call(), for a test that takes the success for granted."""
        answer = self.call(func, **arguments)
        assert answer.info is None, f"{func}: {answer.info}"
        return answer
