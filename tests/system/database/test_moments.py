"""A clock that was ahead, and is right again, has left moments that are to come. None of them locks, counts or delays anything for
longer than its rule allows."""

import math

import pytest

import samples
from samples import ALBUM, BLOG
from service import until

AHEAD = {"a day": "1 day", "a year": "1 year"}

# Of what has happened. A moment ahead counts as one of now, or not at all.
HAPPENED = """
    advertisement.created_at advertisement.ended_at application_key.created_at application_key.revoked_at ballot.cast_at
    comment.created_at comment.replied_at comment_count.moments decision.decided_at invitation.created_at indexing.common_at
    indexing.counted_at indexing.listed_at ledger.created_at login_network.last_login login_throttle.last_attempt mail.created_at
    mail.ended_at migration.applied_at photo_space.gone_at photo_unnamed.since piece.created_at piece.updated_at
    recommendation.recommended_at report.decided_at report.reported_at session.created_at user_account.created_at vote.closed_at
""".split()

# Of what is to come. Later than its rule allows is no later than its rule. An expiry further ahead keeps longer what is kept.
TO_COME = """
    account_token.expires_at claimed_write.expires_at invitation.expires_at login_rate.busy_until mail.expires_at mail.next_at
    mail.taken_until search_turn.not_before session.expires_at
""".split()

# Of the world: a camera says it, and nothing is decided by it.
TOLD = ["photo.taken_at", "piece.first_taken_at"]


@pytest.fixture(params=AHEAD.values(), ids=AHEAD)
def ahead(request):
    return request.param


def test_each_moment_is_of_a_kind(db):
    """Whoever adds a column says here what becomes of a moment ahead, and tests it."""
    found = db.column("""
        SELECT DISTINCT relname || '.' || attname FROM pg_attribute JOIN pg_class c ON c.oid = attrelid
            WHERE relnamespace IN ('mapdiary'::regnamespace, 'mapdiary_closed'::regnamespace) AND relkind IN ('r', 'p')
            AND NOT relispartition AND atttypid IN ('timestamptz'::regtype, 'timestamptz[]'::regtype, 'timestamp'::regtype)
            AND attnum > 0 AND NOT attisdropped""")
    assert sorted(found) == sorted(HAPPENED + TO_COME + TOLD)


def login(service, user, password=None):
    return service.call("login", email=user.email, password=password or user.password)


def test_failed_logins_lock_nobody(start_service, db, new_user, ahead):
    """Those before the limit do not become more, and those beyond it make wait for as long as if they were of now."""
    service, user = start_service(login_failures_per_account=3, login_throttle_max="2s", logins_per_account=60), new_user()
    for _ in range(2):
        assert login(service, user, "wrong").info == "PASSWORD INCORRECT"
    db.run("UPDATE login_throttle SET last_attempt = now() + %s::interval", ahead)
    assert login(service, user).info is None
    for _ in range(3):
        assert login(service, user, "wrong").info == "PASSWORD INCORRECT"
    db.run("UPDATE login_throttle SET last_attempt = now() + %s::interval, failures = 10 WHERE failures >= 3", ahead)
    refused = login(service, user)
    assert refused.info == "TOO MANY ATTEMPTS" and 1 <= int(refused.header("Retry-After")) <= 2
    until(lambda: login(service, user).info is None, "the wait is over")


def test_logins_that_were_right_lock_nobody(start_service, db, new_user, ahead):
    service, user = start_service(logins_per_account=60), new_user()
    assert login(service, user).info is None
    db.run("UPDATE login_rate SET busy_until = now() + %s::interval WHERE user_id = %s", ahead, user.id)
    assert login(service, user).info is None
    assert db.value("SELECT busy_until <= now() + interval '62 minutes' FROM login_rate WHERE user_id = %s", user.id)


def test_a_network_is_known_at_once(service, db, new_user, ahead):
    user = new_user()
    db.run("INSERT INTO login_network (user_id, network, last_login)"
           " SELECT %s, sha256(n::text::bytea), now() + %s::interval FROM generate_series(1, 20) n", user.id, ahead)
    assert login(service, user).info is None
    assert db.value("SELECT count(*) FROM login_network WHERE user_id = %s AND last_login <= now()", user.id) == 1


