"""Signed requests: keys, the canonical string, and writes that are carried out once."""

import itertools
import signal
import subprocess
import time

import pytest

import signing
from http_client import encode
from samples import ALBUM, BLOG
from service import BUILD, TOP, Service, at_once, in_background, until

NOWHERE = 2**62  # an identifier that nothing has


@pytest.fixture(scope="module")
def application(service, db):
    return signing.new_application(service, db)


@pytest.fixture
def start_peer(start_service, service):
    """Starts further services with the same master key."""
    return lambda **settings: start_service(master_key_file=service.settings["master_key_file"], **settings)


@pytest.fixture(scope="session")
def fresh():
    """A parameter that makes a signature differ from that of the same request in the same second."""
    numbers = itertools.count()
    return lambda: {"nonce": next(numbers)}


@pytest.fixture
def blogs(db, alice):
    """How many blogs Alice has, and how many credits."""
    return lambda: (db.value("SELECT count(*) FROM blog WHERE owner_id = %s", alice.id),
                    db.value("SELECT count(*) FROM ledger WHERE user_id = %s", alice.id))


def send(service, params, **options):
    return service.call(**params, **options)


# The canonical string. The secrets and signatures were computed by openssl:
#
#   openssl dgst -sha256 -mac HMAC -macopt hexkey:$(cat master.key)   of "application key $key" gives the secret,
#   openssl dgst -sha256 -hmac "$secret"                              of the canonical string the signature.

VECTOR_MASTER = bytes(range(32)).hex()
VECTOR_KEY = "00112233445566778899aabbccddeeff"
VECTOR_SECRET = "19e2ca86d1c35ef086df8cb922d19e5fd9691a9f224c406de11cd5304dbc57c9"
VECTORS = [
    # A reader would guess this one.
    ({"func": "getBlog", "blogID": "7"},
     "blogID=7&func=getBlog&key=00112233445566778899aabbccddeeff&ts=1700000000",
     "c2089afd725a1d9e7ee6274cc31fc1393d09c8d87c8dc4f48f2fdf9ab2da5388"),
    # Sorted by name alone ("=" comes after "-"), then by bytes (upper case first, letters before "~", "%" first of all).
    ({"func": "getBlog", "blogID": "7", "a": "1", "a-b": "2", "a.b": "", "A": "3", "~": "4", "é": "5"},
     "%C3%A9=5&A=3&a=1&a-b=2&a.b=&blogID=7&func=getBlog&key=00112233445566778899aabbccddeeff&ts=1700000000&~=4",
     "91642adab855905dac290ccb6bf1f864a2941c64ec7294e22d3ca5a4ad89ba79"),
    # What encoders disagree on.
    ({"func": "getBlog", "blogID": "7", "x y": " +*~%2F/!'()&=\r\n登山"},
     "blogID=7&func=getBlog&key=00112233445566778899aabbccddeeff&ts=1700000000"
     "&x%20y=%20%2B%2A~%252F%2F%21%27%28%29%26%3D%0D%0A%E7%99%BB%E5%B1%B1",
     "b13d45d0c252acc19c64326cb8173f520b243e6d12213a39fdeda29ef99a1a3a"),
]


@pytest.fixture(scope="module")
def vector_service(folder, postgres, service, db):
    other = Service(folder, postgres, workers=1)
    path = other.settings["master_key_file"]
    path.write_text(VECTOR_MASTER + "\n")
    path.chmod(0o600)
    db.run("INSERT INTO application_key (key_id, name) VALUES (decode(%s, 'hex'), 'vectors')", VECTOR_KEY)
    yield other.start()
    other.stop()


def test_python_agrees_with_the_vectors():
    assert signing.secret_of(VECTOR_MASTER, VECTOR_KEY) == VECTOR_SECRET
    application = signing.Application(VECTOR_KEY, VECTOR_SECRET)
    for params, string, signature in VECTORS:
        signed = application.sign(ts=1_700_000_000, **params)
        assert (signing.canonical(signed), signed["sig"]) == (string, signature)


@pytest.mark.parametrize("params, string, signature", VECTORS)
def test_vectors(vector_service, params, string, signature):
    """A right signature is told from a wrong one although its time is long over."""
    signed = params | {"key": VECTOR_KEY, "ts": "1700000000", "sig": signature}
    assert send(vector_service, signed).info == "TIMESTAMP EXPIRED"
    assert send(vector_service, signed | {"blogID": "8"}).info == "SIGNATURE INVALID"
    assert send(vector_service, signed | {"sig": signature.translate(str.maketrans("01", "10"))}).info == "SIGNATURE INVALID"


