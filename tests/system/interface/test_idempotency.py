"""Writes that are safe to send again: the header Idempotency-Key."""

import json
import random
import time

import pytest

import signing
from http_client import encode
from samples import ALBUM, BLOG, OPERATIONS
from service import Service, at_once, in_background, until

NOWHERE = 2**62  # an identifier that nothing has
HEADER = "Idempotency-Key"


@pytest.fixture(scope="module")
def application(service, db):
    return signing.new_application(service, db)


@pytest.fixture
def key():
    """One that no other test sends."""
    return f"k{time.monotonic_ns()}-{random.getrandbits(32):x}"


def send(service, key, /, user=None, cookie=None, func="postBlog", **params):
    params = params or (BLOG if func == "postBlog" else {})
    headers = [(HEADER, key)] if isinstance(key, str) else [(HEADER, value) for value in key or ()]
    return service.call(func, user=user, cookie=cookie, headers=headers, method="POST", **params)


@pytest.fixture
def blogs(db, alice):
    """How many blogs Alice has, and how many credits."""
    return lambda: (db.value("SELECT count(*) FROM blog WHERE owner_id = %s", alice.id),
                    db.value("SELECT count(*) FROM ledger WHERE user_id = %s", alice.id))


@pytest.fixture
def cookie(alice, new_session):
    """The cookies of a further session of Alice's."""
    return f"id={alice.id}; idrand={new_session(alice)}"


def said(answer):
    """What a JSON answer says."""
    assert answer.header("Content-Type") == "application/json"
    return json.loads(answer.body)


# The first answer again.


def test_the_same_request_gets_its_answer_again(service, alice, cookie, blogs, key):
    before = blogs()
    first = send(service, key, user=alice)
    assert first.names == ["blogID", "reward"]
    after = blogs()
    assert after[0] == before[0] + 1
    for again in send(service, key, user=alice), send(service, key, cookie=cookie), send(service, key, user=alice):
        assert (again.body, again.http_status, again.header("Cache-Control")) == (first.body, 200, "no-store")
    assert blogs() == after


def test_where_the_parameters_stand_makes_no_difference(service, alice, blogs, key):
    params = list(({"func": "postBlog"} | BLOG).items())
    before = blogs()[0]
    answers = {
        service.request("POST", query=encode(params[:split]), body=encode(params[split:][::-1]),
                        headers=[("Cookie", alice.cookie), (HEADER, key)]).body
        for split in (0, 1, 4, len(params) - 1)
    }
    assert len(answers) == 1 and blogs()[0] == before + 1


def test_another_key_or_none_is_a_further_write(service, alice, blogs, key):
    before = blogs()[0]
    for name in key, key.upper() + "x", key + "x", "x" + key, None, None:
        assert send(service, name, user=alice).info is None
    assert blogs()[0] == before + 6


@pytest.mark.parametrize("row", [row for row, operation in OPERATIONS.items() if operation.writes and row != "login"])
def test_every_write_of_a_session(service, db, alice, cookie, things, key, row):
    func, params = OPERATIONS[row].func, OPERATIONS[row].filled(things)
    first = send(service, key, cookie=cookie, func=func, **params)
    assert first.info is None
    with db.unchanged():
        assert send(service, key, cookie=cookie, func=func, **params).body == first.body


@pytest.mark.parametrize("change", [
    {"blogTitle": "other"}, {"extra": ""}, {"lat": BLOG["lat"] + "0"}, {"func": "addAlbum"}, {"func": "updateBlog", "blogID": 1},
])
def test_another_request_with_the_same_key(service, db, alice, cookie, key, change):
    first = send(service, key, user=alice)
    with db.unchanged():
        for options in {"user": alice}, {"cookie": cookie}:
            assert send(service, key, **options, **({"func": "postBlog"} | BLOG | ALBUM | change)).info == "REQUEST REPLAYED"
    assert send(service, key, user=alice, **BLOG).body == first.body


def test_users_have_keys_of_their_own(service, alice, bob, key):
    answers = [send(service, key, user=user) for user in (alice, bob, alice, bob)]
    assert {answer.info for answer in answers} == {None}
    assert answers[0].body == answers[2].body != answers[1].body == answers[3].body


