"""The workers: replaced, recycled, cut, killed, drained, reloaded."""

import collections
import contextlib
import os
import signal
import socket
import threading
import time

import pytest

import fastcgi
import http_client
import processes
from samples import ALBUM, BLOG
from service import LISTEN, at_once, in_background, until


def workers(service):
    return set(processes.workers(service.daemon.pid))


def is_running(pid):
    """A zombie that nobody has waited for yet is not."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as stat:
            return stat.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def replaced(service, old):
    """Waits until none of the old workers is left and as many new ones answer; returns them."""
    def done():
        now = workers(service)
        return now if len(now) >= len(old) and not now & old else None

    return until(done, "workers are replaced")


def reads(service, album):
    return service.call("getAlbum", albumID=album).info is None


@pytest.fixture
def locked(connect_owner, album):
    """A context in which whoever changes the album waits."""
    @contextlib.contextmanager
    def lock():
        owner = connect_owner()
        owner.run("BEGIN; SELECT FROM album WHERE number = %s FOR UPDATE", album)
        try:
            yield
        finally:
            owner.run("ROLLBACK")

    return lock


@pytest.fixture
def change(alice, album):
    """What waits then."""
    return lambda service: service.call("updateAlbum", user=alice, albumID=album, **ALBUM)


def test_workers_do_not_push_others_off_the_processor(start_service):
    service = start_service(workers=2)
    children = until(lambda: len(all := processes.children(service.daemon.pid)) == 5 and all, "all are there")
    until(lambda: {os.sched_getscheduler(pid) for pid in children} == {os.SCHED_BATCH}, "they are under SCHED_BATCH")


# Dying


def test_killed_worker_is_replaced(start_service, album):
    service = start_service(workers=3)
    until(lambda: len(workers(service)) == 3, "three workers")
    for _ in range(6):
        assert reads(service, album)
    before = workers(service)
    os.kill(min(before), signal.SIGKILL)
    until(lambda: len(workers(service)) == 3 and workers(service) != before, "a new worker")
    assert reads(service, album)
    assert "was ended by signal 9" in service.log.read_text()


def test_workers_that_never_serve_are_not_restarted_in_a_spin(start_service):
    service = start_service(workers=1)
    seen = set()
    end = time.monotonic() + 2
    while time.monotonic() < end or len(seen) < 2:
        for pid in workers(service):
            seen.add(pid)
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.005)
    # After 0, 100, 200, 400, 800 ms, and some more for a slow machine; without back-off it is hundreds.
    assert 2 <= len(seen) <= 7
    until(lambda: service.fastcgi(SCRIPT_NAME="/healthz").http_status == 200, "it serves when left alone")


def test_the_end_of_the_master_ends_the_workers(start_service, album):
    service = start_service(workers=2)
    assert reads(service, album)
    left = workers(service)
    service.daemon.popen.kill()
    service.daemon.popen.wait()
    until(lambda: not any(map(is_running, left)), "workers end")
    service.daemon = None


def long_blog(db, author):
    """Of half a MiB in the answer, more than a socket takes that nobody reads."""
    return db.insert("blog", owner_id=author.id, slot=22, lat=0, lng=0, title="t", content="&" * 99999,
                     post_date="2020-01-01", public_day="2020-01-01", weather="有彩虹")


def ask_and_do_not_read(stack, service, form):
    connection = stack.enter_context(fastcgi.connect(service.socket))
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
    headers = {"REQUEST_METHOD": "POST", "CONTENT_TYPE": "application/x-www-form-urlencoded"}
    connection.sendall(fastcgi.opening(form, headers) + fastcgi.stream(fastcgi.STDIN, form))


@pytest.mark.slow
@pytest.mark.skipif(LISTEN != "unix", reason="TCP takes the whole answer into its buffers")
def test_the_end_of_the_master_ends_all_though_an_answer_is_not_read(start_service, db, alice):
    service = start_service(workers=2, io_timeout="10s")  # until which the answer waits, however slow the machine is
    form = b"func=getBlog&blogID=%d" % long_blog(db, alice)
    left = processes.children(service.daemon.pid)
    with contextlib.ExitStack() as stack:
        ask_and_do_not_read(stack, service, form)
        until(lambda: service.metric("waiting_answers") == 1, "one waits to be read")
        service.daemon.popen.kill()
        service.daemon.popen.wait()
        until(lambda: not any(map(is_running, left)), "all end")
    service.daemon = None


# Wearing out


def test_max_requests(start_service, album):
    service = start_service(workers=2, max_requests=10)
    first = workers(service)
    for _ in range(60):
        assert reads(service, album)
    # Which of them takes a request is the kernel's choice, and who has taken its last is there for a moment.
    until(lambda: reads(service, album) and not workers(service) & first, "the first ones are gone")
    until(lambda: service.metric('worker_restarts_total{reason="recycled"}') >= 5, "they are counted")
    assert "ended with" not in service.log.read_text()


# Taking too long


def test_request_timeout_cancels_in_postgresql(start_service, postgres, locked, change, db):
    service = start_service(workers=1, request_timeout="1s")
    with locked(), db.unchanged():
        answer = change(service)
        assert (answer.http_status, answer.info) == (503, "SERVICE UNAVAILABLE")
        assert answer.header("Retry-After")
        until(lambda: db.waiting() == 0, "nobody waits for the lock any more")
    # PostgreSQL leaves the lock before it says so.
    until(lambda: "canceling statement due to user request" in postgres.log.read_text(), "it was told to")
    assert service.metric("database_cancels_total") == 1
    until(lambda: change(service).info is None, "it goes on, once it has connected anew")


@pytest.mark.slow
@pytest.mark.locks
def test_a_lock_that_is_held_for_long_leaves_the_workers_to_others(start_service, db, connect_owner, new_user, album):
    """An administrator's transaction on a user's row: that user's posts wait for it, and give up before it ends."""
    service, author, holder = start_service(workers=2), new_user(), connect_owner()
    holder.run("BEGIN")
    holder.run("SELECT FROM user_account WHERE user_id = %s FOR UPDATE", author.id)
    with db.unchanged(), in_background(*[lambda: service.call("postBlog", user=author, **BLOG)] * 6) as answers:
        until(lambda: db.waiting() == 2, "all workers wait")
        assert reads(service, album)
        for answer in answers:
            assert (answer.result().http_status, answer.result().info) == (503, "SERVICE UNAVAILABLE")
            assert answer.result().header("Retry-After") == "1"
    assert service.metric("database_cancels_total") == 0
    holder.run("ROLLBACK")
    service.ok("postBlog", user=author, **BLOG)


