"""A primary with two standbys: who answers what, and what becomes of it when one of them does not."""

import collections
import contextlib
import os
import pwd
import shutil
import signal
import socket
import subprocess
import time

import psycopg2
import pytest

import signing
from conftest import Rows
from samples import ALBUM
from service import AS_ROOT, ENVIRONMENT, Postgres, Process, Service, at_once, in_background, until


class Standby(Postgres):
    """A streaming replica of another cluster."""

    def __init__(self, folder, primary):
        self.folder = folder.make("pg")
        self.log = self.folder / "postgres.log"
        self.options, self.programs = primary.options | {"cwd": self.folder}, primary.programs
        if AS_ROOT:
            owner = pwd.getpwnam("postgres")
            os.chown(self.folder, owner.pw_uid, owner.pw_gid)
        subprocess.run(
            [self.programs / "pg_basebackup", "--pgdata=data", "--write-recovery-conf", "--checkpoint=fast", "--no-sync",
             f"--dbname=host={primary.folder} user=postgres application_name={self.folder.name}"],
            check=True, env=ENVIRONMENT, **self.options)
        with open(self.folder / "data/postgresql.conf", "a", encoding="utf-8") as conf:
            conf.write(f"unix_socket_directories = '{self.folder}'\n")
        self.start()

    def pause(self):
        self.run("SELECT pg_wal_replay_pause()")
        until(lambda: self.value("SELECT pg_get_wal_replay_pause_state()") == "paused", "the replay pauses")

    def resume(self):
        self.run("SELECT pg_wal_replay_resume()")

    def follow(self, conninfo):
        self.run("ALTER SYSTEM SET primary_conninfo = '{}'".format(conninfo.replace("'", "''")))
        self.run("SELECT pg_reload_conf()")


def dsn(servers, attributes, more=""):
    hosts = ",".join(str(server.folder) for server in servers)
    return f"host={hosts} user=mapdiary dbname=mapdiary target_session_attrs={attributes} {more}"


class Through:
    """What a Service takes for its database, where its own role connects in another way than the owner."""

    def __init__(self, primary, conninfo):
        self.primary, self.conninfo = primary, conninfo

    def dsn(self, role, database):
        return self.conninfo if role == "mapdiary" else self.primary.dsn(role, database)


@pytest.fixture(scope="module")
def primary(folder):
    primary = Postgres(folder)
    primary.create_database("mapdiary")
    primary.run("ALTER SYSTEM SET synchronous_commit = on")
    primary.run("SELECT pg_reload_conf()")
    migrated = Service(folder, primary).ctl("migrate")
    assert migrated.returncode == 0, migrated.stderr
    yield primary
    primary.stop()


@pytest.fixture(scope="module")
def standbys(folder, primary):
    standbys = [Standby(folder, primary) for _ in range(2)]
    yield standbys
    for standby in standbys:
        standby.stop()


@pytest.fixture
def start(folder, primary, standbys):
    """Starts the service on all three, in no good order, and waits until its workers know a replica that is fit."""
    with contextlib.ExitStack() as stack:
        def start(conninfo=None, fit=True, **settings):
            servers = [standbys[0], primary, standbys[1]]
            service = Service(folder, Through(primary, conninfo or dsn(servers, "read-write")), **{
                "workers": 2, "read_database": dsn(servers, "prefer-standby"), "max_replica_lag": "1m"} | settings)
            stack.callback(service.stop)
            service.start()
            until(lambda: not service.metric('workers{state="starting"}') + service.metric('workers{state="missing"}'),
                  "all workers have begun, with a look at the folder of photos")
            if fit:
                wait_for_replicas(service)
            return service

        yield start


def wait_for_replicas(service, count=None):
    count = service.settings["workers"] if count is None else count
    until(lambda: service.metric("workers_with_replica") == count, f"{count} workers have a replica")


def roles(service):
    return collections.Counter({role: service.metric(f'database_batches_total{{role="{role}"}}')
                                for role in ("primary", "standby")})


@contextlib.contextmanager
def served_by(service, **counts):
    """The body is answered by so many batches on each role."""
    before = roles(service)
    yield
    assert roles(service) - before == collections.Counter(counts)


