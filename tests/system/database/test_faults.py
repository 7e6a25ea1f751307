"""When the database fails: an honest answer in the envelope, the cause in the log alone, and life goes on after it."""

import pytest

import fastcgi
from processes import children, sockets, workers
from samples import ALBUM, BLOG, User
from service import Postgres, Service, at_once, in_background, until


@pytest.fixture(scope="module")
def cluster(folder):
    cluster = Postgres(folder)
    cluster.create_database("faults")
    yield cluster
    cluster.stop()


@pytest.fixture(scope="module")
def faulty(folder, cluster):
    """A service on a cluster that nobody else needs."""
    service = Service(folder, cluster, database="faults", workers=2)
    assert service.ctl("migrate").returncode == 0
    service.start()
    yield service
    service.stop()


@pytest.fixture(scope="module")
def carol(faulty):
    number = int(faulty.ctl("user", "add", "--email", "carol@example.org", "--name", "Carol", text="secret\n").stdout)
    session = faulty.ctl("session", "add", "--user", number).stdout.strip()
    return User(number, "carol@example.org", "secret", "Carol", "", session.rpartition("=")[2])


@pytest.fixture
def owner(cluster, faulty):
    """Runs statements as the owner of the database."""
    connection = cluster.connect("mapdiary_owner", "faults")
    cursor = connection.cursor()
    cursor.execute("SET search_path = mapdiary")
    yield lambda statement: cursor.execute(statement) or (cursor.description and cursor.fetchall())
    connection.close()


def albums(owner):
    return owner("SELECT count(*) FROM album")[0][0]


CALLS = {
    "a read": lambda service, carol: service.call("getUserAlbumList", userID=carol.id),
    "a read with cookies": lambda service, carol: service.call("getBlog", user=carol, blogID=1),
    "a write": lambda service, carol: service.call("addAlbum", user=carol, **ALBUM),
    "a login": lambda service, carol: service.call("login", email=carol.email, password=carol.password),
    "a logout": lambda service, carol: service.call("logout", user=carol),
}


def assert_unavailable(answer):
    assert (answer.http_status, answer.info) == (503, "SERVICE UNAVAILABLE")
    assert int(answer.header("Retry-After")) >= 1
    assert answer.header("Cache-Control") == "no-store"


def recovers(service, carol):
    """All workers serve again, after a while."""
    def all_well():
        answers = at_once(*[lambda: service.call("getUserAlbumList", userID=carol.id)] * 4)
        return {answer.info for answer in answers} == {None} and service.metric("workers_connected") == service.settings["workers"]

    until(all_well, "the service recovers")


# Without a database.


def test_stopped(cluster, faulty, carol):
    cluster.stop()
    try:
        for call in 2 * list(CALLS.values()):
            assert_unavailable(call(faulty, carol))
        # What needs no database is answered as ever.
        assert faulty.call("addAlbum", **ALBUM).info == "LOGIN REQUIRED"
        assert faulty.call("getAlbum", albumID=0).info == "INVALID PARAMETER: albumID"
    finally:
        cluster.start()
    recovers(faulty, carol)
    assert faulty.call("addAlbum", user=carol, **ALBUM).info is None


def test_what_the_database_does_not_answer_is_asked_once(folder, cluster, faulty, carol):
    """A write that could not be counted is not looked at any more: nothing better could be told."""
    counting = Service(folder, cluster, database="faults", workers=1, writes_per_minute=5)
    counting.start()
    try:
        counting.ok("addAlbum", user=carol, **ALBUM)
        cluster.stop()
        before = counting.metric("database_errors_total")
        for _ in range(3):
            assert_unavailable(counting.call("addAlbum", user=carol, **ALBUM))
        assert counting.metric("database_errors_total") == before + 3
    finally:
        cluster.start()
        counting.stop()
    recovers(faulty, carol)


def test_started_before_the_database(folder, cluster, faulty, carol):
    cluster.stop()
    late = Service(folder, cluster, database="faults", workers=2)
    try:
        late.start()
        assert_unavailable(late.call("getUserAlbumList", userID=carol.id))
    finally:
        cluster.start()
    recovers(late, carol)
    recovers(faulty, carol)
    late.stop()


def test_a_schema_that_is_missing(folder, cluster):
    cluster.create_database("empty")
    service = Service(folder, cluster, database="empty", workers=1)
    service.start()
    try:
        assert_unavailable(service.call("getAlbum", albumID=1))
        assert "mapdiaryctl migrate" in service.log.read_text()
    finally:
        service.stop()


@pytest.mark.parametrize("call", CALLS)
def test_connections_that_were_closed_meanwhile(cluster, faulty, carol, call):
    """They are found out before anything is sent, so a write is safe too."""
    def is_served():
        recovers(faulty, carol)
        cluster.run("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE usename = 'mapdiary'")
        return call == "a logout" or CALLS[call](faulty, carol).info in (None, "BLOG NOT FOUND")

    # A request waits for another connection for no longer than a moment, in which PostgreSQL may not come to it.
    until(is_served, "it is served by another connection")
    recovers(faulty, carol)


# A connection that breaks under a request.


@pytest.fixture
def locked(cluster, faulty):
    """Holds a table, so that whoever needs it waits; ends with the test, or with release()."""
    holder = cluster.connect("mapdiary_owner", "faults")
    cursor = holder.cursor()

    def lock(table):
        cursor.execute("BEGIN")
        cursor.execute(f"LOCK TABLE mapdiary.{table} IN ACCESS EXCLUSIVE MODE")

    lock.release = lambda: cursor.execute("ROLLBACK")
    yield lock
    holder.close()


