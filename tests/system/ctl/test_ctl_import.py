"""mapdiaryctl import ..."""

import contextlib
import csv
import json
import os
import pty
import re
import select
import subprocess

import pytest

from ctl import ABSENT, DATA, USAGE, done, shown
from samples import ALBUM, KINDS
from service import BUILD, ENVIRONMENT, TOP

PASSES_OF_HOURS = f"$argon2id$v=19$m=65536,t=4000000000,p=1${'A' * 22}${'A' * 43}"
NOBODYS = 999_999_999
NO_TEXT = "not text: invalid UTF-8 or a control character (iconv -t UTF-8 converts files)"
POI_HEADER = "id,name,category,lat,lng,owner,score\n"


@pytest.fixture
def write(tmp_path):
    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


@pytest.fixture
def source(db, request):
    """A source of its own for each test."""
    return ["--source", request.node.name[:200]]


def counts(service, *arguments):
    got = shown(service, "import", *arguments)
    assert got["seconds"] >= 0
    return tuple(got[name] for name in ("rows", "added", "changed", "unchanged", "rejected"))


def rejected(service, path, *arguments, status=DATA, text=None):
    """Imports what is in part rejected; returns the counts, standard error, and the rejects."""
    ran = service.ctl("import", *arguments, "--json", "--rejects", f"{path}.bad", text=text)
    assert ran.returncode == status, ran
    with open(f"{path}.bad", newline="", encoding="utf-8", errors="surrogateescape") as file:
        rows = list(csv.DictReader(file))
    got = json.loads(ran.stdout) if ran.stdout else {}
    return tuple(got.get(name) for name in ("added", "rejected")), ran.stderr, rows


def named(db, source, table="poi", column="title"):
    return db.column(f"SELECT {column} FROM {table} JOIN piece_source USING (kind, number) WHERE source = %s ORDER BY number", source[1])


# Points of interest, CSV


def test_csv(service, db, write, alice, bob, source):
    path = write("p.csv", POI_HEADER + f'''a,"龍山寺, ""temple""",2,25.0370,121.4999,{alice.email},7
b," two
lines are no name",3,1,2,,\r
c,,1,1,2,,
d,標記 \\N\\t,5,-90,180.0,,
''')
    ran, stderr, rows = rejected(service, path, "pois", path, *source, "--owner", bob.id)
    assert ran == (2, 2)
    assert f"{path}: 2 of 4 rows were rejected; see {path}.bad" in stderr
    assert [(row["line"], row["column"], row["reason"], row["id"]) for row in rows] == [
        ("3", "3", "name: not one line of 1 to 255 characters", "b"), ("5", "1", "name: missing", "c")]
    poi, = db.column("SELECT number FROM piece_source WHERE kind = 1 AND source = %s AND identifier = 'a'", source[1])
    got = service.ok("getPOI", POIID=poi)
    assert (got["name"], got["ownerName"], got["score"]) == ('龍山寺, "temple"', alice.name, "7")
    assert got["Location"] == [("lat", "25.0370"), ("lng", "121.4999")]
    assert named(db, source) == ['龍山寺, "temple"', "標記 \\N\\t"]


def test_the_same_twice_and_changed(service, db, write, alice, source):
    lines = [f"{number},名 {number},{number % 5 + 1},1.5,2.5,{alice.email},\n" for number in range(200)]
    path = write("p.csv", POI_HEADER + "".join(lines))
    assert counts(service, "pois", path, *source) == (200, 200, 0, 0, 0)
    with db.unchanged():
        assert counts(service, "pois", path, *source) == (200, 0, 0, 200, 0)
    lines[7] = f"7,新名,1,1.5,2.5,{alice.email},3\n"
    write("p.csv", POI_HEADER + "".join(lines) + f"new,新,1,0,0,{alice.email},\n")
    db.run("UPDATE poi SET updated_at = '2001-02-03'")
    assert counts(service, "pois", path, *source) == (201, 1, 1, 199, 0)
    assert db.run("SELECT title, slot - 16, score FROM poi WHERE title = '新名'") == [("新名", 1, 3)]
    assert db.value("SELECT count(*) FROM poi JOIN piece_source USING (kind, number) WHERE source = %s AND"
                    " updated_at > '2001-02-03'", source[1]) == 2
    assert counts(service, "pois", path, "--source", source[1] + " other") == (201, 201, 0, 0, 0)


def test_without_identifiers(service, db, write, alice, source):
    path = write("p.csv", "name,category,lat,lng\na,1,1,2\nb,1,1,2\na,1,1,2\n")
    got, _, rows = rejected(service, path, "pois", path, *source, "--owner", alice.email)
    assert got == (2, 1) and rows[0]["reason"] == "identifier: stands in line 2 already"
    got, _, rows = rejected(service, path, "pois", path, *source, "--owner", alice.email)
    assert got == (0, 1) and named(db, source) == ["a", "b"]


@pytest.mark.parametrize("row, column, reason", [
    ("x,6,1,2", 3, "category: not an integer from 1 to 5"),
    ("x,,1,2", 1, "category: missing"),
    ("x,1,90.1,2", 5, "lat: not decimal degrees from -90 to 90"),
    ("x,1,1e0,2", 5, "lat: not decimal degrees from -90 to 90"),
    ("x,1,1,180.0000001", 7, "lng: not decimal degrees from -180 to 180"),
    ("x,1,1", 1, "3 fields, but the header has 4"),
    ("x,1,1,2,3", 1, "5 fields, but the header has 4"),
    ("\x01,1,1,2", 1, NO_TEXT),
    (b"\xff,1,1,2", 1, NO_TEXT),
    ("x" * 256 + ",1,1,2", 1, "name: not one line of 1 to 255 characters"),
])
def test_rejected(service, db, write, alice, source, row, column, reason):
    row = row.encode() if isinstance(row, str) else row
    path = write("p.csv", b"name,category,lat,lng\ngood,1,1,2\n" + row + b"\nbest,1,1,2\n")
    got, _, rows = rejected(service, path, "pois", path, *source, "--owner", alice.id)
    assert got == (2, 1)
    assert [(row["line"], row["column"], row["reason"]) for row in rows] == [("3", str(column), reason)]


