"""Logins are throttled: for an account and for an address, in the database, so that all services and workers agree.

Time is made to pass by moving last_attempt, never by waiting. A wait of a second could be over before a test looks, so
hold_long() counts some more failures first.
"""

import pytest

from service import at_once

FREE = 3
LIMITS = {"login_failures_per_account": FREE, "login_failures_per_address": 0}


@pytest.fixture(autouse=True)
def nobody_has_failed_yet(service, db):
    db.run("DELETE FROM login_throttle")


@pytest.fixture
def user(new_user):
    return new_user()


def log_in(service, user, password=None, source=None):
    form = {"func": "login", "email": user.email, "password": password or user.password}
    return service.call(**form) if source is None else service.request("POST", body=encoded(form), source=source)


def encoded(form):
    return "&".join(f"{name}={value.replace(' ', '+')}" for name, value in form.items())


def fail(service, user, times, source=None):
    for _ in range(times):
        assert log_in(service, user, "wrong", source).info == "PASSWORD INCORRECT"


def let_time_pass(db, seconds):
    db.run("UPDATE login_throttle SET last_attempt = last_attempt - %s * interval '1 s'", seconds)


def hold_long(db):
    """Whoever has no attempts left waits for a minute."""
    db.run("UPDATE login_throttle SET failures = failures + 6 WHERE failures >= %s", FREE)


def assert_throttled(answer, longest=64):
    assert (answer.http_status, answer.info) == (429, "TOO MANY ATTEMPTS")
    assert 1 <= int(answer.header("Retry-After")) <= longest
    assert answer.header("Set-Cookie") is None


@pytest.mark.parametrize("password", [None, "wrong"])
def test_an_account_with_too_many_failures_waits(start_service, db, user, password):
    """Whoever knows the password by then waits too, or guessing would go on."""
    service = start_service(**LIMITS)
    fail(service, user, FREE)
    hold_long(db)
    with db.unchanged():
        assert_throttled(log_in(service, user, password))
    let_time_pass(db, 64)
    answer = log_in(service, user, password)
    assert answer.info == ("PASSWORD INCORRECT" if password else None)


