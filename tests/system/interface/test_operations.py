"""Every row of the operations table, both outcomes: what it answers, and whom and what it refuses.

The elements that an answer always has are read from openapi.json. The service writes that and its answers by different code from
the same shapes. A shape that is wrong in both is found elsewhere: test_documents.py compares every name in openapi.json with
mapdiary(7), which is written by hand, and test_golden.py compares whole answers with files.
"""

import dataclasses
import json

import pytest

import samples
from samples import OPERATIONS

NOBODYS = 2**63 - 1
# The element that getPhoto has besides, of the two that may say whose photo it is.
WITH_OPTIONAL = {"getPhoto": ["albumID"]}
WRITES = [row for row, operation in OPERATIONS.items() if operation.writes]
READS = [row for row, operation in OPERATIONS.items() if not operation.writes and not operation.login]
WITH_LOGIN = [row for row, operation in OPERATIONS.items() if operation.login]
# Which identifiers name a thing, and what is answered when it is not there.
NOT_FOUND = [
    ("updateAlbum", "albumID", "ALBUM NOT FOUND"),
    ("updateAlbum delete", "albumID", "ALBUM NOT FOUND"),
    ("getAlbum", "albumID", "ALBUM NOT FOUND"),
    ("getUserAlbumList", "userID", "USER NOT FOUND"),
    ("getUser", "userID", "USER NOT FOUND"),
    ("getPOI", "POIID", "POI NOT FOUND"),
    ("postBlog", "replyBlogID", "BLOG NOT FOUND"),
    ("updateBlog", "blogID", "BLOG NOT FOUND"),
    ("updateBlog", "replyBlogID", "BLOG NOT FOUND"),
    ("updateBlog delete", "blogID", "BLOG NOT FOUND"),
    ("getBlog", "blogID", "BLOG NOT FOUND"),
    ("addPhoto", "albumID", "ALBUM NOT FOUND"),
    ("updatePhoto", "photoID", "PHOTO NOT FOUND"),
    ("updatePhoto delete", "photoID", "PHOTO NOT FOUND"),
    ("getPhoto", "photoID", "PHOTO NOT FOUND"),
    ("getPiece", "albumID", "ALBUM NOT FOUND"),
    ("getComments", "albumID", "ALBUM NOT FOUND"),
    ("addComment", "albumID", "ALBUM NOT FOUND"),
    ("updateComment", "commentID", "COMMENT NOT FOUND"),
    ("replyComment", "commentID", "COMMENT NOT FOUND"),
    ("replyComment delete", "commentID", "COMMENT NOT FOUND"),
    ("recommend", "albumID", "ALBUM NOT FOUND"),
    ("report", "albumID", "ALBUM NOT FOUND"),
    ("recommend delete", "albumID", "ALBUM NOT FOUND"),
    ("clickAdvertisement", "advertisementID", "ADVERTISEMENT NOT FOUND"),
    ("addVote", "blogID", "BLOG NOT FOUND"),
    ("castVote", "blogID", "BLOG NOT FOUND"),
    ("closeVote", "blogID", "BLOG NOT FOUND"),
    ("getBlogList", "userID", "USER NOT FOUND"),
    ("getDiary", "userID", "USER NOT FOUND"),
]
OWNED = ["updateAlbum", "updateAlbum delete", "updateBlog", "updateBlog delete", "addPhoto", "updatePhoto",
         "updatePhoto delete", "updateComment", "replyComment", "replyComment delete", "addVote", "closeVote"]


@pytest.fixture
def alice_again(alice, new_session):
    """Alice in a session that a test may end."""
    return dataclasses.replace(alice, token=new_session(alice))


def carry_out(service, row, things, user=None, changed=(), **how):
    operation = OPERATIONS[row]
    return service.call(operation.func, user=user, **operation.filled(things) | dict(changed), **how)


@pytest.fixture(scope="module")
def results(service):
    """{row: the names after the status}, for things without photos, comments and all else that is optional."""
    paths = json.loads(service.request(path="/openapi.json").body)["paths"]
    return {row: always_there(paths, row) for row in OPERATIONS}


def always_there(paths, row):
    """The required names of a SUCCESS, in their order. Rows of one func answer the same."""
    operation = OPERATIONS[row]
    described = paths[f"/API.php/{operation.func}"]["post" if operation.writes else "get"]
    success, _ = described["responses"]["200"]["content"]["application/json"]["schema"]["oneOf"]
    there = {"status", *success["required"], *WITH_OPTIONAL.get(row, [])}
    status, *rest = (name for name in success["properties"] if name in there)
    assert status == "status"
    return rest


def names(answer):
    """What is answered, but for whether there is more: other tests may have left things."""
    return [name for name in answer.names if name != "next"]


def wait_for_indexer(db, row):
    """Until it has come to all that was just written, which is found in another order then, and counted."""
    if row == "search":
        db.wait_for_words()
    if row == "getMap":
        db.wait_for_counts()


def asker(row, alice):
    return alice if OPERATIONS[row].login else None


def test_the_table_is_complete():
    assert {row for row, _, _ in NOT_FOUND} == {
        row for row, operation in OPERATIONS.items() if any(name.endswith("ID") for name in operation.params)
    }


