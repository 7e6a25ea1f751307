"""The FastCGI socket, spoken to as no web server would: whatever is said there, no worker ends over it, none is held for longer
than io_timeout, memory stays bounded, and the next good request is answered."""

import contextlib
import os
import random
import re
import resource
import socket
import struct
import time

import pytest

import fastcgi
import http_client
from fastcgi import ABORT_REQUEST, BEGIN_REQUEST, PARAMS, RESPONDER, STDIN, pair, record, stream
from processes import anonymous_memory, children, peak_memory
from service import LISTEN, WITH_SANITIZERS, until

GET_VALUES = 9
IO_TIMEOUT = 5  # seconds; a machine with much to do may stand still for some
PATIENCE = 60  # seconds beyond it
FORM = {"REQUEST_METHOD": "POST", "CONTENT_TYPE": http_client.FORM}
READ = b"func=getCategoryPOIList&category=3"
LENGTH = len(READ)
BEGIN = record(BEGIN_REQUEST, RESPONDER)
REQUEST = fastcgi.opening(READ, FORM) + stream(STDIN, READ)


@pytest.fixture(scope="module")
def target(start_service_for_module):
    return start_service_for_module(workers=1, io_timeout=f"{IO_TIMEOUT * 1000:.0f}ms")


@pytest.fixture(autouse=True)
def nobody_ended(target):
    """Each test leaves the worker that it found, and the waiter, as large as they were, ready for a good request."""
    good(target)
    before = children(target.daemon.pid)
    sizes = [anonymous_memory(pid) for pid in before]
    yield
    good(target)
    assert children(target.daemon.pid) == before, target.log.read_text()[-2000:]
    if not WITH_SANITIZERS:  # the waiter may still be at what was cut
        until(lambda: all(anonymous_memory(pid) < size + 4096 for pid, size in zip(before, sizes)), "they are as small as before")
    assert "is stuck" not in target.log.read_text()


def peak(service):
    """The most KiB that any process of the service has had."""
    return max(map(peak_memory, children(service.daemon.pid)))


def good(service):
    started = time.monotonic()
    answer = service.fastcgi(READ, **FORM)
    assert answer.names == ["POIList"]
    return time.monotonic() - started


def rest(connection):
    """What is answered until the connection ends."""
    answer = b""
    with contextlib.suppress(ConnectionResetError):
        while piece := connection.recv(65536):
            answer += piece
    return answer


def say(service, data, ends=False):
    """What is answered to these bytes; nothing where the connection was cut. It may end with them, on our side."""
    with fastcgi.connect(service.socket) as connection:
        with contextlib.suppress(OSError):
            connection.sendall(data)
            if ends:
                connection.shutdown(socket.SHUT_WR)
        return rest(connection)


def say_and_wait(service, pieces):
    """What is answered to each of them, all at once, while nothing more is said. None keeps the worker from others, and none
    stays for longer than it may."""
    assert len(pieces) <= 512  # more are not kept at a time
    with contextlib.ExitStack() as stack:
        connections = [stack.enter_context(fastcgi.connect(service.socket)) for _ in pieces]
        for connection, data in zip(connections, pieces):
            with contextlib.suppress(OSError):
                connection.sendall(data)
        deadline = time.monotonic() + IO_TIMEOUT + PATIENCE
        assert good(service) < IO_TIMEOUT
        answers = []
        for connection in connections:
            connection.settimeout(max(0.1, deadline - time.monotonic()))
            answers.append(rest(connection))
        return answers


def changed(at, new):
    return REQUEST[:at] + new + REQUEST[at + len(new) :]


def variables(data):
    return BEGIN + stream(PARAMS, data) + record(STDIN)


def of_request(number, data):
    return data[:2] + struct.pack("!H", number) + data[4:]


def management(kind, content=b""):
    return of_request(0, record(kind, content))


