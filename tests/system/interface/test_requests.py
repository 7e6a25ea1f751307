"""Requests: where parameters come from, how they are written, methods, media types, sizes."""

import pytest

import http_client
from samples import ALBUM

FORM = http_client.FORM
MIB = 1 << 20


def form_of(length, **params):
    """A form of so many bytes."""
    form = http_client.encode(params) + "&filler="
    return form + (length - len(form)) * "x"


def cookies(user):
    return [("Cookie", user.cookie)]


# Where parameters come from.


def test_get_with_a_query_string(service, album):
    assert service.request("GET", query=f"func=getAlbum&albumID={album}")["albumTitle"] == ALBUM["albumTitle"]


def test_get_with_a_body(service, album):
    answer = service.request("GET", body=f"func=getAlbum&albumID={album}")
    assert answer["albumTitle"] == ALBUM["albumTitle"]


def test_get_with_both(service, album):
    assert service.request("GET", query="func=getAlbum", body=f"albumID={album}").info is None
    assert service.request("GET", query=f"albumID={album}", body="func=getAlbum").info is None


def test_head_with_a_body(service, album):
    answer = service.request("HEAD", body=f"func=getAlbum&albumID={album}")
    assert (answer.http_status, answer.body) == (200, b"")


@pytest.mark.parametrize("in_query", [[], ["func"], ["lat", "lng"], ["func", *ALBUM]])
def test_post_with_parameters_in_either(service, alice, in_query):
    params = {"func": "addAlbum"} | ALBUM
    query = {name: params[name] for name in in_query}
    body = {name: value for name, value in params.items() if name not in in_query}
    answer = service.request("POST", http_client.encode(query), http_client.encode(body), cookies(alice))
    got = service.ok("getAlbum", albumID=answer["albumID"])
    assert got["albumTitle"] == ALBUM["albumTitle"] and got["Location/lat"] == ALBUM["lat"]


@pytest.mark.parametrize("length", [None, "0"])
def test_post_without_a_body(service, alice, length):
    """Then its media type does not matter."""
    query = http_client.encode({"func": "addAlbum"} | ALBUM)
    answer = service.request("POST", query=query, headers=[*cookies(alice), ("Content-Length", length)])
    assert answer.names == ["albumID"]


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize("name", ["func", "albumID", "x"])
@pytest.mark.parametrize("value", ["", "1", "getAlbum"])
def test_a_name_in_both_is_a_duplicate(service, method, name, value):
    answer = service.request(method, f"{name}={value}", "func=getAlbum&albumID=1&x=")
    assert answer.info == f"DUPLICATE PARAMETER: {name}"


# How they are written.


@pytest.mark.parametrize("written, read", [
    ("a+b", "a b"), ("a%20b", "a b"), ("a%2Bb", "a+b"), ("a%2bb", "a+b"), ("%41%62%43", "AbC"), ("a=b", "a=b"), ("==", "=="),
    ("%26%3D%25", "&=%"), ("%e5%9c%96", "圖"), ("%E5%9c%96", "圖"), ("圖", "圖"), ("%F0%9F%97%BA", "🗺"), ("a;b", "a;b"),
    ("a?b#c", "a?b#c"), ("%2541", "%41"), ("a\tb", "a\tb"), ("++", "  "), ('"', '"'), ("~-._*", "~-._*"), ("<>&amp;", "<>"),
])
def test_escapes(service, alice, written, read):
    form = http_client.encode({"func": "addAlbum"} | {name: ALBUM[name] for name in ("category", "lat", "lng")})
    answer = service.request("POST", body=f"{form}&albumTitle={written}", headers=cookies(alice))
    assert service.ok("getAlbum", albumID=answer["albumID"])["albumTitle"] == read


def test_names_are_escaped_too(service, album):
    assert service.request("GET", query=f"f%75nc=getAlbum&%61lbumID={album}").info is None
    assert service.request("GET", query=f"f%75nc=getAlbum&func=x&albumID={album}").info == "DUPLICATE PARAMETER: func"
    assert service.request("GET", query=f"func=getAlbum&albumID={album}&a+b=1&a%20b=1").info == "DUPLICATE PARAMETER: a b"


