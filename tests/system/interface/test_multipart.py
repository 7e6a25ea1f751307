"""Requests with files: multipart/form-data as clients write it, bodies that are a file, what is refused of them, and what is left
behind. No operation here takes a file; the unit tests have some that do."""

import hashlib
import os
import signal
import subprocess

import pytest

import fastcgi
import http_client
import multipart
import signing
from multipart import File, closed, part
from processes import peak_memory, workers
from samples import ALBUM, BLOG
from service import WITH_SANITIZERS, until

MIB = 1 << 20
FILE = File(b"\xff\xd8 no picture\r\n--\r\n\0")
DIGEST = hashlib.sha256(FILE.content).hexdigest()
X = "multipart/form-data; boundary=x"


def post(service, fields, encode=multipart.browser, user=None, query="", method="POST", **how):
    body, media_type = encode(fields)
    return send(service, body, media_type, user, query, method, **how)


def send(service, body, media_type, user=None, query="", method="POST", headers=(), **how):
    cookie = [("Cookie", user.cookie)] if user else []
    return service.request(method, query, body, [("Content-Type", media_type), *cookie, *headers], **how)


def fields_of(func, params):
    return list(({"func": func} | params).items())


def text_part(name, content=b"1"):
    return part("x", [f'Content-Disposition: form-data; name="{name}"'], content)


def file_part(name, content=FILE.content):
    return part("x", [f'Content-Disposition: form-data; name="{name}"; filename="f"'], content)


# As a form


def written(blog):
    """What a blog has that somebody wrote."""
    return [(name, value) for name, value in blog.result if name not in ("score", "comments")]


@pytest.mark.parametrize("encode", multipart.CLIENTS)
def test_it_is_the_same_as_a_form(service, alice, encode):
    params = BLOG | {"zoomLevel": 15, "mapType": 2, "userCategory": 'a"\\%22%0D+&=山', "blogContent": "<b>a\r\n--x\r\n\r\n</b> %41+\t"}
    form = service.ok("postBlog", user=alice, **params)["blogID"]
    parts = post(service, fields_of("postBlog", params), encode, user=alice)
    assert parts.names == ["blogID", "reward"]
    blogs = [service.ok("getBlog", blogID=identifier) for identifier in (form, parts["blogID"])]
    assert written(blogs[0]) == written(blogs[1])
    assert blogs[1]["blogContent"] == params["blogContent"] and blogs[1]["userCategory"] == params["userCategory"]


def test_curl(service, alice, album):
    command = ["curl", "-sS", f"http://127.0.0.1:{service.port}/API.php", "-b", alice.cookie.replace("; ", ";")]
    fields = fields_of("updateAlbum", ALBUM | {"albumID": album, "albumTitle": 'curl "\\" 山;x'})
    for name, value in fields:
        command += ["--form-string", f"{name}={value}"]
    done = subprocess.run(command, capture_output=True, check=True, timeout=60)
    assert b"<status>SUCCESS</status>" in done.stdout
    assert service.ok("getAlbum", albumID=album)["albumTitle"] == 'curl "\\" 山;x'


@pytest.mark.parametrize("encode, name", [
    *((multipart.browser, name) for name in ('a"b', "a\r\nb", "山", "a;b", "a\\b")),
    *((multipart.go, name) for name in ('a"b', "山", "a;b", "a\\b", "a\\\\b\\")),
])
def test_names_that_are_escaped(service, encode, name):
    answer = post(service, [("func", "getAlbum"), (name, "1"), (name, "2")], encode)
    assert answer.info == f"DUPLICATE PARAMETER: {name}"


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_parameters_in_query_and_parts(service, album, method):
    answer = post(service, [("albumID", album)], query="func=getAlbum", method=method)
    assert answer["albumTitle"] == ALBUM["albumTitle"]
    assert post(service, [("albumID", album)], query="func=getAlbum&albumID=1").info == "DUPLICATE PARAMETER: albumID"
    assert post(service, [("albumID", album)], path="/API.php/getAlbum").info is None
    assert post(service, [("func", "getAlbum")], path="/API.php/getAlbum").info == "DUPLICATE PARAMETER: func"


def test_a_password_in_a_part_is_in_the_body(service, alice):
    assert post(service, fields_of("login", {"email": alice.email, "password": alice.password})).names == ["id", "idrand"]


def test_a_read_by_parts_may_be_kept_but_must_be_asked_for(service, album):
    answer = post(service, fields_of("getAlbum", {"albumID": album}))
    assert answer.header("Cache-Control") == "no-cache" and answer.header("ETag")


