"""getNearby, getMap, search, getBlogList and getSite: right on the sphere, for their reader alone, page by page, and kept right
while pieces come, change and go."""

import contextlib
import json
import math
import random
import re
import statistics

import pytest
from geographiclib.geodesic import Geodesic

import json_rule
import samples
from conftest import Rows
from samples import ALBUM, BLOG
from service import Service, at_once, until

JSON = {"responseFormat": "JSON"}
RADIUS = 6_371_008.8
KINDS = "album", "POI", "blog"
KEYS = dict(zip(KINDS, ("albumID", "POIID", "blogID")))


@pytest.fixture(scope="module")
def service(folder, postgres):
    """With a database of its own, whose counts are these tests'."""
    postgres.create_database("finding")
    service = Service(folder, postgres, database="finding", timezone=samples.ZONE, workers=2, cache_max_age="0s",
                      reward_daily_limit=0)
    assert service.ctl("migrate").returncode == 0
    yield service.start()
    service.stop()


@pytest.fixture(scope="module")
def db(postgres, service):
    with contextlib.closing(postgres.connect("mapdiary_owner", "finding")) as connection:
        rows = Rows(connection)
        rows.run(f"SET timezone = '{samples.ZONE}'")  # as the service: what counts, counts from its day on
        yield rows


@pytest.fixture(scope="module")
def people(service):
    """Alice and Bob, with a session each."""
    made = []
    for name in "alice", "bob":
        added = service.ctl("user", "add", "--email", f"{name}@example.org", "--name", name, text="password\n")
        user = samples.User(int(added.stdout), f"{name}@example.org", "password", name, "")
        session = service.ctl("session", "add", "--user", user.id)
        user.token = session.stdout.strip().rpartition("idrand=")[2]
        made.append(user)
    return made


@pytest.fixture(scope="module")
def alice(people):
    return people[0]


@pytest.fixture(scope="module")
def bob(people):
    return people[1]


@pytest.fixture(autouse=True)
def nothing_there(service, db, request):
    db.run("DELETE FROM album; DELETE FROM poi; DELETE FROM blog")
    if not request.node.get_closest_marker("uncounted"):
        counted(db)


def read(service, func, **params):
    answer = service.call(func, **params, **JSON)
    got = json.loads(answer.body)
    assert got["status"] == "SUCCESS", got
    return got


def name(place):
    return place["kind"], place[KEYS[place["kind"]]]


def names(got):
    return [name(place) for place in got["placeList"]]


def pages(service, func, limit, **params):
    """All places of a list, page by page."""
    places, after = [], {}
    while True:
        got = read(service, func, limit=limit, **after, **params)
        assert len(got["placeList"]) <= limit
        places += got["placeList"]
        if "next" not in got:
            return places
        assert got["placeList"]
        after = {"after": got["next"]}


def sphere(lat1, lng1, lat2, lng2):
    phi1, phi2 = math.radians(lat1), math.radians(lat2)
    h = math.sin((phi2 - phi1) / 2) ** 2 + math.cos(phi1) * math.cos(phi2) * math.sin(math.radians(lng2 - lng1) / 2) ** 2
    return 2 * RADIUS * math.asin(min(1, math.sqrt(h)))


def world(db, owner, count, seed=5):
    """So many pieces of all kinds, also where the earth is sewn together; {(kind, identifier): (lat, lng, category or type)}"""
    chance = random.Random(seed)
    centres = [(25.03, 121.56), (-17.8, 179.99), (-17.8, -179.99), (89.95, 0), (-89.95, 100), (0, 0), (60.2, 24.9)]
    places = {}
    for number in range(count):
        lat, lng = chance.choice(centres)
        spread = chance.choice([0.0001, 0.01, 0.5])
        lat, lng = lat + chance.gauss(0, spread), lng + chance.gauss(0, spread) * (30 if abs(lat) > 80 else 1)
        lat, lng = round(max(-90, min(90, lat)), 6), round((lng + 180) % 360 - 180, 6)
        if number % 97 == 0:
            lat, lng = chance.choice([(90, 17), (-90, -3), (10, 180), (10, -180), (25.03, 121.56)])
        kind = KINDS[number % 3]
        if kind == "blog":
            group = f"0_{number % 9}"
            columns = {"slot": 22 + number % 9, "content": "y", "post_date": "2024-01-01", "public_day": "2024-01-01",
                       "weather": samples.WEATHERS[0]}
        else:
            group = 1 + number % (16 if kind == "album" else 5)
            columns = {"slot": group if kind == "album" else 16 + group}
        identifier = db.insert(kind.lower(), owner_id=owner.id, title=f"x {number}", lat=lat, lng=lng, **columns)
        places[kind, identifier] = lat, lng, group
    return places


def nearest(places, lat, lng, radius):
    """As getNearby has to answer."""
    found = [(sphere(lat, lng, *place[:2]), KINDS.index(kind), identifier)
             for (kind, identifier), place in places.items()]
    return [(KINDS[kind], identifier) for far, kind, identifier in sorted(found) if far <= radius]


# Near a place

CENTRES = [(25.03, 121.56), (-17.8, 180), (-17.8, -180), (-17.8, 179.95), (89.95, 0), (90, 120), (-90, 0), (-89.9, -179),
           (10, 180), (10, -180), (0, 0), (60.2, 24.9), (-40, -100)]


def test_nearest_as_on_the_sphere(service, db, alice):
    places = world(db, alice, 700)
    for lat, lng in CENTRES:
        for radius in 1, 5_000, 100_000:
            got = pages(service, "getNearby", 500, lat=lat, lng=lng, radius=radius)
            want = nearest(places, lat, lng, radius)
            assert sorted(map(name, got)) == sorted(want), (lat, lng, radius)
            exact = [sphere(lat, lng, *places[name(place)][:2]) for place in got]
            assert all(here <= there + 1e-6 for here, there in zip(exact, exact[1:]))
            for place, far in zip(got, exact):
                assert abs(place["distance"] - far) <= 0.5 + 1e-6
            few = read(service, "getNearby", lat=lat, lng=lng, radius=radius, limit=7)
            assert names(few) == [name(place) for place in got[:7]]
            assert ("next" in few) == (len(got) > 7)


def test_page_by_page(service, db, alice):
    """Also where many are at one place, which is a tie."""
    places = world(db, alice, 300)
    for number in range(20):
        places["POI", db.insert("poi", owner_id=alice.id, title=f"{number}", slot=17, lat="25.03", lng="121.56")] = (
            25.03, 121.56, 1)
    whole = read(service, "getNearby", lat="25.03", lng="121.56", radius=100_000, limit=500)
    assert len(whole["placeList"]) > 50
    for limit in 1, 7, 50:
        assert pages(service, "getNearby", limit, lat="25.03", lng="121.56", radius=100_000) == whole["placeList"]


@pytest.mark.few(2)
@pytest.mark.parametrize("lat, lng", [(0, 0), (25.03, 121.56), (-66.5, -68), (75, 12), (-17.8, 179.9)])
def test_far_into_a_list(service, db, alice, lat, lng):
    """Dense in the middle, sparse outside, and some with a gap before them: none is missing, and none is there twice."""
    db.run(
        "SELECT setseed(0.5);"
        "INSERT INTO poi (owner_id, title, slot, lat, lng) SELECT %s, 'x', 17, least(90, greatest(-90,"
        " round((%s + spread * (random() - 0.5))::numeric, 7))),"
        " mod(round((%s + spread * (random() - 0.5))::numeric, 7) + 540, 360) - 180"
        " FROM unnest(ARRAY[0.001, 0.02, 0.2, 1.2]) AS spread, generate_series(1, 400)", alice.id, lat, lng)
    places = {("POI", poi): (float(y), float(x)) for poi, y, x in db.run("SELECT number, lat, lng FROM poi")}
    want = nearest(places, lat, lng, 80_000)
    assert len(want) > 1000
    got = list(map(name, pages(service, "getNearby", 61, lat=lat, lng=lng, radius=80_000)))
    assert sorted(got) == sorted(want)
    exact = [sphere(lat, lng, *places[piece]) for piece in got]
    assert all(here <= there + 1e-6 for here, there in zip(exact, exact[1:]))