# But the indexer, who looks at the tables now and then.
OF_REQUESTS = "usename = 'mapdiary' AND application_name <> 'mapdiary-indexer'"
WAITING = f"SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE NOT granted AND {OF_REQUESTS}"
CUT = f"""SELECT pg_terminate_backend(pid, 5000) FROM pg_locks JOIN pg_stat_activity USING (pid)
    WHERE NOT granted AND {OF_REQUESTS}"""


def test_a_write_is_never_sent_twice(cluster, faulty, owner, carol, locked):
    before = albums(owner)
    locked("album")
    with in_background(lambda: faulty.call("addAlbum", user=carol, **ALBUM)) as [answer]:
        until(lambda: owner(WAITING)[0][0], "the write waits")
        cluster.run(CUT)
        assert_unavailable(answer.result(30))
        locked.release()
    assert albums(owner) == before
    recovers(faulty, carol)


def test_a_read_is_tried_once_more(cluster, faulty, owner, carol, locked):
    recovers(faulty, carol)
    locked("album")
    with in_background(lambda: faulty.call("getUserAlbumList", userID=carol.id)) as [answer]:
        until(lambda: owner(WAITING)[0][0], "the read waits")
        cluster.run(CUT)
        until(lambda: owner(WAITING)[0][0], "the read waits again")
        locked.release()
    assert answer.result().info is None


def test_a_read_is_not_tried_for_ever(cluster, faulty, owner, carol, locked):
    recovers(faulty, carol)
    locked("album")
    with in_background(lambda: faulty.call("getUserAlbumList", userID=carol.id)) as [answer]:
        for _ in range(2):
            until(lambda: owner(WAITING)[0][0], "the read waits")
            cluster.run(CUT)
        assert_unavailable(answer.result(30))
    locked.release()
    recovers(faulty, carol)


def test_a_request_that_takes_too_long_is_cancelled(folder, cluster, faulty, owner, carol, locked):
    hasty = Service(folder, cluster, database="faults", workers=1, request_timeout="300ms").start()
    before = albums(owner)
    locked("album")
    assert_unavailable(hasty.call("addAlbum", user=carol, **ALBUM))
    until(lambda: not owner(WAITING)[0][0], "PostgreSQL has let it go")
    locked.release()
    assert albums(owner) == before
    recovers(hasty, carol)
    hasty.stop()


def test_nobody_waits_for_the_cancelling(folder, cluster, faulty, carol):
    """Which goes on while PostgreSQL says nothing: the client is answered before, and no socket is held by it."""
    hasty = Service(folder, cluster, database="faults", workers=1, request_timeout="300ms").start()
    recovers(hasty, carol)
    (worker,) = workers(hasty.daemon.pid)
    with cluster.frozen(), fastcgi.connect(hasty.socket) as connection:
        query = {"QUERY_STRING": f"func=getUserAlbumList&userID={carol.id}"}
        connection.sendall(fastcgi.opening(b"", query) + fastcgi.stream(fastcgi.STDIN, b""))
        answer = b""
        while piece := connection.recv(65536):
            answer += piece
        (cancelling,) = children(worker)
        until(lambda: not sockets(worker) & sockets(cancelling), "the two share no socket")
    assert b"SERVICE UNAVAILABLE" in answer
    recovers(hasty, carol)
    hasty.stop()


# Errors that nobody expected.


# How each is made, and how it is undone.
FAULTS = {
    "an exception": (
        "CREATE FUNCTION fault() RETURNS trigger LANGUAGE plpgsql AS"
        " $$ BEGIN RAISE EXCEPTION 'the cause is secret-4711'; END $$;"
        " CREATE TRIGGER fault BEFORE INSERT ON album FOR EACH ROW EXECUTE FUNCTION fault()",
        "DROP TRIGGER fault ON album; DROP FUNCTION fault()"),
    "a constraint": (
        "ALTER TABLE album ADD CONSTRAINT fault CHECK (title <> '墾丁之旅') NOT VALID",
        "ALTER TABLE album DROP CONSTRAINT fault"),
    "a unique constraint": (
        "DELETE FROM album; CREATE UNIQUE INDEX fault ON album ((1));"
        " INSERT INTO album (owner_id, title, slot, lat, lng) SELECT user_id, 'x', 1, 0, 0 FROM user_account",
        "DROP INDEX fault"),
    "a privilege": ("REVOKE INSERT ON own_album FROM mapdiary_visitor", "GRANT INSERT ON own_album TO mapdiary_visitor"),
    "a column": ("ALTER VIEW own_album RENAME title TO fault", "ALTER VIEW own_album RENAME fault TO title"),
    "a function": (
        "ALTER FUNCTION require_session RENAME TO fault", "ALTER FUNCTION fault(bigint, bytea) RENAME TO require_session"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_an_internal_error(faulty, owner, carol, fault):
    make, undo = FAULTS[fault]
    owner(make)
    try:
        before = albums(owner)
        answer = faulty.call("addAlbum", user=carol, **ALBUM)
        assert (answer.http_status, answer.info) == (500, "INTERNAL ERROR")
        assert answer.header("Retry-After") is None
        assert albums(owner) == before
    finally:
        owner(undo)
    assert faulty.call("addAlbum", user=carol, **ALBUM).info is None
    assert faulty.call("postBlog", user=carol, **BLOG).info is None


def test_the_cause_goes_to_the_log(faulty, owner, carol):
    make, undo = FAULTS["an exception"]
    owner(make)
    try:
        answer = faulty.call("addAlbum", user=carol, **ALBUM)
    finally:
        owner(undo)
    assert "secret-4711" in faulty.log.read_text()
    assert b"secret-4711" not in answer.body and b"album_insert" not in answer.body