NOT_REQUESTS = {
    "version 0": changed(0, b"\0"),
    "version 2": changed(0, b"\2"),
    "version 255": changed(0, b"\xff"),
    "type 0": changed(1, b"\0"),
    "type 11": changed(1, b"\x0b"),
    "type 255": changed(1, b"\xff"),
    "role 0": changed(9, b"\0"),
    "authorizer": changed(9, b"\2"),
    "filter": changed(9, b"\3"),
    "request 0": of_request(0, BEGIN) + record(PARAMS),
    "HTTP": b"GET /API.php?func=getAlbum&albumID=1 HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "zeros": b"\0" * 100_000,
    "ones": b"\xff" * 100_000,
    "variables first": stream(PARAMS, b"") + BEGIN,
    "body first": record(STDIN, b"x") + REQUEST,
    "begin twice": BEGIN + REQUEST,
    "begin in the variables": BEGIN + record(PARAMS, pair("A", "b")) + BEGIN,
    "begin in the body": fastcgi.opening(READ, FORM) + REQUEST,
    "variables in the body": fastcgi.opening(READ, FORM) + record(PARAMS, pair("A", "b")) + stream(STDIN, READ),
    "body in the variables": BEGIN + record(PARAMS, pair("A", "b")) + stream(STDIN, READ) + record(PARAMS),
    "another request's variables": BEGIN + of_request(2, record(PARAMS, pair("A", "b"))) + record(PARAMS),
    "another request's body": fastcgi.opening(READ, FORM) + of_request(2, record(STDIN, READ)) + record(STDIN),
    "a pair that is not whole": variables(pair("REQUEST_METHOD", "GET")[:-1]),
    "a length that is not whole": variables(b"\x80\0\0"),
    "a name longer than the record": variables(b"\x7f\0A"),
    "a value longer than the record": variables(b"\1\x7fA"),
    "lengths of 2^31 - 1": variables(b"\xff" * 8 + b"AB"),
    "lengths of 2^30": variables(b"\xc0\0\0\0" * 2 + b"AB"),
    "a name of 2^31 - 1": variables(b"\xff\xff\xff\xff\0" + b"A" * 1000),
    "NUL in a name": variables(b"\2\0A\0"),
    "NUL in a value": variables(b"\1\3Ax\0y"),
    "= in a name": variables(pair("HTTP_COOKIE=id=1; x", "")),
    "FCGI_GET_VALUES": management(GET_VALUES, pair("FCGI_MAX_CONNS", "")),
    "FCGI_GET_VALUES, a name many times": management(GET_VALUES, pair("FCGI_MPXS_CONNS", "") * 1000),
    "FCGI_GET_VALUES within a request": BEGIN + management(GET_VALUES, pair("FCGI_MPXS_CONNS", "") * 8),
    "FCGI_GET_VALUES within the body": fastcgi.opening(READ, FORM) + management(GET_VALUES, pair("FCGI_MAX_REQS", "") * 8),
    "unknown management records": management(77, b"x" * 100) * 1000,
    "abort before a request": record(ABORT_REQUEST),
    "abort after the begin": BEGIN + record(ABORT_REQUEST),
    "abort in the variables": BEGIN + record(PARAMS, pair("A", "b")) + record(ABORT_REQUEST),
    "abort after the variables": fastcgi.opening(READ, FORM) + record(ABORT_REQUEST),
    "abort in the body": fastcgi.opening(READ, FORM) + record(STDIN, READ[:5]) + record(ABORT_REQUEST),
}


@pytest.mark.parametrize("kind", NOT_REQUESTS)
def test_what_is_no_request_is_cut_at_once(target, kind):
    started = time.monotonic()
    assert say(target, NOT_REQUESTS[kind]) == b""
    assert time.monotonic() - started < IO_TIMEOUT


def records(data):
    """The bytes of each of them."""
    while data:
        length, padding = struct.unpack_from("!HB", data, 4)
        size = 8 + length + padding
        yield data[:size]
        data = data[size:]


@pytest.mark.parametrize("number", [1, 2, 255, 256, 65535, 1])
def test_an_answer_has_the_number_of_its_request(target, number):
    answer = say(target, b"".join(of_request(number, data) for data in records(REQUEST)))
    assert answer.count(b"<status>SUCCESS</status>") == 1
    assert {struct.unpack_from("!H", data, 2) for data in records(answer)} == {(number,)}


@pytest.mark.parametrize("after", [REQUEST, record(ABORT_REQUEST), management(GET_VALUES, pair("FCGI_MAX_CONNS", "")), b"\xff" * 9])
def test_what_comes_after_a_request_is_not_taken(target, after):
    """Not even a second request: connections are not kept."""
    answer = say(target, REQUEST + after)
    assert answer.count(b"<status>SUCCESS</status>") == 1


def test_an_abort_while_the_request_is_worked_on(target, connect_owner, db):
    """It is carried out all the same: it was whole."""
    owner = connect_owner()
    owner.run("BEGIN; LOCK TABLE poi IN ACCESS EXCLUSIVE MODE")
    with fastcgi.connect(target.socket) as connection:
        connection.sendall(REQUEST)
        until(db.waiting, "the request waits")
        connection.sendall(record(ABORT_REQUEST))
        owner.run("ROLLBACK")
        assert b"SUCCESS" in fastcgi.read(connection)