@pytest.fixture
def user(service_for_users):
    numbers = str(time.monotonic_ns())
    added = service_for_users.ctl("user", "add", "--email", f"{numbers}@example.org", "--name", "R", text="password\n")
    session = service_for_users.ctl("session", "add", "--user", added.stdout.strip())
    return type("User", (), {"cookie": session.stdout.strip(), "email": f"{numbers}@example.org"})


@pytest.fixture(scope="module")
def service_for_users(folder, primary):
    return Service(folder, primary)


@pytest.fixture
def album(start_one, user):
    return start_one.ok("addAlbum", user=user, **ALBUM)["albumID"]


@pytest.fixture
def start_one(start):
    return start()


def replayed(primary, standbys):
    position = primary.value("SELECT pg_current_wal_lsn()")
    for standby in standbys:
        until(lambda: standby.value(f"SELECT pg_last_wal_replay_lsn() >= '{position}'"), "it is replayed")


def test_who_reads_where(start_one, primary, standbys, user, album):
    service = start_one
    replayed(primary, standbys)
    with served_by(service, standby=10):
        for _ in range(10):
            service.ok("getAlbum", albumID=album)
    with served_by(service, primary=10):
        for _ in range(5):
            service.ok("getAlbum", user=user, albumID=album)
            service.ok("getAlbum", cookie="anything=1", albumID=album)
    with served_by(service, primary=4):
        service.ok("addAlbum", user=user, **ALBUM)
        service.ok("login", email=user.email, password="password")  # three: whether to wait; what is known of the user; the session
    with served_by(service, standby=2):
        service.ok("getAlbum", method="POST", albumID=album)
        assert service.call("getPOI", poiID=album, POIID=2**60).info == "POI NOT FOUND"


def test_signed_reads_are_on_the_primary(start, service_for_users, primary, standbys, user):
    """A key that is revoked there is refused at once, however far behind the replicas are."""
    with contextlib.closing(primary.connect("mapdiary_owner", "mapdiary")) as connection:
        application = signing.new_application(service_for_users, Rows(connection))
    service = start(master_key_file=service_for_users.settings["master_key_file"], max_replica_lag="1m")
    album = service.ok("addAlbum", user=user, **ALBUM)["albumID"]
    replayed(primary, standbys)
    with served_by(service, primary=10):
        for _ in range(10):
            service.ok(**application.sign("getAlbum", albumID=album))
    for standby in standbys:
        standby.pause()
    try:
        assert service_for_users.ctl("key", "revoke", application.key).returncode == 0
        assert service.call(**application.sign("getAlbum", albumID=album)).info == "KEY UNKNOWN"
        with served_by(service, standby=1):
            service.ok("getAlbum", albumID=album)
    finally:
        for standby in standbys:
            standby.resume()


def test_without_read_database_all_is_on_the_primary(start, user):
    service = start(fit=False, read_database="", workers=1)
    with served_by(service, primary=2):
        album = service.ok("addAlbum", user=user, **ALBUM)["albumID"]
        service.ok("getAlbum", albumID=album)
    assert service.metric("reads_diverted_total") == 0


def test_workers_spread_over_the_replicas(start, standbys):
    start(workers=24)  # so that it is no chance that one of the two has none
    for standby in standbys:
        assert standby.value("SELECT count(*) FROM pg_stat_activity WHERE usename = 'mapdiary'") > 0


def test_client_reads_what_it_wrote_after_its_session(start_one, standbys, user):
    """As a browser would: with whatever cookies the answers left it with."""
    service = start_one
    answer = service.ok("addAlbum", user=user, **ALBUM)
    mark = [value for name, value in answer.headers if name == "set-cookie"]
    assert mark == ["written=1; Max-Age=10; Path=/; HttpOnly; SameSite=Lax"]
    with served_by(service, primary=2):
        service.ok("logout", user=user)
        service.ok("getAlbum", cookie="written=1", albumID=answer["albumID"])


def test_mark_can_be_left_out(start, user):
    service = start(read_your_writes="0s")
    assert service.ok("addAlbum", user=user, **ALBUM).header("Set-Cookie") is None


