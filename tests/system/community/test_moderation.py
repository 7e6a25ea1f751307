"""Reports by readers, what operators decide, and what becomes of it."""

import contextlib
import subprocess

import psycopg2
import pytest

import drawn
from ctl import ABSENT, REFUSED, USAGE, done, refused, shown
from pictures import link, new_photo
from samples import ALBUM, BLOG
from service import BUILD, ENVIRONMENT, in_background, until

WHY = ["--reason", "照片裡的人 did not agree", "--rule", "House rule 3"]
NOBODYS = 1_000_000_000
KINDS = {"album": ("albumID", "ALBUM NOT FOUND"), "poi": ("POIID", "POI NOT FOUND"), "blog": ("blogID", "BLOG NOT FOUND"),
         "comment": ("commentID", "COMMENT NOT FOUND"), "photo": ("photoID", "PHOTO NOT FOUND")}
READS = {"album": "getAlbum", "poi": "getPOI", "blog": "getBlog"}
PIECES = tuple(READS)
KEY_OF = {"comment": "comment_id", "photo": "photo_id"}  # of the others it is number
HERE = {"west": "-180", "south": "-90", "east": "180", "north": "90", "zoomLevel": 20}


@pytest.fixture
def reported(db, service, alice, album, blog, poi):
    """One of each kind, all of them Alice's."""
    return {
        "album": album, "poi": poi, "blog": blog,
        "comment": int(service.ok("addComment", user=alice, blogID=blog, comment="不好的話")["commentID"]),
        "photo": db.insert("photo", kind=0, number=album, position=1, address="https://example.org/p.jpg", description="不雅"),
    }


@pytest.fixture
def hide(service, reported):
    """Hides a thing, and at the end of the test shows it again."""
    hidden = []

    def call(kind):
        name = f"piece hide {kind}:{reported[kind]}" if kind in PIECES else f"{kind} hide {reported[kind]}"
        done(service, *name.split(), *WHY)
        hidden.append(name.replace("hide", "unhide"))

    yield call
    for name in hidden:
        service.ctl(*name.split(), "--reason", "the test is over")


def report(service, user, kind, identifier, reason="請看"):
    return service.call("report", user=user, **{KINDS[kind][0]: identifier}, reason=reason).info


def reports(db, kind, identifier):
    return db.run("SELECT reporter_id, reason, state FROM report WHERE thing_name(kind, number, comment_id, photo_id) = %s"
                  " ORDER BY report_id", f"{kind}:{identifier}")


def number_of(db, kind, identifier):
    return db.value("SELECT max(report_id) FROM report WHERE thing_name(kind, number, comment_id, photo_id) = %s", f"{kind}:{identifier}")


def mails_to(db, user):
    return db.column("SELECT subject || E'\n' || body FROM mail WHERE user_id = %s ORDER BY mail_id", user.id)


# Reports


@pytest.mark.parametrize("kind", KINDS)
def test_a_report(service, db, alice, bob, reported, kind):
    identifier = reported[kind]
    for reason in "請看\r\n第二行", "again":
        assert report(service, bob, kind, identifier, reason) is None
    assert reports(db, kind, identifier) == [(bob.id, "請看\r\n第二行", "open")]
    with db.unchanged("session"):
        assert report(service, alice, kind, identifier) == "OWN PIECE"
        assert report(service, bob, kind, NOBODYS) == KINDS[kind][1]
        assert report(service, None, kind, identifier) == "LOGIN REQUIRED"


def test_what_a_report_names(service, bob, album):
    for params, info in [
        ({}, "MISSING PARAMETER: albumID"), ({"albumID": album, "photoID": 1}, "INVALID PARAMETER: photoID"),
        ({"commentID": 1, "photoID": 1}, "INVALID PARAMETER: photoID"), ({"blogID": 0}, "INVALID PARAMETER: blogID"),
    ]:
        assert service.call("report", user=bob, reason="x", **params).info == info
    for reason, info in ("", "INVALID PARAMETER: reason"), ("字" * 1001, "INVALID PARAMETER: reason"), ("字" * 1000, None):
        assert service.call("report", user=bob, albumID=album, reason=reason).info == info


