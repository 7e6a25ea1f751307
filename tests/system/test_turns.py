"""Requests with files: few are handled at a time; the others wait for their turn without a worker, and not for ever."""

import contextlib
import fcntl
import os
import pathlib
import signal
import struct
import time

import pytest

import fastcgi
import http_client
import processes
import samples
from service import until

WORKERS = 4  # one of which handles a request with files
TURN_PATIENCE = 5  # seconds that a request waits for its turn
FILLER = "x" * 300_000
MULTIPART = "multipart/form-data; boundary=b"


def parts(**fields):
    head = '--b\r\nContent-Disposition: form-data; name="{}"\r\n\r\n{}\r\n'
    return "".join(head.format(name, value) for name, value in fields.items()).encode() + b"--b--\r\n"


def reading(album, size=100):
    """A form in parts that asks for an album."""
    return parts(func="getAlbum", albumID=album, filler=FILLER[:size])


class Sent:
    """A request that is sent, and whose answer nobody has waited for yet."""

    def __init__(self, service, stack, body, **variables):
        variables = {"REQUEST_METHOD": "POST", "CONTENT_TYPE": MULTIPART} | variables
        self.connection = stack.enter_context(fastcgi.connect(service.socket))
        self.connection.sendall(fastcgi.opening(body, variables) + fastcgi.stream(fastcgi.STDIN, body))

    def answer(self):
        return http_client.parse_cgi(fastcgi.read(self.connection))

    def is_served(self):
        return self.answer().info is None


class Upload(Sent):
    """One that takes a permit, and reads."""

    def __init__(self, service, album, stack, size=100, content_type=MULTIPART):
        super().__init__(service, stack, reading(album, size), CONTENT_TYPE=content_type)


@contextlib.contextmanager
def long_upload(service, db, connect_owner, user, album):
    """One that changes the album, and has a permit while that is locked. Yields it and what unlocks."""
    owner = connect_owner()
    owner.run("BEGIN; SELECT FROM album WHERE album_id = %s FOR UPDATE", album)
    with contextlib.ExitStack() as stack:
        stack.callback(owner.run, "ROLLBACK")
        body = parts(func="updateAlbum", albumID=album, **samples.ALBUM)
        change = Sent(service, stack, body, HTTP_COOKIE=user.cookie)
        until(db.waiting, "it waits for the lock")
        yield change, lambda: owner.run("ROLLBACK")


def turns_of(service):
    """The file of the permits."""
    for link in pathlib.Path(f"/proc/{service.daemon.pid}/fd").iterdir():
        if os.readlink(link).startswith("/memfd:turns"):
            return link
    raise FileNotFoundError("/memfd:turns")


def has_permit(pid):
    """Beside the file itself."""
    links = [os.readlink(link) for link in pathlib.Path(f"/proc/{pid}/fd").iterdir()]
    return sum(link.startswith("/memfd:turns") for link in links) == 2


class Permits:
    """All that there are, taken by this process as if it were a worker, once whoever has just answered has left its own."""

    def __init__(self, service):
        self.descriptor = os.open(turns_of(service), os.O_RDWR)
        fcntl.fcntl(self.descriptor, fcntl.F_OFD_SETLKW, struct.pack("hhqqi", fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0))

    def leave(self):
        if self.descriptor >= 0:
            os.close(self.descriptor)
        self.descriptor = -1


@contextlib.contextmanager
def taken(service):
    permits = Permits(service)
    try:
        yield permits
    finally:
        permits.leave()


def waiting(service, count):
    until(lambda: service.metric("waiting_turns") == count, f"{count} wait")


def reads(service, album):
    return service.call("getAlbum", albumID=album).info is None


def descriptors(service):
    """How many each process has, with nothing to do; of the workers in any order."""
    master = service.daemon.pid
    # Whoever has answered still has the connection for a moment; who answers this has closed it with its answer.
    until(lambda: service.metric('workers{state="idle"}') == WORKERS - 1, "all are idle but the one that tells")
    waiter = processes.waiter(master)
    count = lambda pid: len(os.listdir(f"/proc/{pid}/fd"))
    return count(master), count(waiter), sorted(count(pid) for pid in processes.workers(master))


