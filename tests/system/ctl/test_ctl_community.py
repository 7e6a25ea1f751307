"""mapdiaryctl album, photo, poi, comment, vote, score and blog: what no operation of the interface writes."""

import pytest

from ctl import ABSENT, EXISTS, REFUSED, UNCONFIRMED, USAGE, done, refused, shown, table
from samples import ALBUM, BLOG, KINDS, date_params, of_blog, today
from service import at_once

NOBODY = 999_999_999
TWO = ["--choice", "x", "--choice", "y"]
PLACE = ["--category", 2, "--lat", "-1.50", "--lng", "121.4999"]


def subjects(things, *kinds):
    return {kind: f"{kind}:{things[kind]}" for kind in kinds or ("album", "poi", "blog")}


def read(service, kind, identifier):
    name = {"album": ("getAlbum", "albumID"), "poi": ("getPOI", "POIID"), "blog": ("getBlog", "blogID")}[kind]
    return service.ok(name[0], **{name[1]: identifier})


# Albums


def test_album_add(service, alice):
    album = int(done(service, "album", "add", "--owner", alice.email, "--title", "新的 <b>", "--category", 16,
                     "--lat", "25.0", "--lng", "-179.99"))
    got = read(service, "album", album)
    assert (got["albumTitle"], got["ownerName"], got["Location"]) == ("新的 <b>", alice.name, [("lat", "25.0"), ("lng", "-179.99")])


@pytest.mark.parametrize("changed", [["--category", 17], ["--lat", "90.1"], ["--lng", "x"], ["--title", ""]], ids=str)
def test_album_add_wrongly(service, db, alice, changed):
    good = {"--owner": alice.id, "--title": "t", "--category": 1, "--lat": 0, "--lng": 0}
    words = [word for pair in (good | {changed[0]: changed[1]}).items() for word in pair]
    with db.unchanged():
        assert changed[0] in refused(service, USAGE, "album", "add", *words)


def test_album_of_nobody(service, db):
    with db.unchanged():
        refused(service, ABSENT, "album", "add", "--owner", NOBODY, "--title", "t", "--category", 1, "--lat=0", "--lng=0")


def test_album_show(service, album, alice, bob):
    photo = int(done(service, "photo", "add", f"album:{album}", "t.jpg", "--description", "d"))
    comment = int(done(service, "comment", "add", f"album:{album}", "--user", bob.id, "--text", "a\nb"))
    got = shown(service, "album", "show", album)
    assert (got["albumID"], got["ownerID"], got["cover"], got["lat"]) == (album, alice.id, None, 21.9483)
    assert got["photos"] == [{"photoID": photo, "thumbnail": "t.jpg", "description": "d", "hidden": None}]
    assert [(row["commentID"], row["commenterID"], row["comment"], row["reply"]) for row in got["comments"]] == [
        (comment, bob.id, "a\nb", None)]
    text = done(service, "album", "show", album)
    assert f"photos:\n  - photoID: {photo}\n    thumbnail: t.jpg\n" in text and "comment:\n      a\n      b\n" in text


@pytest.mark.parametrize("kind", ["album", "poi", "blog"])
def test_show_what_is_not_there(service, kind):
    assert f"{kind} {NOBODY}: {kind.upper()} NOT FOUND" in refused(service, ABSENT, kind, "show", NOBODY)
    assert "'x' is not an integer" in refused(service, USAGE, kind, "show", "x")


def test_album_update(service, db, album, bob):
    db.run("UPDATE album SET updated_at = '2001-02-03' WHERE number = %s", album)
    done(service, "album", "update", album, "--title", "新")
    got = shown(service, "album", "show", album)
    assert (got["albumTitle"], got["category"], got["lat"], got["lng"]) == ("新", 5, 21.9483, 120.7798)
    assert not got["updated"].startswith("2001")
    done(service, "album", "update", album, "--owner", bob.email, "--category", 16, "--lat", "1.50", "--lng", 2)
    got = read(service, "album", album)
    assert (got["albumTitle"], got["ownerName"], got["category"], got["Location"]) == (
        "新", bob.name, "16", [("lat", "1.50"), ("lng", "2")])


