"""The box that a map shows first."""

import contextlib
import json

import pytest

import json_rule
import samples
from conftest import Rows
from service import Service

JSON = {"responseFormat": "JSON"}
WORLD = {"west": -180, "south": -90, "east": 180, "north": 90}
TAIPEI, PARIS, SUVA = (25.03, 121.56), (48.85, 2.35), (-18.1, 178.4)


def start(service):
    answer = service.call("getStart", **JSON)
    json_rule.assert_same(answer, service.call("getStart"))
    got = json.loads(answer.body)
    assert got.pop("status") == "SUCCESS"
    return got


@pytest.fixture(scope="module")
def service(folder, postgres):
    postgres.create_database("start")
    service = Service(folder, postgres, database="start", timezone=samples.ZONE, workers=2, cache_max_age="0s")
    assert service.ctl("migrate").returncode == 0
    yield service.start()
    service.stop()


@pytest.fixture(scope="module")
def db(postgres, service):
    with contextlib.closing(postgres.connect("mapdiary_owner", "start")) as connection:
        rows = Rows(connection)
        rows.run(f"SET timezone = '{samples.ZONE}'")
        yield rows


@pytest.fixture(scope="module")
def owner(service):
    added = service.ctl("user", "add", "--email", "alice@example.org", "--name", "alice", text="password\n")
    return int(added.stdout)


@pytest.fixture(autouse=True)
def nothing_there(service, db):
    db.run("DELETE FROM piece")


def albums(db, owner, place, count=1, visibility="public"):
    db.run("INSERT INTO album (owner_id, title, slot, lat, lng, visibility) SELECT %s, 'x', 1, %s, %s, %s"
           " FROM generate_series(1, %s)", owner, *place, visibility, count)


def blogs(db, owner, place, day="2024-01-01", count=1, visibility="public", public_day=None):
    db.run("INSERT INTO blog (owner_id, slot, lat, lng, title, content, post_date, public_day, weather, visibility)"
           " SELECT %s, 23, %s, %s, 'x', 'y', %s, %s, %s, %s FROM generate_series(1, %s)",
           owner, *place, day, public_day or day, samples.WEATHERS[0], visibility, count)


def is_around(box, place):
    wide = (box["east"] - box["west"]) % 360
    assert 0.0999 < wide <= 10.000002 and 0.0999 < box["north"] - box["south"] <= 10.000002
    return box["south"] <= place[0] <= box["north"] and (place[1] - box["west"]) % 360 <= wide


def test_a_site_without_pieces_shows_the_world(service, db, owner):
    assert start(service) == WORLD
    db.run("INSERT INTO poi (owner_id, title, slot, lat, lng) VALUES (%s, 'x', 17, 1, 1)", owner)
    assert start(service) == WORLD


def test_where_the_most_is(service, db, owner):
    albums(db, owner, PARIS, 2)
    assert start(service) == {"west": 2.3, "south": 48.8, "east": 2.4, "north": 48.9}
    blogs(db, owner, TAIPEI, count=2)
    albums(db, owner, (24.1, 120.7))
    got = start(service)
    assert got == {"west": 120.7, "south": 24.1, "east": 121.56, "north": 25.03}
    assert is_around(got, TAIPEI)


def test_across_the_antimeridian(service, db, owner):
    albums(db, owner, SUVA)
    albums(db, owner, (-13.8, -171.7))
    albums(db, owner, PARIS)
    got = start(service)
    assert got == {"west": 178.4, "south": -18.1, "east": -171.7, "north": -13.8} and is_around(got, SUVA)


def test_only_what_everybody_sees_counts(service, db, owner):
    albums(db, owner, PARIS)
    albums(db, owner, TAIPEI, 600, visibility="private")
    blogs(db, owner, TAIPEI, count=600, visibility="private")
    blogs(db, owner, TAIPEI, day="9000-01-01", count=600)
    assert is_around(start(service), PARIS)
    db.run("UPDATE album SET visibility = 'public', hidden = 'held' WHERE visibility = 'private'")
    assert is_around(start(service), PARIS)
    db.run("UPDATE blog SET public_day = '2024-01-01' WHERE post_date = '9000-01-01' AND number % 300 = 0")
    assert is_around(start(service), TAIPEI)


def test_the_newest_500_count(service, db, owner):
    albums(db, owner, PARIS, 400)
    db.run("UPDATE album SET created_at = '2020-01-01'")
    blogs(db, owner, TAIPEI, day="2021-01-01", count=300)
    assert is_around(start(service), TAIPEI)
    blogs(db, owner, SUVA, day="2022-01-01", count=280)
    assert is_around(start(service), SUVA)
    db.run("DELETE FROM blog WHERE lat = %s", SUVA[0])
    db.run("DELETE FROM blog WHERE number % 2 = 0")
    assert is_around(start(service), PARIS)


def test_private_albums_are_not_read(db, owner):
    """Many albums of one user, which nobody sees, take no time of others."""
    albums(db, owner, PARIS)
    albums(db, owner, TAIPEI, 2000, visibility="private")
    db.run("ANALYZE album; SET enable_seqscan = off; SET enable_sort = off")
    plan = "\n".join(db.column("EXPLAIN (ANALYZE, COSTS OFF) SELECT lat FROM visible_piece(NULL) WHERE kind = 0"
                               " AND visibility = 'public' AND hidden IS NULL ORDER BY number DESC LIMIT 500"))
    db.run("RESET enable_seqscan; RESET enable_sort")
    assert "Index Scan Backward using album_newest" in plan and "Removed by Filter" not in plan


def test_an_operator_names_the_box(folder, postgres, service, db, owner):
    albums(db, owner, PARIS)
    other = Service(folder, postgres, database="start", timezone=samples.ZONE, workers=1, map_start="170 -50.25 -170 -30").start()
    try:
        assert start(other) == {"west": 170, "south": -50.25, "east": -170, "north": -30}
    finally:
        other.stop()