def test_statement_of_a_worker_that_died_is_cancelled_too(start_service, postgres, locked, change, db):
    service = start_service(workers=1, request_timeout="700ms")  # a second before PostgreSQL ends it, which gives up the lock after two
    with locked():
        with in_background(lambda: change(service)) as (answer,):
            until(db.waiting, "the request waits")
            os.kill(min(workers(service)), signal.SIGKILL)
            assert answer.result().http_status == 503
        until(lambda: db.waiting() == 0, "nobody waits for the lock any more")
    until(lambda: "canceling statement due to statement timeout" in postgres.log.read_text(), "its time was over")


@pytest.mark.slow
def test_stuck_worker_is_killed_and_replaced(start_service, locked, change, album, db):
    service = start_service(workers=1, request_timeout="1500ms", io_timeout="1s")
    (stuck,) = workers(service)
    with locked():
        with in_background(lambda: change(service)) as (answer,):
            until(db.waiting, "the request waits")
            os.kill(stuck, signal.SIGSTOP)
            assert answer.result().http_status == 503
    assert replaced(service, {stuck})
    assert reads(service, album)
    assert f"worker {stuck} is stuck and is killed" in service.log.read_text()


def drip(connection, data, stop):
    with contextlib.suppress(OSError):
        for byte in data:
            if stop.wait(0.05):
                return
            connection.sendall(bytes([byte]))


