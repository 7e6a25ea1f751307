"""Pages of other sites: what a browser lets them see, by the headers of every answer and of OPTIONS."""

import functools
import re
import subprocess
import time

import pytest

import http_client
from http_client import encode
from samples import ALBUM
from service import BUILD, ENVIRONMENT, WEB, Service, free_port, until

APP = "https://app.example"
LOCAL = "http://localhost:3000"
OTHER = "https://evil.example"
EXPOSED = "ETag, Retry-After, X-Request-ID"

TO_ALL = {"origin": "*"}
NOTHING = {}
STRANGERS = {"another": OTHER, "opaque": "null", "our own": "http://127.0.0.1", "none": None, "a part": APP[:-1], "two": f"{APP} {LOCAL}"}


def listed(origin):
    return {"origin": origin, "credentials": "true"}


def allowed(answer):
    """What the answer to a request allows. Each header is there once at most."""
    exposed = answer.header("Access-Control-Expose-Headers")
    found = {what: answer.header(f"Access-Control-Allow-{what}") for what in ("origin", "credentials")}
    found = {what: value for what, value in found.items() if value is not None}
    assert exposed == (EXPOSED if found else None)
    return found


@pytest.fixture(scope="module")
def listing(start_service_for_module):
    return start_service_for_module(allowed_origins=f"{APP}  {LOCAL}", workers=2)


def varies(answer):
    """Apache writes the list anew."""
    value = answer.header("Vary")
    return value and re.sub(", *", ", ", value)


def origin_header(origin):
    return [("Origin", origin)] if origin else []


def answers_of_all_kinds(service, user, things, origin):
    """(Whether it is a read without cookies, the answer) of whatever mapdiaryd answers."""
    headers = origin_header(origin)
    read = {"userID": user.id}
    yield True, service.call("getUserAlbumList", headers=headers, **read)
    yield True, service.call("getUserAlbumList", headers=headers, method="HEAD", **read)
    yield True, service.call("getUserAlbumList", headers=headers, method="POST", **read)
    yield True, service.call("getUserAlbumList", headers=headers, responseFormat="JSON", **read)
    yield True, service.call("getUserAlbumList", headers=headers, responseFormat="YAML", **read)
    yield True, service.call("getAlbum", headers=headers, albumID=2**62)
    yield True, service.call("getAlbum", headers=headers)
    yield True, service.request(path="/API.php/getAlbum", query="albumID=1", headers=headers)
    yield False, service.request(path="/API.php/getAlbums", query="albumID=1", headers=headers)
    yield True, service.call("getAlbum", headers=headers, albumID=1, sig="")
    tag = service.call("getUserAlbumList", **read).header("ETag")
    known = service.call("getUserAlbumList", headers=[*headers, ("If-None-Match", tag)], **read)
    assert known.http_status == 304
    yield True, known
    yield False, service.call("getUserAlbumList", headers=headers, user=user, **read)
    yield False, service.call("getBlog", headers=headers, user=user, blogID=things["blog"])
    yield False, service.call("getAlbum", headers=headers, cookie="theme=dark", albumID=things["album"])
    yield False, service.call("addAlbum", headers=headers, user=user, **ALBUM)
    yield False, service.call("addAlbum", headers=headers, **ALBUM)
    yield False, service.call("addAlbum", headers=headers, method="GET", **ALBUM)
    yield False, service.call("login", headers=headers, email=user.email, password="wrong")
    yield False, service.call("nothing", headers=headers)
    yield False, service.request(headers=headers)
    yield False, service.request(query="%", headers=headers)
    yield False, service.request(query="func=getAlbum&func=getAlbum", headers=headers)
    yield False, service.request("PUT", headers=headers)
    yield False, service.request("POST", body="x", headers=[*headers, ("Content-Type", "text/plain")])
    yield False, service.request("POST", body="&".join(f"a{n}=" for n in range(65)), headers=headers)


