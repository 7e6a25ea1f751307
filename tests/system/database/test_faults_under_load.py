"""Faults under load: what was acknowledged is there, once; what failed said so; and it comes back by itself."""

import os
import shutil
import signal
import socket
import time

import pytest

from faults import SECONDS, db, fill, kill_one, mounted, postgres, repeat, restart_at_once, suffer, user  # noqa: F401
from load import Load, PatientLoad
from processes import children
from samples import BLOG
from service import AS_ROOT, BUILD, Process, Service, until

BIG = BLOG | {"blogContent": "x" * 90000}

pytestmark = pytest.mark.timeout(300 + 3 * SECONDS)


@pytest.fixture
def service(request, folder, postgres):
    """With little time for a request, so that a fault is over soon, but where a test asks for another one."""
    service = Service(folder, postgres, workers=4, reward_daily_limit=1000000, request_timeout=getattr(request, "param", "2s"),
                      log_level="notice")
    assert service.ctl("migrate").returncode == 0
    yield service.start()
    service.stop()


# As shipped: where nothing may fail, a disk that is slow for a moment may not make it.
PATIENT = pytest.mark.parametrize("service", ["10s"], indirect=True, scope="function")

# Who asks again under a key where no answer came loses nothing either.
LOADS = pytest.mark.parametrize("load", [Load, PatientLoad])


@pytest.mark.few(1)
@LOADS
def test_workers_killed(service, suffer, load):
    suffer(repeat(0.2, lambda: kill_one(lambda: children(service.daemon.pid))), load=load)


@pytest.mark.few(1)
@LOADS
def test_postgresql_restarted_at_once(postgres, suffer, load):
    suffer(repeat(1, lambda: restart_at_once(postgres)), load=load)


@pytest.mark.slow
@LOADS
def test_sessions_terminated(postgres, suffer, load):
    suffer(repeat(0.3, lambda: postgres.run(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'mapdiary'")), load=load)


@pytest.mark.slow
def test_postgresql_stopped(postgres, service, suffer):
    def away(seconds):
        postgres.stop()
        until(lambda: service.call("getBlog", blogID=1).http_status == 503, "it says so")
        time.sleep(seconds)
        postgres.start()

    suffer(lambda seconds: away(max(1, seconds / 3)))


@pytest.mark.slow
def test_postgresql_frozen(postgres, suffer):
    """It holds every connection and answers none, and accepts new ones as the kernel does it."""
    def freeze(seconds):
        with postgres.frozen():
            time.sleep(seconds)

    suffer(lambda seconds: freeze(max(3, seconds / 6)))


@pytest.mark.slow
@PATIENT
def test_reloads_fail_nothing(service, suffer):
    suffer(repeat(min(1, SECONDS / 10), lambda: service.daemon.popen.send_signal(signal.SIGHUP)), fails=False)
    assert "the processes change one by one" in service.log.read_text()


@pytest.mark.slow
@PATIENT
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

        def is_ready(begin):
            with open(service.log, "rb") as log:
                log.seek(begin)
                return b" ready on the socket of systemd" in log.read()

        def start():
            begin = service.log.stat().st_size
            service.daemon = Process(
                ["/bin/sh", "-c", 'LISTEN_PID=$$ LISTEN_FDS=1 exec "$@"', "sh", BUILD / "mapdiaryd", "-c", service.conf],
                service.log, pass_fds=[3], preexec_fn=lambda: os.dup2(listener.fileno(), 3))
            until(lambda: is_ready(begin), "it is ready")  # and ends by itself when it is told to

        def restart():
            assert service.daemon.stop() == 0
            start()

        start()
        suffer(repeat(0.5, restart), fails=False)


# A full disk


@pytest.fixture
def small_disk(folder, postgres, service, db):
    """A tablespace of 8 MiB, in which blogs and the ledger are."""
    with mounted(folder.make("disk"), "8m") as place:
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


def test_disk_full(small_disk, service, user, suffer):
    def full(seconds):
        filler = fill(small_disk / "t")
        until(lambda: service.call("postBlog", user=user, **BIG).http_status == 503, "the disk is full")
        time.sleep(seconds)
        filler.unlink()

    load = suffer(full)
    assert load.figures.failed > 0