# Who signs.


def test_signed_read(service, application, blog):
    answer = service.request(query=encode(application.sign("getBlog", blogID=blog)))
    assert answer.info is None and answer["blogTitle"] == BLOG["blogTitle"]
    # Its address is never asked for again, so nobody need keep it; and a revoked key must not be served from a cache.
    assert answer.header("Cache-Control") == "no-cache" and answer.header("ETag")


@pytest.mark.parametrize("split", range(8))
def test_parameters_count_wherever_they_are(service, application, alice, fresh, split):
    params = list(application.sign("addAlbum", **ALBUM, **fresh()).items())
    split = split * len(params) // 7
    answer = service.request("POST", query=encode(params[:split]), body=encode(params[split:]),
                             headers=[("Cookie", alice.cookie)])
    assert answer.names == ["albumID"]


@pytest.mark.parametrize("change", [
    {"blogID": NOWHERE + 1}, {"extra": ""}, {"responseFormat": "XML"}, {"sig": ""}, {"sig": "0" * 64}, {"sig": "zz"},
])
def test_every_parameter_is_signed(service, application, change):
    signed = application.sign("getBlog", blogID=NOWHERE)
    assert send(service, signed).info == "BLOG NOT FOUND"
    assert send(service, signed | change).info == "SIGNATURE INVALID"


def test_a_parameter_that_is_taken_away_is_missed(service, application):
    signed = application.sign("getBlog", blogID=NOWHERE, extra="")
    del signed["extra"]
    assert send(service, signed).info == "SIGNATURE INVALID"


def test_signature_is_lower_case(service, application):
    signed = application.sign("getBlog", blogID=NOWHERE, pad="a")
    assert send(service, signed | {"sig": signed["sig"].upper()}).info == "SIGNATURE INVALID"


def test_duplicates_are_refused_before_the_signature_is_looked_at(service, application):
    signed = application.sign("getBlog", blogID=NOWHERE)
    query = encode(signed)
    for name in "sig", "key", "ts", "blogID":
        again = encode({name: signed[name]})
        assert service.request(query=f"{query}&{again}").info == f"DUPLICATE PARAMETER: {name}"
        assert service.request("POST", query=query, body=again).info == f"DUPLICATE PARAMETER: {name}"


@pytest.mark.parametrize("name", ["key", "ts"])
def test_what_a_signature_needs(service, application, name):
    signed = application.sign("getBlog", blogID=NOWHERE)
    del signed[name]
    assert send(service, signed).info == f"MISSING PARAMETER: {name}"


@pytest.mark.parametrize("ts", ["", "now", "1.7e9", "+1700000000", "1700000000.0", 2**63])
def test_time_is_an_integer(service, application, ts):
    assert send(service, application.sign("getBlog", ts=ts, blogID=NOWHERE)).info == "INVALID PARAMETER: ts"


@pytest.mark.parametrize("seconds, right", [
    (0, True), (-290, True), (290, True), (-302, False), (310, False), (-10**9, False), (2**62, False),
])
def test_time_is_within_300_seconds(service, db, alice, application, fresh, seconds, right):
    expected = None if right else "TIMESTAMP EXPIRED"
    ts = int(time.time()) + seconds
    assert send(service, application.sign("getUserAlbumList", ts=ts, userID=alice.id)).info == expected
    before = db.snapshot()
    assert send(service, application.sign("addAlbum", ts=ts, **ALBUM, **fresh()), user=alice).info == expected
    assert (db.snapshot() != before) == right


@pytest.mark.parametrize("key", ["", "x", "00" * 15, "00" * 17, "g" * 32, "00" * 16])
def test_unknown_key(service, application, key):
    signed = signing.Application(key, application.secret).sign("getBlog", blogID=NOWHERE)
    assert send(service, signed).info == "KEY UNKNOWN"


def test_key_in_upper_case_is_the_same(service, application):
    signed = signing.Application(application.key.upper(), application.secret).sign("getBlog", blogID=NOWHERE)
    assert send(service, signed).info == "BLOG NOT FOUND"


