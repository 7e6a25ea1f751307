"""Search and the indexer are bounded, whatever users write: the text that a search reads itself, the order in which pieces are
indexed, the cost of a comment, and the harm of a piece that cannot be indexed."""

import contextlib
import json

import pytest

import samples
from conftest import Rows
from samples import BLOG
from service import Service, until

LONG = "SELECT string_agg(chr(19968 + (random() * 250)::integer), '') FROM generate_series(1, 20000 + 0 * n)"


@pytest.fixture(scope="module")
def service(folder, postgres):
    postgres.create_database("bounded")
    service = Service(folder, postgres, database="bounded", timezone=samples.ZONE, workers=2, cache_max_age="0s", reward_daily_limit=0)
    assert service.ctl("migrate").returncode == 0
    yield service.start()
    service.stop()


@pytest.fixture(scope="module")
def db(postgres, service):
    with contextlib.closing(postgres.connect("mapdiary_owner", "bounded")) as connection:
        rows = Rows(connection)
        rows.run(f"SET timezone = '{samples.ZONE}'")
        yield rows


@pytest.fixture(scope="module")
def people(service):
    made = []
    for name in "alice", "bob":
        added = service.ctl("user", "add", "--email", f"{name}@example.org", "--name", name, text="password\n")
        user = samples.User(int(added.stdout), f"{name}@example.org", "password", name, "")
        user.token = service.ctl("session", "add", "--user", user.id).stdout.strip().rpartition("idrand=")[2]
        made.append(user)
    return made


@pytest.fixture
def alice(people):
    return people[0]


@pytest.fixture
def bob(people):
    return people[1]


@pytest.fixture(autouse=True)
def nothing_there(service, db):
    db.run("DELETE FROM blog")
    db.wait_for_words()


@pytest.fixture
def indexer(db):
    """The test is the indexer, as of several machines one is: what is done is done by this session's calls."""
    key = "x'6b656570'::integer, 'mapdiary'::regnamespace::integer"
    db.run(f"SELECT pg_advisory_lock({key})")
    yield
    db.run(f"SELECT pg_advisory_unlock({key})")


def blog(service, user, title, content="y"):
    return int(service.ok("postBlog", user=user, **BLOG | {"blogTitle": title, "blogContent": content})["blogID"])


def blogs(db, user, count, title, content):
    """So many by one statement; title and content are expressions of a number, n."""
    return db.column("INSERT INTO blog (owner_id, slot, lat, lng, title, content, post_date, public_day, weather)"
                     f" SELECT %s, 23, 1, 1, {title}, ({content}), '2024-01-01', '2024-01-01', %s FROM generate_series(1, {count}) n"
                     " RETURNING number", user.id, samples.WEATHERS[0])


def found(service, q):
    got = json.loads(service.call("search", q=q, limit=500, responseFormat="JSON").body)
    assert got["status"] == "SUCCESS", got
    return {place["blogID"] for place in got["placeList"]}


def work_off(db, most=1000):
    """As the indexer does; how many things."""
    db.run("SELECT index_counts(1000)")
    return db.value("SELECT index_words(%s)", most)


def noted(db):
    return set(db.column("SELECT id FROM search_entry WHERE kind = 2"))


# What a search reads


@pytest.mark.few(3)
@pytest.mark.parametrize("unit, characters", [
    ("'a '", 2), ("'山'", 1), ("chr(65018)", 18), ("'!'", 1), ("'…'", 1), ("'<b>'", 1)])
@pytest.mark.parametrize("length", [700, 1100])
def test_a_search_reads_few_characters_itself(service, db, alice, indexer, unit, characters, length):
    """All titles of the newest hundred, and of their texts as many as have 20,000 characters together, as they are compared; a
    third of them where they are markup."""
    ids = blogs(db, alice, 100, "'heron ' || n", f"repeat({unit}, {length}) || ' egret'")
    for _ in range(2):
        assert found(service, "heron") == set(ids)
        read = found(service, "egret")
        assert (length * characters < 6_000) <= len(read) <= 20_000 / (length * characters) and read == set(ids[100 - len(read):])
        db.run("SELECT index_counts(1000)")
    while work_off(db):
        pass
    assert found(service, "egret") == found(service, "heron") == set(ids)