@pytest.mark.few(1)
@pytest.mark.parametrize("far", [0, 0.3])
def test_very_many_at_one_place(service, db, alice, far):
    """Those that are there do not keep what is beyond from being found."""
    db.run("INSERT INTO poi (owner_id, title, slot, lat, lng) SELECT %s, 'x', 17, %s, 120 FROM generate_series(1, 2000)",
           alice.id, far)
    for lat in "0.5", "0.6", "-0.2":
        db.insert("poi", owner_id=alice.id, title="y", slot=17, lat=lat, lng="120")
    places = {("POI", poi): (float(y), float(x)) for poi, y, x in db.run("SELECT number, lat, lng FROM poi")}
    want = nearest(places, 0, 120, 100_000)
    assert [place[1] for place in want] == [
        place["POIID"] for place in pages(service, "getNearby", 500, lat=0, lng=120, radius=100_000)]
    for limit in 1, 3:
        got = read(service, "getNearby", lat=0, lng=120, radius=100_000, limit=limit)
        assert names(got) == want[:limit]
        assert names(read(service, "getNearby", lat=0, lng=120, radius=100_000, limit=limit, after=got["next"])) == want[limit:2 * limit]


@pytest.mark.few(1)
@pytest.mark.parametrize("lat", [0, "0.045"])
@pytest.mark.parametrize("most", [20, 300])
def test_a_crowd_is_not_read_for_each_page(db, alice, lat, most):
    """By the rows that PostgreSQL fetches for most of the pages of two crowds, which are equally far, with some around and before
    them; and all pages are right."""
    db.run("INSERT INTO poi (owner_id, title, slot, lat, lng, hidden)"
           " SELECT %s, 'x', 17, 0, 120 + (n %% 2) * 0.02, CASE WHEN n %% 100 = 0 THEN 'hidden'::hiding END"
           " FROM generate_series(1, 6000) n", alice.id)
    db.run("INSERT INTO album (owner_id, title, slot, lat, lng) SELECT %s, 'x', 1, 0, 120 FROM generate_series(1, 700) n", alice.id)
    db.run("INSERT INTO poi (owner_id, title, slot, lat, lng) SELECT %s, 'y', 17, 0.0001 * (n %% 17 - 8), 119.99 + n * 0.0001"
           " FROM generate_series(1, 400) n", alice.id)
    db.run("ANALYZE poi; ANALYZE album")
    want = db.run("SELECT kind, number, d FROM visible_piece(NULL),"
                  " LATERAL sphere_distance(%s, 120.01, lat::float8, lng::float8) AS d ORDER BY d, kind, number", lat)
    got, after, fetched = [], ("-Infinity", 0, 0), []
    so_far = "SELECT pg_stat_get_xact_tuples_fetched('mapdiary.poi_point'::regclass)"
    while True:
        db.run("BEGIN")
        before = db.value(so_far)
        page = db.run("SELECT kind, id, distance FROM nearest_pieces(NULL, %s, 120.01, 100000, 1, 30, %s, %s, %s, %s, %s)",
                      lat, *after, len(got), most)
        fetched.append(db.value(so_far) - before)
        db.run("ROLLBACK")
        got += page
        if len(page) < most:
            break
        after = page[-1][2], page[-1][0], page[-1][1]
    assert got == want and len(got) == 7040
    assert statistics.median(fetched) < 4000 + 8 * most


def test_a_crowd_is_not_read_before_there_are_statistics(db, alice):
    """PostgreSQL expects a hundredth of them then, and would read and sort all for each step."""
    db.run("ANALYZE poi")    # which is empty
    db.run("INSERT INTO poi (owner_id, title, slot, lat, lng) SELECT %s, 'x', 17, 10, 10 FROM generate_series(1, 20000) n", alice.id)
    db.run("BEGIN")
    assert len(db.run("SELECT id FROM nearest_pieces(NULL, 10.02, 10.02, 50000, 1, 30, '-Infinity', 0, 0, 0, 300)")) == 300
    assert db.value("SELECT pg_stat_get_xact_tuples_fetched('mapdiary.poi_pkey'::regclass)") < 5000
    db.run("ROLLBACK")


@pytest.mark.few(1)
@pytest.mark.parametrize("wrong", ["SELECT", "DELETE FROM map_cell", "UPDATE map_cell SET total = 1000000",
                                   "UPDATE map_cell SET total = 1, counts = array_fill(0, ARRAY[30])"])
def test_counts_say_where_to_begin_alone(service, db, alice, wrong):
    """How many pieces are around is what is kept; which of them are the nearest is not taken from it."""
    places = world(db, alice, 500)
    db.run("SELECT recount()")
    db.run(wrong)
    for lat, lng in CENTRES:
        for kind, limit in ("album", 5), ("POI", 20), ("blog", 100):
            got = names(read(service, "getNearby", lat=lat, lng=lng, radius=100_000, kind=kind, limit=limit))
            want = [piece for piece in nearest(places, lat, lng, 100_000) if piece[0] == kind][:limit]
            far = [[sphere(lat, lng, *places[piece][:2]) for piece in pieces] for pieces in (got, want)]
            assert far[0] == pytest.approx(far[1], abs=1e-6)
    db.run("SELECT recount()")


def test_distances_beside_the_ellipsoid(service, db, alice):
    chance = random.Random(7)
    for _ in range(60):
        lat, lng = chance.uniform(-89, 89), chance.uniform(-180, 180)
        there = Geodesic.WGS84.Direct(lat, lng, chance.uniform(0, 360), chance.uniform(2_000, 90_000))
        db.run("DELETE FROM poi")
        db.insert("poi", owner_id=alice.id, title="x", slot=17, lat=round(there["lat2"], 9), lng=round(there["lon2"], 9))
        got, = read(service, "getNearby", lat=round(lat, 9), lng=round(lng, 9), radius=100_000)["placeList"]
        want = Geodesic.WGS84.Inverse(round(lat, 9), round(lng, 9), round(there["lat2"], 9), round(there["lon2"], 9))["s12"]
        assert abs(got["distance"] - want) <= 0.006 * want + 0.5


def test_the_radius_is_included(service, db, alice):
    degree = math.degrees(1000 / RADIUS)
    for lat in 0, degree * 0.9999, degree * 1.001:
        db.insert("poi", owner_id=alice.id, title="x", slot=17, lat=f"{lat:.12f}", lng="0")
    got = read(service, "getNearby", lat=0, lng=0, radius=1000)
    assert [place["distance"] for place in got["placeList"]] == [0, 1000]


@pytest.mark.parametrize("chosen", [
    {"kind": "album"}, {"kind": "POI"}, {"kind": "blog"}, {"kind": "album", "category": 16}, {"kind": "album", "category": 1},
    {"kind": "POI", "category": 5}, {"kind": "blog", "type": "0_8"}, {"kind": "blog", "type": "0_0"},
])
def test_which_pieces(service, db, alice, chosen):
    places = world(db, alice, 300)
    group = chosen.get("category", chosen.get("type"))
    want = {piece for piece, place in places.items()
            if piece[0] == chosen["kind"] and group in (None, place[2]) and sphere(25.03, 121.56, *place[:2]) <= 100_000}
    assert set(map(name, pages(service, "getNearby", 500, lat="25.03", lng="121.56", radius=100_000, **chosen))) == want
    whole = {"west": -180, "south": -90, "east": 180, "north": 90, "zoomLevel": 21, **chosen}
    got = read(service, "getMap", **whole)
    all_of_them = [piece for piece, place in places.items() if piece[0] == chosen["kind"] and group in (None, place[2])]
    assert len(got["placeList"]) + sum(cluster["count"] for cluster in got["clusterList"]) == len(all_of_them)


@pytest.mark.parametrize("func, params", [
    ("getNearby", {"lat": 0, "lng": 0}), ("getMap", {"west": 0, "south": 0, "east": 1, "north": 1, "zoomLevel": 3}),
])
@pytest.mark.parametrize("chosen, refused", [
    ({"category": 1}, "category"), ({"type": "0_1"}, "type"), ({"kind": "blog", "category": 1}, "category"),
    ({"kind": "album", "type": "0_1"}, "type"), ({"kind": "POI", "category": 6}, "category"),
    ({"kind": "album", "category": 17}, "category"), ({"kind": "poi"}, "kind"), ({"kind": "blog", "type": "0_9"}, "type"),
])
def test_what_does_not_go_together(service, func, params, chosen, refused):
    assert service.call(func, **params, **chosen).info == f"INVALID PARAMETER: {refused}"


@pytest.mark.parametrize("params, info", [
    ({"lat": "90.1", "lng": 0}, "INVALID PARAMETER: lat"), ({"lat": 0}, "MISSING PARAMETER: lng"),
    ({"lat": 0, "lng": 0, "radius": 0}, "INVALID PARAMETER: radius"),
    ({"lat": 0, "lng": 0, "radius": 100_001}, "INVALID PARAMETER: radius"),
    ({"lat": 0, "lng": 0, "limit": 501}, "INVALID PARAMETER: limit"),
    ({"lat": 0, "lng": 0, "limit": 0}, "INVALID PARAMETER: limit"),
    ({"lat": 0, "lng": 0, "after": "x"}, "INVALID PARAMETER: after"),
])
def test_what_is_refused(service, params, info):
    assert service.call("getNearby", **params).info == info


