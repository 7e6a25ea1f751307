"""Writes of the same thing at the same time: one consistent state, and an honest answer for each of them.

A transaction of the test's own holds the row until all of them wait for it, so that they do meet.
"""

import itertools

import pytest

import samples
from samples import ALBUM, BLOG, insert_comments, insert_photos, numbered
from service import at_once, in_background, until

FIRST = {"albumTitle": "first", "category": 1, "lat": "1.1", "lng": "1.2"}
SECOND = {"albumTitle": "second", "category": 2, "lat": "2.1", "lng": "2.2"}
BLOG_FIRST, BLOG_SECOND = BLOG | {"blogTitle": "first", "lat": "1"}, BLOG | {"blogTitle": "second", "lat": "2"}
KINDS = {
    "album": ("Album", "albumID", FIRST, SECOND, "albumTitle"),
    "blog": ("Blog", "blogID", BLOG_FIRST, BLOG_SECOND, "blogTitle"),
}


@pytest.fixture(scope="module")
def large_service(start_service_for_module):
    """One that carries six writes of an account out at a time, as many as come here."""
    return start_service_for_module(workers=12)


@pytest.fixture
def meet(connect_owner, db):
    """Lets calls wait for a row until all of them do, and then go, in whatever order; returns their answers."""

    def meet(table, identifier, *calls):
        holder = connect_owner()
        holder.run("BEGIN")
        holder.run(f"SELECT FROM {table} WHERE number = %s FOR UPDATE", identifier)
        with in_background(*calls) as futures:
            until(lambda: db.waiting() >= len(calls), "all of them wait")
            holder.run("COMMIT")
        return [future.result() for future in futures]

    return meet


@pytest.fixture(params=KINDS)
def piece(request, large_service, alice, things):
    """An album or a blog of Alice's: its name, its identifier, how to write it, and how to read it."""
    func, name, *_ = KINDS[request.param]
    identifier = {name: things[request.param]}

    def write(**params):
        return large_service.call("update" + func, user=alice, **identifier, **params)

    def read():
        return large_service.call("get" + func, **identifier)

    return request.param, things[request.param], write, read


@pytest.mark.parametrize("updates", [1, 2, 4])
@pytest.mark.parametrize("deletes", [1, 2])
def test_updates_and_deletes(db, meet, bob, piece, updates, deletes):
    kind, identifier, write, read = piece
    _, _, *states, _ = KINDS[kind]
    insert_comments(db, kind, identifier, bob, 2)
    answers = meet(
        kind, identifier, *deletes * [lambda: write(delete="true")],
        *(lambda state=state: write(**state) for state in (2 * states)[:updates]),
    )
    gone = f"{kind.upper()} NOT FOUND"
    assert [answer.info for answer in answers[:deletes]].count(None) == 1
    assert {answer.info for answer in answers} <= {None, gone}
    assert read().info == gone
    assert db.value("SELECT count(*) FROM comment WHERE kind = %s AND number = %s", samples.KINDS[kind], identifier) == 0


def test_updates_alone(meet, piece):
    """One of them is the last, and nothing is left of the other."""
    kind, identifier, write, read = piece
    _, _, first, second, title = KINDS[kind]
    answers = meet(kind, identifier, lambda: write(**first), lambda: write(**second))
    assert [answer.info for answer in answers] == [None, None]
    got = read()
    assert (got[title], got["Location/lat"]) in [(state[title], state["lat"]) for state in (first, second)]


def test_another_user_does_not_disturb(service, meet, alice, bob, album):
    answers = meet(
        "album", album,
        lambda: service.call("updateAlbum", user=bob, albumID=album, delete="true"),
        lambda: service.call("updateAlbum", user=alice, albumID=album, **FIRST),
        lambda: service.call("updateAlbum", user=bob, albumID=album, **SECOND),
    )
    assert [answer.info for answer in answers] == ["NOT OWNER", None, "NOT OWNER"]
    assert service.ok("getAlbum", albumID=album)["albumTitle"] == "first"


def test_without_any_order(service, alice):
    """Many rounds, with nobody in between: whatever comes, the answers and what is left agree."""
    for _ in range(25):
        album = service.ok("addAlbum", user=alice, **ALBUM)["albumID"]
        answers = at_once(*(
            lambda params=params: service.call("updateAlbum", user=alice, albumID=album, **params)
            for params in (FIRST, {"delete": "true"}, SECOND)
        ))
        assert answers[1].info is None
        assert {answer.info for answer in answers} <= {None, "ALBUM NOT FOUND"}
        assert service.call("getAlbum", albumID=album).info == "ALBUM NOT FOUND"


def test_a_read_sees_one_state(service, db, connect_owner, album):
    """An album and its photos are of the same moment, while both change together all the time."""
    writer = connect_owner()
    stop = []

    def change():
        for number in itertools.count():
            if stop:
                return number
            writer.run(
                "WITH away AS (DELETE FROM photo WHERE kind = 0 AND number = %s)"
                " UPDATE album SET title = %s WHERE number = %s", album, "none", album)
            writer.run(
                "WITH photos AS (INSERT INTO photo (kind, number, position, address) VALUES (0, %s, 1, 'x'), (0, %s, 2, 'y'))"
                " UPDATE album SET title = %s WHERE number = %s", album, album, "two", album)

    with in_background(change) as [changed]:
        try:
            seen = set()
            for _ in range(300):
                got = service.ok("getAlbum", albumID=album)
                photos = len(got["photos"]) if "photos" in got.names else 0
                seen.add((got["albumTitle"], photos))
        finally:
            stop.append(True)
    assert changed.result() > 0
    assert seen <= {(ALBUM["albumTitle"], 0), ("none", 0), ("two", 2)} and len(seen) > 1


def test_quoting_a_blog_that_is_being_deleted(service, meet, alice, bob, blog):
    """The quotation comes too late, or goes with the blog: never does it name one that is gone."""
    deleted, quoting = meet(
        "blog", blog,
        lambda: service.call("updateBlog", user=alice, blogID=blog, delete="true"),
        lambda: service.call("postBlog", user=bob, **BLOG, replyBlogID=blog),
    )
    assert deleted.info is None and quoting.info in (None, "BLOG NOT FOUND")
    if quoting.info is None:
        assert "replyBlogID" not in service.ok("getBlog", blogID=quoting["blogID"]).names


def test_adding_photos_to_an_album_that_is_being_deleted(service, db, connect_owner, alice, album):
    insert_photos(db, album, 2)
    adder = connect_owner()
    adder.run("BEGIN")
    adder.insert("photo", kind=0, number=album, position=3, address="x")
    with in_background(lambda: service.call("updateAlbum", user=alice, albumID=album, delete="true")) as [deleted]:
        until(db.waiting, "the delete waits for the photo")
        adder.run("COMMIT")
    assert deleted.result().info is None
    assert db.value("SELECT count(*) FROM photo WHERE kind = 0 AND number = %s", album) == 0


def test_albums_added_at_once_are_all_there(service, new_user):
    user = new_user()
    added = at_once(*(lambda number=number: service.ok("addAlbum", user=user, **ALBUM | {"albumTitle": f"{number}"})["albumID"]
                      for number in range(16)))
    titles = {album: str(number) for number, album in enumerate(added)}
    want = [[("albumID", album), ("albumTitle", titles[album])] for album in sorted(added, key=int)]
    assert service.ok("getUserAlbumList", userID=user.id).result == [("albumList", numbered("album", want))]