@pytest.mark.parametrize("origin", [APP, LOCAL])
def test_a_listed_origin_sees_every_answer(listing, alice, things, origin):
    for _, answer in answers_of_all_kinds(listing, alice, things, origin):
        assert allowed(answer) == listed(origin)
        assert varies(answer) == "Cookie, Origin"


@pytest.mark.parametrize("origin", STRANGERS)
def test_all_others_see_what_everybody_may_read(listing, alice, things, origin):
    for is_open, answer in answers_of_all_kinds(listing, alice, things, STRANGERS[origin]):
        assert allowed(answer) == (TO_ALL if is_open else NOTHING)
        assert varies(answer) == "Cookie, Origin"


@pytest.mark.parametrize("origin", [APP, *STRANGERS.values()])
def test_without_a_list(service, alice, things, origin):
    for is_open, answer in answers_of_all_kinds(service, alice, things, origin):
        assert allowed(answer) == (TO_ALL if is_open else NOTHING)
        assert varies(answer) == ("Cookie" if answer.header("ETag") else None)


def test_a_long_list(listing, db, new_user):
    """It is sent while it is written."""
    user = new_user()
    db.run("INSERT INTO album (owner_id, title, slot, lat, lng) SELECT %s, repeat('x', 200), 1, 0, 0"
           " FROM generate_series(1, 8000)", user.id)
    for origin, want in (APP, listed(APP)), (OTHER, TO_ALL):
        answer = listing.call("getUserAlbumList", userID=user.id, headers=origin_header(origin))
        assert len(answer.body) > 2**21 and answer.header("ETag") is None and allowed(answer) == want


def test_when_the_database_is_away(folder, postgres, alice):
    away = Service(folder, postgres, database="nowhere", workers=1, allowed_origins=APP).start()
    for origin, want in (APP, listed(APP)), (OTHER, TO_ALL):
        answer = away.call("getAlbum", albumID=1, headers=origin_header(origin))
        assert (answer.http_status, allowed(answer)) == (503, want)
    away.stop()


def test_a_repeated_write_is_for_who_asks_now(listing, alice):
    """What is kept of an answer does not tell another origin's page that it may see it."""
    headers = [("Idempotency-Key", f"{time.monotonic_ns()}")]
    seen = [listing.call("addAlbum", user=alice, headers=headers + origin_header(origin), **ALBUM) for origin in (APP, LOCAL, None)]
    assert len({answer.body for answer in seen}) == 1
    assert [allowed(answer) for answer in seen] == [listed(APP), listed(LOCAL), NOTHING]
    assert {varies(answer) for answer in seen} == {"Cookie, Origin"}


def test_the_description_is_open_to_all(listing, service, alice):
    """Also to those who send cookies, as it is the same for all."""
    for cookies in [], [("Cookie", alice.cookie)]:
        for origin, want in (APP, listed(APP)), (OTHER, TO_ALL), (None, TO_ALL):
            answer = listing.request(path="/openapi.json", headers=origin_header(origin) + cookies)
            assert (answer.http_status, allowed(answer), varies(answer)) == (200, want, "Cookie, Origin")
            answer = service.request(path="/openapi.json", headers=origin_header(origin) + cookies)
            assert (answer.http_status, allowed(answer), varies(answer)) == (200, TO_ALL, None if cookies else "Cookie")


# OPTIONS.


def ask(service, origin, path="/API.php", method="POST"):
    lines = [f"OPTIONS {path} HTTP/1.1", "Host: diary.example", "Connection: close", f"Access-Control-Request-Method: {method}",
             "Access-Control-Request-Headers: content-type,idempotency-key"]
    lines += [f"Origin: {origin}"] if origin else []
    return service.raw(("\r\n".join(lines) + "\r\n\r\n").encode())


