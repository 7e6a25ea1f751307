"""Who is asking: the cookies id and idrand, and the sessions behind them."""

import hashlib

import pytest

from samples import ALBUM, BLOG, date_params, today
from service import in_background, until

# Where the cookies of {user} stand among others, and how they are written.
GOOD = {
    "usual": "id={id}; idrand={token}",
    "other order": "idrand={token}; id={id}",
    "without blanks": "id={id};idrand={token}",
    "many blanks": " id={id}  ;\t idrand={token}  ",
    "among others": "a=b; id={id}; theme=dark; idrand={token}; _ga=GA1.2.3",
    "similar names": "xid=9; id={id}; idrand2=f; idrand={token}; ID=8; IDRAND=e; userid=7",
    "names within values": "x=id=9; id={id}; y=idrand=0; idrand={token}; z",
    "quoted": 'id="{id}"; idrand="{token}"',
    "one quoted": 'id={id}; idrand="{token}"',
    "empty pieces": ";; id={id};; ; idrand={token};",
    "upper-case hex": "id={id}; idrand={TOKEN}",
    "others empty or broken": "=; x; y=; %zz=%; id={id}; idrand={token}; \"",
    "leading zeros": "id=00{id}; idrand={token}",
    "comma": "id={id}, idrand={token}",
    "twice the same id": "id={id}; id={id}; idrand={token}",
    "twice the same token": "id={id}; idrand={token}; idrand={token}",
}
BAD = {
    "none": None,
    "none of ours": "a=b",
    "no token": "id={id}",
    "no id": "idrand={token}",
    "empty": "id=; idrand=",
    "empty token": "id={id}; idrand=",
    "empty in quotes": 'id="{id}"; idrand=""',
    "no equals": "id; idrand",
    "another's id": "id={other}; idrand={token}",
    "nobody's id": "id=9223372036854775807; idrand={token}",
    "id too large": "id=9223372036854775808; idrand={token}",
    "id zero": "id=0; idrand={token}",
    "id negative": "id=-{id}; idrand={token}",
    "id with plus": "id=+{id}; idrand={token}",
    "id in hex": "id=0x{id}; idrand={token}",
    "id and more": "id={id}x; idrand={token}",
    "id with a blank": 'id=" {id}"; idrand={token}',
    "id escaped": "id=%31; idrand={token}",
    "short token": "id={id}; idrand={token:.31}",
    "long token": "id={id}; idrand={token}0",
    "token not hex": "id={id}; idrand={token:.31}g",
    "token with a NUL": "id={id}; idrand={token:.31}%00",
    "unknown token": "id={id}; idrand=00000000000000000000000000000000",
    "half quoted": 'id={id}; idrand="{token}',
    "quotes within": 'id={id}; idrand=""{token}""',
    "names in capitals": "ID={id}; IDRAND={token}",
    "comma without a blank": "id={id},idrand={token}",
    "twice another's id": "id={other}; id=0; idrand={token}",
    "twice an unknown token": "idrand=00000000000000000000000000000000; id={id}; idrand=11111111111111111111111111111111",
    "the fifth id": "id=1{id}; id=2{id}; id=3{id}; id=4{id}; id={id}; idrand={token}",
}


def written(cookie, user, other):
    return cookie and cookie.format(id=user.id, token=user.token, TOKEN=user.token.upper(), other=other.id)


def token_hash(token):
    return hashlib.blake2b(bytes.fromhex(token), digest_size=32).digest()


@pytest.mark.parametrize("form", GOOD)
def test_cookies(service, alice, bob, form):
    cookie = written(GOOD[form], alice, bob)
    album = service.ok("addAlbum", cookie=cookie, **ALBUM)["albumID"]
    assert service.ok("getAlbum", cookie=cookie, albumID=album)["ownerName"] == alice.name
    blog = service.ok("postBlog", user=alice, **BLOG | date_params(today(days=1)))["blogID"]
    assert service.call("getBlog", cookie=cookie, blogID=blog).info is None