def test_a_search_fetches_no_long_text(service, db, alice, indexer):
    ids = blogs(db, alice, 100, "'heron ' || n", LONG)
    chunks = "SELECT pg_stat_get_xact_tuples_fetched(indexrelid) FROM pg_index WHERE indrelid = ("\
        "SELECT reltoastrelid FROM pg_class WHERE oid = 'blog'::regclass)"
    db.run("BEGIN")
    try:
        assert db.value("SELECT count(content) FROM blog WHERE length(content) = 20000") == 100 and db.value(chunks) >= 100
        before = db.value(chunks)
        rows = db.run("SELECT id FROM found_pieces(NULL, 'heron', 0, 2, NULL, NULL, -1, '-Infinity', 0, 200)")
        assert {row[0] for row in rows} == set(ids) and db.value(chunks) == before
    finally:
        db.run("ROLLBACK")


def test_a_long_text_that_changes_stays_where_it_is_found(service, db, alice, indexer):
    piece = blog(service, alice, "heron", "egret " * 9000)
    work_off(db)
    service.ok("updateBlog", user=alice, blogID=piece, **BLOG | {"blogTitle": "bittern", "blogContent": "egret " * 8000})
    assert found(service, "egret") == {piece}
    work_off(db)
    assert found(service, "bittern") == found(service, "egret bittern") == {piece} and found(service, "heron") == set()


# Who waits for whom


def test_the_long_texts_of_one_delay_nobody_else(service, db, alice, bob, indexer):
    hostile = blogs(db, alice, 60, "'long'", LONG)
    work_off(db, 1)
    short, long = blog(service, bob, "heron"), blogs(db, bob, 1, "'bittern'", LONG)[0]
    steps = 0
    while not {short, long} <= noted(db):
        work_off(db, 1)
        steps += 1
    assert steps <= 5 and len(noted(db) & set(hostile)) <= 5
    assert found(service, "heron") == {short} and found(service, "bittern") == {long}


def test_short_texts_wait_for_no_long_one(service, db, alice, bob, indexer):
    """Not even those of the same account. Those of some length take turns."""
    blogs(db, alice, 50, "'long'", LONG)
    blogs(db, alice, 300, "'middling'", "repeat('山', 700)")
    work_off(db)
    short, middling = blog(service, alice, "heron"), blog(service, bob, "bittern", "山" * 700)
    assert work_off(db) and short in noted(db)
    while middling not in noted(db):
        assert work_off(db)
    assert len(noted(db)) < 200


@pytest.mark.slow
def test_a_piece_waits_once_however_often_it_changes(service, db, alice, indexer):
    piece = blog(service, alice, "x", "山" * 3000)
    blogs(db, alice, 6, "'long'", LONG)
    for n in range(20):
        service.ok("updateBlog", user=alice, blogID=piece, **BLOG | {"blogTitle": f"heron{n}", "blogContent": "山" * 3000})
        if n % 5 == 0:
            work_off(db, 1)
    db.run("SELECT postpone_words()")
    assert db.value("SELECT count(*) FROM search_waiting WHERE id = %s", piece) <= 1 and db.value("SELECT count(*) FROM search_queue") == 0
    db.run("UPDATE search_turn SET not_before = now()")
    while work_off(db):
        pass
    assert found(service, "heron19") == {piece} and found(service, "heron18") == set()


def test_the_indexer_commits_in_between(service, db, alice, indexer):
    """However much there is to do, one large text at least is done, and a few more."""
    blogs(db, alice, 30, "'long'", LONG.replace("20000", "90000"))
    done = [work_off(db) for _ in range(3)]
    assert all(1 <= some <= 10 for some in done) and len(noted(db)) == sum(done)


@pytest.mark.few(1)
@pytest.mark.parametrize("text", ["string_agg(chr(19968 + (random() * 250)::integer), '')", "string_agg(chr(65018), '')",
                                  "string_agg(chr(19968 + (random() * 20000)::integer), '')"])
def test_the_dearest_text_is_indexed(service, db, alice, bob, indexer, text):
    """With more words of comments than there is room for beside its own."""
    piece, = blogs(db, alice, 1, "'heron'", f"SELECT {text} FROM generate_series(1, 99000)")
    db.run("INSERT INTO comment (kind, number, commenter_id, comment)"
           " SELECT 2, %s, %s, string_agg(chr(30000 + (random() * 9000)::integer), '')"
           " FROM generate_series(1, 25) n, generate_series(1, 4000) WHERE n > 0 GROUP BY n", piece, bob.id)
    while work_off(db):
        pass
    for n in range(3):
        service.ok("addComment", user=bob, blogID=piece, comment=f"egret{n} " + "".join(map(chr, range(20000, 24900))))
        assert work_off(db) == 1
    for word in "heron", "egret0", "egret1", "egret2":
        assert found(service, word) == {piece}, word


# Comments


