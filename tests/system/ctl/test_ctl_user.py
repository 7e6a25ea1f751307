"""mapdiaryctl user ..."""

import os
import pty
import signal
import subprocess
import termios

import pytest

from ctl import ABSENT, EXISTS, USAGE, done, refused, shown, table
from samples import ALBUM, BLOG
from service import BUILD, ENVIRONMENT

COMMANDS_ON_A_USER = [["show"], ["passwd"], ["update", "--name", "new"], ["disable"], ["enable"], ["delete", "--yes"]]


def can_log_in(service, user, password=None):
    return service.call("login", email=user.email, password=password or user.password).info is None


def test_add(service, db):
    user = int(done(service, "user", "add", "--email", "New@example.org", "--name", "新人", "--icon", "i.png", text="pw\n"))
    assert db.run("SELECT email, name, icon FROM user_account WHERE user_id = %s", user) == [
        ("New@example.org", "新人", "i.png")]
    assert service.call("login", email="new@EXAMPLE.org", password="pw").info is None


def test_add_again(service, db, alice):
    with db.unchanged():
        assert refused(service, EXISTS, "user", "add", "--email", alice.email.upper(), "--name", "x", text="pw\n") == (
            f"mapdiaryctl: {alice.email.upper()}: ALREADY EXISTS\n")


@pytest.mark.parametrize("arguments, password, reason", [
    (["--email", "x@example.org"], "pw\n", "--name: missing"),
    (["--email", "x@example.org", "--name", ""], "pw\n", "--name: '' is not one line of 1 to 255 characters"),
    (["--email", "x@example.org", "--name", "a\nb"], "pw\n", "--name: "),
    (["--email", "x@example.org", "--name", "x" * 256], "pw\n", "--name: "),
    (["--email", "x@example.org", "--name", "x"], "\n", "password: not one line of 1 to 1024 characters"),
    (["--email", "x@example.org", "--name", "x"], "pw\0secret\n", "password: not one line of 1 to 1024 characters"),
    (["--email", "x@example.org", "--name", "x"], "", "password: "),
])
def test_add_wrongly(service, db, arguments, password, reason):
    with db.unchanged():
        assert reason in refused(service, USAGE, "user", "add", *arguments, text=password)


def test_show(service, new_user):
    user = new_user("展示", icon="https://example.org/i.png")
    service.ok("addAlbum", user=user, **ALBUM)
    service.ok("postBlog", user=user, **BLOG)
    got = shown(service, "user", "show", user.id)
    assert got.pop("created").endswith("Z")
    assert got == {"userID": user.id, "email": user.email, "name": "展示", "icon": user.icon, "disabled": False, "blocked": False,
                   "albums": 1, "POIs": 0, "blogs": 1, "comments": 0, "sessions": 1, "reward": 10}
    assert shown(service, "user", "show", user.email.upper())["userID"] == user.id
    assert f"email: {user.email}\nname: 展示\n" in done(service, "user", "show", user.id)


def test_list(service, db, new_user):
    user = new_user("tab\tand <quote> \"\\")
    everybody = shown(service, "user", "list")
    assert [row["userID"] for row in everybody] == db.column("SELECT user_id FROM user_account ORDER BY user_id")
    assert everybody[-1]["name"] == user.name
    lines = table(done(service, "user", "list"))
    assert lines[0] == ["userID", "email", "name", "disabled", "blocked", "created"]
    assert lines[-1][:4] == [str(user.id), user.email, "tab\\tand <quote> \"\\\\", "false"]
    assert shown(service, "user", "list", "--limit", 1) == everybody[:1]
    assert shown(service, "user", "list", "--after", everybody[0]["userID"]) == everybody[1:]
    assert shown(service, "user", "list", "--after", user.id) == []
    assert [row["userID"] for row in shown(service, "user", "list", "--with", "AND <QUO")] == [user.id]
    assert [row["userID"] for row in shown(service, "user", "list", "--with", user.email)] == [user.id]
    assert shown(service, "user", "list", "--with", "nobody at all") == []
    assert done(service, "user", "list", "--with", "nobody at all") == ""