@pytest.mark.parametrize("kind", ["album", "blog", "comment", "photo"])
def test_a_report_of_what_its_reader_may_not_see(service, db, alice, bob, reported, kind):
    db.run("UPDATE album SET visibility = 'private' WHERE number = %s", reported["album"])
    db.run("UPDATE blog SET visibility = 'private' WHERE number = %s", reported["blog"])
    assert report(service, bob, kind, reported[kind]) == KINDS[kind][1]
    assert report(service, alice, kind, reported[kind]) == "OWN PIECE"
    assert reports(db, kind, reported[kind]) == []


def test_reports_go_with_their_things_and_reporters(service, db, alice, album, new_user):
    reporter, other = new_user(), new_user()
    assert report(service, reporter, "album", album) is None and report(service, other, "album", album) is None
    done(service, "user", "delete", reporter.id, "--yes")
    assert [row[0] for row in reports(db, "album", album)] == [other.id]
    service.ok("updateAlbum", user=alice, albumID=album, delete="true")
    assert reports(db, "album", album) == []


# Decisions


def test_reports_are_listed_and_shown(service, db, bob, album):
    assert report(service, bob, "album", album, "請看") is None
    number = number_of(db, "album", album)
    row = next(row for row in shown(service, "report", "list", "--state", "open") if row["report"] == number)
    assert (row["thing"], row["reporterID"], row["reason"], row["says"]) == (
        f"album:{album}", bob.id, "請看", ALBUM["albumTitle"])
    got = shown(service, "report", "show", number)
    assert (got["reporterName"], got["state"], got["decided"], got["decisions"]) == (bob.name, "open", None, [])
    refused(service, ABSENT, "report", "show", NOBODYS)


@pytest.mark.parametrize("kind", KINDS)
def test_upheld_means_hidden(service, db, alice, new_user, reported, kind):
    reporters = new_user(), new_user()
    for reporter in reporters:
        assert report(service, reporter, kind, reported[kind], "private reason") is None
    number, before = number_of(db, kind, reported[kind]), len(mails_to(db, alice))
    done(service, "report", "uphold", number, *WHY, "--by", "Operator 1")
    assert {state for _, _, state in reports(db, kind, reported[kind])} == {"upheld"}
    assert db.value(f"SELECT hidden FROM {kind} WHERE {KEY_OF.get(kind, 'number')} = %s", reported[kind]) == "hidden"
    decision, = shown(service, "decision", "list", "--about", f"{kind}:{reported[kind]}")
    assert {name: decision[name] for name in ("by", "action", "ownerID", "report", "reason", "rule")} == {
        "by": "Operator 1", "action": "hide", "ownerID": alice.id, "report": number, "reason": WHY[1], "rule": WHY[3]}
    # The owner hears of what, why, by what, that a person has decided, and where to answer; the reporters hear the outcome.
    to_owner, = mails_to(db, alice)[before:]
    words = {"comment": "不好的話", "photo": "不雅"}.get(kind) or db.value(f"SELECT title FROM {kind} WHERE number = %s", reported[kind])
    for part in f"    {words} ({kind}:{reported[kind]})\n", WHY[1], WHY[3], "A person made this decision", "mapdiary@localhost":
        assert part in to_owner
    assert "private reason" not in to_owner
    for reporter in reporters:
        mail, = mails_to(db, reporter)
        assert mail.startswith("Your report in the map diary") and f"{kind}:{reported[kind]}" in mail and WHY[1] not in mail
        assert words not in mail
    assert "decided already" in refused(service, REFUSED, "report", "uphold", number, *WHY)


def test_how_a_mail_names_a_thing(service, db, new_user):
    """By the words of its owner alone: the first of a comment, and of a photo without words those of its piece."""
    owner, guest = new_user(), new_user()
    album = int(service.ok("addAlbum", user=owner, **ALBUM | {"albumTitle": "Title {site}"})["albumID"])
    comment = service.ok("addComment", user=guest, albumID=album, comment="Two\nlines,\t" + 100 * "長")["commentID"]
    photo = db.insert("photo", kind=0, number=album, position=1, address="https://example.org/p.jpg")
    done(service, "comment", "hide", comment, *WHY)
    done(service, "photo", "hide", photo, *WHY)
    to_guest, = mails_to(db, guest)
    assert f"    Two lines, {69 * '長'} (comment:{comment})\n" in to_guest and "Title" not in to_guest
    assert f"    Title {{site}} (photo:{photo})\n" in mails_to(db, owner)[0]