BROKEN = ["%", "%4", "%zz", "%g0", "%0g", "a%", "a%4", "%%41", "%+1", "%-1", "%u5716"]


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize("form", [f"{place}{broken}" for broken in BROKEN for place in ("x=", "")]
                         + [f"{broken}=x" for broken in BROKEN] + ["=", "=x", "==", "&=&", "%00=x", "%01=x", "%ff=x", "%ed%a0%80=x"])
def test_malformed(service, db, alice, method, form):
    whole = http_client.encode({"func": "addAlbum"} | ALBUM) + "&" + form
    with db.unchanged():
        answer = service.request(method, headers=cookies(alice), **{"query" if method == "GET" else "body": whole})
        assert (answer.http_status, answer.info) == (200, "MALFORMED REQUEST")


def test_empty_pieces_are_skipped(service, album):
    assert service.request("GET", query=f"&&func=getAlbum&&&albumID={album}&").info is None


@pytest.mark.parametrize("query, info", [
    ("", "MISSING PARAMETER: func"), ("&", "MISSING PARAMETER: func"), ("albumID=1", "MISSING PARAMETER: func"),
    ("func=", "UNKNOWN FUNC"), ("func", "UNKNOWN FUNC"), ("func=getAlbum;albumID=1", "UNKNOWN FUNC"),
    ("func=getalbum&albumID=1", "UNKNOWN FUNC"), ("func=getAlbum%20&albumID=1", "UNKNOWN FUNC"),
    ("func=+getAlbum&albumID=1", "UNKNOWN FUNC"), ("func=getAlbum%00&albumID=1", "INVALID PARAMETER: func"),
    ("Func=getAlbum&albumID=1", "MISSING PARAMETER: func"), ("func=getAlbum&albumID", "INVALID PARAMETER: albumID"),
])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_func(service, method, query, info):
    answer = service.request(method, **{"query" if method == "GET" else "body": query})
    assert (answer.http_status, answer.info) == (200, info)


@pytest.mark.parametrize("value", ["xml", "Xml", "json", "Json", "", "XML ", "XML,JSON", "JSONP", "GeoJSON"])
def test_other_formats_are_refused_in_xml(service, db, alice, value):
    assert service.call("getUserAlbumList", userID=alice.id, responseFormat="XML").info is None
    with db.unchanged():
        answer = service.call("addAlbum", user=alice, responseFormat=value, **ALBUM)
        assert answer.info == "INVALID PARAMETER: responseFormat"


# Methods.


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "PROPFIND", "MKCOL"])
def test_other_methods(service, db, alice, method):
    with db.unchanged():
        for body in None, http_client.encode({"func": "addAlbum"} | ALBUM):
            answer = service.request(method, "func=getUserAlbumList&userID=1", body, cookies(alice))
            assert (answer.http_status, answer.info) == (405, "METHOD NOT ALLOWED")
            assert answer.header("Allow") == "GET, HEAD, POST"


def test_method_is_looked_at_first(service):
    answer = service.request("PUT", body="%", headers=[("Content-Type", "text/plain")])
    assert answer.http_status == 405


# Media types.


@pytest.mark.parametrize("media_type", [
    FORM, FORM.upper(), FORM + ";charset=utf-8", FORM + "; charset=UTF-8", FORM + ' ; charset="utf-8"', FORM + ";",
    FORM + "; charset=UTF-8;", FORM + "; charset=utf8", FORM + ';charset="UTF8" ; ',
])
def test_forms(service, alice, media_type):
    body = http_client.encode({"func": "addAlbum"} | ALBUM)
    answer = service.request("POST", body=body, headers=[*cookies(alice), ("Content-Type", media_type)])
    assert answer.names == ["albumID"]


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize("media_type", [
    None, "", "text/plain", "application/json", "text/xml", "multipart/mixed; boundary=x", "image/", FORM + "x", "x" + FORM,
    FORM + "; charset=big5", FORM + "; charset=iso-8859-1", FORM + "; charset=utf-16",
    FORM + "; charset=utf8; charset=utf8", FORM + ", text/plain", FORM + " x", "application/*",
])
def test_other_media_types(service, db, alice, method, media_type):
    with db.unchanged():
        body = http_client.encode({"func": "addAlbum"} | ALBUM)
        answer = service.request(method, body=body, headers=[*cookies(alice), ("Content-Type", media_type)])
        assert (answer.http_status, answer.info) == (415, "UNSUPPORTED MEDIA TYPE")


