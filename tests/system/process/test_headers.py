"""What each answer says of what a browser may do with it: once, whoever answers."""

import functools
import re

import pytest

from samples import ALBUM
from service import WEB

POLICY = {
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "cross-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
ORIGIN = ("Origin", "https://elsewhere.example")

ANSWERS = {
    "a read": lambda service, user, tag: service.call("getUserAlbumList", userID=user.id),
    "not modified": lambda service, user, tag: service.call("getUserAlbumList", userID=user.id, headers=[("If-None-Match", tag)]),
    "HEAD": lambda service, user, tag: service.call("getUserAlbumList", userID=user.id, method="HEAD"),
    "JSON": lambda service, user, tag: service.call("getUserAlbumList", userID=user.id, responseFormat="JSON"),
    "a feed": lambda service, user, tag: service.call("getBlogList", responseFormat="Atom"),
    "a session's": lambda service, user, tag: service.call("getMe", user=user),
    "a write": lambda service, user, tag: service.call("addAlbum", user=user, **ALBUM),
    "a write again": lambda service, user, tag: [
        service.call("addAlbum", user=user, headers=[("Idempotency-Key", "policy")], **ALBUM) for _ in range(2)][1],
    "a login": lambda service, user, tag: service.call("login", email=user.email, password=user.password),
    "a refusal": lambda service, user, tag: service.call("x"),
    "a malformed one": lambda service, user, tag: service.request(query="%"),
    "a method": lambda service, user, tag: service.request("PUT"),
    "another site's": lambda service, user, tag: service.call("getUserAlbumList", userID=user.id, headers=[ORIGIN]),
    "a preflight": lambda service, user, tag: service.request("OPTIONS", headers=[ORIGIN, ("Access-Control-Request-Method", "GET")]),
    "openapi.json": lambda service, user, tag: service.request(path="/openapi.json"),
    "no photo": lambda service, user, tag: service.request(path="/photos/x"),
    "too large": lambda service, user, tag: service.request("POST", body="x" * (23 << 20)),
    "no path": lambda service, user, tag: service.request(path="/API.php/x/y"),
}


def check(answer):
    for name, value in POLICY.items():
        assert answer.header(name) == value, name


@pytest.mark.parametrize("what", ANSWERS)
def test_answers_of_the_service(service, alice, what):
    tag = service.call("getUserAlbumList", userID=alice.id).header("ETag")
    check(ANSWERS[what](service, alice, tag))


def test_answers_out_of_the_microcache(start_service, alice):
    service = start_service(web=functools.partial(WEB, edit=WEB.microcache), cache_max_age="60s")
    for _ in range(3):
        check(service.call("getUserAlbumList", userID=alice.id))


def test_answers_of_the_web_server(start_service):
    service = start_service(workers=1)
    service.daemon.stop()
    answer = service.call("getUserAlbumList", userID=1)
    assert (answer.http_status, answer.info) == (503, "SERVICE UNAVAILABLE")
    check(answer)
    service.start_daemon()


def test_no_redirect_names_a_host(service):
    """Of folders without their last character there is none at all under Apache, whose redirects do."""
    folder = re.search(r'href="(\w+/css)/', service.request(path="/").body.decode())[1]
    answer = service.request(path=f"/{folder}")
    want = (301, f"/{folder}/") if service.web_server.name == "nginx" else (403, None)
    assert (answer.http_status, answer.header("Location")) == want
    assert service.request(path="/").http_status == 200


def test_no_version_of_nginx(service):
    for path in "/API.php", "/openapi.json", "/photos/x", "/", "/css", "/none":
        assert "/" not in (service.request(path=path).header("Server") or "") or service.web_server.name != "nginx", path
