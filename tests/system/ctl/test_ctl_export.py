"""mapdiaryctl export and stats."""

import contextlib
import csv
import datetime
import io
import json
import pathlib
import re
import subprocess
import tarfile
import zipfile

import pytest

from ctl import ABSENT, DATA, FAILED, USAGE, done, refused, shown
from drawn import picture
from http_client import File
from samples import ALBUM, BLOG, insert_poi_photos
from service import BUILD, ENVIRONMENT, Postgres, Service

TEXT = '名 "x"\t\\n <b>'


@pytest.fixture(scope="module")
def alice(new_user):
    """Not everybody's: what belongs to a user is exported whole, and others have photos where this service has none."""
    return new_user("愛麗絲")


@pytest.fixture(scope="module")
def bob(new_user):
    return new_user("Bob")


@pytest.fixture
def content(service, db, alice, bob, poi, album):
    """One of everything, with texts that are hard on formats."""
    db.run("UPDATE poi SET title = %s, lat = '25.0370' WHERE number = %s", TEXT, poi)
    blog = int(service.ok("postBlog", user=bob, **BLOG | {"blogContent": f"a\r\n{TEXT}\n\\."})["blogID"])
    done(service, "photo", "add", f"album:{album}", "t.jpg", "--description", TEXT)
    done(service, "vote", "create", blog, "--description", "?", "--choice", "一", "--choice", "二")
    done(service, "vote", "cast", blog, "--user", alice.id, "--choice", 1)
    done(service, "score", "recommend", f"blog:{blog}", "--user", alice.id)
    done(service, "comment", "add", f"blog:{blog}", "--user", alice.id, "--text", TEXT)
    done(service, "comment", "add", f"album:{album}", "--user", bob.id, "--text", "received")
    return {"poi": poi, "album": album, "blog": blog}


def features(text):
    collection = json.loads(text)
    assert list(collection) == ["type", "features"] and collection["type"] == "FeatureCollection"
    return {feature["id"]: feature for feature in collection["features"]}


@pytest.fixture
def name_here(db):
    """What the service calls itself as a source."""
    return db.value("SELECT name FROM service")


def test_geojson(service, content, alice, bob, name_here):
    poi = features(done(service, "export", "pois"))
    assert poi == {str(content["poi"]): {
        "type": "Feature", "id": str(content["poi"]), "source": name_here,
        "geometry": {"type": "Point", "coordinates": [121.4999, 25.037]},
        "properties": {"name": TEXT, "category": 2, "owner": alice.email, "score": 0}}}
    album = features(done(service, "export", "albums"))[str(content["album"])]
    assert album["properties"] == {"title": ALBUM["albumTitle"], "category": 5, "owner": alice.email, "score": 0,
                                   "visibility": "public"}
    blog = features(done(service, "export", "blogs", "--format", "geojson"))[str(content["blog"])]
    assert blog["properties"]["visibility"] == "public"
    assert blog["properties"]["content"] == f"a\r\n{TEXT}\n\\." and blog["properties"]["author"] == bob.email
    assert '"coordinates":[121.4999,25.0370]' in done(service, "export", "pois")


def test_csv(service, content, alice, bob, tmp_path, name_here):
    rows = list(csv.DictReader(io.StringIO(done(service, "export", "pois", "--format", "csv"), newline="")))
    assert rows == [{"id": str(content["poi"]), "source": name_here, "name": TEXT, "category": "2", "lat": "25.0370",
                     "lng": "121.4999", "owner": alice.email, "score": "0"}]
    path = tmp_path / "blogs.csv"
    assert done(service, "export", "blogs", "--format", "csv", "--output", path) == ""
    with open(path, newline="", encoding="utf-8") as file:
        row = {row["id"]: row for row in csv.DictReader(file)}[str(content["blog"])]
    assert (row["author"], row["content"], row["weather"]) == (bob.email, f"a\r\n{TEXT}\n\\.", "晴空萬里")
    albums = done(service, "export", "albums", "--format", "csv")
    assert f"{content['album']},{name_here},{ALBUM['albumTitle']},5," in albums


# What is exported comes in again

KINDS = ["pois", "albums", "blogs"]


@pytest.fixture
def other(service, postgres, folder, tmp_path):
    """A further service with the same users, and nothing else."""
    users = shown(service, "user", "list")
    postgres.run("DROP DATABASE IF EXISTS other")
    postgres.create_database("other")
    other = Service(folder, postgres, database="other")
    done(other, "migrate")
    path = tmp_path / "users.jsonl"
    path.write_text("".join(json.dumps({"email": user["email"], "name": user["name"]}) + "\n" for user in users))
    assert counts(other, "users", path)[1] == len(users)
    return other