@pytest.mark.parametrize("row", ["x,1,1", "x,1,1,2,more,and more", b"\xff\xfe,1,1,2", "臺北".encode("big5") + b",1,1,2"])
def test_a_row_that_is_none_is_kept(service, write, alice, source, row):
    """Byte for byte, in the file of rejects."""
    row = row.encode() if isinstance(row, str) else row
    path = write("p.csv", b"name,category,lat,lng\n" + row + b"\n")
    ran = service.ctl("import", "pois", path, "--rejects", f"{path}.bad", *source, "--owner", alice.id)
    assert ran.returncode == DATA
    with open(f"{path}.bad", newline="", encoding="latin-1") as file:
        header, kept = csv.reader(file)
    fields = row.decode("latin-1").split(",")
    place = header.index("name")
    assert kept[place:place + len(fields[:4])] == fields[:4] and kept[len(header):] == fields[4:]


@pytest.mark.parametrize("separator", [";", "\t"])
def test_another_separator_is_named(service, write, separator):
    path = write("p.csv", "name,category,lat,lng\nx,1,1,2\n".replace(",", separator))
    ran = service.ctl("import", "pois", path)
    assert ran.returncode == DATA and "fields are separated by commas" in ran.stderr


HERE = {"type": "Feature", "properties": {"name": "here", "category": 1}, "geometry": {"type": "Point", "coordinates": [2, 1]}}


def collection(crs, behind=False):
    """GeoJSON of 2008 that names the system of its coordinates before the features or behind them."""
    members = {"crs": {"type": "name", "properties": {"name": crs}}, "features": [HERE]}
    return json.dumps({"type": "FeatureCollection"} | dict(sorted(members.items(), reverse=behind)))


@pytest.mark.parametrize("behind", [False, True])
@pytest.mark.parametrize("crs", ["urn:ogc:def:crs:EPSG::3857", "EPSG:3821", "urn:ogc:def:crs:EPSG::4326\x1b[31m"])
def test_other_coordinates_are_refused(service, db, write, alice, source, crs, behind):
    path = write("p.geojson", collection(crs, behind))
    with db.unchanged():
        ran = service.ctl("import", "pois", path, *source, "--owner", alice.id)
    assert ran.returncode == DATA and "not in WGS 84" in ran.stderr and "ogr2ogr" in ran.stderr
    assert crs.replace("\x1b", "?") in ran.stderr


@pytest.mark.parametrize("crs", ["urn:ogc:def:crs:OGC:1.3:CRS84", "urn:ogc:def:crs:EPSG::4326", "EPSG:4326"])
def test_wgs84_by_name(service, db, write, alice, source, crs):
    path = write("p.geojson", collection(crs))
    assert counts(service, "pois", path, *source, "--owner", alice.id) == (1, 1, 0, 0, 0)


@pytest.mark.parametrize("name, content", [
    ("p.csv", "name,category,lat,lng\nhere,1,1,2\n"), ("p.geojson", collection("EPSG:4326")),
    ("p.geojsonl", json.dumps(HERE) + "\n")])
def test_a_byte_order_mark_is_skipped(service, db, write, alice, source, name, content):
    path = write(name, "\ufeff" + content)
    assert counts(service, "pois", path, *source, "--owner", alice.id) == (1, 1, 0, 0, 0)
    assert named(db, source) == ["here"]


def test_unknown_owner(service, db, write, alice, source):
    path = write("p.csv", POI_HEADER + f"a,a,1,1,2,nobody@example.org,\nb,b,1,1,2,,\nc,c,1,1,2,{alice.email.upper()},\n")
    got, _, rows = rejected(service, path, "pois", path, *source)
    assert got == (1, 2)
    assert [(row["id"], row["reason"]) for row in rows] == [
        ("b", "owner: missing"), ("a", "owner: no user has this email address")]


def test_rejects_mended_are_imported(service, db, write, alice, source, tmp_path):
    path = write("p.csv", POI_HEADER + f"a,好,1,1,2,{alice.email},\nb,壞,9,1,2,{alice.email},\n")
    rejected(service, path, "pois", path, *source)
    bad = tmp_path / "p.csv.bad"
    mended = write("mended.csv", bad.read_text().replace('"9"', '"3"'))
    assert counts(service, "pois", mended, *source) == (1, 1, 0, 0, 0)
    assert named(db, source) == ["好", "壞"]


def test_strict(service, db, write, alice, source):
    path = write("p.csv", POI_HEADER + f"a,好,1,1,2,{alice.email},\nb,壞,9,1,2,{alice.email},\n")
    with db.unchanged():
        _, stderr, rows = rejected(service, path, "pois", path, *source, "--strict")
    assert "1 of 2 rows were rejected, so nothing was imported" in stderr and len(rows) == 1
    write("p.csv", POI_HEADER + f"a,好,1,1,2,{alice.email},\n")
    assert counts(service, "pois", path, *source, "--strict") == (1, 1, 0, 0, 0)


@pytest.mark.parametrize("content, place, reason", [
    ('name,category,lat,lng\na,1,1,2\n"b,1,1,2\n', "3:1", "the quote that begins here is never closed"),
    ('name,category,lat,lng\na,1,1,2\nb"b,1,1,2\n', "3:2", "a quote where none may stand"),
    ('name,category,lat,lng\na,1,1,2\n"b"b,1,1,2\n', "3:4", "a quote where none may stand"),
])
def test_csv_that_cannot_be_read(service, db, write, alice, source, content, place, reason):
    path = write("p.csv", content)
    with db.unchanged():
        ran = service.ctl("import", "pois", path, *source, "--owner", alice.id)
    assert (ran.returncode, ran.stdout) == (DATA, "")
    assert f"mapdiaryctl: {path}:{place}: {reason}\n" in ran.stderr


def test_csv_with_mark_and_without_last_line_feed(service, db, write, alice, source):
    path = write("p.csv", "\ufeffname,category,lat,lng\r\n a ,1,1,2\r\n\r\nb,1,1,2")
    assert counts(service, "pois", path, *source, "--owner", alice.id) == (2, 2, 0, 0, 0)
    assert named(db, source) == [" a ", "b"]


