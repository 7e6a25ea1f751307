"""mapdiaryctl migrate: each migration once, whole or not at all; and what the roles of the database may do."""

import contextlib
import itertools
import re

import psycopg2
import pytest

from service import TOP, Postgres, Service, at_once, in_background, until

numbers = itertools.count(1)


@pytest.fixture
def schema(tmp_path):
    """A folder of two small migrations."""
    folder = tmp_path / "schema"
    folder.mkdir()
    (folder / "0001-first.sql").write_text("CREATE TABLE first (n integer); INSERT INTO first VALUES (1);", encoding="utf-8")
    (folder / "0002-second.sql").write_text("INSERT INTO first VALUES (2); CREATE TABLE second ();", encoding="utf-8")
    return folder


@pytest.fixture
def tool(folder, postgres, schema):
    """A service that is never started, on a database of its own that is still empty."""
    database = f"migrate{next(numbers)}"
    postgres.create_database(database)
    tool = Service(folder, postgres, database=database, schema_directory=schema)
    tool.connect = lambda role="mapdiary_owner": postgres.connect(role, database)
    return tool


def query(tool, statement, role="mapdiary_owner"):
    connection = tool.connect(role)
    try:
        cursor = connection.cursor()
        cursor.execute("SET search_path = mapdiary")
        cursor.execute(statement)
        return cursor.fetchall() if cursor.description else None
    finally:
        connection.close()


def applied(tool):
    return [name for name, in query(tool, "SELECT name FROM migration ORDER BY number")]


def content(tool):
    return [n for n, in query(tool, "SELECT n FROM first ORDER BY n")]


def assert_refused(tool, reason, *arguments):
    ran = tool.ctl("migrate", *arguments)
    assert ran.returncode not in (0, 64) and reason in ran.stderr, ran


def migrate(tool):
    ran = tool.ctl("migrate")
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def test_each_once(tool):
    said = migrate(tool)
    assert "0001-first" in said and "0002-second" in said
    assert migrate(tool) == migrate(tool) == ""
    assert applied(tool) == ["0001-first", "0002-second"] and content(tool) == [1, 2]


def migrate_only(tool, schema, *names):
    """The other files come later."""
    later = [file for file in schema.iterdir() if file.stem not in names]
    texts = {file: file.read_text(encoding="utf-8") for file in later}
    for file in later:
        file.unlink()
    migrate(tool)
    for file, text in texts.items():
        file.write_text(text, encoding="utf-8")


ONE_BY_ONE = """-- one by one
--
-- An index while the table is written.

DROP INDEX CONCURRENTLY IF EXISTS mapdiary.first_n;
CREATE INDEX CONCURRENTLY first_n ON mapdiary.first (n);
"""


def test_one_by_one(tool, schema):
    """A file that says so is no transaction: such an index cannot be made in one."""
    (schema / "0003-index.sql").write_text(ONE_BY_ONE, encoding="utf-8")
    assert "0003-index" in migrate(tool) and migrate(tool) == ""
    assert applied(tool)[-1] == "0003-index"
    assert query(tool, "SELECT indisvalid FROM pg_index WHERE indexrelid = 'first_n'::regclass") == [(True,)]


def test_one_by_one_begins_anew(tool, schema):
    wrong = ONE_BY_ONE + "CREATE INDEX CONCURRENTLY first_m ON mapdiary.first (m);\n"
    (schema / "0003-index.sql").write_text(wrong, encoding="utf-8")
    assert_refused(tool, 'column "m" does not exist')
    assert applied(tool)[-1] == "0002-second"
    assert tool.ctl("migrate", "--status").stdout.count("pending") == 1
    (schema / "0003-index.sql").write_text(ONE_BY_ONE, encoding="utf-8")
    assert "0003-index" in migrate(tool)


def test_one_by_one_of_a_parted_table(tool, schema):
    """Which takes no such index: it is made as others are."""
    (schema / "0002-second.sql").write_text(
        "DROP TABLE first; CREATE TABLE first (n integer) PARTITION BY RANGE (n)", encoding="utf-8")
    (schema / "0003-index.sql").write_text(ONE_BY_ONE, encoding="utf-8")
    assert "0003-index" in migrate(tool)
    assert query(tool, "SELECT relkind FROM pg_class WHERE relname = 'first_n'") == [("I",)]


