"""Logins are throttled: for an account tried from an address, for an account, and for an address; those with the right
password, too. The database counts, so that all services and workers agree.

Time is made to pass by moving last_attempt and busy_until, never by waiting. A wait of a second could be over before a test looks, so
hold_long() counts some more failures first.
"""

import contextlib
import itertools
import math
import os
import shutil
import signal
import time

import pytest

import signing
from conftest import Rows
from processes import workers
from service import TOP, Service, at_once, in_background, until
from test_login import memory_of

FREE = 3
pytestmark = pytest.mark.usefixtures("without_autovacuum")
LIMITS = {"login_failures_per_account": FREE, "login_failures_per_address": 0}


@pytest.fixture(autouse=True)
def nobody_has_failed_yet(service, db):
    db.run("DELETE FROM login_throttle; DELETE FROM login_network; DELETE FROM login_rate")


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
    db.run("UPDATE login_rate SET busy_until = busy_until - %s * interval '1 s'", seconds)


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
    with db.unwritten():
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
    service = start_service(**LIMITS, login_throttle_max="1m")
    fail(service, user, 1)
    db.run("UPDATE login_throttle SET failures = 1000000000")
    assert_throttled(log_in(service, user), 60)
    let_time_pass(db, 60)
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


def test_a_success_does_not_wash_an_address_clean(start_service, db, user, new_user, bob):
    """Or whoever has one account could guess at all others."""
    service = start_service(login_failures_per_account=0, login_failures_per_address=FREE)
    fail(service, user, FREE - 1, source="127.0.0.7")
    assert log_in(service, bob, source="127.0.0.7").info is None
    fail(service, user, 1, source="127.0.0.7")
    hold_long(db)
    assert_throttled(log_in(service, new_user(), source="127.0.0.7"))
    assert log_in(service, bob, source="127.0.0.7").info is None


def test_the_client_does_not_choose_its_address(start_service, db, user):
    service = start_service(login_failures_per_account=0, login_failures_per_address=FREE)
    form = {"func": "login", "email": user.email, "password": "wrong"}
    for number in range(FREE):
        forged = [("X-Forwarded-For", f"192.0.2.{number}"), ("Remote-Addr", f"192.0.2.{number}")]
        assert service.call(**form, headers=forged).info == "PASSWORD INCORRECT"
    hold_long(db)
    assert_throttled(service.call(**form, headers=[("X-Forwarded-For", "192.0.2.99")]))


# A stranger's guesses are the stranger's.


HERE, ELSEWHERE = "127.0.0.7", [f"127.0.1.{number}" for number in range(1, 40)]


def test_a_stranger_elsewhere_does_not_lock_the_owner_out(start_service, db, user):
    service = start_service(**LIMITS)
    fail(service, user, FREE, source=ELSEWHERE[0])
    hold_long(db)
    assert_throttled(log_in(service, user, source=ELSEWHERE[0]))
    assert log_in(service, user, source=HERE).info is None
    assert_throttled(log_in(service, user, source=ELSEWHERE[0]))


def guess_from_everywhere(service, user, times):
    for number in range(times):
        fail(service, user, 1, source=ELSEWHERE[number % len(ELSEWHERE)])


def test_many_strangers_wait_together_and_the_owner_where_he_was_before_does_not(start_service, db, user):
    service = start_service(**LIMITS)
    assert log_in(service, user, source=HERE).info is None
    guess_from_everywhere(service, user, 10 * FREE)
    db.run("UPDATE login_throttle SET failures = failures + 60 WHERE failures >= %s", 10 * FREE)
    for number in range(3):
        assert_throttled(log_in(service, user, source=f"127.0.2.{number}"))
    for _ in range(2):
        assert log_in(service, user, source=HERE).info is None
    fail(service, user, FREE, source=HERE)
    hold_long(db)
    assert_throttled(log_in(service, user, source=HERE))


def test_the_owner_does_not_forgive_the_strangers(start_service, db, user):
    """What goes with a success are the owner's own failures."""
    service = start_service(**LIMITS)
    guess_from_everywhere(service, user, 10 * FREE - 1)
    fail(service, user, 1, source=HERE)
    db.run("UPDATE login_throttle SET last_attempt = now() - interval '10 s'")
    assert log_in(service, user, source=HERE).info is None
    assert db.value("SELECT max(failures) FROM login_throttle") == 10 * FREE - 1


