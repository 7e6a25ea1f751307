"""The addresses of photos: who gets what, from the web server by itself and from the service."""

import email.utils
import errno
import functools
import hashlib
import http.client
import os
import re
import shutil
import socket

import pytest

from pictures import TYPES, link, new_icon, new_photo, photo_directory, put, withdraw
from service import WEB, at_once, until

CRLF = "\r\n"
UNKNOWN = "/photos/a1/00000000000000000000000000000000/large.jpg"
SENT_ALIKE = {
    "Cache-Control": "public, max-age=86400", "X-Content-Type-Options": "nosniff", "Access-Control-Allow-Origin": "*",
    "Content-Security-Policy": "default-src 'none'", "Cross-Origin-Resource-Policy": "cross-origin",
}
# The way a web server says that it sends files, and the header by which it is told which.
MEANS = {"accel": "X-Accel-Redirect", "xsendfile": "X-Sendfile"}


def get(service, path, user=None, method="GET", headers=(), **options):
    return service.request(method, headers=[*headers, *([("Cookie", user.cookie)] if user else [])], path=path, **options)


def direct(service, picture, user=None, **variables):
    """Without a web server."""
    cookies = {"HTTP_COOKIE": user.cookie} if user else {}
    return service.fastcgi(SCRIPT_NAME="/photos", PATH_INFO=picture.path.removeprefix("/photos"), **cookies, **variables)


def asked(service):
    """The addresses for which mapdiaryd was asked, as their outcomes."""
    return re.findall(r'func=/photos outcome="([^"]*)"', service.log.read_text(encoding="utf-8"))


def is_asked(service, count):
    """Whether it was asked so often; a further request makes sure that the log is complete."""
    already = len(asked(service))
    assert get(service, UNKNOWN).http_status == 404
    until(lambda: asked(service)[already:].count("PHOTO NOT FOUND"), "the line of that is there")
    return already == count


def said(answer):
    """All of an answer but what differs each time."""
    own = "date", "x-request-id", "server", "connection"
    return answer.http_status, answer.body, sorted(pair for pair in answer.headers if pair[0] not in own)


@pytest.fixture
def private(service, db, album):
    db.run("UPDATE album SET visibility = 'private' WHERE number = %s", album)
    return new_photo(service, db, album)


# What anybody may see


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("owner", ["album", "poi", "user"])
def test_a_public_picture_is_asked_for_once(service, db, request, new_user, owner, kind):
    if owner == "user":
        pictures = [new_icon(service, db, new_user(), kind)]
    else:
        pictures = new_photo(service, db, **{owner: request.getfixturevalue(owner)}, kind=kind)
    for picture in pictures:
        before = len(asked(service))
        answers = [get(service, picture.path) for _ in range(4)]
        assert is_asked(service, before + 1)
        assert link(service, picture).read_bytes() == picture.body
        for answer in answers:
            assert (answer.http_status, answer.body == picture.body) == (200, True)
            assert answer.header("Content-Type") == TYPES[kind] and answer.header("Content-Length") == str(len(picture.body))
            assert {name: answer.header(name) for name in SENT_ALIKE} == SENT_ALIKE
        # Apache does not know that of the service when it sends the file by itself.
        tags = [answer.header("ETag") for answer in answers[WEB.name == "apache":]]
        assert len(set(tags)) == 1 and answers[0].header("ETag") and tags[0]


def test_a_link_that_is_lost_is_made_anew(service, db, album):
    large, small = new_photo(service, db, album)
    for _ in range(3):
        assert get(service, large.path).body == large.body and get(service, small.path).body == small.body
        assert link(service, large).exists() and link(service, small).exists()
        withdraw(service, large)