@pytest.fixture
def imported(service, db, content, alice, bob, tmp_path):
    """Things of another source beside those of the service; blogs quote each other in every way."""
    db.run("DELETE FROM piece_source")
    own, quoting = content["blog"], int(service.ok("postBlog", user=bob, **BLOG)["blogID"])
    thing = {"lat": "1.50", "lng": "-2.0", "owner": alice.email, "category": 3}
    blog = {"author": bob.email, "lat": 1, "lng": 2, "content": "x", "type": "0_1", "weather": "有彩虹",
            "date": "2024-02-29"}
    for kind, rows in {
        "pois": [thing | {"id": "n1", "name": "=1+1"}],
        "albums": [thing | {"id": str(content["album"]), "title": "another one with that number"}],
        "blogs": [blog | {"id": "b1", "title": "@x", "reply": f"#{own}"},
                  blog | {"id": "b2", "title": "y", "reply": "b1"}],
    }.items():
        path = tmp_path / f"{kind}.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        assert counts(service, kind, path, "--source", "elsewhere") == (len(rows), len(rows), 0, 0)
    b1 = db.value("SELECT number FROM piece_source WHERE kind = 2 AND identifier = 'b1'")
    done(service, "blog", "update", quoting, "--reply", b1)
    return {"own": own, "quoting": quoting, "b1": b1}


def counts(service, kind, path, *options):
    got = shown(service, "import", kind, path, *options)
    assert got["rejected"] == 0
    return tuple(got[name] for name in ("rows", "added", "changed", "unchanged"))


def exported(service, kind, path):
    done(service, "export", kind, "--format", path.suffix[1:], "--output", path)
    return path


@pytest.mark.few(2)
@pytest.mark.parametrize("format", ["geojson", "csv"])
@pytest.mark.parametrize("kind", KINDS)
def test_an_export_changes_nothing_where_it_came_from(service, db, imported, tmp_path, kind, format):
    path = exported(service, kind, tmp_path / f"x.{format}")
    with db.unchanged():
        rows, added, changed, unchanged = counts(service, kind, path)
        assert (added, changed, unchanged) == (0, 0, rows) and rows > 1
        assert counts(service, kind, path, "--source", "whatever") == (rows, 0, 0, rows)


@pytest.mark.few(2)
@pytest.mark.parametrize("format", ["geojson", "csv"])
@pytest.mark.parametrize("kind", KINDS)
def test_an_export_comes_in_once_elsewhere(service, db, other, imported, tmp_path, kind, format):
    """There it is exported as it was, its identifiers and their sources too; and that changes nothing here."""
    path = exported(service, kind, tmp_path / f"x.{format}")
    rows, *_ = counts(other, kind, path)
    assert counts(other, kind, path) == (rows, 0, 0, rows)
    again = exported(other, kind, tmp_path / f"again.{format}")
    assert again.read_bytes() == path.read_bytes()
    with db.unchanged():
        assert counts(service, kind, again) == (rows, 0, 0, rows)


@pytest.mark.slow
def test_what_two_services_add_stays_apart(service, other, postgres, content, alice, tmp_path):
    """Their own identifiers are the same numbers."""
    mine = exported(service, "pois", tmp_path / "mine.csv")
    few = min(content["poi"], 3)
    with contextlib.closing(postgres.connect("mapdiary_owner", "other")) as connection, connection.cursor() as cursor:
        cursor.execute("SELECT setval('mapdiary.poi_number', %s, false)", [content["poi"] - few + 1])
        connection.commit()
    there = [int(done(other, "poi", "add", "--owner", alice.email, "--name", f"there {number}", "--category", 1,
                      "--lat=0", "--lng=0")) for number in range(few)]
    assert there[-1] == content["poi"]
    assert counts(other, "pois", mine) == (1, 1, 0, 0)
    both, rows = exported(other, "pois", tmp_path / "both.csv"), len(there) + 1
    assert counts(service, "pois", both) == (rows, len(there), 0, 1)
    assert counts(service, "pois", both) == (rows, 0, 0, rows)
    assert counts(other, "pois", exported(service, "pois", tmp_path / "back.csv")) == (rows, 0, 0, rows)