@pytest.mark.parametrize("form", BAD)
def test_one_answer_for_all_other_cookies(service, db, alice, bob, form):
    cookie = written(BAD[form], alice, bob)
    blog = service.ok("postBlog", user=alice, **BLOG | date_params(today(days=1)))["blogID"]
    with db.unchanged():
        answer = service.call("addAlbum", cookie=cookie, **ALBUM)
        assert (answer.http_status, answer.info) == (200, "LOGIN REQUIRED")
        assert service.call("logout", cookie=cookie).info == "LOGIN REQUIRED"
    # A read does not ask for a login, and takes the reader for nobody.
    assert service.call("getBlog", cookie=cookie, blogID=blog).info == "BLOG NOT FOUND"


def test_cookies_are_not_parameters(service, alice):
    answer = service.call("addAlbum", id=alice.id, idrand=alice.token, **ALBUM)
    assert answer.info == "LOGIN REQUIRED"


# What happens to a session.


ENDS = {
    "expired": "UPDATE session SET created_at = now() - interval '2 s', expires_at = now() - interval '1 s'",
    "revoked": "DELETE FROM session",
}


@pytest.fixture
def future_blog(service, new_user):
    """A user, and a blog that is still that user's alone."""
    user = new_user()
    return user, service.ok("postBlog", user=user, **BLOG | date_params(today(days=1)))["blogID"]


@pytest.mark.parametrize("end", ENDS)
def test_a_session_that_has_ended(service, db, future_blog, end):
    user, blog = future_blog
    db.run(ENDS[end] + " WHERE user_id = %s", user.id)
    with db.unchanged():
        assert service.call("addAlbum", user=user, **ALBUM).info == "LOGIN REQUIRED"
        assert service.call("logout", user=user).info == "LOGIN REQUIRED"
        assert service.call("getBlog", user=user, blogID=blog).info == "BLOG NOT FOUND"


def test_logout_ends_this_session_alone(service, new_user, new_session):
    user = new_user()
    first, second = (f"id={user.id}; idrand={new_session(user)}" for _ in range(2))
    answer = service.ok("logout", cookie=first)
    assert answer.result == []
    cleared = [value for name, value in answer.headers if name == "set-cookie"]
    assert len(cleared) == 2
    for name, cookie in zip(("id", "idrand"), cleared):
        assert cookie.startswith(f"{name}=;") and {"Max-Age=0", "Path=/"} <= set(cookie.split("; "))
    assert service.call("addAlbum", cookie=first, **ALBUM).info == "LOGIN REQUIRED"
    assert service.call("logout", cookie=first).info == "LOGIN REQUIRED"
    service.ok("addAlbum", cookie=second, **ALBUM)


def test_a_user_who_is_gone(service, db, new_user):
    user = new_user()
    db.run("DELETE FROM user_account WHERE user_id = %s", user.id)
    assert service.call("addAlbum", user=user, **ALBUM).info == "LOGIN REQUIRED"


def test_the_lifetime_is_as_configured(service, start_service, db, new_user):
    user = new_user()
    for asked, seconds in ((service, 30 * 86400), (start_service(session_lifetime="90m"), 5400)):
        token = asked.ok("login", email=user.email, password=user.password)["idrand"]
        lifetime = "SELECT extract(epoch FROM expires_at - created_at)::integer FROM session WHERE token_hash = %s"
        assert db.value(lifetime, token_hash(token)) == seconds


def test_a_login_sweeps_what_has_expired(service, db, new_user, new_session):
    user = new_user()
    new_session(user)
    db.run(ENDS["expired"] + " WHERE user_id = %s", user.id)
    token = service.ok("login", email=user.email, password=user.password)["idrand"]
    hashes = db.column("SELECT token_hash FROM session WHERE user_id = %s", user.id)
    assert [bytes(value) for value in hashes] == [token_hash(token)]


