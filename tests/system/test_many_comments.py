"""Pieces with more comments than anybody reads: all of them are in the answer, and take no more memory than a few."""

import json
from xml.sax.saxutils import escape

import pytest

from processes import peak_memory, workers
from samples import ALBUM, BLOG
from service import ENVIRONMENT

COUNT = 100_000
FEW = 10
TEXT = "第 %s 則 <&>\r\n"
FIRST = 1_700_000_000
CR = "\r"
READS = {"album": ("getAlbum", "albumID"), "poi": ("getPOI", "POIID"), "blog": ("getBlog", "blogID")}


def new_piece(service, db, user, kind):
    if kind == "album":
        return int(service.ok("addAlbum", user=user, **ALBUM)["albumID"])
    if kind == "blog":
        return int(service.ok("postBlog", user=user, **BLOG)["blogID"])
    return db.insert("poi", owner_id=user.id, name="p", category=2, lat=0, lng=0)


def comment(db, user, kind, piece, count):
    """The latest first, as it is their time that orders them; every tenth has an answer."""
    db.run(f"INSERT INTO comment ({kind}_id, commenter_id, comment, created_at, reply, replied_at)"
           " SELECT %s, %s, replace(%s, '%%s', n::text), to_timestamp(%s + n),"
           " CASE WHEN n %% 10 = 0 THEN 'r' || n END, CASE WHEN n %% 10 = 0 THEN to_timestamp(%s + n) END"
           " FROM generate_series(%s, 1, -1) AS n", piece, user.id, TEXT, FIRST, FIRST, count)


@pytest.fixture(scope="module", params=READS)
def pieces(request, service, db, new_user):
    """The parameters of a read, for a piece with few comments and one with many."""
    user, (func, name) = new_user("O'Brien & co"), READS[request.param]
    few, many = (new_piece(service, db, user, request.param) for _ in range(2))
    comment(db, user, request.param, few, FEW)
    comment(db, user, request.param, many, COUNT)
    yield user, func, {name: few}, {name: many}
    db.run("DELETE FROM user_account WHERE user_id = %s", user.id)


def expected(user, number):
    comment = {"time": FIRST + number, "commenterName": user.name, "commenterIcon": "", "comment": TEXT % number}
    return comment | ({"authorReply": {"time": FIRST + number, "reply": f"r{number}"}} if number % 10 == 0 else {})


def as_xml(name, value):
    if not isinstance(value, dict):
        return f"<{name}>{escape(str(value), {CR: '&#13;'})}</{name}>" if value != "" else f"<{name} />"
    return f"<{name}>{''.join(as_xml(*child) for child in value.items())}</{name}>"


def comments_as_xml(user, count):
    return as_xml("comments", {f"comment{n}": expected(user, n) for n in range(1, count + 1)}) + "</response>\n"


def test_all_of_them_in_little_memory(monkeypatch, start_service, pieces):
    user, func, few, many = pieces
    # AddressSanitizer, if there, keeps what was freed.
    monkeypatch.setitem(ENVIRONMENT, "ASAN_OPTIONS", ENVIRONMENT.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=0")
    service = start_service(workers=1)
    first = service.call(func, **few)
    assert first.header("ETag")
    assert first.body.endswith(comments_as_xml(user, FEW).encode())
    (worker,) = workers(service.daemon.pid)
    before = peak_memory(worker)
    answer = service.call(func, **many)
    document = json.loads(service.call(func, responseFormat="JSON", **many).body)
    # An answer is kept whole up to 1 MiB. These have 20 MB, and the rows of them about as much.
    assert peak_memory(worker) - before < 4 << 10
    assert answer.header("ETag") is None and answer.header("Content-Length") is None
    assert answer.body.endswith(comments_as_xml(user, COUNT).encode())
    assert document["comments"] == [expected(user, n) for n in range(1, COUNT + 1)]
