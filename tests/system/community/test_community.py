"""Comments, recommendations and votes by whoever reads: every rule, alone and side by side."""

import contextlib
import itertools
import json
import os
import random
import re
import signal
import threading
import time

import psycopg2
import pytest

import json_rule
import samples
import signing
from processes import has_all_processes, workers
from samples import ALBUM, BLOG, VOTE, date_params, today
from service import at_once, in_background, until

SECONDS = float(os.environ.get("MAPDIARY_FAULT_SECONDS", "3"))
CLIENTS = 64
NOBODYS = 2**53 - 1
DEADLOCKS = "SELECT deadlocks FROM pg_stat_database WHERE datname = 'mapdiary'"
KINDS = {"album": "albumID", "poi": "POIID", "blog": "blogID"}


@pytest.fixture
def carol(new_user):
    return new_user("Carol")


@pytest.fixture(params=KINDS)
def piece(request, things):
    """The parameter that names a piece of Alice's, and its table."""
    return {KINDS[request.param]: things[request.param]}, request.param


@pytest.fixture
def vote(service, alice, blog):
    """A blog of Alice's with a vote."""
    service.ok("addVote", user=alice, blogID=blog, **VOTE)
    return blog


def comments_of(service, piece, **params):
    return [dict(comment) for _, comment in service.ok("getComments", **piece, **params)["comments"] or []]


# Which piece


@pytest.mark.parametrize("func, params", [("getPiece", {}), ("getComments", {}), ("addComment", {"comment": "x"}),
                                          ("recommend", {}), ("recommend", {"delete": "true"})])
def test_exactly_one_piece(service, db, alice, func, params):
    def info(**names):
        return service.call(func, user=alice, **names, **params).info

    with db.unchanged():
        assert info() == "MISSING PARAMETER: albumID"
        assert info(albumID=1, POIID=1) == info(POIID=1, albumID=1, blogID=1) == "INVALID PARAMETER: POIID"
        assert info(albumID=1, blogID=1) == info(POIID=1, blogID=1) == "INVALID PARAMETER: blogID"
        assert info(albumID="x", blogID=1) == "INVALID PARAMETER: albumID"
        assert info(POIID=0) == "INVALID PARAMETER: POIID"
        assert [info(**{name: NOBODYS}) for name in KINDS.values()] == ["ALBUM NOT FOUND", "POI NOT FOUND", "BLOG NOT FOUND"]


def test_what_a_piece_is(service, alice, bob, piece, things):
    name, kind = piece
    titles = {"album": ALBUM["albumTitle"], "poi": "龍山寺", "blog": BLOG["blogTitle"]}
    plain = [("kind", {"poi": "POI"}.get(kind, kind)), ("ownerID", str(alice.id)), ("title", titles[kind]), ("commentCount", "0")]
    assert service.ok("getPiece", **name).result == plain
    own, version = ([], []) if kind == "poi" else ([("visibility", "public")], [("version", "1")])
    assert service.ok("getPiece", user=alice, **name).result == [*plain, *own, ("recommended", "false"), *version]
    assert service.ok("getPiece", user=bob, **name).result == [*plain, ("recommended", "false")]
    service.ok("addComment", user=bob, **name, comment="x")
    service.ok("recommend", user=bob, **name)
    counted = [*plain[:3], ("commentCount", "1")]
    assert service.ok("getPiece", user=bob, **name).result == [*counted, ("recommended", "true")]
    assert service.ok("getPiece", user=alice, **name).result == [*counted, *own, ("recommended", "false"), *version]
    assert service.ok("getPiece", **name).result == counted


def test_what_a_vote_is(service, alice, bob, vote):
    assert "choice" not in service.ok("getPiece", user=bob, blogID=vote).names
    service.ok("castVote", user=bob, blogID=vote, choice=3)
    assert service.ok("getPiece", user=bob, blogID=vote)["choice"] == "3"
    assert not {"choice", "closed"} & set(service.ok("getPiece", user=alice, blogID=vote).names)
    service.ok("closeVote", user=alice, blogID=vote)
    assert service.ok("getPiece", blogID=vote)["closed"] == "true"
    got = json_rule.of(service.call("getPiece", user=bob, blogID=vote, responseFormat="JSON"))
    assert (got["choice"], got["recommended"], got["closed"]) == (json_rule.Number("3"), "false", "true")


# Comments


def test_comments(service, alice, bob, piece):
    """What is published has them, too."""
    name, kind = piece
    first = service.ok("addComment", user=bob, **name, comment="第一 <b>\r\n")["commentID"]
    second = service.ok("addComment", user=alice, **name, comment=5000 * "字")["commentID"]
    service.ok("replyComment", user=alice, commentID=first, reply="謝謝")
    service.ok("replyComment", user=alice, commentID=first, reply="再謝 &")
    got = comments_of(service, name)
    assert [comment["commentID"] for comment in got] == [first, second]
    assert (got[0]["commenterID"], got[0]["commenterName"], got[0]["comment"]) == (str(bob.id), bob.name, "第一 <b>\r\n")
    assert (got[1]["commenterIcon"], got[1]["comment"]) == (alice.icon, 5000 * "字") and "authorReply" not in got[1]
    assert dict(got[0]["authorReply"])["reply"] == "再謝 &"
    assert list(got[0]) == ["commentID", "time", "commenterID", "commenterName", "commenterIcon", "comment", "authorReply"]
    func = {"album": "getAlbum", "poi": "getPOI", "blog": "getBlog"}[kind]
    published = [dict(comment) for _, comment in service.ok(func, **name)["comments"]]
    assert published == [{name: value for name, value in comment.items() if not name.endswith("ID")} for comment in got]
    for _ in range(2):
        service.ok("replyComment", user=alice, commentID=first, delete="true")
    assert "authorReply" not in comments_of(service, name)[0]