@pytest.mark.parametrize("header, column, reason", [
    ("name,category,lat,lng,nonsense,more", 23,
     "nonsense: no such column; there are id, source, name, category, lat, lng, owner, score"),
    ("name,category,lat,\"poi\nName\"", 19,
     "poi Name: no such column; there are id, source, name, category, lat, lng, owner, score"),
    ("name,category,lat,lng,name", 23, "name: stands twice"),
    ("id,line,column,reason,reason,name", 23, "reason: stands twice"),
    ("name,\x01,lat,lng", 1, NO_TEXT),
])
@pytest.mark.parametrize("rows", [0, 3])
def test_header_that_is_wrong(service, db, write, alice, source, header, column, reason, rows):
    """It is told once, and nothing is imported."""
    path = write("p.csv", header + "\n" + rows * "a,1,1,2\n")
    with db.unchanged():
        ran = service.ctl("import", "pois", path, *source, "--owner", alice.id)
    assert (ran.returncode, ran.stdout) == (DATA, "")
    assert f"mapdiaryctl: {path}:1:{column}: {reason}\n" in ran.stderr and ran.stderr.count("p.csv:") == 1
    assert [file.name for file in path.parent.iterdir()] == ["p.csv"]


def test_member_that_nobody_knows(service, db, write, alice, source):
    path = write("p.jsonl", '{"name": "a", "category": 1, "lat": 1, "lng": 2, "nonsense": 3}\n')
    got, _, rows = rejected(service, path, "pois", path, *source, "--owner", alice.id)
    assert got == (0, 1) and rows[0]["reason"] == "nonsense: no such column"


def test_nothing_at_all(service, db, write, alice, source):
    assert counts(service, "pois", write("p.csv", ""), *source) == (0, 0, 0, 0, 0)
    assert counts(service, "pois", write("p.csv", POI_HEADER), *source) == (0, 0, 0, 0, 0)


def test_standard_input(service, db, alice, source, tmp_path):
    ran = service.ctl("import", "pois", "-", "--format", "csv", *source, "--owner", alice.id,
                      text="name,category,lat,lng\na,1,1,2\n")
    assert ran.returncode == 0 and "added: 1\n" in ran.stdout and ran.stderr == ""


def test_wrong_usage(service, write, alice):
    assert service.ctl("import", "pois", "-").returncode == USAGE
    assert service.ctl("import", "pois", write("p.txt", "")).returncode == USAGE
    assert service.ctl("import", "pois", "/nowhere.csv").returncode == ABSENT
    assert service.ctl("import", "pois", write("p.csv", ""), "--owner", "nobody@example.org").returncode == ABSENT
    assert service.ctl("import", "pois", write("p.geojson", ""), "--mapping", "/nowhere").returncode == ABSENT
    for kind, name in [("pois", "p.csv"), ("albums", "p.geojson")]:
        ran = service.ctl("import", kind, write(name, ""), "--mapping", TOP / "conf/osm-categories")
        assert ran.returncode == USAGE and "--mapping: goes with points of interest from GeoJSON" in ran.stderr
    ran = service.ctl("import", "pois", write("p.geojson", ""), "--mapping", write("m", "# fine\nx=y 3\nnonsense\nx=y 6\n"))
    assert ran.returncode == USAGE and "/m:3:1: not of the form" in ran.stderr and "/m:4:1: " in ran.stderr


def test_rejects_that_cannot_be_written(service, db, write, alice, source):
    path = write("p.csv", "name,category,lat,lng\n,1,1,2\n")
    with db.unchanged():
        ran = service.ctl("import", "pois", path, *source, "--owner", alice.id, "--rejects", "/nowhere/bad.csv")
    assert ran.returncode == 1 and "/nowhere/bad.csv: No such file or directory" in ran.stderr


# Points of interest, GeoJSON


def feature(identifier, lat="25.0370", lng="121.4999", kind="Point", **properties):
    geometry = f'{{"type": "{kind}", "coordinates": [{lng}, {lat}]}}'
    member = f'"id": {json.dumps(identifier)}, ' if identifier else ""
    return f'{{"type": "Feature", {member}"geometry": {geometry}, "properties": {json.dumps(properties)}}}'


def test_feature_collection(service, db, write, alice, source):
    features = [feature("n1", name='茶 "A"\t', category=1), feature("n2", lat="-1.50", name="B", category="2"),
                feature(None, **{"@id": "n3", "name": "C", "category": 3, "nested": {"features": [{"a": 1}]}})]
    path = write("p.geojson", '{"type": "FeatureCollection",\n "bbox": [1, 2],\n "features": [\n' + ",\n".join(features)
                 + '],\n "after": {"features": [{"no": "row"}]}}\n')
    assert counts(service, "pois", path, *source, "--owner", alice.id) == (3, 3, 0, 0, 0)
    assert db.run("SELECT identifier, title, slot - 16, lat::text, lng::text FROM poi JOIN piece_source USING (kind, number)"
                  " WHERE source = %s ORDER BY number", source[1]) == [
        ("n1", '茶 "A"\t', 1, "25.0370", "121.4999"), ("n2", "B", 2, "-1.50", "121.4999"), ("n3", "C", 3, "25.0370", "121.4999")]
    with db.unchanged():
        assert counts(service, "pois", path, *source, "--owner", alice.id) == (3, 0, 0, 3, 0)


@pytest.mark.parametrize("separator", ["", "\x1e"])
def test_a_feature_a_line(service, db, write, alice, source, separator):
    lines = [feature(f"n{number}", name=f"名 {number}", category=1) for number in range(3)]
    lines.insert(1, '{"type": "Feature", "properties": ')
    lines.insert(3, "[1]")
    lines.insert(4, "")
    path = write("p.geojsonseq", "".join(f"{separator}{line}\n" for line in lines))
    got, _, rows = rejected(service, path, "pois", path, *source, "--owner", alice.id)
    assert got == (3, 2)
    assert [row["line"] for row in rows] == ["2", "4"]
    assert "parse error: premature EOF" in rows[0]["reason"] and "not an object" in rows[1]["reason"]
    assert named(db, source) == ["名 0", "名 1", "名 2"]