def test_a_session_that_is_none_gets_nothing(service, db, alice, cookie, key):
    first = send(service, key, user=alice)
    service.ok("logout", cookie=cookie)
    with db.unchanged():
        for other in cookie, f"id={alice.id}; idrand={'0' * 32}", f"id={alice.id}", None:
            assert send(service, key, cookie=other).info == "LOGIN REQUIRED"
    assert send(service, key, user=alice).body == first.body


# In the format that is asked for now.


@pytest.mark.parametrize("format", ["XML", "JSON"])
def test_formats(service, alice, key, format):
    asked = {"responseFormat": format}
    first = send(service, key, user=alice, **BLOG | asked)
    xml, other_xml = send(service, key, user=alice), send(service, key, user=alice, **BLOG | {"responseFormat": "XML"})
    objects = send(service, key, user=alice, **BLOG | {"responseFormat": "JSON"})
    again = send(service, key, user=alice, **BLOG | asked)
    assert xml.body == other_xml.body and again.body == first.body in (xml.body, objects.body)
    assert said(objects) == {"status": "SUCCESS", "blogID": int(xml["blogID"]), "reward": int(xml["reward"])}


def test_formats_of_what_failed(service, alice, key):
    params = {"func": "updateBlog", "blogID": NOWHERE, "delete": "true"}
    objects = send(service, key, user=alice, **params, responseFormat="JSON")
    assert said(objects) == {"status": "FAILED", "info": "BLOG NOT FOUND"}
    assert send(service, key, user=alice, **params).info == "BLOG NOT FOUND"
    assert send(service, key, user=alice, **params, responseFormat="JSON").body == objects.body


def test_what_was_signed_for_json_is_repeated_as_json(service, application, alice):
    for params in {"func": "addAlbum", **ALBUM}, {"func": "updateAlbum", "albumID": NOWHERE, "delete": "true"}:
        signed = application.sign(**params, responseFormat="JSON", nonce=time.monotonic_ns())
        first = service.call(**signed, user=alice)
        again = service.call(**signed, user=alice)
        assert said(first) == said(again) and first.body == again.body


# What is remembered, and what frees the key.


def test_what_an_operation_answered_is_remembered(service, alice, bob, album, blog, key):
    foreign = {"func": "updateAlbum", "albumID": album, "delete": "true"}
    assert send(service, key, user=bob, **foreign).info == "NOT OWNER"
    service.ok("updateAlbum", user=alice, albumID=album, delete="true")
    assert send(service, key, user=bob, **foreign).info == "NOT OWNER"
    assert service.call(**foreign, user=bob).info == "ALBUM NOT FOUND"
    assert send(service, key + "b", user=bob, **foreign).info == "ALBUM NOT FOUND"
    assert send(service, key + "b", user=bob, func="postBlog", **BLOG).info == "REQUEST REPLAYED"


@pytest.mark.parametrize("wrong, info", [
    ({"category": 17}, "INVALID PARAMETER: category"), ({"albumTitle": ""}, "INVALID PARAMETER: albumTitle"),
    ({"responseFormat": "YAML"}, "INVALID PARAMETER: responseFormat"), ({"func": "addAlbums"}, "UNKNOWN FUNC"),
])
def test_refused_and_then_corrected(service, db, alice, key, wrong, info):
    params = {"func": "addAlbum"} | ALBUM
    db.run("DELETE FROM claimed_write WHERE expires_at < now()")  # which any write may do
    records = db.value("SELECT count(*) FROM claimed_write")
    for _ in range(2):
        assert send(service, key, user=alice, **params | wrong).info == info
    assert db.value("SELECT count(*) FROM claimed_write") == records
    assert send(service, key, user=alice, **params).info is None
    assert send(service, key, user=alice, **params | wrong).info == info


def test_refused_for_want_of_a_session(service, alice, new_session, key):
    cookie = f"id={alice.id}; idrand={'0' * 32}"
    assert send(service, key, cookie=cookie).info == "LOGIN REQUIRED"
    assert send(service, key, user=alice).info is None