def test_comments_count_for_no_longer(service, db, alice, bob, ahead):
    album = service.ok("addAlbum", user=alice, **ALBUM)["albumID"]
    db.run("INSERT INTO comment_count (user_id, piece, moments)"
           " SELECT %s, %s, array_fill(now() + %s::interval, ARRAY[50])", bob.id, f"album:{album}", ahead)
    for _ in range(50):
        service.ok("addComment", user=bob, albumID=album, comment="x")
    assert service.call("addComment", user=bob, albumID=album, comment="x").info == "TOO MANY ATTEMPTS"


def test_deleted_photos_count_for_no_longer(service, db, new_user, ahead):
    user = new_user()
    db.run("INSERT INTO photo_space (name, owner_id, bytes, files, gone_at)"
           " VALUES (sha256(%s::text::bytea), %s, 1000, '{}', now() + %s::interval)", user.email, user.id, ahead)
    assert service.ok("getMe", user=user)["photoBytes"] == "0"
    db.run("DELETE FROM photo_space WHERE owner_id = %s", user.id)


def test_a_key_can_be_revoked(service, db, ahead):
    service.ctl("key", "init")  # which fails if there is one
    added = service.ctl("key", "add", "a clock ahead")
    assert added.returncode == 0, added.stderr
    key = dict(line.split("=") for line in added.stdout.splitlines())["key"]
    db.run("UPDATE application_key SET created_at = now() + %s::interval WHERE key_id = decode(%s, 'hex')", ahead, key)
    revoked = service.ctl("key", "revoke", key)
    assert revoked.returncode == 0, revoked.stderr
    assert db.value("SELECT revoked_at IS NOT NULL FROM application_key WHERE key_id = decode(%s, 'hex')", key)


def test_words_wait_for_no_longer(service, db, alice, ahead):
    blog = service.ok("postBlog", user=alice, **BLOG | {"blogTitle": "words of a clock ahead"})["blogID"]
    db.wait_for_words()
    db.run("INSERT INTO search_turn (kind, id, entry_id, account_id, size, turn, failures, not_before)"
           " SELECT kind, id, entry_id, %s, 1, 0, 1, now() + %s::interval FROM search_entry WHERE (kind, id) = (2, %s)",
           alice.id, ahead, blog)
    service.ok("postBlog", user=alice, **BLOG)  # which wakes the process
    until(lambda: not db.value("SELECT count(*) FROM search_turn WHERE failures > 0"), "its turn has come")


def test_common_words_are_noted_again(service, db, alice, ahead):
    db.run("UPDATE indexing SET common_at = now() + %s::interval", ahead)
    service.ok("postBlog", user=alice, **BLOG)
    until(lambda: db.value("SELECT common_at <= now() FROM indexing"), "the words are noted")


def test_a_mark_of_a_file_is_one_of_now(service, db, ahead, tmp_path):
    """Else a sweep would leave the file for longer than a week."""
    folder = service.folder / "photos/originals/00"
    folder.mkdir(parents=True, exist_ok=True)
    digest = f"00{samples.today().toordinal():062x}"
    (folder / digest).write_bytes(b"no photo")
    assert service.ctl("photo", "sweep", "--yes").returncode == 0
    mark = "FROM photo_unnamed WHERE sha256 = decode(%s, 'hex')"
    assert db.value(f"SELECT count(*) {mark}", digest) == 1
    db.run("UPDATE photo_unnamed SET since = now() + %s::interval", ahead)
    assert service.ctl("photo", "sweep", "--yes").returncode == 0
    assert db.column(f"SELECT since <= now() {mark}", digest) == [True]
    (folder / digest).unlink()
    db.run("DELETE FROM photo_unnamed")


def test_no_figure_is_below_zero(service, db, alice, bob, ahead):
    album = service.ok("addAlbum", user=alice, **ALBUM)["albumID"]
    service.ok("report", user=bob, albumID=album, reason="x")
    db.run("UPDATE report SET reported_at = now() + %s::interval WHERE reporter_id = %s", ahead, bob.id)
    until(lambda: service.metric("reports_open") > 0, "the report is counted")
    assert service.metric("report_oldest_seconds") >= 0 and not math.isnan(service.metric("report_oldest_seconds"))