def test_all_of_many_reporters_hear(service, db, new_user):
    """More than are written to at a time."""
    owner, readers = new_user(), [new_user() for _ in range(20)]
    album = int(service.ok("addAlbum", user=owner, **ALBUM)["albumID"])
    for reader in readers:
        service.ok("report", user=reader, albumID=album, reason="x")
    done(service, "piece", "hide", f"album:{album}", *WHY)
    assert {len(mails_to(db, user)) for user in (owner, *readers)} == {1}
    assert {row[2] for row in reports(db, "album", album)} == {"upheld"}


def test_dismissed_it_stays(service, db, alice, new_user, album):
    reporter, other = new_user(), new_user()
    for user in reporter, other:
        assert report(service, user, "album", album) is None
    number, before = number_of(db, "album", album), len(mails_to(db, alice))
    done(service, "report", "dismiss", number, "--reason", "nothing wrong with it")
    assert [state for _, _, state in reports(db, "album", album)] == ["open", "dismissed"]
    assert service.call("getAlbum", albumID=album).info is None
    assert "nothing wrong with it" in mails_to(db, other)[0]
    assert mails_to(db, reporter) == [] and len(mails_to(db, alice)) == before
    assert shown(service, "report", "show", number)["decisions"][0]["action"] == "dismiss"
    assert shown(service, "decision", "list", "--about", f"album:{album}")[0]["ownerID"] is None


def test_mails_are_in_the_language_of_each(service, db, new_user):
    owner = new_user()
    db.run("UPDATE user_account SET language = 'zh-Hant' WHERE user_id = %s", owner.id)
    album = service.ok("addAlbum", user=owner, **ALBUM)["albumID"]
    done(service, "piece", "hide", f"album:{album}", *WHY)
    assert mails_to(db, owner)[0].startswith("您在地圖日記的一項內容已被隱藏")
    assert f"/#album={album}" in mails_to(db, owner)[0]
    done(service, "piece", "unhide", f"album:{album}", "--reason", "a mistake")
    assert mails_to(db, owner)[1].startswith("您在地圖日記的一項內容已恢復顯示")


def test_a_decision_wants_words(service, db, album):
    before = db.value("SELECT count(*) FROM decision")
    for missing in WHY[:2], WHY[2:], []:
        refused(service, USAGE, "piece", "hide", f"album:{album}", *missing)
    refused(service, ABSENT, "piece", "hide", f"album:{NOBODYS}", *WHY)
    for group in "comment", "photo":
        refused(service, ABSENT, group, "hide", NOBODYS, *WHY)
    assert db.value("SELECT count(*) FROM decision") == before


def test_without_texts_of_mails_nothing_is_decided(start_service, db, tmp_path, album):
    service = start_service(mail_directory=tmp_path)
    assert service.ctl("piece", "hide", f"album:{album}", *WHY).returncode != 0
    assert db.value("SELECT hidden FROM album WHERE number = %s", album) is None


@pytest.mark.parametrize("role", ["mapdiary", "mapdiary_visitor"])
@pytest.mark.parametrize("change", [
    "UPDATE decision SET reason = 'another'", "DELETE FROM decision", "TRUNCATE decision",
    "ALTER TABLE decision ADD x integer", "UPDATE decision SET decided_by = 'nobody' WHERE false"])
def test_what_was_decided_is_not_changed(service, postgres, album, role, change):
    done(service, "piece", "hide", f"album:{album}", *WHY)
    with contextlib.closing(postgres.connect("mapdiary", "mapdiary")) as connection, connection.cursor() as cursor:
        cursor.execute(f"SET ROLE {role}; SET search_path = mapdiary")
        with pytest.raises(psycopg2.errors.InsufficientPrivilege):
            cursor.execute(change)