def test_a_page_is_of_its_list_alone(service, db, alice):
    world(db, alice, 60)
    asked = {"lat": "25.03", "lng": "121.56", "radius": 100_000}
    after = read(service, "getNearby", limit=2, **asked)["next"]
    assert read(service, "getNearby", limit=9, after=after, **asked)["placeList"]
    assert service.call("getNearby", after=after, limit=2, **asked).info is None
    for changed in {"lat": "25.04"}, {"radius": 99_999}, {"kind": "album"}:
        assert service.call("getNearby", after=after, **asked | changed).info == "INVALID PARAMETER: after"
    assert service.call("getBlogList", after=after).info == "INVALID PARAMETER: after"
    for at in 0, 20, len(after) - 1:
        wrong = after[:at] + ("0" if after[at] != "0" else "1") + after[at + 1:]
        assert service.call("getNearby", after=wrong, **asked).info == "INVALID PARAMETER: after"


# For their reader alone


@pytest.fixture
def in_bulk(service, db):
    """What it inserts is not noted for the indexer, who would read it."""
    def insert(statements):
        db.run("BEGIN; SET LOCAL mapdiary.bulk = on")
        for statement, values in statements:
            db.run(statement, *values)
        db.run("COMMIT")

    yield insert
    db.run("DELETE FROM blog")
    assert service.ctl("recount").returncode == 0


@pytest.mark.few(1)
@pytest.mark.parametrize("asks", ["nobody", "bob"])
def test_a_list_reads_no_blogs_that_it_has_not(start_service, db, in_bulk, alice, bob, asks):
    """By the rows that PostgreSQL reads: others do not feel how many private blogs, and of days to come, an author has."""
    waiting = [("current_date", "current_date", "private"), ("current_date + 1", "current_date", "private"),
               ("current_date + 9", "current_date + 9", "public")]
    of_alice = [*((*row, 2000) for row in waiting), ("current_date + 1", "current_date", "public", 1)]
    of_bob = [("current_date - 5", "current_date - 5", "public", 30)]
    in_bulk(("INSERT INTO blog (owner_id, title, slot, lat, lng, post_date, public_day, content, weather, visibility)"
             f" SELECT %s, 'x', 30, 0, 0, {date}, {public_day}, 'x', %s, %s FROM generate_series(1, %s)",
             (author.id, BLOG["weather"], visibility, count))
            for author, rows in ((alice, of_alice), (bob, of_bob)) for date, public_day, visibility, count in rows)
    db.run("VACUUM (ANALYZE) blog")  # a scan reads the entries of deleted rows, too
    # Lists alone read these indexes; the indexer reads others.
    rows_read = "SELECT sum(idx_tup_read) FROM pg_stat_user_indexes WHERE indexrelname LIKE 'blog_newest%'"
    for chosen, own in ({}, 30), ({"type": "0_8"}, 30), ({"userID": alice.id}, 0), ({"userID": alice.id, "type": "0_8"}, 0):
        reader, before = start_service(workers=1, database="finding application_name=reader"), db.value(rows_read)
        cookie = {"user": bob} if asks == "bob" else {}
        for _ in range(5):
            got = json.loads(reader.call("getBlogList", **cookie, **chosen, **JSON, limit=50).body)
            assert len(got["placeList"]) == own + 1
        reader.stop()  # when a session of PostgreSQL ends, its figures are told
        until(lambda: not db.value("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'reader'"), "it ends")
        assert 5 * (own + 1) <= db.value(rows_read) - before < 2000, chosen


def test_what_is_private_or_of_the_future(service, db, alice, bob):
    place = {"lat": "35.5", "lng": "139.7"}
    words = {"albumTitle": "zebrafinch", "blogTitle": "zebrafinch"}
    hidden = service.ok("addAlbum", user=alice, **ALBUM | place | {"albumTitle": words["albumTitle"], "visibility": "private"})
    shown = service.ok("addAlbum", user=alice, **ALBUM | place | {"albumTitle": words["albumTitle"]})
    future = service.ok("postBlog", user=alice, **BLOG | place | {"blogTitle": "zebrafinch"}
                        | samples.date_params(samples.today(days=2)))
    to_all = [("album", int(shown["albumID"]))]
    to_alice = sorted(to_all + [("album", int(hidden["albumID"])), ("blog", int(future["blogID"]))])
    box = {"west": "139", "south": "35", "east": "140", "north": "36"}
    asked = [("getNearby", place), ("search", {"q": "zebrafinch"}),
             *[("getMap", box | {"zoomLevel": zoom}) for zoom in (0, 9, 21)]]
    for kept in False, True:
        if kept:
            db.wait_for_words()
            db.wait_for_counts()
        for func, params in asked:
            for reader, want in ((None, to_all), (bob, to_all), (alice, to_alice)):
                got = read(service, func, user=reader, **params)
                if "clusterList" in got:
                    count = len(got["placeList"]) + sum(cluster["count"] for cluster in got["clusterList"])
                    assert count == len(want), (func, params)
                else:
                    assert sorted(names(got)) == want, (func, params)
    assert names(read(service, "getBlogList")) == names(read(service, "getBlogList", userID=alice.id)) == []
    assert names(read(service, "getBlogList", user=bob)) == []
    assert names(read(service, "getBlogList", user=alice)) == [("blog", int(future["blogID"]))]


def test_the_reader_of_clusters_that_are_kept(service, db, alice, bob):
    db.run("INSERT INTO poi (owner_id, title, slot, lat, lng)"
           " SELECT %s, 'x', 17, 48 + n / 10000.0, 2 + n / 9000.0 FROM generate_series(1, 6000) n", bob.id)
    db.run("INSERT INTO album (owner_id, title, slot, lat, lng, visibility)"
           " SELECT %s, 'x', 1, 48.1, 2.1, 'private' FROM generate_series(1, 5)", alice.id)
    db.run("INSERT INTO blog (owner_id, slot, lat, lng, title, content, post_date, public_day, weather)"
           " SELECT %s, 22, 48.2, 2.2, 'x', 'y', current_date + 2, current_date + 2, %s FROM generate_series(1, 4)",
           alice.id, samples.WEATHERS[0])
    counted(db)
    boxes = [(-180, -90, 180, 90), (1.95, 47.9, 2.8, 48.7), (2, 48, 2.7, 48.6), (-100, -80.5, 170.3, 70.1)]
    for reader, own in (None, 0), (bob, 0), (alice, 9):
        for zoom in 0, 3, 5, 8, 11, 14, 17, 21:
            for box in boxes:
                box = dict(zip(("west", "south", "east", "north"), box), zoomLevel=zoom)
                assert total(read(service, "getMap", user=reader, **box)) == 6000 + own, (zoom, box)
            alone = {"west": 2.0999, "south": 48.0999, "east": 2.1001, "north": 48.1001, "zoomLevel": zoom}
            assert total(read(service, "getMap", user=reader, kind="album", **alone)) == (5 if own else 0)
            far = box | {"kind": "blog", "type": "0_0"}
            assert total(read(service, "getMap", user=reader, **far)) == (4 if own else 0)
            assert total(read(service, "getMap", user=reader, **far | {"type": "0_1"})) == 0


# On a map


def counted(db):
    db.wait_for_counts()
    assert db.value("SELECT wrong_cells()") == 0


def total(got):
    return len(got["placeList"]) + sum(cluster["count"] for cluster in got["clusterList"])


def is_within(lng, west, east):
    lngs = {lng, -180 if lng == 180 else 180 if lng == -180 else lng}
    return any(west <= here <= east if west <= east else here >= west or here <= east for here in lngs)


def inside(places, west, south, east, north):
    return {piece for piece, (lat, lng, _) in places.items() if south <= lat <= north and is_within(lng, west, east)}


