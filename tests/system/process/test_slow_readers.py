"""Clients, and web servers, that take long answers slowly: they get all of it, and nobody else waits for them."""

import contextlib
import hashlib
import os
import resource
import signal
import socket
import subprocess
import tempfile
import threading
import time

import pytest

import fastcgi
import processes
from service import Service, at_once, in_background, until, until_stopped
from web_server import AS_ROOT, Nginx, RoomyApache

ROWS, NAME = 62_000, 250  # 20 MB
QUERY = "func=getCategoryPOIList&category=5"
SHORT = "func=getPOI&POIID=1"
REQUEST = fastcgi.opening(b"", {"QUERY_STRING": QUERY}) + fastcgi.stream(fastcgi.STDIN, b"")
MANY = [20, pytest.param(100, marks=pytest.mark.slow)]


@pytest.fixture(scope="module", autouse=True)
def many_descriptors():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.fixture(scope="module")
def start(folder, postgres):
    """Starts a service on a database with the list; all end with the module."""
    postgres.create_database("long")
    services = []

    def start(**options):
        service = Service(folder, postgres, database="long", **{"workers": 4} | options)
        if not services:
            assert service.ctl("migrate").returncode == 0
            with contextlib.closing(postgres.connect("postgres", "long")) as db:
                cursor = db.cursor()
                cursor.execute("SET search_path = mapdiary")
                cursor.execute("INSERT INTO user_account (email, name, password_hash)"
                               " VALUES ('a@example.org', 'a', 'none')")
                cursor.execute("INSERT INTO poi (owner_id, title, slot, lat, lng)"
                               " SELECT 1, n || repeat('x', %s), 21, 0, 0 FROM generate_series(1, %s) n", [NAME, ROWS])
                cursor.execute("VACUUM ANALYZE poi")
        services.append(service)
        return service.start()

    yield start
    for service in services:
        if service.daemon:
            service.stop()


@pytest.fixture(scope="module")
def disk():
    """A folder with room for what a hundred do not take, which /tmp need not have."""
    with tempfile.TemporaryDirectory(prefix="mapdiary-", dir="/var/tmp") as folder:
        yield folder


@pytest.fixture(scope="module")
def service(start, disk):
    return start(spool_directory=disk, spool_size="4GiB", io_timeout="5m", web=Nginx)


def waiting(service):
    return service.metric("waiting_answers")


def open_fastcgi(service):
    connection = fastcgi.connect(service.socket)
    connection.sendall(REQUEST)
    return connection


def open_http(service, number):
    """Each from an address of its own, as there are limits for each."""
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.settimeout(60)
    connection.bind((f"127.0.1.{number + 1}", 0))
    connection.connect(("127.0.0.1", service.port))
    connection.sendall(f"GET /API.php?{QUERY} HTTP/1.0\r\nHost: localhost\r\n\r\n".encode())
    return connection


def rest(connection):
    answer = b""
    with contextlib.suppress(ConnectionResetError):
        pieces = []
        while piece := connection.recv(1 << 20):
            pieces.append(piece)
        answer = b"".join(pieces)
    return answer


def body_of(answer):
    return hashlib.sha256(answer.partition(b"\r\n\r\n")[2]).hexdigest()


def records_of(data):
    """The standard output in them, and whether it was ended."""
    output, at = [], 0
    while at + 8 <= len(data) and data[at] == 1:
        length = int.from_bytes(data[at + 4 : at + 6], "big")
        if data[at + 1] == fastcgi.END_REQUEST:
            return b"".join(output), True
        output.append(data[at + 8 : at + 8 + length])
        at += 8 + length + data[at + 6]
    return b"".join(output), False


@contextlib.contextmanager
def drips(connections):
    """Some hundred bytes of each every half second; yields what came of each."""
    stop, got = threading.Event(), [bytearray() for _ in connections]

    def read():
        while not stop.wait(0.5):
            for connection, data in zip(connections, got):
                with contextlib.suppress(BlockingIOError):  # a busy web server may have sent nothing new
                    data += connection.recv(300, socket.MSG_DONTWAIT)

    with until_stopped(stop, read):
        yield got


def ask(service, count=20):
    """Others, side by side, to the web server and to the service itself."""
    for _ in range(count):
        answers = at_once(*[lambda: service.fastcgi(QUERY_STRING=SHORT), lambda: service.request(query=SHORT)] * 2)
        assert {answer.info for answer in answers} == {None}


