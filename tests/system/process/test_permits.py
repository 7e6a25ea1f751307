"""Requests wait for a permit of their class without a worker, and not for ever."""

import contextlib
import os
import select
import signal

import pytest

import fastcgi
import http_client
import processes
import samples
import signing
from service import until

WORKERS = 4  # one of which handles a request with files
LONG = "60s"  # so that a request that is held outlasts the patience of those that wait
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
    """A request that takes a permit for files, and reads."""

    def __init__(self, service, album, stack, size=100, content_type=MULTIPART):
        super().__init__(service, stack, reading(album, size), CONTENT_TYPE=content_type)


def change(service, stack, user, album, **variables):
    return Sent(service, stack, parts(func="updateAlbum", albumID=album, **samples.ALBUM), HTTP_COOKIE=user.cookie, **variables)


class Locked:
    """What the owner of the database has locked, until it leaves. Servers that wait for the lock can be stopped, so that
    lock_timeout does not end their wait."""

    def __init__(self, owner):
        self.owner = owner
        self.stopped = []
        self.is_held = True

    def stop(self, pids):
        self.stopped = pids
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)

    def leave(self):
        if self.is_held:
            self.owner.run("ROLLBACK")
        for pid in self.stopped:
            os.kill(pid, signal.SIGCONT)
        self.stopped = []
        self.is_held = False


@contextlib.contextmanager
def locked(connect_owner, statement, *values):
    lock = Locked(connect_owner())
    lock.owner.run("BEGIN; " + statement, *values)
    try:
        yield lock
    finally:
        lock.leave()


@contextlib.contextmanager
def album_locked(connect_owner, album):
    with locked(connect_owner, "SELECT FROM album WHERE number = %s FOR UPDATE", album) as lock:
        yield lock


def servers_that_wait(db):
    return db.column(
        "SELECT DISTINCT pid FROM pg_locks JOIN pg_stat_activity USING (pid)"
        " WHERE NOT granted AND usename = 'mapdiary' AND application_name <> 'mapdiary-indexer'")


@pytest.fixture
def taken(db, connect_owner, alice, album):
    """Holds the one permit for files: by a change of an album that is locked. Yields what unlocks, and the change."""
    @contextlib.contextmanager
    def hold(service):
        with album_locked(connect_owner, album) as lock, contextlib.ExitStack() as stack:
            lock.change = change(service, stack, alice, album)
            until(db.waiting, "the change waits for the lock")
            lock.stop(servers_that_wait(db))
            yield lock
            lock.leave()
    return hold


def permits(service, of, work_class="file"):
    return service.metric(f'permits_{of}{{class="{work_class}"}}')


def waiting(service, count, work_class="file"):
    until(lambda: permits(service, "waiting", work_class) == count, f"{count} wait")


def reads(service, album):
    return service.call("getAlbum", albumID=album).info is None


def descriptors(service):
    """How many each process has, with nothing to do; of the workers in any order."""
    master = service.daemon.pid
    # A worker that has answered still has the connection for a moment; the one that answers this has closed it with its answer.
    until(lambda: service.metric('workers{state="idle"}') == WORKERS - 1, "all are idle but the one that tells")
    waiter = processes.waiter(master)
    count = lambda pid: len(os.listdir(f"/proc/{pid}/fd"))
    return count(master), count(waiter), sorted(count(pid) for pid in processes.workers(master))


def test_with_a_permit_it_is_served(start_service, album):
    service = start_service(workers=WORKERS, request_timeout=LONG)
    with contextlib.ExitStack() as stack:
        assert Upload(service, album, stack).is_served()
    # A worker gives its permit back behind the answer.
    until(lambda: permits(service, "waiting") == permits(service, "held") == 0, "the permit is free again")
    assert service.metric('work_seconds_total{class="file"}') > 0


@pytest.mark.locks
def test_one_holds_the_permit_until_it_is_answered(start_service, taken, album):
    service = start_service(workers=WORKERS, request_timeout=LONG)
    with contextlib.ExitStack() as stack, taken(service) as lock:
        others = [Upload(service, album, stack) for _ in range(3)]
        waiting(service, 3)
        assert permits(service, "held") == 1
        assert reads(service, album)
        lock.leave()
        assert lock.change.is_served()
        assert all(other.is_served() for other in others)