@pytest.mark.parametrize("by", ["web server", "service"])
def test_what_http_does_with_files(service, db, album, by):
    picture = new_photo(service, db, album)[0]

    def ask(method="GET", **headers):
        if by == "service":
            withdraw(service, picture)
        return get(service, picture.path, None, method, [(name.replace("_", "-"), text) for name, text in headers.items()])

    ask()
    whole = ask()
    head = ask("HEAD")
    assert (head.http_status, head.body, head.header("Content-Length")) == (200, b"", str(len(picture.body)))
    part = ask(Range="bytes=10-19")
    assert (part.http_status, part.body) == (206, picture.body[10:20])
    assert part.header("Content-Range") == f"bytes 10-19/{len(picture.body)}"
    assert ask(Range="bytes=9999999-").http_status == 416
    for known in {"If_None_Match": whole.header("ETag")}, {"If_Modified_Since": whole.header("Last-Modified")}:
        answer = ask(**known)
        assert (answer.http_status, answer.body) == (304, b"")
    assert ask(If_None_Match='"other"').body == picture.body
    assert email.utils.parsedate_to_datetime(whole.header("Last-Modified"))


@pytest.mark.slow
def test_one_that_has_as_many_links_as_a_file_may_have(service, db, album):
    """As where thousands have sent the same picture: the service is asked for it each time, and nothing is wrong."""
    picture = new_photo(service, db, album)[0]
    digest = hashlib.sha256(picture.body).hexdigest()
    file, others = photo_directory(service) / "pictures" / digest[:2] / digest, photo_directory(service) / "others"
    others.mkdir()
    logged = len(service.log.read_text(encoding="utf-8"))
    try:
        for number in range(70_000):
            os.link(file, others / str(number))
        pytest.skip("a file may have more links here")
    except OSError as error:
        assert error.errno == errno.EMLINK
        assert [get(service, picture.path).body for _ in range(3)] == [picture.body] * 3
        assert direct(service, picture).body == picture.body
        assert not link(service, picture).exists()
        # A request that took long is a warning, too.
        assert not re.search("(error|warning): (?!func=)", service.log.read_text(encoding="utf-8")[logged:])
    finally:
        shutil.rmtree(others)
    assert get(service, picture.path).body == picture.body and link(service, picture).exists()


def test_whoever_asks_gets_a_public_one(service, db, album, alice, bob):
    picture = new_photo(service, db, album)[0]
    for user in alice, bob, None:
        answer = get(service, picture.path, user)
        assert answer.body == picture.body and answer.header("Cache-Control") == "public, max-age=86400"


# What only its owner may see


def test_a_private_one_is_as_none_to_strangers(service, private, bob):
    unknown = said(get(service, UNKNOWN))
    assert unknown[:2] == (404, b"PHOTO NOT FOUND\n")
    assert {"cache-control": "no-store", "content-type": "text/plain; charset=utf-8"}.items() <= dict(unknown[2]).items()
    for picture in private:
        assert said(get(service, picture.path)) == said(get(service, picture.path, bob)) == unknown
        assert said(get(service, picture.path, method="HEAD")) == said(get(service, UNKNOWN, method="HEAD"))
        assert not link(service, picture).exists()


def test_cookies_that_are_no_session(service, db, private, alice, new_session):
    path = private[0].path
    ended = new_session(alice)
    db.run("DELETE FROM session WHERE user_id = %s"
           " AND created_at = (SELECT max(created_at) FROM session WHERE user_id = %s)", alice.id, alice.id)
    for cookie in (f"id={alice.id}; idrand={ended}", f"id={alice.id}", f"id={alice.id}; idrand={32 * '0'}", "id=x; idrand=y",
                   f"id={alice.id + 1}; idrand={alice.token}"):
        assert get(service, path, headers=[("Cookie", cookie)]).http_status == 404
    assert get(service, path, alice).http_status == 200