def assert_preflight(answer, origin, methods, vary):
    assert (answer.http_status, answer.body) == (204, b"")
    assert answer.header("Access-Control-Allow-Origin") == origin
    assert answer.header("Access-Control-Allow-Credentials") == (None if origin == "*" else "true")
    assert answer.header("Access-Control-Allow-Methods") == methods
    assert answer.header("Access-Control-Allow-Headers") == "Content-Type, Idempotency-Key, If-None-Match"
    assert varies(answer) == vary
    assert answer.header("Cache-Control") == "no-store"
    assert answer.header("Content-Type") is None and answer.header("Content-Length") in (None, "0")
    assert answer.header("X-Request-ID") and answer.header("X-Content-Type-Options") == "nosniff"


PATHS = ["/API.php", "/API.php/addAlbum", "/API.php/", "/API.php/a/b", "/openapi.json", "/API.php?func=getAlbum&albumID=1",
         "/API.php?func=addAlbum", "/API.php?%", "/API.php?func=nothing"]


@pytest.mark.parametrize("path", PATHS)
def test_preflight(listing, service, db, path):
    with db.unchanged():
        for method in "POST", "GET", "DELETE":
            assert_preflight(ask(listing, APP, path, method), APP, "GET, HEAD, POST", "Cookie, Origin")
            for origin in OTHER, "null", "http://diary.example", None:
                assert_preflight(ask(listing, origin, path, method), "*", "GET, HEAD", "Cookie, Origin")
            for origin in APP, OTHER, None:
                assert_preflight(ask(service, origin, path, method), "*", "GET, HEAD", None)


@pytest.mark.parametrize("variables", [
    {"SCRIPT_NAME": "/API.php"}, {"SCRIPT_NAME": "/API.php", "PATH_INFO": "/addAlbum"}, {"SCRIPT_NAME": "/openapi.json"},
    {"QUERY_STRING": "%"}, {"CONTENT_TYPE": "text/plain"}, {"HTTP_COOKIE": "id=1; idrand=x"}, {"CONTENT_LENGTH": "3"},
])
def test_preflight_comes_before_anything_else(listing, variables):
    for body in b"", b"func=addAlbum":
        answer = listing.fastcgi(body, REQUEST_METHOD="OPTIONS", HTTP_ORIGIN=APP, **variables)
        assert_preflight(answer, APP, "GET, HEAD, POST", "Cookie, Origin")


def test_preflight_is_logged(listing):
    ask(listing, APP)
    assert 'func=- outcome="SUCCESS"' in listing.log.read_text()


# Writes by a page of a listed origin, as a browser sends them.


def test_a_page_of_a_listed_origin_writes(listing, db, alice):
    """The preflight, the write with its cookies, and the same once more; a page of another does not come so far."""
    browser = [("Origin", APP), ("Sec-Fetch-Site", "cross-site"), ("Idempotency-Key", f"{time.monotonic_ns()}")]
    assert_preflight(ask(listing, APP), APP, "GET, HEAD, POST", "Cookie, Origin")
    answers = [listing.call("addAlbum", user=alice, headers=browser, responseFormat="JSON", **ALBUM) for _ in range(2)]
    assert answers[0].body == answers[1].body and b'"SUCCESS"' in answers[0].body
    assert [allowed(answer) for answer in answers] == [listed(APP)] * 2
    with db.unchanged():
        foreign = listing.call("addAlbum", user=alice, headers=[("Origin", OTHER), ("Sec-Fetch-Site", "cross-site")], **ALBUM)
        assert (foreign.info, allowed(foreign)) == ("CROSS-SITE REQUEST", NOTHING)


# Cookies.


def cookies_of(answer):
    return [value for name, value in answer.headers if name == "set-cookie"]


@pytest.mark.parametrize("https, has_list, attributes", [
    ("on", True, "SameSite=None; Secure"), ("on", False, "SameSite=Lax; Secure"), ("", True, "SameSite=Lax"), ("", False, "SameSite=Lax"),
])
def test_cookies(listing, service, alice, new_session, https, has_list, attributes):
    to = listing if has_list else service
    variables = {"REQUEST_METHOD": "POST", "CONTENT_TYPE": http_client.FORM, "HTTPS": https}
    login = to.fastcgi(encode({"func": "login", "email": alice.email, "password": alice.password}).encode(), **variables)
    ended = to.fastcgi(b"func=logout", HTTP_COOKIE=f"id={alice.id}; idrand={new_session(alice)}", **variables)
    assert login.info is None and ended.info is None
    for answer in login, ended:  # else the browser would not take them back
        assert [cookie.partition("HttpOnly; ")[2] for cookie in cookies_of(answer)] == [attributes] * 2