@pytest.mark.parametrize("limit", ["0", "-1", "x"])
def test_list_limit(service, limit):
    assert "--limit" in refused(service, USAGE, "user", "list", f"--limit={limit}")


def test_passwd_ends_sessions(service, new_user):
    user = new_user()
    done(service, "user", "passwd", user.id, text="other\n")
    assert not can_log_in(service, user) and can_log_in(service, user, "other")
    assert service.call("logout", user=user).info == "LOGIN REQUIRED"


def type_at_terminal(service, *arguments, lines):
    """Runs mapdiaryctl at a terminal; returns its status and what the terminal showed."""
    master, slave = pty.openpty()
    process = subprocess.Popen([BUILD / "mapdiaryctl", "-c", service.conf, *map(str, arguments)], stdin=slave, stdout=slave,
                               stderr=slave, env=ENVIRONMENT, start_new_session=True)
    os.close(slave)
    seen = b""
    for prompt, line in lines:
        while prompt not in seen.split(b"\n")[-1]:
            seen += os.read(master, 1024)
        os.write(master, line + b"\n")
        seen += b"\n"
    status = process.wait(30)
    try:
        while more := os.read(master, 1024):
            seen += more
    except OSError:  # what a terminal without a process answers
        pass
    os.close(master)
    return status, seen


def test_password_at_a_terminal(service, new_user):
    user = new_user()
    lines = [(b"Password: ", b"typed in"), (b"Once more: ", b"typed in")]
    status, seen = type_at_terminal(service, "user", "passwd", user.id, lines=lines)
    assert status == 0 and b"typed" not in seen
    assert can_log_in(service, user, "typed in")


@pytest.fixture
def asking(service, new_user):
    """mapdiaryctl at the prompt of a terminal: the process, both ends of the terminal, and the user."""
    user = new_user()
    master, slave = pty.openpty()
    command = [BUILD / "mapdiaryctl", "-c", service.conf, "user", "passwd", str(user.id)]
    process = subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave, env=ENVIRONMENT, preexec_fn=take_signals)
    wait_for(master, b"Password: ")
    assert not is_echoed(slave)
    yield process, master, slave, user
    process.kill()
    process.wait()
    os.close(master)
    os.close(slave)


def take_signals():
    """What starts the tests may ignore these signals, and a process that is not in a group of its own is stopped with others."""
    os.setpgrp()
    for number in signal.SIGINT, signal.SIGQUIT, signal.SIGTSTP:
        signal.signal(number, signal.SIG_DFL)


def wait_for(terminal, prompt):
    seen = b""
    while not seen.endswith(prompt):
        seen += os.read(terminal, 1024)


def is_echoed(terminal):
    return bool(termios.tcgetattr(terminal)[3] & termios.ECHO)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGQUIT, signal.SIGTERM])
def test_a_signal_at_the_prompt_gives_the_echo_back(service, asking, number):
    process, _, slave, user = asking
    process.send_signal(number)
    assert process.wait(30) == -number and is_echoed(slave)
    assert can_log_in(service, user)


def test_password_after_a_stop(service, asking):
    process, master, slave, user = asking
    process.send_signal(signal.SIGTSTP)
    assert os.WIFSTOPPED(os.waitpid(process.pid, os.WUNTRACED)[1]) and is_echoed(slave)
    process.send_signal(signal.SIGCONT)
    for prompt in b"Password: ", b"Once more: ":
        wait_for(master, prompt)
        assert not is_echoed(slave)
        os.write(master, b"typed in\n")
    assert process.wait(30) == 0 and is_echoed(slave)
    assert can_log_in(service, user, "typed in")