@pytest.mark.parametrize("change", [
    "UPDATE mapdiary.photo SET hidden = NULL", "UPDATE mapdiary.comment SET hidden = NULL",
    "UPDATE mapdiary.own_album SET hidden = NULL", "SELECT * FROM mapdiary.report", "SELECT * FROM mapdiary.decision",
    "INSERT INTO mapdiary.photo (hidden) VALUES ('hidden')"])
def test_requests_cannot_show_what_is_hidden(postgres, service, change):
    with contextlib.closing(postgres.connect("mapdiary", "mapdiary")) as connection, connection.cursor() as cursor:
        cursor.execute("SELECT mapdiary.become_visitor()")
        with pytest.raises((psycopg2.errors.InsufficientPrivilege, psycopg2.errors.UndefinedColumn)):
            cursor.execute(change)


# What is hidden


def listed(service, user=None):
    """The pieces that lists of all kinds have, as (kind, identifier)."""
    found = set()
    for func, params in [("getNearby", {"lat": 25, "lng": "121.5", "radius": 100000, "limit": 500}),
                         ("getNearby", {"lat": "21.9", "lng": "120.7", "radius": 100000, "limit": 500}),
                         ("getBlogList", {"limit": 500}), ("getMap", HERE),
                         ("search", {"q": ALBUM["albumTitle"], "limit": 500}), ("search", {"q": "龍山寺"})]:
        for _, place in service.ok(func, user=user, **params)["placeList"]:
            place = dict(place)
            found |= {(kind, int(place[kind])) for kind in ("albumID", "POIID", "blogID") if kind in place}
    return found


@pytest.mark.parametrize("kind", PIECES)
def test_a_hidden_piece_is_as_private(service, db, alice, bob, reported, hide, kind):
    parameter, absent = KINDS[kind]
    name = {parameter: reported[kind]}
    comment = service.ok("addComment", user=bob, **name, comment="讚")["commentID"]
    until(lambda: (parameter, reported[kind]) in listed(service), "it is found")
    hide(kind)
    for user in None, bob:
        assert service.call(READS[kind], user=user, **name).info == absent
        assert service.call("getComments", user=user, **name).info == absent
        assert service.call("getPiece", user=user, **name).info == absent
        assert (parameter, reported[kind]) not in listed(service, user)
    for func, params in [("addComment", {"comment": "x"}), ("recommend", {}), ("report", {"reason": "x"})]:
        assert service.call(func, user=bob, **name, **params).info == absent
    assert service.call("updateComment", user=bob, commentID=comment, delete="true").info == "COMMENT NOT FOUND"
    assert service.call(READS[kind], user=alice, **name).info is None
    assert (parameter, reported[kind]) in listed(service, alice)
    got = service.ok("getPiece", user=alice, **name)
    assert (got["hidden"], got["hiddenReason"]) == ("true", WHY[1])


def test_lists_of_a_user_leave_it_out(service, db, new_user, bob):
    owner = new_user()
    albums = [service.ok("addAlbum", user=owner, **ALBUM)["albumID"] for _ in range(2)]
    place = db.insert("poi", owner_id=owner.id, title="隱藏", slot=21, lat="1", lng="1")
    done(service, "piece", "hide", f"album:{albums[0]}", *WHY)
    done(service, "piece", "hide", f"poi:{place}", *WHY)

    def seen(user):
        own = service.ok("getUserAlbumList", user=user, userID=owner.id)["albumList"]
        places = service.ok("getCategoryPOIList", user=user, category=5)["POIList"]
        return ([dict(item)["albumID"] for _, item in own], str(place) in [dict(item)["POIID"] for _, item in places],
                service.ok("getUser", user=user, userID=owner.id)["albumCount"])

    assert seen(owner) == (albums, True, "2")
    assert seen(bob) == seen(None) == (albums[1:], False, "1")
    db.run("DELETE FROM poi WHERE number = %s", place)


def test_what_is_shown_again_is_as_before(service, alice, reported, hide):
    hide("album")
    done(service, "piece", "unhide", f"album:{reported['album']}", "--reason", "a mistake")
    assert service.call("getAlbum", albumID=reported["album"]).info is None
    assert "hidden" not in service.ok("getPiece", user=alice, albumID=reported["album"]).names