def test_replica_within_the_limit_may_be_behind(start, primary, standbys, user):
    service = start(max_replica_lag="1m")
    for standby in standbys:
        standby.pause()
    try:
        album = service.ok("addAlbum", user=user, **ALBUM)["albumID"]
        assert service.call("getAlbum", albumID=album).info == "ALBUM NOT FOUND"
        service.ok("getAlbum", user=user, albumID=album)
    finally:
        for standby in standbys:
            standby.resume()
    until(lambda: service.call("getAlbum", albumID=album).info is None, "the replicas have it")


def has_left_replicas(service, album):
    """Each worker finds out by a request of its own: so there are several at a time."""
    at_once(*[lambda: service.ok("getAlbum", albumID=album)] * 4)
    return service.metric("workers_with_replica") == 0


@pytest.mark.few(1)
@pytest.mark.parametrize("how", ["replay paused", "cut off"])
def test_lagging_replica_is_not_read_from(start, primary, standbys, user, how):
    """The second kind has replayed all that it received, and hears of nothing else."""
    service = start(max_replica_lag="1s")
    for standby in standbys:
        if how == "replay paused":
            standby.pause()
        else:
            standby.conninfo = standby.value("SHOW primary_conninfo")
            standby.follow("")
            until(lambda: not standby.value("SELECT count(*) FROM pg_stat_wal_receiver"), "it is cut off")
    try:
        album = service.ok("addAlbum", user=user, **ALBUM)["albumID"]
        time.sleep(1.5)
        until(lambda: has_left_replicas(service, album), "no worker reads from a replica", 15)
        assert service.metric("reads_diverted_total") > 0
    finally:
        for standby in standbys:
            if how == "replay paused":
                standby.resume()
            else:
                standby.follow(standby.conninfo)
    wait_for_replicas(service)


def all_from_the_standby(service, album):
    before = roles(service)
    for _ in range(20):
        # Each worker finds out by a request; on a slow machine that one may be refused, as the way to the other takes long.
        assert service.call("getAlbum", albumID=album).info in (None, "SERVICE UNAVAILABLE")
    return roles(service) - before == {"standby": 20}


@pytest.mark.slow
def test_idle_primary_is_no_lag(start, primary, standbys, user):
    service = start(max_replica_lag="1s")
    album = service.ok("addAlbum", user=user, **ALBUM)["albumID"]
    replayed(primary, standbys)
    time.sleep(3)
    # It would be one ever after. A worker that did not run for a second may have had to take it for one.
    until(lambda: all_from_the_standby(service, album), "the standbys are read from")


def test_replicas_stop_and_come_back(start_one, standbys, album):
    service = start_one
    for standby in standbys:
        standby.stop()
        for _ in range(20):
            service.ok("getAlbum", albumID=album)
    with served_by(service, primary=10):
        for _ in range(10):
            service.ok("getAlbum", albumID=album)
    for standby in standbys:
        standby.start()
    wait_for_replicas(service)


def test_frozen_replica_holds_nobody_up_for_long(start, primary, standbys, user):
    """A worker leaves it for the other one."""
    service = start(max_replica_lag="1s")
    album = service.ok("addAlbum", user=user, **ALBUM)["albumID"]
    replayed(primary, standbys)
    with standbys[0].frozen():
        until(lambda: all_from_the_standby(service, album), "both workers read from the other one")


def test_primary_is_no_replica(start, primary):
    service = start(fit=False, read_database=dsn([primary], "prefer-standby"))
    until(lambda: "it is not a standby" in service.log.read_text(), "the worker leaves it")
    assert service.metric("workers_with_replica") == 0
    with served_by(service, primary=1):
        assert service.call("getAlbum", albumID=2**60).info == "ALBUM NOT FOUND"