@pytest.mark.parametrize("value, info", [(b"\xff", "INVALID PARAMETER: x"), (b"a\0b", "INVALID PARAMETER: x"), (b"", None)])
def test_texts_are_text(service, album, value, info):
    body = closed("x", [text_part("func", b"getAlbum"), text_part("albumID", str(album).encode()), text_part("x", value)])
    assert send(service, body, X).info == info
    answer = send(service, body, X, query="responseFormat=JSON")
    assert answer.header("Content-Type") == "application/json"


def test_chunks(service, album):
    body, media_type = multipart.browser([*fields_of("getAlbum", {"albumID": album}), ("filler", 900_000 * "x")])
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(body[at:at + 50_000]), body[at:at + 50_000]) for at in range(0, len(body), 50_000))
    answer = send(service, chunks + b"0\r\n\r\n", media_type, headers=[("Transfer-Encoding", "chunked")])
    assert answer["albumTitle"] == ALBUM["albumTitle"]


# Signatures and keys


@pytest.fixture(scope="module")
def application(service, db):
    return signing.new_application(service, db)


def test_parts_are_signed_as_a_form_is(service, application, album):
    params = application.sign("getAlbum", albumID=album, text="a b\r\n山")
    assert post(service, list(params.items())).info is None
    assert post(service, list((params | {"text": "a b\n山"}).items())).info == "SIGNATURE INVALID"


def test_a_file_is_signed_by_its_digest(service, alice, application):
    def sent(digest, **how):
        params = application.sign("addAlbum", photo=digest, **ALBUM)
        del params["photo"]
        return post(service, [*params.items(), ("photo", FILE)], user=alice, **how)

    assert sent(DIGEST).info == "INVALID PARAMETER: photo"
    assert sent(DIGEST.upper()).info == "SIGNATURE INVALID"
    assert sent(hashlib.sha256(b"other").hexdigest()).info == "SIGNATURE INVALID"


def test_a_form_and_its_parts_are_one_request(service, db, alice, new_session):
    headers = [("Idempotency-Key", new_session(alice))]
    first = service.call("addAlbum", user=alice, headers=headers, **ALBUM)
    with db.unchanged():
        assert post(service, fields_of("addAlbum", ALBUM), user=alice, headers=headers).body == first.body
        other = post(service, fields_of("addAlbum", ALBUM | {"albumTitle": "other"}), user=alice, headers=headers)
        assert other.info == "REQUEST REPLAYED"


# Files that nobody takes


def test_a_file_that_is_not_expected(service, db, alice):
    with db.unchanged():
        params = fields_of("addAlbum", ALBUM)
        assert post(service, [("photo", FILE), *params], user=alice).info == "INVALID PARAMETER: photo"
        assert post(service, [*params, ("key", FILE)], user=alice).info == "INVALID PARAMETER: key"
        assert post(service, [*params, ("albumTitle", FILE)], user=alice).info == "DUPLICATE PARAMETER: albumTitle"
        assert post(service, [("albumTitle", FILE), *params], user=alice).info == "DUPLICATE PARAMETER: albumTitle"
        texts = [(name, FILE if name == "albumTitle" else value) for name, value in params]
        assert post(service, texts, user=alice).info == "INVALID PARAMETER: albumTitle"
        assert post(service, [("photo", FILE), *params[:-1]], user=alice).info == "MISSING PARAMETER: lng"
        assert post(service, [("photo", FILE), *params]).info == "LOGIN REQUIRED"
        assert post(service, [("func", FILE)], user=alice).info == "UNKNOWN FUNC"
        assert post(service, [("responseFormat", FILE), *params], user=alice).info == "INVALID PARAMETER: responseFormat"


def test_a_file_does_not_say_which_variant_is_meant(service, db, alice, album):
    with db.unchanged():
        fields = [*fields_of("updateAlbum", ALBUM | {"albumID": album}), ("delete", File(b"true"))]
        assert post(service, fields, user=alice).info == "INVALID PARAMETER: delete"


@pytest.mark.parametrize("content", [b"", b"x", b"\xff\0"])
def test_a_file_without_a_name_is_absent(service, album, content):
    fields = fields_of("getAlbum", {"albumID": album})
    assert post(service, [("photo", File(content, "")), *fields, ("photo", File(content, ""))]).info is None


