"""Cookies `id` and `idrand` of other applications beside our own: who is asking then."""

import itertools
import re
import urllib.parse

import pytest

import drawn
import signing
from http_client import File
from samples import ALBUM, BLOG, date_params, today
from service import in_background, until


@pytest.fixture
def application(service, db):
    return signing.new_application(service, db)


NO_TOKEN = "0" * 32

# What other applications have in cookies of these names: nothing that could be ours, and what could be.
FOREIGN_IDS = {
    "a word": "abc", "empty": "", "quoted": '"u-17"', "a UUID": "123e4567-e89b-12d3-a456-426614174000", "negative": "-1",
    "escaped": "%31", "too long": "12345678901234567890", "JSON": '{"id":1,"x":[2,3]}', "with commas": "1,2,3", "with blanks": "1 2",
    "zero": "0", "a number": "424242", "a large number": "9999999999999999999", "ours in zeros": "000{id}", "ours": "{id}",
}
FOREIGN_TOKENS = {
    "a word": "abc", "empty": "", "short": "0" * 31, "long": "0" * 33, "no hex": "g" * 32, "a number": "17",
    "hex": "f" * 32, "ours in capitals": "{TOKEN}", "ours": "{token}",
}
# Where the pair that is a session stands among what others sent.
ORDERS = {
    "before": "{foreign}; id={id}; idrand={token}",
    "behind": "id={id}; idrand={token}; {foreign}",
    "between": "id={id}; {foreign}; idrand={token}",
    "as lines of others": "{foreign}, id={id}, idrand={token}",
}


def written(text, user, **more):
    for name, value in (more | {"id": user.id, "token": user.token, "TOKEN": user.token.upper()}).items():
        text = text.replace("{" + name + "}", str(value))
    return text


def both(foreign_id, foreign_token):
    return [f"id={value}" for value in [foreign_id] if value is not None] + [
        f"idrand={value}" for value in [foreign_token] if value is not None]


PAIRS = [both(one, other) for one, other in itertools.product([None, *FOREIGN_IDS.values()], [None, *FOREIGN_TOKENS.values()])]


@pytest.fixture(scope="module")
def future_blog(service, alice):
    return service.ok("postBlog", user=alice, **BLOG | date_params(today(days=1)))["blogID"]


@pytest.mark.parametrize("order", ORDERS)
def test_every_pair_of_own_and_foreign_cookies(service, alice, future_blog, order):
    for foreign in PAIRS:
        cookie = written(ORDERS[order], alice, foreign="; ".join(foreign) or "a=b")
        cookie = written(cookie, alice)
        answer = service.call("getMe", cookie=cookie)
        assert (answer.info, answer["userID"]) == (None, str(alice.id)), cookie
        read = service.call("getBlog", cookie=cookie, blogID=future_blog)
        assert (read.info, read.header("Cache-Control"), read.header("ETag")) == (None, "no-store", None), cookie


def test_writes_beside_foreign_cookies(service, alice):
    for foreign in PAIRS[:: len(FOREIGN_TOKENS)]:
        cookie = written("; ".join([*foreign, "id={id}", "idrand=" + "1" * 32, "idrand={token}"]), alice)
        service.ok("addAlbum", cookie=cookie, **ALBUM)


def test_foreign_cookies_alone_are_nobody(service, db, future_blog):
    with db.unchanged():
        for foreign in PAIRS:
            cookie = "; ".join(foreign) or "a=b"
            if "{" in cookie.replace('{"', ""):
                continue
            assert service.call("addAlbum", cookie=cookie, **ALBUM).info == "LOGIN REQUIRED", cookie
            assert service.call("logout", cookie=cookie).info == "LOGIN REQUIRED", cookie
            assert service.call("getBlog", cookie=cookie, blogID=future_blog).info == "BLOG NOT FOUND", cookie


def test_login_beside_foreign_cookies(service, new_user):
    user = new_user()
    for foreign in PAIRS[:: len(FOREIGN_TOKENS) - 1]:
        cookie = written("; ".join(foreign) or "a=b", user)
        answer = service.ok("login", cookie=cookie, email=user.email, password=user.password)
        service.ok("getMe", cookie=f"{cookie}; id={user.id}; idrand={answer['idrand']}")


@pytest.mark.parametrize("before, is_read", [(3, True), (4, False)])
def test_four_of_each_name_count(service, alice, before, is_read):
    ids, tokens = [f"id={n}00" for n in range(1, before + 1)], [f"idrand={n}{'0' * 31}" for n in range(before)]
    for foreign in ids, tokens, ids + tokens, ids * 2 + ["id=x"] * 9:
        cookie = "; ".join([*foreign, f"id={alice.id}", f"idrand={alice.token}"])
        assert service.call("getMe", cookie=cookie).info == (None if is_read else "LOGIN REQUIRED"), cookie