def test_who_deletes_a_comment(service, db, alice, bob, carol, piece):
    name, _ = piece
    bobs, carols = (service.ok("addComment", user=user, **name, comment="x")["commentID"] for user in (bob, carol))
    with db.unchanged():
        assert service.call("updateComment", user=carol, commentID=bobs, delete="true").info == "NOT OWNER"
        assert service.call("updateComment", user=bob, commentID=bobs).info == "MISSING PARAMETER: delete"
        assert service.call("updateComment", user=bob, commentID=bobs, delete="false").info == "INVALID PARAMETER: delete"
    for user, comment in (bob, bobs), (alice, carols):
        service.ok("updateComment", user=user, commentID=comment, delete="true")
        assert service.call("updateComment", user=user, commentID=comment, delete="true").info == "COMMENT NOT FOUND"
    assert comments_of(service, name) == []


def test_who_replies(service, db, alice, bob, carol, piece):
    """The owner of the piece, who has nothing to say about the text itself."""
    comment = service.ok("addComment", user=bob, **piece[0], comment="x")["commentID"]
    service.ok("replyComment", user=alice, commentID=comment, reply="y")
    with db.unchanged():
        for user in bob, carol:
            assert service.call("replyComment", user=user, commentID=comment, reply="z").info == "NOT OWNER"
            assert service.call("replyComment", user=user, commentID=comment, delete="true").info == "NOT OWNER"


@pytest.mark.parametrize("text", ["", 5001 * "a", "\x01"], ids=["empty", "long", "control"])
def test_texts_that_are_refused(service, db, alice, album, text):
    comment = service.ok("addComment", user=alice, albumID=album, comment="x")["commentID"]
    with db.unchanged():
        assert service.call("addComment", user=alice, albumID=album, comment=text).info == "INVALID PARAMETER: comment"
        assert service.call("replyComment", user=alice, commentID=comment, reply=text).info == "INVALID PARAMETER: reply"


def test_longer_ones_that_were_imported(service, db, alice, album):
    db.insert("comment", kind=0, number=album, commenter_id=alice.id, comment=100_000 * "字")
    assert comments_of(service, {"albumID": album})[0]["comment"] == 100_000 * "字"


# Pages


def fill(db, kind, piece, user, count):
    """Several of the same time, and so by their identifiers."""
    number = samples.KINDS[kind]
    db.run("INSERT INTO comment (kind, number, commenter_id, comment, created_at) SELECT %s, %s, %s, 'c' || n,"
           " timestamptz '1969-12-31 23:59:59.5Z' + n / 3 * interval '100 microseconds' FROM generate_series(1, %s) n",
           number, piece, user.id, count)
    return db.column("SELECT comment_id FROM comment WHERE kind = %s AND number = %s ORDER BY created_at, comment_id", number, piece)


def walk(service, piece, **params):
    """The identifiers of all pages."""
    after = {}
    while True:
        got = service.ok("getComments", **piece, **params, **after)
        yield [int(dict(comment)["commentID"]) for _, comment in got["comments"] or []]
        if "next" not in got.names:
            return
        assert got.names == ["comments", "next"]
        after = {"after": got["next"]}


@pytest.mark.parametrize("limit", [1, 7, 20, 21, 500])
def test_pages(service, db, alice, piece, limit):
    name, kind = piece
    want = fill(db, kind, *name.values(), alice, 20)
    pages = list(walk(service, name, limit=limit))
    assert [len(page) for page in pages[:-1]] == [limit] * (len(pages) - 1)
    assert list(itertools.chain(*pages)) == want


def test_how_long_a_page_is(service, db, alice, album):
    fill(db, "album", album, alice, 51)
    assert [len(page) for page in walk(service, {"albumID": album})] == [50, 1]
    for limit in 0, 501, -1, "x", "":
        assert service.call("getComments", albumID=album, limit=limit).info == "INVALID PARAMETER: limit"


def test_what_after_is_good_for(service, db, alice, album, blog):
    fill(db, "album", album, alice, 3)
    fill(db, "blog", blog, alice, 3)
    after = service.ok("getComments", albumID=album, limit=2)["next"]
    assert service.ok("getComments", albumID=album, limit=2)["next"] == after
    for good in {"limit": 1}, {"limit": 500}, {"_": "x"}, {"method": "POST"}, {"user": alice}:
        assert [comment["comment"] for comment in comments_of(service, {"albumID": album, "after": after}, **good)] == ["c3"]
    assert json.loads(service.call("getComments", albumID=album, after=after, responseFormat="JSON").body)["comments"]
    wrong = [after[:-1], after + "0", after[::-1], after.swapcase() + " ", "x", "", 48 * "0", "字"]
    wrong += [after[:place] + ("1" if after[place] == "0" else "0") + after[place + 1:] for place in range(len(after))]
    for text in wrong:
        assert service.call("getComments", albumID=album, after=text).info == "INVALID PARAMETER: after", text
    for other in {"blogID": blog}, {"albumID": album + 1}, {"POIID": album}:
        assert service.call("getComments", **other, after=after).info == "INVALID PARAMETER: after"


def test_an_after_that_somebody_made_up(service, db, alice, album):
    """It gives no right, and is no more than a place in the list."""
    fill(db, "album", album, alice, 3)
    ends = 2**63 - 1
    for place in (-ends - 1, 0), (-ends - 1, ends), (ends, ends), (ends, -ends - 1), (253402300800 * 10**6, 1):
        answer = service.call("getComments", albumID=album, after=samples.after("getComments", *place, albumID=album))
        assert answer.http_status == 200 and answer.info in (None, "INVALID PARAMETER: after")