def test_what_was_removed_comes_back_once(service, db, imported, tmp_path):
    path = exported(service, "blogs", tmp_path / "x.csv")
    rows = len(shown(service, "blog", "list"))
    done(service, "blog", "remove", imported["own"], "--yes")
    assert db.value("SELECT reply_number FROM blog WHERE number = %s", imported["b1"]) is None
    got = counts(service, "blogs", path)
    assert got[:2] == (rows, 1)
    assert counts(service, "blogs", path) == (rows, 0, 0, rows)
    back = db.value("SELECT reply_number FROM blog WHERE number = %s", imported["b1"])
    assert shown(service, "blog", "show", back)["blogContent"] == f"a\r\n{TEXT}\n\\."
    assert exported(service, "blogs", tmp_path / "again.csv").read_text().count("\n") == path.read_text().count("\n")


def test_what_changed_since_is_as_it_was_exported(service, content, tmp_path):
    path = exported(service, "pois", tmp_path / "x.geojson")
    done(service, "poi", "update", content["poi"], "--name", "new")
    assert counts(service, "pois", path) == (1, 0, 1, 0)
    assert shown(service, "poi", "show", content["poi"])["name"] == TEXT


def test_a_blog_that_quotes_itself(service, db, content, name_here, tmp_path):
    path = exported(service, "blogs", tmp_path / "x.csv")
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(row | ({"reply": row["id"]} if row["id"] == str(content["blog"]) else {}) for row in rows)
    with db.unchanged():
        ran = service.ctl("import", "blogs", path, "--rejects", tmp_path / "bad.csv")
    assert ran.returncode == DATA
    with open(tmp_path / "bad.csv", newline="", encoding="utf-8") as file:
        row, = csv.DictReader(file)
    assert (row["reason"], row["id"], row["source"]) == ("reply: the blog itself", str(content["blog"]), name_here)


def contents(path):
    if path.suffix == ".zip":
        with zipfile.ZipFile(path) as archive:
            assert archive.testzip() is None
            return {name: archive.read(name).decode() for name in archive.namelist()}
    with tarfile.open(path) as archive:
        return {member.name: archive.extractfile(member).read().decode() for member in archive}


@pytest.mark.parametrize("name", ["u.zip", "u.tar"])
def test_user(service, db, content, alice, bob, tmp_path, name):
    path = tmp_path / name
    db.run("UPDATE user_account SET language = 'en' WHERE user_id = %s", alice.id)
    db.run("DELETE FROM mail WHERE user_id = %s", alice.id)
    db.run("INSERT INTO mail (user_id, recipient, subject, body, expires_at) VALUES (%s, %s, 'x', 'nobody else reads',"
           " now() + interval '1 hour')", alice.id, alice.email)
    assert done(service, "export", "user", alice.email, "--output", path) == ""
    assert path.stat().st_mode & 0o777 == 0o600
    files = contents(path)
    readme = files.pop("README.txt")
    assert all(file in readme for file in files)
    rows = {file: [json.loads(line) for line in text.splitlines()] for file, text in files.items()}
    account, = rows["account.jsonl"]
    assert (account["userID"], account["email"], account["name"]) == (alice.id, alice.email, alice.name)
    assert not any("argon2" in text for text in files.values())
    assert content["album"] in [album["id"] for album in rows["albums.jsonl"]]
    assert TEXT in [photo["description"] for photo in rows["album-photos.jsonl"]]
    assert content["poi"] in [poi["id"] for poi in rows["places.jsonl"]]
    assert (content["blog"], TEXT) in [(comment["blog"], comment["comment"]) for comment in rows["comments.jsonl"]]
    assert (content["album"], bob.name) in [(one["album"], one["commenter"]) for one in rows["received-comments.jsonl"]]
    assert (content["blog"], "一") in [(vote["blog"], vote["choice"]) for vote in rows["votes.jsonl"]]
    assert content["blog"] in [one["blog"] for one in rows["recommendations.jsonl"]]
    assert len(rows["blogs.jsonl"]) == db.value("SELECT count(*) FROM blog WHERE owner_id = %s", alice.id)
    assert len(rows["rewards.jsonl"]) == db.value("SELECT count(*) FROM ledger WHERE user_id = %s", alice.id)
    assert rows["sessions.jsonl"]
    assert account["language"] == "en"
    assert [(mail["recipient"], mail["state"]) for mail in rows["mails.jsonl"]] == [(alice.email, "waiting")]
    assert "nobody else reads" not in files["mails.jsonl"]