def test_cookies_through_tls(start_service, alice):
    port = free_port()
    start_service(web=functools.partial(WEB, tls=port), allowed_origins=APP)
    form = encode({"func": "login", "email": alice.email, "password": alice.password})
    got = subprocess.run(
        ["curl", "--silent", "--insecure", "--include", "--data", form, "-H", f"Origin: {APP}", f"https://127.0.0.1:{port}/API.php"],
        check=True, capture_output=True, text=True, env=ENVIRONMENT).stdout
    assert got.count("; SameSite=None; Secure") == 2 and f"Access-Control-Allow-Origin: {APP}" in got


# Caches.


@pytest.fixture(scope="module")
def cached(start_service_for_module):
    return start_service_for_module(web=functools.partial(WEB, edit=WEB.microcache), allowed_origins=f"{APP} {LOCAL}",
                                    cache_max_age="5s")


@pytest.mark.parametrize("first, second", [(APP, LOCAL), (APP, OTHER), (OTHER, APP), (APP, None), (None, APP)])
def test_a_cache_tells_origins_apart(cached, first, second):
    query = f"func=getCategoryPOIList&category=3&x={time.monotonic_ns()}"
    for _ in range(2):  # the second time from the cache, where there was no second between
        for origin in first, second, OTHER:
            answer = cached.request(query=query, headers=origin_header(origin))
            assert answer.info is None and allowed(answer) == (listed(origin) if origin in (APP, LOCAL) else TO_ALL)
            known = cached.request(query=query, headers=[*origin_header(origin), ("If-None-Match", answer.header("ETag"))])
            assert known.http_status == 304
            assert known.header("Access-Control-Allow-Origin") == answer.header("Access-Control-Allow-Origin")
            assert known.header("Access-Control-Allow-Credentials") == answer.header("Access-Control-Allow-Credentials")


def test_the_cache_serves_each_origin(cached):
    def asked():
        query = f"func=getCategoryPOIList&category=3&x={time.monotonic_ns()}"
        before, began = cached.log.read_text().count("func=getCategoryPOIList"), time.monotonic()
        for _ in range(4):
            for origin in APP, OTHER:
                cached.request(query=query, headers=origin_header(origin))
        # It keeps them for five seconds.
        return cached.log.read_text().count("func=getCategoryPOIList") - before if time.monotonic() - began < 4 else None

    assert until(asked, "as many reads in less time than it keeps them") == 2


def test_a_preflight_is_in_no_cache(cached):
    for origin, want in (APP, APP), (OTHER, "*"), (APP, APP):
        answer = ask(cached, origin, "/API.php?func=getCategoryPOIList&category=3")
        assert answer.header("Access-Control-Allow-Origin") == want


# The key.


@pytest.mark.parametrize("value, right", [
    ("", True), (APP, True), (f"{APP}   {LOCAL}", True), ("http://[::1]:3000", True),
    ("app.example", False), (f"{APP}/", False), (f"{APP}/path", False), ("https://App.example", False), ("*", False),
    ("null", False), (f"{APP}, {LOCAL}", False), (f"{APP}:443", False), (f"{LOCAL} *", False),
])
def test_what_no_browser_sends_is_no_origin(folder, postgres, value, right):
    service = Service(folder, postgres, allowed_origins=value)
    tested = subprocess.run([BUILD / "mapdiaryd", "-t", "--offline", "-c", service.conf], capture_output=True, text=True, timeout=20)
    assert tested.returncode == (0 if right else 78), tested
    assert right or f"{service.conf}:{len(service.settings)}: allowed_origins: no browser sends" in tested.stderr