def kill_worker_of(service, request):
    """Kills one worker after the other, until the request's connection has ended."""
    for worker in processes.workers(service.daemon.pid):
        os.kill(worker, signal.SIGKILL)
        until(lambda: worker not in processes.children(service.daemon.pid), "its end is seen")
        if select.select([request.connection], [], [], 0)[0]:
            break
    assert request.connection.recv(1) == b""


@pytest.mark.locks
def test_the_death_of_a_worker_gives_its_permit_back(start_service, taken, album):
    service = start_service(workers=WORKERS, request_timeout=LONG)
    with contextlib.ExitStack() as stack, taken(service) as lock:
        other = Upload(service, album, stack)
        waiting(service, 1)
        kill_worker_of(service, lock.change)
        assert other.is_served()


@pytest.mark.locks
def test_without_a_permit_it_waits_without_a_worker_and_is_refused(start_service, taken, album):
    service = start_service(workers=WORKERS, request_timeout=LONG)
    with contextlib.ExitStack() as stack, taken(service):
        late = Upload(service, album, stack)
        waiting(service, 1)
        until(lambda: service.metric('workers{state="idle"}') == WORKERS - 2, "the others are idle")
        assert all(reads(service, album) for _ in range(20))
        answer = late.answer()
        assert (answer.http_status, answer.info) == (503, "SERVICE UNAVAILABLE")
        assert answer.header("Retry-After")
        waiting(service, 0)
    assert service.metric('requests_total{func="",variant="",outcome="SERVICE UNAVAILABLE"}') == 1
    assert permits(service, "refused_total") == 1


@pytest.mark.locks
@pytest.mark.parametrize("size", [100, 200_000])
def test_it_is_served_when_a_permit_is_given_back(start_service, taken, album, size):
    """In memory, and in the spool."""
    service = start_service(workers=WORKERS, request_timeout=LONG)
    with contextlib.ExitStack() as stack, taken(service) as lock:
        first = Upload(service, album, stack, size)
        waiting(service, 1)
        lock.leave()
        assert first.is_served()
        assert Upload(service, album, stack, size).is_served()
    until(lambda: service.metric("spool_bytes") == 0, "nothing is left in the spool")


@pytest.mark.locks
@pytest.mark.parametrize("content_type, waits", [
    (MULTIPART, True),
    ("Multipart/Form-Data", True),
    ("image/jpeg", True),
    ("application/octet-stream", True),
    (http_client.FORM, False),
    ("text/plain", False),
    (None, False),
])
def test_media_types_with_files_wait(start_service, taken, album, content_type, waits):
    service = start_service(workers=WORKERS, request_timeout=LONG)
    with contextlib.ExitStack() as stack, taken(service):
        request = Upload(service, album, stack, content_type=content_type)
        if waits:
            waiting(service, 1)
        else:
            assert request.answer().http_status != 503


@pytest.mark.locks
def test_a_request_without_a_body_does_not_wait(start_service, taken, album):
    service = start_service(workers=WORKERS, request_timeout=LONG)
    with taken(service):
        answer = service.fastcgi(QUERY_STRING=f"func=getAlbum&albumID={album}", CONTENT_TYPE="image/jpeg")
        assert answer.info is None


@pytest.mark.locks
def test_a_hundred_wait_and_others_are_answered(start_service, taken, album):
    service = start_service(workers=WORKERS, request_timeout=LONG)
    assert reads(service, album)
    before = descriptors(service)
    with contextlib.ExitStack() as stack, taken(service) as lock:
        uploads = [Upload(service, album, stack, 70_000) for _ in range(100)]
        waiting(service, 100)
        assert service.metric("spool_bytes") >= 100 * 70_000
        assert all(reads(service, album) for _ in range(50))
        lock.leave()
        assert all(upload.is_served() for upload in uploads)
    until(lambda: service.metric("spool_bytes") == 0, "nothing is left in the spool")
    until(lambda: descriptors(service) == before, "no process has more descriptors than before")


@pytest.mark.slow
@pytest.mark.locks
def test_refused_requests_leave_nothing(start_service, taken, album):
    service = start_service(workers=WORKERS, request_timeout=LONG)
    assert reads(service, album)
    before = descriptors(service)
    with contextlib.ExitStack() as stack, taken(service):
        uploads = [Upload(service, album, stack, 70_000) for _ in range(30)]
        waiting(service, 30)
        assert all(upload.answer().http_status == 503 for upload in uploads)
    until(lambda: (descriptors(service), service.metric("spool_bytes")) == (before, 0), "nothing is left")