def test_of_an_account_ten_more_failures_double_the_wait(start_service, db, user):
    service = start_service(**LIMITS, login_throttle_max="1h")
    guess_from_everywhere(service, user, 10 * FREE)
    strangers = (f"127.0.2.{number}" for number in itertools.count(1))

    def answer_at_once():
        began = time.monotonic()
        db.run("UPDATE login_throttle SET failures = %s, last_attempt = now() WHERE failures >= %s", 10 * FREE + more, 10 * FREE)
        answer = log_in(service, user, source=next(strangers))
        return answer if time.monotonic() - began < 0.9 else None

    for more, wait in (0, 1), (40, 16), (79, 240), (100, 1024):
        answer = until(answer_at_once, "an answer before the shortest wait is over")
        assert_throttled(answer, wait)
        assert int(answer.header("Retry-After")) > 0.9 * wait - 1


def test_an_hour_forgives_some_failures_of_an_account(start_service, db, user):
    """So that one address, which may guess now and then, does not get that far."""
    service = start_service(**LIMITS)
    guess_from_everywhere(service, user, 10 * FREE)
    db.run("UPDATE login_throttle SET failures = %s WHERE failures >= %s", 11 * FREE + 60, 10 * FREE)
    let_time_pass(db, 3601)
    guess_from_everywhere(service, user, 1)
    assert db.value("SELECT max(failures) FROM login_throttle") == 10 * FREE + 61


def test_the_latest_twenty_addresses_are_known(start_service, db, user):
    service = start_service(**LIMITS, logins_per_account=0)
    for source in ELSEWHERE[:22] + ELSEWHERE[:1]:
        assert log_in(service, user, source=source).info is None
    assert db.value("SELECT count(*) FROM login_network WHERE user_id = %s", user.id) == 20
    guess_from_everywhere(service, user, 1)
    db.run("UPDATE login_throttle SET failures = 1000 WHERE last_attempt = (SELECT max(last_attempt) FROM login_throttle)")
    db.run("UPDATE login_throttle SET failures = 1000, last_attempt = now() WHERE subject ="
           " mapdiary.login_subject('account', %s)", user.email)
    known = [log_in(service, user, source=source).info is None for source in ELSEWHERE[1:4]]
    assert known == [False, False, True]


# Whoever is right.


def test_logins_of_an_account_in_an_hour(start_service, db, user, bob):
    service = start_service(logins_per_account=4)
    for _ in range(4):
        assert log_in(service, user).info is None
    with db.unwritten():
        for password in None, "wrong":
            assert_throttled(log_in(service, user, password), 900)
    assert log_in(service, bob).info is None
    let_time_pass(db, 901)
    assert log_in(service, user).info is None
    assert_throttled(log_in(service, user), 900)
    let_time_pass(db, 100_000)
    for _ in range(4):
        assert log_in(service, user).info is None
    assert_throttled(log_in(service, user), 900)


def test_wrong_passwords_do_not_count_as_logins(start_service, user):
    service = start_service(logins_per_account=2)
    fail(service, user, 10)
    assert log_in(service, user).info is None


# What is refused writes nothing.


def test_who_must_wait_writes_nothing(start_service, db, user):
    """Whatever is tried: another account each time, too."""
    service = start_service(login_failures_per_account=FREE, login_failures_per_address=2 * FREE)
    fail(service, user, FREE)
    hold_long(db)
    with db.unwritten():
        assert_throttled(log_in(service, user))
    for number in range(FREE):
        service.call("login", email=f"nobody{number}@example.org", password="wrong")
    hold_long(db)
    db.run("UPDATE login_throttle SET failures = failures + 6 WHERE failures >= %s", 2 * FREE)
    with db.unwritten():
        for number in range(20):
            assert_throttled(service.call("login", email=f"other{number}@example.org", password="wrong"), 900)


# One hashes at a time, for seconds.
COSTLY = {"workers": 2, "password_operations": 6, "password_memory": 256, "request_timeout": "60s"}


@contextlib.contextmanager
def held_while_hashing(service):
    """The worker that hashes stops there meanwhile, however long that takes, and so keeps its permit."""
    def hashing():
        return next((pid for pid in workers(service.daemon.pid) if memory_of(pid) > 250 << 20), None)

    pid = until(hashing, "a worker hashes")
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


@pytest.mark.slow
def test_who_finds_no_permit_writes_nothing(start_service, db, new_user):
    service, user = start_service(**COSTLY, **LIMITS), new_user()
    with in_background(lambda: log_in(service, user)) as [first]:
        with held_while_hashing(service), db.unwritten():
            assert log_in(service, user, "wrong").http_status == 503
    assert first.result().info is None


