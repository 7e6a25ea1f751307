"""Every text that `info` may have, produced once, with its HTTP status. Signatures have texts of their own."""

import contextlib

import pytest

import drawn
import http_client
from http_client import File
from samples import ALBUM, BLOG

NOBODYS = 2**63 - 1


@contextlib.contextmanager
def broken_statement(db):
    """Whoever adds an album fails for a reason that nobody has thought of."""
    db.run("ALTER TABLE album ADD CONSTRAINT broken CHECK (title <> 'broken') NOT VALID")
    try:
        yield
    finally:
        db.run("ALTER TABLE album DROP CONSTRAINT broken")


def internal_error(world):
    with broken_statement(world.db):
        return world.call("addAlbum", user=world.alice, **ALBUM | {"albumTitle": "broken"})


def unavailable(world):
    return world.start_service(database="nowhere", workers=1).call("getAlbum", albumID=1)


def too_many_attempts(world):
    strict = world.start_service(login_failures_per_account=1)
    world.db.run("DELETE FROM login_throttle")
    strict.call("login", email="throttled@example.org", password="x")
    world.db.run("UPDATE login_throttle SET failures = failures + 9")
    return strict.call("login", email="throttled@example.org", password="x")


def new_vote(world):
    world.call("addVote", user=world.alice, blogID=world.blog, description="?", choice1="1", choice2="2")
    return {"user": world.bob, "blogID": world.blog, "choice": 1}


def already_voted(world):
    ballot = new_vote(world)
    world.call("castVote", **ballot)
    return world.call("castVote", **ballot | {"choice": 2})


def vote_closed(world):
    ballot = new_vote(world)
    world.call("closeVote", **ballot | {"user": world.alice})
    return world.call("castVote", **ballot)


def add_photo(world, photo, **settings):
    service = world.start_service(**settings) if settings else world
    return service.call("addPhoto", user=world.alice, albumID=world.album, photo=photo)


def user_blocked(world):
    user = world.new_user()
    world.db.run("UPDATE user_account SET blocked = true WHERE user_id = %s", user.id)
    return world.call("login", email=user.email, password=user.password)


# In the order of the interface: the text, the HTTP status, and how it comes about.
INFOS = [
    ("MISSING PARAMETER: albumID", 200, lambda world: world.call("getAlbum")),
    ("INVALID PARAMETER: albumID", 200, lambda world: world.call("getAlbum", albumID=0)),
    ("DUPLICATE PARAMETER: albumID", 200, lambda world: world.request(query="func=getAlbum&albumID=1&albumID=1")),
    ("MALFORMED REQUEST", 200, lambda world: world.request(query="%")),
    ("UNKNOWN FUNC", 200, lambda world: world.call("getNothing")),
    ("METHOD NOT ALLOWED", 405, lambda world: world.call("addAlbum", method="GET", **ALBUM)),
    ("REQUEST TOO LARGE", 413, lambda world: world.request("POST", body=(1 << 20) * "x" + "=")),
    ("UNSUPPORTED MEDIA TYPE", 415, lambda world: world.request("POST", body="{}", headers=[("Content-Type", "application/json")])),
    ("LOGIN REQUIRED", 200, lambda world: world.call("addAlbum", **ALBUM)),
    ("PASSWORD INCORRECT", 200, lambda world: world.call("login", email=world.alice.email, password="x")),
    ("TOO MANY ATTEMPTS", 429, too_many_attempts),
    ("REGISTRATION CLOSED", 200, lambda world: world.start_service(registration=None).call("register")),
    ("TOKEN INVALID", 200, lambda world: world.call("confirmEmail", token="x", password="x")),
    ("PASSWORD TOO WEAK", 200, lambda world: world.call("register", email="a@b", name="x", password="password")),
    ("CROSS-SITE REQUEST", 200, lambda world: world.call(
        "addAlbum", user=world.alice, headers=[("Sec-Fetch-Site", "cross-site")], **ALBUM)),
    ("ALBUM NOT FOUND", 200, lambda world: world.call("getAlbum", albumID=NOBODYS)),
    ("POI NOT FOUND", 200, lambda world: world.call("getPOI", POIID=NOBODYS)),
    ("BLOG NOT FOUND", 200, lambda world: world.call("getBlog", blogID=NOBODYS)),
    ("USER NOT FOUND", 200, lambda world: world.call("getUserAlbumList", userID=NOBODYS)),
    ("NOT OWNER", 200, lambda world: world.call("updateBlog", user=world.bob, blogID=world.blog, **BLOG)),
    ("CHANGED MEANWHILE", 200, lambda world: world.call("updateBlog", user=world.alice, blogID=world.blog, baseVersion=99, **BLOG)),
    ("PHOTO NOT FOUND", 200, lambda world: world.call("getPhoto", photoID=NOBODYS)),
    ("PHOTO NOT READABLE", 200, lambda world: add_photo(world, File(b"no picture"))),
    ("PHOTO TOO LARGE", 413, lambda world: add_photo(world, File(5000 * b"x"), photo_size="1KiB")),
    ("QUOTA EXCEEDED", 200, lambda world: add_photo(world, drawn.FILE, photo_quota="1B")),
    ("COMMENT NOT FOUND", 200, lambda world: world.call("replyComment", user=world.bob, commentID=NOBODYS, reply="x")),
    ("VOTE NOT FOUND", 200, lambda world: world.call("castVote", user=world.bob, blogID=world.blog, choice=1)),
    ("ALREADY VOTED", 200, already_voted),
    ("VOTE CLOSED", 200, vote_closed),
    ("OWN PIECE", 200, lambda world: world.call("recommend", user=world.alice, blogID=world.blog)),
    ("ADVERTISEMENT NOT FOUND", 200, lambda world: world.call("clickAdvertisement", advertisementID=NOBODYS)),
    ("USER BLOCKED", 200, user_blocked),
    ("SERVICE UNAVAILABLE", 503, unavailable),
    ("INTERNAL ERROR", 500, internal_error),
]
HEADERS = {405: "Allow", 429: "Retry-After", 503: "Retry-After"}


@pytest.fixture
def world(request, service):
    """The service, with whatever fixture is asked for as an attribute."""

    class World:
        call, request = staticmethod(service.call), staticmethod(service.request)

        def __getattr__(self, name):
            return request.getfixturevalue(name)

    return World()


@pytest.mark.parametrize("info, http_status, produce", INFOS, ids=[info for info, _, _ in INFOS])
def test_info(world, info, http_status, produce):
    answer = produce(world)
    assert answer.info == info
    assert answer.http_status == http_status
    for header in HEADERS.values():
        assert (answer.header(header) is not None) == (header == HEADERS.get(http_status))
    assert answer.body.startswith(b'<?xml version="1.0" encoding="UTF-8"?>')


def test_no_text_is_left_out():
    assert [info.partition(":")[0] for info, _, _ in INFOS] == list(http_client.INFO)