def test_another_http_status_frees_the_key(service, alice, connect_owner, blogs, key):
    before = blogs()[0]
    owner = connect_owner()
    owner.run("ALTER TABLE blog ADD CONSTRAINT none CHECK (number < 0) NOT VALID")
    try:
        assert send(service, key, user=alice).http_status == 500
    finally:
        owner.run("ALTER TABLE blog DROP CONSTRAINT none")
    assert service.call("postBlog", user=alice, method="GET", headers=[(HEADER, key)], **BLOG).http_status == 405
    assert send(service, key, user=alice).info is None
    assert blogs()[0] == before + 1


def test_an_answer_that_cannot_be_kept_is_not_given(service, alice, connect_owner, blogs, key):
    before = blogs()
    owner = connect_owner()
    owner.run("ALTER TABLE claimed_write ADD CONSTRAINT none CHECK (json IS NULL) NOT VALID")
    try:
        answer = send(service, key, user=alice)
        assert (answer.http_status, answer.info) == (500, "INTERNAL ERROR")
        assert blogs() == before
    finally:
        owner.run("ALTER TABLE claimed_write DROP CONSTRAINT none")
    assert send(service, key, user=alice).info is None


# What a key is.

LONGEST = "x" * 64


@pytest.mark.parametrize("value", ["!", "~", "a,b", '"8e03978e-40d5-43e8-bc93-6894a57f9324"', "k;p=1", LONGEST])
def test_keys(service, db, alice, value):
    db.run("DELETE FROM claimed_write")
    first = send(service, value, user=alice)
    assert first.info is None and send(service, value, user=alice).body == first.body
    # As it stands: not what is within the quotes.
    assert value[0] != '"' or send(service, value.strip('"'), user=alice).body != first.body


@pytest.mark.parametrize("value", ["", "a b", LONGEST + "x", "é", "a\x80", ["a", "a"], ["a", "b"], ["", ""], ["a", ""], ["a"] * 3])
def test_what_is_no_key(service, db, alice, cookie, value):
    with db.unchanged():
        for params in BLOG, BLOG | {"type": "none"}:
            assert send(service, value, user=alice, **params).info == "MALFORMED REQUEST"
        assert send(service, value, cookie=f"id={alice.id}; idrand={'0' * 32}", **BLOG).info == "LOGIN REQUIRED"
        # It ends no session.
        assert send(service, value, cookie=cookie, func="logout").info == "MALFORMED REQUEST"
    assert send(service, None, cookie=cookie, func="logout").info is None


def test_no_key_does_not_use_a_signature_up(service, application, alice):
    signed = application.sign("addAlbum", **ALBUM, nonce=time.monotonic_ns())
    assert send(service, "a b", user=alice, **signed).info == "MALFORMED REQUEST"
    assert send(service, "ab", user=alice, **signed).info is None


@pytest.mark.parametrize("value", ["k", "a b", ["a", "a"]])
def test_without_a_session_it_is_ignored(service, db, alice, blog, value):
    db.run("DELETE FROM claimed_write WHERE expires_at < now()")  # which any write may do
    records = db.value("SELECT count(*) FROM claimed_write")
    for _ in range(2):
        assert send(service, value, func="getBlog", user=alice, blogID=blog).info is None
        assert send(service, value, func="getBlog", blogID=blog).info is None
        for user in None, alice:
            login = send(service, value, func="login", user=user, email=alice.email, password=alice.password)
            assert login.names == ["id", "idrand"]
        for cookie in None, "id=x; idrand=y", "theme=dark":
            assert send(service, value, cookie=cookie).info == "LOGIN REQUIRED"
    assert db.value("SELECT count(*) FROM claimed_write") == records


# Side by side.


def test_64_at_once(start_service, new_user, db, key):
    """On two services of several workers each: one blog, one credit, one answer."""
    services, user = [start_service(workers=8), start_service(workers=8)], new_user()
    answers = at_once(*[lambda service=service: send(service, key, user=user) for service in services * 32])
    assert {answer.info for answer in answers} == {None}
    assert len({answer.body for answer in answers}) == 1
    assert db.value("SELECT count(*) FROM blog WHERE owner_id = %s", user.id) == 1
    assert db.run("SELECT count(*), sum(amount) FROM ledger WHERE user_id = %s", user.id) == [(1, 10)]