def assert_map(got, places, box):
    """Each piece of the box is in one place or one cluster, within what that says of itself."""
    want = inside(places, *box)
    assert len(got["placeList"]) + len(got["clusterList"]) <= 500
    singles = set(names(got))
    assert len(singles) == len(got["placeList"]) and singles <= want
    assert total(got) == len(want)
    rest = want - singles
    for kind in KEYS:
        there = sum(cluster[f"{kind}Count"] for cluster in got["clusterList"])
        assert there == sum(of_kind == kind for of_kind, _ in rest)
    for cluster in got["clusterList"]:
        west, south, east, north = (cluster[edge] for edge in ("west", "south", "east", "north"))
        assert cluster["count"] >= 2 and west <= east and south <= north
        assert west <= cluster["Location"]["lng"] <= east and south <= cluster["Location"]["lat"] <= north
        assert cluster["count"] == sum(cluster[f"{kind}Count"] for kind in KEYS)
        held = {piece for piece in rest if south <= places[piece][0] <= north and west <= places[piece][1] <= east}
        assert all(sum(of_kind == kind for of_kind, _ in held) >= cluster[f"{kind}Count"] for kind in KEYS), (cluster, held)


BOXES = [(-180, -90, 180, 90), (170, -30, -170, 10), (179.9, -18, -179.9, -17), (120, 20, 125, 30), (121.5, 25, 121.6, 25.1),
         (-180, -20, 180, -17), (180, -90, 180, 90), (-180, -90, -180, 90), (121.56, 25.03, 121.56, 25.03), (5, -90, 4, 90),
         (170, -30, 180, 30), (-180, -30, -170, 30), (0, 80, 180, 90), (-180, -90, 0, -80), (-10, -10, 10, 10),
         (121.559, 25.029, 121.561, 25.031), (10, 10, 20, 10), (180, -40, -180, 40)]


def test_a_map(service, db, alice):
    places = world(db, alice, 900)
    for box in BOXES:
        for zoom in 0, 2, 6, 10, 13, 17, 21:
            params = dict(zip(("west", "south", "east", "north"), box), zoomLevel=zoom)
            assert_map(read(service, "getMap", **params), places, box)


@pytest.mark.slow
def test_a_map_of_many(service, db, alice):
    """Counted ahead, and so exactly, too, once they are."""
    places = world(db, alice, 600)
    chance = random.Random(3)
    rows = [(round(chance.gauss(25.03, 2), 5), round(chance.gauss(121.56, 3), 5)) for _ in range(9000)]
    made = db.run("INSERT INTO poi (owner_id, title, slot, lat, lng) SELECT %s, 'x', 17 + n %% 5, lat, lng"
                  " FROM unnest(%s::numeric[], %s::numeric[]) WITH ORDINALITY AS u (lat, lng, n) RETURNING number, lat, lng, slot - 16",
                  alice.id, [row[0] for row in rows], [row[1] for row in rows])
    places |= {("POI", identifier): (float(lat), float(lng), category) for identifier, lat, lng, category in made}
    counted(db)
    for box in [*BOXES, (110, 15, 130, 35), (118.3, 22.2, 124.7, 27.9), (121, -90, 121.9, 90), (100, 24.9, 140, 25.3)]:
        for zoom in 0, 2, 4, 5, 6, 8, 10, 11, 12, 14, 18, 21:
            params = dict(zip(("west", "south", "east", "north"), box), zoomLevel=zoom)
            assert_map(read(service, "getMap", **params), places, box)
    of_category = {piece: place for piece, place in places.items() if piece[0] == "POI" and place[2] == 3}
    for box in (110, 15, 130, 35), (118.3, 22.2, 124.7, 27.9), (-180, -90, 180, 90):
        for zoom in 3, 6, 9:
            params = dict(zip(("west", "south", "east", "north"), box), zoomLevel=zoom, kind="POI", category=3)
            assert_map(read(service, "getMap", **params), of_category, box)


@pytest.mark.parametrize("wide", ["0.04", "3"])
def test_a_street_is_shown_piece_by_piece(service, db, alice, wide):
    """Also where a house has many; and as clusters, where there is too much. Wider than a screen too."""
    db.run("DELETE FROM poi")
    box = {"west": f"{-121 - float(wide)}", "east": "-121", "south": "-47.02", "north": "-47", "zoomLevel": 17, "kind": "POI"}
    for more, places in (500, 500), (1, 0):
        db.run("INSERT INTO poi (owner_id, title, slot, lat, lng)"
               " SELECT %s, 'x', 17, -47.01, -121.01 FROM generate_series(1, %s)", alice.id, more)
        got = read(service, "getMap", **box)
        assert len(got["placeList"]) == places and total(got) == (500 if places else 501)
        assert names(got) == sorted(names(got), key=lambda name: name[1])
    db.run("DELETE FROM poi")


def test_who_asks_for_too_much_of_a_street_is_known(service, db, alice):
    """And who says to be somebody is nobody, also in the log."""
    db.run("INSERT INTO poi (owner_id, title, slot, lat, lng)"
           " SELECT %s, 'x', 17, -47.01, -121.01 FROM generate_series(1, 501)", alice.id)
    box = {"west": "-121.02", "east": "-121", "south": "-47.02", "north": "-47", "zoomLevel": 17}
    for cookie, user in (alice.cookie, alice.id), (f"id={alice.id}; idrand={'0' * 32}", 0):
        service.call("getMap", cookie=cookie, **box)
        until(lambda: f" user={user} " in "".join(re.findall("^.* func=getMap .*$", service.log.read_text(errors="replace"), re.M)[-1:]),
              "it is logged so")
    db.run("DELETE FROM poi")


def test_clusters_follow_what_happens(service, db, alice):
    """What goes, goes at once; what comes does when it is counted."""
    db.run("INSERT INTO poi (owner_id, title, slot, lat, lng)"
           " SELECT %s, 'x', 17, 48 + n / 10000.0, 2 + n / 9000.0 FROM generate_series(1, 6000) n", alice.id)
    albums = db.column("INSERT INTO album (owner_id, title, slot, lat, lng)"
                       " SELECT %s, 'x', 1, 48.1, 2.1 FROM generate_series(1, 10) RETURNING number", alice.id)
    counted(db)
    whole = {"west": -180, "south": -90, "east": 180, "north": 90, "zoomLevel": 4}
    assert total(read(service, "getMap", **whole)) == 6010
    service.ok("updateAlbum", user=alice, albumID=albums[0], delete="true")
    service.ok("updateAlbum", user=alice, albumID=albums[1], **ALBUM | {"lat": "48.1", "lng": "2.1", "visibility": "private"})
    assert total(read(service, "getMap", **whole)) == 6008
    db.run("DELETE FROM poi WHERE number IN (SELECT number FROM poi ORDER BY number LIMIT 500)")
    assert total(read(service, "getMap", **whole)) == 5508
    counted(db)
    assert total(read(service, "getMap", **whole)) == 5508
    db.run("UPDATE poi SET lat = -lat, lng = -lng")
    db.run("UPDATE album SET visibility = 'public'")
    counted(db)
    got = read(service, "getMap", **whole | {"north": 0, "kind": "POI"})
    assert total(got) == 5500 and total(read(service, "getMap", **whole)) == 5509


def test_a_blog_of_tomorrow_counts_from_its_day(service, db, alice):
    db.run("INSERT INTO blog (owner_id, slot, lat, lng, title, content, post_date, public_day, weather)"
           " SELECT %s, 22, 1, 1, 'x', 'y', current_date + 1, current_date + 1, %s FROM generate_series(1, 3)",
           alice.id, samples.WEATHERS[0])
    assert db.value("SELECT sum(more) FROM map_waiting WHERE slot = 22") == 3
    db.run("DELETE FROM blog WHERE number = (SELECT max(number) FROM blog)")
    assert db.value("SELECT wrong_cells()") == 0
    db.run("UPDATE blog SET post_date = current_date, public_day = current_date")
    counted(db)
    assert db.value("SELECT counts[22] FROM map_cell WHERE level = 4 AND total > 0") == 2


def test_a_blog_of_the_future_leaves_one_row(service, db, alice):
    """However often it is moved, dated anew, hidden and shown; and none when it is gone."""
    day = samples.today(days=300)
    _, piece = blog(service, alice, "x", **samples.date_params(day))
    change = {"blogID": piece, **BLOG}

    def rows():
        return (db.value("SELECT count(*) FROM map_future WHERE kind = 2 AND id = %s", piece),
                db.value("SELECT coalesce(sum(more), 0) FROM map_waiting WHERE day <= current_date"))

    for number in range(20):
        moved = {"lat": number % 2, "lng": "7"} | samples.date_params(samples.today(days=30 + number))
        service.ok("updateBlog", user=alice, **change | moved)
        assert rows() == (1, 0)
    for visibility, there in ("private", 0), ("public", 1):
        service.ok("updateBlog", user=alice, **change | samples.date_params(day), visibility=visibility)
        assert rows() == (there, 0)
    for hidden in "held", None:
        db.run("UPDATE blog SET hidden = %s WHERE number = %s", hidden, piece)
        assert rows() == (int(hidden is None), 0)
    box = {"west": -180, "south": -90, "east": 180, "north": 90, "zoomLevel": 4}
    for days, seen in (0, 1), (9, 0), (-1, 1), (9, 0):
        service.ok("updateBlog", user=alice, **change | samples.date_params(samples.today(days=days)))
        counted(db)
        assert rows() == (1 - seen, 0) and total(read(service, "getMap", **box)) == seen
    assert db.value("SELECT count(*) FROM map_change") == 0
    service.ok("updateBlog", user=alice, blogID=piece, delete="true")
    assert rows() == (0, 0)