def test_album_remove(service, db, things, bob):
    """With what hangs on it, and nothing else."""
    album = things["album"]
    done(service, "photo", "add", f"album:{album}", "t.jpg")
    done(service, "comment", "add", f"album:{album}", "--user", bob.id, "--text", "x")
    assert "say --yes" in refused(service, UNCONFIRMED, "album", "remove", album)
    with db.unchanged("album", "photo", "comment"):
        done(service, "album", "remove", album, "--yes")
    assert service.call("getAlbum", albumID=album).info == "ALBUM NOT FOUND"
    for name in "photo", "comment":
        assert db.value(f"SELECT count(*) FROM {name} WHERE kind = 0 AND number = %s", album) == 0


def test_album_change_wrongly(service, db, album):
    with db.unchanged():
        assert "nothing to change" in refused(service, USAGE, "album", "update", album)
        refused(service, USAGE, "album", "update", album, "--category", 17)
        refused(service, USAGE, "album", "update", album, "--title", "")
        refused(service, ABSENT, "album", "update", album, "--owner", NOBODY)
        refused(service, ABSENT, "album", "update", NOBODY, "--title", "x")
        refused(service, ABSENT, "album", "remove", NOBODY, "--yes")


# Lists

# The word of each list for an identifier, and the option for whose things they are.
LISTS = {"album": ("albumID", "--owner"), "poi": ("POIID", "--owner"), "blog": ("blogID", "--user")}


def three_of(service, kind, user):
    params = {"album": ("addAlbum", ALBUM), "blog": ("postBlog", BLOG)}
    if kind == "poi":
        return [int(done(service, "poi", "add", "--owner", user.id, "--name", "x", *PLACE)) for _ in range(3)]
    func, fields = params[kind]
    return [int(service.ok(func, user=user, **fields)[LISTS[kind][0]]) for _ in range(3)]