def test_an_after_is_of_this_site(service, db, alice, album, start_service):
    """No other key does; and every machine of the site knows what another one has given."""
    fill(db, "album", album, alice, 3)
    for key in "", "0", samples.PAGE_KEY + " ":
        answer = service.call("getComments", albumID=album, after=samples.after("getComments", key=key, albumID=album))
        assert answer.info == "INVALID PARAMETER: after"
    given = service.ok("getComments", albumID=album, limit=2)["next"]
    assert len(comments_of(start_service(), {"albumID": album}, after=given)) == 1


def test_every_site_has_a_key_of_its_own(db):
    default = db.value("SELECT column_default FROM information_schema.columns"
                       " WHERE table_name = 'service' AND column_name = 'page_key'")
    assert len({db.value(f"SELECT {default}") for _ in range(9)}) == 9
    assert len(db.value(f"SELECT {default}")) == 73


def test_pages_under_writes(service, db, alice, album):
    """Of what is there all along, nothing is skipped and nothing comes twice."""
    stays = fill(db, "album", album, alice, 300)
    stop = threading.Event()

    # The owner's comments have no bound.
    def write(seed):
        chance, own = random.Random(seed), []
        while not stop.is_set():
            own.append(service.ok("addComment", user=alice, albumID=album, comment="new")["commentID"])
            if len(own) > 5:
                service.ok("updateComment", user=alice, commentID=own.pop(chance.randrange(len(own))), delete="true")

    def read():
        for _ in range(3):
            got = list(itertools.chain(*walk(service, {"albumID": album}, limit=17)))
            assert len(got) == len(set(got)) and [comment for comment in got if comment in set(stays)] == stays
        stop.set()

    at_once(read, *[lambda seed=seed: write(seed) for seed in range(2)])


@pytest.fixture
def plans(postgres, start_service):
    """A service, and what its statement of a name read, node by node, in each run since."""
    # Tables of a few rows would be read whole.
    settings = {"enable_seqscan": "off", "session_preload_libraries": "'auto_explain'", "auto_explain.log_min_duration": "0",
                "auto_explain.log_analyze": "on", "auto_explain.log_format": "'json'"}
    for name, value in settings.items():
        postgres.run(f"ALTER ROLE mapdiary SET {name} = {value}")
    service, start = start_service(workers=1), postgres.log.stat().st_size

    def logged():
        text = postgres.log.read_bytes()[start:].decode()
        found = re.findall(r"plan:\n((?:\t.*\n)*?\t}\n)", text)  # but what is being written
        return [json.loads(plan) for plan in found]

    yield service, logged
    for name in settings:
        postgres.run(f"ALTER ROLE mapdiary RESET {name}")


def nodes(plan):
    yield plan
    for child in plan.get("Plans", []):
        yield from nodes(child)


def scans(plans_of_statements, index):
    return [node for plan in plans_of_statements for node in nodes(plan["Plan"]) if node.get("Index Name") == index]


def test_what_may_be_seen_is_looked_up(plans, things, alice):
    """By indexes: where visible_piece() is not inlined, PostgreSQL goes through all pieces."""
    service, logged = plans
    reads = [operation for operation in samples.OPERATIONS.values() if not operation.writes]
    for operation in reads:
        for user in (alice,) if operation.login else (alice, None):
            service.ok(operation.func, user=user, **operation.filled(things))

    def seen():
        return {node.get("Index Name") for plan in logged() for node in nodes(plan["Plan"])}

    def functions():
        return {node.get("Function Name") for plan in logged() for node in nodes(plan["Plan"])}

    until(lambda: {"album_pkey", "poi_pkey", "blog_pkey"} <= seen() and "found_pieces" in functions(), "the plans are in the log")
    assert not [name for name in functions() if str(name).startswith(("visible_", "listed_"))]


