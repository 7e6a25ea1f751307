"""The spool: what is large is in files without a name; where these cannot be, nobody with a small request notices."""

import contextlib
import pathlib

import pytest

import fastcgi
import http_client
import processes
from service import until

FORM = {"REQUEST_METHOD": "POST", "CONTENT_TYPE": http_client.FORM}


@pytest.fixture
def spool(tmp_path):
    folder = tmp_path / "spool"
    folder.mkdir()
    return folder


def request_of(album, length):
    head = f"func=getAlbum&albumID={album}&filler=".encode()
    body = head + b"x" * (length - len(head))
    return fastcgi.opening(body, FORM) + fastcgi.stream(fastcgi.STDIN, body)


def answer(service, data):
    """b"" where the connection is closed instead."""
    with fastcgi.connect(service.socket) as connection, contextlib.suppress(OSError):
        connection.sendall(data)
        return fastcgi.read(connection)
    return b""


def spooled(service, folder):
    """The sizes of its files that those processes of the service have open that take requests."""
    found = []
    for pid in (processes.waiter(service.daemon.pid), *processes.workers(service.daemon.pid)):
        for link in pathlib.Path(f"/proc/{pid}/fd").iterdir():
            with contextlib.suppress(OSError):
                if str(link.readlink()).startswith(f"{folder}/"):
                    found.append(link.stat().st_size)
    return found


def test_a_request_is_spooled_from_64_kib_on(start_service, album, spool):
    service = start_service(workers=1, spool_directory=spool)
    with contextlib.ExitStack() as stack:
        for length in 60_000, 70_000, 1_000_000:
            connection = stack.enter_context(fastcgi.connect(service.socket))
            data = request_of(album, length)
            connection.sendall(data[:-8])
            size = len(data) - 8
            if size > 65536:
                assert until(lambda: spooled(service, spool), "it is spooled")[0] <= size
            else:
                assert not spooled(service, spool)
            connection.sendall(data[-8:])
            assert b"<status>SUCCESS</status>" in fastcgi.read(connection)
            until(lambda: not spooled(service, spool), "its file is gone")
    assert not list(spool.iterdir())


@pytest.mark.few(1)
@pytest.mark.parametrize("how", ["the connection closes", "an abort", "the time is over"])
def test_nothing_is_left_of_a_request_that_does_not_come(start_service, album, spool, how):
    service = start_service(workers=1, spool_directory=spool, io_timeout="3s" if "time" in how else "10s")
    with fastcgi.connect(service.socket) as connection:
        connection.sendall(request_of(album, 500_000)[:-1000])
        until(lambda: spooled(service, spool), "it is spooled")
        if how == "the connection closes":
            connection.close()
        if how == "an abort":
            connection.sendall(b"x" * 992 + fastcgi.record(fastcgi.ABORT_REQUEST))
        until(lambda: not spooled(service, spool), "its file is gone")


def test_a_folder_that_is_gone(start_service, album, spool):
    service = start_service(workers=1, spool_directory=spool)
    spool.rmdir()
    assert answer(service, request_of(album, 500_000)) == b""
    assert f"spool_directory {spool}: No such file or directory" in service.log.read_text()
    assert b"<status>SUCCESS</status>" in answer(service, request_of(album, 50_000))
    spool.mkdir()
    assert b"<status>SUCCESS</status>" in answer(service, request_of(album, 500_000))


def test_the_slowest_make_room(start_service, album, spool):
    """Requests that together are more than there may be: the first ones go, and the last is answered."""
    service = start_service(workers=1, spool_directory=spool, spool_size="32MiB", io_timeout="60s")  # none of them is late
    with contextlib.ExitStack() as stack:
        data = request_of(album, 1_000_000)
        slow = []
        for _ in range(40):
            slow.append(stack.enter_context(fastcgi.connect(service.socket)))
            slow[-1].sendall(data[:-8])
            until(lambda: sum(spooled(service, spool)) < 31 << 20, "there is room")
        until(lambda: "whose request is slow" in service.log.read_text(), "the log says so")
        assert slow[0].recv(1) == b""
        slow[-1].sendall(data[-8:])
        assert b"<status>SUCCESS</status>" in fastcgi.read(slow[-1])