def test_only_what_is_new(tool, schema):
    migrate(tool)
    (schema / "0010-third.sql").write_text("INSERT INTO first VALUES (3)", encoding="utf-8")
    said = migrate(tool)
    assert "0010-third" in said and "0001" not in said
    assert applied(tool) == ["0001-first", "0002-second", "0010-third"] and content(tool) == [1, 2, 3]


def test_status_changes_nothing(tool, schema):
    for state in "pending", "applied":
        said = tool.ctl("migrate", "--status")
        assert said.returncode == 0
        lines = [line.split() for line in said.stdout.splitlines() if line.startswith("000")]
        assert [line[:2] for line in lines] == [["0001-first", state], ["0002-second", state]]
        if state == "pending":
            assert applied(tool) == []
            migrate(tool)


def test_other_files_are_left_alone(tool, schema):
    for name in "0003-third.sql~", "0004.sql", "README", "3-x.sql", "00005-five.sql", "0006-Six.sql", "sample.sql", "0007-x.sql.bak":
        (schema / name).write_text("this is no SQL", encoding="utf-8")
    migrate(tool)
    assert applied(tool) == ["0001-first", "0002-second"]


@pytest.mark.parametrize("broken", [
    "INSERT INTO first VALUES (9); SELECT 1/0;", "INSERT INTO first VALUES (9); no SQL at all", "SELECT (", "$$",
])
def test_whole_or_not_at_all(tool, schema, broken):
    (schema / "0003-broken.sql").write_text(broken, encoding="utf-8")
    (schema / "0004-after.sql").write_text("INSERT INTO first VALUES (4)", encoding="utf-8")
    assert_refused(tool, "0003-broken")
    assert applied(tool) == []
    migrate_only(tool, schema, "0001-first", "0002-second")
    assert_refused(tool, "0003-broken")
    assert applied(tool) == ["0001-first", "0002-second"] and content(tool) == [1, 2]
    (schema / "0003-broken.sql").write_text("INSERT INTO first VALUES (3)", encoding="utf-8")
    migrate(tool)
    assert content(tool) == [1, 2, 3, 4]


def test_an_upgrade_is_one_transaction(tool, schema):
    """Of several new files all are applied or none. Files of single statements come behind them."""
    migrate(tool)
    (schema / "0003-index.sql").write_text(ONE_BY_ONE, encoding="utf-8")
    (schema / "0004-third.sql").write_text("CREATE TABLE third ()", encoding="utf-8")
    (schema / "0005-broken.sql").write_text("SELECT 1/0", encoding="utf-8")
    assert_refused(tool, "0005-broken")
    assert applied(tool) == ["0001-first", "0002-second"]
    assert query(tool, "SELECT to_regclass('third'), to_regclass('first_n')") == [(None, None)]
    (schema / "0005-broken.sql").unlink()
    said = migrate(tool)
    assert said.index("0004-third") < said.index("0003-index")
    assert applied(tool) == ["0001-first", "0002-second", "0003-index", "0004-third"]


@contextlib.contextmanager
def reading(tool):
    """A transaction that has read the table, as pg_dump does, and goes on."""
    with contextlib.closing(tool.connect()) as dump:
        dump.autocommit = False
        cursor = dump.cursor()
        cursor.execute("SET application_name = 'a dump'; SELECT count(*) FROM mapdiary.first")
        yield dump


ALTER = "ALTER TABLE first ADD m integer"
WAITS = "SELECT count(*) FROM pg_locks WHERE NOT granted AND mode = 'AccessExclusiveLock'"


@pytest.mark.slow
def test_a_migration_waits_for_a_dump_and_nobody_for_the_migration(tool, schema):
    migrate(tool)
    (schema / "0003-third.sql").write_text(ALTER, encoding="utf-8")
    with reading(tool) as dump, in_background(lambda: tool.ctl("migrate")) as [upgrade]:
        for _ in range(2):
            until(lambda: query(tool, WAITS)[0][0], "the migration asks for its lock")
            assert content(tool) == [1, 2]    # which waits behind the migration, while the dump goes on
            until(lambda: not query(tool, WAITS)[0][0], "the migration has given up for now")
        assert not upgrade.done()
        dump.rollback()
    assert upgrade.result().returncode == 0, upgrade.result().stderr
    assert applied(tool)[-1] == "0003-third"