def sums(db, user, viewer):
    """What getUser has to say, counted piece by piece."""
    return db.run(
        "SELECT count(*) FILTER (WHERE kind = 0), count(*) FILTER (WHERE kind = 2), coalesce(sum(score), 0)::bigint"
        " FROM (VALUES (%s::bigint, %s::bigint)) a (u, v) LEFT JOIN LATERAL visible_piece(v) ON owner_id = u",
        user, viewer)[0]


def assert_sums(db, users):
    for user in users:
        for viewer in None, *users:
            assert db.run("SELECT * FROM sums_of(%s, %s)", user, viewer)[0] == sums(db, user, viewer)
    assert db.value("SELECT wrong_sums() + wrong_cells() + (SELECT count(*) FROM wrong_futures())") == 0


@pytest.fixture
def owners(db):
    """Some users who are gone when the test is."""
    made = [db.insert("user_account", email=f"owner{n}@example.org", name="x", password_hash="-") for n in range(5)]
    yield made
    db.run("DELETE FROM user_account WHERE user_id = ANY (%s)", made)


@pytest.fixture
def connect(postgres):
    """Connections of the owner, closed at the end."""
    with contextlib.ExitStack() as stack:
        def connect():
            rows = Rows(stack.enter_context(contextlib.closing(postgres.connect("mapdiary_owner", "finding"))))
            rows.run(f"SET timezone = '{samples.ZONE}'")
            return rows
        yield connect


def write_at_random(rows, owners, seed, writes):
    """As the service and operators write: the piece is held first, and who leaves is locked with all pieces."""
    chance = random.Random(seed)
    for _ in range(writes):
        kind, owner = chance.choice(["album", "poi", "blog", "blog"]), chance.choice(owners)
        number = samples.KINDS[kind]
        lat, day = chance.choice(["1", "1.0001", "40"]), samples.today(days=chance.choice([-1, 0, 1, 2]))
        columns = {"owner_id": owner, "lat": lat, "lng": "2", "score": chance.randrange(9), "title": "x", "slot": (1, 17, 23)[number]}
        columns |= {"content": "y", "weather": samples.WEATHERS[0], "post_date": day, "public_day": day} if kind == "blog" else {}
        changes = [("lat", lat), ("owner_id", owner), ("hidden", chance.choice([None, "held", "hidden"])), ("score", chance.randrange(9)),
                   *([("visibility", chance.choice(["public", "private"]))] if kind != "poi" else []),
                   *([("post_date", day)] * 3 if kind == "blog" else [])]
        rows.run("BEGIN")
        piece = rows.run(f"SELECT number FROM (SELECT * FROM {kind} WHERE owner_id = ANY (%s) ORDER BY random() LIMIT 1) p"
                         " WHERE lock_piece(kind, number, owner_id) IS NOT NULL", owners)
        act = chance.random()
        if not piece or act < 0.3:
            rows.insert(kind, **columns)
        elif act < 0.4:
            rows.run(f"DELETE FROM {kind} WHERE number = %s", piece[0][0])
        elif act < 0.55:
            rows.run(f"INSERT INTO recommendation (user_id, kind, number) SELECT %s, kind, number FROM {kind}"
                     " WHERE number = %s AND owner_id <> %s ON CONFLICT DO NOTHING", owner, piece[0][0], owner)
        elif act < 0.6:
            rows.run("DELETE FROM recommendation WHERE kind = %s AND number = %s", number, piece[0][0])
        else:
            column, value = chance.choice(changes)
            days = f", public_day = '{value}'" if column == "post_date" else ""
            rows.run(f"UPDATE {kind} SET {column} = %s{days} WHERE number = %s", value, piece[0][0])
        rows.run(chance.choice(["COMMIT", "COMMIT", "COMMIT", "ROLLBACK"]))


def test_sums_of_accounts(db, owners, connect):
    """Beside those counted piece by piece, after writes of several at once, while the indexer adds them up; then days go by, the
    changes are counted anew, and users leave."""
    at_once(*(lambda rows=connect(), seed=seed: write_at_random(rows, owners, seed, 150) for seed in range(4)))
    assert_sums(db, owners)
    counted(db)
    assert_sums(db, owners)
    db.run("SELECT recount()")
    assert_sums(db, owners)
    db.run("DELETE FROM map_future; UPDATE owner_sum SET pieces = pieces + 1, score = score - 5 WHERE kind = 2")
    assert db.value("SELECT wrong_sums()") > 0 and db.value("SELECT count(*) FROM wrong_futures()") > 0
    db.run("SELECT recount()")
    assert_sums(db, owners)
    db.run("BEGIN; UPDATE indexing SET counted_at = NULL; DELETE FROM owner_sum")  # as after an upgrade, until the indexer has counted
    for viewer in None, owners[0]:
        assert db.run("SELECT * FROM sums_of(%s, %s)", owners[0], viewer)[0] == sums(db, owners[0], viewer)
    db.run("ROLLBACK")
    db.run("SELECT lock_user(%s)", owners[0])
    db.run("DELETE FROM user_account WHERE user_id = %s", owners[0])
    assert_sums(db, owners)
    counted(db)
    until(lambda: db.value("SELECT count(*) FROM owner_change") == 0, "the indexer has added up all")
    assert db.value("SELECT count(*) FROM owner_sum WHERE owner_id = %s", owners[0]) == 0


def test_sums_follow_the_day(db, owners):
    """A blog counts from its day on, also before the indexer has come to it."""
    author = owners[0]
    for days in 1, 1, 2:
        db.insert("blog", owner_id=author, slot=23, lat="1", lng="2", title="x", content="y", weather=samples.WEATHERS[0],
                  post_date=samples.today(days=days), public_day=samples.today(days=days), score=7)
    counted(db)
    assert db.run("SELECT * FROM sums_of(%s, NULL)", author) == [(0, 0, 0)]
    db.run("BEGIN")  # so that the indexer does not come to it
    try:
        db.run("ALTER TABLE blog DISABLE TRIGGER USER")
        db.run("UPDATE blog SET post_date = post_date - 1, public_day = public_day - 1; UPDATE map_future SET day = day - 1")
        db.run("ALTER TABLE blog ENABLE TRIGGER USER")
        assert_sums(db, owners)
        assert db.run("SELECT * FROM sums_of(%s, NULL)", author) == [(0, 2, 14)]
        until(lambda: db.value("SELECT is_only_indexer()"), "the indexer is done with what it does")
        assert db.value("SELECT index_counts(1000)") >= 2
        assert_sums(db, owners)
        assert db.value("SELECT sum(pieces) FROM owner_sum WHERE owner_id = %s AND is_shown", author) == 2
        assert db.value("SELECT sum(total) FROM map_cell WHERE level = 4") == 2
    finally:
        db.run("ROLLBACK")


