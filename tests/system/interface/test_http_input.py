"""HTTP: what clients send to nginx or Apache that means no good. Whatever it is, it is refused or means one thing,
no worker ends over it, and the next good request is answered."""

import contextlib
import gzip
import re
import resource
import selectors
import socket
import time
import urllib.parse

import pytest

import fastcgi
import http_client
import samples
from service import WEB, until

READ = "func=getCategoryPOIList&category=3"
SMUGGLED = "func=getPOI&POIID=424242"  # shows in the log, and in nothing else that is sent here
HEAD = "Host: localhost\r\n"
LAST = HEAD + "Connection: close\r\n"
FORM = f"Content-Type: {http_client.FORM}\r\n"
INNER = f"GET /API.php?{SMUGGLED} HTTP/1.1\r\n{LAST}\r\n"


@pytest.fixture(scope="module")
def target(start_service_for_module):
    return start_service_for_module(workers=2)


@pytest.fixture(autouse=True)
def nobody_ended(target):
    yield
    assert good(target) < 10
    log = target.log.read_text(encoding="utf-8")
    assert "is stuck" not in log and "ended" not in log


def good(service, seconds=30):
    started = time.monotonic()
    while True:
        with contextlib.suppress(OSError):
            answer = service.request(query=READ)
            if answer.http_status == 200:
                assert answer.names == ["POIList"]
                return time.monotonic() - started
        assert time.monotonic() - started < seconds


def converse(service, data, seconds=5):
    """What comes back until the web server closes, or falls silent once it has begun."""
    if isinstance(data, str):
        data = data.encode()
    answer = b""
    with socket.create_connection(("127.0.0.1", service.port), timeout=60) as connection:
        with contextlib.suppress(OSError):
            connection.sendall(data)
            while piece := connection.recv(65536):
                answer += piece
                connection.settimeout(seconds)
    return answer


def statuses(answer):
    return [int(status) for status in re.findall(rb"^HTTP/1\.[01] (\d{3})", answer, re.MULTILINE)]


def smuggled(service):
    return service.log.read_text(encoding="utf-8").count(" func=getPOI ")


# Shapes of smuggling. Two who disagree where a request ends would take its body for another request. The web server may keep
# the connection after the first one.

CHUNKED = "Transfer-Encoding: chunked\r\n"
END_OF_CHUNKS = "0\r\n\r\n"


def post(headers, body, version="1.1"):
    return f"POST /API.php?{READ} HTTP/{version}\r\n{HEAD}{FORM}{headers}\r\n{body}"