@pytest.fixture
def moderated(service, db, content, bob):
    """Bob has reported Alice's album, and an operator has hidden it and her place."""
    service.ok("report", user=bob, albumID=content["album"], reason="spam")
    why = ["--reason", "no place", "--rule", "1"]
    done(service, "piece", "hide", f"album:{content['album']}", *why)
    done(service, "piece", "hide", f"poi:{content['poi']}", *why)
    yield content
    for table in "album", "poi":
        db.run(f"UPDATE {table} SET hidden = NULL")


def test_what_is_hidden(service, moderated):
    """It is nobody else's where it is imported, and places, which have no visibility, stay behind."""
    albums, places = (csv.DictReader(io.StringIO(done(service, "export", kind, "--format", "csv"), newline=""))
                      for kind in ("albums", "pois"))
    assert [row["visibility"] for row in albums if row["id"] == str(moderated["album"])] == ["private"]
    assert str(moderated["poi"]) not in [row["id"] for row in places]


def test_reports_and_decisions_of_a_user(service, moderated, alice, bob, tmp_path):
    album = f"album:{moderated['album']}"
    row = lines_of(service, bob, tmp_path / "bob.zip", "reports.jsonl")[-1]
    assert (row["thing"], row["reason"], row["state"]) == (album, "spam", "upheld")
    rows = lines_of(service, alice, tmp_path / "alice.zip", "decisions.jsonl")
    assert (album, "hide", "no place", "1") in [(row["thing"], row["action"], row["reason"], row["rule"]) for row in rows]
    account, = lines_of(service, alice, tmp_path / "once more.zip", "account.jsonl")
    assert account["blocked"] is False


def lines_of(service, user, path, name):
    done(service, "export", "user", user.id, "--output", path)
    return [json.loads(line) for line in contents(path)[name].splitlines()]


def test_votes_of_a_user(service, db, content, bob, tmp_path):
    db.run("UPDATE vote_choice SET description = ' 7 \\ ', votes = 12 WHERE blog_id = %s AND position = 1", content["blog"])
    db.run("UPDATE vote_choice SET description = %s WHERE blog_id = %s AND position = 2", TEXT, content["blog"])
    plain = int(service.ok("postBlog", user=bob, **BLOG)["blogID"])
    blogs = {blog["id"]: blog for blog in lines_of(service, bob, tmp_path / "u.zip", "blogs.jsonl")}
    assert (blogs[plain]["vote"], blogs[plain]["choices"]) == (None, None)
    assert (blogs[content["blog"]]["vote"], blogs[content["blog"]]["choices"]) == (
        "?", [{"description": " 7 \\ ", "votes": 12}, {"description": TEXT, "votes": 0}])


@pytest.mark.parametrize("moment", ["2026-02-03 04:05:06.1234", "2026-02-03 04:05:06", "1926-07-03 04:05:06.000001"])
def test_moments_of_a_user(service, db, new_user, tmp_path, moment):
    """To the last digit, in the service's time zone."""
    user = new_user()
    db.run("UPDATE user_account SET created_at = %s WHERE user_id = %s", moment, user.id)
    account, = lines_of(service, user, tmp_path / "u.tar", "account.jsonl")
    assert datetime.datetime.fromisoformat(account["created"]) == datetime.datetime.fromisoformat(moment + "+00:00")
    assert re.fullmatch(r"[0-9-]+T[0-9:]+(\.\d+)?[+-]\d\d:\d\d", account["created"]).group(1) == (re.search(r"\.\d+", moment) or [None])[0]


def test_user_as_asked_for(service, bob, tmp_path):
    path = tmp_path / "x"
    done(service, "export", "user", bob.id, "--output", path, "--format", "zip")
    assert zipfile.is_zipfile(path)
    with tarfile.open(fileobj=io.BytesIO(piped(service, bob))) as archive:
        assert "account.jsonl" in archive.getnames()


def piped(service, user, *options):
    """The archive that goes through a pipe."""
    command = [BUILD / "mapdiaryctl", "-c", service.conf, "export", "user", str(user.id), "--output", "-"]
    ran = subprocess.run([*command, *options], capture_output=True, env=ENVIRONMENT, timeout=60)
    assert (ran.returncode, ran.stderr) == (0, b"")
    return ran.stdout