def test_its_owner_gets_it(service, private, alice):
    for picture in private:
        whole = get(service, picture.path, alice)
        assert (whole.http_status, whole.body == picture.body) == (200, True)
        assert whole.header("Content-Type") == "image/jpeg" and whole.header("Cache-Control") == "private, no-store"
        assert whole.header("Access-Control-Allow-Origin") is None and whole.header("X-Request-ID")
        for name in "X-Content-Type-Options", "Content-Security-Policy", "Cross-Origin-Resource-Policy":
            assert whole.header(name) == SENT_ALIKE[name]
        assert not {name for name, _ in whole.headers} & {"x-sendfile", "x-accel-redirect"}
        head = get(service, picture.path, alice, "HEAD")
        assert (head.http_status, head.body, head.header("Content-Length")) == (200, b"", str(len(picture.body)))
        part = get(service, picture.path, alice, headers=[("Range", "bytes=-7")])
        assert (part.http_status, part.body) == (206, picture.body[-7:])
        known = get(service, picture.path, alice, headers=[("If-None-Match", whole.header("ETag"))])
        assert (known.http_status, known.body) == (304, b"")
        assert not link(service, picture).exists()
    line = service.log.read_text(encoding="utf-8").rpartition("func=/photos")[2]
    assert f" user={alice.id} " in line


def test_pages_of_an_allowed_origin(start_service, db, album, alice):
    service = start_service(allowed_origins="https://app.example")
    picture = new_photo(service, db, album)[0]
    origin = [("Origin", "https://app.example")]
    db.run("UPDATE album SET visibility = 'private' WHERE number = %s", album)
    answer = get(service, picture.path, alice, headers=origin)
    assert answer.body == picture.body and answer.header("Access-Control-Allow-Origin") == "https://app.example"
    assert answer.header("Access-Control-Allow-Credentials") == "true"
    other = get(service, picture.path, alice, headers=[("Origin", "https://other.example")])
    assert other.body == picture.body and other.header("Access-Control-Allow-Origin") is None


@pytest.mark.parametrize("means", [*MEANS, None, "", "other"])
def test_how_the_service_hands_it_over(service, private, alice, means):
    picture = private[0]
    variables = {} if means is None else {"MAPDIARY_SENDFILE": means}
    answer = direct(service, picture, alice, **variables)
    digest = put(service, picture.body).hex()
    told = {name: answer.header(name) for name in MEANS.values() if answer.header(name)}
    if means in MEANS:
        start = "/.mapdiary-photos" if means == "accel" else photo_directory(service)
        assert told == {MEANS[means]: f"{start}/pictures/{digest[:2]}/{digest}"} and answer.body == b""
        return
    assert not told and answer.body == picture.body and answer.header("Content-Length") == str(len(picture.body))
    assert answer.header("ETag") == f'"{digest}"'
    head = direct(service, picture, alice, REQUEST_METHOD="HEAD", **variables)
    assert (head.http_status, head.body, head.header("Content-Length")) == (200, b"", str(len(picture.body)))
    known = direct(service, picture, alice, HTTP_IF_NONE_MATCH=answer.header("ETag"), **variables)
    assert (known.http_status, known.body) == (304, b"")


def test_nobody_else_says_how(service, private, alice):
    wishes = [(name, text) for text in MEANS for name in ("MAPDIARY_SENDFILE", "Mapdiary-Sendfile", MEANS[text])]
    assert get(service, private[0].path, alice, headers=wishes).body == private[0].body


@pytest.mark.skipif(WEB.name != "apache", reason="nginx has both in itself")
@pytest.mark.parametrize("without", ["xsendfile", "headers"])
def test_without_a_module(start_service, db, album, alice, without):
    """What the web server does not do, the service does."""
    service = start_service(web=functools.partial(WEB, edit=lambda text: text.replace(f"<IfModule {without}_module>",
                                                                                      "<IfModule none_such_module>")))
    picture = new_photo(service, db, album, size=3_000_000)[0]
    for _ in range(2):
        answer = get(service, picture.path)
        assert answer.body == picture.body
        assert {name: answer.header(name) for name in SENT_ALIKE} == SENT_ALIKE
    db.run("UPDATE album SET visibility = 'private' WHERE number = %s", album)
    withdraw(service, picture)
    answer = get(service, picture.path, alice)
    assert answer.body == picture.body and answer.header("Cache-Control") == "private, no-store"
    assert answer.header("X-Content-Type-Options") == "nosniff" and get(service, picture.path).http_status == 404