def test_password_typed_differently(service, new_user):
    user = new_user()
    lines = [(b"Password: ", b"typed in"), (b"Once more: ", b"typed on")]
    status, seen = type_at_terminal(service, "user", "passwd", user.id, lines=lines)
    assert status == USAGE and b"typed differently" in seen
    assert can_log_in(service, user)


@pytest.mark.parametrize("answer, status", [(b"y", 0), (b"n", 77), (b"", 77)])
def test_delete_asks_at_a_terminal(service, db, new_user, answer, status):
    user = new_user()
    got, seen = type_at_terminal(service, "user", "delete", user.id, lines=[(b"[y/N] ", answer)])
    assert (got, b"for good" in seen) == (status, True)
    assert len(db.run("SELECT 1 FROM user_account WHERE user_id = %s", user.id)) == (status != 0)


def test_update(service, db, new_user):
    user = new_user()
    done(service, "user", "update", user.email, "--name", "新名字")
    done(service, "user", "update", user.id, "--icon", "https://example.org/new.png")
    assert db.run("SELECT email, name, icon FROM user_account WHERE user_id = %s", user.id) == [
        (user.email, "新名字", "https://example.org/new.png")]
    done(service, "user", "update", user.id, "--icon", "")
    assert db.value("SELECT icon FROM user_account WHERE user_id = %s", user.id) == ""
    with db.unchanged():
        assert "nothing to change" in refused(service, USAGE, "user", "update", user.id)
        refused(service, USAGE, "user", "update", user.id, "--name", "")
        refused(service, USAGE, "user", "update", user.id, "--icon", "x" * 2001)
        refused(service, USAGE, "user", "update", user.id, "--email", "nobody")


def test_another_email_address(service, db, new_user):
    """The user logs in with it from then on, and sessions go on."""
    user, other = new_user(), new_user()
    before, address = user.email, f"New{user.id}@example.org"
    done(service, "user", "update", user.id, "--email", address)
    assert service.call("login", email=address.lower(), password=user.password).info is None
    assert service.call("login", email=before, password=user.password).info == "PASSWORD INCORRECT"
    assert service.call("addAlbum", user=user, **ALBUM).info is None
    assert shown(service, "user", "show", address)["userID"] == user.id
    done(service, "user", "update", address, "--email", address.upper())
    with db.unchanged():
        assert refused(service, EXISTS, "user", "update", user.id, "--name", "x", "--email", other.email.upper()) == (
            f"mapdiaryctl: {other.email.upper()}: ALREADY EXISTS\n")
    done(service, "user", "update", user.id, "--email", before)


def test_disable_and_enable(service, new_user):
    user = new_user()
    done(service, "user", "disable", user.id)
    assert not can_log_in(service, user)
    assert service.call("logout", user=user).info == "LOGIN REQUIRED"
    assert refused(service, ABSENT, "session", "add", "--user", user.id)
    assert shown(service, "user", "show", user.id)["disabled"] is True
    done(service, "user", "enable", user.id)
    assert can_log_in(service, user)


def test_delete(service, db, new_user):
    user = new_user()
    album = service.ok("addAlbum", user=user, **ALBUM)["albumID"]
    done(service, "user", "delete", user.id, "--yes")
    assert service.call("getAlbum", albumID=album).info == "ALBUM NOT FOUND"
    assert db.run("SELECT 1 FROM user_account WHERE user_id = %s", user.id) == []


@pytest.mark.parametrize("command", COMMANDS_ON_A_USER, ids=" ".join)
@pytest.mark.parametrize("user", ["999999999", "nobody@example.org"])
def test_nobody(service, db, command, user):
    with db.unchanged():
        assert refused(service, ABSENT, "user", command[0], user, *command[1:], text="pw\n") == (
            f"mapdiaryctl: user {user}: USER NOT FOUND\n")


@pytest.mark.parametrize("user", ["0", "-1", "x", "9223372036854775808", "", "a\n@b"])
def test_no_user_at_all(service, user):
    assert "is not the identifier of a user, or an email address" in refused(service, USAGE, "user", "show", "--", user)
