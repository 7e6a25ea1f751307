"""How much one account writes under other users' pieces, and reports: more is refused, and not remembered."""

import json
import time

import pytest

from ctl import done, shown
from samples import ALBUM
from service import at_once

COMMENTS, REPORTS = 50, 20
NOBODYS = 2**53 - 1
KINDS = {"album": "albumID", "poi": "POIID", "blog": "blogID"}


@pytest.fixture
def carol(new_user):
    return new_user("Carol")


@pytest.fixture(params=KINDS)
def piece(request, things):
    """The parameter that names a piece of Alice's."""
    return {KINDS[request.param]: things[request.param]}


@pytest.fixture
def days_pass(db, carol):
    """Makes what is counted of Carol older than the time that counts, but for so many."""
    def pass_days(but=0):
        db.run("UPDATE comment_count SET moments = (SELECT array_agg(CASE WHEN n > %s THEN m - interval '24 hours' ELSE m END ORDER BY n)"
               " FROM unnest(moments) WITH ORDINALITY AS t (m, n)) WHERE user_id = %s", but, carol.id)
    return pass_days


def comment(service, user, piece, **options):
    return service.call("addComment", user=user, comment="x", **piece, **options)


def refused(answer):
    assert (answer.http_status, answer.info) == (429, "TOO MANY ATTEMPTS")
    assert 0 < int(answer.header("Retry-After")) <= 24 * 3600
    assert answer.header("Cache-Control") == "no-store"


def side_by_side(calls):
    return sorted(answer.http_status for answer in at_once(*calls))


def test_comments_on_a_piece_of_another_user(service, db, alice, bob, carol, piece):
    """Fifty, taken back or not, also when ten come at once."""
    first = [comment(service, carol, piece)["commentID"] for _ in range(COMMENTS - 5)]
    service.ok("updateComment", user=carol, commentID=first[0], delete="true")
    service.ok("updateComment", user=alice, commentID=first[1], delete="true")
    assert side_by_side([lambda: comment(service, carol, piece)] * 10) == 5 * [200] + 5 * [429]
    with db.unchanged():
        refused(comment(service, carol, piece))
    assert int(service.ok("getPiece", **piece)["commentCount"]) == COMMENTS - 2
    # Neither others, nor their other pieces, nor their replies are concerned, and what is there is taken back.
    service.ok("addComment", user=bob, comment="x", **piece)
    service.ok("addComment", user=carol, comment="x", albumID=service.ok("addAlbum", user=alice, **ALBUM)["albumID"])
    service.ok("replyComment", user=alice, commentID=first[2], reply="y")
    service.ok("updateComment", user=carol, commentID=first[2], delete="true")
    refused(comment(service, carol, piece))


def test_whoever_may_not_see_a_piece_hears_that_first(service, db, alice, carol, album):
    for _ in range(COMMENTS):
        service.ok("addComment", user=carol, albumID=album, comment="x")
    service.ok("updateAlbum", user=alice, albumID=album, **ALBUM, visibility="private")
    assert comment(service, carol, {"albumID": album}).info == "ALBUM NOT FOUND"


def test_within_24_hours(service, carol, album, days_pass):
    """Not by the day: each hour those of the 24 before it count."""
    piece = {"albumID": album}
    for _ in range(COMMENTS):
        service.ok("addComment", user=carol, comment="x", **piece)
    refused(comment(service, carol, piece))
    days_pass(but=COMMENTS - 2)
    calls = [lambda: comment(service, carol, piece)] * 8
    assert side_by_side(calls) == 2 * [200] + 6 * [429]
    days_pass()
    assert side_by_side(calls) == 8 * [200]


def test_what_was_too_much_is_not_remembered(service, carol, album, days_pass):
    for _ in range(COMMENTS):
        service.ok("addComment", user=carol, albumID=album, comment="x")
    key = [("Idempotency-Key", f"bound-{time.monotonic_ns()}")]
    for _ in range(2):
        refused(comment(service, carol, {"albumID": album}, headers=key))
    days_pass()
    first = service.ok("addComment", user=carol, headers=key, albumID=album, comment="x")
    assert service.ok("addComment", user=carol, headers=key, albumID=album, comment="x").body == first.body


