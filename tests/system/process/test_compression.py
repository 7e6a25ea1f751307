"""Answers to GET are compressed on their way, and stay what they are; answers with a token are not compressed."""

import gzip

import brotli
import pytest

from samples import ALBUM, BLOG

COMPRESSED = ("Accept-Encoding", "gzip, br")
READS = {
    "XML": ("getUserAlbumList", {}),
    "JSON": ("getBlogList", {"responseFormat": "JSON"}),
    "GeoJSON": ("getBlogList", {"responseFormat": "GeoJSON"}),
    "Atom": ("getBlogList", {"responseFormat": "Atom"}),
}


@pytest.fixture(scope="module")
def author(service, new_user):
    author = new_user()
    for _ in range(20):
        service.ok("addAlbum", user=author, **ALBUM)
        service.ok("postBlog", user=author, **BLOG)
    return author


def read(service, author, what, *headers):
    func, params = READS[what]
    return service.call(func, userID=author.id, headers=headers, **params)


@pytest.mark.parametrize("accepted, coding, decompress", [
    ("gzip", "gzip", gzip.decompress), ("br", "br", brotli.decompress), ("gzip, deflate, br", "br", brotli.decompress)])
@pytest.mark.parametrize("what", READS)
def test_a_long_answer(service, author, what, accepted, coding, decompress):
    plain = read(service, author, what)
    answer = read(service, author, what, ("Accept-Encoding", accepted))
    assert plain.http_status == 200 and plain.header("Content-Encoding") is None and len(plain.body) > 1024
    assert answer.header("Content-Encoding") == coding and len(answer.body) < len(plain.body) / 2
    assert decompress(answer.body) == plain.body
    assert "Accept-Encoding" in answer.varies and "Cookie" in answer.varies
    again = read(service, author, what, ("Accept-Encoding", accepted), ("If-None-Match", answer.header("ETag")))
    assert (again.http_status, again.body) == (304, b"")


def test_the_description(service):
    answer = service.request(path="/openapi.json", headers=[("Accept-Encoding", "gzip")])
    assert answer.header("Content-Encoding") == "gzip"
    assert gzip.decompress(answer.body) == service.request(path="/openapi.json").body


def test_what_has_no_need(service, author):
    """A client gets compressed answers if it asks for them. Short answers stay as they are."""
    assert read(service, author, "JSON", ("Accept-Encoding", "identity")).header("Content-Encoding") is None
    short = service.call("getUser", userID=author.id, responseFormat="JSON", headers=[COMPRESSED])
    assert short.header("Content-Encoding") is None and len(short.body) < 1000


def test_a_token_is_not_guessed_by_the_length_of_its_answer(service, new_user):
    user = new_user(name="x" * 50)
    for form in {}, {"responseFormat": "JSON"}:
        answer = service.call("login", email=user.email, password=user.password, headers=[COMPRESSED], **form)
        assert answer.http_status == 200 and answer.header("Content-Encoding") is None
    again = service.call("getUserAlbumList", userID=user.id, method="POST", headers=[COMPRESSED])
    assert again.header("Content-Encoding") is None