def test_a_user_has_a_hundred_sessions_at_most(service, db, new_user, new_session):
    """The oldest goes."""
    user = new_user()
    db.run("INSERT INTO session (token_hash, user_id, created_at, expires_at) SELECT sha256(convert_to(n || ' of ' || %s, 'UTF8')),"
           " %s, now() - n * interval '1 minute', now() + interval '1 day' FROM generate_series(1, 150) n", user.id, user.id)
    ages = "SELECT round(extract(epoch FROM now() - created_at) / 60) FROM session WHERE user_id = %s ORDER BY created_at DESC"
    token = service.ok("login", email=user.email, password=user.password)["idrand"]
    assert db.column(ages, user.id) == [0, 0, *range(1, 99)]
    service.ok("addAlbum", cookie=f"id={user.id}; idrand={token}", **ALBUM)
    new_session(user)
    assert db.column(ages, user.id) == [0, 0, 0, *range(1, 98)]


@pytest.mark.locks
def test_a_session_whose_write_is_under_way_is_not_waited_for(service, db, connect_owner, new_user, new_session):
    """The login has what the write waits for; the next one ends that session."""
    user, holder = new_user(), connect_owner()
    db.run("INSERT INTO session (token_hash, user_id, created_at, expires_at) SELECT sha256(convert_to(n || '/' || %s, 'UTF8')),"
           " %s, now() + n * interval '1 second', now() + interval '1 day' FROM generate_series(1, 100) n", user.id, user.id)
    holder.run("BEGIN")
    holder.run("SELECT FROM session WHERE token_hash = %s FOR KEY SHARE", token_hash(user.token))
    service.ok("login", email=user.email, password=user.password)
    assert db.value("SELECT count(*) FROM session WHERE user_id = %s", user.id) == 101
    holder.run("COMMIT")
    new_session(user)
    assert db.value("SELECT count(*) FROM session WHERE user_id = %s", user.id) == 100


# The check of the session and the write are one transaction.


WRITES = {
    "addAlbum": ALBUM, "updateAlbum": ALBUM, "delete album": {"delete": "true"}, "postBlog": BLOG, "updateBlog": BLOG,
    "delete blog": {"delete": "true"},
}


@pytest.fixture
def owner(new_user, service):
    """A user, and what each write takes beside its fields."""
    user = new_user()
    album = {"albumID": service.ok("addAlbum", user=user, **ALBUM)["albumID"]}
    blog = {"blogID": service.ok("postBlog", user=user, **BLOG)["blogID"]}
    return user, {"updateAlbum": album, "delete album": album, "updateBlog": blog, "delete blog": blog}


@pytest.mark.locks
@pytest.mark.parametrize("write", WRITES)
def test_a_session_revoked_before_a_write_that_waits(service, db, connect_owner, owner, write):
    """The write finds the session locked by who is revoking it; when that is done, it has no session."""
    user, identifiers = owner
    func = {"delete album": "updateAlbum", "delete blog": "updateBlog"}.get(write, write)
    revoker = connect_owner()
    with db.unchanged("session"):
        revoker.run("BEGIN")
        revoker.run("DELETE FROM session WHERE user_id = %s", user.id)
        params = identifiers.get(write, {}) | WRITES[write]
        with in_background(lambda: service.call(func, user=user, **params)) as [answer]:
            until(db.waiting, "the write waits")
            revoker.run("COMMIT")
        assert answer.result().info == "LOGIN REQUIRED"


@pytest.mark.locks
def test_a_session_revoked_while_its_write_is_under_way(service, db, connect_owner, owner):
    """The revocation waits for the write, which counts; the next one has no session."""
    user, identifiers = owner
    album = identifiers["updateAlbum"]
    holder, revoker = connect_owner(), connect_owner()
    holder.run("BEGIN")
    holder.run("SELECT FROM album WHERE number = %s FOR UPDATE", album["albumID"])

    def write():
        return service.call("updateAlbum", user=user, **album, **ALBUM | {"category": 9})

    def revoke():
        until(db.waiting, "the write waits for the album")
        revoker.run("DELETE FROM session WHERE user_id = %s", user.id)

    with in_background(write, revoke) as [answer, revoked]:
        until(lambda: db.waiting() and db.waiting("mapdiary_owner"), "the write waits for us, the revocation for the write")
        assert not revoked.done()
        holder.run("COMMIT")
    assert answer.result().info is None
    assert service.call("updateAlbum", user=user, **album, **ALBUM).info == "LOGIN REQUIRED"
    assert service.ok("getAlbum", **album)["category"] == "9"
