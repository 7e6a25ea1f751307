"""The machines with their servers, as conf/cluster has them: only what each machine has for itself is put in here."""

import contextlib
import json
import os
import pathlib
import re
import subprocess
import urllib.request

import psycopg2

import fastcgi
from machine import ADDRESSES, ENVIRONMENT, Machine, make_network, until

TOP = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("MAPDIARY_BUILD", TOP / "build")).resolve()
CONF = TOP / "conf/cluster"
POSTGRES = max(pathlib.Path("/usr/lib/postgresql").glob("*/bin"))  # of this release of Debian
DATABASES = ["db1", "db2", "db3"]
APPLICATIONS = ["app1", "app2"]
PASSWORD = "only for this test"
WORKERS = 6


def sample(name, **changes):
    """A file of conf/cluster, with the changes that whoever copies it makes. Each must change something."""
    text = (CONF / name).read_text(encoding="utf-8")
    for old, new in changes.items():
        assert old in text, f"{name} has no {old}"
        text = text.replace(old, str(new))
    return text


class Cluster:
    def __init__(self, folder):
        self.folder = folder
        folder.chmod(0o755)
        make_network(folder)
        self.machines = {name: Machine(name, folder) for name in ADDRESSES}

    def __enter__(self):
        try:
            for name in DATABASES:
                self.start_etcd(self.machines[name])
            for name in DATABASES:
                self.start_postgres(self.machines[name])
            until(self.is_whole, "the databases have a primary and two standbys")
            self.make_database()
            for name in DATABASES:
                self.start_pgbouncer(self.machines[name])
            for name in APPLICATIONS:
                self.start_application(self.machines[name])
            self.start_front(self.machines["front"])
            self.wait_until_whole()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        for machine in self.machines.values():
            machine.thaw()
            machine.kill()

    # Databases

    def start_etcd(self, machine):
        lines = (CONF / "etcd").read_text().splitlines()
        settings = dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))
        for key in "ETCD_NAME", "ETCD_INITIAL_ADVERTISE_PEER_URLS", "ETCD_ADVERTISE_CLIENT_URLS":
            settings[key] = settings[key].replace("db1", machine.name)
        machine.start("etcd", "etcd", "--data-dir", machine.path("etcd"), user="postgres", **settings)

    def start_postgres(self, machine):
        text = sample("patroni.yml", **{
            "name: db1": f"name: {machine.name}", "connect_address: db1:": f"connect_address: {machine.name}:",
            "/usr/lib/postgresql/15/bin": POSTGRES, "/var/lib/postgresql/15/mapdiary": machine.path("data"),
            "/var/lib/postgresql/": f"{machine.folder}/",
            "change-me-1": PASSWORD})
        text = text.replace("  pg_hba:\n", f"  parameters: {{unix_socket_directories: {machine.folder}}}\n  pg_hba:\n")
        machine.start("patroni", "patroni", machine.write("patroni.yml", text), user="postgres")

    def start_pgbouncer(self, machine):
        users = machine.write("userlist.txt", f'"mapdiary" "{PASSWORD}"\n')
        text = sample("pgbouncer.ini", **{"/etc/pgbouncer/userlist.txt": users})
        machine.start("pgbouncer", "pgbouncer", machine.write("pgbouncer.ini", text), user="postgres")

    def make_database(self):
        with contextlib.closing(self.connect("postgres", "postgres")) as connection:
            cursor = connection.cursor()
            for role in "mapdiary_owner", "mapdiary":
                cursor.execute(f"CREATE ROLE {role} LOGIN PASSWORD %s", (PASSWORD,))
            cursor.execute("CREATE ROLE mapdiary_visitor")
            cursor.execute("GRANT mapdiary_visitor TO mapdiary")
            cursor.execute("CREATE DATABASE mapdiary OWNER mapdiary_owner TEMPLATE template0 ENCODING 'UTF8'")
        for name in DATABASES:
            until(lambda host=name: self.has_database(host), f"{name} has it, too")

    def has_database(self, host):
        with contextlib.suppress(psycopg2.OperationalError):
            self.connect("mapdiary", "mapdiary", host, "any").close()
            return True

    def connect(self, role, database, hosts=",".join(DATABASES), attributes="read-write"):
        """To whoever is the primary."""
        connection = psycopg2.connect(
            host=hosts, port=5432, user=role, password=PASSWORD, dbname=database, connect_timeout=2,
            target_session_attrs=attributes)
        connection.autocommit = True
        return connection

    def members(self):
        """{name: (role, state, timeline)} as the first Patroni that answers sees them."""
        for name in DATABASES:
            with contextlib.suppress(OSError, ValueError):
                with urllib.request.urlopen(f"http://{name}:8008/cluster", timeout=2) as answer:
                    return {member["name"]: (member["role"], member["state"], member.get("timeline"))
                            for member in json.load(answer)["members"]}
        return {}

    def is_whole(self):
        """All three stream on one timeline, and one of the standbys is synchronous."""
        members = self.members().values()
        return (sorted(role for role, _, _ in members) == ["leader", "replica", "sync_standby"] and
                {state for _, state, _ in members} <= {"running", "streaming"} and
                len({timeline for _, _, timeline in members}) == 1)

    def database(self, role):
        """The machine whose PostgreSQL is the "leader", the "sync_standby" or the "replica"."""
        def find():
            return [self.machines[name] for name, member in self.members().items() if member[0] == role]

        return until(find, f"there is a {role}")[0]

    def etcd_leader(self):
        """The machine whose etcd leads; at times, none does for a moment."""
        endpoints = ",".join(f"http://{name}:2379" for name in DATABASES)

        def find():
            done = subprocess.run(["etcdctl", "--endpoints", endpoints, "endpoint", "status", "--write-out=json"],
                                  env=ENVIRONMENT | {"ETCDCTL_API": "3"}, capture_output=True)
            return [answer["Endpoint"] for answer in json.loads(done.stdout or "[]")
                    if answer["Status"].get("leader") == answer["Status"]["header"]["member_id"]]

        leader = until(find, "etcd has a leader")[0]
        return self.machines[leader.removeprefix("http://").partition(":")[0]]

    # Applications

    def start_application(self, machine):
        """app2 does without PgBouncer."""
        machine.write("pgpass", f"*:*:*:*:{PASSWORD}\n")
        changes = {"/etc/mapdiary": machine.folder} | ({"port=6432": "port=5432"} if machine.name == "app2" else {})
        conf = machine.write("mapdiary.conf", sample("mapdiary.conf", **changes) + (
            f"listen = unix:{machine.folder}/d.sock\nschema_directory = {TOP}/schema\nworkers = {WORKERS}\n"
            f"spool_directory = {machine.folder}\nphoto_directory = {machine.folder}/photos\n"
            "password_memory = 1\npassword_operations = 1\nlog_level = notice\nreward_daily_limit = 1000000\n"
            "writes_per_minute = 0\n"))  # a client is one user, and writes several times a second
        if machine.name == "app1":
            self.ctl("migrate")
        machine.start("mapdiaryd", BUILD / "mapdiaryd", "-c", conf)
        text = (BUILD / "conf/nginx/mapdiary-http.conf").read_text(encoding="utf-8")
        text = re.sub(r"\S+/lib/mapdiary/photos;", f"{machine.folder}/photos;", text)
        for line in "set_real_ip_from   192.0.2.10;", "real_ip_header ", "192.0.2.10  yes;":
            assert f"#{line}" in text
            text = text.replace(f"#{line}", line.replace("192.0.2.10", ADDRESSES["front"]))
        upstream = (TOP / "conf/nginx/mapdiary-upstream.conf").read_text(encoding="utf-8")
        upstream = upstream.replace("/run/mapdiary/mapdiary.sock", f"{machine.folder}/d.sock")
        self.start_nginx(machine, f"{text}\n{upstream}\nserver {{ listen 80; include {TOP}/conf/nginx/mapdiary.conf; }}\n")

    def start_front(self, machine):
        self.start_nginx(machine, sample("mapdiary-balancer.conf"))

    def start_nginx(self, machine, http):
        modules = "".join(f"{module}_temp_path {machine.folder}/{module};\n"
                          for module in ("client_body", "fastcgi", "proxy", "uwsgi", "scgi"))
        conf = machine.write("nginx.conf", (
            f"user root;\ndaemon off;\nworker_processes 1;\npid {machine.folder}/nginx.pid;\n"
            f"events {{ worker_connections 512; }}\nhttp {{\naccess_log off;\n{modules}{http}}}\n"))
        machine.start("nginx", "nginx", "-p", machine.folder, "-e", "stderr", "-c", conf)

    def ctl(self, *arguments, text=None):
        """mapdiaryctl on app1."""
        done = subprocess.run(
            ["ip", "netns", "exec", "app1", BUILD / "mapdiaryctl", "-c", self.machines["app1"].path("mapdiary.conf"),
             *map(str, arguments)], input=text, capture_output=True, text=True, env=ENVIRONMENT, timeout=60)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def metrics(self, name):
        """{series: value} of an application machine; its socket is a file that we see, too."""
        answer = fastcgi.request(self.machines[name].path("d.sock"), b"", {"SCRIPT_NAME": "/metrics"})
        lines = [line for line in answer.body.decode().splitlines() if not line.startswith("#")]
        return {series: float(value) for series, value in (line.rsplit(" ", 1) for line in lines)}

    def all_serve(self):
        with contextlib.suppress(OSError, EOFError):
            return all(metrics["mapdiary_workers_connected"] == WORKERS == metrics["mapdiary_workers_with_replica"]
                       for metrics in map(self.metrics, APPLICATIONS))
        return False

    def wait_until_whole(self):
        until(self.is_whole, "the databases have a primary and two standbys")
        until(self.all_serve, "all workers have a primary and a replica")