def test_user_through_a_pipe(service, content, bob):
    """As the manual has it, for a file of one's own: any program reads it."""
    with zipfile.ZipFile(io.BytesIO(piped(service, bob, "--format", "zip"))) as archive:
        assert archive.testzip() is None
        assert "account.jsonl" in archive.read("README.txt").decode()
        assert json.loads(archive.read("account.jsonl"))["email"] == bob.email
        assert content["blog"] in [json.loads(line)["id"] for line in archive.read("blogs.jsonl").splitlines()]


def test_export_wrongly(service, bob):
    refused(service, FAILED, "export", "pois", "--output", "/nowhere/x")
    refused(service, FAILED, "export", "user", bob.id, "--output", "/nowhere/x.zip")
    refused(service, ABSENT, "export", "user", 999999999, "--output", "/tmp/none.tar")
    refused(service, USAGE, "export", "user", bob.id)
    refused(service, USAGE, "export", "pois", "--format", "xml")


@pytest.mark.parametrize("format", ["geojson", "csv"])
def test_export_to_a_full_disk(service, content, format):
    with open("/dev/full", "wb") as full:
        ran = subprocess.run([BUILD / "mapdiaryctl", "-c", service.conf, "export", "pois", "--format", format], stdout=full,
                             stderr=subprocess.PIPE, text=True, env=ENVIRONMENT, timeout=60)
    assert ran.returncode == FAILED and "No space left on device" in ran.stderr


# Statistics


def largest(few, all_of_before, limit, size):
    """The rows are the largest, in order. The database goes on between two answers, and a size may grow."""
    sizes = [size(row) for row in few]
    assert len(few) == limit and sizes == sorted(sizes, reverse=True)
    assert sizes[-1] >= size(all_of_before[limit - 1])


def test_stats(service, db, content, alice):
    got = shown(service, "stats", "--limit", 1000)
    counts = {row["kind"]: row for row in got["counts"]}
    for kind, table in {"users": "user_account", "albums": "album", "places": "poi", "blogs": "blog", "comments": "comment"}.items():
        assert counts[kind]["total"] == db.value(f"SELECT count(*) FROM {table}")
        assert counts[kind]["day"] <= counts[kind]["week"] <= counts[kind]["month"] <= counts[kind]["total"]
    assert counts["blogs"]["day"] > 0
    assert got["busiestUsers"][0]["acts"] >= got["busiestUsers"][-1]["acts"] > 0
    assert {"poi", "blog", "user_account"} <= {row["table"] for row in got["tables"]}
    assert all(row["bytes"] >= 0 for row in got["indexes"])
    for limit, options in (10, ()), (2, ("--limit", 2)):
        few = shown(service, "stats", *options)
        largest(few["tables"], got["tables"], limit, lambda row: row["bytes"] + row["indexBytes"])
        largest(few["indexes"], got["indexes"], limit, lambda row: row["bytes"])
    text = done(service, "stats")
    assert text.startswith("counts:\n  - kind: users\n    total: ")


def test_stats_of_a_table_that_nobody_has_counted(folder, postgres, service):
    postgres.run("DROP DATABASE IF EXISTS uncounted")
    postgres.create_database("uncounted")
    uncounted = Service(folder, postgres, database="uncounted")
    done(uncounted, "migrate")
    stats = "stats", "--limit", 1000
    assert {row["table"]: row["rows"] for row in shown(uncounted, *stats)["tables"]}["poi"] is None
    assert "- table: poi\n    rows: unknown\n" in done(uncounted, *stats)
    with contextlib.closing(postgres.connect("mapdiary_owner", "uncounted")) as connection:
        connection.cursor().execute("ANALYZE mapdiary.poi")
    assert "- table: poi\n    rows: 0\n" in done(uncounted, *stats)


def test_stats_of_photos(service, db, content, alice):
    """Those by address, and those that were uploaded."""
    def of():
        return {row["of"]: (row["total"], row["uploaded"], row["bytes"]) for row in shown(service, "stats")["photos"]}

    before = of()
    assert before["albums"][0] == db.value("SELECT count(*) FROM photo WHERE kind = 0")
    sent = picture()
    service.ok("addPhoto", user=alice, albumID=content["album"], photo=File(sent))
    poi = db.insert("poi", owner_id=alice.id, title="x", slot=21, lat=1, lng=2)
    insert_poi_photos(db, poi, 2)
    service.ok("addPhoto", user=alice, POIID=poi, photo=File(sent))
    after = of()
    grown = {kind: tuple(now - then for now, then in zip(after[kind], before[kind])) for kind in after}
    assert grown == {"albums": (1, 1, len(sent)), "places": (3, 1, len(sent))}


