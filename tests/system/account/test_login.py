"""login: whom it lets in, what it answers and sets, and what the database keeps of it."""

import os
import re
import signal

import pytest

import http_client
from processes import peak_memory, workers
from samples import ALBUM
from service import at_once, in_background, until
from test_sessions import token_hash


def set_cookies(answer):
    """The cookies of an answer: {name: (value, set of attributes)}."""
    lines = [value.split("; ") for name, value in answer.headers if name == "set-cookie"]
    return {words[0].partition("=")[0]: (words[0].partition("=")[2], set(words[1:])) for words in lines}


def test_login(service, alice):
    answer = service.ok("login", email=alice.email, password=alice.password)
    assert answer.names == ["id", "idrand"]
    assert answer["id"] == str(alice.id)
    assert re.fullmatch("[0-9a-f]{32}", answer["idrand"])
    assert answer.header("Cache-Control") == "no-store"
    album = service.ok("addAlbum", cookie=f"id={answer['id']}; idrand={answer['idrand']}", **ALBUM)["albumID"]
    assert service.ok("getAlbum", albumID=album)["ownerName"] == alice.name


def test_cookies_that_it_sets(service, alice):
    answer = service.ok("login", email=alice.email, password=alice.password)
    usual = {"HttpOnly", "SameSite=Lax", "Path=/", f"Max-Age={30 * 86400}"}
    assert set_cookies(answer) == {"id": (str(alice.id), usual), "idrand": (answer["idrand"], usual)}


@pytest.mark.parametrize("https, secure", [("on", True), ("1", True), ("ON", True), ("off", False), ("", False), (None, False)])
def test_cookies_are_secure_under_https(service, alice, new_session, https, secure):
    form = f"func=login&email={alice.email}&password={alice.password.replace(' ', '+')}".encode()
    variables = {"REQUEST_METHOD": "POST", "CONTENT_TYPE": "application/x-www-form-urlencoded", "HTTPS": https}
    logout = variables | {"HTTP_COOKIE": f"id={alice.id}; idrand={new_session(alice)}"}
    for answer in service.fastcgi(form, **variables), service.fastcgi(b"func=logout", **logout):
        assert answer.info is None
        assert [("Secure" in attributes) for _, attributes in set_cookies(answer).values()] == [secure, secure]


def test_tokens_are_random_and_each_login_has_its_own(service, alice):
    tokens = {service.ok("login", email=alice.email, password=alice.password)["idrand"] for _ in range(20)}
    assert len(tokens) == 20
    for token in tokens:
        service.ok("logout", cookie=f"id={alice.id}; idrand={token}")


def everything(db):
    """All that the database holds of everybody, as text."""
    tables = db.column("SELECT table_name FROM information_schema.tables WHERE table_schema = 'mapdiary'")
    return "\n".join(text for table in tables for text in db.column(f"SELECT t::text FROM {table} t"))


def test_the_database_holds_hashes_alone(service, db, new_user, new_session):
    user = new_user(password="pässwörd 🗝 not-for-the-database")
    tokens = [service.ok("login", email=user.email, password=user.password)["idrand"], new_session(user), user.token]
    hashes = {bytes(value) for value in db.column("SELECT token_hash FROM session WHERE user_id = %s", user.id)}
    assert hashes == {token_hash(token) for token in tokens}
    password_hash = db.value("SELECT password_hash FROM user_account WHERE user_id = %s", user.id)
    assert password_hash.startswith("$argon2id$v=19$m=1024,t=1,p=1$")
    held = everything(db)
    assert password_hash in held and tokens[0] not in held and "not-for-the-database" not in held


# Who is not let in.


def test_one_answer_for_a_wrong_password_and_an_unknown_email(service, db, new_user):
    user, gone = new_user(), new_user()
    db.run("UPDATE user_account SET disabled = true WHERE user_id = %s", gone.id)
    with db.unchanged():
        answers = [
            service.call("login", email=email, password=password) for email, password in (
                (user.email, "wrong"), (user.email, user.password + " "), (user.email, user.password.upper()),
                (user.email, " " + user.password), ("nobody@example.org", user.password), ("nobody", "x"),
                (user.email + "x", user.password), (user.email.replace("@", "%"), user.password), ("%", user.password),
                (gone.email, gone.password), (gone.email, "wrong"), (str(user.id), user.password),
            )
        ]
    assert {answer.info for answer in answers} == {"PASSWORD INCORRECT"}
    assert {answer.http_status for answer in answers} == {200}
    assert len({answer.body for answer in answers}) == 1
    names = [[name for name, _ in answer.headers] for answer in answers]
    assert all(each == names[0] for each in names) and "set-cookie" not in names[0]


def test_an_unknown_email_costs_a_hash_too(start_service):
    """A worker takes the memory of a hash at the configured cost, so that how long it takes tells nobody who is there."""
    other = start_service(workers=1, password_memory=100)
    other.call("getUserAlbumList", userID=1)
    (worker,) = workers(other.daemon.pid)
    assert peak_memory(worker) < 100 << 10
    assert other.call("login", email="nobody@example.org", password="wrong").info == "PASSWORD INCORRECT"
    assert peak_memory(worker) > 100 << 10


