"""What the logs say, and what they never say."""

import re

import pytest

import http_client
from samples import ALBUM

SECRETS = ["hunter2-secret", "unknown-secret", "query-secret", "misplaced-secret", "json-secret", "bad-secret"]


def lines_since(service, size):
    with open(service.log, "rb") as log:
        log.seek(size)
        return log.read().decode()


@pytest.fixture
def logged(service):
    """What has been logged since the test began."""
    size = service.log.stat().st_size
    return lambda: lines_since(service, size)


def requests_of(lines):
    """Those of requests: the processes may have something of their own to say at any time."""
    return [line for line in lines if " func=" in line]


def test_a_line_for_each_request(service, alice, logged):
    service.ok("addAlbum", user=alice, **ALBUM)
    service.call("getAlbum", albumID="x")
    service.call("nothing")
    lines = requests_of(logged().splitlines())
    assert [re.search(r'func=(\S+) outcome="(.*?)"', line).groups() for line in lines] == [
        ("addAlbum", "SUCCESS"), ("getAlbum", "INVALID PARAMETER: albumID"), ("-", "UNKNOWN FUNC")]
    for line in lines:
        assert re.search(r" us=\d+ .*address=127\.0\.0\.1\b", line)
    assert f"user={alice.id} " in lines[0]


@pytest.mark.parametrize("level", ["debug", "info"])
def test_no_password_and_no_token(start_service, new_user, new_session, postgres, level):
    service, user = start_service(log_level=level), new_user(password="hunter2-secret")
    tokens = [user.token, new_session(user), service.ok("login", email=user.email, password=user.password)["idrand"]]
    service.call("login", email=user.email, password="hunter2-secret!")
    service.call("login", email="nobody@example.org", password="unknown-secret")
    service.request("POST", query=f"func=login&email={user.email}&password=query-secret")
    service.request("GET", query=f"func=login&email={user.email}&password=query-secret")
    service.call("addAlbum", user=user, password="misplaced-secret", **ALBUM)
    service.call("login", email=user.email, password=b"bad-secret\xff")
    service.request("POST", body='{"password": "json-secret"}', headers=[("Content-Type", "application/json")])
    service.request("POST", body=f"func=login&password=bad-secret&password=bad-secret&email={user.email}")
    service.call("addAlbum", cookie=f"id={user.id}; idrand={tokens[0]}; idrand={tokens[1]}", **ALBUM)
    service.call("addAlbum", user=user, idrand=tokens[1], **ALBUM)
    service.call("logout", cookie=f"id={user.id}; idrand={tokens[2]}")
    service.call("logout", cookie=f"id={user.id}; idrand={tokens[2]}")
    for log in service.log, service.web_server.log, postgres.log:
        words = log.read_text(errors="replace")
        for secret in SECRETS + tokens:
            assert secret not in words, log


def test_nobody_forges_a_line(service, logged):
    service.request("POST", body="func=x&a%0A2026-01-01T00:00:00.000Z+[1]+error:+forged=1&a%0A2026-01-01T00:00:00.000Z+[1]+error:+forged=2")
    service.request("GET", query="func=getAlbum&albumID=1%0Aerror:+forged")
    lines = logged().splitlines()
    assert len(requests_of(lines)) == 2 and not any(line.startswith("2026-01-01") or line.startswith("error") for line in lines)


@pytest.mark.parametrize("level, shown", [("error", False), ("warning", False), ("notice", False), ("info", True)])
def test_levels(start_service, level, shown):
    service = start_service(log_level=level)
    service.call("getAlbum", albumID=1)
    assert ("func=getAlbum" in service.log.read_text()) == shown


@pytest.mark.parametrize("password", ["ctl-secret\n", "ctl-secret\nmore\n", ""])
def test_the_tool_does_not_repeat_a_password(service, password):
    for email in "tool@example.org", "tool@example.org", "":
        ran = service.ctl("user", "add", "--email", email, "--name", "Tool", text=password)
        assert "ctl-secret" not in ran.stdout + ran.stderr


def test_nobody_forges_a_field(service, logged):
    """What a client names stands within its quotes, however it is spelt."""
    name = 'x" us=0 user=1 address=10.9.8.7 \\" \u202e'
    service.request("GET", query=http_client.encode({"func": "getPOI", name: "1"}) + "&" + http_client.encode({name: "2"}))
    line, = requests_of(logged().splitlines())
    outside = re.sub(r'"(?:[^"\\]|\\.)*"', "", line)
    assert outside.count("user=") == outside.count("address=") == 1, line
    assert "DUPLICATE PARAMETER: x" in line and "\u202e" not in line