def test_one_that_has_its_turn_is_served(start_service, album):
    service = start_service(workers=WORKERS)
    with contextlib.ExitStack() as stack:
        assert Upload(service, album, stack).is_served()
    assert service.metric("waiting_turns") == 0


@pytest.mark.locks
def test_one_holds_the_permit_until_it_is_answered(start_service, db, connect_owner, alice, album):
    service = start_service(workers=WORKERS)
    with contextlib.ExitStack() as stack:
        change, unlock = stack.enter_context(long_upload(service, db, connect_owner, alice, album))
        others = [Upload(service, album, stack) for _ in range(3)]
        waiting(service, 3)
        assert reads(service, album)
        unlock()
        assert change.is_served()
        assert all(other.is_served() for other in others)


@pytest.mark.locks
def test_the_death_of_a_worker_leaves_its_permit(start_service, db, connect_owner, alice, album):
    service = start_service(workers=WORKERS)
    with contextlib.ExitStack() as stack:
        change, _ = stack.enter_context(long_upload(service, db, connect_owner, alice, album))
        other = Upload(service, album, stack)
        waiting(service, 1)
        (holder,) = [pid for pid in processes.workers(service.daemon.pid) if has_permit(pid)]
        os.kill(holder, signal.SIGKILL)
        assert other.is_served()
        assert change.connection.recv(1) == b""


def test_without_a_turn_it_waits_without_a_worker_and_is_refused(start_service, album):
    service = start_service(workers=WORKERS)
    with contextlib.ExitStack() as stack, taken(service):
        late = Upload(service, album, stack)
        waiting(service, 1)
        until(lambda: service.metric('workers{state="idle"}') == WORKERS - 1, "all are idle but the one that tells")
        assert all(reads(service, album) for _ in range(20))
        answer = late.answer()
        assert (answer.http_status, answer.info) == (503, "SERVICE UNAVAILABLE")
        assert answer.header("Retry-After")
        waiting(service, 0)
    assert service.metric('requests_total{func="",variant="",outcome="SERVICE UNAVAILABLE"}') == 1
    assert service.metric("turns_refused_total") == 1


@pytest.mark.parametrize("size", [100, 200_000])
def test_it_is_served_when_a_permit_is_left(start_service, album, size):
    """In memory, and in the spool."""
    service = start_service(workers=1)
    with contextlib.ExitStack() as stack, taken(service) as permits:
        first = Upload(service, album, stack, size)
        waiting(service, 1)
        permits.leave()
        assert first.is_served()
        assert Upload(service, album, stack, size).is_served()
    until(lambda: service.metric("spool_bytes") == 0, "nothing is left in the spool")


@pytest.mark.parametrize("content_type, waits", [
    (MULTIPART, True),
    ("Multipart/Form-Data", True),
    ("image/jpeg", True),
    ("application/octet-stream", True),
    (http_client.FORM, False),
    ("text/plain", False),
    (None, False),
])
def test_what_waits(start_service, album, content_type, waits):
    service = start_service(workers=1)
    with contextlib.ExitStack() as stack, taken(service):
        request = Upload(service, album, stack, content_type=content_type)
        if waits:
            waiting(service, 1)
        else:
            assert request.answer().http_status != 503


def test_a_request_without_a_body_does_not_wait(start_service, album):
    service = start_service(workers=1)
    with taken(service):
        answer = service.fastcgi(QUERY_STRING=f"func=getAlbum&albumID={album}", CONTENT_TYPE="image/jpeg")
        assert answer.info is None


def test_a_hundred_wait_and_others_are_answered(start_service, album):
    service = start_service(workers=WORKERS)
    assert reads(service, album)
    before = descriptors(service)
    with contextlib.ExitStack() as stack, taken(service) as permits:
        uploads = [Upload(service, album, stack, 70_000) for _ in range(100)]
        waiting(service, 100)
        assert service.metric("spool_bytes") >= 100 * 70_000
        assert all(reads(service, album) for _ in range(50))
        permits.leave()
        assert all(upload.is_served() for upload in uploads)
    until(lambda: service.metric("spool_bytes") == 0, "nothing is left in the spool")
    until(lambda: descriptors(service) == before, "nobody has more descriptors than before")