def test_revoked_key(service, application, alice, db, fresh):
    """Every worker refuses it from the next request on, and others go on."""
    revoked = signing.new_application(service, db, "revoked")
    write = revoked.sign("addAlbum", **ALBUM, **fresh())
    assert send(service, write, user=alice).info is None
    db.run("UPDATE application_key SET revoked_at = now() WHERE key_id = decode(%s, 'hex')", revoked.key)
    for _ in range(50):
        assert send(service, revoked.sign("getBlog", blogID=NOWHERE)).info == "KEY UNKNOWN"
    with db.unchanged():
        assert send(service, revoked.sign("addAlbum", **ALBUM, **fresh()), user=alice).info == "KEY UNKNOWN"
        assert send(service, write, user=alice).info == "KEY UNKNOWN"
        assert send(service, revoked.sign("addAlbum"), user=alice).info == "KEY UNKNOWN"
        assert send(service, revoked.sign("addAlbum", **ALBUM)).info == "KEY UNKNOWN"
    assert send(service, application.sign("getBlog", blogID=NOWHERE)).info == "BLOG NOT FOUND"


@pytest.mark.parametrize("mode, file_mode, good", [
    ("verify", None, True), ("verify", 0o600, True), ("verify", 0o640, False), ("verify", 0o604, False),
    ("require", None, False), ("require", 0o600, True), ("require", 0o644, False), ("ignore", 0o644, True),
])
def test_master_key_is_looked_at_first(folder, postgres, mode, file_mode, good):
    service = Service(folder, postgres, signatures=mode)
    path = service.settings["master_key_file"]
    if file_mode is not None:
        path.write_text("00" * 32 + "\n")
        path.chmod(file_mode)
    tested = subprocess.run([BUILD / "mapdiaryd", "-t", "--offline", "-c", service.conf], capture_output=True, text=True, timeout=20)
    assert (tested.returncode, str(path) in tested.stderr) == (0 if good else 78, not good)


def test_a_reload_with_an_open_master_key_is_refused(folder, postgres, service, db, application, alice):
    """The old configuration goes on, and with it the key that was read."""
    other = Service(folder, postgres, workers=1, signatures="ignore")
    path = other.settings["master_key_file"]
    path.write_text("00" * 32 + "\n")
    path.chmod(0o644)
    other.start()
    other.conf.write_text(other.conf.read_text().replace("signatures = ignore", "signatures = require"))
    other.daemon.popen.send_signal(signal.SIGHUP)
    until(lambda: "the configuration is not changed" in other.log.read_text(), "the reload is refused")
    assert send(other, {"func": "getUserAlbumList", "userID": alice.id}).info is None
    path.chmod(0o600)
    other.daemon.popen.send_signal(signal.SIGHUP)
    until(lambda: send(other, {"func": "getUserAlbumList", "userID": alice.id}).info == "SIGNATURE REQUIRED", "it is reloaded")
    other.stop()


@pytest.mark.parametrize("mode, unsigned, wrong", [
    ("ignore", None, None), ("verify", None, "SIGNATURE INVALID"), ("require", "SIGNATURE REQUIRED", "SIGNATURE INVALID"),
])
def test_modes(start_peer, application, alice, fresh, mode, unsigned, wrong):
    service = start_peer(signatures=mode)
    for params in {"func": "getUserAlbumList", "userID": alice.id}, {"func": "addAlbum"} | ALBUM:
        assert send(service, params, user=alice).info == unsigned
        signed = application.sign(**params, **fresh())
        assert send(service, signed, user=alice).info is None
        assert send(service, signed | {"sig": "0" * 64}, user=alice).info == wrong
        # Key and time alone are no signature.
        del signed["sig"]
        assert send(service, signed, user=alice).info == unsigned


def test_signature_comes_before_login(service, application, fresh):
    assert send(service, application.sign("addAlbum", **ALBUM) | {"sig": ""}).info == "SIGNATURE INVALID"
    assert send(service, application.sign("addAlbum", **ALBUM)).info == "LOGIN REQUIRED"
    assert send(service, application.sign("addAlbum", ts=1, **ALBUM)).info == "TIMESTAMP EXPIRED"
    assert send(service, application.sign("addAlbum", ts=1)).info == "TIMESTAMP EXPIRED"


# Once.


def test_the_same_session_gets_its_answer_again(service, application, alice, blogs, fresh):
    signed = application.sign("postBlog", **BLOG, **fresh())
    before = blogs()
    first = send(service, signed, user=alice)
    assert first.info is None
    after = blogs()
    assert after[0] == before[0] + 1
    for _ in range(5):
        again = send(service, signed, user=alice)
        assert (again.body, again.http_status) == (first.body, 200)
        assert again.header("Cache-Control") == "no-store"
    assert blogs() == after


def test_an_unsigned_request_and_one_signed_anew_are_further_writes(service, application, alice, blogs):
    before, _ = blogs()
    for params in {"func": "postBlog"} | BLOG, application.sign("postBlog", **BLOG, n=1), application.sign("postBlog", **BLOG, n=2):
        assert send(service, params, user=alice).info is None
    assert blogs()[0] == before + 3


