"""Private albums and blogs: their owner's alone, and to all others as if they were not."""

import csv
import io
import itertools

import pytest

from samples import ALBUM, BLOG, OPERATIONS, VOTE, date_params, insert_comments, insert_photos, today
from service import at_once

NOBODYS = 1_000_000_000


@pytest.fixture
def private(service, alice):
    return int(service.ok("addAlbum", user=alice, visibility="private", **ALBUM)["albumID"])


def albums_of(service, owner, user=None):
    return [int(dict(item)["albumID"]) for _, item in service.ok("getUserAlbumList", user=user, userID=owner.id)["albumList"]]


def test_its_owner_has_it_as_any_other(service, db, alice, bob, private):
    photos, comments = insert_photos(db, private, 2), insert_comments(db, "album", private, bob, 2)
    seen = service.ok("getAlbum", user=alice, albumID=private)
    assert (seen["photos"], seen["comments"], seen["albumTitle"]) == (photos, comments, ALBUM["albumTitle"])
    service.ok("updateAlbum", user=alice, albumID=private, **ALBUM | {"albumTitle": "其他"})
    assert service.ok("getAlbum", user=alice, albumID=private)["albumTitle"] == "其他"
    service.ok("updateAlbum", user=alice, albumID=private, delete="true")
    assert service.call("getAlbum", user=alice, albumID=private).info == "ALBUM NOT FOUND"


def test_it_is_not_there_for_others(service, db, alice, bob, private):
    insert_photos(db, private, 2)
    for user in None, bob:
        for func, params in [("getAlbum", {}), ("updateAlbum", ALBUM), ("updateAlbum", {"delete": "true"})]:
            if func != "getAlbum" and user is None:
                continue
            got = service.call(func, user=user, albumID=private, **params)
            assert got.info == "ALBUM NOT FOUND"
            assert got.body == service.call(func, user=user, albumID=NOBODYS, **params).body
    assert service.ok("getAlbum", user=alice, albumID=private)["albumTitle"] == ALBUM["albumTitle"]


def test_a_session_that_ended_sees_nothing(service, alice, new_user):
    user = new_user("走了")
    album = service.ok("addAlbum", user=user, visibility="private", **ALBUM)["albumID"]
    assert service.call("getAlbum", user=user, albumID=album).info is None
    service.ok("logout", user=user)
    assert service.call("getAlbum", user=user, albumID=album).info == "ALBUM NOT FOUND"
    assert int(album) not in albums_of(service, user, user)


def test_a_list_is_its_readers(service, new_user, bob):
    owner = new_user("主人")
    made = [int(service.ok("addAlbum", user=owner, **ALBUM | more)["albumID"])
            for more in ({}, {"visibility": "private"}, {"visibility": "public"}, {"visibility": "private"})]
    assert albums_of(service, owner, owner) == made
    for user in None, bob:
        assert albums_of(service, owner, user) == [made[0], made[2]]
    # All that there is of somebody may be private: that is a user still.
    alone = new_user("獨")
    service.ok("addAlbum", user=alone, visibility="private", **ALBUM)
    assert service.ok("getUserAlbumList", userID=alone.id)["albumList"] == ""


def test_what_cookies_see_is_not_kept(service, alice, private, album):
    for number in private, album:
        got = service.request(path=f"/API.php?func=getAlbum&albumID={number}", headers=[("Cookie", alice.cookie)])
        assert got.header("Cache-Control") == "no-store" and got.header("ETag") is None
    assert service.request(path=f"/API.php?func=getAlbum&albumID={album}").header("ETag")


def test_without_a_word_it_stays(service, alice, bob, private, album):
    service.ok("updateAlbum", user=alice, albumID=private, **ALBUM)
    assert service.call("getAlbum", albumID=private).info == "ALBUM NOT FOUND"
    service.ok("updateAlbum", user=alice, albumID=album, **ALBUM)
    assert service.call("getAlbum", albumID=album).info is None


def test_back_and_forth(service, alice, album):
    for visibility, seen in [("private", "ALBUM NOT FOUND"), ("private", "ALBUM NOT FOUND"), ("public", None), ("public", None)]:
        service.ok("updateAlbum", user=alice, albumID=album, visibility=visibility, **ALBUM)
        assert service.call("getAlbum", albumID=album).info == seen


@pytest.mark.parametrize("word", ["", "Private", "hidden", "0"])
def test_other_words(service, alice, album, word):
    got = service.call("updateAlbum", user=alice, albumID=album, visibility=word, **ALBUM)
    assert got.info == "INVALID PARAMETER: visibility"


def test_who_changes_it_while_it_becomes_private(service, alice, bob, album):
    """A stranger hears NOT OWNER or ALBUM NOT FOUND, as it was at some moment, and the owner succeeds."""
    def hide():
        return service.call("updateAlbum", user=alice, albumID=album, visibility="private", **ALBUM)

    answers = at_once(hide, *[lambda: service.call("updateAlbum", user=bob, albumID=album, **ALBUM)] * 8)
    assert answers[0].info is None
    assert {answer.info for answer in answers[1:]} <= {"NOT OWNER", "ALBUM NOT FOUND"}
    assert service.call("updateAlbum", user=bob, albumID=album, **ALBUM).info == "ALBUM NOT FOUND"