@pytest.mark.slow
def test_reads_go_on_without_the_primary(folder, start, user, primary, standbys):
    service = start(max_replica_lag="10s")
    album = service.ok("addAlbum", user=user, **ALBUM)["albumID"]
    replayed(primary, standbys)
    primary.stop()
    try:
        for _ in range(20):
            service.ok("getAlbum", albumID=album)
        assert service.call("getAlbum", user=user, albumID=album).http_status == 503
        assert service.fastcgi(SCRIPT_NAME="/healthz").http_status == 200
        until(lambda: service.call("getAlbum", albumID=album).http_status == 503, "nobody knows how old it is", 60)
        until(lambda: service.fastcgi(SCRIPT_NAME="/healthz").http_status == 503, "no worker can serve", 60)
    finally:
        primary.start()
    wait_for_replicas(service)


# Several hosts in `database`


@contextlib.contextmanager
def silent_server(folder):
    """Where connections are made, and nobody ever says a word."""
    place = folder.make("silent")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(place / ".s.PGSQL.5432"))
        listener.listen(socket.SOMAXCONN)
        yield type("Server", (), {"folder": place})


@pytest.mark.slow
def test_silent_host_is_passed_over(folder, start, primary, user):
    with silent_server(folder) as silent:
        service = start(dsn([silent, silent, primary], "read-write", "connect_timeout=1"), fit=False,
                        read_database="", workers=6)
        until(lambda: service.metric("workers_connected") == 6, "all workers have found the other host")
        service.ok("addAlbum", user=user, **ALBUM)


def test_fails_over_to_a_promoted_standby(folder, start, user):
    """And writes there, in spite of a worker that is still connected to what is a standby now."""
    other = Postgres(folder)
    other.create_database("mapdiary")
    assert Service(folder, other).ctl("migrate").returncode == 0
    with contextlib.closing(other.connect("postgres", "mapdiary")) as connection:
        connection.cursor().execute(
            "INSERT INTO mapdiary.user_account (user_id, email, name, password_hash) VALUES (1, 'a@b.c', 'A', '')")
    standby = Standby(folder, other)
    try:
        service = start(dsn([other, standby], "read-write"), fit=False, read_database="")
        cookie = Service(folder, other).ctl("session", "add", "--user", 1).stdout.strip()
        service.ok("addAlbum", cookie=cookie, **ALBUM)
        replayed(other, [standby])
        other.stop()
        standby.run("SELECT pg_promote()")
        until(lambda: service.call("addAlbum", cookie=cookie, **ALBUM).info is None, "it writes again")
    finally:
        standby.stop()
        with contextlib.suppress(subprocess.TimeoutExpired):
            other.stop()


def test_read_only_server_is_left(start, user, primary):
    """A connection that was kept while its server became read-only is not used again."""
    def read_only(value):
        primary.run(f"ALTER SYSTEM SET default_transaction_read_only = {value}")
        primary.run("SELECT pg_reload_conf()")

    service = start(fit=False, read_database="", workers=1)
    until(lambda: service.call("addAlbum", user=user, **ALBUM).info is None, "it writes")
    read_only("on")
    try:
        until(lambda: service.call("addAlbum", user=user, **ALBUM).http_status == 503, "it cannot write")
        assert "25006" in service.log.read_text()
        assert service.metric("database_connections_lost_total") == 1
    finally:
        read_only("off")
    until(lambda: service.call("addAlbum", user=user, **ALBUM).info is None, "it writes again")