def test_concurrent_retries(start_peer, application, new_user, db, fresh):
    """On two services of several workers each: one blog, one credit, one answer."""
    services = [start_peer(workers=4), start_peer(workers=4)]
    user = new_user()
    for _ in range(10):
        signed = application.sign("postBlog", **BLOG, **fresh())
        calls = [lambda service=service: send(service, signed, user=user) for service in services * 6]
        answers = at_once(*calls)
        assert {answer.info for answer in answers} == {None}
        assert len({answer.body for answer in answers}) == 1
    assert db.value("SELECT count(*) FROM blog WHERE owner_id = %s", user.id) == 10
    assert db.run("SELECT count(*), sum(amount) FROM ledger WHERE user_id = %s", user.id) == [(5, 50)]


@pytest.mark.locks
def test_a_retry_waits_for_the_first(service, application, alice, connect_owner, db, fresh):
    """While the first has not ended nobody knows the answer."""
    signed = application.sign("postBlog", **BLOG, **fresh())
    owner = connect_owner()
    owner.run("BEGIN")
    owner.run("SELECT FROM user_account WHERE user_id = %s FOR UPDATE", alice.id)
    with in_background(*[lambda: send(service, signed, user=alice)] * 3) as futures:
        try:
            until(lambda: db.waiting() == 3, "all three wait", seconds=5)
        finally:
            owner.run("COMMIT")
        assert len({future.result().body for future in futures}) == 1


def test_across_a_restart(folder, postgres, service, application, alice, fresh):
    other = Service(folder, postgres, master_key_file=service.settings["master_key_file"])
    signed = application.sign("addAlbum", **ALBUM, **fresh())
    first = send(other.start(), signed, user=alice)
    other.stop()
    assert send(other.start(), signed, user=alice).body == first.body
    other.stop()


def test_after_the_first_was_rolled_back(service, application, alice, connect_owner, blogs, fresh):
    """A write that came to nothing leaves nothing: the retry carries it out."""
    signed = application.sign("postBlog", **BLOG, **fresh())
    before, _ = blogs()
    owner = connect_owner()
    owner.run("ALTER TABLE blog ADD CONSTRAINT none CHECK (number < 0) NOT VALID")
    try:
        answer = send(service, signed, user=alice)
        assert (answer.http_status, answer.info) == (500, "INTERNAL ERROR")
    finally:
        owner.run("ALTER TABLE blog DROP CONSTRAINT none")
    assert send(service, signed, user=alice).info is None
    assert blogs()[0] == before + 1


def test_an_answer_that_cannot_be_kept_is_not_given(service, application, alice, connect_owner, blogs, fresh):
    signed = application.sign("postBlog", **BLOG, **fresh())
    before = blogs()
    owner = connect_owner()
    owner.run("ALTER TABLE claimed_write ADD CONSTRAINT none CHECK (xml IS NULL) NOT VALID")
    try:
        answer = send(service, signed, user=alice)
        assert (answer.http_status, answer.info) == (500, "INTERNAL ERROR")
        assert blogs() == before
    finally:
        owner.run("ALTER TABLE claimed_write DROP CONSTRAINT none")
    assert send(service, signed, user=alice).info is None


def test_refusals_are_answers_too(service, application, alice, bob, album, fresh):
    """What an operation answered once it answers again, whatever has become of its reasons."""
    foreign = application.sign("updateAlbum", albumID=album, delete="true", **fresh())
    assert send(service, foreign, user=bob).info == "NOT OWNER"
    service.ok("updateAlbum", user=alice, albumID=album, delete="true")
    assert send(service, foreign, user=bob).info == "NOT OWNER"
    wrong = application.sign("addAlbum", **ALBUM | {"category": 17}, **fresh())
    for _ in range(2):
        assert send(service, wrong, user=alice).info == "INVALID PARAMETER: category"
    assert send(service, wrong, user=bob).info == "REQUEST REPLAYED"


def test_any_other_session_is_refused(service, application, alice, bob, new_session, db, fresh):
    signed = application.sign("addAlbum", **ALBUM, **fresh())
    other = f"id={alice.id}; idrand={new_session(alice)}"
    first = send(service, signed, user=alice)
    with db.unchanged():
        assert send(service, signed, user=bob).info == "REQUEST REPLAYED"
        assert send(service, signed, cookie=other).info == "REQUEST REPLAYED"
        assert send(service, signed).info == "LOGIN REQUIRED"
        assert send(service, signed, cookie=f"id={alice.id}; idrand={'0' * 32}").info == "LOGIN REQUIRED"
        assert send(service, signed, user=alice).body == first.body