def test_those_refused_leave_nothing(start_service, album):
    service = start_service(workers=WORKERS)
    assert reads(service, album)
    before = descriptors(service)
    with contextlib.ExitStack() as stack, taken(service):
        uploads = [Upload(service, album, stack, 70_000) for _ in range(30)]
        waiting(service, 30)
        assert all(upload.answer().http_status == 503 for upload in uploads)
    until(lambda: (descriptors(service), service.metric("spool_bytes")) == (before, 0), "nothing is left")


def test_who_has_gone_does_not_wait(start_service, album):
    service = start_service(workers=1)
    with contextlib.ExitStack() as stack, taken(service):
        stays = Upload(service, album, stack)
        with contextlib.ExitStack() as others:
            for _ in range(3):
                Upload(service, album, others)
            waiting(service, 4)
        waiting(service, 1)
        assert stays.answer().http_status == 503


def test_those_who_wait_when_the_service_ends_are_served(start_service, album):
    service = start_service(workers=WORKERS)
    with contextlib.ExitStack() as stack, taken(service) as permits:
        uploads = [Upload(service, album, stack) for _ in range(10)]
        waiting(service, 10)
        service.daemon.popen.send_signal(signal.SIGTERM)
        until(lambda: "notice: stopping" in service.log.read_text(), "it hears")
        time.sleep(0.5)
        assert service.daemon.is_running()
        permits.leave()
        assert all(upload.is_served() for upload in uploads)
    assert service.daemon.popen.wait(30) == 0


@pytest.mark.parametrize("is_left", [True, False])
def test_one_that_is_whole_only_when_the_service_ends(start_service, album, is_left):
    """No worker can pass it on any more; none is left to wait for ever."""
    service = start_service(workers=1)
    body = reading(album)
    with fastcgi.connect(service.socket) as connection, taken(service) as permits:
        variables = {"REQUEST_METHOD": "POST", "CONTENT_TYPE": MULTIPART}
        connection.sendall(fastcgi.opening(body, variables))
        until(lambda: service.metric("waiting_connections") == 1, "it waits")
        service.daemon.popen.send_signal(signal.SIGTERM)
        time.sleep(0.5)
        connection.sendall(fastcgi.stream(fastcgi.STDIN, body))
        time.sleep(0.5)
        if is_left:
            permits.leave()
        answer = http_client.parse_cgi(fastcgi.read(connection))
        assert (answer.http_status != 503) == is_left
    assert service.daemon.popen.wait(30) == 0


def test_those_who_wait_at_a_reload_are_served(start_service, album):
    service = start_service(workers=2)

    def serve_at_a_reload():
        with contextlib.ExitStack() as stack, taken(service) as permits:
            began = time.monotonic()
            uploads = [Upload(service, album, stack) for _ in range(10)]
            waiting(service, 10)
            old = set(processes.workers(service.daemon.pid))
            service.daemon.popen.send_signal(signal.SIGHUP)
            until(lambda: not old & set(processes.workers(service.daemon.pid)), "all workers are others")
            permits.leave()
            served = [upload.is_served() for upload in uploads]
        # On a slow machine the reload may take longer than they wait.
        return served if all(served) or time.monotonic() - began < TURN_PATIENCE else None

    assert all(until(serve_at_a_reload, "a reload while they wait"))


def test_the_end_of_the_waiter_leaves_its_permits(start_service, album):
    service = start_service(workers=1)
    with contextlib.ExitStack() as stack:
        with taken(service):
            lost = Upload(service, album, stack)
            waiting(service, 1)
            old = processes.waiter(service.daemon.pid)
            os.kill(old, signal.SIGKILL)
            assert lost.connection.recv(1) == b""
            until(lambda: old not in processes.children(service.daemon.pid), "its end is seen")
            until(lambda: processes.has_all_processes(service.daemon.pid, 1), "there is another")
        assert Upload(service, album, stack).is_served()