ROWS = {"albums": ("title,category,lat,lng", "x,1,0,0"),
        "blogs": ("type,lat,lng,title,content,date,weather", f"0_0,0,0,x,x,2024-02-29,{BLOG['weather']}")}


@pytest.mark.parametrize("kind", ROWS)
def test_an_import_has_it_for_what_is_new(service, db, tmp_path, alice, kind):
    """What the tool exports stays private where it is imported; what is here stays as it is."""
    columns, values = ROWS[kind]
    path = tmp_path / "a.csv"
    arguments = ["--source", f"visible{kind}{alice.id}", "--owner", alice.id]
    table = kind[:-1]
    seen = f"SELECT visibility FROM {table} JOIN piece_source USING (kind, number) WHERE source = %s ORDER BY identifier"
    for first, second, value in ("private", "", values), ("public", "private", values.replace("x", "y")):
        path.write_text(f"id,{columns},visibility\n1,{value},{first}\n2,{value},{second}\n", encoding="utf-8")
        ran = service.ctl("import", kind, path, *arguments)
        assert ran.returncode == 0, ran.stderr
        assert db.column(seen, arguments[1]) == ["private", "public"]
    rows = csv.DictReader(io.StringIO(service.ctl("export", kind, "--format", "csv").stdout, newline=""))
    assert {row["id"]: row["visibility"] for row in rows if row["source"] == arguments[1]} == {"1": "private", "2": "public"}


def test_the_tool(service, alice):
    added = service.ctl("album", "add", "--owner", alice.id, "--title", "x", "--category", 1, "--lat", 0, "--lng", 0,
                        "--visibility", "private")
    number = int(added.stdout)
    assert service.call("getAlbum", albumID=number).info == "ALBUM NOT FOUND"
    assert '"visibility": "private"' in service.ctl("album", "show", number, "--json").stdout
    assert service.ctl("album", "update", number, "--visibility", "public").returncode == 0
    assert service.call("getAlbum", albumID=number).info is None
    assert service.ctl("album", "update", number, "--title", "y").returncode == 0
    assert service.call("getAlbum", albumID=number).info is None


# Blogs


@pytest.fixture
def diary(service, alice):
    return int(service.ok("postBlog", user=alice, visibility="private", **BLOG)["blogID"])


def test_a_private_blog_is_its_authors(service, db, alice, bob, diary):
    insert_comments(db, "blog", diary, bob, 2)
    assert service.ok("getBlog", user=alice, blogID=diary)["blogTitle"] == BLOG["blogTitle"]
    for user in None, bob:
        for func, params in [("getBlog", {}), ("updateBlog", BLOG), ("updateBlog", {"delete": "true"})]:
            if func == "getBlog" or user:
                got = service.call(func, user=user, blogID=diary, **params)
                assert got.info == "BLOG NOT FOUND"
                assert got.body == service.call(func, user=user, blogID=NOBODYS, **params).body


def test_a_blogs_visibility_stays_without_a_word(service, alice, diary):
    for visibility, seen in [(None, "BLOG NOT FOUND"), ("public", None), (None, None), ("private", "BLOG NOT FOUND")]:
        said = {"visibility": visibility} if visibility else {}
        service.ok("updateBlog", user=alice, blogID=diary, **BLOG | said)
        assert service.call("getBlog", blogID=diary).info == seen
        assert service.ok("getPiece", user=alice, blogID=diary)["visibility"] == ("private" if seen else "public")


def test_what_a_reader_may_not_see_is_not_quoted(service, alice, bob, diary):
    """Not by a new blog, nor by one that did not quote it before; what stands is taken, and shown to whom sees it."""
    assert service.call("postBlog", user=bob, replyBlogID=diary, **BLOG).info == "BLOG NOT FOUND"
    service.ok("updateBlog", user=alice, blogID=diary, visibility="public", **BLOG)
    quoting = int(service.ok("postBlog", user=bob, replyBlogID=diary, **BLOG)["blogID"])
    another = int(service.ok("postBlog", user=bob, **BLOG)["blogID"])
    assert service.ok("getBlog", blogID=quoting)["replyBlogID"] == str(diary)

    service.ok("updateBlog", user=alice, blogID=diary, visibility="private", **BLOG)
    for user, seen in (None, False), (bob, False), (alice, True):
        assert ("replyBlogID" in service.ok("getBlog", user=user, blogID=quoting).names) is seen
    service.ok("updateBlog", user=bob, blogID=quoting, replyBlogID=diary, **BLOG)
    assert service.call("updateBlog", user=bob, blogID=another, replyBlogID=diary, **BLOG).info == "BLOG NOT FOUND"
    service.ok("updateBlog", user=alice, blogID=diary, visibility="public", **BLOG)
    assert service.ok("getBlog", blogID=quoting)["replyBlogID"] == str(diary)