def test_an_ended_session_gets_no_answer(service, application, alice, new_session, fresh):
    cookie = f"id={alice.id}; idrand={new_session(alice)}"
    signed = application.sign("addAlbum", **ALBUM, **fresh())
    assert send(service, signed, cookie=cookie).info is None
    service.ok("logout", cookie=cookie)
    assert send(service, signed, cookie=cookie).info == "LOGIN REQUIRED"


def test_logout_is_answered_again_to_the_session_that_it_ended(service, application, alice, new_session, fresh):
    cookie = f"id={alice.id}; idrand={new_session(alice)}"
    signed = application.sign("logout", **fresh())
    first = send(service, signed, cookie=cookie)
    assert first.result == []
    again = send(service, signed, cookie=cookie)
    assert again.body == first.body
    assert [value for name, value in again.headers if name == "set-cookie"] == [
        value for name, value in first.headers if name == "set-cookie"] != []
    assert send(service, application.sign("logout", **fresh()), cookie=cookie).info == "LOGIN REQUIRED"


@pytest.mark.parametrize("password, info", [(None, None), ("wrong", "PASSWORD INCORRECT")])
def test_login_is_never_repeated(service, application, alice, db, fresh, password, info):
    signed = application.sign("login", email=alice.email, password=password or alice.password, **fresh())
    assert send(service, signed).info == info
    sessions = db.value("SELECT count(*) FROM session")
    for user in None, alice:
        assert send(service, signed, user=user).info == "REQUEST REPLAYED"
    assert db.value("SELECT count(*) FROM session") == sessions


def test_a_replayed_login_is_no_attempt(start_peer, application, new_user, fresh):
    """Who recorded a request cannot lock the account with it."""
    service, user = start_peer(login_failures_per_account=3), new_user()
    signed = application.sign("login", email=user.email, password="wrong", **fresh())
    assert send(service, signed).info == "PASSWORD INCORRECT"
    for _ in range(5):
        assert send(service, signed).info == "REQUEST REPLAYED"
    service.ok("login", email=user.email, password=user.password)


def test_signed_reads_are_not_counted(service, application, db, blog):
    signed = application.sign("getBlog", blogID=blog)
    records = db.value("SELECT count(*) FROM claimed_write")
    assert {send(service, signed).body for _ in range(3)} == {send(service, signed, method="POST").body}
    assert db.value("SELECT count(*) FROM claimed_write") == records


def test_the_record_stays_small(service, application, alice, db, fresh):
    """Whatever has piled up goes away by further writes, and what is still in time stays."""
    kept = application.sign("addAlbum", **ALBUM, **fresh())
    first = send(service, kept, user=alice)
    db.run("INSERT INTO claimed_write (claim, expires_at)"
           " SELECT sha256(n::text::bytea), now() - interval '1 second' FROM generate_series(1, 40) n")
    for _ in range(10):
        send(service, application.sign("addAlbum", **ALBUM, **fresh()), user=alice)
    # Of those of other tests one may just expire.
    assert db.value("SELECT count(*) FROM claimed_write WHERE expires_at < now() AND claim = ANY (ARRAY("
                    "SELECT sha256(n::text::bytea) FROM generate_series(1, 40) n))") == 0
    assert send(service, kept, user=alice).body == first.body


def test_a_record_outlives_the_time_of_its_signature(service, application, alice, db, fresh):
    ts = int(time.time()) - 299
    send(service, application.sign("addAlbum", ts=ts, **ALBUM, **fresh()), user=alice)
    assert db.value("SELECT max(expires_at) >= to_timestamp(%s + 301) FROM claimed_write", ts)


def test_no_secret_in_database_or_log(service, application, alice, db, fresh):
    signed = application.sign("addAlbum", **ALBUM, **fresh())
    send(service, signed, user=alice)
    send(service, signed | {"sig": "0" * 64}, user=alice)
    log = service.log.read_text()
    for word in application.secret, signed["sig"], service.settings["master_key_file"].read_text().strip():
        assert word not in log
    assert application.secret not in str(db.run("SELECT * FROM application_key"))


def test_the_guide_has_the_vector():
    text = (TOP / "doc/client.md").read_text(encoding="utf-8")
    assert all(word in text for word in (VECTOR_SECRET, VECTORS[2][1], VECTORS[2][2]))