def test_counts_of_the_map(service, db, new_user):
    # Where others had a service in another time zone, it counted what has its day there.
    wrong = db.value("SELECT wrong FROM finding_state()")
    owner = new_user()
    made = [service.ok("addAlbum", user=owner, **ALBUM | {"lat": "-60.5", "lng": "-140.5"})["albumID"] for _ in range(4)]
    box = {"west": "-141", "south": "-61", "east": "-140", "north": "-60", "zoomLevel": 3}

    def counted(user=None):
        got = service.ok("getMap", user=user, **box)
        return sum(int(dict(cluster)["count"]) for _, cluster in got["clusterList"] or []) + len(got["placeList"] or [])

    until(lambda: counted() == 4, "all are counted")
    done(service, "piece", "hide", f"album:{made[0]}", *WHY)
    assert (counted(), counted(owner)) == (3, 4)
    done(service, "piece", "unhide", f"album:{made[0]}", "--reason", "x")
    until(lambda: counted() == 4, "all are counted")
    until(lambda: db.run("SELECT wrong <= %s, waiting FROM finding_state()", wrong) == [(True, 0)], "nothing is wrong or waits", 150)


def test_a_hidden_comment(service, db, alice, bob, album):
    made = {user.id: int(service.ok("addComment", user=user, albumID=album, comment=f"言 {user.id} 語")["commentID"])
            for user in (alice, bob)}
    hidden = made[bob.id]
    done(service, "comment", "hide", hidden, *WHY)

    def seen(user):
        return [int(dict(item)["commentID"]) for _, item in service.ok("getComments", user=user, albumID=album)["comments"]]

    assert seen(None) == seen(alice) == [made[alice.id]] and seen(bob) == [made[alice.id], hidden]
    for user in None, alice, bob:
        assert len(service.ok("getAlbum", user=user, albumID=album)["comments"]) == 1
        assert service.ok("getPiece", user=user, albumID=album)["commentCount"] == "1"
    for func, params in [("replyComment", {"reply": "x"}), ("updateComment", {"delete": "true"}), ("report", {"reason": "x"})]:
        assert service.call(func, user=alice, commentID=hidden, **params).info == "COMMENT NOT FOUND"
    until(lambda: not service.ok("search", q=f"言 {bob.id} 語")["placeList"], "it is not found any more")
    assert service.call("updateComment", user=bob, commentID=hidden, delete="true").info is None


@pytest.mark.parametrize("owner", ["album", "poi"])
def test_a_hidden_photo(service, db, request, alice, bob, owner):
    identifier = request.getfixturevalue(owner)
    name = KINDS[owner][0]
    large, small = new_photo(service, db, **{owner: identifier})
    number = db.value("SELECT max(photo_id) FROM photo")
    assert service.request(path=large.path).http_status == 200 and link(service, large).exists()
    if owner == "album":
        db.run("UPDATE album SET cover_photo_id = %s WHERE number = %s", number, identifier)
    done(service, "photo", "hide", number, *WHY)
    assert not link(service, large).exists()
    for user in None, bob:
        cookies = [("Cookie", user.cookie)] if user else []
        for picture in large, small:
            assert service.request(path=picture.path, headers=cookies).http_status == 404
        assert service.call("getPhoto", user=user, photoID=number).info == "PHOTO NOT FOUND"
        got = service.ok(READS[owner], user=user, **{name: identifier})
        assert "photos" not in got.names and (owner == "poi" or got["cover"] == "")
    got = service.request(path=large.path, headers=[("Cookie", alice.cookie)])
    assert (got.http_status, got.header("Cache-Control")) == (200, "private, no-store") and not link(service, large).exists()
    assert service.call("getPhoto", user=alice, photoID=number).info is None
    assert len(service.ok(READS[owner], user=alice, **{name: identifier})["photos"]) == 1
    done(service, "photo", "unhide", number, "--reason", "x")
    assert service.request(path=large.path).http_status == 200


@pytest.mark.parametrize("kind", ["album", "poi"])
def test_the_files_of_a_hidden_piece(service, db, alice, reported, hide, kind):
    large, _ = new_photo(service, db, **{kind: reported[kind]})
    assert service.request(path=large.path).http_status == 200
    hide(kind)
    assert service.request(path=large.path).http_status == 404 and not link(service, large).exists()
    assert service.request(path=large.path, headers=[("Cookie", alice.cookie)]).http_status == 200
    assert not link(service, large).exists()