@pytest.mark.parametrize("start", [b"", b"\x01", fastcgi.opening(b"", {}), fastcgi.opening(b"x" * 100, {})])
def test_peer_that_stalls_is_cut(start_service, album, start):
    service = start_service(workers=1, io_timeout="2s")
    with fastcgi.connect(service.socket) as connection:
        connection.sendall(start)
        assert reads(service, album)


def test_peer_that_drips_is_cut(start_service, album):
    """A byte now and then keeps every single read short."""
    service = start_service(workers=1, io_timeout="2s")
    stop = threading.Event()
    with fastcgi.connect(service.socket) as connection:
        dripping = threading.Thread(target=drip, args=(connection, fastcgi.opening(b"", {"A": "x" * 4000}), stop))
        dripping.start()
        assert reads(service, album)
        stop.set()
        dripping.join()
    assert "is stuck" not in service.log.read_text()


def test_peer_that_does_not_read_is_cut(start_service, db, alice, album):
    service = start_service(workers=1, io_timeout="2s")
    form = b"func=getBlog&blogID=%d" % long_blog(db, alice)
    with contextlib.ExitStack() as stack:
        for _ in range(4):
            ask_and_do_not_read(stack, service, form)
        assert reads(service, album)


# Ending


def test_sigterm_lets_requests_in_flight_finish(start_service, locked, change, db):
    service = start_service(workers=2)
    with contextlib.ExitStack() as stack:
        with locked():
            (answer,) = stack.enter_context(in_background(lambda: change(service)))
            until(db.waiting, "the request waits")
            service.daemon.popen.send_signal(signal.SIGTERM)
            until(lambda: "notice: stopping" in service.log.read_text(), "it hears")
            assert service.daemon.is_running()
        assert answer.result().info is None
    assert service.daemon.popen.wait(60) == 0


def test_drain_timeout(start_service, locked, change, db):
    service = start_service(workers=2, drain_timeout="300ms")
    with locked():
        with in_background(lambda: change(service)) as (answer,):
            until(db.waiting, "the request waits")
            service.daemon.popen.send_signal(signal.SIGTERM)
            assert service.daemon.popen.wait(60) == 1
            assert answer.result().http_status == 503
    service.daemon = None


def test_connections_that_wait_when_it_ends_are_served(start_service, album, locked, change, db):
    """More requests than workers: the web server has their connections already."""
    service = start_service(workers=1)
    query = {"QUERY_STRING": f"func=getAlbum&albumID={album}"}
    request = fastcgi.opening(b"", query) + fastcgi.stream(fastcgi.STDIN, b"")
    with contextlib.ExitStack() as stack:
        with locked():
            (first,) = stack.enter_context(in_background(lambda: change(service)))
            until(db.waiting, "one request waits")
            # As a web server has them: on the socket from the moment at which it has connected.
            others = [stack.enter_context(fastcgi.connect(service.socket)) for _ in range(3)]
            for other in others:
                other.sendall(request)
            service.daemon.popen.send_signal(signal.SIGTERM)
            until(lambda: "notice: stopping" in service.log.read_text(), "it hears")
        assert first.result().info is None
        assert all(b"<status>SUCCESS</status>" in fastcgi.read(other) for other in others)


# Requests that come in parts


class Slow:
    """A request that has come but for its body."""

    def __init__(self, service, album, stack):
        self.form = f"func=getAlbum&albumID={album}".encode()
        self.connection = stack.enter_context(fastcgi.connect(service.socket))
        self.connection.sendall(fastcgi.opening(self.form, {"REQUEST_METHOD": "POST", "CONTENT_TYPE": http_client.FORM}))

    def is_answered(self):
        self.connection.sendall(fastcgi.stream(fastcgi.STDIN, self.form))
        return b"<status>SUCCESS</status>" in fastcgi.read(self.connection)


def waiting(service, count):
    until(lambda: service.metric("waiting_connections") == count, f"{count} wait")