OF_OTHERS = {
    "nginx": "open_file_cache max=1000 inactive=10m; open_file_cache_valid 10m; autoindex on; expires 30d; etag off;\n",
    "apache": "LoadModule expires_module /usr/lib/apache2/modules/mod_expires.so\nExpiresActive On\n"
              "ExpiresDefault 'access plus 30 days'\n<Directory />\nOptions +Indexes\n</Directory>\n",
}


def test_what_the_web_server_does_with_other_files(start_service, db, album, alice):
    """Keeps them open, has browsers keep them, lists them: none of that is done to photos."""
    service = start_service(web=functools.partial(WEB, edit=lambda text: OF_OTHERS[WEB.name] + text))
    picture = new_photo(service, db, album)[0]
    for _ in range(3):
        answer = get(service, picture.path)
        assert answer.body == picture.body and answer.header("Expires") is None
        assert answer.header("Cache-Control") == "public, max-age=86400" and answer.header("ETag")
    assert get(service, f"/photos/{picture.owner}/").http_status == 404
    withdraw(service, picture)
    db.run("UPDATE album SET visibility = 'private' WHERE number = %s", album)
    assert get(service, picture.path).http_status == 404
    answer = get(service, picture.path, alice)
    assert answer.body == picture.body and answer.header("Expires") is None and answer.header("ETag")
    assert answer.header("Cache-Control") == "private, no-store"


# What changes


def test_what_becomes_private_is_so_at_once(service, db, album, alice):
    pictures = new_photo(service, db, album)
    for picture in pictures:
        assert get(service, picture.path).http_status == 200
    withdraw(service, pictures[0], whole_piece=True)
    db.run("UPDATE album SET visibility = 'private' WHERE number = %s", album)
    for picture in pictures:
        assert get(service, picture.path).http_status == 404 and get(service, picture.path, alice).body == picture.body
        assert not link(service, picture).exists()
    db.run("UPDATE album SET visibility = 'public' WHERE number = %s", album)
    for picture in pictures:
        assert get(service, picture.path).body == picture.body and link(service, picture).exists()


@pytest.mark.parametrize("change", ["UPDATE album SET visibility = 'private' WHERE number = %s",
                                    "DELETE FROM album WHERE number = %s"])
def test_nothing_is_linked_while_it_is_withdrawn(service, db, album, connect_owner, change):
    """Until the commit it is public, and answered, by the service alone."""
    pictures = new_photo(service, db, album)
    assert get(service, pictures[0].path).http_status == 200
    other = connect_owner()
    other.run("BEGIN")
    other.run(change, album)
    withdraw(service, pictures[0], whole_piece=True)
    for picture in pictures:
        assert get(service, picture.path).body == picture.body and not link(service, picture).exists()
    other.run("COMMIT")
    for picture in pictures:
        assert get(service, picture.path).http_status == 404 and not link(service, picture).exists()


def test_a_deleted_photo(service, db, album, alice):
    gone, stays = new_photo(service, db, album), new_photo(service, db, album)
    for picture in *gone, *stays:
        get(service, picture.path)
    withdraw(service, gone[0])
    db.run("DELETE FROM photo WHERE name = decode(%s, 'hex')", gone[0].name)
    for user in None, alice:
        assert [get(service, picture.path, user).http_status for picture in (*gone, *stays)] == [404, 404, 200, 200]


def test_a_file_that_is_not_there(service, db, album):
    large, small = new_photo(service, db, album)
    digest = put(service, large.body).hex()
    (photo_directory(service) / "pictures" / digest[:2] / digest).unlink()
    assert said(get(service, large.path)) == said(get(service, UNKNOWN))
    assert f"photos{large.path.removeprefix('/photos')}: its file is not there" in service.log.read_text(encoding="utf-8")
    assert get(service, small.path).body == small.body


# What is no address


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "PROPFIND"])
@pytest.mark.parametrize("body", [None, "x=1"])
def test_other_methods(service, db, album, method, body):
    picture = new_photo(service, db, album)[0]
    for path in picture.path, picture.path, UNKNOWN:
        answer = get(service, path, method=method, body=body)
        assert (answer.http_status, answer.body) == (405, b"METHOD NOT ALLOWED\n")
        assert answer.header("Allow") == "GET, HEAD"
        assert get(service, picture.path).body == picture.body