def test_many_at_a_time_are_noted_as_one_by_one(db, alice):
    """What everybody may see, from its day on, and the words of all: whether the row or who inserts notes them."""
    db.wait_for_words()
    pieces = {
        "album": "(owner_id, title, slot, lat, lng, visibility)"
                 " SELECT %s, 'x', 1, n, n, (ARRAY['public', 'private'])[1 + n %% 2]::visibility",
        "poi": "(owner_id, title, slot, lat, lng) SELECT %s, 'x', 17, n, n",
        "blog": "(owner_id, slot, lat, lng, title, content, post_date, public_day, weather, visibility) SELECT %s, 22, n, n, 'x', 'y',"
                f" current_date + n %% 3, current_date + n %% 3, '{samples.WEATHERS[0]}',"
                " (ARRAY['public', 'private'])[1 + n %% 2]::visibility",
    }
    seen = []
    for bulk in "on", "off":
        db.run("BEGIN")  # so that the indexer does not come to them
        try:
            db.run("SELECT set_config('mapdiary.bulk', %s, true)", bulk)
            for number, (kind, values) in enumerate(pieces.items()):
                added = f"INSERT INTO {kind} {values} FROM generate_series(1, 80) n"
                if bulk == "on":
                    added = (f"WITH added AS ({added} RETURNING number AS id, owner_id, score, lat::numeric, lng::numeric,"
                             " CASE WHEN is_public(visibility, hidden) AND public_day <= current_date THEN slot END AS slot),"
                             f" owned AS (INSERT INTO owner_change SELECT owner_id, {number}, slot IS NOT NULL, count(*), sum(score)"
                             f" FROM added GROUP BY 1, 3) INSERT INTO arrival SELECT {number}, array_agg(id),"
                             " array_agg(nextval('search_number')), array_agg(slot), array_agg(lat), array_agg(lng)"
                             " FROM added GROUP BY id >> 6")
                db.run(added, alice.id)
            seen.append((db.run("SELECT slot, x, y, greatest(day, current_date), sum(more) FROM map_waiting GROUP BY 1, 2, 3, 4"
                                " HAVING sum(more) <> 0 ORDER BY 1, 2, 3, 4"),
                         db.run("SELECT kind, count(*), count(DISTINCT id), count(DISTINCT entry_id) FROM search_waiting"
                                " GROUP BY 1 ORDER BY 1")))
            assert db.value("SELECT wrong_cells() + wrong_sums()") == 0 and db.value("SELECT count(*) FROM unlisted_pieces()") == 0
            rows = db.value("SELECT count(*) FROM arrival")
            assert (rows < 20) if bulk == "on" else (rows == 240)
        finally:
            db.run("ROLLBACK")
    assert seen[0] == seen[1] and len(seen[0][0]) == 160 and seen[0][1] == [(kind, 80, 80, 80) for kind in range(3)]


def test_counting_looks_through_its_lists_once(db, alice):
    """By the rows that PostgreSQL has looked at: to take each off by looking through all would grow with the square."""
    def looked_at():
        return db.column("SELECT seq_tup_read FROM pg_stat_xact_user_tables WHERE relname IN ('arrival', 'map_change') ORDER BY relname")

    db.wait_for_words()
    db.run("BEGIN")
    try:
        db.run("INSERT INTO poi (owner_id, title, slot, lat, lng)"
               " SELECT %s, 'x', 17, n / 10.0, n FROM generate_series(1, 150) n", alice.id)
        db.run("DELETE FROM poi WHERE lat <= 2 AND owner_id = %s", alice.id)
        until(lambda: db.value("SELECT is_only_indexer()"), "the indexer is done with what it does")
        there = [db.value(f"SELECT count(*) FROM {table}") for table in ("arrival", "map_change")]
        before = looked_at()
        assert db.value("SELECT index_counts(1000)") == 170
        assert [n - m for n, m in zip(looked_at(), before)] == there
    finally:
        db.run("ROLLBACK")


def test_clusters_stay_where_they_are(service, db, alice):
    """Those of the middle of a box, when it is moved by a little."""
    world(db, alice, 900)
    box = [121.0, 24.5, 122.0, 25.5]
    for zoom in 8, 10, 12:
        seen = []
        for step in 0, 0.01, 0.02:
            moved = dict(zip(("west", "south", "east", "north"), (edge + step for edge in box)), zoomLevel=zoom)
            got = read(service, "getMap", **moved)
            seen.append({(cluster["Location"]["lat"], cluster["Location"]["lng"], cluster["count"])
                         for cluster in got["clusterList"]
                         if cluster["west"] > 121.2 and cluster["east"] < 121.8 and cluster["south"] > 24.7 and cluster["north"] < 25.3})
        assert seen[0] == seen[1] == seen[2]


@pytest.mark.parametrize("changed, info", [
    ({"south": "1.5", "north": 1}, "INVALID PARAMETER: south"), ({"west": "180.1"}, "INVALID PARAMETER: west"),
    ({"zoomLevel": 22}, "INVALID PARAMETER: zoomLevel"), ({"north": "x"}, "INVALID PARAMETER: north"),
])
def test_boxes_that_are_none(service, changed, info):
    box = {"west": 0, "south": 0, "east": 1, "north": 1, "zoomLevel": 3}
    assert service.call("getMap", **box | changed).info == info


def test_doctor_and_recount(service, db, alice):
    """What was counted wrongly, or cannot be found by its words, is seen and mended."""
    world(db, alice, 90)
    db.wait_for_words()
    counted(db)

    def finding():
        (row,) = [row for row in json.loads(service.doctor("--json").stdout) if row["check"] == "finding"]
        return row["state"], row["finding"]

    good = "ok", "0 counts wrong, 0 pieces without their words, 0 waiting"
    assert finding() == good
    db.run("UPDATE map_cell SET total = total + 1, counts[3] = counts[3] + 1 WHERE (level, y, x) IN"
           " (SELECT level, y, x FROM map_cell ORDER BY level, y, x LIMIT 2); DELETE FROM search_entry WHERE kind = 1")
    assert finding() == ("FAILED", "2 counts wrong, 30 pieces without their words, 0 waiting")
    ran = service.ctl("recount")
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "90\n", "")
    db.wait_for_words()
    assert finding() == good and len(found(service, "x", kind="POI")) == 30


# By words


def blog(service, user, title, content="y", **changed):
    return "blog", int(service.ok("postBlog", user=user, **BLOG | {"blogTitle": title, "blogContent": content} | changed)["blogID"])


def found(service, q, **params):
    return names(read(service, "search", q=q, **params))


@pytest.mark.uncounted
@pytest.mark.parametrize("is_kept", [False, True])
@pytest.mark.parametrize("text, finds, not_finds", [
    ("台北龍山寺一日遊", ["台北", "龍山寺", "寺", "山寺一", "一日遊", "台北龍山寺一日遊", "龍 寺"], ["北台", "寺山", "龍寺", "台北101", "山龍"]),
    ("Café Zürich Ångström", ["cafe", "CAFÉ", "zurich", "Angstrom", "cafe zurich"], ["caf ", "afe", "zurichs"]),
    ("Łódź Straße smørrebrød", ["lodz", "strasse", "STRASSE", "smorrebrod"], ["stra "]),
    ("ΑΘΗΝΑ Αθήνα Ёлка", ["αθηνα", "αθήνα", "елка", "ЁЛКА"], ["αθην "]),
    ("ｆｕｌｌ ＷＩＤＴＨ １２３", ["full", "width", "123"], ["12 "]),
    ("東京タワーへ行った がんばれ", ["東京", "タワー", "行った", "がんばれ", "が"], ["京東", "かんばれ"]),
    ("서울에서 만난 friends", ["서울", "서울에서", "friends", "만난"], ["울서"]),
    ("咖啡Latte拿鐵2024", ["咖啡", "latte", "拿鐵", "2024", "咖啡 latte"], ["latt ", "啡拿"]),
    ("don't stop-me e-mail a_b", ["don't", "stop", "me", "e mail", "e-mail"], ["stopme"]),
    ("İstanbul ırmak", ["istanbul", "irmak"], []),
    ("e\u0301te\u0301", ["été", "ete"], ["et "]),
])
def test_words(service, db, alice, text, finds, not_finds, is_kept):
    piece = blog(service, alice, text)
    if is_kept:
        db.wait_for_words()
    for q in finds:
        assert found(service, q) == [piece], q
    for q in not_finds:
        assert found(service, q) == [], q


@pytest.mark.uncounted
@pytest.mark.parametrize("q", ["!", " ", "…、。", "'", "\\", "&|:*<->", "()", "\U0001f600", "'a':A & ", "a\\'b:*", "%", "''"])
def test_what_is_no_word(service, db, alice, q):
    blog(service, alice, "something else")
    assert found(service, q) == []


@pytest.mark.uncounted
def test_markup_is_no_text(service, db, alice):
    hidden = "<script>evil()</script><!-- secret --><style>p {}</style>"
    piece = blog(service, alice, "x", f'<p class="hidden">one<br>two th<b>re</b>e</p>{hidden}between{hidden}'
                 '&lt;four&gt;&nbsp;five <a href="http://example.org/six">sev\u00e9n</a> 1 < 2 > 0')
    for q in "one", "two", "three", "between", "four", "five", "seven", "two three", "0":
        assert found(service, q) == [piece], q
    for q in "p", "class", "hidden", "br", "evil", "secret", "href", "six", "example", "nbsp", "lt":
        assert found(service, q) == [], q