@pytest.mark.parametrize("encoding, is_taken", [
    ("identity", True), ("Identity", True), ("gzip", False), ("br", False), ("identity, gzip", False)])
def test_encoded_bodies(service, db, alice, encoding, is_taken):
    body = http_client.encode({"func": "addAlbum"} | ALBUM)
    answer = service.request("POST", body=body, headers=[*cookies(alice), ("Content-Type", FORM), ("Content-Encoding", encoding)])
    assert (answer.http_status, answer.info) == ((200, None) if is_taken else (415, "UNSUPPORTED MEDIA TYPE"))


# Sizes.


@pytest.mark.parametrize("method, func", [("POST", "addAlbum"), ("GET", "getAlbum")])
@pytest.mark.parametrize("length", [MIB - 1, MIB])
@pytest.mark.parametrize("chunked", [False, True])
def test_largest_body(service, alice, album, method, func, length, chunked):
    params = ALBUM if func == "addAlbum" else {"albumID": album}
    body, headers = form_of(length, func=func, **params), cookies(alice)
    if chunked:
        body, headers = in_chunks(body), [*headers, ("Transfer-Encoding", "chunked")]
    assert service.request(method, body=body, headers=headers).info is None


@pytest.mark.parametrize("length", [MIB + 1, 3 * MIB])
@pytest.mark.parametrize("chunked", [False, True])
def test_larger_body(service, db, alice, length, chunked):
    body, headers = form_of(length, func="addAlbum", **ALBUM), cookies(alice)
    if chunked:
        body, headers = in_chunks(body), [*headers, ("Transfer-Encoding", "chunked")]
    with db.unchanged():
        answer = service.request("POST", body=body, headers=headers)
        assert (answer.http_status, answer.info) == (413, "REQUEST TOO LARGE")


def in_chunks(body, size=50_000):
    pieces = [body[at : at + size] for at in range(0, len(body), size)] + [""]
    return "".join(f"{len(piece):x}\r\n{piece}\r\n" for piece in pieces)


@pytest.mark.parametrize("length, info", [(MIB, None), (MIB + 1, "REQUEST TOO LARGE"), (5 * MIB, "REQUEST TOO LARGE")])
def test_size_is_checked_behind_any_web_server(service, album, length, info):
    body = form_of(length, func="getAlbum", albumID=album).encode()
    answer = service.fastcgi(body, REQUEST_METHOD="POST", CONTENT_TYPE=FORM)
    assert (answer.http_status, answer.info) == (413 if info else 200, info)


@pytest.mark.parametrize("said", ["1", "99", "-1", "x", "1e1", "99999999999999999999", " 2"])
def test_a_length_that_is_not_that_of_the_body(service, said):
    answer = service.fastcgi(b"func=getAlbum&albumID=1", REQUEST_METHOD="POST", CONTENT_TYPE=FORM, CONTENT_LENGTH=said)
    assert answer.info == "MALFORMED REQUEST"


@pytest.mark.parametrize("in_query", [0, 30, 62])
@pytest.mark.parametrize("count, info", [(64, None), (65, "REQUEST TOO LARGE")])
def test_most_parameters(service, album, in_query, count, info):
    names = [f"p{number}=" for number in range(count - 2)]
    query, body = names[:in_query], [f"func=getAlbum&albumID={album}", *names[in_query:]]
    answer = service.request("POST", "&".join(query), "&".join(body))
    assert (answer.http_status, answer.info) == (413 if info else 200, info)


def test_too_many_parameters_store_nothing(service, db, alice):
    with db.unchanged():
        params = {f"p{number}": "" for number in range(60)} | ALBUM
        answer = service.call("addAlbum", user=alice, **params)
        assert (answer.http_status, answer.info) == (413, "REQUEST TOO LARGE")