@pytest.mark.parametrize("row", OPERATIONS)
def test_success(service, results, alice_again, things, row):
    answer = carry_out(service, row, things, asker(row, alice_again))
    assert answer.http_status == 200
    assert names(answer) == results[row]


@pytest.mark.parametrize("row", OPERATIONS)
def test_without_its_optional_parameters(service, results, alice_again, things, row):
    operation = OPERATIONS[row]
    params = {name: value for name, value in operation.filled(things).items() if name not in operation.optional}
    answer = service.call(operation.func, user=asker(row, alice_again), **params)
    assert names(answer) == results[row]


@pytest.mark.parametrize("row", OPERATIONS)
def test_unknown_names_are_ignored(service, results, alice_again, things, row):
    changed = {"foo": "bar", "FUNC": "x", "Delete": "true", "albumid": "", "Cookie": "id=1", "<&>": "]]>", "Category": "99"}
    assert names(carry_out(service, row, things, asker(row, alice_again), changed)) == results[row]


@pytest.mark.parametrize("row", READS)
@pytest.mark.parametrize("who", ["bob", "id=1; idrand=nonsense", "id=1; idrand=" + 32 * "0"])
def test_reads_need_no_login_and_take_any(service, db, bob, things, row, who):
    wait_for_indexer(db, row)
    cookie = bob.cookie if who == "bob" else who
    got, want = (carry_out(service, row, things, cookie=cookie).result for cookie in (cookie, None))
    own = [("recommended", "false")] if row == "getPiece" and who == "bob" else []
    assert got == want + own


@pytest.mark.parametrize("row", WITH_LOGIN)
@pytest.mark.parametrize("cookie", [None, "id=1; idrand=" + 32 * "0"])
def test_login_required(service, db, things, row, cookie):
    with db.unchanged():
        answer = carry_out(service, row, things, cookie=cookie)
        assert (answer.http_status, answer.info) == (200, "LOGIN REQUIRED")


@pytest.mark.parametrize("row", WITH_LOGIN)
@pytest.mark.parametrize("cookie", [None, "id=1; idrand=" + 32 * "0"])
def test_login_is_asked_for_before_parameters(service, row, cookie):
    operation = OPERATIONS[row]
    delete = {"delete": "true"} if operation.delete else {}
    assert service.call(operation.func, cookie=cookie, **delete).info == "LOGIN REQUIRED"


@pytest.mark.parametrize("row, name, info", NOT_FOUND)
def test_not_found(service, db, alice, things, row, name, info):
    lists = {"getComments": {}, "getBlogList": {"type": "0_8"}, "getUserAlbumList": {},
             "getDiary": {"from": samples.DIARY["from"], "to": samples.DIARY["to"]}}
    changed = {name: NOBODYS}
    if row in lists:
        changed["after"] = samples.after(row, **lists[row] | changed)
    with db.unchanged():
        answer = carry_out(service, row, things, asker(row, alice), changed)
        assert (answer.http_status, answer.info) == (200, info)


@pytest.mark.parametrize("row", OWNED)
def test_not_owner(service, db, bob, things, row):
    with db.unchanged():
        assert carry_out(service, row, things, bob).info == "NOT OWNER"


@pytest.mark.parametrize("row", OWNED)
def test_not_owner_is_told_after_the_parameters(service, db, bob, things, row):
    name = OPERATIONS[row].required[-1]
    with db.unchanged():
        assert carry_out(service, row, things, bob, {name: ""}).info == f"INVALID PARAMETER: {name}"


@pytest.mark.parametrize("row", WRITES)
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_writes_are_post_alone(service, db, alice, things, row, method):
    with db.unchanged():
        answer = carry_out(service, row, things, asker(row, alice), method=method)
    assert answer.http_status == 405
    assert answer.header("Allow") == "POST"
    if method == "GET":
        assert answer.info == "METHOD NOT ALLOWED"


@pytest.mark.parametrize("row", READS)
def test_reads_answer_every_method(service, db, things, row):
    wait_for_indexer(db, row)
    got = carry_out(service, row, things)
    posted = carry_out(service, row, things, method="POST")
    head = carry_out(service, row, things, method="HEAD")
    assert posted.result == got.result
    assert (head.http_status, head.body) == (200, b"")
    for name in "Content-Type", "Content-Length", "Cache-Control", "ETag", "Vary":
        assert head.header(name) == got.header(name) is not None


@pytest.mark.parametrize("row", OPERATIONS)
def test_names_are_case_sensitive(service, db, alice, things, row):
    operation = OPERATIONS[row]
    with db.unchanged():
        for func in operation.func.upper(), operation.func.lower() + "x", operation.func[:-1]:
            assert service.call(func, user=alice, method="POST", **operation.filled(things)).info == "UNKNOWN FUNC"
        for name in operation.required:
            params = operation.filled(things)
            params[name.swapcase()] = params.pop(name)
            answer = service.call(operation.func, user=asker(row, alice), **params)
            assert answer.info == f"MISSING PARAMETER: {name}"
