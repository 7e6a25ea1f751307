"""baseVersion: of updates that have seen the same version, one is carried out."""

import pytest

import drawn
import signing
from ctl import done
from http_client import File
from samples import ALBUM, BLOG, KINDS, VOTE
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
    done(service, "score", "set", f"{kind}:{number}", "--score", 7)
    done(service, "piece", "hide", f"{kind}:{number}", "--reason", "x", "--rule", "x")
    done(service, "piece", "unhide", f"{kind}:{number}", "--reason", "x")
    assert version(service, alice, piece) == 4
    done(service, kind, "update", number, "--title", "by command")
    assert version(service, alice, piece) == 5
    assert db.value("SELECT version FROM piece WHERE kind = %s AND number = %s", KINDS[kind], number) == 5


def test_photos_of_an_album_count_not(service, alice, album):
    photos = [service.ok("addPhoto", user=alice, albumID=album, photo=File(drawn.picture(60, 40)))["photoID"] for _ in range(2)]
    service.ok("updatePhoto", user=alice, photoID=photos[1], description="x", cover="true")
    service.ok("updatePhoto", user=alice, photoID=photos[0], delete="true")
    assert version(service, alice, ("album", album)) == 1


def test_what_others_do_to_a_blog_counts_not(service, alice, bob, blog):
    quoted = service.ok("postBlog", user=bob, **BLOG)["blogID"]
    assert writer(service, alice, ("blog", blog))(replyBlogID=quoted).info is None
    service.ok("addVote", user=alice, blogID=blog, **VOTE)
    service.ok("castVote", user=bob, blogID=blog, choice=1)
    service.ok("closeVote", user=alice, blogID=blog)
    service.ok("updateBlog", user=bob, blogID=quoted, delete="true")
    assert version(service, alice, ("blog", blog)) == 2


def test_an_import_counts_what_it_changes(service, db, alice, piece):
    """Once, and a reply alone, too; what it makes is at 1."""
    kind, number = piece
    source = f"version {kind} {number}"

    def bring_in(**changed):
        fields = {"lat": "1", "lng": "2", "title": "x", "id": "7"} | (
            {"category": "5", "owner": alice.email} if kind == "album" else
            {"type": "0_8", "content": "x", "date": "2024-02-29", "weather": BLOG["weather"], "author": alice.email}) | changed
        text = ",".join(fields) + "\n" + ",".join(fields.values()) + "\n"
        done(service, "import", f"{kind}s", "-", "--format", "csv", "--source", source, text=text)
        return db.value("SELECT version FROM piece JOIN piece_source USING (kind, number) WHERE source = %s", source)

    assert [bring_in(), bring_in(), bring_in(title="y"), bring_in(title="y")] == [1, 1, 2, 2]
    if kind == "blog":
        reply = {"reply": f"#{number}"}
        assert [bring_in(title="y", **reply), bring_in(title="y", **reply), bring_in(title="z", reply="")] == [3, 3, 4]
        assert bring_in(title="w", **reply) == 5


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


@pytest.fixture
def application(service, db):
    return signing.new_application(service, db)


def test_it_is_remembered_under_a_signature(service, application, alice, piece):
    func, name, fields, title = WAYS[piece[0]]
    for number, (seen, info) in enumerate([(1, None), (1, "CHANGED MEANWHILE"), (2, None)]):
        params = application.sign(func, **fields | {name: piece[1], "baseVersion": seen, title: f"write {number}"})
        params.pop("func")
        assert [service.call(func, user=alice, **params).info for _ in range(3)] == [info] * 3
    assert version(service, alice, piece) == 3


def test_it_is_remembered_under_a_key(service, alice, piece):
    update = writer(service, alice, piece)
    first, second = ([("Idempotency-Key", f"{word}-{piece[0]}-{piece[1]}")] for word in ("first", "second"))
    for _ in range(2):
        assert update(headers=first, baseVersion=1).info is None
        assert update(headers=second, baseVersion=1).info == "CHANGED MEANWHILE"
    assert version(service, alice, piece) == 2


@pytest.fixture(params=[200, pytest.param(2000, marks=pytest.mark.slow)])
def pairs(request):
    return request.param


@pytest.mark.timeout(1500)
def test_side_by_side(start_service, alice, piece, pairs):
    """Of two updates one is carried out."""
    service, title = start_service(workers=4, writes_per_minute=0), WAYS[piece[0]][3]
    update = writer(service, alice, piece)
    for seen in range(1, pairs + 1):
        answers = at_once(*[lambda word=word: update(**{title: word}, baseVersion=seen) for word in ("one", "other")])
        assert sorted(str(answer.info) for answer in answers) == ["CHANGED MEANWHILE", "None"]
    assert version(service, alice, piece) == pairs + 1


@pytest.mark.slow
@pytest.mark.timeout(1500)
def test_beside_a_command(start_service, alice, piece, pairs):
    """Of an update and a command one is carried out."""
    service, (kind, number) = start_service(workers=2, writes_per_minute=0), piece
    update = writer(service, alice, piece)
    for seen in range(1, pairs + 1):
        answer, ran = at_once(lambda: update(baseVersion=seen), lambda: service.ctl(
            kind, "update", number, "--title", "by command", "--base-version", seen))
        assert (answer.info, ran.returncode) in [(None, 1), ("CHANGED MEANWHILE", 0)]
        assert ran.returncode == 0 or ran.stderr.endswith(f"changed meanwhile: it has version {seen + 1}\n")
        assert version(service, alice, piece) == seen + 1


@pytest.mark.slow
@pytest.mark.timeout(1500)
def test_beside_a_deletion(start_service, alice, piece, pairs):
    """Of an update and a deletion one is carried out, and of two deletions, too."""
    service, kind = start_service(workers=4, writes_per_minute=0), piece[0]
    add, fields = {"album": "addAlbum", "blog": "postBlog"}[kind], WAYS[kind][2]
    gone = f"{kind.upper()} NOT FOUND"
    for number in range(pairs):
        update = writer(service, alice, (kind, int(service.ok(add, user=alice, **fields)[WAYS[kind][1]])))
        extra = {"delete": "true"} if number % 4 == 3 else {}
        other, deleted = at_once(lambda: update(baseVersion=1, **extra), lambda: update(baseVersion=1, delete="true"))
        assert (other.info, deleted.info) in [(None, gone if extra else "CHANGED MEANWHILE"), (gone, None)]


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