@pytest.mark.slow
def test_a_migration_gives_up_in_the_end(tool, schema):
    migrate(tool)
    (schema / "0003-third.sql").write_text(ALTER, encoding="utf-8")
    with reading(tool):
        assert_refused(tool, "nothing was changed, because others keep tables locked: a dump, process ")
    assert applied(tool) == ["0001-first", "0002-second"]
    assert "0003-third" in migrate(tool)


def test_an_applied_file_must_not_change(tool, schema):
    migrate(tool)
    with open(schema / "0002-second.sql", "a", encoding="utf-8") as file:
        file.write(" ")
    (schema / "0003-third.sql").write_text("INSERT INTO first VALUES (3)", encoding="utf-8")
    assert_refused(tool, "0002-second")
    assert content(tool) == [1, 2]


def test_an_applied_file_must_be_there(tool, schema):
    migrate(tool)
    (schema / "0002-second.sql").unlink()
    (schema / "0003-third.sql").write_text("INSERT INTO first VALUES (3)", encoding="utf-8")
    assert_refused(tool, "0002-second")
    assert content(tool) == [1, 2]


@pytest.mark.parametrize("folder_of", ["empty", "missing"])
def test_no_files(tool, schema, folder_of):
    for file in schema.iterdir():
        file.unlink()
    if folder_of == "missing":
        schema.rmdir()
    assert_refused(tool, str(schema))


def test_runs_at_once(tool):
    """One after the other: all succeed, and everything is there once."""
    ran = at_once(*[lambda: tool.ctl("migrate")] * 6)
    assert [each.returncode for each in ran] == [0] * 6, [each.stderr for each in ran]
    assert content(tool) == [1, 2]


def test_the_second_run_waits_for_the_first(tool, schema):
    """For the advisory lock, and not merely for a table."""
    migrate(tool)
    holder = tool.connect()
    holder.cursor().execute("SELECT pg_advisory_lock(x'6d61706469617279'::bigint)")
    waiting = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
    with in_background(lambda: tool.ctl("migrate")) as [second]:
        until(lambda: query(tool, waiting)[0][0], "the second run waits")
        assert not second.done()
        holder.close()
    assert second.result().returncode == 0


def test_the_service_role_cannot_migrate(folder, postgres, tool, schema):
    migrate(tool)
    (schema / "0003-third.sql").write_text("CREATE TABLE third ()", encoding="utf-8")
    database = tool.connect().info.dbname
    weak = Service(folder, postgres, database=database, schema_directory=schema, admin_database=postgres.dsn("mapdiary", database))
    assert_refused(weak, "permission denied")
    assert applied(tool) == ["0001-first", "0002-second"]


def test_another_encoding_is_refused(folder, postgres, schema):
    postgres.run("CREATE DATABASE latin OWNER mapdiary_owner TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'")
    assert_refused(Service(folder, postgres, database="latin", schema_directory=schema), "UTF8")


# The roles, on the real schema.


@pytest.fixture(scope="module")
def real(folder, postgres):
    postgres.create_database("roles")
    tool = Service(folder, postgres, database="roles")
    tool.connect = lambda role="mapdiary_owner": postgres.connect(role, "roles")
    migrate(tool)
    return tool


def test_the_real_schema(real):
    assert applied(real) == sorted(file.stem for file in (TOP / "schema").glob("[0-9]*.sql"))


TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = 'mapdiary' AND tablename <> 'migration' ORDER BY 1"
FORBIDDEN = [
    "DROP TABLE blog", "TRUNCATE blog", "ALTER TABLE blog ADD x integer", "CREATE TABLE mapdiary.x ()", "CREATE INDEX ON blog (score)",
    "CREATE TABLE public.x ()", "CREATE SCHEMA x", "ALTER TABLE blog DISABLE TRIGGER ALL", "CREATE ROLE x", "SET ROLE mapdiary_owner",
    "DROP FUNCTION require_session", "CREATE FUNCTION x() RETURNS int LANGUAGE sql AS 'SELECT 1'",
    "CREATE TRIGGER x BEFORE INSERT ON blog FOR EACH ROW EXECUTE FUNCTION touch_piece()", "DELETE FROM migration",
    "UPDATE migration SET name = ''", "INSERT INTO migration (number, name, checksum) VALUES (9999, 'x', 'x')",
    "UPDATE service SET name = 'another'", "COPY blog TO '/tmp/mapdiary-never'", "ALTER SYSTEM SET port = 1",
]


