"""baseVersion: of updates that have seen the same version, one is carried out."""

import itertools

import pytest

from samples import ALBUM, BLOG, KINDS
from service import at_once

WAYS = {"album": ("updateAlbum", "albumID", ALBUM, "albumTitle"), "blog": ("updateBlog", "blogID", BLOG, "blogTitle")}


@pytest.fixture(params=WAYS)
def piece(request, album, blog):
    return request.param, {"album": album, "blog": blog}[request.param]


def writer(service, user, piece):
    """Updates the piece; other parameters come beside its own."""
    func, name, fields, _ = WAYS[piece[0]]
    return lambda **params: service.call(func, user=user, **{name: piece[1]}, **fields | params)


def version(service, user, piece):
    got = service.ok("getPiece", user=user, **{WAYS[piece[0]][1]: piece[1]})
    assert got.names[-1] == "version"
    return int(got["version"])


def test_each_update_counts(service, db, alice, bob, piece):
    """Even if nothing is another; what is not an update does not."""
    kind, number = piece
    update, name = writer(service, alice, piece), {WAYS[kind][1]: number}
    assert version(service, alice, piece) == 1
    for expected in 2, 3:
        assert update(baseVersion=expected - 1).info is None
        assert version(service, alice, piece) == expected
    assert update().info is None
    assert version(service, alice, piece) == 4
    service.ok("addComment", user=bob, **name, comment="x")
    service.ok("recommend", user=bob, **name)
    service.ctl("score", "set", f"{kind}:{number}", 7)
    service.ctl("piece", "hide", f"{kind}:{number}", "--reason", "x")
    service.ctl("piece", "unhide", f"{kind}:{number}", "--reason", "x")
    assert version(service, alice, piece) == 4
    assert db.value("SELECT version FROM piece WHERE kind = %s AND number = %s", KINDS[kind], number) == 4


def test_the_owner_alone_is_told(service, alice, bob, poi, piece):
    name = {WAYS[piece[0]][1]: piece[1]}
    for user in bob, None:
        assert "version" not in service.ok("getPiece", user=user, **name).names
    assert "version" not in service.ok("getPiece", user=alice, POIID=poi).names


@pytest.mark.parametrize("extra", [{}, {"delete": "true"}])
def test_another_version(service, db, alice, bob, piece, extra):
    """Nothing is written. Who is not the owner, or names no piece, is told that first."""
    kind, number = piece
    update = writer(service, alice, piece)
    assert update().info is None
    with db.unchanged():
        for seen in 1, 3, 2**53 - 1:
            answer = update(baseVersion=seen, **extra)
            assert (answer.info, answer.http_status) == ("CHANGED MEANWHILE", 200)
        assert writer(service, bob, piece)(baseVersion=1, **extra).info == "NOT OWNER"
        assert writer(service, alice, (kind, 10**9))(baseVersion=1, **extra).info == f"{kind.upper()} NOT FOUND"
        for wrong in "0", "-1", "x", "", "1.0":
            assert update(baseVersion=wrong, **extra).info == "INVALID PARAMETER: baseVersion"
    assert update(baseVersion=2, **extra).info is None


def test_a_blog_that_is_not_there_is_told_after_that(service, alice, blog):
    update = writer(service, alice, ("blog", blog))
    assert update(replyBlogID=10**9, baseVersion=2).info == "CHANGED MEANWHILE"
    assert update(replyBlogID=10**9, baseVersion=1).info == "BLOG NOT FOUND"
    assert update(baseVersion=1).info is None


def test_it_is_remembered_under_a_key(service, alice, piece):
    update = writer(service, alice, piece)
    first, second = ([("Idempotency-Key", f"{word}-{piece[0]}-{piece[1]}")] for word in ("first", "second"))
    for _ in range(2):
        assert update(headers=first, baseVersion=1).info is None
        assert update(headers=second, baseVersion=1).info == "CHANGED MEANWHILE"
    assert version(service, alice, piece) == 2


@pytest.mark.parametrize("pairs", [50, pytest.param(500, marks=pytest.mark.slow)])
def test_side_by_side(start_service, db, alice, pairs):
    """For each version one is carried out: two updates, an update and a command, an update and a deletion."""
    service = start_service(workers=4, writes_per_minute=0)
    for kind, (func, name, fields, title) in WAYS.items():
        add = {"album": "addAlbum", "blog": "postBlog"}[kind]
        piece = kind, int(service.ok(add, user=alice, **fields)[name])
        update = writer(service, alice, piece)
        for seen in range(1, pairs + 1):
            infos = [answer.info for answer in at_once(*[
                lambda word=word, seen=seen: update(**{title: word}, baseVersion=seen) for word in ("one", "other")])]
            assert sorted(map(str, infos)) == ["CHANGED MEANWHILE", "None"]
        assert version(service, alice, piece) == pairs + 1
        for seen in itertools.islice(itertools.count(pairs + 1), pairs // 10):
            answer, ran = at_once(lambda seen=seen: update(baseVersion=seen), lambda seen=seen: service.ctl(
                kind, "update", piece[1], "--title", "by command", "--base-version", seen))
            assert (answer.info is None) != (ran.returncode == 0)
            if ran.returncode != 0:
                assert ran.returncode == 1 and ran.stderr.endswith(f"changed meanwhile: it has version {seen + 1}\n")
        seen = version(service, alice, piece)
        changed, deleted = at_once(lambda: update(baseVersion=seen), lambda: update(baseVersion=seen, delete="true"))
        assert (changed.info, deleted.info) in [(None, "CHANGED MEANWHILE"), (f"{kind.upper()} NOT FOUND", None),
                                                ("CHANGED MEANWHILE", None)]


def test_by_command(service, alice, piece):
    kind, number = piece
    assert '"version":1' in service.ctl(kind, "show", number, "--json").stdout.replace(" ", "")
    ran = service.ctl(kind, "update", number, "--title", "x", "--base-version", 2)
    assert ran.returncode == 1 and ran.stderr.endswith("changed meanwhile: it has version 1\n")
    assert service.ctl(kind, "update", number, "--title", "x", "--base-version", 1).returncode == 0
    assert version(service, alice, piece) == 2
    assert service.ctl(kind, "update", number, "--base-version", 2).returncode == 64
    assert service.ctl(kind, "update", 10**9, "--title", "x", "--base-version", 2).returncode == 66


def test_a_reply_that_its_author_does_not_see_stays(service, db, alice, bob, blog):
    """An update cannot name it; another one that is named takes its place."""
    hers = service.ok("postBlog", user=bob, **BLOG)["blogID"]
    reply = "SELECT reply_number FROM blog WHERE number = %s"
    update = writer(service, alice, ("blog", blog))
    assert update(replyBlogID=hers).info is None
    service.ok("updateBlog", user=bob, blogID=hers, **BLOG, visibility="private")
    assert update(blogTitle="changed").info is None
    assert db.value(reply, blog) == int(hers)
    service.ok("updateBlog", user=bob, blogID=hers, **BLOG, visibility="public")
    assert update(blogTitle="changed").info is None
    assert db.value(reply, blog) is None