def test_features_rejected_with_their_place(service, db, write, alice, source):
    path = write("p.geojson", '{"type":"FeatureCollection","features":[\n' + ",\n".join([
        feature("a", name="x", category=1, lat="91"), feature("b", name="x", category=9),
        feature("c", kind="LineString", name="x", category=1), feature("d", category=1), feature("e", name="x\u0000y", category=1),
    ]) + "]}")
    got, _, rows = rejected(service, path, "pois", path, *source, "--owner", alice.id)
    assert got == (0, 5)
    assert [(row["id"], row["line"], row["reason"].partition(":")[0]) for row in rows] == [
        ("a", "2", "lat"), ("b", "3", "category"), ("c", "4", "geometry"), ("d", "5", "name"), ("e", "6", "name")]
    lines = path.read_text().split("\n")
    assert lines[1][int(rows[0]["column"]) - 1:].startswith("91]")
    assert lines[2][int(rows[1]["column"]) - 1:].startswith("9}")
    assert lines[3][int(rows[2]["column"]) - 1:].startswith('"LineString"')
    assert rows[3]["column"] == "1"


@pytest.mark.parametrize("tail, place", [("", "2:"), ("}", "2:"), ("]}}", "2:"), ("nonsense", "2:")])
def test_geojson_that_cannot_be_read(service, db, write, alice, source, tail, place):
    path = write("p.geojson", '{"type":"FeatureCollection","features":[\n' + feature("a", name="x", category=1) + tail)
    with db.unchanged():
        ran = service.ctl("import", "pois", path, *source, "--owner", alice.id)
    assert ran.returncode == DATA
    assert f"mapdiaryctl: {path}:{place}" in ran.stderr and "error" in ran.stderr


ALONE = "not text: a surrogate (\\ud800 to \\udfff) that is alone"


@pytest.mark.parametrize("document", [False, True], ids=["lines", "collection"])
@pytest.mark.parametrize("name, reason", [
    (r"a\ud800", ALONE), (r"\udc00b", ALONE), (r"\ud800\ud800", ALONE), (r"\ud83d\ude00\udc00", ALONE), (r"\ud83d\n\ude00", ALONE),
    (r"\uD83Dx\uDE00", ALONE), (r"x\u0000y", "not text: it has U+0000"), (r"\ud83d\ude00", None), (r"\\\\ud800", None),
    (r"\ud7ff\ue000", None),
])
def test_half_a_character(service, db, write, alice, source, document, name, reason):
    """Refused with its place, and not changed; what stands beside it is taken."""
    lines = [feature(f"n{number}", name=f"N{number}", category=1) for number in range(3)]
    lines[1] = lines[1].replace("N1", name)
    joined = ",\n".join(lines) if document else "\n".join(lines)
    path = write("p.geojson", f'{{"type": "FeatureCollection", "features": [\n{joined}]}}' if document else joined)
    ran = service.ctl("import", "pois", path, *source, "--owner", alice.id, "--rejects", f"{path}.bad")
    middle = [] if reason else [json.loads(f'"{name}"')]
    assert (ran.returncode, named(db, source)) == (DATA if reason else 0, ["N0", *middle, "N2"])
    if reason:
        with open(f"{path}.bad", newline="", encoding="utf-8") as file:
            row, = csv.DictReader(file)
        assert (row["line"], row["id"], row["name"], row["reason"]) == (str(3 if document else 2), "n1", "", f"name: {reason}")


def test_half_a_character_elsewhere(service, db, write, alice, source):
    """In what is no column of ours it does no harm, in an identifier it does, and a block of the file may end within it."""
    lines = [feature("n1", name="A", category=1, note="?", deep={"x": [{"y": "?"}]}).replace("?", r"\ud800"),
             feature("?", name="B", category=1).replace("?", r"\ud800"), feature("n3", name="C", category=1)]
    start = '{"type": "FeatureCollection", "features": [\n'
    before = ",\n".join(lines) + ",\n"
    for end in range(8):  # bytes of the escape that are in the first block, of 256 KiB
        odd = feature("odd", name="?", category=1).replace("?", r"\udc00")
        blanks = " " * (2**18 - end - len(start + before) - odd.index(r"\udc00"))
        path = write("p.geojson", start + before + blanks + odd + "," + feature("n4", name="D", category=1) + "]}")
        got, _, rows = rejected(service, path, "pois", path, *source, "--owner", alice.id)
        assert got[1] == 2
        assert [row["reason"] for row in rows] == ["id: not one line of 1 to 255 characters", f"name: {ALONE}"]
        assert named(db, source) == ["A", "C", "D"]


def test_a_member_twice(service, db, write, alice, source):
    path = write("p.jsonl", '{"name": "a", "category": 1, "lat": 1, "lng": 2, "name": "b"}\n')
    got, _, rows = rejected(service, path, "pois", path, *source, "--owner", alice.id)
    assert got == (0, 1) and rows[0]["reason"] == "name: stands twice"


def test_mapping(service, db, write, alice, source):
    mapping = write("map", "# food first\namenity=cafe 2\ncuisine=hot pot  4\n\ntourism=* 5\nname name:zh\nname name\n")
    features = [feature("1", amenity="cafe", tourism="yes", name="A", **{"name:zh": "甲"}), feature("2", tourism="x", name="B"),
                feature("3", cuisine="hot pot", name="C"), feature("4", amenity="bank", name="D"), feature("5", amenity="cafe")]
    path = write("p.geojsonl", "\n".join(features))
    got, _, rows = rejected(service, path, "pois", path, *source, "--owner", alice.id, "--mapping", mapping)
    assert got == (3, 2)
    assert [(row["id"], row["reason"]) for row in rows] == [("4", "category: no tag that the mapping has"), ("5", "name: missing")]
    assert db.run("SELECT title, slot - 16 FROM poi JOIN piece_source USING (kind, number) WHERE source = %s ORDER BY number",
                  source[1]) == [("甲", 2), ("B", 5), ("C", 4)]


OSM = """<osm version="0.6">
<node id="1" version="1" lat="25.0370000" lon="121.4999000"><tag k="amenity" v="place_of_worship"/><tag k="name" v="Longshan"/>
  <tag k="name:zh" v="龍山寺"/><tag k="tourism" v="attraction"/></node>
<node id="2" version="1" lat="25.1" lon="121.5"><tag k="amenity" v="cafe"/><tag k="name" v="A &amp; B &lt;3"/></node>
<node id="3" version="1" lat="25.2" lon="121.6"><tag k="amenity" v="cafe"/></node>
<node id="4" version="1" lat="25.3" lon="121.7"><tag k="amenity" v="bench"/><tag k="name" v="bench"/></node>
<node id="5" version="1" lat="25.4" lon="121.8"><tag k="highway" v="crossing"/></node>
<node id="6" version="1" lat="25.5" lon="121.9"><tag k="tourism" v="attraction"/><tag k="name" v="Old Bridge"/></node>
</osm>
"""