@pytest.mark.parametrize("statement", FORBIDDEN)
def test_the_service_role_may_not(real, statement):
    with pytest.raises((psycopg2.errors.InsufficientPrivilege, psycopg2.errors.UndefinedTable)):
        query(real, statement, role="mapdiary")


# What functions of the owner read for requests, and write for the indexer; imports note what they add.
CLOSED_TABLES = ("arrival", "indexing", "map_cell", "map_change", "map_waiting", "search_common", "search_entry",
                 "search_old", "search_queue", "search_turn", "search_waiting")


@pytest.mark.parametrize("role", ["mapdiary", "mapdiary_visitor"])
def test_what_finding_goes_by_is_closed(real, role):
    for table in CLOSED_TABLES:
        for right in "SELECT", "INSERT", "UPDATE", "DELETE":
            said = query(real, f"SELECT has_table_privilege('{role}', 'mapdiary_closed.{table}', '{right}')")
            assert said == [((role, table, right) == ("mapdiary", "arrival", "INSERT"),)], (table, right)
    with pytest.raises(psycopg2.errors.InsufficientPrivilege):
        query(real, "SELECT * FROM mapdiary_closed.search_entry", role="mapdiary")


def test_the_service_role_reads_and_writes_rows(real):
    tables = [name for name, in query(real, TABLES)]
    assert {"user_account", "session", "album", "poi", "blog", "comment", "vote", "ledger"} <= set(tables)
    assert "decision" in tables  # which tests/system/community/test_moderation.py has
    for table in set(tables) - {"service", "decision"}:
        rights = "SELECT has_table_privilege('mapdiary', 'mapdiary.{}', '{}')"
        for right in "SELECT", "INSERT", "UPDATE", "DELETE":
            assert query(real, rights.format(table, right)) == [(True,)], table
        for right in "TRUNCATE", "REFERENCES", "TRIGGER":
            assert query(real, rights.format(table, right)) == [(False,)], table


# What a request's statements run as.


@pytest.fixture(scope="module")
def private(real):
    """A private and a public piece of each kind that may be private, of user 1."""
    query(real, """
        INSERT INTO user_account (user_id, email, name, password_hash) VALUES (1, 'a@example.org', 'A', ''), (2, 'b', 'B', '');
        INSERT INTO album (number, owner_id, title, slot, lat, lng, visibility)
            VALUES (1, 1, 'private', 1, 0, 0, 'private'), (2, 1, 'public', 1, 0, 0, 'public');
        INSERT INTO blog (number, owner_id, slot, lat, lng, title, content, post_date, public_day, weather, visibility)
            VALUES (1, 1, 22, 0, 0, 'private', 'c', '2020-01-01', '2020-01-01', '有彩虹', 'private'),
                   (2, 1, 22, 0, 0, 'public', 'c', '2020-01-01', '2020-01-01', '有彩虹', 'public'),
                   (3, 1, 22, 0, 0, 'future', 'c', current_date + 2, current_date + 2, '有彩虹', 'public');
        INSERT INTO poi (number, owner_id, title, slot, lat, lng) VALUES (1, 1, 'public', 17, 0, 0)""")
    return real


def as_visitor(tool, statement):
    return query(tool, f"SET search_path = mapdiary; SELECT become_visitor(); {statement}", role="mapdiary")


CLOSED = [f"SELECT {what} FROM {table}" for what in ("", "1", "count(*)", "*")
          for table in ("piece", "album", "poi", "blog", "mapdiary_closed.piece")]


@pytest.mark.parametrize("statement", CLOSED + [
    "SELECT title FROM own_album", "SELECT content FROM own_blog WHERE number = 2", "TABLE own_album", "SELECT a FROM own_album a",
    "UPDATE album SET title = 'x'", "DELETE FROM blog", "UPDATE own_album SET title = slot::text WHERE number = 1",
    "INSERT INTO own_album (owner_id, title, slot, lat, lng) VALUES (1, 'x', 1, 0, 0) RETURNING title",
    "INSERT INTO poi (owner_id, title, slot, lat, lng) VALUES (1, 'x', 17, 0, 0)", "SELECT FROM album FOR UPDATE",
    "CREATE TEMPORARY TABLE x AS SELECT * FROM album", "COPY album TO STDOUT", "CALL show_pieces()",
    "CREATE OR REPLACE FUNCTION may_see_photo(owner bigint, hidden hiding, viewer bigint) RETURNS boolean LANGUAGE sql AS 'SELECT true'"])