@pytest.mark.slow
@pytest.mark.locks
def test_a_closed_connection_does_not_wait(start_service, taken, album):
    service = start_service(workers=WORKERS, request_timeout=LONG)
    with contextlib.ExitStack() as stack, taken(service):
        stays = Upload(service, album, stack)
        with contextlib.ExitStack() as others:
            for _ in range(3):
                Upload(service, album, others)
            waiting(service, 4)
        waiting(service, 1)
        assert stays.answer().http_status == 503


@pytest.mark.locks
def test_requests_that_wait_when_the_service_ends_are_served(start_service, taken, album):
    service = start_service(workers=WORKERS, request_timeout=LONG)
    with contextlib.ExitStack() as stack, taken(service) as lock:
        uploads = [Upload(service, album, stack) for _ in range(10)]
        waiting(service, 10)
        service.daemon.popen.send_signal(signal.SIGTERM)
        until(lambda: "notice: stopping" in service.log.read_text(), "it hears")
        lock.leave()
        assert all(upload.is_served() for upload in uploads)
    assert service.daemon.popen.wait(30) == 0


@pytest.mark.locks
def test_a_request_that_is_whole_only_when_the_service_ends(start_service, taken, album):
    """No worker can pass it on any more, so it is served without a permit."""
    service = start_service(workers=WORKERS, request_timeout=LONG)
    body = reading(album)
    with fastcgi.connect(service.socket) as connection, taken(service):
        variables = {"REQUEST_METHOD": "POST", "CONTENT_TYPE": MULTIPART}
        connection.sendall(fastcgi.opening(body, variables))
        until(lambda: service.metric("waiting_connections") == 1, "it waits")
        counts = {pid: len(os.listdir(f"/proc/{pid}/fd")) for pid in processes.workers(service.daemon.pid)}
        service.daemon.popen.send_signal(signal.SIGTERM)
        until(lambda: sum(len(os.listdir(f"/proc/{pid}/fd")) < count for pid, count in counts.items()) == WORKERS - 1,
              "all workers but the busy one have closed the channel to the waiter")
        connection.sendall(fastcgi.stream(fastcgi.STDIN, body))
        assert http_client.parse_cgi(fastcgi.read(connection)).info is None
    assert service.daemon.popen.wait(30) == 0


@pytest.mark.locks
def test_requests_that_wait_at_a_reload_are_served(start_service, taken, album):
    service = start_service(workers=WORKERS, request_timeout=LONG)
    with contextlib.ExitStack() as stack, taken(service) as lock:
        uploads = [Upload(service, album, stack) for _ in range(10)]
        waiting(service, 10)
        old = set(processes.workers(service.daemon.pid))
        service.daemon.popen.send_signal(signal.SIGHUP)
        until(lambda: service.metric('reloads_total{outcome="applied"}') == 1, "the configuration is read")
        lock.leave()
        assert lock.change.is_served()
        assert all(upload.is_served() for upload in uploads)
        until(lambda: not old & set(processes.workers(service.daemon.pid)), "all workers are others")


@pytest.mark.locks
def test_the_end_of_the_waiter_leaves_its_permits(start_service, taken, album):
    service = start_service(workers=WORKERS, request_timeout=LONG)
    with contextlib.ExitStack() as stack:
        with taken(service):
            lost = Upload(service, album, stack)
            waiting(service, 1)
            old = processes.waiter(service.daemon.pid)
            os.kill(old, signal.SIGKILL)
            assert lost.connection.recv(1) == b""
            until(lambda: old not in processes.children(service.daemon.pid), "its end is seen")
            until(lambda: processes.has_all_processes(service.daemon.pid, WORKERS), "there is another")
        assert Upload(service, album, stack).is_served()