def test_different_requests_at_once(start_service, new_user, db, key):
    service, user = start_service(workers=8), new_user()
    calls = [lambda n=n: (n, send(service, key, user=user, **BLOG | {"blogTitle": f"title {n % 4}"})) for n in range(32)]
    answers = at_once(*calls)
    done = {n % 4 for n, answer in answers if answer.info is None}
    assert len(done) == 1
    assert {answer.info for n, answer in answers if n % 4 not in done} == {"REQUEST REPLAYED"}
    assert db.column("SELECT title FROM blog WHERE owner_id = %s", user.id) == [f"title {done.pop()}"]


def test_a_second_one_waits_for_the_first(service, alice, connect_owner, db, key):
    owner = connect_owner()
    owner.run("BEGIN")
    owner.run("SELECT FROM user_account WHERE user_id = %s FOR NO KEY UPDATE", alice.id)
    with in_background(*[lambda: send(service, key, user=alice)] * 3) as futures:
        try:
            until(lambda: db.waiting() == 3, "all three wait")
        finally:
            owner.run("COMMIT")
        assert len({future.result().body for future in futures}) == 1


def test_across_a_restart(folder, postgres, alice, key):
    other = Service(folder, postgres)
    first = send(other.start(), key, user=alice)
    other.stop()
    assert send(other.start(), key, user=alice).body == first.body
    other.stop()


# With a signature.


def test_both_are_claimed(service, application, alice, db, cookie, blogs, key):
    params = {"func": "postBlog"} | BLOG

    def sign(ts):
        return application.sign(**params, ts=int(time.time()) - ts)

    before = blogs()[0]
    signed = sign(1)
    first = send(service, key, user=alice, **signed)
    assert first.info is None and blogs()[0] == before + 1
    # The signature alone, with its key, and with another; the key with a further signature, and with none.
    for name, again in (None, signed), (key, signed), (key + "x", signed), (key, sign(2)), (key, params):
        assert send(service, name, user=alice, **again).body == first.body
    # The signature is another session's; the key is the user's.
    assert send(service, key, cookie=cookie, **signed).info == "REQUEST REPLAYED"
    assert send(service, key, cookie=cookie, **sign(3)).body == first.body
    assert send(service, key, user=alice, **application.sign(**params, extra="")).info == "REQUEST REPLAYED"
    assert blogs()[0] == before + 1


def test_a_signature_is_used_up_by_wrong_parameters_and_a_key_is_not(service, application, alice, key):
    wrong = application.sign("addAlbum", **ALBUM | {"category": 17}, nonce=time.monotonic_ns())
    right = application.sign("addAlbum", **ALBUM, nonce=time.monotonic_ns())
    for _ in range(2):
        assert send(service, key, user=alice, **wrong).info == "INVALID PARAMETER: category"
    assert send(service, key, user=alice, **right).info is None
    assert send(service, key, user=alice, **wrong).info == "INVALID PARAMETER: category"


# The session that a request ended.


def set_cookies(answer):
    return [value for name, value in answer.headers if name == "set-cookie"]


@pytest.mark.parametrize("signed", [False, True])
def test_a_logout_is_answered_again(service, application, alice, bob, cookie, db, key, signed):
    params = application.sign("logout") if signed else {"func": "logout"}
    first = send(service, key, cookie=cookie, **params)
    assert first.result == [] and len(set_cookies(first)) == 2
    with db.unchanged():
        again = send(service, key, cookie=cookie, **params)
        assert (again.body, set_cookies(again)) == (first.body, set_cookies(first))
        assert said(send(service, key, cookie=cookie, func="logout", responseFormat="JSON")) == {"status": "SUCCESS"}
        # Nothing else is done for it.
        assert send(service, key + "x", cookie=cookie, func="logout").info == "LOGIN REQUIRED"
        assert send(service, key, cookie=cookie, func="logout", extra="1").info == "LOGIN REQUIRED"
        assert send(service, key, cookie=cookie).info == "LOGIN REQUIRED"


def test_a_stranger_learns_nothing_from_a_key(service, alice, bob, new_session, cookie, key, db):
    """Who knows the user and the key, and has no session, is told what all are told."""
    stranger = f"id={alice.id}; idrand={'0' * 32}"
    assert send(service, key, cookie=stranger, func="logout").info == "LOGIN REQUIRED"
    send(service, key + "used", user=alice)
    assert send(service, key, cookie=cookie, func="logout").info is None
    ended = f"id={alice.id}; idrand={new_session(alice)}"
    service.ok("logout", cookie=ended)
    with db.unchanged():
        for name in key, key + "used":
            for other in stranger, ended, f"id={NOWHERE}; idrand={'0' * 32}", cookie.replace(f"id={alice.id};", f"id={bob.id};"):
                assert send(service, name, cookie=other, func="logout").info == "LOGIN REQUIRED"
        # The session that sent the other write, and was ended by something else.
        assert send(service, key + "used", cookie=cookie, func="logout").info == "LOGIN REQUIRED"