# Several lines.


@pytest.mark.parametrize("lines", [
    ["id={id}", "idrand={token}"], ["a=b", "id={id}; idrand={token}"], ["id={id}; idrand={token}", "a=b"],
    ["id=abc", "id={id}", "idrand={token}", "idrand=x"], ["idrand={token}", "a=1,2, x=3", "id={id}"],
    ["a", "id={id}", "", "idrand={token}"],
])
def test_several_lines_are_one(service, alice, future_blog, lines):
    headers = [("Cookie", written(line, alice)) for line in lines]
    assert service.call("getMe", headers=headers)["userID"] == str(alice.id)
    answer = service.call("getBlog", headers=headers, blogID=future_blog)
    assert (answer.info, answer.header("Cache-Control")) == (None, "no-store")
    service.ok("addAlbum", headers=headers, **ALBUM)


# Sessions of two users, and two of one.


@pytest.fixture
def sessions(service, db, new_user, new_session):
    """Two users, and makes sessions of theirs: ({token}, whether it is there)."""
    users = new_user(), new_user()

    def is_there(token):
        return service.call("getMe", cookie=f"id={users[0].id}; id={users[1].id}; idrand={token}").info is None

    return *users, lambda user: new_session(user), is_there


def test_sessions_of_two_users_are_nobody(service, db, sessions):
    one, other, new, is_there = sessions
    tokens = new(one), new(other)
    cookie = f"id={one.id}; id={other.id}; idrand={tokens[0]}; idrand={tokens[1]}"
    blog = service.ok("postBlog", user=one, **BLOG | date_params(today(days=1)))["blogID"]
    with db.unchanged():
        for func, params in (("addAlbum", ALBUM), ("getMe", {}), ("deleteUser", {"password": one.password}), ("updateUser", {"name": "x"})):
            assert service.call(func, cookie=cookie, **params).info == "LOGIN REQUIRED"
        assert service.call("getBlog", cookie=cookie, blogID=blog).info == "BLOG NOT FOUND"
        assert service.call("getSite", cookie=cookie).info is None
    assert is_there(tokens[0]) and is_there(tokens[1])
    answer = service.ok("logout", cookie=cookie)
    assert len([name for name, _ in answer.headers if name == "set-cookie"]) == 2
    assert not is_there(tokens[0]) and not is_there(tokens[1])
    assert service.call("logout", cookie=cookie).info == "LOGIN REQUIRED"
    service.ok("getMe", user=one)


def test_sessions_of_one_user(service, sessions):
    """Any of them will do, and a logout ends all that were sent."""
    one, other, new, is_there = sessions
    tokens, kept = [new(one), new(one), new(one)], new(one)
    foreign = new(other)  # without its id
    cookie = "; ".join([f"id={one.id}", *(f"idrand={token}" for token in tokens), f"idrand={foreign}"])
    service.ok("addAlbum", cookie=cookie, **ALBUM)
    service.ok("logout", cookie=cookie)
    assert [is_there(token) for token in [*tokens, kept, foreign]] == [False, False, False, True, True]


def test_a_session_in_two_texts_ends_once(service, sessions):
    one, _, new, is_there = sessions
    token = new(one)
    service.ok("logout", cookie=f"id={one.id}; id=0{one.id}; idrand={token}; idrand={token.upper()}")
    assert not is_there(token)


def test_deleting_a_user_ends_all_sessions(service, sessions):
    one, _, new, is_there = sessions
    tokens = new(one), new(one)
    service.ok("deleteUser", cookie=f"id=17; id={one.id}; idrand={tokens[1]}; idrand={tokens[0]}", password=one.password)
    assert not any(map(is_there, [*tokens, one.token]))


# Writes that are safe to send again.


def send(service, cookie, name, func, /, **params):
    return service.call(func, cookie=cookie, headers=[("Idempotency-Key", name)] if name else [], **params)


def test_a_key_belongs_to_the_first_session(service, db, sessions):
    one, other, new, _ = sessions
    own = f"id={one.id}; idrand={new(one)}"
    cookies = [f"id=17; idrand={NO_TOKEN}; {own}", f"{own}; id=17", f"idrand={new(one)}; {own}", own]
    first = send(service, cookies[0], "first", "addAlbum", **ALBUM)
    with db.unchanged():
        for cookie in cookies[1:]:
            assert send(service, cookie, "first", "addAlbum", **ALBUM).body == first.body
    # Without a session it is ignored, and so is one that is none.
    assert send(service, "id=17; id=18; idrand=" + NO_TOKEN, "", "addAlbum", **ALBUM).info == "LOGIN REQUIRED"