@pytest.fixture
def long_list(db, alice):
    """A request for more than all the buffers between hold."""
    db.run("INSERT INTO poi (owner_id, title, slot, lat, lng) SELECT %s, repeat('x', 250), 21, 0, 0"
           " FROM generate_series(1, 40000)", alice.id)
    form = b"func=getCategoryPOIList&category=5"
    yield fastcgi.opening(form, FORM) + stream(STDIN, form)
    db.run("DELETE FROM poi WHERE owner_id = %s", alice.id)
    db.run("VACUUM poi")


@pytest.mark.slow
def test_an_abort_while_the_answer_is_on_its_way(target, long_list):
    """It comes whole; over TCP, where what is not read of a connection resets it, it may break off instead."""
    with fastcgi.connect(target.socket) as connection:
        connection.sendall(long_list)
        assert connection.recv(8, socket.MSG_PEEK) != b""
        connection.sendall(record(ABORT_REQUEST))
        with contextlib.suppress(ConnectionResetError) if LISTEN == "tcp" else contextlib.nullcontext():
            assert fastcgi.read(connection).endswith(b"</response>\n")


@pytest.mark.slow
def test_web_servers_that_do_not_read(target, long_list):
    """They do not hold the one worker, and get no whole answer, nor one that ends as if it were."""
    with fastcgi.connect(target.socket) as connection:
        connection.sendall(long_list)
        answer = connection.recv(8)
        assert good(target) < IO_TIMEOUT
        until(lambda: "whose answer was not taken in time" in target.log.read_text(), "it is cut")
        answer += rest(connection)
    assert b"</response>" not in answer
    assert answer.endswith(bytes(8))


@pytest.mark.slow
def test_web_servers_that_read_slowly(target, long_list):
    """They do not hold the one worker, for whatever time they take, and get all of it."""
    with fastcgi.connect(target.socket) as connection:
        connection.sendall(long_list)
        answer = connection.recv(65536)
        started = time.monotonic()
        while time.monotonic() < started + 2 * IO_TIMEOUT:
            assert good(target) < IO_TIMEOUT
            time.sleep(0.2)
            answer += connection.recv(65536)
        assert b"</response>" in answer + rest(connection)


def test_cut_short_at_every_byte(target):
    for length in range(len(REQUEST)):
        started = time.monotonic()
        assert say(target, REQUEST[:length], ends=True) == b""
        assert time.monotonic() - started < IO_TIMEOUT
    assert b"SUCCESS" in say(target, REQUEST, ends=True)


@pytest.mark.few(1)
@pytest.mark.parametrize("first", [0, 1])
def test_stalled_at_every_byte(target, first):
    assert set(say_and_wait(target, [REQUEST[:length] for length in range(first, len(REQUEST), 2)])) == {b""}


def test_lengths_that_lie(target):
    """Each header of the request in turn says more, or less, than there is."""
    places = [at.start() for at in re.finditer(rb"\x01[\x01\x04\x05]\x00\x01", REQUEST)]
    assert len(places) == 5
    said = [(at, length) for at in places for length in (0, 1, 7, 9, 255, 65535)]
    lies = [changed(at + 4, struct.pack("!H", length)) for at, length in said]
    lies += [changed(at + 6, bytes([padding])) for at in places for padding in (1, 255)]
    answers = say_and_wait(target, [lie for lie in lies if lie != REQUEST])
    assert not any(b"SUCCESS" in answer for answer in answers)


@pytest.mark.parametrize("said", [
    None, "", "-1", "x", hex(LENGTH), f"{LENGTH}.0", f" {LENGTH}", f"+{LENGTH}", LENGTH - 1, LENGTH + 1, 1048577, 2**64 + LENGTH,
    "9" * 5000,
])
def test_content_length(target, said):
    assert target.fastcgi(READ, **FORM, CONTENT_LENGTH=said).info == "MALFORMED REQUEST"


@pytest.mark.parametrize("name", ["one", "many", "nameless"])
def test_50_megabytes_of_variables(target, name):
    megabytes = {"one": pair("A", "x" * 50_000_000), "many": pair("HTTP_X", "y" * 40) * 1_000_000, "nameless": b"\0\0" * 25_000_000}
    assert say(target, variables(megabytes[name])) == b""
    assert WITH_SANITIZERS or peak(target) < 64 * 1024


@pytest.mark.parametrize("length, is_taken", [(33_000, True), (130_000, True), (140_000, False)])
def test_variables_up_to_128_kib(target, length, is_taken):
    data = fastcgi.opening(READ, FORM | {"HTTP_COOKIE": "x" * length}) + stream(STDIN, READ)
    assert (b"SUCCESS" in say(target, data)) == is_taken