@pytest.fixture
def nobody_synchronous(primary):
    """The primary waits for a standby that is not there. Sessions that are there already do not know."""
    primary.run("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
    primary.run("SELECT pg_reload_conf()")
    until(lambda: primary.value("SHOW synchronous_standby_names") == "nobody", "it is so")
    yield
    primary.run("ALTER SYSTEM RESET synchronous_standby_names")
    primary.run("SELECT pg_reload_conf()")


@pytest.mark.slow
def test_commit_that_no_standby_has_is_not_acknowledged(user, nobody_synchronous, start, primary):
    """PostgreSQL calls it a success, with a warning, where somebody cancels its wait."""
    service = start(fit=False, read_database="")
    waiting = "SELECT pid FROM pg_stat_activity WHERE usename = 'mapdiary' AND wait_event = 'SyncRep'"
    with in_background(lambda: service.call("addAlbum", user=user, **ALBUM)) as [answer]:
        pid = until(lambda: primary.value(waiting), "the commit waits")
        primary.run(f"SELECT pg_cancel_backend({pid})")
        assert answer.result().http_status == 503


@pytest.mark.slow
def test_commit_that_takes_too_long_stays_unseen(user, nobody_synchronous, start, primary):
    """What is cancelled on the way to a standby can be seen, and lost with the primary after that."""
    def albums():
        with contextlib.closing(primary.connect("postgres", "mapdiary")) as connection:
            cursor = connection.cursor()
            cursor.execute("SELECT count(*) FROM mapdiary.album")
            return cursor.fetchone()[0]

    service = start(fit=False, read_database="", request_timeout="3s")  # in which it comes as far as its commit
    before = albums()
    assert service.call("addAlbum", user=user, **ALBUM).http_status == 503
    time.sleep(2)
    assert albums() == before
    primary.run("ALTER SYSTEM RESET synchronous_standby_names")
    primary.run("SELECT pg_reload_conf()")
    until(lambda: albums() == before + 1, "it is not lost either")


# PgBouncer

PGBOUNCER = shutil.which("pgbouncer", path=ENVIRONMENT["PATH"])


@contextlib.contextmanager
def pgbouncer(folder, postgres, mode):
    """PgBouncer on a unix socket; what it gives is a folder to connect to."""
    place = folder.make("pgbouncer")
    (place / "users").write_text('"mapdiary" ""\n', encoding="ascii")
    (place / "pgbouncer.ini").write_text(
        f"[databases]\n* = host={postgres.folder}\n"
        f"[pgbouncer]\nlisten_port = 5432\nunix_socket_dir = {place}\nauth_type = trust\nauth_file = {place}/users\n"
        f"pool_mode = {mode}\ndefault_pool_size = 20\nmax_client_conn = 100\n", encoding="utf-8")
    options = {}
    if AS_ROOT:
        owner = pwd.getpwnam("postgres")
        for path in place, place / "users", place / "pgbouncer.ini":
            os.chown(path, owner.pw_uid, owner.pw_gid)
        options = {"user": owner.pw_uid, "group": owner.pw_gid, "extra_groups": []}
    process = Process([PGBOUNCER, place / "pgbouncer.ini"], place / "pgbouncer.log", **options)

    def is_ready():
        with contextlib.suppress(psycopg2.OperationalError):
            psycopg2.connect(f"host={place} user=mapdiary dbname=mapdiary").close()
            return True

    try:
        assert process.wait_ready(is_ready, "PgBouncer starts"), (place / "pgbouncer.log").read_text()
        yield type("Server", (), {"folder": place})
    finally:
        # PgBouncer 1.23 and later wait for their clients after SIGTERM.
        process.stop(signal.SIGQUIT)


def test_pgbouncer_by_session(folder, start, primary, standbys, user):
    """Beside each server one, as target_session_attrs has to see through them."""
    with contextlib.ExitStack() as stack:
        poolers = [stack.enter_context(pgbouncer(folder, server, "session")) for server in (*standbys, primary)]
        service = start(dsn(poolers, "read-write"), read_database=dsn(poolers, "prefer-standby"), workers=4)
        for _ in range(10):
            album = service.ok("addAlbum", user=user, **ALBUM)["albumID"]
            service.ok("getAlbum", user=user, albumID=album)
        replayed(primary, standbys)
        with served_by(service, standby=10):
            for _ in range(10):
                service.ok("getAlbum", albumID=album)


@pytest.mark.parametrize("mode", ["transaction", "statement"])
@pytest.mark.parametrize("key", ["database", "read_database"])
def test_pgbouncer_by_transaction_is_refused_at_the_start(folder, primary, mode, key):
    with pgbouncer(folder, primary, mode) as pooler:
        through = dsn([pooler], "any")
        if key == "database":
            service = Service(folder, Through(primary, through))
        else:
            service = Service(folder, primary, read_database=through)
        with pytest.raises(AssertionError, match=f"{key}: .*pool_mode = session"):
            service.start_daemon()
        assert service.daemon.popen.returncode == 78
