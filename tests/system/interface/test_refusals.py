"""What is refused writes nothing: a flood of refusals leaves all tables with the rows and the sizes that they had.

MAPDIARY_FAULT_SECONDS tells for how long the floods go on.
"""

import itertools
import os
import threading
import time

import pytest

import signing
from samples import OPERATIONS
from service import at_once

pytestmark = pytest.mark.usefixtures("without_autovacuum")
SECONDS = float(os.environ.get("MAPDIARY_FAULT_SECONDS", "3"))
CLIENTS = 4
LEAST = 25  # that each of them sends, on the slowest machine
NOBODY = 2**62
FREE = 10
TABLES = """SELECT relname, oid FROM pg_class WHERE relnamespace = 'mapdiary'::regnamespace AND relkind IN ('r', 'p')"""
# What only the owner does, of what the samples name.
OWNERS = ["updateAlbum", "updateBlog", "updateComment", "replyComment", "addVote", "closeVote"]
WRONG_SESSION = f"id={NOBODY}; idrand={32 * '0'}"


def tables(db):
    """Rows and bytes of each, its indexes among them."""
    return {name: db.run(f"SELECT (SELECT count(*) FROM {name}), pg_total_relation_size({oid})")[0]
            for name, oid in db.run(TABLES)}


def flood(calls):
    """All of them, over and over, by several clients at a time; how often each was answered, and with what."""
    answered, lock, end = {}, threading.Lock(), time.monotonic() + SECONDS

    def client(start):
        for number in itertools.count(start):
            name, call = calls[number % len(calls)]
            info = call().info
            with lock:
                answered.setdefault((name, info), 0)
                answered[name, info] += 1
            if time.monotonic() > end and number >= start + max(len(calls), LEAST):
                return

    at_once(*(lambda start=start: client(start) for start in range(0, CLIENTS * 7, 7)))
    return answered


def refused_of_anybody(service, application, operation, params):
    """Before it is known who asks, or because of that."""
    method = "POST" if operation.writes else None

    def call(headers=(), cookie=None, **changed):
        return service.call(headers=headers, cookie=cookie, **{"func": operation.func, "method": method} | params | changed)

    def signed(cookie=None, ts=None, **changed):
        return call(cookie=cookie, **application.sign(operation.func, **params | {"ts": ts}) | changed)

    yield "form", lambda: call(responseFormat="YAML")
    yield "signature", lambda: signed(sig=64 * "0")
    yield "key", lambda: signed(key=32 * "0")
    yield "time", lambda: signed(ts=1)
    if operation.required:
        yield "missing", lambda: service.call(operation.func, **{"delete": "true"} if operation.delete else {})
        yield "invalid", lambda: call(**{operation.required[0]: ""})
    if operation.writes:
        yield "method", lambda: call(method="GET")
        yield "another site", lambda: call(headers=[("Sec-Fetch-Site", "cross-site")])
    if operation.login:
        yield "no session", call
        yield "a wrong session", lambda: call(cookie=WRONG_SESSION)
        yield "a wrong session, signed", lambda: signed(cookie=WRONG_SESSION)
        yield "with a key", lambda: call(cookie=WRONG_SESSION, headers=[("Idempotency-Key", "a")])


def refused_of_a_user(service, user, operation, params):
    for name, value in params.items():
        if name.endswith("ID") and name != "replyBlogID":
            yield "nothing there", lambda name=name: service.call(operation.func, user=user, **params | {name: NOBODY})
            if operation.func in OWNERS:
                yield "another's", lambda: service.call(operation.func, user=user, **params)


@pytest.mark.few(1)
@pytest.mark.parametrize("who", ["anybody", "a user"])
def test_a_flood_of_refusals(start_service, service, db, things, new_user, who):
    service = start_service(workers=4, master_key_file=service.settings["master_key_file"])
    application, stranger, calls = signing.new_application(service, db), new_user(), []
    for row, operation in OPERATIONS.items():
        params = operation.filled(things)
        refused = (refused_of_anybody(service, application, operation, params) if who == "anybody"
                   else refused_of_a_user(service, stranger, operation, params))
        calls += [(f"{row}: {name}", call) for name, call in refused]
    before = tables(db)
    answered = flood(calls)
    assert tables(db) == before
    assert {name for name, _ in answered} == {name for name, _ in calls}
    assert [name for name, info in answered if info is None] == []


def test_a_flood_of_logins_that_must_wait(start_service, db):
    """Of other accounts each time, while the address waits."""
    service = start_service(workers=4, login_failures_per_address=FREE)
    numbers = itertools.count()
    db.run("DELETE FROM login_throttle")

    def log_in():
        return service.call("login", email=f"nobody{next(numbers)}@example.org", password="wrong")

    for _ in range(FREE):
        assert log_in().info == "PASSWORD INCORRECT"
    db.run("UPDATE login_throttle SET failures = failures + 30")
    with db.unwritten():
        before = tables(db)
        answered = flood([("login", log_in)])
        assert tables(db) == before
    assert set(answered) == {("login", "TOO MANY ATTEMPTS")}


def test_a_flood_of_wrong_logins_leaves_what_was_counted(start_service, db):
    service = start_service(workers=4, login_failures_per_account=FREE, login_failures_per_address=FREE)
    db.run("DELETE FROM login_throttle")
    numbers = itertools.count()
    answered = flood([("login", lambda: service.call("login", email=f"n{next(numbers)}@example.org", password="x"))])
    counted = answered["login", "PASSWORD INCORRECT"]
    assert counted < FREE + 10 < sum(answered.values())
    assert db.value("SELECT count(*) FROM login_throttle") == 1 + 2 * counted