@pytest.mark.parametrize("media_type", ["image/jpeg", "image/x-any; q=1", "IMAGE/PNG", "application/octet-stream"])
@pytest.mark.parametrize("query, status, info", [
    ("func=addAlbum", 415, "UNSUPPORTED MEDIA TYPE"), ("func=getAlbum&albumID=1", 415, "UNSUPPORTED MEDIA TYPE"),
    ("func=nothing", 200, "UNKNOWN FUNC"), ("", 200, "MISSING PARAMETER: func"), ("%", 200, "MALFORMED REQUEST"),
])
def test_a_body_that_is_a_file(service, db, alice, media_type, query, status, info):
    with db.unchanged():
        answer = send(service, FILE.content, media_type, alice, query)
        assert (answer.http_status, answer.info) == (status, info)


# Broken ones


GOOD = [text_part("func", b"getAlbum"), text_part("albumID")]
BROKEN = {
    "not closed": b"".join(GOOD), "cut": b"".join(GOOD) + b"--x", "half closed": b"".join(GOOD) + b"--x-\r\n",
    "another boundary": closed("y", GOOD), "no parts": b"func=getAlbum&albumID=1", "line feeds": closed("x", GOOD).replace(b"\r", b""),
    "a boundary that goes on": closed("x", GOOD).replace(b"--x\r\n", b"--xy\r\n"),
    "no name": closed("x", [*GOOD, part("x", ["Content-Disposition: form-data"], b"")]),
    "an empty name": closed("x", [*GOOD, text_part("")]), "no headers": closed("x", [*GOOD, part("x", [], b"1")]),
    "another disposition": closed("x", [*GOOD, part("x", ['Content-Disposition: attachment; name="a"'], b"")]),
    "an encoding": closed("x",
                          [*GOOD, part("x", ['Content-Disposition: form-data; name="a"', "Content-Transfer-Encoding: base64"], b"MQ==")]),
    "long headers": closed("x", [*GOOD, part("x", ['Content-Disposition: form-data; name="a"', "X: " + 8200 * "y"], b"")]),
    "a name that is no text": closed("x", [*GOOD, part("x", [], b"").replace(
        b"\r\n\r\n", b'\r\nContent-Disposition: form-data; name="\xff"\r\n\r\n', 1)]),
}


@pytest.mark.parametrize("how", BROKEN)
def test_broken_bodies(service, how):
    answer = send(service, BROKEN[how], X)
    assert (answer.http_status, answer.info) == (200, "MALFORMED REQUEST")


@pytest.mark.parametrize("parameters", ["; boundary=x;", "; boundary=x ; ", '; charset=utf8; boundary="x";'])
def test_boundaries_among_others(service, album, parameters):
    body = closed("x", [text_part("func", b"getAlbum"), text_part("albumID", str(album).encode())])
    assert send(service, body, f"multipart/form-data{parameters}").info is None


@pytest.mark.parametrize("name, info", [
    ("filename*=UTF-8''%E5%B1%B1.jpg", "PHOTO NOT READABLE"), ("filename*=utf-8'zh-TW'a.jpg", "PHOTO NOT READABLE"),
    ("filename=\"a\"; filename*=UTF-8''b", "PHOTO NOT READABLE"), ("filename*=UTF-8''", "MISSING PARAMETER: photo"),
    ("filename*=Big5''%A4s", "INVALID PARAMETER: photo"), ("filename*=UTF-8''%A4s", "INVALID PARAMETER: photo"),
    ("filename*=a.jpg", "INVALID PARAMETER: photo"), ("x*=UTF-8''a.jpg", "INVALID PARAMETER: photo"),
])
def test_names_of_files_beyond_ascii(service, alice, album, name, info):
    photo = part("x", [f'Content-Disposition: form-data; name="photo"; {name}'], b"\xff\xd8 none" if info[0] == "P" else b"none")
    body = closed("x", [text_part("func", b"addPhoto"), text_part("albumID", str(album).encode()), photo])
    assert send(service, body, X, alice).info == info


@pytest.mark.parametrize("parameters",
                         ["", ";", "; boundary", "; boundary=", '; boundary=""', "; boundary=x; boundary=x", "; boundary=" + 71 * "x",
                          '; boundary="x ', "; boundary=x\\", "; charset=utf-8", ", boundary=x"])
def test_broken_boundaries(service, parameters):
    answer = send(service, closed("x", GOOD), f"multipart/form-data{parameters}")
    assert answer.info == ("UNSUPPORTED MEDIA TYPE" if parameters.startswith(",") else "MALFORMED REQUEST")


# However it comes