@pytest.mark.parametrize("marks, words", [("\u0301\u0327", "'ab':2B 'x':1A"), ("\u05b1\u05b0", "'ab':2B 'x':1A"),
                                          ("\u0941\u093c", "'a':2B 'b':3B 'x':1A")], ids=["accents", "points", "vowels"])
def test_many_marks_take_no_time(db, marks, words):
    """They are not put in order, which takes minutes."""
    text = "a" + marks[0] * 49_000 + marks[1] * 49_000 + "b"
    assert db.value("SELECT words_of_texts('x', %s, '')::text", text) == words


@pytest.mark.few(2)
@pytest.mark.uncounted
@pytest.mark.parametrize("unit, end",
                         [("<script ", "</style>"), ("<!-- ", ""), ("<a ", '"<a >'), ("<x '", ">"), ("</script><script>", "<script")])
def test_hostile_markup_takes_no_time(service, db, alice, unit, end):
    """The words of what is not kept yet are looked at in each search."""
    times = 90_000 // len(unit + end)
    hostile = blog(service, alice, "kingfisher", unit * times + end * times)
    assert found(service, "kingfisher") == [hostile]
    db.wait_for_words()
    assert found(service, "kingfisher") == [hostile]


@pytest.mark.uncounted
def test_a_run_in_a_text_that_repeats_a_character(service, db, alice):
    """PostgreSQL keeps 255 places of a word."""
    piece = blog(service, alice, "x", 300 * "我的" + "結果美麗的城市在此")
    assert found(service, "美麗的城市") == [piece]
    db.wait_for_words()
    assert found(service, "美麗的城市") == [piece]


@pytest.mark.uncounted
def test_the_title_before_the_text_before_comments(service, db, alice, bob):
    comments = blog(service, alice, "x")
    service.ok("addComment", user=bob, blogID=comments[1], comment="a lighthouse there")
    replied = blog(service, alice, "x")
    comment = service.ok("addComment", user=bob, blogID=replied[1], comment="where")["commentID"]
    service.ok("replyComment", user=alice, commentID=comment, reply="at the lighthouse")
    text = blog(service, alice, "x", "to the lighthouse")
    title = blog(service, alice, "the lighthouse")
    other = blog(service, alice, "lighthouse again")
    described = "album", int(service.ok("addAlbum", user=alice, **ALBUM)["albumID"])
    db.insert("photo", kind=0, number=described[1], position=1, address="https://example.org/1.jpg", description="Lighthouse!")
    for _ in range(2):
        assert found(service, "lighthouse") == [other, title, described, text, replied, comments]
        assert found(service, "the lighthouse") == [title, text, replied]
        db.wait_for_words()
    assert pages(service, "search", 1, q="lighthouse") == read(service, "search", q="lighthouse")["placeList"]


@pytest.mark.uncounted
def test_nearer_before_farther(service, db, alice):
    far = blog(service, alice, "pelican", lat="26", lng="121")
    near = blog(service, alice, "pelican", lat="25.1", lng="121")
    text = blog(service, alice, "x", "pelican", lat="25", lng="121")
    assert found(service, "pelican") == [near, far, text]
    got = read(service, "search", q="pelican", lat=25, lng=121)
    assert names(got) == [near, far, text]
    assert [place["distance"] for place in got["placeList"]] == [11120, 111195, 0]
    got = read(service, "search", q="pelican", lat=26, lng=121)
    assert names(got) == [far, near, text]
    assert pages(service, "search", 1, q="pelican", lat=26, lng=121) == got["placeList"]
    for half in {"lat": 1}, {"lng": 1}:
        missing = "lng" if "lat" in half else "lat"
        assert service.call("search", q="x", **half).info == f"MISSING PARAMETER: {missing}"


def test_words_follow_what_is_written(service, db, alice, bob):
    piece = blog(service, alice, "heron")
    db.wait_for_words()
    service.ok("updateBlog", user=alice, blogID=piece[1], **BLOG | {"blogTitle": "bittern"})
    for _ in range(2):
        assert found(service, "heron") == [] and found(service, "bittern") == [piece]
        db.wait_for_words()
    comment = service.ok("addComment", user=bob, blogID=piece[1], comment="spoonbill")["commentID"]
    db.wait_for_words()
    assert found(service, "spoonbill") == [piece]
    service.ok("updateComment", user=bob, commentID=comment, delete="true")
    assert found(service, "spoonbill") == []
    service.ok("updateBlog", user=alice, blogID=piece[1], delete="true")
    assert found(service, "bittern") == []
    db.wait_for_words()
    assert db.value("SELECT count(*) FROM search_entry") == 0


def test_what_was_there_before(service, db, alice, bob):
    """The indexer counts it and reads its words, the newest first, as if it had just come to a database of before."""
    old = [blog(service, alice, "kingfisher") for _ in range(3)]
    db.run("UPDATE blog SET created_at = '2020-01-01' WHERE number = %s", old[1][1])
    service.ok("addComment", user=bob, blogID=old[0][1], comment="halcyon")
    db.wait_for_words()
    db.run("DELETE FROM search_entry; DELETE FROM search_queue; DELETE FROM map_cell; DELETE FROM map_change; DELETE FROM arrival")
    db.run("UPDATE indexing SET counted_at = NULL, listed_at = NULL")
    until(lambda: db.value("SELECT listed_at IS NOT NULL AND NOT EXISTS (SELECT FROM search_old) FROM indexing"), "it is listed", 150)
    assert found(service, "kingfisher") == [old[2], old[0], old[1]] and found(service, "halcyon") == [old[0]]
    assert db.value("SELECT max(entry_id) <= 0 FROM search_entry") and db.value("SELECT wrong_cells()") == 0
    new = blog(service, alice, "kingfisher")
    db.wait_for_words()
    assert found(service, "kingfisher")[0] == new


@pytest.mark.uncounted
def test_a_kind_alone(service, db, alice):
    piece = blog(service, alice, "ibis")
    album = "album", int(service.ok("addAlbum", user=alice, **ALBUM | {"albumTitle": "Ibis"})["albumID"])
    place = "POI", db.insert("poi", owner_id=alice.id, title="IBIS", slot=17, lat=1, lng=1)
    assert sorted(found(service, "ibis")) == sorted([piece, album, place])
    for one in piece, album, place:
        assert found(service, "ibis", kind=one[0]) == [one]
    assert found(service, "alice") == found(service, "example") == []


@pytest.mark.uncounted
def test_the_longest_text(service, db, alice):
    chance = random.Random(4)
    text = "".join(chance.choices("".join(map(chr, range(0x4e00, 0x9fa5))), k=87_000))
    piece = blog(service, alice, "x", text)
    db.wait_for_words()
    assert found(service, text[:2]) == found(service, text[1000:1020]) == [piece]


@pytest.mark.slow
@pytest.mark.parametrize("count", [2500, pytest.param(9000, marks=pytest.mark.slow)])
def test_the_newest_of_many(service, db, alice, count):
    """With a word that is common, too, and without missing one behind many others."""
    db.run("INSERT INTO poi (owner_id, title, slot, lat, lng)"
           " SELECT %s, CASE WHEN n %% 3000 = 1 THEN 'gannet ' ELSE '' END || 'common 海邊 ' || n, 17, 1, 1"
           " FROM generate_series(1, %s) n", alice.id, count)
    db.wait_for_words()
    db.run("ANALYZE search_entry; UPDATE indexing SET common_at = NULL")
    until(lambda: db.value("SELECT count(*) FROM search_common WHERE word = 'common'"), "what is common is known", 150)
    last = db.value("SELECT max(number) FROM poi")
    for q in "common", "海邊", "海 common":
        got = pages(service, "search", 300, q=q)
        assert [place["POIID"] for place in got] == list(range(last, last - 1000, -1))
    assert found(service, "gannet common") == [("POI", last - count + n) for n in (6001, 3001, 1) if n <= count]