def test_future_and_private_are_each_enough(service, alice):
    """A blog of the future is its author's alone, whatever its visibility says; and a private one when its day has come."""
    future = date_params(today(days=2))
    blog = service.ok("postBlog", user=alice, visibility="public", **BLOG | future)["blogID"]
    assert service.call("getBlog", blogID=blog).info == "BLOG NOT FOUND"
    service.ok("updateBlog", user=alice, blogID=blog, visibility="private", **BLOG)
    assert service.call("getBlog", blogID=blog).info == "BLOG NOT FOUND"
    service.ok("updateBlog", user=alice, blogID=blog, visibility="public", **BLOG)
    assert service.call("getBlog", blogID=blog).info is None


def test_a_vote_of_a_private_blog_is_not_even_locked(service, connect_owner, alice, bob, diary):
    """Who casts it would wait for whoever has it locked, and hold up who closes it."""
    service.ok("addVote", user=alice, blogID=diary, **VOTE)
    owner = connect_owner()
    owner.run("BEGIN")
    owner.run("SELECT FROM vote WHERE blog_id = %s FOR UPDATE", diary)
    try:
        assert service.call("castVote", user=bob, blogID=diary, choice=1).info == "BLOG NOT FOUND"
    finally:
        owner.run("ROLLBACK")
    assert service.call("castVote", user=alice, blogID=diary, choice=1).info is None


# In every operation


@pytest.fixture
def closed(service, db, alice, bob):
    """Placeholders of samples.OPERATIONS: all that hangs by two private pieces of Alice's."""
    album = service.ok("addAlbum", user=alice, **ALBUM)["albumID"]
    blog = service.ok("postBlog", user=alice, **BLOG)["blogID"]
    photo, = (dict(photo)["photoID"] for _, photo in insert_photos(db, int(album), 1))
    service.ok("addVote", user=alice, blogID=blog, **VOTE)
    comments = [service.ok("addComment", user=user, comment="x", **on)["commentID"]
                for user in (alice, bob) for on in ({"albumID": album}, {"blogID": blog})]
    service.ok("recommend", user=bob, albumID=album)
    service.ok("updateAlbum", user=alice, albumID=album, visibility="private", **ALBUM)
    service.ok("updateBlog", user=alice, blogID=blog, visibility="private", **BLOG)
    return {"album": [album], "another": [album], "bobs": [album], "blog": [blog], "quoted": [blog], "voted": [blog],
            "photo": [photo], "comment": comments}


def without_moments(answer):
    return answer.http_status, answer.body, [header for header in answer.headers if header[0] not in ("date", "x-request-id")]


@pytest.mark.parametrize("row", OPERATIONS)
def test_others_hear_what_they_hear_of_nothing(service, db, closed, things, bob, row):
    """Whichever of its identifiers is of a private piece, to the byte; and nothing is written."""
    operation = OPERATIONS[row]
    named = {name: value[1:-1] for name, value in operation.params.items() if str(value)[1:-1] in closed}
    for name, thing in named.items():
        for number, user in itertools.product(closed[thing], [bob] if operation.login else [bob, None]):
            params = operation.filled(things | {"after": ""})
            params.pop("after", None)
            with db.unchanged():
                heard, nothing = (service.call(operation.func, user=user, **params | {name: value}) for value in (number, NOBODYS))
            # Whoever may not change a blog is not told what it may quote.
            assert heard.info.endswith(" NOT FOUND") or (name, heard.info) == ("replyBlogID", "NOT OWNER")
            assert without_moments(heard) == without_moments(nothing), name


def test_what_a_cache_has_is_asked_for_again(service, alice, album, blog):
    """Whoever has the answer of when it was public does not hear that it is good still."""
    for func, name, number, fields in ("getAlbum", "albumID", album, ALBUM), ("getBlog", "blogID", blog, BLOG):
        path = f"/API.php?func={func}&{name}={number}"
        tag = service.request(path=path).header("ETag")
        assert service.request(path=path, headers=[("If-None-Match", tag)]).http_status == 304
        update = "updateAlbum" if func == "getAlbum" else "updateBlog"
        service.ok(update, user=alice, visibility="private", **{name: number}, **fields)
        for headers in [], [("If-None-Match", tag)], [("If-None-Match", "*")]:
            answer = service.request(path=path, headers=headers)
            assert answer.http_status == 200 and b"NOT FOUND" in answer.body


def test_a_list_looks_at_no_private_one(service, db, new_user):
    """Its time does not tell how many there are."""
    owner = new_user("藏")
    db.run("INSERT INTO album (owner_id, title, slot, lat, lng, visibility)"
           " SELECT %s, 'x', 1, 0, 0, 'private' FROM generate_series(1, 500)", owner.id)
    db.run("SET enable_seqscan = off; SET enable_bitmapscan = off")
    plan = "\n".join(db.column("EXPLAIN (ANALYZE, COSTS OFF) SELECT title FROM visible_piece(NULL) WHERE kind = 0 AND owner_id = %s"
                               " ORDER BY number", owner.id))
    db.run("RESET enable_seqscan; RESET enable_bitmapscan")
    assert "Index Scan using album_public" in plan and "Removed by Filter" not in plan
    assert albums_of(service, owner, owner) and not service.ok("getUserAlbumList", userID=owner.id)["albumList"]