def test_cut_at_every_byte(service, album):
    """In records of FastCGI, as web servers cut it where they like."""
    body = b"preamble\r\n" + closed("x", [text_part("func", b"getAlbum"), part("x", [
        'Content-Disposition: form-data; name="albumID"', "Content-Type: text/plain"], str(album).encode()),
                                          text_part("a", b"\r\n--\r\n--y\r")])
    opening = fastcgi.opening(body, {"REQUEST_METHOD": "POST", "CONTENT_TYPE": X})
    end = fastcgi.record(fastcgi.STDIN)
    cuts = [[body[:at], body[at:]] for at in range(1, len(body))] + [[body[at:at + 1] for at in range(len(body))]]
    for pieces in cuts:
        with fastcgi.connect(service.socket) as connection:
            connection.sendall(opening + b"".join(fastcgi.record(fastcgi.STDIN, piece) for piece in pieces) + end)
            assert http_client.parse_cgi(fastcgi.read(connection))["albumTitle"] == ALBUM["albumTitle"]


# Sizes


def test_most_parameters(service, alice):
    for count, status, info in (64, 200, "INVALID PARAMETER: p1"), (65, 413, "REQUEST TOO LARGE"):
        fields = [("func", "getUserAlbumList"), ("userID", alice.id)]
        fields += [(f"p{number}", FILE if number % 2 else "x") for number in range(count - len(fields))]
        answer = post(service, fields)
        assert (answer.http_status, answer.info) == (status, info)


def raw_of(length):
    return length * b"x", "image/jpeg"


def file_of(length):
    return closed("x", [text_part("func", b"getAlbum"), text_part("albumID"), file_part("photo", length * b"x")]), X


def texts_of(length):
    """In two parts."""
    first = length // 2
    return closed("x",
                  [text_part("func", b"getPOI"), text_part("a", first * b"x"), text_part("b", (length - first - len("getPOI")) * b"x")]), X


def whole_of(length):
    """With an epilogue."""
    body = closed("x", [text_part("func", b"getPOI")])
    return body + (length - len(body)) * b"x", X


SIZES = [
    (raw_of, 2 * MIB, 415, "UNSUPPORTED MEDIA TYPE"), (raw_of, 2 * MIB + 1, 413, "PHOTO TOO LARGE"),
    (raw_of, 4 * MIB, 413, "PHOTO TOO LARGE"),
    (file_of, 2 * MIB, 200, "INVALID PARAMETER: photo"), (file_of, 2 * MIB + 1, 413, "PHOTO TOO LARGE"),
    (file_of, 4 * MIB, 413, "PHOTO TOO LARGE"),
    (texts_of, MIB, 200, "MISSING PARAMETER: POIID"), (texts_of, MIB + 1, 413, "REQUEST TOO LARGE"),
    (whole_of, 3 * MIB, 200, "MISSING PARAMETER: POIID"), (whole_of, 3 * MIB + 1, 413, "PHOTO TOO LARGE"),
]


@pytest.fixture(scope="module")
def small(start_service_for_module):
    """It takes files of up to 2 MiB."""
    return start_service_for_module(photo_size="2MiB", workers=1)


@pytest.mark.parametrize("make, length, status, info", SIZES)
def test_sizes(small, make, length, status, info):
    body, media_type = make(length)
    received = small.metric("request_bytes_total")
    answer = send(small, body, media_type, query="func=getAlbum" if make is raw_of else "")
    assert (answer.http_status, answer.info) == (status, info)
    assert small.metric("request_bytes_total") == received + len(body)
    assert f" received={len(body)} " in small.log.read_text(encoding="utf-8")


def test_sizes_as_shipped(service):
    for length, status, info in (20 * MIB, 415, "UNSUPPORTED MEDIA TYPE"), (20 * MIB + 1, 413, "PHOTO TOO LARGE"):
        answer = send(service, *raw_of(length), query="func=getAlbum")
        assert (answer.http_status, answer.info) == (status, info)
    answer = send(service, *file_of(20 * MIB))
    assert (answer.http_status, answer.info) == (200, "INVALID PARAMETER: photo")


@pytest.mark.parametrize("make, length, info", [
    (raw_of, 23 * MIB, "PHOTO TOO LARGE"), (file_of, 23 * MIB, "PHOTO TOO LARGE"), (raw_of, 64 * MIB, "PHOTO TOO LARGE"),
    (file_of, 64 * MIB, "PHOTO TOO LARGE"), (raw_of, 64 * MIB + 1, "REQUEST TOO LARGE"), (raw_of, 70 * MIB, "REQUEST TOO LARGE")])
def test_more_than_a_photo_may_have(service, make, length, info):
    answer = send(service, *make(length), query="func=getAlbum" if make is raw_of else "")
    assert (answer.http_status, answer.info) == (413, info)