# Blocked users


def log_in(service, user, password=None):
    return service.call("login", email=user.email, password=password or user.password).info


def test_a_blocked_user(service, db, new_user):
    user = new_user()
    album = service.ok("addAlbum", user=user, **ALBUM)["albumID"]
    assert log_in(service, user) is None
    done(service, "user", "block", user.id, *WHY)
    assert db.value("SELECT count(*) FROM session WHERE user_id = %s", user.id) == 0
    assert service.call("addAlbum", user=user, **ALBUM).info == "LOGIN REQUIRED"
    assert log_in(service, user) == "USER BLOCKED"
    assert log_in(service, user, "wrong horse") == "PASSWORD INCORRECT"
    assert service.call("getAlbum", albumID=album).info is None
    assert WHY[1] in mails_to(db, user)[0] and WHY[3] in mails_to(db, user)[0]
    assert shown(service, "user", "show", user.id)["blocked"] is True
    service.ok("requestPasswordReset", email=user.email)
    assert len(mails_to(db, user)) == 1
    done(service, "user", "unblock", user.id, "--reason", "a mistake")
    assert log_in(service, user) is None
    assert [row["action"] for row in shown(service, "decision", "list", "--about", f"user:{user.id}")] == ["block", "unblock"]


def test_who_is_blocked_while_a_write_goes_on(service, db, connect_owner, new_user, album):
    """The write that a worker has begun is done first, and none after it."""
    user, owner, decider = new_user(), connect_owner(), connect_owner()
    owner.run("BEGIN")
    owner.run("SELECT FROM album WHERE number = %s FOR UPDATE", album)
    with in_background(lambda: service.call("addComment", user=user, albumID=album, comment="先").info) as write:
        until(lambda: db.waiting() == 1, "the write waits")
        # As the command does, which a slow machine does not start while the write waits.
        with in_background(lambda: decider.run("SELECT FROM decide(%s, 'block', 'x', 'y', 'z', NULL)", f"user:{user.id}")):
            until(lambda: db.waiting("mapdiary_owner") == 1, "the decision waits for the write")
            owner.run("COMMIT")
    assert write[0].result() is None
    assert service.call("addComment", user=user, albumID=album, comment="後").info == "LOGIN REQUIRED"
    assert db.column("SELECT comment FROM comment WHERE commenter_id = %s", user.id) == ["先"]


# Rules


@pytest.mark.parametrize("kind", ["pieces", "comments", "photos"])
def test_what_new_accounts_make_in_a_day(start_service, db, new_user, kind):
    user, old = new_user(), new_user()
    service = start_service(**{f"first_week_{kind}": 2})
    db.run("UPDATE user_account SET created_at = now() - interval '8 days' WHERE user_id = %s", old.id)

    def make(who):
        album = service.call("addAlbum", user=who, **ALBUM)
        if kind == "pieces":
            return album.info
        if kind == "comments":
            return service.call("addComment", user=who, albumID=album["albumID"], comment="x").info
        return service.call("addPhoto", user=who, albumID=album["albumID"], photo=drawn.FILE).info

    assert [make(user) for _ in range(3)] == [None, None, "TOO MANY ATTEMPTS"]
    assert [make(old) for _ in range(3)] == [None] * 3
    db.run("UPDATE first_week SET day = day - 1")
    assert make(user) is None