def test_50_megabytes_of_body(target):
    body = b"x" * 50_000_000
    data = fastcgi.opening(body, FORM) + stream(STDIN, body)
    with fastcgi.connect(target.socket) as connection:
        connection.sendall(data)
        answer = http_client.parse_cgi(fastcgi.read(connection))
    assert (answer.http_status, answer.info) == (413, "REQUEST TOO LARGE")
    assert WITH_SANITIZERS or peak(target) < 64 * 1024


def test_a_connection_that_says_nothing(target):
    """Does not keep the worker from others, and does not stay."""
    started = time.monotonic()
    with fastcgi.connect(target.socket) as connection:
        assert good(target) < IO_TIMEOUT
        connection.settimeout(IO_TIMEOUT + PATIENCE)
        assert connection.recv(1) == b""
        assert time.monotonic() - started > IO_TIMEOUT / 2


def test_a_connection_that_says_something_late(target):
    with fastcgi.connect(target.socket) as connection:
        good(target)
        time.sleep(IO_TIMEOUT / 4)
        connection.sendall(REQUEST)
        assert b"SUCCESS" in fastcgi.read(connection)


def test_requests_that_drip(target):
    """All of them together, some bytes at a time; the worker is free for others meanwhile."""
    with contextlib.ExitStack() as stack:
        slow = [stack.enter_context(fastcgi.connect(target.socket)) for _ in range(20)]
        for at in range(0, len(REQUEST) - 1, 8):
            for connection in slow:
                connection.sendall(REQUEST[at : min(at + 8, len(REQUEST) - 1)])
            if at % 64 == 0:
                assert good(target) < IO_TIMEOUT
        for connection in slow:
            connection.sendall(REQUEST[-1:])
            assert b"SUCCESS" in fastcgi.read(connection)


@pytest.mark.slow
def test_thousands_of_idle_connections(target):
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with contextlib.ExitStack() as stack:
        for number in range(3000):
            stack.enter_context(fastcgi.connect(target.socket))
            if number % 500 == 499:
                assert good(target) < IO_TIMEOUT
        assert good(target) < IO_TIMEOUT


def test_many_large_requests_that_do_not_end(start_service):
    """600 MB of them: what waits is bounded."""
    service = start_service(workers=1)
    body = b"x" * 1_048_576
    data = fastcgi.opening(body, FORM | {"HTTP_COOKIE": "x" * 130_000}) + stream(STDIN, body)[:-8]
    with contextlib.ExitStack() as stack:
        for _ in range(510):
            connection = stack.enter_context(fastcgi.connect(service.socket))
            with contextlib.suppress(OSError):
                connection.sendall(data)
        good(service)
        assert WITH_SANITIZERS or peak(service) < 192 * 1024


def test_web_servers_that_leave(target):
    """With the answer on its way, or not."""
    for _ in range(300):
        with fastcgi.connect(target.socket) as connection:
            connection.sendall(REQUEST)


def test_records_of_a_byte_each(target):
    params = b"".join(record(PARAMS, bytes([byte])) for byte in pair("REQUEST_METHOD", "POST") + pair("CONTENT_TYPE", http_client.FORM)
                      + pair("CONTENT_LENGTH", str(len(READ))))
    body = b"".join(record(STDIN, bytes([byte])) for byte in READ)
    assert b"SUCCESS" in say(target, BEGIN + params + record(PARAMS) + body + record(STDIN))


def test_mutated_requests(target):
    """Bytes changed, left out, doubled and moved at random: 10,000 requests, the same ones every time."""
    chance = random.Random(2025)
    for _ in range(int(os.environ.get("MAPDIARY_MUTATIONS", "10000"))):
        data = bytearray(REQUEST)
        for _ in range(chance.randint(1, 4)):
            at, end = sorted(chance.choices(range(len(data)), k=2)) if len(data) > 1 else (0, 0)
            how = chance.randrange(4)
            if how == 0:
                data[at] = chance.choice([0, 1, 127, 128, 255, chance.randrange(256)])
            elif how == 1:
                del data[at:end]
            elif how == 2:
                data[at:at] = data[at:end]
            else:
                data[at:end] = bytes(chance.randrange(256) for _ in range(min(end - at, 16)))
        with fastcgi.connect(target.socket) as connection:
            with contextlib.suppress(OSError):
                connection.sendall(data)
                connection.shutdown(socket.SHUT_WR)
                while connection.recv(65536):
                    pass