def test_too_much_without_its_length(service):
    """Nothing is done without the body that it has."""
    chunks = b"100000\r\n" + bytes(MIB) + b"\r\n"
    headers = [("Content-Type", "image/jpeg"), ("Transfer-Encoding", "chunked")]
    answer = service.request("POST", "func=getAlbum&albumID=1", 23 * chunks + b"0\r\n\r\n", headers)
    assert (answer.http_status, answer.info) == (413, "PHOTO TOO LARGE")


def test_a_body_that_is_shorter_than_it_says(service):
    variables = {"REQUEST_METHOD": "POST", "CONTENT_TYPE": "image/jpeg", "QUERY_STRING": "func=getAlbum", "CONTENT_LENGTH": str(30 * MIB)}
    with fastcgi.connect(service.socket) as connection:
        connection.sendall(fastcgi.opening(b"", variables) + fastcgi.stream(fastcgi.STDIN, b"x" * 100_000))
        assert http_client.parse_cgi(fastcgi.read(connection)).info == "MALFORMED REQUEST"


def slowly(service, body, media_type, query):
    """So that a worker gives the request to the process that waits."""
    variables = {"REQUEST_METHOD": "POST", "CONTENT_TYPE": media_type, "QUERY_STRING": query}
    with fastcgi.connect(service.socket) as connection:
        connection.sendall(fastcgi.opening(body, variables))
        until(lambda: service.metric('waiting_connections') > 0, "it waits")
        connection.sendall(fastcgi.stream(fastcgi.STDIN, body))
        return http_client.parse_cgi(fastcgi.read(connection))


def test_another_size_after_a_reload(start_service):
    service = start_service(photo_size="1MiB")
    body, media_type = raw_of(3 * MIB)
    assert slowly(service, body, media_type, "func=getAlbum").info == "PHOTO TOO LARGE"
    before = set(workers(service.daemon.pid))
    service.conf.write_text(service.conf.read_text(encoding="utf-8").replace("photo_size = 1MiB", "photo_size = 4MiB"), encoding="utf-8")
    service.daemon.popen.send_signal(signal.SIGHUP)
    until(lambda: not before & set(workers(service.daemon.pid)) and len(workers(service.daemon.pid)) == 2, "there are new workers")
    assert slowly(service, body, media_type, "func=getAlbum").info == "UNSUPPORTED MEDIA TYPE"


# What is left


def open_files(service):
    """How many descriptors the worker has. It closes some once it has answered, and all of them before it answers the next one; it
    is done with that one when the connection ends."""
    (worker,) = workers(service.daemon.pid)
    with fastcgi.connect(service.socket) as connection:
        connection.sendall(fastcgi.opening(b"", {"SCRIPT_NAME": "/healthz"}) + fastcgi.stream(fastcgi.STDIN, b""))
        while connection.recv(65536):
            pass
    return len(os.listdir(f"/proc/{worker}/fd"))


def test_no_file_stays_open(small):
    cut = closed("x", [file_part("a")])[:-20]
    requests = [(closed("x", [file_part("a"), file_part("b")]), X), (closed("x", [file_part("a"), file_part("a")]), X), (cut, X),
                file_of(2 * MIB + 1), (FILE.content, "image/png"), (closed("x", [*GOOD, file_part("a")]), X)]
    for body, media_type in requests:
        send(small, body, media_type)
    before = open_files(small)
    for body, media_type in requests * 5:
        send(small, body, media_type, query="func=getAlbum")
    until(lambda: open_files(small) <= before, "all files are closed")
    assert {path.name for path in small.settings["photo_directory"].rglob("*") if path.is_file()} == {"database"}


@pytest.mark.skipif(WITH_SANITIZERS, reason="sanitizers keep memory of their own")
@pytest.mark.parametrize("make", [raw_of, file_of])
def test_a_worker_does_not_grow_with_a_body(start_service, make):
    service = start_service(workers=1)
    (worker,) = workers(service.daemon.pid)
    send(service, *make(1000))
    before = peak_memory(worker)
    send(service, *make(20 * MIB))
    assert peak_memory(worker) < before + 1024


def test_without_a_folder_for_files(start_service, album):
    service = start_service(photo_directory="/nonexistent/photos")
    for body, media_type in (closed("x", [*GOOD, file_part("a")]), X), (FILE.content, "image/png"):
        answer = send(service, body, media_type)
        assert (answer.http_status, answer.info, answer.header("Retry-After")) == (503, "SERVICE UNAVAILABLE", "1")
    assert "photo_directory" in service.log.read_text(encoding="utf-8")
    assert post(service, fields_of("getAlbum", {"albumID": album})).info is None
    assert service.ok("getAlbum", albumID=album)["albumTitle"] == ALBUM["albumTitle"]