def test_a_comment_leaves_the_other_words_as_they_are(service, db, alice, bob, indexer):
    """Words that are nowhere but in the row show which of them are made anew."""
    piece = blog(service, alice, "heron", "bittern")
    service.ok("addComment", user=bob, blogID=piece, comment="egret")
    work_off(db)
    db.run("UPDATE search_entry SET words = words || 'ofthetext:9B ofcomments:9D'")
    comment = service.ok("addComment", user=bob, blogID=piece, comment="ibis")["commentID"]
    for kept in False, True:
        assert found(service, "ibis") == {piece}
        assert found(service, "ofthetext") == (found(service, "heron bittern egret ibis") if kept else {piece}) == {piece}
        work_off(db)
    service.ok("replyComment", user=alice, commentID=comment, reply="avocet")
    work_off(db)
    assert found(service, "heron bittern egret ibis avocet ofthetext ofcomments") == {piece}
    service.ok("updateComment", user=bob, commentID=comment, delete="true")
    for _ in range(2):
        assert found(service, "ibis") == found(service, "avocet") == set() and found(service, "egret") == {piece}
        work_off(db)
    assert found(service, "heron bittern egret ofthetext") == {piece} and found(service, "ofcomments") == set()


def test_a_hidden_comment_is_not_found_and_what_is_shown_again_is(service, db, alice, bob, indexer):
    piece = blog(service, alice, "heron", "bittern " * 5000)
    comment = service.ok("addComment", user=bob, blogID=piece, comment="egret")["commentID"]
    work_off(db)
    for hidden, finds in ("hidden", set()), (None, {piece}), ("held", set()):
        db.run("UPDATE comment SET hidden = %s WHERE comment_id = %s", hidden, comment)
        work_off(db)
        assert found(service, "egret") == finds and found(service, "bittern") == {piece}


def test_a_comment_on_a_long_text_is_found_at_once(service, db, alice, bob, indexer):
    piece = blog(service, alice, "heron", "bittern " * 9000)
    work_off(db)
    service.ok("addComment", user=bob, blogID=piece, comment="an egret there")
    assert found(service, "egret there") == found(service, "bittern") == {piece}
    work_off(db)
    assert found(service, "heron egret there") == {piece}


def test_comments_are_those_of_whoever_writes_them(service, db, alice, bob, indexer):
    """Whose comments wait delays no piece of the owner that they are on."""
    piece = blogs(db, alice, 1, "'long'", LONG)[0]
    work_off(db)
    for n in range(30):
        service.ok("addComment", user=bob, blogID=piece, comment=f"egret{n}")
    short = blog(service, alice, "heron")
    for _ in range(3):
        work_off(db, 1)
    assert short in noted(db) and db.value("SELECT count(*) FROM search_waiting") >= 28


def test_many_comments_at_once_are_one_thing(service, db, alice, bob, indexer):
    piece = blog(service, alice, "heron")
    work_off(db)
    db.run("INSERT INTO comment (kind, number, commenter_id, comment)"
           " SELECT 2, %s, %s, 'egret' || n FROM generate_series(1, 300) n", piece, bob.id)
    assert work_off(db) == 1 and found(service, "egret1 egret300") == {piece}


# What fails


@pytest.mark.slow
def test_a_piece_that_cannot_be_indexed_comes_behind_the_others(service, db, alice, bob):
    """It is tried with others, then alone, told once, and then waits; the indexer goes on with all others."""
    good = [blog(service, alice, "heron")]
    db.wait_for_words()
    with db.connection.cursor() as cursor:
        cursor.execute("SELECT last_value + 2 FROM blog_number")
        bad = cursor.fetchone()[0]
    db.run(f"ALTER TABLE search_entry ADD CONSTRAINT no_bad CHECK (kind <> 2 OR id <> {bad}) NOT VALID")
    try:
        good.append(blog(service, bob, "heron"))
        assert blog(service, alice, "heron bad") == bad
        good += [blog(service, user, "heron") for user in (alice, bob) for _ in range(5)]
        until(lambda: noted(db) >= set(good), "all others are indexed", 60)
        until(lambda: f"search: blog:{bad} cannot be indexed" in service.log.read_text(), "it is told", 60)
        good += [blog(service, alice, "heron") for _ in range(5)]
        until(lambda: noted(db) >= set(good), "those that came behind it are, too", 60)
        assert bad not in noted(db)
        assert db.run("SELECT failures, not_before > now() FROM search_turn") == [(1, True)]
        log = service.log.read_text()
        assert log.count("cannot be indexed") == 1 and 2 <= log.count("no_bad") <= 4
    finally:
        db.run("ALTER TABLE search_entry DROP CONSTRAINT no_bad")
    db.run("UPDATE search_turn SET not_before = now()")
    until(lambda: bad in noted(db), "it is indexed once it can be", 60)
