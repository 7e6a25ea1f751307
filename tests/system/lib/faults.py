"""What tests of faults under load share: their database, the load that runs through a fault, and its figures.

MAPDIARY_FAULT_SECONDS tells for how long each fault goes on. The figures are in the summary of the run.
"""

import contextlib
import os
import random
import signal
import subprocess
import time

import pytest

from conftest import Rows
from load import Load
from service import AS_ROOT, Postgres

SECONDS = float(os.environ.get("MAPDIARY_FAULT_SECONDS", "3"))


@pytest.fixture(scope="module")
def postgres(folder):
    """A PostgreSQL that keeps what it says it has."""
    postgres = Postgres(folder, durable=True)
    postgres.create_database("mapdiary")
    yield postgres
    postgres.stop()


@pytest.fixture
def user(service):
    numbers = str(time.monotonic_ns())
    added = service.ctl("user", "add", "--email", f"{numbers}@example.org", "--name", "L", text="password\n")
    session = service.ctl("session", "add", "--user", added.stdout.strip())
    return type("User", (), {"cookie": session.stdout.strip()})


@pytest.fixture
def db(postgres):
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


# Faults


def kill_one(find):
    """Of those that find() says there are."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        os.kill(random.choice(find()), signal.SIGKILL)


def restart_at_once(postgres):
    """As pg_ctl restart -m immediate: sessions are cut, and the log is replayed."""
    postgres.process.stop(signal.SIGQUIT)
    postgres.start()


def as_root(*command):
    return subprocess.run([*([] if AS_ROOT else ["sudo", "-n"]), *command], capture_output=True).returncode == 0


@contextlib.contextmanager
def mounted(place, size=None, kind="tmpfs"):
    """A disk, of that size."""
    options = "mode=0777" if size is None else f"size={size},mode=0777"
    if not as_root("mount", "-t", kind, "-o", options, kind, str(place)):
        pytest.skip("mounting takes root, or sudo without a password")
    try:
        yield place
    finally:
        assert as_root("umount", str(place))


def fill(place):
    """With a file that takes the rest of the disk, which is returned."""
    filler = place / "filler"
    with contextlib.suppress(OSError), open(filler, "wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))
    return filler