@pytest.mark.locks
def test_lists_take_half_of_the_workers(start_service, connect_owner, album):
    """Whoever sends them. The others answer reads of one piece, and writes."""
    service = start_service(workers=8, request_timeout=LONG)
    with contextlib.ExitStack() as stack, locked(connect_owner, "LOCK TABLE poi") as lock:
        lists = [
            Sent(service, stack, b"", REQUEST_METHOD="GET", CONTENT_TYPE="", QUERY_STRING="func=getCategoryPOIList&category=3&limit=1",
                 REMOTE_ADDR=f"192.0.2.{number % 2}")
            for number in range(20)
        ]
        waiting(service, 16, "dear")
        assert permits(service, "held", "dear") == 4
        assert all(reads(service, album) for _ in range(20))
        lock.leave()
        assert all(one.is_served() for one in lists)
    assert permits(service, "refused_total", "dear") == 0


@pytest.mark.locks
def test_a_long_answer_waits_and_a_short_one_does_not(start_service, service, db, connect_owner, new_user):
    """Where the answer was long before. A signed request is claimed once although it begins anew when it has its permit."""
    application = signing.new_application(service, db)
    service = start_service(workers=WORKERS, request_timeout=LONG, master_key_file=service.settings["master_key_file"])
    few, many = new_user("few"), new_user("many")
    for user, count in (few, 10), (many, 1200):
        db.run("INSERT INTO album (owner_id, title, slot, lat, lng) SELECT %s, repeat('t', 50), 2, 0, 0 FROM generate_series(1, %s)",
               user.id, count)

    def ask(stack, query):
        return Sent(service, stack, b"", REQUEST_METHOD="GET", CONTENT_TYPE="", QUERY_STRING=query)

    assert service.call("getUserAlbumList", userID=many.id).info is None
    with contextlib.ExitStack() as stack, locked(connect_owner, "LOCK TABLE poi") as lock:
        for _ in range(WORKERS // 2):
            ask(stack, "func=getCategoryPOIList&category=3&limit=1")
        until(lambda: permits(service, "held", "dear") == WORKERS // 2, "all permits are held")
        long = [ask(stack, f"func=getUserAlbumList&userID={many.id}"),
                ask(stack, http_client.encode(application.sign("getUserAlbumList", userID=many.id)))]
        waiting(service, 2, "dear")
        assert service.call("getUserAlbumList", userID=few.id).info is None
        lock.leave()
        answers = [one.answer() for one in long]
    assert all(answer.info is None and answer.body.count(b"<albumID>") == 1200 for answer in answers)


@pytest.mark.locks
def test_an_account_takes_half_of_the_workers_for_its_writes(start_service, connect_owner, alice, bob, album):
    service = start_service(workers=8, request_timeout=LONG)
    service.ok("getMe", user=alice)  # which proves her session
    with contextlib.ExitStack() as stack, album_locked(connect_owner, album) as lock:
        form = http_client.encode({"func": "updateAlbum", "albumID": album, **samples.ALBUM}).encode()
        changes = [Sent(service, stack, form, HTTP_COOKIE=alice.cookie, CONTENT_TYPE=http_client.FORM) for _ in range(10)]
        waiting(service, 6, "write")
        assert permits(service, "held", "write") == 4
        assert service.call("postBlog", user=bob, **samples.BLOG).info is None
        lock.leave()
        assert all(one.is_served() for one in changes)


@pytest.mark.locks
def test_the_next_permit_is_for_another_network(start_service, db, connect_owner, album):
    """The lists of one network hold all permits and wait; one of those that hold them never ends."""
    service = start_service(workers=WORKERS, request_timeout=LONG)
    query = "func=getCategoryPOIList&category=3&limit=1"

    def ask(stack, address):
        return Sent(service, stack, b"", REQUEST_METHOD="GET", CONTENT_TYPE="", QUERY_STRING=query, REMOTE_ADDR=address)

    with contextlib.ExitStack() as stack, locked(connect_owner, "LOCK TABLE poi") as lock:
        for _ in range(12):
            ask(stack, "192.0.2.1")
        waiting(service, 10, "dear")
        other = ask(stack, "198.51.100.1")
        waiting(service, 11, "dear")
        until(lambda: db.waiting() == 2, "both wait for the lock")
        lock.stop(servers_that_wait(db)[:1])
        lock.owner.run("ROLLBACK")
        assert other.is_served()
    lines = [line for line in service.log.read_text().splitlines() if "func=getCategoryPOIList" in line]
    assert ["address=198.51.100.1" in line for line in lines[:2]] == [False, True]
