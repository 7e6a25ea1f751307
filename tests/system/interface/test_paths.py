"""/API.php/getAlbum beside /API.php?func=getAlbum: the name of the operation in the path."""

import pytest

import http_client
from samples import ALBUM, OPERATIONS
from signing import new_application

READS = [row for row, operation in OPERATIONS.items() if not operation.writes and not operation.login]
# What names no operation; the web server may have tidied it up before.
UNKNOWN = [
    "/getalbum", "/getAlbum/", "/getAlbum/1", "/getAlbum/getAlbum", "/getAlbum%2F", "/getAlbum%2F1", "/%2FgetAlbum/x",
    "/getAlbum%20", "/getAlbum.xml", "/getAlbum;x=1", "/getAlbum%3Ffunc=getAlbum", "/getAlbum&albumID=1",
    "/func=getAlbum", "/nothing", "/healthz", "/metrics", "/API.php", "/API.php/getAlbum", "/index.php", "/x.php/getAlbum", "/%E5%9C%96",
    "/%FF", "/%0A", "/getAlbum%0A", "/%0D%0AX-Y:%20z", "/" + 2000 * "x", "/" + 300 * "x/", "/.htaccess", "/.git/config",
    "/~root", "/%25", "/%2525", "/*", "/<x>",
]


def by_path(service, path, method="GET", params=(), headers=(), body=None):
    return service.request(method, http_client.encode(dict(params)), body, headers, path="/API.php" + path)


@pytest.mark.parametrize("row", OPERATIONS)
@pytest.mark.parametrize("method", ["GET", "HEAD", "POST"])
def test_every_operation(service, alice, things, row, method):
    """By its path it is refused for what it lacks, which shows that it is known, and so is its method."""
    operation = OPERATIONS[row]
    if operation.writes and method != "POST":
        assert by_path(service, f"/{operation.func}", method).http_status == 405
    elif operation.required and not operation.login and method != "HEAD":
        name = operation.required[0]
        assert by_path(service, f"/{operation.func}", method).info == f"MISSING PARAMETER: {name}"
    else:
        assert by_path(service, f"/{operation.func}", method).http_status == 200


@pytest.mark.parametrize("row", READS)
def test_a_read_is_the_same_by_its_path(service, things, row, db):
    operation = OPERATIONS[row]
    if row == "search":
        db.wait_for_words()
    params = operation.filled(things)
    one, other = service.call(operation.func, **params), by_path(service, f"/{operation.func}", params=params)
    assert other.info is None and other.body == one.body
    assert other.header("ETag") == one.header("ETag")
    known = by_path(service, f"/{operation.func}", params=params, headers=[("If-None-Match", one.header("ETag"))])
    assert known.http_status == 304


def test_writes_by_their_paths(service, db, alice):
    cookies = [("Cookie", alice.cookie)]
    album = by_path(service, "/addAlbum", "POST", ALBUM, cookies)["albumID"]
    assert service.ok("getAlbum", albumID=album)["albumTitle"] == ALBUM["albumTitle"]
    changed = ALBUM | {"albumID": album, "albumTitle": "by its path"}
    assert by_path(service, "/updateAlbum", "POST", headers=cookies, body=http_client.encode(changed)).result == []
    assert service.ok("getAlbum", albumID=album)["albumTitle"] == "by its path"
    assert by_path(service, "/updateAlbum", "POST", {"delete": "true"}, cookies, f"albumID={album}").result == []
    assert service.call("getAlbum", albumID=album).info == "ALBUM NOT FOUND"


@pytest.mark.parametrize("path", UNKNOWN)
def test_no_operation(service, path):
    answer = by_path(service, path, params={"albumID": 1})
    assert (answer.http_status, answer.info) == (200, "UNKNOWN FUNC")
    posted = by_path(service, path, "POST", body="albumID=1")
    assert (posted.http_status, posted.info) == (200, "UNKNOWN FUNC")


@pytest.mark.parametrize("path", ["", "/", "//", "/.", "/./", "/getAlbum/.."])
def test_an_empty_path_is_none(service, album, path):
    assert by_path(service, path).info == "MISSING PARAMETER: func"
    answer = by_path(service, path, params={"func": "getAlbum", "albumID": album})
    assert answer["albumTitle"] == ALBUM["albumTitle"]


@pytest.mark.parametrize("path", ["/getAlbum", "/addAlbum", "/nothing", "/getAlbum/"])
@pytest.mark.parametrize("func", ["getAlbum", "nothing", ""])
def test_the_path_is_the_parameter_func(service, path, func):
    """So a second one doubles it, equal or not, wherever it stands."""
    pair = {"func": func}
    for answer in by_path(service, path, params=pair), by_path(service, path, "POST", body=http_client.encode(pair)):
        assert (answer.http_status, answer.info) == (200, "DUPLICATE PARAMETER: func")


def test_the_path_counts_as_a_parameter(service):
    filler = {f"x{number}": "" for number in range(63)}
    assert by_path(service, "/getAlbum", params=filler).info == "MISSING PARAMETER: albumID"
    assert by_path(service, "/getAlbum", params=filler | {"x": ""}).info == "REQUEST TOO LARGE"


def test_a_signature_covers_the_path(service, db, album):
    signed = new_application(service, db).sign("getAlbum", albumID=album)
    del signed["func"]
    assert by_path(service, "/getAlbum", params=signed).info is None
    assert by_path(service, "/getPOI", params=signed).info == "SIGNATURE INVALID"
    assert service.request(query=http_client.encode(signed | {"func": "getAlbum"})).info is None


def test_a_signed_write_is_the_same_by_either_name(service, db, alice):
    signed = new_application(service, db).sign("addAlbum", **ALBUM)
    cookies = [("Cookie", alice.cookie)]
    first = service.request("POST", body=http_client.encode(signed), headers=cookies)
    del signed["func"]
    again = by_path(service, "/addAlbum", "POST", headers=cookies, body=http_client.encode(signed))
    assert first.info is None and again.body == first.body


def test_names_beside_the_endpoint_are_not_the_services(service):
    for path in "x", "x/getAlbum", "%20", "%0A", ".bak", "5/getAlbum":
        answer = by_path(service, path, params={"func": "getCategoryPOIList", "category": 1})
        assert answer.http_status in (403, 404) and b"<response>" not in answer.body


@pytest.mark.parametrize("path", ["getAlbum", "/getAlbum"])
def test_what_the_web_server_says_counts(service, album, path):
    answer = service.fastcgi(SCRIPT_NAME="/API.php", PATH_INFO=path, QUERY_STRING=f"albumID={album}")
    assert answer["albumTitle"] == ALBUM["albumTitle"]
    assert service.fastcgi(PATH_INFO="", QUERY_STRING=f"func=getAlbum&albumID={album}").info is None