@pytest.mark.timeout(300)
@pytest.mark.parametrize("readers", MANY)
def test_many_over_fastcgi(service, readers):
    with contextlib.ExitStack() as stack:
        slow = [stack.enter_context(open_fastcgi(service)) for _ in range(readers)]
        until(lambda: waiting(service) == readers, "all wait", 120)
        with drips(slow) as got:
            time.sleep(1)
            ask(service)
            assert waiting(service) == readers
        for connection, start in zip(slow[:3], got):
            output, has_ended = records_of(bytes(start) + rest(connection))
            assert has_ended and output.count(b"<POIID>") == ROWS and output.endswith(b"</response>\n")
    until(lambda: (waiting(service), service.metric("spool_bytes")) == (0, 0), "nothing is left")


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("readers", MANY)
def test_many_behind_apache(start, disk, readers):
    service = start(spool_directory=disk, spool_size="4GiB", io_timeout="5m", web=RoomyApache)
    with contextlib.ExitStack() as stack:
        fast = open_http(service, 200)
        want = body_of(rest(fast))
        slow = [stack.enter_context(open_http(service, number)) for number in range(readers)]
        until(lambda: waiting(service) == readers, "all wait", 120)
        with drips(slow) as got:
            time.sleep(1)
            ask(service)
            assert waiting(service) == readers
        for connection, start_of in zip(slow[:3], got):
            assert body_of(bytes(start_of) + rest(connection)) == want
    until(lambda: (waiting(service), service.metric("spool_bytes")) == (0, 0), "nothing is left")


def test_who_takes_nothing_is_cut(start):
    service = start(io_timeout="2s", web=Nginx)
    with open_fastcgi(service) as connection:
        until(lambda: "whose answer was not taken in time" in service.log.read_text(), "it waits, and is cut")
        until(lambda: waiting(service) == 0, "none waits")
        output, has_ended = records_of(rest(connection))
        assert not has_ended and b"</response>" not in output


@pytest.mark.slow
def test_the_slowest_make_room(start):
    """Of as many as have no room together, those who take least."""
    service = start(spool_size="100MiB", io_timeout="60s", web=Nginx)  # none of them is late
    with contextlib.ExitStack() as stack:
        slow = [stack.enter_context(open_fastcgi(service)) for _ in range(3)]
        until(lambda: waiting(service) == 3, "they wait")
        time.sleep(1)
        # Which have room, all of them, if they are no faster than the slow ones.
        fast = [stack.enter_context(open_fastcgi(service)) for _ in range(4)]
        with in_background(*[lambda connection=connection: rest(connection) for connection in fast]) as answers:
            assert all(records_of(answer.result())[1] for answer in answers)
        more = []
        while "taken slowly, as spool_size is reached" not in service.log.read_text():
            assert len(more) < 50
            more.append(stack.enter_context(open_fastcgi(service)))
            time.sleep(0.5)
        assert not all(records_of(rest(connection))[1] for connection in slow)
        # The one for which they went may have been refused; the next has room.
        with open_fastcgi(service) as connection:
            assert records_of(rest(connection))[1]


def test_the_end_of_the_process_that_sends(start):
    """Cuts those whose answers it has, and nobody else; what they had in the spool counts no more."""
    service = start(web=Nginx)
    with open_fastcgi(service) as connection:
        until(lambda: waiting(service) == 1, "it waits")
        old = processes.waiter(service.daemon.pid)
        os.kill(old, signal.SIGKILL)
        assert not records_of(rest(connection))[1]
    until(lambda: old not in processes.children(service.daemon.pid), "its end is seen")
    until(lambda: processes.has_all_processes(service.daemon.pid, 2), "there is another")
    until(lambda: service.metric("spool_bytes") == 0, "nothing is left")
    with open_fastcgi(service) as connection:
        until(lambda: waiting(service) == 1, "it waits")
        assert records_of(rest(connection))[1]


def test_answers_are_finished_when_the_service_ends(start):
    service = start(web=Nginx)
    with open_fastcgi(service) as connection:
        until(lambda: waiting(service) == 1, "it waits")
        service.daemon.popen.send_signal(signal.SIGTERM)
        time.sleep(1)
        assert service.daemon.is_running()
        assert records_of(rest(connection))[1]
    assert service.daemon.popen.wait(60) == 0


def test_an_answer_to_a_request_that_came_last_of_all(start):
    """It had begun to come when the service was told to end."""
    service = start(web=Nginx)
    with fastcgi.connect(service.socket) as connection:
        connection.sendall(REQUEST[:-8])
        until(lambda: service.metric("waiting_connections") == 1, "it waits")
        service.daemon.popen.send_signal(signal.SIGTERM)
        time.sleep(0.5)
        connection.sendall(REQUEST[-8:])
        answer = connection.recv(8)
        time.sleep(1)
        assert service.daemon.is_running()
        assert records_of(answer + rest(connection))[1]
    assert service.daemon.popen.wait(60) == 0


@pytest.fixture
def small_disk(tmp_path):
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=4m", "none", folder]
    if not AS_ROOT or subprocess.run(mount, check=False).returncode != 0:
        pytest.skip("no file system can be mounted here")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


@pytest.mark.slow
def test_a_disk_that_is_full(start, small_disk):
    """Is an error to who reads slowly, and nothing to others."""
    service = start(spool_directory=small_disk, web=Nginx)
    with open_fastcgi(service) as connection:
        until(lambda: f"spool_directory {small_disk}: No space left" in service.log.read_text(), "the log says so")
        output, has_ended = records_of(rest(connection))
        assert not has_ended and b"</response>" not in output
    until(lambda: service.metric("spool_bytes") == 0, "nothing is left")
    ask(service, 1)
