"""Pieces with more comments than anybody reads: the answers of pieces have the newest 200 of them, and getComments has all."""

import json
from xml.sax.saxutils import escape

import pytest

from samples import ALBUM, BLOG, KINDS

MOST = 200
COUNT = 20_000
FEW = 10
OTHERS = 300
TEXT = "第 %s 則 <&>\r\n"
FIRST = 1_700_000_000
CR = "\r"
READS = {"album": ("getAlbum", "albumID"), "poi": ("getPOI", "POIID"), "blog": ("getBlog", "blogID")}


def new_piece(service, db, user, kind):
    if kind == "album":
        return int(service.ok("addAlbum", user=user, **ALBUM)["albumID"])
    if kind == "blog":
        return int(service.ok("postBlog", user=user, **BLOG)["blogID"])
    return db.insert("poi", owner_id=user.id, title="p", slot=18, lat=0, lng=0)


def comment(db, user, kind, piece, first, last, hidden=None):
    """The latest first, as it is their time that orders them; every tenth has an answer."""
    db.run("INSERT INTO comment (kind, number, commenter_id, comment, created_at, reply, replied_at, hidden)"
           " SELECT %s, %s, %s, replace(%s, '%%s', n::text), to_timestamp(%s + n),"
           " CASE WHEN n %% 10 = 0 THEN 'r' || n END, CASE WHEN n %% 10 = 0 THEN to_timestamp(%s + n) END, %s"
           " FROM generate_series(%s, %s, -1) AS n", KINDS[kind], piece, user.id, TEXT, FIRST, FIRST, hidden, last, first)


@pytest.fixture(scope="module", params=READS)
def pieces(request, service, db, new_user):
    """The parameters of a read, for a piece with few comments and one with many. The newest comments on the latter are hidden; two of
    them are held back, so that their writer sees them. The indexer is not told of them, as it would read them at any time. Other pieces
    have a comment each: PostgreSQL's statistics are those of a community, where a comment says little about its piece."""
    (user, crowd), (func, name) = (new_user(name) for name in ("O'Brien & co", "crowd")), READS[request.param]
    few, many, *others = (new_piece(service, db, user, request.param) for _ in range(2 + OTHERS))
    db.run("BEGIN")
    for other in others:
        comment(db, crowd, request.param, other, 1, 1)
    comment(db, user, request.param, few, 1, FEW)
    comment(db, user, request.param, many, 1, COUNT)
    comment(db, crowd, request.param, many, COUNT + 1, 2 * COUNT, "held")
    comment(db, user, request.param, many, COUNT + 101, COUNT + 102, "held")
    comment(db, user, request.param, many, COUNT + 103, COUNT + 104, "hidden")
    db.run("DELETE FROM mapdiary_closed.search_queue WHERE ids && %s::bigint[]", [few, many, *others])
    db.run("COMMIT")
    db.run("ANALYZE comment")
    yield user, func, {name: few}, {name: many}
    db.run("DELETE FROM user_account WHERE user_id IN (%s, %s)", user.id, crowd.id)


def expected(user, number):
    comment = {"time": FIRST + number, "commenterName": user.name, "commenterIcon": "", "comment": TEXT % number}
    return comment | ({"authorReply": {"time": FIRST + number, "reply": f"r{number}"}} if number % 10 == 0 else {})


def as_xml(name, value):
    if not isinstance(value, dict):
        return f"<{name}>{escape(str(value), {CR: '&#13;'})}</{name}>" if value != "" else f"<{name} />"
    return f"<{name}>{''.join(as_xml(*child) for child in value.items())}</{name}>"


def comments_as_xml(user, numbers):
    comments = {f"comment{place}": expected(user, n) for place, n in enumerate(numbers, 1)}
    return (as_xml("comments", comments) + "</response>\n").encode()


SHOWN = range(COUNT - MOST + 1, COUNT + 1)
SHOWN_TO_WRITER = [*range(COUNT - MOST + 3, COUNT + 1), COUNT + 101, COUNT + 102]


@pytest.mark.few(1)
def test_the_newest_in_their_order(start_service, pieces):
    user, func, few, many = pieces
    service = start_service(workers=1)
    assert service.call(func, **few).body.endswith(comments_as_xml(user, range(1, FEW + 1)))
    answer = service.call(func, **many)
    assert answer.body.endswith(comments_as_xml(user, SHOWN))
    assert answer.header("ETag")
    document = json.loads(service.call(func, responseFormat="JSON", **many).body)
    assert document["comments"] == [expected(user, n) for n in SHOWN]
    assert service.call(func, user=user, **many).body.endswith(comments_as_xml(user, SHOWN_TO_WRITER))


@pytest.mark.few(1)
def test_all_are_counted_and_paged_through(start_service, pieces):
    user, _, _, many = pieces
    service = start_service(workers=1)
    for reader, hidden_count, listed in (None, 0, []), (user, 2, range(COUNT + 101, COUNT + 105)):
        assert int(service.ok("getPiece", user=reader, **many)["commentCount"]) == COUNT + hidden_count
        seen, page = [], {}
        while page is not None:
            answer = json.loads(service.call("getComments", user=reader, responseFormat="JSON", limit=500, **many, **page).body)
            seen += [comment["time"] - FIRST for comment in answer["comments"]]
            page = {"after": answer["next"]} if "next" in answer else None
        assert seen == [*range(1, COUNT + 1), *listed]


@pytest.mark.few(2)
@pytest.mark.parametrize("by", ["anybody", "the writer"])
def test_what_is_hidden_is_not_read(start_service, db, pieces, by):
    """PostgreSQL says how many rows of the table a connection has read when that ends: the tests above end theirs, too."""
    user, func, _, many = pieces
    rows = "SELECT seq_tup_read + idx_tup_fetch FROM pg_stat_all_tables WHERE relid = 'comment'::regclass"
    service = start_service(workers=1)
    db.run("SELECT pg_stat_force_next_flush()")
    before = db.value(rows)
    reader = user if by == "the writer" else None
    for name, most in (func, MOST), ("getComments", 21):
        for _ in range(7):  # more often than PostgreSQL plans for the parameters alone
            assert service.call(name, user=reader, **many, **({"limit": 20} if name != func else {})).info is None
    service.stop()
    db.run("SELECT pg_stat_clear_snapshot()")
    assert 7 * (MOST + 21) <= db.value(rows) - before < COUNT