def test_requests_cannot(private, statement):
    with pytest.raises(psycopg2.errors.InsufficientPrivilege):
        as_visitor(private, statement)


def test_what_requests_see(private):
    """What is somebody's alone is there for that user alone, and for whom it is is to be said."""
    seen = "SELECT kind, number, title FROM visible_piece({}) ORDER BY 1, 2".format
    public = [(0, 2, "public"), (1, 1, "public"), (2, 2, "public")]
    for viewer in "NULL", "2", "0", "-1":
        assert as_visitor(private, seen(viewer)) == public
    with pytest.raises(psycopg2.errors.UndefinedFunction):
        as_visitor(private, seen(""))
    assert as_visitor(private, seen(1)) == sorted(public + [(0, 1, "private"), (2, 1, "private"), (2, 3, "future")])
    for key in "0, 1", "2, 1", "2, 3":
        for verb, owned, absent in ("lock", "(1,1)", "(,)"), ("pin", 1, None):
            answers = as_visitor(private, f"SELECT {verb}_piece({key}, 1), {verb}_piece({key}, 2), {verb}_piece({key}, NULL)")
            assert answers == [(owned, absent, absent)]
    assert as_visitor(private, "SELECT pin_public_piece(0, 1), pin_public_piece(0, 2), pin_public_piece(0, 3)") == [(False, True, False)]


def test_visible_pieces_are_looked_up(private):
    """The functions are inlined: an index of the table finds a piece, and none of its columns is fetched that is not asked for."""
    for kind, name in enumerate(("album", "poi", "blog")):
        plan = as_visitor(private, f"SET enable_seqscan = off; EXPLAIN SELECT FROM visible_piece(2) WHERE kind = {kind} AND number = 1")
        assert re.match(f"Index (Only )?Scan using {name}_pkey on {name} ", plan[0][0]) and "visible" not in str(plan)


def test_a_piece_that_got_a_column_or_a_partition(private):
    """What is new is closed, and what is called shows it."""
    query(private, "ALTER TABLE mapdiary.piece ADD later text DEFAULT 'new'; CALL mapdiary.show_pieces()")
    assert as_visitor(private, "SELECT later FROM visible_piece(NULL) WHERE kind = 0") == [("new",)]
    with pytest.raises(psycopg2.errors.InsufficientPrivilege):
        as_visitor(private, "SELECT later FROM album")


def test_nobody_else_may_anything(real, postgres):
    postgres.run("CREATE ROLE stranger LOGIN")
    for statement in "SELECT * FROM mapdiary.blog", "SELECT mapdiary.require_session(1, '')", "CREATE TABLE mapdiary.x ()":
        with pytest.raises(psycopg2.errors.InsufficientPrivilege):
            query(real, statement, role="stranger")


def test_what_runs_as_the_owner_is_for_requests_alone(real):
    """It believes who it is told is asking. Whoever adds such a function calls show_pieces() behind it."""
    callable_by = ("SELECT oid::regprocedure::text FROM pg_proc WHERE prosecdef AND prorettype <> 'trigger'::regtype"
                   " AND has_function_privilege('{}', oid, 'EXECUTE')")
    assert query(real, callable_by.format("public")) == []
    ours = {name for name, in query(real, callable_by.format("mapdiary_visitor"))}
    assert "lock_piece(integer,bigint,bigint)" in ours and "words_of_piece(integer,bigint)" not in ours
    assert ours == {name for name, in query(real, callable_by.format("mapdiary"))}


@pytest.mark.slow
def test_without_the_role_of_requests(folder):
    bare = Postgres(folder, roles=())
    try:
        for role in "mapdiary_owner", "mapdiary":
            bare.run(f"CREATE ROLE {role} LOGIN")
        bare.create_database("mapdiary")
        tool = Service(folder, bare)
        assert_refused(tool, "CREATE ROLE mapdiary_visitor; GRANT mapdiary_visitor TO mapdiary")
        bare.run("CREATE ROLE mapdiary_visitor")
        bare.run("GRANT mapdiary_visitor TO mapdiary")
        migrate(tool)
    finally:
        bare.stop()