def test_stats_of_places(service, content, alice):
    done(service, "comment", "add", f"poi:{content['poi']}", "--user", alice.id, "--text", "x")
    assert shown(service, "stats")["busiestPlaces"] == [
        {"POIID": content["poi"], "name": TEXT, "comments": 1, "score": 0}]


def test_stats_wrongly(service):
    refused(service, USAGE, "stats", "--limit", "0")


@pytest.fixture(scope="module")
def watched(folder):
    """A cluster that loads pg_stat_statements when it starts."""
    postgres = Postgres(folder, settings="shared_preload_libraries = 'pg_stat_statements'\n")
    yield postgres
    postgres.stop()


def run_in(postgres, database, *statements):
    with contextlib.closing(postgres.connect("postgres", database)) as connection:
        for statement in statements:
            connection.cursor().execute(statement)


@pytest.mark.parametrize("schema", ["public", "statistics", 'Odd "name"; %s'])
def test_slow_statements(folder, watched, schema):
    watched.run("DROP DATABASE IF EXISTS slow")
    watched.create_database("slow")
    service = Service(folder, watched, database="slow")
    done(service, "migrate")
    assert "slowStatements" not in shown(service, "stats")
    quoted = '"' + schema.replace('"', '""') + '"'
    run_in(watched, "slow", f"CREATE SCHEMA IF NOT EXISTS {quoted}", f"CREATE EXTENSION pg_stat_statements SCHEMA {quoted}")
    if schema != "public":
        assert "slowStatements" not in shown(service, "stats")  # as nobody may look into it
        run_in(watched, "slow", f"GRANT USAGE ON SCHEMA {quoted} TO mapdiary")
    for _ in range(3):
        done(service, "user", "list")
    rows = shown(service, "stats", "--limit", 1000)["slowStatements"]
    mine, = [row for row in rows if "strpos(lower(name)" in row["statement"]]
    assert mine["calls"] == 3 and mine["meanMs"] > 0 and mine["totalMs"] >= 0 and mine["rows"] == 0
    assert not any("privilege" in row["statement"] or "CREATE TABLE" in row["statement"] for row in rows)
    assert len(shown(service, "stats", "--limit", 2)["slowStatements"]) == 2
    watched.run("GRANT pg_read_all_stats TO mapdiary")
    rows = shown(service, "stats", "--limit", 1000)["slowStatements"]
    assert any("CREATE TABLE" in row["statement"] for row in rows)
    watched.run("REVOKE pg_read_all_stats FROM mapdiary")


def test_slow_statements_that_were_not_loaded(service, postgres):
    """The extension is there, and the server was not restarted for it."""
    run_in(postgres, "mapdiary", "CREATE EXTENSION pg_stat_statements")
    assert "slowStatements" not in shown(service, "stats")
    run_in(postgres, "mapdiary", "DROP EXTENSION pg_stat_statements")


@pytest.mark.parametrize("words", [["pois"], ["albums"], ["blogs", "--format", "csv"], ["user", "{user}"]], ids=lambda words: words[0])
def test_files_are_private_and_new(service, content, alice, tmp_path, words):
    """Whatever had the name before: its owner, its mode and who has it open are not those of the export."""
    words = [word.format(user=alice.id) for word in words]
    path, precious = tmp_path / "export", tmp_path / "precious"
    path.write_text("before")
    path.chmod(0o666)
    with open(path, encoding="utf-8") as opened:
        done(service, "export", *words, "--output", path)
        assert opened.read() == "before"
    assert path.stat().st_mode & 0o777 == 0o600 and path.stat().st_size > 100
    precious.write_text("precious")
    path.unlink()
    path.symlink_to(precious)
    assert "is a link" in refused(service, FAILED, "export", *words, "--output", path)
    assert precious.read_text() == "precious"
    done(service, "export", *words, "--output", "/dev/null")
    assert pathlib.Path("/dev/null").is_char_device()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["export", "precious"]


def test_titles_do_not_drive_a_terminal(service, alice):
    title = "\x9b31m\x7f\u202ehidden\u2066"
    album = service.ok("addAlbum", user=alice, **ALBUM | {"albumTitle": title})["albumID"]
    for options in [], ["--json"]:
        text = done(service, "album", "show", album, *options)
        assert r"\u009b31m\u007f\u202ehidden\u2066" in text
        assert not set(title) & set(text) & set("\x9b\x7f\u202e\u2066")
    assert json.loads(text)["albumTitle"] == title
