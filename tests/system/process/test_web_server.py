"""What the shipped configurations of the web servers do, beside passing requests on."""

import contextlib
import functools
import http.client
import itertools
import socket
import subprocess
import time

import pytest

import http_client
import samples
from service import ENVIRONMENT, WEB, at_once, free_port, in_background, until
from web_server import PROXY

# The answer is short, whichever albums other tests have left: nobody has this number.
OWNER = "userID=9007199254740991"
READ = f"func=getUserAlbumList&{OWNER}"
READS = [{"query": READ}, {"query": OWNER, "path": "/API.php/getUserAlbumList"}]


@pytest.fixture(scope="module")
def start_behind(start_service_for_module):
    """Starts a service whose web server's configuration was edited as its comments say."""
    return lambda edit: start_service_for_module(web=functools.partial(WEB, edit=edit), workers=4)


@pytest.fixture(scope="module")
def proxied(start_behind):
    """A service that takes the word of the proxy at PROXY."""
    return start_behind(WEB.behind_proxy)


@pytest.fixture(scope="module")
def cached(start_behind):
    """A service with the microcache."""
    return start_behind(WEB.microcache)


def asked(service):
    """How many requests have reached mapdiaryd, and from which address the last one."""
    lines = [line for line in service.log.read_text(encoding="utf-8").splitlines() if " func=" in line]
    return len(lines), lines and lines[-1].rpartition("address=")[2].split()[0]