@pytest.mark.parametrize("how", [signal.SIGHUP, signal.SIGTERM])
def test_request_that_has_begun_to_come_is_in_flight(start_service, album, how):
    service = start_service(workers=1)
    query = {"QUERY_STRING": f"func=getAlbum&albumID={album}"}
    request = fastcgi.opening(b"", query) + fastcgi.stream(fastcgi.STDIN, b"")
    with contextlib.ExitStack() as stack:
        silent = stack.enter_context(fastcgi.connect(service.socket))
        late = stack.enter_context(fastcgi.connect(service.socket))
        slow = [Slow(service, album, stack) for _ in range(3)]
        waiting(service, 5)
        began = time.monotonic()
        service.daemon.popen.send_signal(how)
        heard = "notice: stopping" if how == signal.SIGTERM else "the configuration is read"
        until(lambda: heard in service.log.read_text(), "it hears")
        with contextlib.suppress(OSError):
            late.sendall(request)
        # Who has said nothing has a second to begin, when the service ends: on a slow machine that is over.
        if how == signal.SIGHUP or time.monotonic() - began < 0.9:
            assert b"<status>SUCCESS</status>" in fastcgi.read(late)
        if how == signal.SIGTERM:
            assert silent.recv(1) == b""
        time.sleep(1.5)
        assert all(request.is_answered() for request in slow)
    if how == signal.SIGTERM:
        assert service.daemon.popen.wait(30) == 0


def test_request_that_comes_in_parts_does_not_wait_for_a_busy_worker(start_service, album, locked, change, db):
    """Whichever worker accepted it."""
    service = start_service(workers=2)
    with contextlib.ExitStack() as stack:
        slow = [Slow(service, album, stack) for _ in range(8)]
        waiting(service, 8)
        with locked():
            (answer,) = stack.enter_context(in_background(lambda: change(service)))
            until(db.waiting, "one worker waits")
            assert all(request.is_answered() for request in slow)
        assert answer.result().info is None


def test_waiter_is_replaced(start_service, album):
    service = start_service(workers=1)
    with contextlib.ExitStack() as stack:
        lost = Slow(service, album, stack)
        waiting(service, 1)
        old = processes.waiter(service.daemon.pid)
        os.kill(old, signal.SIGKILL)
        assert lost.connection.recv(1) == b""
        until(lambda: old not in processes.children(service.daemon.pid), "its end is seen")
        slow = Slow(service, album, stack)
        waiting(service, 1)
        assert slow.is_answered()
    assert service.metric('process_restarts_total{kind="waiter",reason="died"}') == 1
    assert service.metric('process_restarts_total{kind="worker",reason="died"}') == 0
    until(lambda: service.metric('processes{kind="waiter",state="idle"}') == 1, "the new one is ready")


def test_waiter_follows_the_log_level(start_service, album):
    service = start_service(workers=1, io_timeout="200ms")
    complaint = "whose request did not come in time"
    with contextlib.ExitStack() as stack:
        assert Slow(service, album, stack).connection.recv(1) == b""
        until(lambda: complaint in service.log.read_text(), "the log says so")
        old = workers(service)
        reload(service, log_level="error")
        replaced(service, old)
        assert Slow(service, album, stack).connection.recv(1) == b""
        assert service.log.read_text().count(complaint) == 1


def test_many_connections_that_wait_push_the_oldest_out(start_service, album):
    service = start_service(workers=1, io_timeout="60s")  # none of them is late
    with contextlib.ExitStack() as stack:
        slow = [Slow(service, album, stack) for _ in range(600)]
        until(lambda: "too many connections wait" in service.log.read_text(), "the log says so")
        waiting(service, 512)
        assert slow[0].connection.recv(1) == b""
        assert all(request.is_answered() for request in slow[-512:])


# Reloading


def reload(service, **settings):
    service.settings |= settings
    service.conf.write_text("".join(f"{key} = {value}\n" for key, value in service.settings.items()), encoding="utf-8")
    service.daemon.popen.send_signal(signal.SIGHUP)


