"""A hundred phones behind Apache, which passes on what they send as it comes: they hold no worker, and are answered.

With MAPDIARY_FAULT_SECONDS they send 10 MiB each, which takes minutes.
"""

import contextlib
import os
import re
import socket
import tempfile
import time

import pytest

from service import in_background, until
from web_server import RoomyApache

PHONES = 100
SIZE = (10 if "MAPDIARY_FAULT_SECONDS" in os.environ else 1) << 20
RATE, TICK = 50 << 10, 0.25  # bytes and seconds
BODY = (b'--b\r\nContent-Disposition: form-data; name="func"\r\n\r\ngetAlbum\r\n'
        b'--b\r\nContent-Disposition: form-data; name="albumID"; filename="a.jpg"\r\n\r\n'
        + b"x" * (SIZE - 300) + b"\r\n--b--\r\n")
HEAD = (b"POST /API.php HTTP/1.0\r\nHost: localhost\r\nContent-Type: multipart/form-data; boundary=b\r\n"
        b"Content-Length: %d\r\n\r\n" % len(BODY))


def with_large_bodies(text):
    return re.sub("LimitRequestBody [0-9]+", f"LimitRequestBody {21 << 20}", text)


@pytest.fixture
def disk():
    """A folder with room for all of it, which /tmp need not have."""
    with tempfile.TemporaryDirectory(prefix="mapdiary-", dir="/var/tmp") as folder:
        yield folder


def web(folder, backend):
    return RoomyApache(folder, backend, edit=with_large_bodies)


def connect(service):
    connection = socket.create_connection(("127.0.0.1", service.port), timeout=60)
    connection.sendall(HEAD)
    return connection


def send_slowly(phones):
    """All of the body to each, with a pause behind each piece."""
    piece, due = int(RATE * TICK), time.monotonic()
    for at in range(0, len(BODY), piece):
        for phone in phones:
            phone.sendall(BODY[at : at + piece])
        due += TICK
        time.sleep(max(0, due - time.monotonic()))


def answer(phone):
    data = b""
    while piece := phone.recv(65536):
        data += piece
    return data


def reads(service, album):
    return service.call("getAlbum", albumID=album).info is None


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_a_hundred_phones(disk, start_service, album):
    service = start_service(workers=2, spool_directory=disk, web=web)
    with contextlib.ExitStack() as stack:
        phones = [stack.enter_context(connect(service)) for _ in range(PHONES)]
        with in_background(lambda: send_slowly(phones)) as (sent,):
            until(lambda: service.metric("waiting_connections") >= PHONES, "all wait")
            while service.metric("spool_bytes") < PHONES * (SIZE - 4 * RATE) and not sent.done():
                assert service.metric("waiting_connections") >= PHONES or sent.done()  # and a read, for a moment
                until(lambda: service.metric('workers{state="idle"}') == 1, "all are idle but the one that tells")
                assert reads(service, album)
                time.sleep(0.2)
            sent.result()
        answers = [answer(phone) for phone in phones]
    # All end at once, and who has no turn in time is told to come again; the others' file is not what is wanted.
    served = [answer for answer in answers if b"INVALID PARAMETER: albumID" in answer]
    refused = [answer for answer in answers if b" 503 " in answer and b"Retry-After" in answer]
    assert served and len(served) + len(refused) == PHONES
    until(lambda: service.metric("spool_bytes") == 0, "nothing is left")
