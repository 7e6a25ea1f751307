"""mapdiaryctl key ..., session list, revoke and purge."""

import json
import re
import stat

import pytest

import signing
from ctl import ABSENT, CONFIGURATION, EXISTS, USAGE, done, refused, shown, table
from samples import ALBUM
from service import Service


@pytest.fixture
def fresh_service(folder, postgres, service):
    """One that has no master key yet; it is not started."""
    return Service(folder, postgres)


# Keys.


def test_init(fresh_service):
    path = fresh_service.settings["master_key_file"]
    assert done(fresh_service, "key", "init") == f"{path}\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    master = path.read_text()
    assert re.fullmatch("[0-9a-f]{64}\n", master)
    assert f"{path}: ALREADY EXISTS" in refused(fresh_service, EXISTS, "key", "init")
    assert path.read_text() == master


def test_init_where_nothing_can_be_made(fresh_service):
    path = fresh_service.settings["master_key_file"]
    fresh_service.conf.write_text(fresh_service.conf.read_text().replace(str(path), str(path / "no" / "folder")))
    assert "No such file or directory" in refused(fresh_service, 1, "key", "init")


def test_a_service_takes_the_first_key_without_a_restart(start_service, alice):
    service = start_service()
    application = signing.Application("00" * 16, "x")
    assert service.call(**application.sign("addAlbum", **ALBUM)).info == "KEY UNKNOWN"
    done(service, "key", "init")
    lines = re.fullmatch("key=([0-9a-f]{32})\nsecret=([0-9a-f]{64})\n", done(service, "key", "add", "my app"))
    application = signing.Application(*lines.groups())
    assert service.call(**application.sign("addAlbum", **ALBUM), user=alice).info is None
    done(service, "key", "revoke", application.key.upper())
    for _ in range(10):
        assert service.call(**application.sign("addAlbum", **ALBUM), user=alice).info == "KEY UNKNOWN"


def test_secret_is_derived(fresh_service, db):
    """By what the manual says, with Python's own HMAC; and it is nowhere but there."""
    done(fresh_service, "key", "init")
    key, secret = re.findall("=(.*)", done(fresh_service, "key", "add", "a"))
    assert signing.secret_of(fresh_service.settings["master_key_file"].read_text().strip(), key) == secret
    assert secret not in done(fresh_service, "key", "list") + str(db.run("SELECT * FROM application_key"))
    assert re.findall("=(.*)", done(fresh_service, "key", "add", "a"))[0] != key


def test_list(fresh_service, db):
    db.run("DELETE FROM application_key")
    assert shown(fresh_service, "key", "list") == []
    done(fresh_service, "key", "init")
    keys = [re.search("key=(.*)", done(fresh_service, "key", "add", name))[1] for name in ("one", "名\tname")]
    done(fresh_service, "key", "revoke", keys[0])
    listed = shown(fresh_service, "key", "list")
    assert [(row["key"], row["name"]) for row in listed] == [(keys[0], "one"), (keys[1], "名\tname")]
    assert listed[0]["revoked"] >= listed[0]["created"] and listed[1]["revoked"] is None
    assert table(done(fresh_service, "key", "list"))[0] == ["key", "name", "created", "revoked"]
    # Again is no error, and the day stays.
    done(fresh_service, "key", "revoke", keys[0])
    assert shown(fresh_service, "key", "list") == listed


@pytest.mark.parametrize("arguments, status, reason", [
    (["add"], USAGE, "NAME: missing"),
    (["add", ""], USAGE, "NAME: "),
    (["add", "a\nb"], USAGE, "NAME: "),
    (["add", "a"], ABSENT, "mapdiaryctl key init"),
    (["revoke"], USAGE, "KEY: missing"),
    (["revoke", "x"], USAGE, "KEY: 'x' is not 32 hexadecimal digits"),
    (["revoke", "00" * 16], ABSENT, "NOT FOUND"),
])
def test_wrongly(fresh_service, db, arguments, status, reason):
    with db.unchanged():
        assert reason in refused(fresh_service, status, "key", *arguments)