def test_reload_changes_every_worker(start_service, new_user):
    service = start_service(workers=3, reward_per_blog=10)
    user, old = new_user(), workers(service)
    assert service.ok("postBlog", user=user, **BLOG)["reward"] == "10"
    reload(service, reward_per_blog=7)
    replaced(service, old)
    assert [answer["reward"] for answer in at_once(*[lambda: service.ok("postBlog", user=user, **BLOG)] * 3)] == ["7"] * 3


def test_reload_reaches_a_worker_that_is_never_idle(start_service, alice):
    """A hundred requests wait for it at any moment."""
    service = start_service(workers=1, reward_per_blog=10, reward_daily_limit=1000000)
    form = http_client.encode({"func": "postBlog"} | BLOG).encode()
    variables = {"REQUEST_METHOD": "POST", "CONTENT_TYPE": http_client.FORM, "HTTP_COOKIE": alice.cookie}
    request = fastcgi.opening(form, variables) + fastcgi.stream(fastcgi.STDIN, form)
    waiting = collections.deque()

    def ask():
        waiting.append(fastcgi.connect(service.socket))
        waiting[-1].sendall(request)

    def reward():
        ask()
        with waiting.popleft() as connection:
            return http_client.parse_cgi(fastcgi.read(connection))["reward"]

    try:
        for _ in range(100):
            ask()
        assert reward() == "10"
        reload(service, reward_per_blog=7)
        deadline = time.monotonic() + 20  # before it would be killed
        while reward() != "7":
            assert time.monotonic() < deadline
    finally:
        for connection in waiting:
            connection.close()


def test_reload_changes_how_many(start_service, album):
    service = start_service(workers=2)
    for count in 5, 1, 3:
        reload(service, workers=count)
        until(lambda count=count: len(workers(service)) == count, f"{count} workers")
        assert reads(service, album)
    until(lambda: service.metric('workers{state="missing"}') == 0, "none is missing")


@pytest.mark.parametrize("line, said", [
    ("workers = many", "workers"), ("no_such_key = 1", "no_such_key"), ("io_timeout = 5", "io_timeout"), ("nonsense", "not of the form"),
    ("timezone = CST-8", "timezone"),
])
def test_bad_configuration_is_reported_and_the_old_one_stays(start_service, album, line, said):
    service = start_service(workers=2)
    old = workers(service)
    good = service.conf.read_text(encoding="utf-8")
    service.conf.write_text(good + line + "\n", encoding="utf-8")
    service.daemon.popen.send_signal(signal.SIGHUP)
    number = len(good.splitlines()) + 1
    until(lambda: "the configuration is not changed" in service.log.read_text(), "the log says so")
    complaint = next(text for text in service.log.read_text().splitlines() if f"{service.conf}:{number}: " in text)
    assert said in complaint
    assert reads(service, album) and workers(service) == old


@pytest.mark.parametrize("settings, said", [
    ({"timezone": "Asia/Taipeh"}, 'invalid value for parameter "TimeZone": "Asia/Taipeh"'),
    ({"database": "{} dbname=mapdairy"}, 'database "mapdairy" does not exist'),
    ({"database": "host=/nonexistent dbname=mapdiary"}, "No such file or directory"),
])
def test_settings_without_a_database_do_not_replace_what_has_one(start_service, album, settings, said):
    service = start_service(workers=3)
    until(lambda: service.metric("workers_connected") == 3, "all have their database")
    old, good = workers(service), dict(service.settings)
    reload(service, **{key: value.format(good["database"]) for key, value in settings.items()})
    until(lambda: "the configuration is not changed" in service.log.read_text(), "the log says so")
    assert said in service.log.read_text() and "there would be no database" in service.log.read_text()
    assert workers(service) == old
    assert all(reads(service, album) for _ in range(20))
    service.settings.clear()
    reload(service, **good, reward_per_blog=8)
    replaced(service, old)
    assert reads(service, album)


def test_settings_without_a_database_replace_others_without_one(start_service, folder, album):
    """So that each step of mending counts."""
    service = start_service(workers=2, database="host=/nonexistent")
    old = workers(service)
    reload(service, database="host=/nonexistent/either", timezone="Asia/Taipeh")
    replaced(service, old)
    assert "the configuration is not changed" not in service.log.read_text()