def flood(service, count, **options):
    """The answers to reads that come as fast as they can."""
    several = at_once(*[lambda: [service.request(**READS[i % 2], **options) for i in range(count // 4)]] * 4)
    return [answer for answers in several for answer in answers]


def forwarded(address, proto="http"):
    return [("X-Forwarded-For", address), ("X-Forwarded-Proto", proto)]


# How much is too much


def test_an_address_that_asks_too_much_is_refused(start_service):
    service, answers, began = start_service(), [], time.monotonic()

    def refused():
        answers.extend(flood(service, 1200, source="127.0.0.2"))
        return [answer for answer in answers if answer.http_status != 200]

    refused = until(refused, "some are refused")
    # Fifty a second, and one or two hundred at first.
    assert 100 < len(answers) - len(refused) < 2 * (200 + 50 * (time.monotonic() - began))
    for answer in refused[:10]:
        assert (answer.http_status, answer.info, answer.header("Retry-After")) == (429, "TOO MANY ATTEMPTS", "1")
        assert answer.header("X-Content-Type-Options") == "nosniff"
        assert answer.header("X-Request-ID")
    # Others go on; this machine is not limited.
    assert service.request(query=READ, source="127.0.0.4").http_status == 200
    assert {answer.http_status for answer in flood(service, 800)} == {200}
    time.sleep(5 if WEB.name == "apache" else 0.5)
    until(lambda: service.request(query=READ, source="127.0.0.2").http_status == 200, "it is answered again after a while")


# Who may see how it is


@pytest.mark.parametrize("path", ["/healthz", "/metrics"])
@pytest.mark.parametrize("source, headers, status", [
    ("127.0.0.1", {}, 200),
    ("127.0.0.2", {}, 403),
    ("127.0.0.1", {"X-Forwarded-For": "127.0.0.1"}, 403),
    ("127.0.0.1", {"Forwarded": "for=127.0.0.1"}, 403),
    ("127.0.0.1", {"Via": "1.1 proxy"}, 403),
])
def test_what_is_for_this_machine_alone(service, path, source, headers, status):
    connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=60, source_address=(source, 0))
    with contextlib.closing(connection):
        connection.request("GET", path, headers=headers)
        assert connection.getresponse().status == status


# Who is asking


def secure_cookies(answer):
    """How many of the two cookies that a login sets are for HTTPS alone."""
    cookies = [value for name, value in answer.headers if name == "set-cookie"]
    assert len(cookies) == 2
    return sum("Secure" in cookie for cookie in cookies)


def test_the_address_that_the_proxy_says(proxied):
    proxied.request(query=READ, source=PROXY, headers=forwarded("203.0.113.7"))
    assert asked(proxied)[1] == "203.0.113.7"
    proxied.request(query=READ, source=PROXY, headers=forwarded("198.51.100.1, 203.0.113.8"))
    assert asked(proxied)[1] == "203.0.113.8"


def test_nobody_else_is_believed(proxied, alice):
    login = {"email": alice.email, "password": alice.password}
    answer = proxied.call("login", **login, headers=forwarded("203.0.113.9", "https"))
    assert asked(proxied)[1] == "127.0.0.1"
    assert secure_cookies(answer) == 0


def test_no_proxy_is_believed_before_it_is_named(service):
    service.request(query=READ, source=PROXY, headers=forwarded("203.0.113.10"))
    assert asked(service)[1] == PROXY


def test_the_web_server_says_what_is_https(start_service, alice):
    """The header of a client that would like to be one does not count."""
    port = free_port()
    service = start_service(web=functools.partial(WEB, tls=port))
    form = {"func": "login", "email": alice.email, "password": alice.password}
    url = f"https://127.0.0.1:{port}/API.php"
    got = subprocess.run(
        ["curl", "--silent", "--insecure", "--include", "--data", http_client.encode(form), url],
        check=True, capture_output=True, text=True, env=ENVIRONMENT,
    ).stdout
    assert got.count("; Secure") == 2 and "SUCCESS" in got
    wishes = [("HTTPS", "on"), ("X-Forwarded-Proto", "https")]
    assert secure_cookies(service.request("POST", body=http_client.encode(form), headers=wishes)) == 0


@pytest.mark.parametrize("proto, secure", [("https", 2), ("http", 0)])
def test_https_that_ends_at_the_proxy(proxied, alice, proto, secure):
    form = http_client.encode({"func": "login", "email": alice.email, "password": alice.password})
    answer = proxied.request("POST", body=form, source=PROXY, headers=forwarded("203.0.113.11", proto))
    assert secure_cookies(answer) == secure


def test_the_limit_is_that_of_the_client_and_not_of_the_proxy(proxied):
    def statuses():
        return {answer.http_status for answer in flood(proxied, 800, source=PROXY, headers=forwarded("203.0.113.12"))}

    until(lambda: 429 in statuses(), "the client is refused")
    assert proxied.request(query=READ, source=PROXY, headers=forwarded("203.0.113.13")).http_status == 200


@pytest.mark.skipif(WEB.name != "nginx", reason="mod_security2 counts by the whole address")
def test_a_customer_is_a_network_of_ipv6(proxied):
    numbers = itertools.count(1)

    def statuses():
        return {proxied.request(query=READ, source=PROXY, headers=forwarded(f"2001:db8:0:1::{next(numbers):x}")).http_status
                for _ in range(100)}

    until(lambda: 429 in set().union(*at_once(*[statuses] * 4)), "the network is refused")
    assert proxied.request(query=READ, source=PROXY, headers=forwarded("2001:db8:0:2::1")).http_status == 200


# The microcache


def reads(service, *requests):
    """How many of these requests, sent at once one after the other, reach mapdiaryd."""
    before = asked(service)[0]
    for request in requests:
        assert service.request(**request).http_status in (200, 304)
    return asked(service)[0] - before


def fresh(number):
    """A read that no other test sends, answered SUCCESS."""
    return f"func=getCategoryPOIList&category=3&x={number}"


def passed_on(service, make):
    """A request, and how many of five that are equal to it reach mapdiaryd before the first one's answer is old, after a second."""
    def attempt():
        request, began = make(f"moment{time.monotonic_ns()}"), time.monotonic()
        count = reads(service, *[request] * 5)
        return (request, count) if time.monotonic() - began < 0.9 else None

    return until(attempt, "five reads within a second")


def test_the_cache_is_off_until_asked_for(service):
    assert reads(service, *[{"query": fresh(0)}] * 5) == 5


def test_a_read_is_answered_again_for_a_moment(cached):
    query, passed = passed_on(cached, lambda x: {"query": fresh(x)})
    assert passed == 1
    assert reads(cached, {"query": fresh(2)}) == 1
    time.sleep(2.1)
    assert reads(cached, query) == 1


def test_a_read_by_its_path_is_answered_again(cached):
    _, passed = passed_on(cached, lambda x: {"query": f"category=3&x={x}", "path": "/API.php/getCategoryPOIList"})
    assert passed == 1


def test_the_cache_answers_as_mapdiary_does(cached):
    first, second = (cached.request(query=fresh(3)) for _ in range(2))
    assert (first.http_status, first.body) == (second.http_status, second.body)
    for name in "Content-Type", "Cache-Control", "ETag", "Vary":
        assert first.header(name) == second.header(name), name
    known = cached.request(query=fresh(3), headers=[("If-None-Match", first.header("ETag"))])
    assert (known.http_status, known.body) == (304, b"")


def test_a_head_is_no_get(cached):
    assert cached.request("HEAD", query=fresh(4)).body == b""
    answer = cached.request(query=fresh(4))
    assert answer.info is None and answer.names == ["POIList"]


def test_what_carries_cookies_goes_past_the_cache(cached, alice):
    with_cookies = {"query": fresh(5), "headers": [("Cookie", alice.cookie)]}
    assert reads(cached, {"query": fresh(5)}, with_cookies, with_cookies) == 3
    assert cached.request(query=fresh(6), headers=[("Cookie", alice.cookie)]).header("Cache-Control") == "no-store"
    assert reads(cached, {"query": fresh(6)}) == 1


def test_what_has_a_body_goes_past_the_cache(cached):
    def with_body(category):
        return {"query": "func=getCategoryPOIList&x=7", "body": f"category={category}"}

    assert reads(cached, with_body(1), with_body(2), with_body(2)) == 3
    assert cached.request(query="func=getCategoryPOIList&x=7").info == "MISSING PARAMETER: category"


def test_a_future_blog_is_not_in_the_cache(cached, alice):
    blog = samples.BLOG | samples.date_params(samples.today(days=2))
    number = cached.ok("postBlog", user=alice, **blog)["blogID"]
    assert cached.ok("getBlog", user=alice, blogID=number)
    assert cached.call("getBlog", blogID=number).info == "BLOG NOT FOUND"
    assert cached.ok("getBlog", user=alice, blogID=number)


def test_failures_are_not_in_the_cache(cached):
    wrong = {"query": "func=getCategoryPOIList&category=9"}
    assert reads(cached, wrong, wrong) == 2


def test_a_hit_has_an_identifier_of_its_own(cached):
    first, second = (cached.request(query=fresh(8)).header("X-Request-ID") for _ in range(2))
    assert first and second and first != second


@pytest.mark.parametrize("query, table, answer", [
    ("func=getBlog&blogID=4611686018427387904", "blog", "BLOG NOT FOUND"), (fresh(9), "poi", None),
])
def test_nobody_stands_in_line_for_the_cache(cached, connect_owner, db, query, table, answer):
    """Whether an answer may be kept is known when it comes: until then, all that ask for it are asked for."""
    holder = connect_owner()
    holder.run(f"BEGIN; LOCK TABLE {table}")
    with in_background(*[functools.partial(cached.request, query=query)] * 2) as futures:
        try:
            until(lambda: db.waiting() == 2, "both are asked for")
        finally:
            holder.run("ROLLBACK")
    assert {future.result().info for future in futures} == {answer}


def test_a_body_that_is_too_large_by_its_path(service):
    """Whether the service refuses it, or the web server."""
    for mebibytes in 2, 23:
        answer = service.request("POST", body=(mebibytes << 20) * "x", path="/API.php/addAlbum")
        assert (answer.http_status, answer.info) == (413, "REQUEST TOO LARGE")


# When mapdiary is away


@pytest.mark.slow
def test_mapdiary_is_away(start_service):
    service = start_service()
    service.daemon.stop()
    for read in READS:
        answer = service.request(**read)
        assert (answer.http_status, answer.info, answer.header("Retry-After")) == (503, "SERVICE UNAVAILABLE", "1")
    service.start_daemon()
    until(lambda: service.request(query=READ).http_status == 200, "it is there again, with its database")


@pytest.mark.slow
def test_half_a_request_gives_its_connection_back(service):
    with socket.create_connection(("127.0.0.1", service.port), timeout=60) as client:
        client.sendall(f"GET /API.php?{READ} HTTP/1.1\r\nHost: localhost\r\nX-Half: ".encode())
        with contextlib.suppress(ConnectionResetError):
            while client.recv(4096):
                pass
    assert service.call("getSite").info is None