@pytest.mark.parametrize("email", ["a:b@example.org", "a(b)@example.org", "a,b@example.org", "<a@example.org>", "a b@c@d", "字@例.org"])
def test_an_address_that_nobody_could_register_logs_in_still(service, db, new_user, email):
    user = new_user()
    db.run("UPDATE user_account SET email = %s WHERE user_id = %s", email, user.id)
    assert service.ok("login", email=email, password=user.password)["id"] == str(user.id)
    assert service.call("login", email=email, password="wrong").info == "PASSWORD INCORRECT"
    db.run("UPDATE user_account SET email = %s WHERE user_id = %s", user.email, user.id)


def test_an_email_has_no_case(service, new_user):
    user = new_user()
    assert service.ok("login", email=user.email.upper(), password=user.password)["id"] == str(user.id)


@pytest.mark.parametrize("password", ["p", "密碼 🗝", "a&b=c%+d", " blanks around ", "quote'\"", "\ttab", 1024 * "x"])
def test_passwords(service, new_user, password):
    user = new_user(password=password)
    assert service.ok("login", email=user.email, password=password)["id"] == str(user.id)
    assert service.call("login", email=user.email, password=password + "x").info is not None


@pytest.mark.parametrize("path", ["/API.php", "/API.php/login"])
def test_a_password_is_taken_from_the_body_alone(service, new_user, db, path):
    """Web servers log the address of a request."""
    user, password = new_user(), "not for the access log"
    secret = http_client.encode({"password": password})
    body = http_client.encode({"email": user.email} | ({"func": "login"} if path == "/API.php" else {}))
    with db.unchanged():
        for query, answer in ((secret, "INVALID PARAMETER: password"), ("", "MISSING PARAMETER: password")):
            assert service.request("POST", query=query, body=body, path=path).info == answer
        both = service.request("POST", query=secret, body=f"{body}&{secret}", path=path)
        assert both.info == "DUPLICATE PARAMETER: password"
    assert service.request("POST", query=body, body=http_client.encode({"password": user.password}), path=path).info is None


def test_a_login_needs_no_session_and_minds_none(service, alice, bob):
    for cookie in alice.cookie, bob.cookie, "id=1; idrand=x", "nonsense":
        assert service.ok("login", cookie=cookie, email=bob.email, password=bob.password)["id"] == str(bob.id)


# Hashing.


def hash_of(db, user):
    return db.value("SELECT password_hash FROM user_account WHERE user_id = %s", user.id)


def test_a_hash_of_another_cost_is_renewed(start_service, db, new_user):
    """Up and down alike; not where the password is wrong, nor again once it is done."""
    service, user = start_service(password_operations=2, password_memory=2), new_user()
    before = hash_of(db, user)
    assert service.call("login", email=user.email, password="wrong").info == "PASSWORD INCORRECT"
    assert hash_of(db, user) == before
    service.ok("login", email=user.email, password=user.password)
    renewed = hash_of(db, user)
    assert renewed.startswith("$argon2id$v=19$m=2048,t=2,p=1$")
    service.ok("login", email=user.email, password=user.password)
    assert hash_of(db, user) == renewed
    start_service().ok("login", email=user.email, password=user.password)
    assert hash_of(db, user).startswith("$argon2id$v=19$m=1024,t=1,p=1$")
    assert service.call("login", email=user.email, password="wrong").info == "PASSWORD INCORRECT"


def test_logins_side_by_side_renew_a_hash_once(start_service, db, new_user):
    """Whoever has verified the old hash verifies the new one instead of being told that the password is wrong."""
    service, user = start_service(workers=8, password_operations=2), new_user()
    answers = at_once(*[lambda: service.call("login", email=user.email, password=user.password)] * 4)
    assert {answer.info for answer in answers} == {None}
    assert db.value("SELECT count(*) FROM session WHERE user_id = %s", user.id) == 5


def test_logins_wait_without_a_worker(start_service, new_user, blog):
    """One hashes, and the workers are left to others."""
    service, user = start_service(workers=8, password_operations=4, password_memory=64), new_user()

    def log_in():
        return service.call("login", email=user.email, password=user.password)

    with in_background(*[log_in] * 8) as logins:
        # A login that has just come has a worker until it is told to wait.
        until(lambda: service.metric('permits_waiting{class="password"}') >= 4
              and service.metric('workers{state="working"}') <= 1 + max(1, os.cpu_count() // 2), "the others wait without a worker")
        assert service.call("getBlog", blogID=blog).info is None
        answers = [login.result() for login in logins]
    refused = [answer for answer in answers if answer.info]
    assert {(answer.http_status, answer.info, answer.header("Retry-After")) for answer in refused} <= {
        (503, "SERVICE UNAVAILABLE", "1")}
    assert len(refused) < len(answers)


@pytest.mark.slow
def test_a_worker_that_is_killed_leaves_its_place(start_service, new_user):
    service, user = start_service(workers=2, password_operations=6, password_memory=256), new_user()
    both = workers(service.daemon.pid)
    with in_background(lambda: service.call("login", email=user.email, password=user.password)) as (first,):
        busy = until(lambda: [pid for pid in both if memory_of(pid) > 250 << 20], "a worker hashes")
        os.kill(busy[0], signal.SIGSTOP)  # so that it is not done too early
        assert service.call("login", email=user.email, password=user.password).http_status == 503
        os.kill(busy[0], signal.SIGKILL)
        assert first.result().http_status >= 500
    until(lambda: service.call("login", email=user.email, password=user.password).http_status == 200, "another one hashes")


def memory_of(pid):
    """Resident, in bytes; 0 where the process is gone."""
    try:
        with open(f"/proc/{pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0
