"""The tables that grow without end, parted into ranges as conf/cluster/partitions.sql does it: while the service runs, without
writing what there is anew, and without another statement."""

import contextlib
import json
import subprocess

import pytest

from conftest import Rows, new_token
from load import Load
from samples import ALBUM, BLOG, ZONE, User, of_blog, today
from service import ENVIRONMENT, TOP, Service

PARTED = "blog", "comment", "ledger"
FILES = "SELECT relname, relfilenode FROM pg_class WHERE relnamespace = 'mapdiary'::regnamespace AND relkind IN ('r', 'i')"


@pytest.fixture(scope="module")
def service(folder, postgres):
    postgres.create_database("parted")
    service = Service(folder, postgres, database="parted", timezone=ZONE, workers=4, reward_daily_limit=1000000)
    assert service.ctl("migrate").returncode == 0
    yield service.start()
    service.stop()


@pytest.fixture(scope="module")
def db(postgres, service):
    with contextlib.closing(postgres.connect("mapdiary_owner", "parted")) as connection:
        rows = Rows(connection)
        rows.run(f"SET timezone = '{ZONE}'")
        yield rows


@pytest.fixture(scope="module")
def user(service):
    added = service.ctl("user", "add", "--email", "a@example.org", "--name", "A", text="password\n")
    user = User(int(added.stdout), "a@example.org", "password", "A", "")
    user.token = new_token(service, user)
    return user


def add_comment(service, user, blog, text):
    done = service.ctl("comment", "add", f"blog:{blog}", "--user", user.id, "--text", text)
    assert done.returncode == 0, done.stderr


def part(postgres):
    return subprocess.run(
        ["psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "--single-transaction", f"--file={TOP}/conf/cluster/partitions.sql",
         postgres.dsn("mapdiary_owner", "parted")], capture_output=True, text=True, env=ENVIRONMENT, timeout=60)


@pytest.fixture(scope="module")
def old(postgres, service, db, user):
    """A blog from before, with a vote and a comment. When it comes, the tables have been parted under load."""
    old = service.ok("postBlog", user=user, **BLOG)["blogID"]
    add_comment(service, user, old, "before")
    assert service.ctl("vote", "create", old, "--description", "?", "--choice", "1", "--choice", "2").returncode == 0
    before = dict(db.run(FILES))
    load = Load(service, user)
    with load.running():
        load.wait_for_writes()
        parted = part(postgres)
        assert parted.returncode == 0, parted.stderr
        load.wait_for_writes()
    figures = load.compare(db)
    assert (figures.lost, figures.twice, figures.malformed, figures.failed) == (0, 0, 0, 0), load.errors
    assert figures.acknowledged > 40
    after = dict(db.run(FILES))
    assert {after[f"{table}_1"] for table in PARTED} == {before[table] for table in PARTED}
    assert before.items() - {(table, before[table]) for table in PARTED} <= after.items()
    return old


def partition(db, table, blog):
    return db.column(f"SELECT tableoid::regclass::text FROM {table} WHERE {of_blog(table)}", blog)


def test_rows_are_in_their_partitions(service, db, user, old):
    new = service.ok("postBlog", user=user, **BLOG)["blogID"]
    add_comment(service, user, new, "after")
    for table in "blog", "comment":
        assert partition(db, table, old) == [f"{table}_1"]
        assert partition(db, table, new) == [f"{table}_2"]
    assert partition(db, "ledger", new) == ["ledger_1"]
    db.run("UPDATE ledger SET credited_on = credited_on + 1 WHERE blog_id = %s", new)
    assert partition(db, "ledger", new) == ["ledger_2"]


@pytest.mark.parametrize("table, key", [("blog", "number"), ("comment", "comment_id"), ("ledger", "credited_on")])
def test_a_look_up_reads_one_partition(db, old, table, key):
    db.run("SET plan_cache_mode = force_generic_plan")
    db.run(f"PREPARE look_up_{table} AS SELECT * FROM {table} WHERE {key} = $1")
    value = today() if key == "credited_on" else old
    plan = db.value(f"EXPLAIN (FORMAT json) EXECUTE look_up_{table} (%s)", value)
    assert plan[0]["Plan"].get("Subplans Removed") == 1, json.dumps(plan, indent=1)