def test_ones_own_pieces_and_imports_do_not_count(service, db, folder, alice, carol, album):
    own = service.ok("addAlbum", user=carol, **ALBUM)["albumID"]
    first = [service.ok("addComment", user=carol, albumID=own, comment="x")["commentID"] for _ in range(COMMENTS + 1)][0]
    for number in range(COMMENTS + 1):
        service.ok("replyComment", user=carol, commentID=first, reply=f"r{number}")
    rows = folder.make("rows") / "c.jsonl"
    rows.write_text("".join(json.dumps({"id": f"c{n}", "album": f"#{album}", "user": carol.email, "comment": "x"}) + "\n"
                            for n in range(COMMENTS + 1)))
    assert shown(service, "import", "comments", rows, "--source", "bounds")["added"] == COMMENTS + 1
    done(service, "comment", "add", f"album:{album}", "--user", carol.id, "--text", "x")
    assert db.value("SELECT count(*) FROM comment WHERE kind = 0 AND number = %s", album) == COMMENTS + 2
    assert side_by_side([lambda: comment(service, carol, {"albumID": album})] * 2) == [200, 200]


def test_what_is_counted_goes(service, db, bob, carol, album, days_pass, new_user):
    """In a day by the comments of anybody, each of which takes away more than it adds; and with its user."""
    others = [service.ok("addAlbum", user=bob, **ALBUM)["albumID"] for _ in range(6)]
    for other in others[:5]:
        service.ok("addComment", user=carol, albumID=other, comment="x")
    days_pass()
    counted = "SELECT count(*) FROM comment_count WHERE user_id = %s"
    db.run("DELETE FROM comment_count WHERE user_id <> %s", carol.id)
    left = []
    for other in others[:3]:
        service.ok("addComment", user=new_user(), albumID=other, comment="x")
        left.append(db.value(counted, carol.id))
    assert left == [3, 1, 0]
    service.ok("addComment", user=carol, albumID=others[5], comment="x")
    assert db.value(counted, carol.id) == 1
    service.ok("deleteUser", user=carol, password=carol.password)
    assert db.value(counted, carol.id) == 0


def test_reports_that_nobody_has_decided(service, db, alice, carol):
    albums = [service.ok("addAlbum", user=alice, **ALBUM)["albumID"] for _ in range(REPORTS + 5)]

    def report(album, reason="x", **options):
        return service.call("report", user=carol, albumID=album, reason=reason, **options)

    for album in albums[:REPORTS - 5]:
        assert report(album).info is None
    late = [lambda album=album: report(album) for album in albums[REPORTS - 5:]]
    assert side_by_side(late) == 5 * [200] + 5 * [429]
    is_reported = {str(reported) for reported in db.column("SELECT number FROM report WHERE reporter_id = %s", carol.id)}
    assert len(is_reported) == REPORTS
    another = next(album for album in albums if album not in is_reported)
    key = [("Idempotency-Key", f"bound-{time.monotonic_ns()}")]
    for _ in range(2):
        with db.unchanged():
            refused(report(another, headers=key))
    # Again is no further one, and what is wrong is so first.
    assert report(albums[0], "once more").info is None
    assert report(NOBODYS).info == "ALBUM NOT FOUND"
    number = db.value("SELECT min(report_id) FROM report WHERE reporter_id = %s", carol.id)
    done(service, "report", "dismiss", number, "--reason", "fine")
    assert report(another, headers=key).info is None
    assert report(next(album for album in albums if album not in is_reported | {another})).http_status == 429


def test_reports_are_listed_by_their_reporter(service, alice, bob, carol, album):
    for user in bob, carol:
        service.ok("report", user=user, albumID=album, reason="x")
    for name in carol.id, carol.email:
        assert [row["reporterID"] for row in shown(service, "report", "list", "--by", name)] == [carol.id]