@pytest.mark.slow
def test_who_must_wait_takes_no_permit(start_service, db, new_user, bob):
    """Is told so while the only one is taken."""
    service, user = start_service(**COSTLY, **LIMITS), new_user()
    db.run("INSERT INTO login_throttle (subject, failures) VALUES (mapdiary.login_subject('account', lower(%s)), 1000)", bob.email)
    with in_background(lambda: log_in(service, user)) as [first]:
        with held_while_hashing(service):
            assert_throttled(log_in(service, bob), 900)
            assert log_in(service, user).http_status == 503
    assert first.result().info is None


def test_a_signed_login_that_must_wait_may_be_sent_again(start_service, service, db, user):
    """Its signature is not used up."""
    application = signing.new_application(service, db)
    throttling = start_service(**LIMITS, master_key_file=service.settings["master_key_file"])
    fail(throttling, user, FREE)
    hold_long(db)
    signed = application.sign("login", email=user.email, password=user.password)
    claims = db.value("SELECT count(*) FROM claimed_write")
    assert_throttled(throttling.call(**signed))
    assert db.value("SELECT count(*) FROM claimed_write") == claims
    let_time_pass(db, 64)
    assert throttling.call(**signed).info is None
    assert throttling.call(**signed).info == "REQUEST REPLAYED"


def test_a_million_subjects_are_the_most(start_service, db, user):
    service = start_service(**LIMITS)
    fail(service, user, 1, source=HERE)
    fail(service, user, 1, source=ELSEWHERE[0])
    assert db.value("SELECT count(*) FROM login_throttle") == 3
    db.run("UPDATE login_throttle SET counted = counted - 1000001")
    fail(service, user, 1, source=HERE)
    assert db.value("SELECT count(*) FROM login_throttle") == 2


def test_what_is_forgotten_goes(start_service, db, user, bob):
    service = start_service(**LIMITS)
    for number in range(10):
        service.call("login", email=f"nobody{number}@example.org", password="wrong")
    let_time_pass(db, 86401)
    for _ in range(3):
        fail(service, user, 1)
    assert db.value("SELECT count(*) FROM login_throttle") == 2


def test_what_was_counted_before_an_upgrade_counts(folder, postgres):
    """Of an account from wherever it was tried, and of an address."""
    postgres.create_database("older_logins")
    schema = folder.make("schema")
    for path in sorted((TOP / "schema").glob("000[1-5]-*.sql")):
        shutil.copy(path, schema)
    other = Service(folder, postgres, database="older_logins", workers=2, schema_directory=schema, **LIMITS)
    assert other.ctl("migrate").returncode == 0
    with contextlib.closing(postgres.connect("mapdiary_owner", "older_logins")) as connection:
        rows = Rows(connection)
        rows.run("INSERT INTO login_throttle (subject, failures) SELECT sha256(convert_to('account ' || n || '@example.org', 'UTF8')),"
                 " 100 FROM generate_series(1, 1000) n")
        for path in (TOP / "schema").glob("0*-*.sql"):
            shutil.copy(path, schema)
        assert other.ctl("migrate").returncode == 0
        other.start()
        assert_throttled(other.call("login", email="1@example.org", password="x"), 900)
        assert other.call("login", email="1001@example.org", password="x").info == "PASSWORD INCORRECT"
        assert rows.value("SELECT count(*) FROM login_throttle") == 1002
    other.stop()


# Networks and services.


@pytest.mark.few(1)
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

    began = time.monotonic()
    answers = at_once(*[log_in_when_there_is_room] * 12)
    infos = [answer.info for answer in answers]
    counted = infos.count("PASSWORD INCORRECT")
    # The first wait is a second, and the next one two: on a slow machine they may be over.
    assert FREE <= counted <= FREE + math.log2(1 + time.monotonic() - began)
    assert infos.count("TOO MANY ATTEMPTS") == 12 - counted


def test_nothing_that_was_typed_is_kept(start_service, db, user):
    service = start_service(**LIMITS)
    service.call("login", email="my-secret-password", password="wrong")
    held = str(db.run("SELECT t::text FROM login_throttle t"))
    assert "my-secret-password" not in held and "127.0.0.1" not in held
    assert db.value("SELECT count(*) FROM login_throttle") == 2