def test_blogs_quote_across_partitions_and_outlive_each_other(service, db, user, old):
    quoting = service.ok("postBlog", user=user, replyBlogID=old, **BLOG)["blogID"]
    assert service.ok("getBlog", blogID=quoting)["replyBlogID"] == old
    add_comment(service, user, old, "after")
    comments = [dict(comment)["comment"] for _, comment in service.ok("getBlog", blogID=old)["comments"]]
    assert comments == ["before", "after"]
    service.ok("updateBlog", user=user, **BLOG | {"blogID": old, "blogTitle": "mended"})
    assert service.ok("getBlog", blogID=old)["blogTitle"] == "mended"
    service.ok("updateBlog", user=user, blogID=old, delete="true")
    assert "replyBlogID" not in service.ok("getBlog", blogID=quoting).names
    for table in "comment", "vote", "vote_choice", "ledger":
        assert db.value(f"SELECT count(*) FROM {table} WHERE {of_blog(table)}", old) == 0


def test_all_partitions_are_counted(service, db, user, old):
    service.ok("postBlog", user=user, **BLOG)
    counted = service.ctl("recount")
    assert (counted.returncode, counted.stderr) == (0, "")
    assert int(counted.stdout) == db.value("SELECT count(*) FROM blog WHERE visibility = 'public' AND post_date <= current_date")
    assert db.value("SELECT wrong_cells()") == 0


def test_requests_change_no_partition_by_itself(db, old):
    """Comments are changed by functions alone, and blogs by a view: of a partition requests have no more rights than of the whole."""
    for table in "comment", "blog":
        parts = db.column("SELECT relid::regclass::text FROM pg_partition_tree(%s)", table)
        assert len(parts) == 3
        for part in parts:
            assert not db.value("SELECT has_table_privilege('mapdiary_visitor', %s, 'UPDATE, DELETE')", part), part


def test_the_day_has_its_limit(folder, postgres, service, old):
    limited = Service(folder, postgres, database="parted", timezone=ZONE, workers=1, reward_daily_limit=2)
    added = service.ctl("user", "add", "--email", "b@example.org", "--name", "B", text="password\n")
    author = User(int(added.stdout), "b@example.org", "password", "B", "")
    author.token = new_token(service, author)
    limited.start()
    try:
        assert [limited.ok("postBlog", user=author, **BLOG)["reward"] for _ in range(3)] == ["10", "10", "0"]
    finally:
        limited.stop()


def test_the_administrators_statements_are_the_same(service, db, user, old, tmp_path):
    rows = tmp_path / "blogs.jsonl"
    rows.write_text(json.dumps({"id": "1", "type": "0_4", "lat": 1, "lng": 2, "title": "t", "content": "c", "date": "2024-02-29",
                                "weather": "有彩虹"}) + "\n")
    for counts in "added: 1", "unchanged: 1":
        done = service.ctl("import", "blogs", rows, "--source", "s", "--owner", user.id)
        assert done.returncode == 0 and counts in done.stdout, done
    blog = db.value("SELECT number FROM piece_source")
    assert partition(db, "blog", blog) == ["blog_2"]
    assert db.value("SELECT wrong_cells()") == db.value("SELECT count(*) FROM unlisted_pieces()") == 0
    service.ok("updateBlog", user=user, blogID=blog, delete="true")
    assert db.value("SELECT count(*) FROM piece_source") == 0
    service.ok("addAlbum", user=user, **ALBUM)
    findings = {row["check"]: row["state"] for row in json.loads(service.doctor("--json").stdout)}
    assert findings["schema"] == findings["roles"] == "ok"
    for command in ["stats"], ["export", "user", user.id, "--output", tmp_path / "a.zip"], ["user", "delete", user.id, "--yes"]:
        done = service.ctl(*command)
        assert done.returncode == 0, done.stderr
    assert db.value("SELECT count(*) FROM blog WHERE owner_id = %s", user.id) == 0