def odd_paths(picture):
    owner, name, file = picture.below.split("/")
    digits = owner[1:]
    yield from (
        "", "/", f"/{owner}", f"/{owner}/", f"/{owner}/{name}", f"/{owner}/{name}/", f"/{picture.below}/",
        f"/{picture.below}/x", f"/photos/{picture.below}", f"/{picture.below}.jpg", f"/{picture.below}%20",
        f"/{picture.below}%0A", f"/{picture.below}%00", f"/{picture.below}%00.jpg", f"/{picture.below}?x/../..",
        f"/{owner}/{name.upper()}/{file}", f"/{owner}/{name[:-1]}/{file}", f"/{owner}/{name}0/{file}",
        f"/p{digits}/{name}/{file}", f"/u{digits}/{name}/{file}", f"/a0{digits}/{name}/{file}",
        f"/a+{digits}/{name}/{file}", f"/A{digits}/{name}/{file}", f"/a-1/{name}/{file}",
        f"/a{int(digits) + 1}/{name}/{file}", f"/a{2**64 + int(digits)}/{name}/{file}",
        f"/{owner}/{name}/large.webp", f"/{owner}/{name}/icon.jpg", f"/{owner}/{name}/LARGE.JPG",
        f"/{owner}/{name}/original.jpg", f"/{owner}/{name}//", f"/{owner}/{name}/.", f"/{owner}/{name}/..",
        f"/{owner}/{name}/../../../../originals", "/../pictures", "/%2e%2e/pictures", "/%2e%2e/%2e%2e/pictures",
        "/..%2fpictures", "/..%2f..%2foriginals", "/.%2e/.%2e/gone", "/" + 3000 * "a", "/" + 500 * "a/", "/%FF",
        "/%E5%9C%96", "/*", "/;x", "//", "//" + name,
    )


def test_odd_paths(service, db, album):
    picture = new_photo(service, db, album)[0]
    assert get(service, picture.path).http_status == 200
    for path in odd_paths(picture):
        answer = get(service, f"/photos{path}")
        if "?" in path:
            assert answer.body == picture.body
        else:
            assert answer.http_status in (400, 403, 404, 414), path
            assert picture.body not in answer.body and picture.name.encode() not in answer.body, path
    # What the web server tidies up is the address itself.
    for path in picture.path.replace("/a", "//a"), picture.path.replace("/a", "/./a"), picture.path.replace("large", "%6Carge"):
        assert get(service, path).body == picture.body


def test_what_a_path_leads_to_without_a_web_server(service, db, album):
    picture = new_photo(service, db, album)[0]
    for path in ["", None, "photos", *odd_paths(picture), *("%s\n" % picture.path, "/photos" + picture.path)]:
        answer = service.fastcgi(SCRIPT_NAME="/photos", PATH_INFO=path)
        assert (answer.http_status, answer.body) == (404, b"PHOTO NOT FOUND\n"), path


def test_no_other_file_is_reached(service, db, album, alice):
    """Neither what was sent, nor a picture by the name of its file, nor a list of anything."""
    picture = new_photo(service, db, album)[0]
    assert get(service, picture.path).http_status == 200
    rooms = [photo_directory(service) / room for room in ("originals", "pictures")]
    files = [file for room in rooms for file in room.rglob("*") if file.is_file()]
    bodies = {file.read_bytes() for file in files}
    for file in files[:200]:
        below = file.relative_to(photo_directory(service))
        for path in (f"/photos/{below}", f"/photos/../{below}", f"/photos/..%2f{below}", f"/photos/%2e%2e/%2e%2e/{below}",
                     f"/{below}", f"/.mapdiary-photos/{below}", f"/.mapdiary-photos/pictures/../{below}",
                     f"/.mapdiary-photos/pictures/..%2f..%2f{below}"):
            answer = get(service, path, alice)
            assert answer.http_status in (400, 403, 404) and answer.body not in bodies
    for path in "/photos", "/photos/", "/.mapdiary-photos", "/.mapdiary-photos/", "/.mapdiary-photos/pictures/", "/pictures/":
        answer = get(service, path, alice)
        assert answer.http_status in (403, 404) and b"Index of" not in answer.body
        assert picture.name.encode() not in answer.body and picture.owner.encode() not in answer.body


