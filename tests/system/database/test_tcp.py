"""A database that is reached over TCP."""

import pathlib

import pytest

from service import Postgres, Service, free_port, until

KEEPALIVE = "02"    # proc(5): the timer of a connection that has nothing to send, if the kernel looks after the connection
TICKS = 100    # a second, in /proc


def timers(port):
    """(timer, seconds until it ends) of each established connection to a port of this machine."""
    for line in pathlib.Path("/proc/net/tcp").read_text(encoding="ascii").splitlines()[1:]:
        _, _, remote, state, _, timer, *_ = line.split()
        if remote.endswith(f":{port:04X}") and state == "01":
            kind, ticks = timer.split(":")
            yield kind, int(ticks, 16) / TICKS


class OverTCP(Postgres):
    def __init__(self, folder):
        self.port = free_port()
        super().__init__(folder, settings=f"listen_addresses = '127.0.0.1'\nport = {self.port}\n")

    def dsn(self, role, database):
        return f"host=127.0.0.1 port={self.port} user={role} dbname={database}"


@pytest.fixture(scope="module")
def postgres(folder):
    postgres = OverTCP(folder)
    postgres.create_database("mapdiary")
    yield postgres
    postgres.stop()


@pytest.mark.parametrize("setting, longest", [("", 60), (" keepalives_idle=30", 30)])
def test_idle_connections_are_looked_after(folder, postgres, setting, longest):
    service = Service(folder, postgres, workers=2, database="mapdiary" + setting)
    assert service.ctl("migrate").returncode == 0
    service.start()
    try:
        assert service.call("getSite").info is None
        until(lambda: {kind for kind, _ in timers(postgres.port)} == {KEEPALIVE}, "the kernel looks after idle connections")
        found = [seconds for _, seconds in timers(postgres.port)]
        assert len(found) >= 2 and max(found) <= longest
    finally:
        service.stop()