@pytest.mark.slow
def test_a_page_is_a_part_of_an_index(plans, db, alice, album, blog):
    """Whether there are ten comments or 100,000: so many rows are read as the page has, and one."""
    service, logged = plans
    many, few = fill(db, "album", album, alice, 100_000), fill(db, "blog", blog, alice, 10)
    db.run("ANALYZE comment")
    for asked, (kind, piece, comments) in enumerate([("album", album, many), ("blog", blog, few)], 1):
        name = {KINDS[kind]: piece}
        middle = comments[len(comments) // 2]
        time = db.value("SELECT (extract(epoch FROM created_at) * 1000000)::bigint FROM comment WHERE comment_id = %s", middle)
        after = samples.after("getComments", time, middle, **name)
        for _ in range(8):  # until the plan is one for all parameters
            assert len(comments_of(service, name, limit=3, after=after)) == 3
        until(lambda asked=asked: len(scans(logged(), "comment_on_piece")) == 8 * asked, "the plans are in the log")
        for node in scans(logged(), "comment_on_piece"):
            assert node["Actual Rows"] == 4 and "created_at" in node["Index Cond"] and node.get("Rows Removed by Filter", 0) == 0


# Recommendations


def score_of(service, piece, kind, user=None):
    func = {"album": "getAlbum", "poi": "getPOI", "blog": "getBlog"}[kind]
    return int(service.ok(func, user=user, **piece)["score"])


def test_recommendations(service, db, alice, bob, carol, piece):
    name, kind = piece
    db.run(f"UPDATE {kind} SET score = 40 WHERE number = %s", *name.values())
    for user, extra, score in [(bob, {}, 41), (bob, {}, 41), (carol, {}, 42), (bob, {"delete": "true"}, 41),
                               (bob, {"delete": "true"}, 41), (bob, {"delete": "false"}, 42)]:
        assert service.ok("recommend", user=user, **name, **extra).result == [("score", str(score))]
        assert score_of(service, name, kind) == score
    with db.unchanged():
        for extra in {}, {"delete": "true"}:
            assert service.call("recommend", user=alice, **name, **extra).info == "OWN PIECE"


def test_a_change_of_the_score_is_no_change_of_the_piece(service, db, bob, album):
    db.run("UPDATE album SET updated_at = %s WHERE number = %s", samples.LONG_AGO, album)
    service.ok("recommend", user=bob, albumID=album)
    assert service.ok("getAlbum", albumID=album)["updateDate"] == samples.LONG_AGO_ELEMENTS


def test_a_user_who_goes_takes_them_along(service, db, alice, carol, things, vote):
    for kind, name in KINDS.items():
        service.ok("recommend", user=carol, **{name: things[kind]})
    service.ok("castVote", user=carol, blogID=vote, choice=1)
    service.ok("addComment", user=carol, blogID=vote, comment="x")
    scores = {kind: score_of(service, {name: things[kind]}, kind) for kind, name in KINDS.items()}
    assert service.ctl("user", "delete", carol.id, "--yes").returncode == 0
    assert {kind: score_of(service, {name: things[kind]}, kind) for kind, name in KINDS.items()} == {
        kind: score - 1 for kind, score in scores.items()}
    assert dict(service.ok("getBlog", blogID=vote)["vote/choices/choice1"])["votes"] == "0"
    assert recount(db) == []


# The database holds the rules by itself


@pytest.mark.parametrize("statement, code", [
    ("INSERT INTO recommendation (kind, number, user_id) VALUES (2, {blog}, {alice})", "MD005"),
    ("INSERT INTO recommendation (kind, number, user_id) VALUES (2, {blog}, {bob}), (2, {blog}, {bob})", "23505"),
    ("INSERT INTO ballot (blog_id, user_id, position) VALUES ({blog}, {bob}, 1), ({blog}, {bob}, 2)", "23505"),
    ("INSERT INTO ballot (blog_id, user_id, position) VALUES ({blog}, {bob}, 11)", "23503"),
    ("UPDATE ballot SET position = 1", "P0001"),
    ("UPDATE recommendation SET user_id = {bob}", "P0001"),
    ("UPDATE vote SET closed_at = now() WHERE blog_id = {blog};"
     " INSERT INTO ballot (blog_id, user_id, position) VALUES ({blog}, {bob}, 1)", "MD006"),
])
def test_rules_of_the_database(postgres, db, alice, bob, vote, statement, code):
    """For the service's role as for an import."""
    for role in "mapdiary", "mapdiary_owner":
        with contextlib.closing(postgres.connect(role, "mapdiary")) as connection, connection.cursor() as cursor:
            cursor.execute("SET search_path = mapdiary")
            with db.unchanged(), pytest.raises(psycopg2.Error) as refused:
                cursor.execute("BEGIN;" + statement.format(blog=vote, alice=alice.id, bob=bob.id))
            assert refused.value.pgcode == code


@pytest.mark.parametrize("statement", [
    "UPDATE comment SET reply = 'x', replied_at = now()", "UPDATE comment SET commenter_id = 1", "DELETE FROM comment",
    "UPDATE ballot SET position = 1", "DELETE FROM ballot", "UPDATE vote_choice SET votes = votes + 1", "DELETE FROM vote_choice",
    "UPDATE recommendation SET user_id = 1", "UPDATE own_album SET score = 1", "UPDATE own_blog SET score = 1"])
def test_requests_change_these_by_the_rules_alone(postgres, service, statement):
    with contextlib.closing(postgres.connect("mapdiary", "mapdiary")) as connection, connection.cursor() as cursor:
        cursor.execute("SET search_path = mapdiary; SELECT become_visitor()")
        with pytest.raises((psycopg2.errors.InsufficientPrivilege, psycopg2.errors.UndefinedColumn)):
            cursor.execute(statement)


def test_who_changes_a_comment_says_the_database(db, alice, bob, carol, things, piece):
    (_, number), kind = list(piece[0].items())[0], piece[1]
    comment = db.insert("comment", kind=samples.KINDS[kind], number=number, commenter_id=bob.id, comment="x")
    with db.unchanged():
        for user in bob.id, carol.id, 0, None:
            assert not db.value("SELECT answer_comment(%s, %s, 'x')", comment, user)
        for user in carol.id, 0, None:
            assert not db.value("SELECT withdraw_comment(%s, %s)", comment, user)
        assert db.value("SELECT withdraw_comment(%s, %s) IS NULL", NOBODYS, alice.id)
    assert db.value("SELECT answer_comment(%s, %s, 'y')", comment, alice.id)
    assert db.value("SELECT reply FROM comment WHERE comment_id = %s", comment) == "y"
    assert db.value("SELECT withdraw_comment(%s, %s)", comment, bob.id)
    assert db.value("SELECT withdraw_comment(%s, %s) IS NULL", comment, bob.id)


def test_a_piece_that_is_given_away_is_not_recommended_by_whom_it_is_given_to(service, db, bob, carol, piece, things):
    """By the tool, or an import; whose it was may recommend it then."""
    name, kind = piece
    for user in bob, carol:
        service.ok("recommend", user=user, **name)
    key = samples.KINDS[kind], things[kind]
    db.run("UPDATE piece SET owner_id = %s, score = score + 10 WHERE kind = %s AND number = %s", bob.id, *key)
    assert db.value("SELECT score FROM piece WHERE kind = %s AND number = %s", *key) == 11
    assert db.column("SELECT user_id FROM recommendation WHERE kind = %s AND number = %s", *key) == [carol.id]


def test_sums_follow_many_rows_at_once(db, alice, bob, carol, things, vote):
    db.run("INSERT INTO recommendation (kind, number, user_id) SELECT k, n, u"
           " FROM (VALUES (0, %s::bigint), (1, %s), (2, %s)) AS t (k, n), unnest(%s::bigint[]) AS u",
           things["album"], things["poi"], things["blog"], [bob.id, carol.id])
    db.run("INSERT INTO ballot (blog_id, user_id, position) SELECT %s, u, 2 FROM unnest(%s::bigint[]) AS u",
           vote, [alice.id, bob.id, carol.id])
    assert db.value("SELECT score FROM poi WHERE number = %s", things["poi"]) == 2
    assert db.value("SELECT votes FROM vote_choice WHERE blog_id = %s AND position = 2", vote) == 3
    db.run("DELETE FROM recommendation WHERE user_id = %s", bob.id)
    db.run("DELETE FROM ballot WHERE user_id = %s", bob.id)
    assert db.value("SELECT score FROM album WHERE number = %s", things["album"]) == 1
    assert db.value("SELECT votes FROM vote_choice WHERE blog_id = %s AND position = 2", vote) == 2


# Votes


def test_a_vote(service, alice, bob, carol, blog):
    service.ok("addVote", user=alice, blogID=blog, description="哪 <一>?", choice1="甲", choice2="乙 &", choice3="丙")
    assert service.ok("addVote", user=alice, blogID=service.ok("postBlog", user=alice, **BLOG)["blogID"], **VOTE).result == []
    got = service.ok("castVote", user=bob, blogID=blog, choice=2)
    assert got.result == [entry for entry in service.ok("getBlog", blogID=blog).result if entry[0] == "vote"]
    assert got["vote/description"] == "哪 <一>?"
    assert [dict(choice) for _, choice in got["vote/choices"]] == [
        {"description": "甲", "votes": "0"}, {"description": "乙 &", "votes": "1"}, {"description": "丙", "votes": "0"}]
    assert service.ok("castVote", user=bob, blogID=blog, choice=2).result == got.result
    service.ok("castVote", user=alice, blogID=blog, choice=2)
    closed = service.ok("closeVote", user=alice, blogID=blog)
    assert dict(closed["vote/choices/choice2"])["votes"] == "2"
    assert service.ok("closeVote", user=alice, blogID=blog).result == closed.result
    for user, choice in (bob, 2), (bob, 1), (carol, 1):
        assert service.call("castVote", user=user, blogID=blog, choice=choice).info == "VOTE CLOSED"


def test_votes_that_are_refused(service, db, alice, bob, blog, vote, things):
    two = {"description": "?", "choice1": "1", "choice2": "2"}
    service.ok("castVote", user=bob, blogID=vote, choice=10)
    with db.unchanged():
        for user, func, params, info in [
                (alice, "addVote", {"blogID": vote} | two, "INVALID PARAMETER: blogID"),
                (bob, "addVote", {"blogID": things["quoted"]} | two, "NOT OWNER"),
                (alice, "addVote", {"blogID": things["quoted"]} | two | {"choice4": "4"}, "MISSING PARAMETER: choice3"),
                (alice, "addVote", {"blogID": things["quoted"]} | two | {"choice10": "10", "choice3": "3"},
                 "MISSING PARAMETER: choice4"),
                (alice, "addVote", {"blogID": things["quoted"], "description": "?", "choice1": "1"}, "MISSING PARAMETER: choice2"),
                (alice, "addVote", {"blogID": things["quoted"]} | two | {"choice2": "a\nb"}, "INVALID PARAMETER: choice2"),
                (bob, "castVote", {"blogID": vote, "choice": 1}, "ALREADY VOTED"),
                (alice, "castVote", {"blogID": vote, "choice": 11}, "INVALID PARAMETER: choice"),
                (bob, "castVote", {"blogID": vote, "choice": 0}, "INVALID PARAMETER: choice"),
                (bob, "castVote", {"blogID": things["quoted"], "choice": 1}, "VOTE NOT FOUND"),
                (bob, "closeVote", {"blogID": vote}, "NOT OWNER"),
                (alice, "closeVote", {"blogID": things["quoted"]}, "VOTE NOT FOUND")]:
            assert service.call(func, user=user, **params).info == info


def test_an_update_of_a_blog_leaves_vote_and_comments(service, alice, bob, vote):
    service.ok("castVote", user=bob, blogID=vote, choice=1)
    service.ok("addComment", user=bob, blogID=vote, comment="x")
    service.ok("recommend", user=bob, blogID=vote)
    before = service.ok("getBlog", blogID=vote)
    service.ok("updateBlog", user=alice, blogID=vote, **BLOG | {"blogTitle": "新"})
    after = service.ok("getBlog", blogID=vote)
    assert [after[name] for name in ("vote", "comments", "score")] == [before[name] for name in ("vote", "comments", "score")]


# A blog of the future and a private album are nobody's but their owner's


@pytest.fixture(params=["blog", "album"])
def hidden(request, service, alice):
    """The parameter that names it, a comment of Alice's on it, and what others hear."""
    if request.param == "blog":
        piece = {"blogID": service.ok("postBlog", user=alice, **BLOG | date_params(today(days=2)))["blogID"]}
        service.ok("addVote", user=alice, **piece, **VOTE)
    else:
        piece = {"albumID": service.ok("addAlbum", user=alice, **ALBUM, visibility="private")["albumID"]}
    comment = service.ok("addComment", user=alice, **piece, comment="x")["commentID"]
    return piece, comment, f"{request.param.upper()} NOT FOUND"


def test_what_is_hidden(service, db, alice, bob, hidden):
    piece, comment, info = hidden
    calls = [("getPiece", {}), ("getComments", {}), ("addComment", {"comment": "x"}), ("recommend", {}), ("recommend", {"delete": "true"})]
    if "blogID" in piece:
        calls += [("castVote", {"choice": 1}), ("castVote", {"choice": 99}), ("closeVote", {}),
                  ("addVote", {"description": "?", "choice1": "1", "choice2": "2"})]
    with db.unchanged():
        for func, params in calls:
            assert service.call(func, user=bob, **piece, **params).info == info, func
        for func, params in ("updateComment", {"delete": "true"}), ("replyComment", {"reply": "x"}), ("replyComment", {"delete": "true"}):
            assert service.call(func, user=bob, commentID=comment, **params).info == "COMMENT NOT FOUND"
        for func in "getPiece", "getComments":
            for cookie in None, f"id={alice.id}; idrand={'0' * 32}":
                assert service.call(func, cookie=cookie, **piece).info == info
    got = service.ok("getPiece", user=alice, **piece)
    assert (got["commentCount"], got["visibility"]) == ("1", "private" if "albumID" in piece else "public")
    assert len(comments_of(service, piece, user=alice)) == 1
    service.ok("replyComment", user=alice, commentID=comment, reply="x")


def test_a_vote_that_is_hidden(service, alice, bob, blog, vote):
    service.ok("updateBlog", user=alice, blogID=vote, **BLOG | date_params(today(days=2)))
    assert service.call("castVote", user=bob, blogID=vote, choice=1).info == "BLOG NOT FOUND"
    service.ok("castVote", user=alice, blogID=vote, choice=1)
    service.ok("closeVote", user=alice, blogID=vote)


@pytest.mark.parametrize("kind", ["album", "blog"])
def test_what_was_written_under_it_before(service, alice, bob, things, kind):
    piece = {KINDS[kind]: things[kind]}
    comment = service.ok("addComment", user=bob, **piece, comment="x")["commentID"]
    service.ok("recommend", user=bob, **piece)
    if kind == "blog":
        service.ok("updateBlog", user=alice, **piece, **BLOG | date_params(today(days=2)))
    else:
        service.ok("updateAlbum", user=alice, **piece, **ALBUM, visibility="private")
    assert service.call("updateComment", user=bob, commentID=comment, delete="true").info == "COMMENT NOT FOUND"
    assert service.call("recommend", user=bob, **piece, delete="true").info == f"{kind.upper()} NOT FOUND"
    assert service.ok("getPiece", user=alice, **piece)["commentCount"] == "1"
    assert score_of(service, piece, kind, alice) == 1


# Side by side


def recount(db):
    """What is not as the rows say: scores are of recommendations alone, and tallies of ballots, in what the tests make."""
    scores = ("SELECT kind::text, number, t.score, count(r.user_id) FROM piece t LEFT JOIN recommendation r USING (kind, number)"
              " WHERE t.title = 'counted' GROUP BY 1, 2, 3 HAVING t.score <> count(r.user_id)")
    tallies = ("SELECT 'choice', c.blog_id, c.votes, count(b.user_id) FROM vote_choice c LEFT JOIN ballot b USING (blog_id, position)"
               " GROUP BY c.blog_id, c.position, c.votes HAVING c.votes <> count(b.user_id) AND c.description = 'counted'")
    return db.run(f"{scores} UNION ALL {tallies}")


@pytest.mark.parametrize("func, params", [
    ("recommend", [{}] * 8), ("addVote", [VOTE] * 8), ("castVote", [{"choice": 1}] * 8),
    ("castVote", [{"choice": choice} for choice in range(1, 9)])])
def test_at_the_same_moment(service, db, alice, bob, blog, func, params):
    """One of many counts, and whoever else asked the same has it as well."""
    user, blog = (alice if func == "addVote" else bob), {"blogID": blog}
    if func == "castVote":
        service.ok("addVote", user=alice, **blog, **VOTE)
    infos = [answer.info for answer in at_once(*[lambda one=one: service.call(func, user=user, **blog, **one) for one in params])]
    if func == "addVote":
        assert sorted(map(str, infos)) == 7 * ["INVALID PARAMETER: blogID"] + ["None"]
    elif params[0] != params[1]:
        assert sorted(map(str, infos)) == 7 * ["ALREADY VOTED"] + ["None"]
    else:
        assert infos == 8 * [None]
    if func == "recommend":
        assert score_of(service, blog, "blog") == 1
    if func == "castVote":
        assert sum(int(dict(choice)["votes"]) for _, choice in service.ok("getBlog", **blog)["vote/choices"]) == 1


MAY_FAIL = {None, "ALBUM NOT FOUND", "POI NOT FOUND", "BLOG NOT FOUND", "VOTE NOT FOUND", "COMMENT NOT FOUND", "ALREADY VOTED",
            "VOTE CLOSED", "NOT OWNER", "LOGIN REQUIRED", "TOO MANY ATTEMPTS"}


class Crowd:
    """Many clients, who do all that there is to the same few pieces."""

    def __init__(self, service, db, owner, users):
        self.service, self.db, self.owner, self.users = service, db, owner, users
        self.pieces = {name: [] for name in KINDS.values()}
        self.comments, self.infos, self.lock = [], {}, threading.Lock()
        for name in list(KINDS.values()) * 2:
            self.add(name)

    def add(self, name):
        """Another piece in the place of one that is deleted."""
        if name == "POIID":
            piece = self.db.insert("poi", owner_id=self.owner.id, title="counted", slot=18, lat=0, lng=0)
        elif name == "albumID":
            piece = self.service.ok("addAlbum", user=self.owner, **ALBUM | {"albumTitle": "counted"})["albumID"]
        else:
            piece = self.service.ok("postBlog", user=self.owner, **BLOG | {"blogTitle": "counted"})["blogID"]
            self.service.ok("addVote", user=self.owner, blogID=piece, description="?", choice1="counted", choice2="counted")
        self.pieces[name].append(piece)

    def call(self, user, func, **params):
        answer = self.service.call(func, user=user, **params)
        with self.lock:
            self.infos[answer.info] = self.infos.get(answer.info, 0) + 1
        return answer

    def once(self, chance, user):
        name = chance.choice(list(self.pieces))
        piece = {name: chance.choice(self.pieces[name])}
        blog = chance.choice(self.pieces["blogID"])
        action = chance.choice(["recommend"] * 5 + ["back"] * 4 + ["vote"] * 4 + ["comment"] * 4 + ["delete"] * 3 + ["reply"])
        if action == "recommend":
            self.call(user, "recommend", **piece)
        elif action == "back":
            self.call(user, "recommend", **piece, delete="true")
        elif action == "vote":
            self.call(user, "castVote", blogID=blog, choice=chance.randint(1, 2))
        elif action == "comment":
            answer = self.call(user, "addComment", **piece, comment="x")
            if answer.info is None:
                self.comments.append(answer["commentID"])
        elif self.comments:
            comment = chance.choice(self.comments)
            if action == "delete":
                self.call(user, "updateComment", commentID=comment, delete="true")
            else:
                self.call(self.owner, "replyComment", commentID=comment, reply="y")


@pytest.mark.slow
def test_a_crowd(start_service, db, connect_owner, new_user):
    service = start_service(workers=8, writes_per_minute=1000000)
    owner, users = new_user(), [new_user() for _ in range(CLIENTS // 4)]
    crowd, end = Crowd(service, connect_owner(), owner, users), time.monotonic() + SECONDS
    errors = service.metric("database_errors_total")
    before = db.value(DEADLOCKS)

    def client(number):
        chance = random.Random(number)
        while time.monotonic() < end:
            crowd.once(chance, users[number % len(users)])

    def remove():
        """Pieces and users go meanwhile."""
        gone = 0
        while time.monotonic() < end:
            time.sleep(SECONDS / 12)
            if gone < 3:
                assert service.ctl("user", "delete", users[gone].id, "--yes").returncode == 0
            name = random.choice(["albumID", "blogID"])
            crowd.add(name)
            func = {"albumID": "updateAlbum", "blogID": "updateBlog"}[name]
            service.ok(func, user=owner, **{name: crowd.pieces[name].pop(0)}, delete="true")
            gone += 1

    at_once(remove, *[lambda number=number: client(number) for number in range(CLIENTS)])
    assert set(crowd.infos) <= MAY_FAIL, crowd.infos
    assert crowd.infos[None] > CLIENTS
    assert recount(db) == []
    assert db.value("SELECT count(*) FROM recommendation JOIN album USING (kind, number) WHERE title = 'counted'") > 0
    assert service.metric("database_errors_total") == errors
    assert db.value(DEADLOCKS) == before


def test_users_who_have_judged_each_other_leave_at_once(service, db, connect_owner, new_user):
    """Each has something of every kind by what is the other's, and both are held up between two kinds of pieces."""
    users = [new_user(), new_user()]
    of = {}
    for user in users:
        pieces = {"albumID": service.ok("addAlbum", user=user, **ALBUM)["albumID"],
                  "POIID": db.insert("poi", owner_id=user.id, title="x", slot=17, lat=0, lng=0),
                  "blogID": service.ok("postBlog", user=user, **BLOG)["blogID"]}
        service.ok("addVote", user=user, blogID=pieces["blogID"], **VOTE)
        of[user.id] = pieces
    for user, other in users, users[::-1]:
        for name, piece in of[other.id].items():
            service.ok("recommend", user=user, **{name: piece})
            service.ok("addComment", user=user, **{name: piece}, comment="x")
        service.ok("castVote", user=user, blogID=of[other.id]["blogID"], choice=1)
        service.ok("updateBlog", user=user, **BLOG | {"blogID": of[user.id]["blogID"], "replyBlogID": of[other.id]["blogID"]})

    before, owner = db.value(DEADLOCKS), connect_owner()
    owner.run("BEGIN")
    owner.run("SELECT FROM poi WHERE owner_id = ANY(%s) ORDER BY number FOR NO KEY UPDATE", [user.id for user in users])
    with in_background(*[lambda user=user: service.ctl("user", "delete", user.id, "--yes") for user in users]) as leaving:
        try:
            until(lambda: db.waiting() == 2, "both wait")
        finally:
            owner.run("ROLLBACK")
        assert [(done.result().returncode, done.result().stderr) for done in leaving] == 2 * [(0, "")]
    assert db.value("SELECT count(*) FROM user_account WHERE user_id = ANY(%s)", [user.id for user in users]) == 0
    assert db.value(DEADLOCKS) == before


def test_a_popular_piece_holds_nobody_up(service, connect_owner, alice, bob, album):
    """While it is being recommended, all else goes on: that lock is on its score alone."""
    owner = connect_owner()
    owner.run("BEGIN")
    owner.run("INSERT INTO recommendation (kind, number, user_id) VALUES (0, %s, %s)", album, bob.id)
    try:
        service.ok("addComment", user=bob, albumID=album, comment="x")
        assert service.ok("getPiece", albumID=album)["commentCount"] == "1"
        service.ok("recommend", user=bob, albumID=service.ok("addAlbum", user=alice, **ALBUM)["albumID"])
        service.ok("addAlbum", user=bob, **ALBUM)
    finally:
        owner.run("ROLLBACK")


# How much a user may write


@pytest.fixture
def strict(start_service):
    """A machine, and another one."""
    return start_service(writes_per_minute=5, workers=4), start_service(writes_per_minute=5)


def too_much(answer):
    assert (answer.http_status, answer.info) == (429, "TOO MANY ATTEMPTS")
    assert 0 < int(answer.header("Retry-After")) <= 60
    assert answer.header("Cache-Control") == "no-store"


def test_writes_per_minute(strict, db, carol, bob, album):
    """Of a machine; each user's on their own; and reads are free."""
    service, another = strict
    for _ in range(5):
        service.ok("addComment", user=carol, albumID=album, comment="x")
    with db.unchanged():
        too_much(service.call("addComment", user=carol, albumID=album, comment="x"))
    service.ok("getPiece", user=carol, albumID=album)
    service.ok("addComment", user=bob, albumID=album, comment="x")
    another.ok("addComment", user=carol, albumID=album, comment="x")


def test_writes_side_by_side_all_count(strict, db, carol, album):
    service, _ = strict
    calls = [lambda: service.call("addComment", user=carol, albumID=album, comment="x")] * 16
    assert sorted(answer.http_status for answer in at_once(*calls)) == 5 * [200] + 11 * [429]
    assert db.value("SELECT count(*) FROM comment WHERE commenter_id = %s", carol.id) == 5


def test_writes_that_fail_count(strict, carol):
    service, _ = strict
    for _ in range(5):
        assert service.call("addComment", user=carol, albumID=NOBODYS, comment="x").info == "ALBUM NOT FOUND"
    too_much(service.call("addComment", user=carol, albumID=NOBODYS, comment="x"))


def test_a_worker_that_dies_leaves_the_count(strict, carol, album):
    service, _ = strict
    for _ in range(4):
        service.ok("addComment", user=carol, albumID=album, comment="x")
    before = set(workers(service.daemon.pid))
    for pid in before:
        os.kill(pid, signal.SIGKILL)
    until(lambda: has_all_processes(service.daemon.pid, 4) and not before & set(workers(service.daemon.pid)), "others are there")
    service.ok("addComment", user=carol, albumID=album, comment="x")
    too_much(service.call("addComment", user=carol, albumID=album, comment="x"))


def test_what_was_too_much_is_not_remembered(strict, carol, album):
    service, another = strict
    for _ in range(5):
        service.ok("addComment", user=carol, albumID=album, comment="x")
    key = [("Idempotency-Key", f"rate-{time.monotonic_ns()}")]
    for _ in range(2):
        too_much(service.call("addComment", user=carol, headers=key, albumID=album, comment="y"))
    first = another.ok("addComment", user=carol, headers=key, albumID=album, comment="y")
    assert another.ok("addComment", user=carol, headers=key, albumID=album, comment="y").body == first.body


@pytest.mark.few(2)
@pytest.mark.parametrize("what", ["cookies", "another session", "a revoked key", "a password", "what is refused"])
def test_whoever_has_no_session_counts_for_nobody(start_service, db, bob, carol, album, what):
    """Nor is a stranger told that the user has written much."""
    service = start_service(writes_per_minute=5, login_failures_per_account=3)
    token = bob.token if what == "another session" else "0" * 32
    cookie, asked = f"id={carol.id}; idrand={token}", {"func": "addComment", "albumID": album, "comment": "x"}
    if what == "a revoked key":
        application = signing.new_application(service, db, what)
        db.run("UPDATE application_key SET revoked_at = now() WHERE key_id = decode(%s, 'hex')", application.key)
        asked = application.sign(**asked)
    elif what == "a password":
        asked = {"func": "changePassword", "password": "x", "newPassword": "correct horse 2"}
    elif what == "what is refused":
        asked["comment"] = ""
    infos = {answer.info for answer in at_once(*[lambda: service.call(cookie=cookie, **asked)] * 24)}
    assert infos == {"KEY UNKNOWN" if what == "a revoked key" else "LOGIN REQUIRED"}
    for _ in range(5):
        service.ok("addComment", user=carol, albumID=album, comment="x")
    for _ in range(3):
        assert service.call("addComment", cookie=cookie, albumID=album, comment="x").info == "LOGIN REQUIRED"
    too_much(service.call("addComment", user=carol, albumID=album, comment="x"))


def test_whoever_has_written_much_takes_back_and_leaves(strict, db, new_user, new_session, things, vote):
    """That is never too much, nor does it count."""
    (service, another), user = strict, new_user()
    album, blog = (int(another.ok(func, user=user, **sample)[name]) for func, sample, name in (
        ("addAlbum", ALBUM, "albumID"), ("postBlog", BLOG, "blogID")))
    comment = another.ok("addComment", user=user, albumID=album, comment="x")["commentID"]
    another.ok("replyComment", user=user, commentID=comment, reply="x")
    photo = db.insert("photo", kind=0, number=album, position=1, address="https://example.org/photo.jpg")
    takes_back = [("recommend", {"albumID": things["album"]}), ("replyComment", {"commentID": comment}),
                  ("updateComment", {"commentID": comment}), ("updatePhoto", {"photoID": photo}),
                  ("updateAlbum", {"albumID": album}), ("updateBlog", {"blogID": blog})]
    for func, params in takes_back[:1] * 6:
        service.ok(func, user=user, delete="true", **params)
    for _ in range(5):
        service.ok("recommend", user=user, albumID=things["album"])
    for func, params in takes_back:
        service.ok(func, user=user, delete="true", **params)
        too_much(service.call("castVote", user=user, blogID=vote, choice=1, delete="true"))
    service.ok("logout", cookie=f"id={user.id}; idrand={new_session(user)}")
    service.ok("deleteUser", user=user, password=user.password)


def test_whoever_goes_meanwhile_is_not_told_to_wait(strict, db, connect_owner, new_user, album):
    service, user = strict[0], new_user()
    owner = connect_owner()
    owner.run("BEGIN")
    owner.run("DELETE FROM user_account WHERE user_id = %s", user.id)
    with in_background(lambda: service.call("addComment", user=user, albumID=album, comment="x")) as (waiting,):
        try:
            until(lambda: db.waiting() == 1 or waiting.done(), "the write waits")
        finally:
            owner.run("COMMIT")
        assert waiting.result().http_status != 429
    assert service.call("addComment", user=user, albumID=album, comment="x").info == "LOGIN REQUIRED"


def test_no_write_waits_for_another_one_of_the_user(strict, db, connect_owner, carol, album):
    """One that takes long, as a photo may: the album that it writes to is locked."""
    service, _ = strict
    owner = connect_owner()
    owner.run("BEGIN")
    owner.run("SELECT FROM album WHERE number = %s FOR UPDATE", album)
    with in_background(lambda: service.call("addComment", user=carol, albumID=album, comment="x")) as (waiting,):
        until(lambda: db.waiting() == 1, "the comment waits")
        service.ok("addAlbum", user=carol, **ALBUM)
        owner.run("ROLLBACK")
        assert waiting.result().info is None