@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 6))])
def test_the_newest_by_any_number(service, db, alice, seed):
    """However close the numbers of entries are: in stretches, and scattered between them."""
    chance = random.Random(seed)
    entries = set(chance.sample(range(-300_000, 900_000), 300))
    while len(entries) < 1400:
        first = chance.randrange(-300_000, 900_000)
        entries.update(range(first, first + chance.choice([10, 100, 1000])))
    db.run("INSERT INTO poi (owner_id, title, slot, lat, lng) SELECT %s, 'common', 17, 1, 1 FROM generate_series(1, %s)",
           alice.id, len(entries))
    db.wait_for_words()
    db.run("UPDATE search_entry SET entry_id = entry_id + 1000000")
    db.run("UPDATE search_entry e SET entry_id = n.entry_id, title = '',"
           " words = words_of_texts('common n' || id, '', '') || bucket_words(n.entry_id) FROM ("
           "SELECT t.entry_id AS old_id, u.entry_id FROM (SELECT entry_id, row_number() OVER (ORDER BY id) AS n FROM search_entry) t"
           " JOIN unnest(%s::bigint[]) WITH ORDINALITY AS u (entry_id, n) USING (n)) n WHERE e.entry_id = old_id",
           chance.sample(sorted(entries), len(entries)))
    db.run("ANALYZE search_entry; UPDATE indexing SET common_at = NULL")
    until(lambda: db.value("SELECT count(*) FROM search_common WHERE word = 'common'"), "what is common is known", 150)
    newest = db.value("SELECT array_agg(id ORDER BY entry_id DESC) FROM search_entry")
    assert [place["POIID"] for place in pages(service, "search", 300, q="common")] == newest[:1000]
    one = chance.choice(newest)
    assert found(service, f"common n{one}") == found(service, f"n{one} comm") == [("POI", one)]


# The newest blogs


def test_blogs(service, db, alice, bob):
    chance = random.Random(9)
    blogs = []
    for number in range(60):
        day = samples.today(days=-chance.randrange(8))
        user, kind = chance.choice([alice, bob]), f"0_{chance.randrange(3)}"
        blogs.append((day, blog(service, user, f"{number}", type=kind, **samples.date_params(day)), user.id, kind))
    blogs.sort(key=lambda row: (row[0], row[1]), reverse=True)
    for user in None, alice, bob:
        for kind in None, "0_1", "0_7":
            params = ({"userID": user.id} if user else {}) | ({"type": kind} if kind else {})
            want = [piece for _, piece, owner, of in blogs if (not user or owner == user.id) and kind in (None, of)]
            for limit in 7, 100:
                got = pages(service, "getBlogList", limit, **params)
                assert [name(place) for place in got] == want
    assert len(read(service, "getBlogList")["placeList"]) == 50
    first = read(service, "getBlogList", limit=1)["placeList"][0]
    day = blogs[0][0]
    assert first["postDate"] == {"year": day.year, "month": day.month, "day": day.day} and "updateDate" not in first
    assert service.call("getBlogList", userID=2**62).info == "USER NOT FOUND"


def test_a_blog_that_comes_is_not_skipped(service, db, alice):
    old = [blog(service, alice, f"{n}", **samples.date_params(samples.today(days=-3))) for n in range(6)]
    page = read(service, "getBlogList", limit=3)
    blog(service, alice, "new", **samples.date_params(samples.today()))
    db.run("DELETE FROM blog WHERE number = %s", old[3][1])
    rest = read(service, "getBlogList", limit=9, after=page["next"])
    assert names(page) == old[:2:-1] and names(rest) == old[2::-1]


# What all have in common


def test_what_a_place_says(service, db, alice, bob):
    album = int(service.ok("addAlbum", user=alice, **ALBUM | {"lat": "1.50", "lng": "0.0"})["albumID"])
    poi = db.insert("poi", owner_id=bob.id, title="p", slot=20, lat="1.5", lng="0", score=7)
    for position in 2, 1:
        db.insert("photo", kind=0, number=album, position=position, address=f"https://example.org/a{position}.jpg")
        db.insert("photo", kind=1, number=poi, position=position, address=f"https://example.org/p{position}.jpg")
    today = samples.today()
    date = {"year": today.year, "month": today.month, "day": today.day}
    got = read(service, "getNearby", lat="1.5", lng=0)["placeList"]
    assert got == [
        {"kind": "album", "albumID": album, "title": ALBUM["albumTitle"], "category": 5, "Location": {"lat": 1.5, "lng": 0},
         "thumbnail": "https://example.org/a1.jpg", "ownerID": alice.id, "ownerName": "alice", "ownerIcon": "",
         "updateDate": date, "score": 0, "distance": 0},
        {"kind": "POI", "POIID": poi, "title": "p", "category": 4, "Location": {"lat": 1.5, "lng": 0},
         "thumbnail": "https://example.org/p1.jpg", "ownerID": bob.id, "ownerName": "bob", "ownerIcon": "",
         "updateDate": date, "score": 7, "distance": 0},
    ]
    db.run("UPDATE album SET cover_photo_id = (SELECT photo_id FROM photo WHERE kind = 0 AND number = %s AND position = 2)", album)
    answer = service.call("getNearby", lat="1.5", lng=0, **JSON)
    assert b'"thumbnail":"https://example.org/a2.jpg"' in answer.body and b'{"lat":1.50,"lng":0.0}' in answer.body
    json_rule.assert_same(answer, service.call("getNearby", lat="1.5", lng=0))


SUMMARIES = [
    ("<p>Hello <b>wor</b>ld</p>\n<p>again&nbsp;&amp; again</p>", "Hello world again & again"),
    ("two\n\n  lines\tand\u3000more \u2028", "two lines and more"),
    ("字" * 200, "字" * 160),
    ("<i>" + "\U0001f600" * 161, "\U0001f600" * 160),
    ("a" * 159 + " b", "a" * 159 + " "),
    ("<script>no()</script><style>p {}</style><!-- no --><img src='/photos/a1/x.jpg' alt='no'>text", "text"),
    ("&lt;b&gt; is text", "<b> is text"),
    ("<p>&nbsp;</p> <br>", None),
    ("<b></b>" * 5000 + "behind much markup", "behind much markup"),
]


def summary_of(service, kind, identifier, **asked):
    """What all lists say alike."""
    there = {"lat": "41.5", "lng": "-7.5"}
    box = {"west": "-8", "south": "41", "east": "-7", "north": "42", "zoomLevel": "9"}
    said = set()
    for func, params in ("getNearby", there), ("getMap", box), ("search", {"q": "Summed up"}):
        for place in read(service, func, **params, **asked)["placeList"]:
            said |= {place.get("summary")} if name(place) == (kind, identifier) else set()
        json_rule.assert_same(service.call(func, **JSON, **params, **asked), service.call(func, **params, **asked))
    (summary,) = said
    return summary


@pytest.mark.parametrize("content, summary", SUMMARIES, ids=range(len(SUMMARIES)))
def test_the_summary_of_a_blog(service, db, alice, content, summary):
    """It comes with the blog, and changes with it."""
    piece = blog(service, alice, "Summed up", "before", lat="41.5", lng="-7.5")
    assert summary_of(service, *piece) == "before"
    service.ok("updateBlog", user=alice, blogID=piece[1],
               **BLOG | {"lat": "41.5", "lng": "-7.5", "blogTitle": "Summed up", "blogContent": content})
    assert summary_of(service, *piece) == summary
    (place,) = read(service, "getBlogList")["placeList"]
    assert place.get("summary") == summary and list(place)[:3] == ["kind", "blogID", "title"]
    assert summary is None or list(place)[3] == "summary"


def test_the_summary_of_an_album(service, db, alice):
    """Of its first photo with a description that its reader sees."""
    album = int(service.ok("addAlbum", user=alice, **ALBUM | {"albumTitle": "Summed up", "lat": "41.5", "lng": "-7.5"})["albumID"])
    assert summary_of(service, "album", album) is None
    for position, description in (1, ""), (3, "the third"), (2, " the\n second "):
        db.insert("photo", kind=0, number=album, position=position, address=f"https://example.org/{position}.jpg",
                  description=description)
    assert summary_of(service, "album", album) == "the second"
    db.run("UPDATE photo SET hidden = 'hidden' WHERE kind = 0 AND number = %s AND position = 2", album)
    assert summary_of(service, "album", album) == "the third"
    assert summary_of(service, "album", album, user=alice) == "the second"


def test_the_site(service, start_service):
    assert read(service, "getSite") == {
        "status": "SUCCESS", "siteName": "", "registration": "open", "tiles": {"map": "", "satellite": "", "attribution": ""},
        "photoSize": 20 << 20, "languages": ["en", "zh-Hant"],
        "timezone": samples.ZONE, "today": samples.date_params(samples.today(samples.ZONE))}
    other = start_service(database="finding", site_name="足跡 & Co", map_tiles="https://t.example/{z}/{x}/{y}.png", map_attribution="© T",
                          photo_size="1MiB", registration="invited")
    got = read(other, "getSite")
    assert (got["siteName"], got["photoSize"], got["registration"]) == ("足跡 & Co", 1 << 20, "invited")
    assert got["tiles"] == {"map": "https://t.example/{z}/{x}/{y}.png", "satellite": "", "attribution": "© T"}
    json_rule.assert_same(other.call("getSite", **JSON), other.call("getSite"))