def test_each_failure_doubles_the_wait(start_service, db, user):
    service = start_service(**LIMITS, login_throttle_max="1h")
    fail(service, user, FREE)
    for wait in 1, 2, 4, 8, 16:
        let_time_pass(db, wait)
        fail(service, user, 1)
    for wait in 32, 64, 128, 256:
        assert_throttled(log_in(service, user, "wrong"), wait)
        let_time_pass(db, wait / 2)
        assert_throttled(log_in(service, user, "wrong"), wait // 2)
        let_time_pass(db, wait / 2)
        assert log_in(service, user, "wrong").info == "PASSWORD INCORRECT"


def test_the_wait_has_a_limit(start_service, db, user):
    service = start_service(**LIMITS, login_throttle_max="7s")
    fail(service, user, 1)
    db.run("UPDATE login_throttle SET failures = 1000000000")
    assert_throttled(log_in(service, user), 7)
    let_time_pass(db, 7)
    assert log_in(service, user).info is None


def test_a_refused_attempt_does_not_lengthen_the_wait(start_service, db, user):
    service = start_service(**LIMITS)
    fail(service, user, FREE)
    hold_long(db)
    for _ in range(20):
        assert_throttled(log_in(service, user, "wrong"))
    let_time_pass(db, 64)
    assert log_in(service, user).info is None


def test_a_success_resets_the_account(start_service, user):
    service = start_service(**LIMITS)
    for _ in range(5):
        fail(service, user, FREE - 1)
        assert log_in(service, user).info is None


def test_a_day_without_an_attempt_forgets(start_service, db, user):
    service = start_service(**LIMITS)
    fail(service, user, FREE)
    db.run("UPDATE login_throttle SET failures = 500")
    let_time_pass(db, 86401)
    fail(service, user, FREE)
    hold_long(db)
    assert_throttled(log_in(service, user, "wrong"))


def test_unknown_accounts_are_throttled_alike(start_service, db):
    service = start_service(**LIMITS)
    for _ in range(FREE):
        assert service.call("login", email="nobody@example.org", password="x").info == "PASSWORD INCORRECT"
    hold_long(db)
    assert_throttled(service.call("login", email="nobody@example.org", password="x"))
    assert_throttled(service.call("login", email="NOBODY@example.org", password="x"))


def test_other_accounts_do_not_wait(start_service, db, user, bob):
    service = start_service(**LIMITS)
    fail(service, user, FREE)
    hold_long(db)
    assert_throttled(log_in(service, user))
    assert log_in(service, bob).info is None


def test_an_address_with_too_many_failures_waits(start_service, db, user, bob):
    service = start_service(login_failures_per_account=0, login_failures_per_address=FREE)
    fail(service, user, FREE, source="127.0.0.7")
    hold_long(db)
    assert_throttled(log_in(service, bob, source="127.0.0.7"))
    assert log_in(service, bob, source="127.0.0.8").info is None
    let_time_pass(db, 64)
    assert log_in(service, bob, source="127.0.0.7").info is None


def test_a_success_does_not_wash_an_address_clean(start_service, db, user, bob):
    """Or whoever has one account could guess at all others."""
    service = start_service(login_failures_per_account=0, login_failures_per_address=FREE)
    fail(service, user, FREE - 1, source="127.0.0.7")
    assert log_in(service, bob, source="127.0.0.7").info is None
    fail(service, user, 1, source="127.0.0.7")
    hold_long(db)
    assert_throttled(log_in(service, bob, source="127.0.0.7"))


def test_the_client_does_not_choose_its_address(start_service, db, user):
    service = start_service(login_failures_per_account=0, login_failures_per_address=FREE)
    form = {"func": "login", "email": user.email, "password": "wrong"}
    for number in range(FREE):
        forged = [("X-Forwarded-For", f"192.0.2.{number}"), ("Remote-Addr", f"192.0.2.{number}")]
        assert service.call(**form, headers=forged).info == "PASSWORD INCORRECT"
    hold_long(db)
    assert_throttled(service.call(**form, headers=[("X-Forwarded-For", "192.0.2.99")]))


@pytest.mark.parametrize("first, second, together", [
    ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", True), ("2001:db8:1:2::1", "2001:db8:1:3::1", False),
    ("192.0.2.1", "::ffff:192.0.2.1", True), ("192.0.2.1", "192.0.2.2", False),
])
def test_an_ipv6_network_counts_as_one_address(start_service, db, user, bob, first, second, together):
    """Its owner has 2^64 of them."""
    service = start_service(login_failures_per_account=0, login_failures_per_address=FREE)

    def attempt(who, password, address):
        form = encoded({"func": "login", "email": who.email, "password": password}).encode()
        return service.fastcgi(form, REQUEST_METHOD="POST", REMOTE_ADDR=address,
                               CONTENT_TYPE="application/x-www-form-urlencoded")

    for _ in range(FREE):
        assert attempt(user, "wrong", first).info == "PASSWORD INCORRECT"
    hold_long(db)
    assert attempt(bob, bob.password, second).info == ("TOO MANY ATTEMPTS" if together else None)


def test_services_agree(start_service, db, user):
    first, second = start_service(**LIMITS), start_service(**LIMITS)
    fail(first, user, FREE - 1)
    fail(second, user, 1)
    hold_long(db)
    for service in first, second:
        assert_throttled(log_in(service, user))


def test_attempts_at_once_all_count(start_service, user):
    service = start_service(**LIMITS, workers=8)

    def log_in_when_there_is_room():
        # Only so many hash at a time; whoever is turned away has not been counted.
        while (answer := log_in(service, user, "wrong")).http_status == 503:
            pass
        return answer

    answers = at_once(*[log_in_when_there_is_room] * 12)
    assert sorted(answer.info for answer in answers) == FREE * ["PASSWORD INCORRECT"] + (12 - FREE) * ["TOO MANY ATTEMPTS"]


def test_nothing_that_was_typed_is_kept(start_service, db, user):
    service = start_service(**LIMITS)
    service.call("login", email="my-secret-password", password="wrong")
    held = str(db.run("SELECT t::text FROM login_throttle t"))
    assert "my-secret-password" not in held and "127.0.0.1" not in held
    assert db.value("SELECT count(*) FROM login_throttle") == 2