def test_words_that_hold_back(start_service, db, tmp_path, new_user, bob):
    words = tmp_path / "words"
    words.write_text("Casino\n博弈網站\n", encoding="utf-8")
    service, author = start_service(held_words=words), new_user()
    album = service.ok("addAlbum", user=author, **ALBUM)["albumID"]
    held = [
        ("album", "albumID", service.ok("addAlbum", user=author, **ALBUM | {"albumTitle": "最好的博弈網站!"})["albumID"]),
        ("blog", "blogID", service.ok("postBlog", user=author, **BLOG | {"blogContent": "<b>CASINO</b> now"})["blogID"])]
    free = service.ok("postBlog", user=author, **BLOG | {"blogContent": "casinos"})["blogID"]
    assert service.call("getBlog", blogID=free).info is None
    for kind, name, number in held:
        assert service.call(READS[kind], user=bob, **{name: number}).info == KINDS[kind][1]
        got = service.ok("getPiece", user=author, **{name: number})
        assert "hidden" not in got.names
        assert [(row[0], row[2]) for row in reports(db, kind, number)] == [(None, "open")]
    comment = int(service.ok("addComment", user=author, albumID=album, comment="casino!")["commentID"])
    assert "comments" in service.ok("getAlbum", user=author, albumID=album).names
    assert "comments" not in service.ok("getAlbum", user=bob, albumID=album).names
    done(service, "report", "dismiss", number_of(db, "comment", comment), "--reason", "a joke")
    assert "comments" in service.ok("getAlbum", user=bob, albumID=album).names
    service.ok("updateAlbum", user=author, albumID=album, **ALBUM | {"albumTitle": "casino"})
    assert service.call("getAlbum", user=bob, albumID=album).info == "ALBUM NOT FOUND"
    assert mails_to(db, author) == []


@pytest.mark.parametrize("before", [300 * "博", "".join(map(chr, range(0x4e00, 0x9f00))), 90_000 * "a "], ids=["one", "many", "words"])
def test_words_behind_much(start_service, tmp_path, new_user, bob, before):
    words = tmp_path / "words"
    words.write_text("博弈網站\n", encoding="utf-8")
    service, author = start_service(held_words=words), new_user()
    free, held = (int(service.ok("postBlog", user=author, **BLOG | {"blogContent": before[:90_000] + end})["blogID"])
                  for end in ("博弈 網站", "博弈網站"))
    assert service.call("getBlog", user=bob, blogID=free).info is None
    assert service.call("getBlog", user=bob, blogID=held).info == "BLOG NOT FOUND"


def test_where_words_are_looked_for(start_service, db, tmp_path, new_user):
    words = tmp_path / "words"
    words.write_text("casino\n", encoding="utf-8")
    service, author = start_service(held_words=words), new_user()
    for field, holds in ("blogTitle", True), ("blogContent", True), ("userCategory", True), (None, False):
        fields = BLOG | ({field: "Ca\u200bsino"} if field else {"blogContent": "<a href='https://casino.example/'>x</a>"})
        posted = service.ok("postBlog", user=author, **fields)["blogID"]
        changed = service.ok("postBlog", user=author, **BLOG)["blogID"]
        service.ok("updateBlog", user=author, blogID=changed, **fields)
        for number in posted, changed:
            assert db.value("SELECT hidden FROM blog WHERE number = %s", number) == ("held" if holds else None)
            assert [row[1] for row in reports(db, "blog", number)] == (["held back for the word: casino"] if holds else [])


def test_what_is_not_hidden_is_not_shown_again(service, db, alice, bob, album):
    service.ok("report", user=bob, albumID=album, reason="x")
    assert refused(service, ABSENT, "piece", "unhide", f"album:{album}", "--reason", "x")
    assert refused(service, ABSENT, "user", "unblock", alice.id, "--reason", "x")
    assert [row[2] for row in reports(db, "album", album)] == ["open"]
    assert shown(service, "decision", "list", "--about", f"album:{album}") == []


# Watching


def test_reports_are_shown_as_they_come(service, postgres, new_user, album):
    """And are counted."""
    command = [BUILD / "mapdiaryctl", "-c", service.conf, "report", "watch"]
    waits = "SELECT count(*) FROM pg_stat_activity WHERE state = 'idle' AND query LIKE '%thing_name%r.report_id > $1%'"
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, encoding="utf-8", env=ENVIRONMENT) as watch:
        try:
            until(lambda: postgres.value(waits), "it waits for the first")
            for reporter in new_user(), new_user():
                assert report(service, reporter, "album", album, f"by {reporter.id}\nline") is None
                line = watch.stdout.readline()
                line = watch.stdout.readline() if line.startswith("report\t") else line
                assert f"album:{album}\t{reporter.id}\t" in line and f"by {reporter.id}\\nline" in line
        finally:
            watch.kill()
    until(lambda: service.metric("reports_open") >= 2, "they are counted")
    assert service.metric("report_oldest_seconds") >= 0