@pytest.mark.parametrize("kind", LISTS)
def test_lists(service, new_user, kind):
    user, other = new_user(), new_user()
    three_of(service, kind, other)
    things = three_of(service, kind, user)
    three_of(service, kind, other)
    key, whose = LISTS[kind]

    def listed(*options):
        return [row[key] for row in shown(service, kind, "list", *options)]

    assert listed(whose, user.email) == things
    assert listed(whose, user.id, "--limit", 2) == things[:2]
    assert listed(whose, user.id, "--limit", 2, "--after", things[1]) == things[2:]
    assert listed("--after", things[0] - 1, "--limit", 3) == things
    everything, page, paged = listed(), None, []
    limit = max(7, len(everything) // 20)  # as other tests may have left thousands
    while page := listed("--limit", limit, *(["--after", page[-1]] if page else [])):
        paged += page
    assert paged == everything == sorted(everything) and set(things) < set(everything)
    assert done(service, kind, "list", "--after", 2**53) == ""
    refused(service, ABSENT, kind, "list", whose, NOBODY)
    refused(service, USAGE, kind, "list", "--limit", 0)
    refused(service, USAGE, kind, "list", "--after", 0)


def test_lists_say_what_there_is(service, db, album, poi, alice):
    row, = shown(service, "album", "list", "--after", album - 1, "--limit", 1)
    assert row.pop("updated").endswith("Z")
    assert row == {"albumID": album, "ownerID": alice.id, "albumTitle": ALBUM["albumTitle"], "category": 5,
                   "lat": 21.9483, "lng": 120.7798, "score": 0, "visibility": "public"}
    row, = shown(service, "poi", "list", "--category", 2)
    assert row.pop("updated").endswith("Z")
    assert row == {"POIID": poi, "ownerID": alice.id, "name": "龍山寺", "category": 2, "lat": 25.0372, "lng": 121.4999,
                   "score": 0}
    assert shown(service, "poi", "list", "--category", 3) == []
    assert table(done(service, "poi", "list"))[1][:4] == [str(poi), str(alice.id), "龍山寺", "2"]


# Photos


@pytest.mark.parametrize("kind", ["album", "poi"])
def test_photos(service, things, kind):
    subject = subjects(things)[kind]
    first, second, third = (int(done(service, "photo", "add", subject, f"https://example.org/{number}.jpg",
                                     "--description", f"第 {number} 張")) for number in (1, 2, 3))
    done(service, "photo", "order", subject, third, first, second)
    done(service, "photo", "remove", subject, first, "--yes")
    fields = {"album": "thumbnail", "poi": "photoPath"}
    got = read(service, kind, things[kind])
    assert [dict(photo)[fields[kind]][-5] for _, photo in dict(got.result)["photos"]] == ["3", "2"]
    assert [photo["photoID"] for photo in shown(service, kind, "show", things[kind])["photos"]] == [third, second]


def test_photo_description_from_standard_input(service, album):
    done(service, "photo", "add", f"album:{album}", "t.jpg", "--description", "-", text="兩行\n字\n")
    assert shown(service, "album", "show", album)["photos"][0]["description"] == "兩行\n字"


# Of a photo that was uploaded.
OF_FILES = ["width", "height", "taken", "bytes", "SHA256", "hidden"]


@pytest.mark.parametrize("kind, key, address", [("album", "albumID", "thumbnail"), ("poi", "POIID", "photoPath")])
def test_photo_update_and_list(service, db, things, new_user, alice, kind, key, address):
    subject = subjects(things)[kind]
    db.run("DELETE FROM photo WHERE kind = %s", KINDS[kind])
    first, second = (int(done(service, "photo", "add", subject, f"https://example.org/{number}.jpg"))
                     for number in (1, 2))
    db.run(f"UPDATE {kind} SET updated_at = '2001-02-03'")
    done(service, "photo", "update", subject, second, "--description", "字")
    row = {"photoID": second, key: things[kind], "ownerID": alice.id, "position": 2,
           address: "https://example.org/2.jpg", "description": "字"} | dict.fromkeys(OF_FILES)
    assert shown(service, "photo", "show", subject, second) == row
    assert not shown(service, kind, "show", things[kind])["updated"].startswith("2001")
    done(service, "photo", "update", subject, second, "--address", "https://example.org/3.jpg", "--description", "")
    row |= {address: "https://example.org/3.jpg", "description": ""}
    rows = shown(service, "photo", "list", kind)
    assert [listed["photoID"] for listed in rows] == [first, second] and rows[1] == row
    assert shown(service, "photo", "list", kind, "--owner", alice.email, "--after", first) == rows[1:]
    assert shown(service, "photo", "list", kind, "--limit", 1) == rows[:1]
    assert shown(service, "photo", "list", kind, "--owner", new_user().id) == []


def test_photos_added_at_once(service, album):
    added = at_once(*[lambda: done(service, "photo", "add", f"album:{album}", "t.jpg")] * 4)
    assert {photo["photoID"] for photo in shown(service, "album", "show", album)["photos"]} == {int(photo) for photo in added}


def test_cover(service, album):
    photo = int(done(service, "photo", "add", f"album:{album}", "t.jpg"))
    done(service, "photo", "cover", album, photo)
    assert read(service, "album", album)["cover"] == str(photo)
    done(service, "photo", "cover", album, 0)
    assert read(service, "album", album)["cover"] == ""


def test_photos_wrongly(service, db, things):
    album, poi = subjects(things, "album", "poi").values()
    photo = int(done(service, "photo", "add", album, "t.jpg"))
    with db.unchanged():
        assert "not start with http" in refused(service, USAGE, "photo", "add", poi, "p.jpg")
        assert "a kind and an identifier: album:7, poi:7" in refused(service, USAGE, "photo", "add", "blog:1", "p.jpg")
        refused(service, USAGE, "photo", "add", "album:x", "p.jpg")
        refused(service, USAGE, "photo", "add", album, "")
        refused(service, ABSENT, "photo", "add", f"album:{NOBODY}", "p.jpg")
        refused(service, ABSENT, "photo", "add", f"poi:{NOBODY}", "https://example.org/p.jpg")
        refused(service, ABSENT, "photo", "remove", album, NOBODY, "--yes")
        refused(service, ABSENT, "photo", "remove", poi, photo, "--yes")
        refused(service, ABSENT, "photo", "cover", things["album"], NOBODY)
        refused(service, ABSENT, "photo", "cover", NOBODY, photo)
        for order in [[NOBODY], [photo, photo], [photo, NOBODY]]:
            refused(service, ABSENT, "photo", "order", album, *order)
        refused(service, USAGE, "photo", "order", album)
        assert "nothing to change" in refused(service, USAGE, "photo", "update", album, photo)
        refused(service, USAGE, "photo", "update", album, photo, "--address", "")
        assert "--address: 'p.jpg' does not start with http" in refused(
            service, USAGE, "photo", "update", poi, photo, "--address", "p.jpg")
        refused(service, ABSENT, "photo", "update", album, NOBODY, "--description", "x")
        refused(service, ABSENT, "photo", "update", poi, photo, "--description", "x")
        refused(service, ABSENT, "photo", "show", poi, photo)
        refused(service, USAGE, "photo", "list", "blog")


# Places


def test_poi(service, db, alice, bob):
    poi = int(done(service, "poi", "add", "--owner", alice.id, "--name", "龍山寺", *PLACE))
    got = read(service, "poi", poi)
    assert (got["name"], got["category"], got["Location"]) == ("龍山寺", "2", [("lat", "-1.50"), ("lng", "121.4999")])
    db.run("UPDATE poi SET updated_at = '2001-02-03' WHERE number = %s", poi)
    done(service, "poi", "update", poi, "--name", "新", "--owner", bob.email)
    got = shown(service, "poi", "show", poi)
    assert (got["name"], got["category"], got["ownerID"], got["lat"]) == ("新", 2, bob.id, -1.5)
    assert not got["updated"].startswith("2001")
    done(service, "poi", "update", poi, "--category", 5, "--lat", 1, "--lng", "2.0")
    assert read(service, "poi", poi)["Location"] == [("lat", "1"), ("lng", "2.0")]
    done(service, "poi", "remove", poi, "--yes")
    assert service.call("getPOI", POIID=poi).info == "POI NOT FOUND"


def test_poi_wrongly(service, db, alice, poi):
    with db.unchanged():
        refused(service, USAGE, "poi", "add", "--owner", alice.id, "--name", "x", "--category", 6, "--lat", 0, "--lng", 0)
        refused(service, USAGE, "poi", "add", "--owner", alice.id, *PLACE)
        refused(service, ABSENT, "poi", "add", "--owner", "nobody@example.org", "--name", "x", *PLACE)
        assert "nothing to change" in refused(service, USAGE, "poi", "update", poi)
        refused(service, USAGE, "poi", "update", poi, "--lat", "91")
        refused(service, ABSENT, "poi", "update", NOBODY, "--name", "x")
        refused(service, ABSENT, "poi", "remove", NOBODY, "--yes")


# Comments


@pytest.mark.parametrize("kind", ["album", "poi", "blog"])
def test_comments(service, things, bob, kind):
    subject = subjects(things)[kind]
    first = int(done(service, "comment", "add", subject, "--user", bob.email, "--text", "第一"))
    second = int(done(service, "comment", "add", subject, "--user", bob.id, "--text", "-", text="line\nline\n"))
    done(service, "comment", "reply", first, "--text", "謝謝")
    got = read(service, kind, things[kind])
    assert (got["comments/comment1/comment"], got["comments/comment1/authorReply/reply"]) == ("第一", "謝謝")
    assert got["comments/comment2/comment"] == "line\nline"
    done(service, "comment", "reply", first, "--text", "再謝")
    assert read(service, kind, things[kind])["comments/comment1/authorReply/reply"] == "再謝"
    refused(service, USAGE, "comment", "add", subject, "--user", bob.id, "--text", 5001 * "字")
    done(service, "comment", "remove", second, "--yes")
    assert [row["reply"] for row in shown(service, kind, "show", things[kind])["comments"]] == ["再謝"]


def test_comment_update(service, db, album, bob):
    comment = int(done(service, "comment", "add", f"album:{album}", "--user", bob.id, "--text", "old"))
    before = shown(service, "comment", "show", comment)
    done(service, "comment", "update", comment, "--text", "-", text="新\n行\n")
    assert shown(service, "comment", "show", comment) == before | {"comment": "新\n行"}
    done(service, "comment", "update", comment, "--reply", "答")
    answered = shown(service, "comment", "show", comment)
    assert (answered["reply"], answered["comment"]) == ("答", "新\n行") and answered["replyTime"] is not None
    db.run("UPDATE comment SET created_at = '2001-02-03 00:00Z', replied_at = '2001-02-03 04:05:06Z'"
           " WHERE comment_id = %s", comment)
    done(service, "comment", "update", comment, "--reply", "再")
    got = shown(service, "comment", "show", comment)
    assert (got["reply"], got["replyTime"]) == ("再", "2001-02-03T04:05:06Z")
    done(service, "comment", "update", comment, "--reply", "")
    assert shown(service, "comment", "show", comment) == before | {"comment": "新\n行", "time": "2001-02-03T00:00:00Z"}
    with db.unchanged():
        assert "nothing to change" in refused(service, USAGE, "comment", "update", comment)
        refused(service, USAGE, "comment", "update", comment, "--text", "")
        refused(service, ABSENT, "comment", "update", NOBODY, "--text", "x")
        refused(service, ABSENT, "comment", "show", NOBODY)


def test_comment_list(service, things, new_user):
    """Where each stands, whoever owns that."""
    user = new_user()
    names = {"album": "albumID", "poi": "POIID", "blog": "blogID"}
    wrote = {int(done(service, "comment", "add", subject, "--user", user.id, "--text", f"在 {kind}")): kind
             for kind, subject in subjects(things).items()}
    rows = shown(service, "comment", "list", "--user", user.email)
    assert [row["commentID"] for row in rows] == list(wrote)
    for row in rows:
        kind = wrote[row["commentID"]]
        assert {name: row[name] for name in names.values()} == {
            name: things[kind] if name == names[kind] else None for name in names.values()}
        assert (row["commenterID"], row["commenterName"], row["comment"]) == (user.id, user.name, f"在 {kind}")
        assert shown(service, "comment", "show", row["commentID"]) == row
    assert shown(service, "comment", "list", "--after", rows[0]["commentID"], "--limit", 1) == rows[1:2]
    refused(service, ABSENT, "comment", "list", "--user", NOBODY)


@pytest.mark.parametrize("kind", ["album", "poi", "blog"])
def test_comments_wrongly(service, db, things, bob, kind):
    with db.unchanged():
        refused(service, ABSENT, "comment", "add", f"{kind}:{NOBODY}", "--user", bob.id, "--text", "x")
        refused(service, ABSENT, "comment", "add", subjects(things)[kind], "--user", NOBODY, "--text", "x")
        refused(service, USAGE, "comment", "add", subjects(things)[kind], "--user", bob.id, "--text", "")
        refused(service, USAGE, "comment", "add", subjects(things)[kind], "--user", bob.id, "--text", "-", text="a\0b")
        refused(service, ABSENT, "comment", "reply", NOBODY, "--text", "x")
        refused(service, ABSENT, "comment", "remove", NOBODY, "--yes")


# Votes


@pytest.fixture
def vote(service, blog):
    done(service, "vote", "create", blog, "--description", "哪一座?", "--choice", "玉山", "--choice", "雪山 & 他")
    return blog


def choices(service, blog):
    return [row["votes"] for row in shown(service, "blog", "show", blog)["vote"]["choices"]]


def test_vote(service, vote, alice, bob):
    got = read(service, "blog", vote)
    assert (got["vote/description"], got["vote/choices/choice2/description"]) == ("哪一座?", "雪山 & 他")
    done(service, "vote", "cast", vote, "--user", alice.id, "--choice", 2)
    done(service, "vote", "cast", vote, "--user", bob.email, "--choice", 2)
    assert read(service, "blog", vote)["vote/choices/choice2/votes"] == "2"
    assert choices(service, vote) == [0, 2]


def test_one_vote_a_user(service, vote, bob):
    cast = ["vote", "cast", vote, "--user", bob.id, "--choice"]
    assert {ran.returncode for ran in at_once(*[lambda: service.ctl(*cast, 1)] * 4)} == {0}
    refused(service, EXISTS, *cast, 2)
    assert choices(service, vote) == [1, 0]


def test_closed_vote(service, vote, alice, bob):
    done(service, "vote", "cast", vote, "--user", alice.id, "--choice", 1)
    done(service, "vote", "close", vote)
    closed = shown(service, "blog", "show", vote)["vote"]["closed"]
    done(service, "vote", "close", vote)
    assert shown(service, "blog", "show", vote)["vote"]["closed"] == closed is not None
    assert "VOTE CLOSED" in refused(service, REFUSED, "vote", "cast", vote, "--user", bob.id, "--choice", 1)
    assert choices(service, vote) == [1, 0]


def test_vote_wrongly(service, db, vote, blog, things, bob):
    with db.unchanged():
        refused(service, EXISTS, "vote", "create", vote, "--description", "x", *TWO)
        refused(service, ABSENT, "vote", "create", NOBODY, "--description", "x", *TWO)
        for count in 1, 11:
            refused(service, USAGE, "vote", "create", things["quoted"], "--description", "x", *TWO[:2] * count)
        refused(service, USAGE, "vote", "create", things["quoted"], "--description", "x")
        refused(service, USAGE, "vote", "create", things["quoted"], "--description", "x", *TWO, "--choice", "a\nb")
        refused(service, ABSENT, "vote", "cast", things["quoted"], "--user", bob.id, "--choice", 1)
        refused(service, ABSENT, "vote", "cast", vote, "--user", bob.id, "--choice", 3)
        refused(service, USAGE, "vote", "cast", vote, "--user", bob.id, "--choice", 0)
        refused(service, ABSENT, "vote", "cast", vote, "--user", NOBODY, "--choice", 1)
        refused(service, ABSENT, "vote", "close", things["quoted"])


# Scores


@pytest.mark.parametrize("kind", ["album", "poi", "blog"])
def test_score(service, things, alice, bob, new_user, kind):
    subject = subjects(things)[kind]
    done(service, "score", "set", subject, "--score", -7)
    assert read(service, kind, things[kind])["score"] == "-7"
    recommend = ["score", "recommend", subject, "--user"]
    assert done(service, *recommend, new_user().id) == "-6\n"
    assert "OWN PIECE" in refused(service, REFUSED, *recommend, alice.id)
    assert set(at_once(*[lambda: done(service, *recommend, bob.email)] * 4)) == {"-5\n"}
    assert read(service, kind, things[kind])["score"] == "-5"
    # The recommendations before are in what is set.
    done(service, "score", "set", subject, "--score", 2**31 - 1)
    assert done(service, *recommend, new_user().id) == f"{2**31 - 1}\n"


@pytest.mark.parametrize("kind", ["album", "poi", "blog"])
def test_score_wrongly(service, db, things, bob, kind):
    with db.unchanged():
        refused(service, ABSENT, "score", "set", f"{kind}:{NOBODY}", "--score", 1)
        refused(service, USAGE, "score", "set", subjects(things)[kind], "--score", "2147483648")
        refused(service, USAGE, "score", "set", subjects(things)[kind])
        refused(service, ABSENT, "score", "recommend", f"{kind}:{NOBODY}", "--user", bob.id)
        refused(service, ABSENT, "score", "recommend", subjects(things)[kind], "--user", NOBODY)


# Blogs


def test_blog_show(service, blog, alice):
    got = shown(service, "blog", "show", blog)
    assert {name: got[name] for name in ("blogID", "authorID", "type", "lat", "blogContent", "postDate", "weather")} == {
        "blogID": blog, "authorID": alice.id, "type": "0_8", "lat": 25.0330, "blogContent": "<b>好</b>\r\n&amp;",
        "postDate": "2024-02-29", "weather": "晴空萬里"}
    assert "vote" not in got and "photos" not in got and got["comments"] == []
    assert "blogContent:\n  <b>好</b>\n  &amp;\n" in done(service, "blog", "show", blog)


def test_blog_of_the_future(service, alice):
    blog = service.ok("postBlog", user=alice, **BLOG | date_params(today(days=2)))["blogID"]
    assert service.call("getBlog", blogID=blog).info == "BLOG NOT FOUND"
    assert shown(service, "blog", "show", blog)["postDate"] == today(days=2).isoformat()


def test_blog_list(service, new_user):
    author = new_user()
    blogs = [int(service.ok("postBlog", user=author, **BLOG)["blogID"]) for _ in range(2)]
    assert [row["blogID"] for row in shown(service, "blog", "list", "--user", author.id)] == blogs
    assert [row["blogID"] for row in shown(service, "blog", "list", "--user", author.email, "--limit", 1)] == blogs[:1]
    assert set(blogs) <= {row["blogID"] for row in shown(service, "blog", "list")}
    lines = table(done(service, "blog", "list", "--user", author.id))
    assert lines[1] == [str(blogs[0]), str(author.id), "0_8", "2024-02-29", BLOG["blogTitle"], "0", "public"]
    refused(service, ABSENT, "blog", "list", "--user", NOBODY)
    refused(service, USAGE, "blog", "list", "--limit", 0)


def test_blog_update(service, things, alice):
    blog, quoted = things["blog"], int(things["quoted"])
    before = shown(service, "blog", "show", blog)
    done(service, "blog", "update", blog, "--title", "新 <題>")
    assert shown(service, "blog", "show", blog) == before | {"blogTitle": "新 <題>", "version": 2}
    done(service, "blog", "update", blog, "--type", "0_1", "--lat", "-1.50", "--lng", "2", "--content", "-",
         "--date", "2024-03-01", "--weather", "有彩虹", "--reply", quoted, "--zoom-level", 0, "--map-type", 3,
         "--user-category", "類", "--visibility", "private", text="一\n二\n")
    changed = {"type": "0_1", "lat": -1.5, "lng": 2, "blogContent": "一\n二", "postDate": "2024-03-01", "weather": "有彩虹",
               "replyBlogID": quoted, "zoomLevel": 0, "mapType": 3, "userCategory": "類", "blogTitle": "新 <題>",
               "visibility": "private", "publicDay": "2024-03-01", "version": 3}
    assert shown(service, "blog", "show", blog) == before | changed
    assert service.call("getBlog", blogID=blog).info == "BLOG NOT FOUND"
    done(service, "blog", "update", blog, "--visibility", "public")
    changed["visibility"] = "public"
    assert read(service, "blog", blog)["Location"] == [("lat", "-1.50"), ("lng", "2")]
    done(service, "blog", "update", blog, "--reply", 0, "--user-category", "")
    assert shown(service, "blog", "show", blog) == before | changed | {"replyBlogID": None, "userCategory": None, "version": 5}


def test_blog_remove(service, db, new_user, things, bob):
    """With what hangs on it; blogs that quote it stay, and so does what the author has earned."""
    author = new_user()
    blog = int(service.ok("postBlog", user=author, **BLOG)["blogID"])
    quoting = int(service.ok("postBlog", user=bob, **BLOG | {"replyBlogID": blog})["blogID"])
    earned = shown(service, "user", "show", author.id)["reward"]
    assert earned > 0
    done(service, "vote", "create", blog, "--description", "?", *TWO)
    done(service, "vote", "cast", blog, "--user", bob.id, "--choice", 1)
    done(service, "comment", "add", f"blog:{blog}", "--user", bob.id, "--text", "x")
    done(service, "score", "recommend", f"blog:{blog}", "--user", bob.id)
    assert "say --yes" in refused(service, UNCONFIRMED, "blog", "remove", blog)
    done(service, "blog", "remove", blog, "--yes")
    for name in "blog", "vote", "vote_choice", "ballot", "comment", "recommendation", "ledger":
        assert db.value(f"SELECT count(*) FROM {name} WHERE {of_blog(name)}", blog) == 0
    assert shown(service, "user", "show", author.id)["reward"] == earned
    assert shown(service, "blog", "show", quoting)["replyBlogID"] is None
    assert service.call("getBlog", blogID=blog).info == "BLOG NOT FOUND"


def test_blog_change_wrongly(service, db, blog):
    with db.unchanged():
        assert "nothing to change" in refused(service, USAGE, "blog", "update", blog)
        for wrong in [["--type", "0_9"], ["--date", "2023-02-29"], ["--weather", "sun"], ["--zoom-level", 22],
                      ["--map-type", 0], ["--title", ""], ["--content", ""], ["--lat", 91],
                      ["--user-category", "x" * 256]]:
            assert wrong[0] in refused(service, USAGE, "blog", "update", blog, *wrong)
        refused(service, ABSENT, "blog", "update", NOBODY, "--title", "x")
        refused(service, ABSENT, "blog", "update", blog, "--title", "x", "--reply", NOBODY)
        refused(service, ABSENT, "blog", "update", blog, "--title", "x", "--reply", blog)
        refused(service, ABSENT, "blog", "remove", NOBODY, "--yes")
