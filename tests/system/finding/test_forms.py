"""GeoJSON and Atom, as others read them: GDAL's ogr2ogr, which is what QGIS reads with, feedparser, Ruby's
rss, which holds a feed to RFC 4287, and lxml."""

import datetime
import json
import re
import subprocess
import urllib.parse
import uuid

import feedparser
import lxml.etree
import pytest

import drawn
import http_client
import samples
from samples import ALBUM, BLOG, OPERATIONS
from service import ENVIRONMENT

ATOM = {"a": "http://www.w3.org/2005/Atom", "georss": "http://www.georss.org/georss"}
FEEDS = ["getNearby", "search", "getBlogList"]
HERE = {"lat": "-33.1234", "lng": "-70.5678"}
CONTENTS = {"getNearby": "-33.1234, -70.5678", "search": "cóndor"}
ASKED = {"getNearby": HERE, "search": {"q": "cóndor"}, "getBlogList": {"type": "0_5"},
         "getMap": {"west": -71, "south": -34, "east": -70, "north": -33, "zoomLevel": 21}}


@pytest.fixture
def condors(service, db, alice, bob):
    """A piece of each kind at one place, and what would be escaped."""
    db.run("DELETE FROM blog WHERE slot = 27")
    texts = {"albumTitle": "Cóndor <1> & \"2\"", "blogTitle": "cóndor ]]> 'é'"}
    album = service.ok("addAlbum", user=alice, **ALBUM | HERE | {"albumTitle": texts["albumTitle"]})["albumID"]
    blog = service.ok("postBlog", user=alice, **BLOG | HERE | {"blogTitle": texts["blogTitle"], "type": "0_5"})["blogID"]
    poi = db.insert("poi", owner_id=bob.id, title="condor, 禿鷹", slot=18, **HERE)
    yield {"album": int(album), "blog": int(blog), "POI": poi}
    for kind, identifier in (("album", album), ("blog", blog), ("poi", poi)):
        db.run(f"DELETE FROM {kind} WHERE number = %s", identifier)


def ask(service, func, form, **params):
    return service.call(func, responseFormat=form, **ASKED[func] | params)


def as_feed(service, func, **params):
    answer = ask(service, func, "Atom", **params)
    assert answer.http_status == 200
    assert answer.header("Content-Type") == "application/atom+xml; charset=UTF-8"
    return answer, lxml.etree.fromstring(answer.body)


# GeoJSON


@pytest.mark.parametrize("func", ASKED)
def test_geojson_is_the_same_answer(service, condors, func):
    answer = ask(service, func, "GeoJSON")
    assert answer.header("Content-Type") == "application/geo+json" and answer.header("X-Content-Type-Options") == "nosniff"
    got, want = json.loads(answer.body), json.loads(ask(service, func, "JSON").body)
    assert list(got) == ["type", "features"] and got["type"] == "FeatureCollection"
    places = want["placeList"]
    assert len(got["features"]) == len(places) > 0
    for feature, place in zip(got["features"], places):
        identifier = next(place.pop(key) for key in ("albumID", "POIID", "blogID") if key in place)
        location = place.pop("Location")
        assert feature == {"type": "Feature", "properties": place, "id": f"{place['kind']}/{identifier}",
                           "geometry": {"type": "Point", "coordinates": [location["lng"], location["lat"]]}}


def test_clusters_have_no_id(service, db, alice):
    db.run("INSERT INTO poi (owner_id, title, slot, lat, lng)"
           " SELECT %s, 'x', 17, -33.5, -70.5 FROM generate_series(1, 9)", alice.id)
    got = json.loads(ask(service, "getMap", "GeoJSON", zoomLevel=9).body)
    clusters = [feature for feature in got["features"] if "count" in feature["properties"]]
    assert clusters
    for cluster in clusters:
        assert set(cluster) == {"type", "properties", "geometry"}
        assert set(cluster["properties"]) == {"count", "albumCount", "POICount", "blogCount", "west", "south", "east", "north"}
    db.run("DELETE FROM poi")


def test_next_is_a_member(service, condors):
    got = json.loads(ask(service, "getNearby", "GeoJSON", limit=1).body)
    assert list(got) == ["type", "features", "next"] and len(got["features"]) == 1
    rest = json.loads(ask(service, "getNearby", "GeoJSON", after=got["next"]).body)
    assert len(rest["features"]) == 2 and "next" not in rest