def test_a_master_key_that_others_can_read_is_refused(fresh_service, db):
    done(fresh_service, "key", "init")
    fresh_service.settings["master_key_file"].chmod(0o640)
    with db.unchanged():
        assert "0600" in refused(fresh_service, CONFIGURATION, "key", "add", "a")


# Sessions.


def works(service, cookie):
    return service.call("addAlbum", cookie=cookie, **ALBUM).info is None


@pytest.fixture
def cookies(service, new_user, new_session):
    """A user and the cookies of two sessions."""
    user = new_user()
    return user, [user.cookie, f"id={user.id}; idrand={new_session(user)}"]


def test_session_list(service, cookies, db):
    user, both = cookies
    listed = shown(service, "session", "list", "--user", user.email)
    assert [(row["userID"], row["email"]) for row in listed] == [(user.id, user.email)] * 2
    assert all(row["expires"] > row["created"] for row in listed)
    assert {row["session"] for row in listed} == set(
        db.column("SELECT encode(token_hash, 'hex') FROM session WHERE user_id = %s", user.id))
    assert not any(cookie[-32:] in str(listed) for cookie in both)
    everybody = shown(service, "session", "list")
    assert [row for row in everybody if row["userID"] == user.id] == listed and len(everybody) > 2
    assert table(done(service, "session", "list"))[0] == ["session", "userID", "email", "created", "expires"]


def test_session_revoke_one(service, cookies):
    user, (first, second) = cookies
    session = shown(service, "session", "list", "--user", user.id)[0]["session"]
    assert done(service, "session", "revoke", session) == "1\n"
    assert (works(service, first), works(service, second)) == (False, True)
    assert "NOT FOUND" in refused(service, ABSENT, "session", "revoke", session)


def test_session_revoke_all_of_a_user(service, cookies, alice):
    user, both = cookies
    assert done(service, "session", "revoke", "--user", user.id) == "2\n"
    assert [works(service, cookie) for cookie in both] == [False, False]
    assert works(service, alice.cookie)
    assert done(service, "session", "revoke", "--user", user.id) == "0\n"


@pytest.mark.parametrize("arguments, status", [
    ([], USAGE), (["x"], USAGE), (["00" * 32], ABSENT), (["--user", "nobody@example.org"], ABSENT),
])
def test_session_revoke_wrongly(service, db, arguments, status):
    with db.unchanged():
        refused(service, status, "session", "revoke", *arguments)


def test_session_revoke_takes_a_session_or_a_user(service, db, alice):
    with db.unchanged():
        refused(service, USAGE, "session", "revoke", "00" * 32, "--user", alice.id)


def test_session_purge(service, cookies, db):
    user, (first, second) = cookies
    done(service, "session", "purge")
    db.run("UPDATE session SET created_at = now() - interval '2 h', expires_at = now() - interval '1 h'"
           " WHERE token_hash = (SELECT token_hash FROM session WHERE user_id = %s ORDER BY created_at LIMIT 1)", user.id)
    db.run("INSERT INTO login_throttle (subject, failures, last_attempt) VALUES (sha256('a'), 1, now() - interval '2 d')")
    assert len(shown(service, "session", "list", "--user", user.id)) == 1
    assert done(service, "session", "purge") == "1\n"
    assert db.value("SELECT count(*) FROM session WHERE user_id = %s", user.id) == 1
    assert db.value("SELECT count(*) FROM login_throttle WHERE last_attempt < now() - interval '1 d'") == 0
    assert works(service, second)


@pytest.mark.slow
def test_doctor_looks_at_the_master_key(fresh_service, db):
    def finding():
        rows = {row["check"]: row for row in json.loads(fresh_service.doctor("--json").stdout)}
        return rows["key file"]["state"], rows["key file"]["finding"]

    path = fresh_service.settings["master_key_file"]
    count = db.value("SELECT count(*) FROM application_key")
    assert finding() == (("FAILED", f"{path}: not there; {count} applications have keys") if count
                         else ("ok", f"{path}: not there; nobody has a key"))
    fresh_service.conf.write_text(fresh_service.conf.read_text() + "signatures = require\n")
    assert finding()[0] == "FAILED"
    done(fresh_service, "key", "init")
    assert finding() == ("ok", f"{path}: good")
    path.chmod(0o644)
    assert finding()[0] == "FAILED"