def pipe_of_the_document(**places):
    """The example of doc/import.md for OpenStreetMap, word for word but for what these places are here."""
    text = (TOP / "doc/import.md").read_text(encoding="utf-8")
    pipe, = re.findall(r"^    (osmium tags-filter .*(?:\n     .*)*)", text, re.MULTILINE)
    for word, place in places.items():
        assert word in pipe
        pipe = pipe.replace(word, str(place))
    return pipe


def test_openstreetmap_in_one_pipe(service, db, write, alice, source):
    """Its lines, with the mapping that is installed: again they change nothing, and a broken extract adds nothing."""
    extract = write("extract.osm", OSM)
    pipe = pipe_of_the_document(**{
        "taiwan-latest.osm.pbf": extract, "places.osm.pbf": f"{extract}.pbf", "--source osm": f"--source {source[1]}",
        "editor@example.org": alice.email, "/usr/share/mapdiary/osm-categories": TOP / "conf/osm-categories",
        "/tmp/osm.rejects.csv": f"{extract}.bad"})
    sudo = f'set -o pipefail; sudo() {{ shift; "{BUILD}/mapdiaryctl" -c "{service.conf}" "$@" --json; }}\n'

    def run():
        ran = subprocess.run(["bash", "-c", sudo + pipe], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                             env=ENVIRONMENT, timeout=60)
        got = json.loads(ran.stdout)
        return ran.returncode, got["added"], got["unchanged"], ran.stderr

    assert run()[:3] == (DATA, 3, 0)
    assert db.run("SELECT identifier, title, slot - 16, lat::text FROM poi JOIN piece_source USING (kind, number)"
                  " WHERE source = %s ORDER BY number", source[1]) == [
                      ("n1", "龍山寺", 3, "25.037"), ("n2", "A & B <3", 2, "25.1"), ("n6", "Old Bridge", 5, "25.5")]
    with open(f"{extract}.bad", newline="", encoding="utf-8") as file:
        assert [(row["id"], row["reason"]) for row in csv.DictReader(file)] == [
            ("n3", "name: missing"), ("n4", "category: no tag that the mapping has")]
    with db.unchanged():
        assert run()[:3] == (DATA, 0, 3)
        write("extract.osm", OSM[:-20])
        status, added, _, stderr = run()
        assert status != 0 and added == 0 and "XML parsing error" in stderr


def test_the_mapping_names_tags_that_the_document_filters():
    filtered = re.findall(r" n/([a-z=]+)", pipe_of_the_document())
    rules = re.findall(r"^(\w+)=(\S+) +\d$", (TOP / "conf/osm-categories").read_text(encoding="utf-8"), re.MULTILINE)
    assert len(rules) > 30
    assert [f"{key}={value}" for key, value in rules if not {key, f"{key}={value}"} & set(filtered)] == []


# Progress