SHAPES = {
    "length and chunks": post(f"Content-Length: {len(END_OF_CHUNKS + INNER)}\r\n{CHUNKED}", END_OF_CHUNKS + INNER),
    "chunks and length": post(f"{CHUNKED}Content-Length: 4\r\n", f"{len(INNER):x}\r\n{INNER}\r\n{END_OF_CHUNKS}"),
    "two lengths": post(f"Content-Length: 0\r\nContent-Length: {len(INNER)}\r\n", INNER),
    "two lengths in one": post(f"Content-Length: 0, {len(INNER)}\r\n", INNER),
    "two encodings": post(f"{CHUNKED}Transfer-Encoding: identity\r\n", END_OF_CHUNKS + INNER),
    "an encoding after chunks": post("Transfer-Encoding: chunked, gzip\r\n", END_OF_CHUNKS + INNER),
    "an encoding that is none": post(f"Content-Length: {len(END_OF_CHUNKS + INNER)}\r\nTransfer-Encoding: xchunked\r\n",
                                     END_OF_CHUNKS + INNER),
    "a blank before the colon": post(f"Content-Length: {len(END_OF_CHUNKS + INNER)}\r\nTransfer-Encoding : chunked\r\n",
                                     END_OF_CHUNKS + INNER),
    "a tab before the word": post(f"Content-Length: {len(END_OF_CHUNKS + INNER)}\r\nTransfer-Encoding:\t\x0bchunked\r\n",
                                  END_OF_CHUNKS + INNER),
    "a folded header": post(f"Content-Length: {len(END_OF_CHUNKS + INNER)}\r\nTransfer-Encoding:\r\n chunked\r\n", END_OF_CHUNKS + INNER),
    "a folded length": post(f"Content-Length:\r\n {len(INNER)}\r\n", INNER),
    "an encoding with HTTP/1.0": post(f"Content-Length: {len(END_OF_CHUNKS + INNER)}\r\n{CHUNKED}", END_OF_CHUNKS + INNER, "1.0"),
    "a negative length": post("Content-Length: -1\r\n", INNER),
    "a length with a plus": post(f"Content-Length: +{len(INNER)}\r\n", INNER),
    "a length in hex": post(f"Content-Length: {hex(len(INNER))}\r\n", INNER),
    "a length of 2^64": post(f"Content-Length: {2**64 + len(INNER)}\r\n", INNER),
    "a length of blanks": post("Content-Length:  \r\n", INNER),
    "a length after a bare CR": post(f"X: y\rContent-Length: {len(INNER)}\r\n", INNER),
    "a length after a NUL": post(f"X: y\0Content-Length: {len(INNER)}\r\n", INNER),
    "a chunk of no size": post(CHUNKED, f"\r\n{INNER}\r\n{END_OF_CHUNKS}"),
    "a chunk of a size of 2^64": post(CHUNKED, f"{2**64 + len(INNER):x}\r\n{INNER}\r\n{END_OF_CHUNKS}"),
    "a chunk of a negative size": post(CHUNKED, f"-1\r\n{INNER}\r\n{END_OF_CHUNKS}"),
    "a chunk that is longer than it says": post(CHUNKED, f"1\r\n{INNER}\r\n{END_OF_CHUNKS}"),
    "a chunk with an extension": post(CHUNKED, f"0;x=\"{INNER}\"\r\n\r\n"),
    "line feeds alone": post(f"Content-Length: 0\r\n{CHUNKED}", "").replace("\r\n", "\n") + INNER,
    "a request in the address": f"GET /API.php?{READ}%20HTTP/1.1%0d%0a%0d%0a{urllib.parse.quote(INNER)} HTTP/1.1\r\n{LAST}\r\n",
    "a request in the method": INNER.replace("GET", "GET\rPOST"),
}

# Here nobody disagrees: a second request of the same client.
TWO_REQUESTS = {
    "a length with an underscore": post(f"Content_Length: {len(INNER)}\r\n", INNER),
    "trailers": post(CHUNKED, f"0\r\nContent-Length: {len(INNER)}\r\n\r\n{INNER}"),
    "more than the length": post("Content-Length: 0\r\n", INNER),
}


def answers_and_smuggled(service, data, seconds=2):
    before = smuggled(service)
    answer = converse(service, data, seconds)
    good(service)
    return statuses(answer), smuggled(service) - before


@pytest.mark.parametrize("shape", SHAPES)
def test_smuggling(target, shape):
    """What the web server takes for one request never becomes two."""
    answers, count = answers_and_smuggled(target, SHAPES[shape])
    assert count == 0
    assert answers and answers.count(200) <= 1
    assert set(answers) <= {200, 400, 413, 501}


@pytest.mark.parametrize("shape", TWO_REQUESTS)
def test_two_requests_are_two(target, shape):
    """So the tests before this one would see a second request."""
    assert answers_and_smuggled(target, TWO_REQUESTS[shape], seconds=60) == ([200, 200], 1)  # closes after the second