@pytest.mark.parametrize("func", ASKED)
def test_ogr2ogr(service, condors, tmp_path, func):
    """It reads each feature, with its place and all of its properties."""
    source, made = tmp_path / "in.geojson", tmp_path / "out.csv"
    answer = ask(service, func, "GeoJSON")
    source.write_bytes(answer.body)
    done = subprocess.run(["ogr2ogr", "-f", "CSV", made, source, "-lco", "GEOMETRY=AS_XY"], capture_output=True, text=True,
                          env=ENVIRONMENT, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    rows = made.read_text(encoding="utf-8").splitlines()
    assert rows[0].startswith("X,Y,") and "title" in rows[0]
    assert len(rows) == 1 + len(json.loads(answer.body)["features"])
    assert all(row.startswith("-70.5678,-33.1234,") for row in rows[1:])


def test_nothing_found(service):
    answer = service.call("search", q="zzznothing", responseFormat="GeoJSON")
    assert answer.body == b'{"type":"FeatureCollection","features":[]}\n'
    feed = lxml.etree.fromstring(service.call("search", q="zzznothing", responseFormat="Atom").body)
    assert feed.find("a:updated", ATOM).text == "1970-01-01T00:00:00Z" and feed.find("a:entry", ATOM) is None


# Atom


def canonical(params):
    return "&".join(sorted(f"{urllib.parse.quote(str(name), safe='~')}={urllib.parse.quote(str(value), safe='~')}"
                           for name, value in params.items()))


@pytest.mark.parametrize("func", FEEDS)
def test_a_feed(service, db, condors, alice, func):
    site = uuid.UUID(db.value("SELECT site_id::text FROM service"))
    base = service.settings["public_url"]
    answer, feed = as_feed(service, func)
    places = json.loads(ask(service, func, "JSON").body)["placeList"]
    assert feed.tag == "{http://www.w3.org/2005/Atom}feed"
    assert feed.find("a:id", ATOM).text == uuid.uuid5(site, canonical({"func": func} | ASKED[func])).urn
    assert feed.find("a:title", ATOM).text == f"{base}: {CONTENTS[func]}" if func in CONTENTS else base
    assert feed.find("a:link[@rel='alternate']", ATOM).get("href") == f"{base}/"
    link = feed.find("a:link[@rel='self']", ATOM).get("href")
    assert link == f"{base}/API.php?{canonical({'func': func, 'responseFormat': 'Atom'} | ASKED[func])}"
    assert service.request(query=urllib.parse.urlsplit(link).query).body == answer.body
    entries = feed.findall("a:entry", ATOM)
    assert len(entries) == len(places) > 0
    for entry, place in zip(entries, places):
        kind = place["kind"]
        identifier = place[{"album": "albumID", "POI": "POIID", "blog": "blogID"}[kind]]
        assert entry.find("a:id", ATOM).text == uuid.uuid5(site, f"{kind}/{identifier}").urn
        assert entry.find("a:title", ATOM).text == place["title"]
        assert [author.text for author in entry.findall("a:author/a:name", ATOM)] == [place["ownerName"]]
        assert entry.findtext("a:summary", None, ATOM) == place.get("summary")
        assert [dict(link.attrib) for link in entry.findall("a:link[@rel='enclosure']", ATOM)] == (
            [{"rel": "enclosure", "href": place["thumbnail"]}] if "thumbnail" in place else [])
        (alternate,) = entry.findall("a:link[@rel='alternate']", ATOM)
        assert dict(alternate.attrib) == {"rel": "alternate", "href": f"{base}#{kind}={identifier}"}
        assert entry.find("georss:point", ATOM).text == "-33.1234 -70.5678"
        assert entry.find("a:content", ATOM) is None
        assert (entry.find("a:published", ATOM) is not None) == (kind == "blog")
        for moment in entry.findall("a:updated", ATOM) + entry.findall("a:published", ATOM):
            assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", moment.text)
    assert feed.find("a:updated", ATOM).text == max(entry.find("a:updated", ATOM).text for entry in entries)


@pytest.mark.uncounted
def test_the_picture_of_an_entry(service, db, condors, alice):
    """The media type of a picture elsewhere is not known."""
    def enclosures():
        entries = as_feed(service, "getNearby", kind="album")[1].findall("a:entry", ATOM)
        return [dict(link.attrib) for entry in entries for link in entry.findall("a:link[@rel='enclosure']", ATOM)]

    address = service.ok("addPhoto", user=alice, albumID=condors["album"], photo=drawn.FILE, description="a <condor>")["thumbnail"]
    assert enclosures() == [{"rel": "enclosure", "href": address, "type": "image/jpeg"}]
    db.run("DELETE FROM photo WHERE kind = 0 AND number = %s", condors["album"])
    db.insert("photo", kind=0, number=condors["album"], position=1, address="https://example.org/a1.webp")
    assert enclosures() == [{"rel": "enclosure", "href": "https://example.org/a1.webp"}]


def test_whose_feed(start_service, db, condors, new_user):
    service, user = start_service(site_name="Diary & <friends>"), new_user("José <3")
    feed = as_feed(service, "getBlogList", userID=user.id)[1]
    assert feed.find("a:title", ATOM).text == "Diary & <friends>: José <3"
    assert feed.find("a:link[@rel='alternate']", ATOM).get("href") == f"{service.settings['public_url']}/#user={user.id}"
    assert service.call("getBlogList", userID=2**53 - 1, responseFormat="Atom").info == "USER NOT FOUND"


@pytest.mark.parametrize("func", FEEDS)
def test_feedparser(service, condors, func):
    answer, feed = as_feed(service, func)
    parsed = feedparser.parse(answer.body)
    assert not parsed.bozo and parsed.version == "atom10"
    assert len(parsed.entries) == len(feed.findall("a:entry", ATOM))
    for entry in parsed.entries:
        assert entry.id.startswith("urn:uuid:") and entry.author and entry.link and entry.updated_parsed
        assert entry.where["coordinates"] == (-70.5678, -33.1234)
    assert [link.rel for link in parsed.feed.links] == ["self", "alternate"]


# Reads a feed and complains of what is missing, too much, or no value of its kind.
RUBY = """feed = RSS::Parser.parse(STDIN.read.force_encoding("UTF-8"), true)
link = lambda { |of, rel| of.links.select { |one| one.rel == rel }.map(&:href) }
puts JSON.generate({"id" => feed.id.content, "self" => link.(feed, "self"), "next" => link.(feed, "next"),
    "entries" => feed.entries.map { |entry| [entry.id.content, entry.title.content, entry.author.name.content,
        entry.updated.content.utc.strftime("%FT%TZ"), link.(entry, "alternate")] }})"""


def rubys_rss(feed):
    return subprocess.run(["ruby", "-W0", "-rrss", "-rjson", "-e", RUBY], input=feed, capture_output=True, timeout=100, check=False)


@pytest.mark.parametrize("func", FEEDS)
def test_rubys_rss(service, condors, func):
    answer, feed = as_feed(service, func, limit=1)
    done = rubys_rss(answer.body)
    assert done.returncode == 0, done.stderr
    got = json.loads(done.stdout)

    def texts(path):
        return [found.text for found in feed.findall(path, ATOM)]

    def links(path, rel):
        return [link.get("href") for link in feed.findall(f"{path}a:link[@rel='{rel}']", ATOM)]

    assert [got["id"]] == texts("a:id") and got["self"] == links("", "self") and got["next"] == links("", "next")
    wanted = zip(*(texts(f"a:entry/a:{name}") for name in ("id", "title", "author/a:name", "updated")),
                 [[link] for link in links("a:entry/", "alternate")])
    assert got["entries"] == [list(entry) for entry in wanted] and len(got["entries"]) == 1


def test_what_rubys_rss_complains_of(service, condors):
    """So it would have seen it."""
    body = as_feed(service, "getNearby")[0].body
    for name in b"id", b"title", b"updated":
        missing = re.sub(rb"(<entry>.*?)<%s>.*?</%s>" % (name, name), rb"\1", body, count=1, flags=re.S)
        assert missing != body and rubys_rss(missing).returncode != 0
    assert rubys_rss(body.replace(b"<entry>", b"<entry><id>urn:x</id>", 1)).returncode != 0
    assert rubys_rss(re.sub(rb"<updated>.*?</updated>", b"<updated>yesterday</updated>", body)).returncode != 0


def test_pages_of_a_feed(service, condors):
    """By its next links; the identifier is that of the whole."""
    seen, identifiers, query = [], set(), None
    for _ in range(3):
        if query is None:
            _, feed = as_feed(service, "getNearby", limit=1)
        else:
            feed = lxml.etree.fromstring(service.request(query=query).body)
        seen += [entry.text for entry in feed.findall("a:entry/a:id", ATOM)]
        identifiers.add(feed.find("a:id", ATOM).text)
        following = feed.find("a:link[@rel='next']", ATOM)
        query = urllib.parse.urlsplit(following.get("href")).query if following is not None else None
    assert query is None and len(set(seen)) == 3 and len(identifiers) == 1


def test_when_it_has_changed(service, db, condors, alice, bob):
    """By its author, not by comments or recommendations; a blog is published at the beginning of its day."""
    blog = condors["blog"]

    def moments():
        _, feed = as_feed(service, "getBlogList")
        (entry,) = feed.findall("a:entry", ATOM)
        return entry.find("a:updated", ATOM).text, entry.find("a:published", ATOM).text

    db.run("ALTER TABLE blog DISABLE TRIGGER USER")
    db.run("UPDATE blog SET created_at = '2020-01-02 03:04:05Z', updated_at = '2020-01-02 03:04:05Z' WHERE number = %s", blog)
    db.run("ALTER TABLE blog ENABLE TRIGGER USER")
    day = db.value("SELECT to_char(%s::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')",
                   f"2024-02-29 00:00 {samples.ZONE}")
    assert moments() == ("2020-01-02T03:04:05Z", day)
    service.ok("addComment", user=bob, blogID=blog, comment="x")
    service.ok("recommend", user=bob, blogID=blog)
    assert moments()[0] == "2020-01-02T03:04:05Z"
    service.ok("updateBlog", user=alice, blogID=blog, **BLOG | HERE | {"type": "0_5"})
    changed = datetime.datetime.fromisoformat(moments()[0].replace("Z", "+00:00"))
    assert abs((datetime.datetime.now(datetime.timezone.utc) - changed).total_seconds()) < 300


@pytest.mark.parametrize("form", ["GeoJSON", "Atom", "XML", "JSON"])
def test_conditional_get(service, condors, form):
    answer = ask(service, "getNearby", form)
    tags = {ask(service, "getNearby", other).header("ETag") for other in ("XML", "JSON", "GeoJSON", "Atom")}
    tag = answer.header("ETag")
    assert len(tags) == 4 and tag in tags
    again = ask(service, "getNearby", form, headers=[("If-None-Match", tag)])
    assert (again.http_status, again.body, again.header("ETag")) == (304, b"", tag)
    head = ask(service, "getNearby", form, method="HEAD")
    assert (head.http_status, head.body, head.header("ETag")) == (200, b"", tag)


def test_with_cookies_a_feed_is_not_kept(service, condors, alice):
    answer = ask(service, "getNearby", "Atom", user=alice)
    assert answer.header("Cache-Control") == "no-store" and answer.header("ETag") is None


# Refusals


def test_refusals_of_geojson_are_json(service):
    answer = service.call("getNearby", lat=1, responseFormat="GeoJSON")
    assert (answer.http_status, answer.header("Content-Type")) == (200, "application/json")
    assert json.loads(answer.body) == {"status": "FAILED", "info": "MISSING PARAMETER: lng"}


@pytest.mark.parametrize("func, params, status, info", [
    ("getNearby", {"lat": 1}, 400, "MISSING PARAMETER: lng"), ("getBlogList", {"userID": 2**62}, 404, "USER NOT FOUND"),
    ("search", {"q": "x", "limit": 0}, 400, "INVALID PARAMETER: limit"), ("nonsense", {}, 400, "UNKNOWN FUNC"),
])
def test_refusals_of_atom_have_a_status(service, func, params, status, info):
    answer = service.request(query=http_client.encode({"func": func, "responseFormat": "Atom"} | params))
    assert (answer.http_status, answer.info, answer.header("Cache-Control")) == (status, info, "no-store")
    assert answer.header("Content-Type") == "text/xml; charset=UTF-8"


@pytest.mark.parametrize("row", OPERATIONS)
def test_forms_that_an_operation_does_not_have(service, alice, things, row):
    operation = OPERATIONS[row]
    has_both = operation.func == "getDiary"    # test_diary.py
    has = {"GeoJSON": has_both or operation.func in ASKED, "Atom": has_both or operation.func in FEEDS, "RSS": False, "geojson": False}
    for form in (form for form, there in has.items() if not there):
        answer = service.call(operation.func, user=alice, **operation.filled(things), responseFormat=form)
        assert (answer.http_status, answer.info) == (200, "INVALID PARAMETER: responseFormat")
