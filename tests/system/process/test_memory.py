"""Memory: a worker leaks none, and is as large after many requests of all kinds as after a few, failures among them.

MAPDIARY_MEMORY_REQUESTS tells how many; under valgrind it is a twentieth of them. The figures are printed.
"""

import contextlib
import itertools
import os
import shutil
import time

import pytest

import fastcgi
import http_client
import samples
from processes import anonymous_memory, children, waiter, workers
from samples import OPERATIONS
from service import BUILD, WITH_SANITIZERS, Process, Service, can_connect, until

REQUESTS = int(os.environ.get("MAPDIARY_MEMORY_REQUESTS", "6000"))

pytestmark = [
    pytest.mark.skipif(WITH_SANITIZERS, reason="sanitizers keep memory of their own"),
    pytest.mark.timeout(300 + REQUESTS / 200),
]


def form(params, cookie="", **variables):
    body = http_client.encode(params).encode()
    variables = {"REQUEST_METHOD": "POST", "CONTENT_TYPE": http_client.FORM, "HTTP_COOKIE": cookie} | variables
    return fastcgi.opening(body, variables) + fastcgi.stream(fastcgi.STDIN, body)


def requests_of_all_kinds(things, alice, bob):
    """Each operation as it should be, with each of its parameters missing, and with each wrong; and what is none."""
    params = {row: operation.filled(things) for row, operation in OPERATIONS.items()}
    for row, operation in OPERATIONS.items():
        if operation.delete or operation.func == "logout":
            continue
        good = {"func": operation.func} | params[row]
        # What is added is Bob's, so that Alice's lists stay as they are.
        cookie = (bob if operation.func in ("addAlbum", "postBlog") else alice).cookie if operation.login else ""
        yield form(good, cookie)
        yield form(good, bob.cookie)
        yield form(good, "id=1; idrand=" + "0" * 32)
        yield form(good, cookie, HTTP_SEC_FETCH_SITE="cross-site")
        yield form(good | {"sig": "0" * 64, "ts": 1, "key": "0" * 16}, cookie)
        for name in params[row]:
            yield form({key: value for key, value in good.items() if key != name}, cookie)
            yield form(good | {name: "\x01"}, cookie)
            yield form(good | {name: "9" * 400}, cookie)
    yield form({"func": "nothing"})
    yield form({"func": "getAlbum", "albumID": 2**62})
    yield form({f"p{number}": "x" * 100 for number in range(70)})
    yield form({"func": "getAlbum", "albumID": things["album"], "filler": "x" * 1_000_000})
    yield form({"func": "getAlbum", "filler": "x" * 1_100_000})
    yield form({"func": "getPOI"}, CONTENT_TYPE="text/plain")
    yield form({"func": "getPOI"}, CONTENT_LENGTH="7")
    yield form({}, REQUEST_METHOD="PUT")
    yield form({}, SCRIPT_NAME="/metrics")
    yield form({}, SCRIPT_NAME="/healthz")
    yield form({}, SCRIPT_NAME="/openapi.json")
    yield form({"albumID": things["album"], "responseFormat": "JSON"}, PATH_INFO="/getAlbum")
    yield form({"userID": things["user"], "responseFormat": "JSON"}, PATH_INFO="/getUserAlbumList")
    yield form({"responseFormat": "JSON"}, PATH_INFO="/" + 200 * "x/")
    whole = form({"func": "getAlbum", "albumID": things["album"]}, HTTP_X="x" * 30_000)
    yield from (whole[:length] for length in (0, 1, 20, 5000, len(whole) - 9, len(whole) - 1))
    yield b"\2" + whole[1:]
    yield whole[:16] + fastcgi.record(fastcgi.ABORT_REQUEST)
    yield fastcgi.record(1, fastcgi.RESPONDER) + fastcgi.stream(fastcgi.PARAMS, b"\xff" * 8)
    yield fastcgi.record(1, fastcgi.RESPONDER) + fastcgi.stream(fastcgi.PARAMS, fastcgi.pair("A", "x" * 200_000))


@pytest.fixture
def send(things, alice, bob, postgres):
    """Sends so many of them to a service; now and then one's client leaves before the answer, one comes in parts, which makes it
    wait for the rest, or the database goes."""
    kinds = list(requests_of_all_kinds(things, alice, bob))
    assert len(kinds) > 150
    numbers = itertools.count(1)

    def send(service, count):
        for data in itertools.islice(itertools.cycle(kinds), count):
            number = next(numbers)
            if number % 5000 == 0:
                postgres.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'mapdiary'")
            with contextlib.suppress(OSError), fastcgi.connect(service.socket) as connection:
                if number % 53 == 0:
                    connection.sendall(data[: len(data) // 2])
                    time.sleep(0.005)
                    data = data[len(data) // 2 :]
                connection.sendall(data)
                connection.shutdown(1)
                while number % 17 and connection.recv(65536):
                    pass

    return send


@pytest.mark.slow
def test_size_after_many_requests(start_service, send, capsys):
    service = start_service(workers=1, log_level="error")
    before = children(service.daemon.pid)
    (worker,) = workers(service.daemon.pid)
    steps, sizes = 10, {"worker": [], "waiter": []}
    for _ in range(steps):
        send(service, REQUESTS // steps)
        sizes["worker"].append(anonymous_memory(worker))
        sizes["waiter"].append(anonymous_memory(waiter(service.daemon.pid)))
    assert children(service.daemon.pid) == before
    with capsys.disabled():
        print(f"\n{REQUESTS} requests, KiB after each tenth: {sizes}")
    # What is added makes some lists longer, up to a page. What an answer takes is kept, so there may be one step; a leak has many.
    for size in sizes.values():
        growth = [after - before for before, after in zip(size[4:], size[5:])]
        assert sum(growth) - max(growth) < 512, sizes


class Valgrind(Service):
    """mapdiaryd under memcheck, which goes with each fork."""

    def start_daemon(self):
        command = [shutil.which("valgrind"), "-q", "--leak-check=full", "--show-leak-kinds=definite,indirect,possible",
                   "--errors-for-leak-kinds=definite,indirect,possible", "--error-exitcode=99", "--child-silent-after-fork=no",
                   f"--log-file={self.folder}/valgrind.%p.log", BUILD / "mapdiaryd", "-c", self.conf]
        self.daemon = Process(command, self.log)
        assert self.daemon.wait_ready(lambda: can_connect(self.socket), "mapdiaryd starts"), self.log.read_text()


@pytest.mark.skipif(not shutil.which("valgrind"), reason="valgrind is not installed")
def test_leaks(folder, postgres, service, send, capsys):
    watched = Valgrind(folder, postgres, timezone=samples.ZONE, workers=1, log_level="error")
    watched.start_daemon()
    until(lambda: len(children(watched.daemon.pid)) == 4 and len(workers(watched.daemon.pid)) == 1, "its processes start")
    (worker,) = workers(watched.daemon.pid)
    send(watched, REQUESTS // 20)
    assert workers(watched.daemon.pid) == [worker]
    watched.stop()
    reports = {log.name: log.read_text(errors="replace") for log in watched.folder.glob("valgrind.*.log")}
    assert f"valgrind.{worker}.log" in reports
    with capsys.disabled():
        print(f"\n{REQUESTS // 20} requests under valgrind: {sum(map(len, reports.values()))} bytes of reports")
    assert "".join(reports.values()) == ""