@pytest.mark.parametrize("length", [20_000, 2_000_000])
def test_fastcgi_within_a_body(target, length):
    """Whole FastCGI requests at every alignment that the records of a body may leave them at; and in one that is too large, of
    which the end may be dropped."""
    request = fastcgi.opening(b"", {"QUERY_STRING": SMUGGLED}) + fastcgi.stream(fastcgi.STDIN, b"")
    body = b"".join(request + b"x" * (number % 8) for number in range(length // len(request)))
    data = f"POST /API.php?{READ} HTTP/1.1\r\n{LAST}{FORM}Content-Length: {len(body)}\r\n\r\n".encode() + body
    answers, count = answers_and_smuggled(target, data)
    assert (len(answers), count) == (1, 0)


HEADERS = ["Content_Type: text/plain", "Content_Length: 5", "Request_Method: POST", "Request-Method: POST", "Script_Name: /metrics",
           "Query_String: func=login", "Proxy: x", "HTTP-HOST: x", "Gateway-Interface: x", "X\0: y", "Remote_Addr: 1.2.3.4"]


@pytest.mark.parametrize("header", HEADERS)
def test_headers_are_not_variables_of_the_server(target, alice, header):
    request = f"GET /API.php?func=logout HTTP/1.1\r\n{LAST}Cookie: {alice.cookie}\r\n{header}\r\n\r\n"
    assert statuses(converse(target, request)) in ([405], [400])


@pytest.mark.parametrize("header", ["Sec_Fetch_Site: same-origin", "Sec-Fetch-Site : same-origin", "Sec-Fetch-Site\t: same-origin"])
def test_another_site_does_not_become_this_one(target, db, alice, header):
    body = http_client.encode({"func": "addAlbum"} | samples.ALBUM)
    request = (f"POST /API.php HTTP/1.1\r\n{LAST}{FORM}Content-Length: {len(body)}\r\nSec-Fetch-Site: cross-site\r\n{header}\r\n"
               f"Cookie: {alice.cookie}\r\n\r\n{body}")
    with db.unchanged():
        answer = converse(target, request)
        assert statuses(answer) == [400] or b"CROSS-SITE REQUEST" in answer


@pytest.mark.parametrize("path", ["/metrics", "//metrics", "/./metrics", "/API.php/../metrics", "/API.php/%2e%2e/metrics", "/%6detrics",
                                  "/metrics%00", "/metrics/", "/metrics/x", "/API.php/metrics", "/API.php;/metrics",
                                  "/METRICS", "\\metrics"])
def test_no_way_around_to_the_pages_of_this_machine(target, path):
    with socket.create_connection(("127.0.0.1", target.port), timeout=60, source_address=("127.0.0.2", 0)) as connection:
        connection.sendall(f"GET {path} HTTP/1.1\r\n{LAST}\r\n".encode())
        answer = connection.makefile("rb").read()
    assert b"mapdiary_" not in answer and b"# TYPE" not in answer


# Sizes


@pytest.mark.parametrize("length, statuses_of_it",
                         [(1000, {200}), (7000, {200}), (10_000, {400, 431}), (100_000, {400, 414, 431}), (1_000_000, {400, 431})])
def test_huge_cookies(target, length, statuses_of_it):
    answer = converse(target, f"GET /API.php?{READ} HTTP/1.1\r\n{LAST}Cookie: x={'y' * length}\r\n\r\n")
    # What closes with much of a header unread may be a reset, which takes the answer with it.
    assert set(statuses(answer)) <= statuses_of_it and (answer or length == 1_000_000)


def test_many_cookies(target, alice):
    cookies = "; ".join(f"c{number}=x" for number in range(700)) + "; " + alice.cookie
    assert target.call("addAlbum", cookie=cookies, **samples.ALBUM).info is None


def test_many_headers(target):
    headers = "".join(f"X-{number}: {'z' * 70}\r\n" for number in range(2000))
    assert set(statuses(converse(target, f"GET /API.php?{READ} HTTP/1.1\r\n{LAST}{headers}\r\n"))) <= {400, 431}


@pytest.mark.parametrize("length", [0, 1, 1000, 100_000, 1_000_000])
@pytest.mark.parametrize("size", [1, 7, 4096, 1_000_000])
def test_chunks_without_length(target, length, size):
    body = READ + "&filler=" + "x" * length
    pieces = [body[at : at + size] for at in range(0, len(body), size)]
    chunks = "".join(f"{len(piece):x}\r\n{piece}\r\n" for piece in pieces) + END_OF_CHUNKS
    answer = converse(target, f"POST /API.php HTTP/1.1\r\n{LAST}{FORM}{CHUNKED}\r\n{chunks}")
    assert statuses(answer)[-1:] == [200] and b"<POIList" in answer


# Time


def test_slow_bodies_hold_no_worker(target):
    """Clients by the dozen send a byte now and then; mapdiaryd has two workers."""
    count = 60 if WEB.name == "nginx" else 40
    head = f"POST /API.php?{READ} HTTP/1.1\r\n{LAST}{FORM}Content-Length: 1000\r\n\r\n".encode()
    with contextlib.ExitStack() as stack:
        slow = [stack.enter_context(socket.create_connection(("127.0.0.1", target.port), timeout=60)) for _ in range(count)]
        for connection in slow:
            connection.sendall(head)
        for _ in range(20):
            for connection in slow:
                connection.sendall(b"x")
            assert good(target) < 5
            time.sleep(0.05)


def test_bodies_that_never_end(target):
    """The connection closes with the body half sent."""
    for _ in range(50):
        with socket.create_connection(("127.0.0.1", target.port), timeout=60) as connection:
            connection.sendall(f"POST /API.php HTTP/1.1\r\n{LAST}{FORM}{CHUNKED}\r\n1000\r\n{READ}".encode())


def test_clients_that_leave_before_the_answer(target):
    for _ in range(300):
        with socket.create_connection(("127.0.0.1", target.port), timeout=60) as connection:
            connection.sendall(f"GET /API.php?{READ} HTTP/1.1\r\n{LAST}\r\n".encode())


@pytest.fixture
def many_descriptors():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < 12_000:
        pytest.skip(f"10,000 connections take more than {hard} descriptors")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 12_000), hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def connect_many(stack, port, count):
    """Connections on their way: not all may be accepted yet."""
    connections = []
    for number in range(count):
        connection = stack.enter_context(socket.socket())
        connection.setblocking(False)
        # More addresses than one, as each has some 28,000 ports.
        connection.bind((f"127.0.0.{2 + number % 8}", 0))
        connection.connect_ex(("127.0.0.1", port))
        connections.append(connection)
    return connections


def is_connected(connection):
    try:
        connection.getpeername()
    except OSError:
        return False
    return True


@pytest.mark.parametrize("said", ["", "GET /API.php?func=getAlbum HTTP/1.1\r\nHost: localhost\r\nX-"], ids=["nothing", "half a request"])
def test_10000_idle_connections(target, many_descriptors, said):
    with contextlib.ExitStack() as stack:
        connections = connect_many(stack, target.port, 10_000)
        # Apache has a thread or a place for some hundreds, here; the others wait.
        if WEB.name == "nginx":
            until(lambda: all(map(is_connected, connections)), "10,000 are connected")
        for connection in connections:
            with contextlib.suppress(OSError):
                connection.send(said.encode())
        if WEB.name == "nginx":
            assert good(target) < 10
    good(target, seconds=60)


def test_10000_requests_at_once(target, many_descriptors):
    """Each that is answered is answered whole, if only that there are too many."""
    request = f"GET /API.php?{READ} HTTP/1.1\r\n{LAST}\r\n".encode()
    answers = {}
    with contextlib.ExitStack() as stack, selectors.DefaultSelector() as selector:
        for connection in connect_many(stack, target.port, 10_000):
            selector.register(connection, selectors.EVENT_WRITE)
        deadline = time.monotonic() + 45
        while selector.get_map() and time.monotonic() < deadline:
            for key, events in selector.select(1):
                if events & selectors.EVENT_WRITE:
                    with contextlib.suppress(OSError):
                        key.fileobj.send(request)
                    selector.modify(key.fileobj, selectors.EVENT_READ)
                    continue
                piece = b""
                with contextlib.suppress(OSError):
                    piece = key.fileobj.recv(65536)
                answers[key.fd] = answers.get(key.fd, b"") + piece
                if not piece:
                    selector.unregister(key.fileobj)
    whole = [answer for answer in answers.values() if answer]
    assert {status for answer in whole for status in statuses(answer)} <= {200, 429, 503}
    assert all(answer.rstrip().endswith(b"</response>") for answer in whole)
    assert sum(statuses(answer) == [200] for answer in whole) > 100
    good(target, seconds=60)


# Disguises of func

SAME = ["%67etCategoryPOIList", "%67%65%74%43%61%74%65%67%6f%72%79%50%4f%49%4c%69%73%74", "getCategory%50OIList", "getCategory%50%4FIList"]
OTHERS = ["%2567etCategoryPOIList", "getCategoryPOIList%00", "getCategoryPOIList%20", "+getCategoryPOIList",
          "getCategoryPOIList%0a", "getCategoryPOIList%0d%0a",
          "%09getCategoryPOIList", "GETCATEGORYPOILIST", "getcategorypoilist", "getCategoryPOIL%C4%B1st",
          "getCategoryPOILi%C5%BFt", "%c1%a7etCategoryPOIList",
          "%EF%BD%87etCategoryPOIList", "%EF%BB%BFgetCategoryPOIList", "get%E2%80%8BCategoryPOIList",
          "getCategoryPOIList%E2%80%AE", "%26%23103%3BetCategoryPOIList",
          "%u0067etCategoryPOIList", "%5Cu0067etCategoryPOIList", "%e0%81%a7etCategoryPOIList",
          "%f0%80%81%a7etCategoryPOIList", "%2BAGc-etCategoryPOIList", "%1b%28Bget", "0x676574", "getCategoryPOIList/",
          "../getCategoryPOIList", "getCategoryPOIList?", "getCategoryPOIList;",
          "getCategoryPOIList%2Cx", "%22getCategoryPOIList%22", "%27getCategoryPOIList%27", "getCategoryPOIList%ff",
          "getCategoryPOIList%ed%a0%80", "%80", "%", "%6", "%6g",
          "x" * 5000, "%E2%98%83" * 500, ""]
NAMES = ["func[]", "func%5B%5D", "func[0]", "func.", "func%00", "func%20", "+func", "Func", "FUNC", "%EF%BD%86unc",
         "f%C5%ABnc", "_func", "func%3D"]
REFUSED = re.compile("UNKNOWN FUNC|MALFORMED REQUEST|(MISSING|INVALID|DUPLICATE) PARAMETER: .*")


@pytest.mark.parametrize("place", ["query", "body"])
@pytest.mark.parametrize("value", SAME)
def test_func_percent_encoded_is_the_same(target, place, value):
    answer = target.request("GET" if place == "query" else "POST", **{place: f"func={value}&category=3"})
    assert answer.names == ["POIList"]


@pytest.mark.parametrize("place", ["query", "body"])
@pytest.mark.parametrize("form", [f"func={value}" for value in OTHERS] + [f"{name}=getCategoryPOIList" for name in NAMES]
                         + ["func=getCategoryPOIList&func=x", "func=x&%66unc=getCategoryPOIList", "func=getCategoryPOIList&fun%63="])
def test_func_in_disguise_is_refused(target, place, form):
    answer = target.request("GET" if place == "query" else "POST", **{place: f"{form}&category=3"})
    assert REFUSED.fullmatch(answer.info), answer.info


RAW = {
    "UTF-16": READ.encode("utf-16"), "UTF-16, big-endian": READ.encode("utf-16-be"), "UTF-32": READ.encode("utf-32"),
    "EBCDIC": READ.encode("cp037"), "UTF-8 with a mark": READ.encode("utf-8-sig"), "gzip": gzip.compress(READ.encode()),
    "in full width": READ.replace("func", "ｆｕｎｃ").encode(), "a value in full width": READ.replace("get", "ｇｅｔ").encode(),
    "too long a sequence": READ.encode().replace(b"get", b"\xc1\xa7et"), "a NUL before": b"\0" + READ.encode(),
    "a NUL after": READ.replace("&", "\0&").encode(), "line breaks": READ.replace("&", "\r\n&").encode(),
    "multipart": f'--x\r\nContent-Disposition: form-data; name="func"\r\n\r\n{READ[5:23]}\r\n--x--\r\n'.encode(),
    "JSON": b'{"func": "getCategoryPOIList", "category": 3}', "XML": b"<func>getCategoryPOIList</func>",
}


@pytest.mark.parametrize("encoding", [None, "gzip", "deflate", "utf-16"])
@pytest.mark.parametrize("kind", RAW)
def test_func_in_another_encoding_is_refused(target, kind, encoding):
    answer = target.request("POST", body=RAW[kind], headers=[("Content-Encoding", encoding)])
    assert answer.info == "UNSUPPORTED MEDIA TYPE" if encoding else REFUSED.fullmatch(answer.info), answer.info


@pytest.mark.parametrize("headers",
                         [[("Cookie", "func=getCategoryPOIList; category=3")], [("func", "getCategoryPOIList"), ("category", "3")],
                          [("Referer", f"http://localhost/API.php?{READ}")], [("X-Original-URL", f"/API.php?{READ}")]])
def test_func_is_read_from_nowhere_else(target, headers):
    assert target.request("GET", headers=headers).info == "MISSING PARAMETER: func"


@pytest.mark.parametrize("delete", ["%74rue", "TRUE", "true%20", "true%00", "1", "yes", "%EF%BD%94rue", "%2574rue"])
def test_delete_in_disguise(target, alice, delete):
    """Exactly "true" deletes; all else is an update, here without its parameters."""
    album = target.ok("addAlbum", user=alice, **samples.ALBUM)["albumID"]
    body = f"func=updateAlbum&albumID={album}&delete={delete}"
    answer = target.request("POST", body=body, headers=[("Cookie", alice.cookie)])
    deletes = urllib.parse.unquote(delete) == "true"
    assert (answer.info is None) == deletes
    assert (target.call("getAlbum", albumID=album).info == "ALBUM NOT FOUND") == deletes