def test_another_session_of_the_user_gets_the_answer_to_a_logout(service, alice, cookie, new_session, db, key):
    other = f"id={alice.id}; idrand={new_session(alice)}"
    first = send(service, key, cookie=cookie, func="logout")
    with db.unchanged():
        assert send(service, key, cookie=other, func="logout").body == first.body
    assert send(service, key + "x", cookie=other, func="logout").info is None


def test_logouts_at_once(start_service, alice, new_session, key):
    service, cookie = start_service(workers=8), f"id={alice.id}; idrand={new_session(alice)}"
    answers = at_once(*[lambda: send(service, key, cookie=cookie, func="logout")] * 16)
    assert {answer.info for answer in answers} == {None}


# The record.


def test_it_is_kept_for_a_day(service, alice, db, blogs, key):
    first = send(service, key, user=alice)
    assert db.value("SELECT min(abs(extract(epoch FROM expires_at - now()) - 86400)) FROM claimed_write"
                    " WHERE request_hash IS NOT NULL") < 60
    db.run("UPDATE claimed_write SET expires_at = now() + interval '1 minute' WHERE user_id = %s", alice.id)
    assert send(service, key, user=alice).body == first.body
    db.run("UPDATE claimed_write SET expires_at = now() - interval '1 second' WHERE user_id = %s", alice.id)
    before = blogs()[0]
    # The key is free: for any request.
    second = send(service, key, user=alice, **BLOG | {"blogTitle": "a day later"})
    assert second["blogID"] != first["blogID"] and blogs()[0] == before + 1
    assert send(service, key, user=alice, **BLOG | {"blogTitle": "a day later"}).body == second.body
    assert send(service, key, user=alice).info == "REQUEST REPLAYED"


def test_an_expired_one_side_by_side(start_service, alice, db, blogs, key):
    service = start_service(workers=8)
    first = send(service, key, user=alice)
    db.run("UPDATE claimed_write SET expires_at = now() - interval '1 second' WHERE user_id = %s", alice.id)
    before = blogs()[0]
    answers = at_once(*[lambda: send(service, key, user=alice)] * 16)
    assert len({answer.body for answer in answers} - {first.body}) == 1 == len({answer.body for answer in answers})
    assert blogs()[0] == before + 1


def test_the_record_stays_small(service, alice, db, key):
    """Whatever has piled up goes away by further writes, and what is still in time stays."""
    db.run("DELETE FROM claimed_write WHERE expires_at < now()")
    first = send(service, key, user=alice)
    db.run("INSERT INTO claimed_write (claim, request_hash, token_hash, user_id, expires_at)"
           " SELECT sha256(n::text::bytea), sha256('r'), sha256('t'), %s, now() - interval '1 second'"
           " FROM generate_series(1, 40) n", alice.id)
    for number in range(10):
        send(service, f"{key}-{number}", user=alice)
    assert db.value("SELECT count(*) FROM claimed_write WHERE expires_at < now()") == 0
    assert send(service, key, user=alice).body == first.body


def test_it_goes_with_its_user(service, new_user, new_session, db, key):
    user = new_user()
    send(service, key, user=user)
    send(service, key + "x", cookie=f"id={user.id}; idrand={new_session(user)}", func="logout")
    records = db.value("SELECT count(*) FROM claimed_write")
    db.run("DELETE FROM user_account WHERE user_id = %s", user.id)
    # What ended a session may be what ended its user: that answer stays for its day, without a name.
    assert db.value("SELECT count(*) FROM claimed_write") == records - 1


def test_no_key_in_database_or_log(service, alice, db, key):
    send(service, key, user=alice)
    assert key not in service.log.read_text()
    assert key not in str(db.run("SELECT encode(claim, 'escape'), claimed_write::text FROM claimed_write"))