# How much, and when the service or its database is away


def fetch_all(service, source, paths):
    """As a browser does: over a connection that stays."""
    connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=60, source_address=(source, 0))
    statuses = []
    for path in paths:
        connection.request("GET", path)
        with connection.getresponse() as response:
            response.read()
            statuses.append(response.status)
    connection.close()
    return statuses


def volley(service, source, path, count=100):
    """The statuses of so many requests that are sent at once, which no slow client keeps from being many."""
    head = f"HEAD {path} HTTP/1.1\r\nHost: localhost\r\n"
    with socket.create_connection(("127.0.0.1", service.port), timeout=60, source_address=(source, 0)) as connection:
        connection.sendall(f"{(count - 1) * (head + CRLF)}{head}Connection: close{CRLF}{CRLF}".encode())
        answers = b"".join(iter(lambda: connection.recv(65536), b""))
    return [int(status) for status in re.findall(rb"^HTTP/1\.1 (\d+) ", answers, re.M)]


def test_an_album_of_hundreds_is_not_too_much(service, db, album):
    paths = [new_photo(service, db, album, size=300)[1].path for _ in range(100)]
    assert set(fetch_all(service, "127.0.0.1", paths)) == {200}  # Apache may say 404 while one becomes a file
    shares = at_once(*[functools.partial(fetch_all, service, "127.0.0.2", paths)] * 6)
    assert {status for share in shares for status in share} == {200}
    assert get(service, UNKNOWN, source="127.0.0.2").http_status == 404
    query = "func=getUserAlbumList&userID=1"
    assert service.request(query=query, source="127.0.0.2").http_status == 200


def test_an_address_that_asks_too_much_is_refused(start_service, db, album):
    service = start_service()
    picture = new_photo(service, db, album, size=300)[0]
    assert get(service, picture.path).http_status == 200
    shares = at_once(*[lambda: [volley(service, "127.0.0.2", picture.path) for _ in range(15)]] * 4)
    statuses = [status for share in shares for answered in share for status in answered]
    assert len(statuses) == 6000
    assert set(statuses) == {200, 429} and statuses.count(200) >= 1000
    assert get(service, picture.path, source="127.0.0.4").http_status == 200


def test_without_the_database(start_service, postgres, db, album):
    service = start_service(database=postgres.dsn("nobody_there", "mapdiary"))
    large, small = new_photo(service, db, album)
    folder = link(service, large).parent
    folder.mkdir(parents=True)
    for step in folder, folder.parent, folder.parent.parent:
        step.chmod(0o711)
    digest = put(service, large.body).hex()
    link(service, large).hardlink_to(photo_directory(service) / "pictures" / digest[:2] / digest)
    assert get(service, large.path).body == large.body
    answer = get(service, small.path)
    assert (answer.http_status, answer.body, answer.header("Retry-After")) == (503, b"SERVICE UNAVAILABLE\n", "1")
    assert answer.header("Cache-Control") == "no-store"
    service.daemon.stop()
    service.daemon = None
    assert get(service, large.path).body == large.body
    assert get(service, small.path).http_status == 503


def test_it_is_counted(service, private):
    def count(outcome):
        text = service.fastcgi(SCRIPT_NAME="/metrics").body.decode()
        found = re.search(rf'requests_total{{func="/photos",variant="",outcome="{outcome}"}} (\d+)', text)
        return int(found[1]) if found else 0

    before = count("PHOTO NOT FOUND")
    assert get(service, private[0].path).http_status == 404
    until(lambda: count("PHOTO NOT FOUND") == before + 1, "it is counted")