@pytest.mark.parametrize("func", ["logout", "deleteUser"])
@pytest.mark.parametrize("by", ["key", "signature", "both"])
def test_the_answer_to_what_ended_the_sessions(service, application, db, sessions, func, by):
    one, other, new, _ = sessions
    owners = [one, other] if func == "logout" else [one]
    cookie = "; ".join([f"id=17; idrand={NO_TOKEN}", *(f"id={user.id}; idrand={new(user)}" for user in owners)])
    params = {"password": one.password} if func == "deleteUser" else {}
    if by != "key":
        params = {name: value for name, value in application.sign(func, **params).items() if name != "func"}
    key = "ended" if by != "signature" else ""
    first = send(service, cookie, key, func, **params)
    assert first.info is None
    with db.unchanged():
        again = send(service, cookie, key, func, **params)
        assert (again.info, again.body) == (None, first.body)
        assert send(service, cookie, "another", func, password=one.password).info == "LOGIN REQUIRED"
        strange = re.sub("(?<=idrand=)[0-9a-f]{31}", "1" * 31, cookie)
        assert send(service, strange, key, func, **params).info in ("LOGIN REQUIRED", "REQUEST REPLAYED")


@pytest.mark.locks
def test_a_session_that_ends_meanwhile(service, db, connect_owner, sessions):
    """What was looked up is looked at again, and held, where the write is done."""
    one, _, new, _ = sessions
    token, revoker = new(one), connect_owner()
    with db.unchanged("session"):
        revoker.run("BEGIN")
        revoker.run("DELETE FROM session WHERE user_id = %s", one.id)
        with in_background(lambda: service.call("addAlbum", cookie=f"id=17; id={one.id}; idrand={token}", **ALBUM)) as [answer]:
            until(db.waiting, "the write waits")
            revoker.run("COMMIT")
        assert answer.result().info == "LOGIN REQUIRED"


# What it costs.


@pytest.fixture
def statements_of(postgres, start_service, service):
    """Counts the statements that PostgreSQL is asked for within a request. Those of other processes are in its log, too."""
    postgres.run("ALTER ROLE mapdiary SET log_statement = 'all'")
    watched = start_service(workers=1)

    def count(func, **arguments):
        watched.ok(func, **arguments)
        start = postgres.log.stat().st_size
        watched.ok(func, **arguments)
        backend = re.findall(r" backend=(\d+)$", watched.log.read_text(), re.MULTILINE)[-1]
        return len(re.findall(rf"\[{backend}\] LOG:  execute ", postgres.log.read_bytes()[start:].decode()))

    yield count
    postgres.run("ALTER ROLE mapdiary RESET log_statement")


@pytest.mark.parametrize("func, params", [("getBlog", None), ("getMe", {}), ("addAlbum", ALBUM)])
def test_only_more_candidates_cost_more(statements_of, alice, future_blog, func, params):
    params = {"blogID": future_blog} if params is None else params
    usual = statements_of(func, user=alice, **params)
    assert usual > 0
    for foreign in "id=abc", "idrand=abc; id=", "id={id}; idrand={token}", "id=0", "id=0{id}; idrand={TOKEN}":
        assert statements_of(func, cookie=written(f"{foreign}; id={{id}}; idrand={{token}}", alice), **params) == usual, foreign
    assert statements_of(func, cookie=written("id=17; id={id}; idrand={token}", alice), **params) > usual


def test_a_login_costs_the_same(statements_of, new_user):
    user = new_user()
    params = {"email": user.email, "password": user.password}
    usual = statements_of("login", **params)
    assert statements_of("login", cookie=f"id=17; id=18; idrand={NO_TOKEN}", **params) == usual


def test_photos_know_their_reader(service, alice):
    """The same reader as everywhere."""
    album = service.ok("addAlbum", user=alice, visibility="private", **ALBUM)["albumID"]
    added = service.ok("addPhoto", user=alice, albumID=album, photo=File(drawn.picture(60, 40)))
    address = urllib.parse.urlsplit(added["photoPath"]).path
    readers = {"id=17; id={id}; idrand={token}": 200, "id=abc; id={id}; idrand={token}": 200, "id=17; id=18; idrand={token}": 404}
    for cookie, status in readers.items():
        assert service.request(path=address, headers=[("Cookie", written(cookie, alice))]).http_status == status