def test_bar_on_a_terminal(service, alice, source, tmp_path):
    """A file that comes in pieces: the bar moves, and is gone at the end."""
    fifo = tmp_path / "p.csv"
    lines = [f"{number},n,1,1,2\n".encode() for number in range(20000)]
    fifo.write_bytes(b"id,name,category,lat,lng\n" + b"".join(lines))
    master, slave = pty.openpty()
    process = subprocess.Popen([BUILD / "mapdiaryctl", "-c", service.conf, "import", "pois", fifo, *source, "--owner",
                                str(alice.id)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=slave, env=ENVIRONMENT)
    os.close(slave)
    seen = b""
    with contextlib.suppress(OSError):  # what a terminal without a process answers
        while more := os.read(master, 4096):
            seen += more
    os.close(master)
    assert process.wait(60) == 0 and b"added: 20000" in process.stdout.read()
    process.stdout.close()
    assert b"\r\x1b[Kpois: storing" in seen and seen.endswith(b"\r\x1b[K")


def test_lines_elsewhere(service, alice, source):
    """A pipe: a line after a second, without a share, as nobody knows how much will come."""
    process = subprocess.Popen([BUILD / "mapdiaryctl", "-c", service.conf, "import", "pois", "-", "--format", "csv", *source,
                                "--owner", str(alice.id)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, env=ENVIRONMENT, text=True)
    process.stdin.write("id,name,category,lat,lng\n")
    sent = 0
    while not select.select([process.stderr], [], [], 0.1)[0]:
        process.stdin.write(f"{sent},n,1,1,2\n")
        process.stdin.flush()
        sent += 1
        assert sent < 1000
    first = process.stderr.readline()
    out, _ = process.communicate(timeout=60)
    assert f"added: {sent}\n" in out
    assert re.fullmatch(r"pois: reading: \d+ rows, \d+ a second\n", first)


# Sources of rows


def test_a_source_of_a_row(service, db, write, alice, source):
    """Before that of all; equal identifiers of two sources are two things."""
    elsewhere = source[1] + " elsewhere"
    rows = [("", "a"), (elsewhere, "b"), (elsewhere, "c"), ("x" * 256, "d")]
    path = write("p.csv", "id,source,name,category,lat,lng\n" + "".join(f"1,{of},{name},1,1,2\n" for of, name in rows))
    got, _, rows = rejected(service, path, "pois", path, *source, "--owner", alice.id)
    assert got == (2, 2) and named(db, source) == ["a"] and named(db, ["", elsewhere]) == ["b"]
    assert [(row["reason"], row["source"], row["name"]) for row in rows] == [
        ("source: not one line of 1 to 255 characters", "", "d"),
        ("identifier: stands in line 3 already", elsewhere, "c")]
    path = write("p.csv", f"id,source,name,category,lat,lng\n1,{elsewhere},new,1,1,2\n")
    assert counts(service, "pois", path, *source, "--owner", alice.id) == (1, 0, 1, 0, 0)


def test_rejects_know_their_source(service, db, write, alice, source):
    """Mended, they are imported as of it, whatever is said then."""
    path = write("p.csv", "id,name,category,lat,lng\n1,a,9,1,2\n")
    rejected(service, path, "pois", path, *source, "--owner", alice.id)
    mended = write("mended.csv", path.with_name("p.csv.bad").read_text().replace('"9"', '"3"'))
    assert counts(service, "pois", mended, "--owner", alice.id) == (1, 1, 0, 0, 0)
    assert named(db, source) == ["a"]


def test_a_property_is_no_source(service, db, write, alice, source):
    """Many features of OpenStreetMap have one, which says something else."""
    path = write("p.geojson", feature("n1", name="a", category=1, source="survey"))
    assert counts(service, "pois", path, *source, "--owner", alice.id) == (1, 1, 0, 0, 0)
    assert named(db, source) == ["a"]


def test_own_things_of_all_kinds(service, db, write, new_user, things, alice):
    """Whatever names the service as its source is what is here already, and refers to it."""
    here, user = db.value("SELECT name FROM service"), new_user("舊")
    photo = db.insert("photo", kind=0, number=things["album"], position=1, address="t.jpg")
    at = db.insert("photo", kind=1, number=things["poi"], position=1, address="https://example.org/p.jpg")
    comment = int(done(service, "comment", "add", f"blog:{things['blog']}", "--user", alice.id, "--text", "x"))
    files = {
        "users": [{"id": user.id, "email": user.email, "name": "新"}],
        "photos": [{"id": photo, "album": things["album"], "address": "new.jpg", "cover": True},
                   {"id": at, "poi": things["poi"], "address": "https://example.org/new.jpg"}],
        "comments": [{"id": comment, "blog": things["blog"], "user": alice.email, "comment": "新"}],
    }
    for kind, rows in files.items():
        path = write(f"{kind}.jsonl", jsonl(*[row | {"id": str(row["id"]), "source": here} for row in rows]))
        assert counts(service, kind, path) == (len(rows), 0, len(rows), 0, 0)
        with db.unchanged():
            assert counts(service, kind, path) == (len(rows), 0, 0, len(rows), 0)
    got = shown(service, "album", "show", things["album"])
    assert (got["cover"], got["photos"][0]["thumbnail"]) == (photo, "new.jpg")
    assert shown(service, "photo", "show", f"poi:{things['poi']}", at)["photoPath"] == "https://example.org/new.jpg"
    assert shown(service, "comment", "show", comment)["comment"] == "新"
    assert shown(service, "user", "show", user.id)["name"] == "新"
    elsewhere = write("photos.jsonl", jsonl({"id": str(photo), "source": here, "album": f"#{NOBODYS}", "address": "x"}))
    assert rejected(service, elsewhere, "photos", elsewhere)[0] == (0, 1)


# All other kinds


def jsonl(*objects):
    return "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in objects)


def test_users(service, db, write, source, new_user):
    other = new_user()
    hash_of_other = db.value("SELECT password_hash FROM user_account WHERE user_id = %s", other.id)
    path = write("u.csv", "email,name,icon,passwordHash\nimp1@example.org,一,i.png,\n"
                 f"imp2@example.org,二,,\"{hash_of_other}\"\n{other.email},三,,\nIMP1@example.org,四,,\n")
    got, _, rows = rejected(service, path, "users", path, *source)
    assert got == (2, 2)
    assert {row["reason"] for row in rows} == {"email: another account has it", "email: stands in line 2 already"}
    assert service.call("login", email="imp2@example.org", password=other.password).info is None
    assert service.call("login", email="imp1@example.org", password="").info == "INVALID PARAMETER: password"
    assert service.call("login", email="imp1@example.org", password="x").info == "PASSWORD INCORRECT"
    done(service, "user", "passwd", "imp1@example.org", text="x\n")
    assert service.call("login", email="imp1@example.org", password="x").info is None
    service.ctl("import", "users", path, *source, "--rejects", f"{path}.bad")
    assert service.call("login", email="imp1@example.org", password="x").info is None
    db.run("DELETE FROM user_account WHERE email LIKE 'imp_@example.org'")


def test_a_whole_community(service, db, write, alice, bob, source):
    """Albums, photos, blogs and comments that refer to each other by the identifiers of their source."""
    owner = ["--owner", alice.id]
    albums = write("a.jsonl", jsonl({"id": "a1", "title": "相簿", "category": 16, "lat": 25.5, "lng": 121, "score": 3}))
    pois = write("p.csv", "id,name,category,lat,lng\np1,寺,1,1,2\n")
    blogs = write("b.jsonl", jsonl(
        {"id": "b1", "type": "0_4", "lat": 1, "lng": 2, "title": "回", "content": "a\r\nb", "date": "2024-02-29", "weather": "有彩虹",
         "reply": "b2", "zoomLevel": 9, "mapType": 2, "userCategory": "類", "score": 5},
        {"id": "b2", "type": "0_0", "lat": 1, "lng": 2, "title": "原", "content": "x", "date": "0001-01-01", "weather": "有彩虹",
         "author": bob.email}))
    photos = write("f.csv", "id,album,poi,address,description,cover\nf1,a1,,1.jpg,一,\nf2,a1,,2.jpg,,true\nf3,,p1,https://x/3.jpg,三,\n")
    comments = write("c.jsonl", jsonl(
        {"id": "c1", "album": "a1", "user": bob.email, "comment": "好", "time": 1700000000, "reply": "謝", "replyTime": 1700000030},
        {"id": "c2", "poi": "p1", "comment": "行\n行", "time": "2024-02-29T23:59:59Z"}, {"id": "c3", "blog": "b2", "comment": "now"}))
    files = [("albums", albums, 1), ("pois", pois, 1), ("blogs", blogs, 2), ("photos", photos, 3), ("comments", comments, 3)]
    for kind, path, count in files:
        assert counts(service, kind, path, *source, *owner) == (count, count, 0, 0, 0)
    with db.unchanged():
        for kind, path, count in files:
            assert counts(service, kind, path, *source, *owner) == (count, 0, 0, count, 0)

    def imported(table, identifier):
        return db.value("SELECT number FROM piece_source WHERE kind = %s AND source = %s AND identifier = %s",
                        KINDS[table], source[1], identifier)

    album = service.ok("getAlbum", albumID=imported("album", "a1"))
    assert [dict(photo)["thumbnail"] for _, photo in dict(album.result)["photos"]] == ["1.jpg", "2.jpg"]
    assert album["cover"] == album["photos/photo2/photoID"] and album["score"] == "3"
    assert dict(album.result)["comments"] == [("comment1", [
        ("time", "1700000000"), ("commenterName", bob.name), ("commenterIcon", bob.icon), ("comment", "好"),
        ("authorReply", [("time", "1700000030"), ("reply", "謝")])])]
    poi = service.ok("getPOI", POIID=imported("poi", "p1"))
    assert poi["photos/photo1/photoPath"] == "https://x/3.jpg" and poi["comments/comment1/comment"] == "行\n行"
    assert poi["comments/comment1/time"] == "1709251199"
    blog = service.ok("getBlog", blogID=imported("blog", "b1"))
    assert (blog["blogContent"], blog["replyBlogID"], blog["zoomLevel"], blog["mapType"], blog["userCategory"]) == (
        "a\r\nb", str(imported("blog", "b2")), "9", "2", "類")
    # A changed row changes its thing.
    write("f.csv", "id,album,poi,address,description,cover\nf1,a1,,new.jpg,一,true\n")
    assert counts(service, "photos", photos, *source) == (1, 0, 1, 0, 0)
    assert service.ok("getAlbum", albumID=imported("album", "a1"))["photos/photo1/thumbnail"] == "new.jpg"
    write("c.jsonl", jsonl({"id": "c3", "blog": "b2", "comment": "now", "reply": "later"}))
    assert counts(service, "comments", comments, *source, *owner) == (1, 0, 1, 0, 0)
    write("b.jsonl", jsonl({"id": "b2", "type": "0_1", "lat": 1, "lng": 2, "title": "原", "content": "x", "date": "0001-01-01",
                            "weather": "有彩虹", "author": bob.email}))
    assert counts(service, "blogs", blogs, *source) == (1, 0, 1, 0, 0)
    write("a.jsonl", jsonl({"id": "a1", "title": "新", "category": 16, "lat": 25.5, "lng": 121}))
    assert counts(service, "albums", albums, *source, *owner) == (1, 0, 1, 0, 0)
    assert service.ok("getAlbum", albumID=imported("album", "a1"))["score"] == "3"


@pytest.mark.slow
def test_more_than_is_stored_at_a_time(service, db, write, album, alice, source):
    """Photos stay in their order, and one that comes late may be the cover; the bar goes on to the end."""
    count = 60_000
    rows = "".join(f"{number},#{album},{number}.jpg,{'true' if number == count - 1 else ''}\n" for number in range(count))
    path = write("f.csv", "id,album,address,cover\n" + rows + f"{count},#{album},,\n")
    got, stderr, rows = rejected(service, path, "photos", path, *source)
    assert got == (count, 1) and rows[0]["line"] == str(count + 2)
    stages = re.findall(r"^photos: (\w+): (\d+) rows, \d+ a second(?:, \d+ %, \d+ s left)?$", stderr, re.MULTILINE)
    assert {stage for stage, _ in stages} <= {"reading", "storing"}
    assert db.value("SELECT count(*) FROM photo WHERE kind = 0 AND number = %s AND position = split_part(address, '.', 1)::integer + 1",
                    album) == count
    assert db.value("SELECT address FROM album JOIN photo ON photo_id = cover_photo_id WHERE album.number = %s",
                    album) == f"{count - 1}.jpg"
    with db.unchanged():
        assert rejected(service, path, "photos", path, *source)[0] == (0, 1)
    db.run("DELETE FROM album WHERE number = %s", album)


def test_things_that_move(service, db, write, album, blog, alice, bob, source):
    """A comment becomes somebody else's, of another piece; a photo stays in its album."""
    other = int(service.ok("addAlbum", user=alice, **ALBUM)["albumID"])
    comments = write("c.jsonl", jsonl({"id": "c", "album": f"#{album}", "user": alice.email, "comment": "x", "time": 1}))
    photos = write("f.csv", f"id,album,address\nf,#{album},1.jpg\n")
    assert counts(service, "comments", comments, *source) == counts(service, "photos", photos, *source) == (1, 1, 0, 0, 0)
    write("c.jsonl", jsonl({"id": "c", "blog": f"#{blog}", "user": bob.email, "comment": "x", "time": 1}))
    assert counts(service, "comments", comments, *source) == (1, 0, 1, 0, 0)
    assert counts(service, "comments", comments, *source) == (1, 0, 0, 1, 0)
    assert service.ok("getBlog", blogID=blog)["comments/comment1/commenterName"] == bob.name
    write("f.csv", f"id,album,address\nf,#{other},1.jpg\n")
    with db.unchanged():
        got, _, rows = rejected(service, photos, "photos", photos, *source)
    assert got == (0, 1) and rows[0]["reason"] == "album: it is a photo of another one"


def test_references_to_what_is_here(service, write, album, blog, alice, source):
    path = write("c.csv", f"album,blog,comment\n#{album},,一\n,#{blog},二\n")
    assert counts(service, "comments", path, *source, "--owner", alice.id) == (2, 2, 0, 0, 0)
    assert service.ok("getAlbum", albumID=album)["comments/comment1/comment"] == "一"


BLOG_ROW = {"id": "b", "type": "0_0", "lat": 1, "lng": 2, "title": "t", "content": "c", "date": "2024-02-29", "weather": "有彩虹"}


@pytest.mark.parametrize("kind, row, reason", [
    ("albums", {"title": "x", "category": 17, "lat": 1, "lng": 2}, "category: not an integer from 1 to 16"),
    ("blogs", BLOG_ROW | {"type": "0_9"}, "type: not one of 0_0, 0_1, 0_2, 0_3, 0_4, 0_5, 0_6, 0_7, 0_8"),
    ("blogs", BLOG_ROW | {"weather": "雨"}, "weather: not one of 晴空萬里, 狂風暴雨, 陰雨綿綿, 雨過天晴, 烏雲滿天, 大雪數日, 有彩虹"),
    ("blogs", BLOG_ROW | {"date": "2023-02-29"}, "date: not a day of the calendar, as 2026-02-03"),
    ("blogs", BLOG_ROW | {"date": "2023-2-9"}, "date: not a day of the calendar, as 2026-02-03"),
    ("blogs", BLOG_ROW | {"reply": "none"}, "reply: no such blog"),
    ("blogs", BLOG_ROW | {"reply": "b"}, "reply: no such blog"),
    ("blogs", BLOG_ROW | {"zoomLevel": 22}, "zoomLevel: not an integer from 0 to 21"),
    ("blogs", BLOG_ROW | {"author": "nobody@example.org"}, "author: no user has this email address"),
    ("photos", {"address": "x"}, "album, poi: not one of the two"),
    ("photos", {"album": "none", "address": "x"}, "album: no such thing of this source"),
    ("photos", {"poi": "#999999999", "address": "https://x"}, "poi: no such thing of this source"),
    ("photos", {"poi": "p", "address": "x.jpg"}, "address: does not start with http:// or https://"),
    ("photos", {"album": "a", "address": "x", "cover": "perhaps"}, "cover: not one of false, true"),
    ("comments", {"album": "a", "blog": "b", "comment": "x"}, "album, poi, blog: not one of the three"),
    ("comments", {"blog": "none", "comment": "x"}, "blog: no such thing of this source"),
    ("comments", {"blog": "none", "comment": "x", "time": "2024-02-29 10:00"},
     "time: not a time, as 2026-02-03T04:05:06Z or in seconds since the epoch"),
    ("comments", {"blog": "none", "comment": "x", "time": "2024-02-29T24:00:00Z"},
     "time: not a time, as 2026-02-03T04:05:06Z or in seconds since the epoch"),
    ("comments", {"blog": "b", "comment": "x", "time": 10, "reply": "y", "replyTime": 9},
     "replyTime: without a reply, or before the comment"),
    ("users", {"email": "x@example.org"}, "name: missing"),
    ("users", {"email": "x@example.org", "name": "x", "passwordHash": "$argon2id$v=19$m=65536"},
     "passwordHash: not a hash of a password as libsodium writes it, $argon2id$..., that does not take too long"),
    ("users", {"email": "x@example.org", "name": "x", "passwordHash": PASSES_OF_HOURS},
     "passwordHash: not a hash of a password as libsodium writes it, $argon2id$..., that does not take too long"),
    ("users", {"email": "notanemail", "name": "x"}, "email: not one email address, in ASCII"),
    ("users", {"email": "a@b.example,c@d.example", "name": "x"}, "email: not one email address, in ASCII"),
])
def test_rows_of_all_kinds_rejected(service, db, write, alice, source, kind, row, reason):
    path = write("x.jsonl", jsonl(row))
    with db.unchanged():
        got, _, rows = rejected(service, path, kind, path, *source, "--owner", alice.id)
    assert got == (0, 1) and rows[0]["reason"] == reason


def test_what_was_deleted_comes_again(service, db, write, alice, source):
    path = write("p.csv", "id,name,category,lat,lng\na,A,1,1,2\nb,B,1,1,2\n")
    assert counts(service, "pois", path, *source, "--owner", alice.id) == (2, 2, 0, 0, 0)
    gone = db.value("SELECT number FROM piece_source WHERE kind = 1 AND source = %s AND identifier = 'a'", source[1])
    done(service, "poi", "remove", gone, "--yes")
    assert counts(service, "pois", path, *source, "--owner", alice.id) == (2, 1, 0, 1, 0)


# What must not happen to files, and to memory.


def test_rejects_are_private_and_never_the_input(service, db, write, alice, source):
    path = write("p.csv", POI_HEADER + "1,,1,1,2,,\n")
    path.chmod(0o644)
    assert rejected(service, path, "pois", path, *source, "--owner", alice.id)[0] == (0, 1)
    bad = path.with_name("p.csv.bad")
    assert bad.stat().st_mode & 0o777 == 0o600
    before = path.read_bytes()
    alias = path.with_name("alias.csv")
    os.link(path, alias)
    for name in path, alias:
        with db.unchanged():
            ran = service.ctl("import", "pois", path, *source, "--owner", alice.id, "--rejects", name)
        assert ran.returncode == 73 and "is what is imported" in ran.stderr
        assert path.read_bytes() == before


def test_rejects_of_before_are_kept(service, write, alice, source):
    path = write("p.csv", POI_HEADER + "1,,1,1,2,,\n")
    write("p.csv.bad", "mended by hand")
    rejected(service, path, "pois", path, *source, "--owner", alice.id)
    assert path.with_name("p.csv.bad~").read_text() == "mended by hand"
    assert sorted(file.name for file in path.parent.iterdir()) == ["p.csv", "p.csv.bad", "p.csv.bad~"]


def test_rejects_do_not_follow_a_link(service, write, alice, source):
    path = write("p.csv", POI_HEADER + "1,,1,1,2,,\n")
    precious = write("precious", "precious")
    path.with_name("p.csv.bad").symlink_to(precious)
    ran = service.ctl("import", "pois", path, *source, "--owner", alice.id, "--rejects", f"{path}.bad")
    assert ran.returncode == 1 and "is a link" in ran.stderr
    assert precious.read_text() == "precious"


def test_rejects_go_where_they_can(service, write, alice, source, tmp_path):
    """The folder of what is imported need not be writable."""
    write("p.csv", POI_HEADER + "1,,1,1,2,,\n")
    ran = service.ctl("import", "pois", "/dev/fd/0", *source, "--owner", alice.id, "--format", "csv", "--json",
                      text=POI_HEADER + "1,,1,1,2,,\n")
    assert ran.returncode == DATA, ran.stderr
    rejects = json.loads(ran.stdout)["rejects"]
    assert os.path.dirname(rejects) == os.environ.get("TMPDIR", "/tmp")
    assert os.stat(rejects).st_mode & 0o777 == 0o600
    os.unlink(rejects)


@pytest.mark.parametrize("name, start, more", [
    ("p.csv", POI_HEADER + '1,"', "x" * 99 + "\n"),
    ("p.csv", POI_HEADER + "1,", "x" * 100),
    ("p.csv", "", "header" * 20 + ","),
    ("p.jsonl", '{"name": "', "x" * 100),
    ("p.geojson", '{"type": "FeatureCollection", "features": [{"id": "', "x" * 100),
    ("p.geojson", '{"type": "FeatureCollection", "more": ["', "x" * 100),
], ids=["csv-lines", "csv-line", "csv-header", "jsonl", "geojson", "geojson-beside"])
def test_a_row_without_end(service, db, write, alice, source, name, start, more):
    """Not read to its end: whoever made it, memory is bounded."""
    path = write(name, start + more * 60_000)
    with db.unchanged():
        ran = service.ctl("import", "pois", path, *source, "--owner", alice.id)
    assert ran.returncode == DATA and "has more than the 4194304 that a row may have" in ran.stderr, ran
