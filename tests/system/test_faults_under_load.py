"""Faults under load: what was acknowledged is there, once; what failed said so; and it comes back by itself.

MAPDIARY_FAULT_SECONDS tells for how long each fault goes on. The figures are in the summary of the run.
"""

import contextlib
import os
import random
import shutil
import signal
import socket
import subprocess
import time

import pytest

from conftest import Rows
from load import Load, PatientLoad
from processes import children
from samples import BLOG
from service import AS_ROOT, BUILD, Postgres, Process, Service, until

BIG = BLOG | {"blogContent": "x" * 90000}

SECONDS = float(os.environ.get("MAPDIARY_FAULT_SECONDS", "3"))

pytestmark = pytest.mark.timeout(300 + 3 * SECONDS)


@pytest.fixture(scope="module")
def postgres(folder):
    """A PostgreSQL that keeps what it says it has."""
    postgres = Postgres(folder, durable=True)
    postgres.create_database("mapdiary")
    yield postgres
    postgres.stop()


@pytest.fixture
def service(folder, postgres):
    service = Service(folder, postgres, workers=4, reward_daily_limit=1000000, request_timeout="2s", log_level="notice")
    assert service.ctl("migrate").returncode == 0
    yield service.start()
    service.stop()


@pytest.fixture
def user(service):
    numbers = str(time.monotonic_ns())
    added = service.ctl("user", "add", "--email", f"{numbers}@example.org", "--name", "L", text="password\n")
    session = service.ctl("session", "add", "--user", added.stdout.strip())
    return type("User", (), {"cookie": session.stdout.strip()})


@pytest.fixture
def db(postgres, service):
    """Connects anew each time: faults cut what is open."""
    @contextlib.contextmanager
    def connect():
        with contextlib.closing(postgres.connect("mapdiary_owner", "mapdiary")) as connection:
            yield Rows(connection)

    return connect


@pytest.fixture
def suffer(request, service, user, db):
    """Runs the load through a fault, which is a function of the seconds it may take; checks and reports the figures."""
    def run(fault, fails=True, load=Load):
        load = load(service, user)
        with load.running():
            load.wait_for_writes()
            fault(SECONDS)
            over = time.monotonic()
            load.wait_for_writes()
            load.note_recovery(over)
        with db() as rows:
            figures = load.compare(rows)
        request.node.user_properties.append(("figures", f"{request.node.name.removeprefix('test_'):52}{figures.row()}"))
        assert figures.acknowledged > 40
        assert (figures.lost, figures.twice, figures.malformed) == (0, 0, 0), load.errors
        if not fails:
            assert figures.failed == 0, load.errors
        return load

    return run


def repeat(every, action):
    def run(seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            action()
            time.sleep(every)

    return run


# Who asks again under a key where no answer came loses nothing either.
LOADS = pytest.mark.parametrize("load", [Load, PatientLoad])


@LOADS
def test_workers_killed(service, suffer, load):
    def kill():
        with contextlib.suppress(ProcessLookupError, IndexError):
            os.kill(random.choice(children(service.daemon.pid)), signal.SIGKILL)

    suffer(repeat(0.2, kill), load=load)


@LOADS
def test_postgresql_restarted_at_once(postgres, suffer, load):
    """As pg_ctl restart -m immediate: sessions are cut, and the log is replayed."""
    def restart():
        postgres.process.stop(signal.SIGQUIT)
        postgres.start()

    suffer(repeat(1, restart), load=load)


@LOADS
def test_sessions_terminated(postgres, suffer, load):
    suffer(repeat(0.3, lambda: postgres.run(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'mapdiary'")), load=load)


def test_postgresql_stopped(postgres, service, suffer):
    def away(seconds):
        postgres.stop()
        until(lambda: service.call("getBlog", blogID=1).http_status == 503, "it says so")
        time.sleep(seconds)
        postgres.start()

    suffer(lambda seconds: away(max(1, seconds / 3)))


def test_postgresql_frozen(postgres, suffer):
    """It holds every connection and answers none, and accepts new ones as the kernel does it."""
    def freeze(seconds):
        with postgres.frozen():
            time.sleep(seconds)

    suffer(lambda seconds: freeze(max(3, seconds / 6)))


def test_reloads_fail_nothing(service, suffer):
    suffer(repeat(min(1, SECONDS / 10), lambda: service.daemon.popen.send_signal(signal.SIGHUP)), fails=False)
    assert "the processes change one by one" in service.log.read_text()


def test_restarts_behind_the_socket_of_systemd_fail_nothing(service, suffer):
    """The socket outlives the service, as a socket unit's does."""
    service.daemon.stop()
    is_path = not isinstance(service.socket, tuple)
    with socket.socket(socket.AF_UNIX if is_path else socket.AF_INET) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(str(service.socket) if is_path else service.socket)
        listener.listen(socket.SOMAXCONN)
        if is_path:
            service.socket.chmod(0o666)  # for a web server that runs as another user

        def start():
            service.daemon = Process(
                ["/bin/sh", "-c", 'LISTEN_PID=$$ LISTEN_FDS=1 exec "$@"', "sh", BUILD / "mapdiaryd", "-c", service.conf],
                service.log, pass_fds=[3], preexec_fn=lambda: os.dup2(listener.fileno(), 3))

        def restart():
            assert service.daemon.stop() == 0
            start()

        start()
        suffer(repeat(0.5, restart), fails=False)


# A full disk


def as_root(*command):
    return subprocess.run([*([] if AS_ROOT else ["sudo", "-n"]), *command], capture_output=True).returncode == 0


@pytest.fixture
def small_disk(folder, postgres, service, db):
    """A tablespace of 8 MiB, in which blogs and the ledger are."""
    place = folder.make("disk")
    if not as_root("mount", "-t", "tmpfs", "-o", "size=8m,mode=0777", "tmpfs", str(place)):
        pytest.skip("mounting a small disk takes root, or sudo without a password")
    try:
        (place / "t").mkdir()
        if AS_ROOT:
            shutil.chown(place / "t", "postgres")
        postgres.run(f"CREATE TABLESPACE small LOCATION '{place}/t'")
        postgres.run("GRANT CREATE ON TABLESPACE small TO mapdiary_owner")
        with db() as rows:
            rows.run("TRUNCATE blog, ledger CASCADE")
            for table in "blog", "ledger":
                rows.run(f"ALTER TABLE {table} SET TABLESPACE small")
        yield place
        with db() as rows:
            for table in "blog", "ledger":
                rows.run(f"ALTER TABLE {table} SET TABLESPACE pg_default")
        postgres.run("DROP TABLESPACE small")
    finally:
        assert as_root("umount", str(place))


def test_disk_full(small_disk, service, user, suffer):
    def fill(seconds):
        filler = small_disk / "t" / "filler"
        with contextlib.suppress(OSError), open(filler, "wb", buffering=0) as file:
            while True:
                file.write(bytes(4096))
        until(lambda: service.call("postBlog", user=user, **BIG).http_status == 503, "the disk is full")
        time.sleep(seconds)
        filler.unlink()

    load = suffer(fill)
    assert load.figures.failed > 0
