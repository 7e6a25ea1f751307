"""getDiary: a user's blogs and albums by their days, page by page, for its reader alone, and a line through the places."""

import datetime
import json
import random
import secrets
import zoneinfo

import pytest

import samples
from samples import ALBUM, BLOG

JSON = {"responseFormat": "JSON"}
FAR = datetime.date(2999, 1, 1)


@pytest.fixture
def author(new_user):
    return new_user()


def day_of(place):
    return datetime.date(place["date"]["year"], place["date"]["month"], place["date"]["day"])


def key(place):
    return place["kind"], place["albumID" if place["kind"] == "album" else "blogID"]


def pages(service, limit, **params):
    places, after = [], {}
    while True:
        answer = json.loads(service.call("getDiary", limit=limit, **params, **after, **JSON).body)
        places += answer["placeList"]
        if "next" not in answer:
            return places
        assert len(answer["placeList"]) == limit
        after = {"after": answer["next"]}


def add_album(db, owner, day, taken=(), **values):
    """With photos that were taken at these hours of that day, of the zone of the service."""
    values = {"lat": 1, "lng": 2, "created_at": f"{day} 12:00 {samples.ZONE}"} | values
    album = db.insert("album", owner_id=owner.id, title="a", slot=1, **values)
    for position, (at, hidden) in enumerate(taken, 1):
        digest = bytes(32)
        db.insert("photo", kind=0, number=album, position=position, taken_at=at, hidden=hidden, name=secrets.token_bytes(16), format=0,
                  width=1, height=1, original_sha256=digest, original_bytes=1, large_sha256=digest, small_sha256=digest)
    return album


def add_blog(db, owner, day, **values):
    return db.insert("blog", owner_id=owner.id, title="b", slot=22, weather="晴空萬里", content="x", post_date=day,
                     **({"public_day": day, "lat": 1, "lng": 2} | values))


@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_days_page_by_page(service, db, author, alice, seed):
    """Against the same put in order by Python."""
    dice = random.Random(seed)
    want = []
    for _ in range(60):
        day = datetime.date(2020, 1, 1) + datetime.timedelta(days=dice.randrange(20))
        secret = dice.random() < 0.2
        visibility = {"visibility": "private" if secret else "public"}
        if dice.random() < 0.5:
            number = add_blog(db, author, day, public_day="-infinity" if dice.random() < 0.1 else day, **visibility)
            want.append((day, 2, 0, number, secret))
        else:
            number = add_album(db, author, day, **visibility)
            want.append((day, 0, 0, number, secret))
    future = add_blog(db, author, FAR)
    want.sort(reverse=True)
    public = [("blog" if kind else "album", number) for _, kind, _, number, secret in want if not secret]
    own = [("blog", future)] + [("blog" if kind else "album", number) for _, kind, _, number, _ in want]
    for limit in (1, 7, 500):
        for reader, numbers in ((None, public), (alice, public), (author, own)):
            got = pages(service, limit, userID=author.id, user=reader)
            assert [key(place) for place in got] == numbers
            assert [day_of(place) for place in got] == sorted((day_of(place) for place in got), reverse=True)
    first, last = datetime.date(2020, 1, 4), datetime.date(2020, 1, 9)
    between = [(("blog" if kind else "album"), number) for day, kind, _, number, secret in want if not secret and first <= day <= last]
    assert [key(place) for place in pages(service, 3, userID=author.id, **{"from": first, "to": last})] == between
    assert pages(service, 3, userID=author.id, **{"from": last, "to": first}) == []


def test_the_day_of_an_album(service, db, author):
    """That of its first photo which is not hidden, in the zone of the service."""
    zone = zoneinfo.ZoneInfo(samples.ZONE)
    late, early, hidden = (datetime.datetime(*moment, tzinfo=zone) for moment in ((2021, 4, 1, 23, 30), (2021, 3, 31, 0, 10), (2020, 1, 1)))
    album = add_album(db, author, "2021-05-05", [(late, None), (early, None), (hidden, "held")])
    shown = lambda: [day_of(place) for place in pages(service, 5, userID=author.id)]
    assert shown() == [early.date()]
    db.run("DELETE FROM photo WHERE number = %s AND position = 2", album)
    assert shown() == [late.date()]
    db.run("UPDATE photo SET hidden = NULL WHERE number = %s AND position = 3", album)
    assert shown() == [hidden.date()]
    db.run("DELETE FROM photo WHERE number = %s", album)
    created = db.value("SELECT created_at FROM album WHERE number = %s", album)
    assert shown() == [created.astimezone(zone).date()]


def test_a_line_through_the_places(service, db, author):
    for day, lng in ((1, "170"), (2, "-170"), (3, "-160")):
        add_blog(db, author, f"2020-01-0{day}", lat=10 * day, lng=lng)
    ask = lambda **params: json.loads(service.call("getDiary", userID=author.id, responseFormat="GeoJSON", **params).body)["features"]
    *points, line = ask()
    assert [point["geometry"]["coordinates"][1] for point in points] == [30, 20, 10]
    assert line == {"type": "Feature", "properties": {}, "geometry": {"type": "MultiLineString", "coordinates": [
        [[170, 10], [180, 15]], [[-180, 15], [-170, 20], [-160, 30]]]}}
    assert ask(limit=2)[-1]["geometry"] == {"type": "LineString", "coordinates": [[-170, 20], [-160, 30]]}
    assert [feature["geometry"]["type"] for feature in ask(limit=1)] == ["Point"]


def test_a_feed(service, author):
    service.ok("postBlog", user=author, **BLOG)
    service.ok("addAlbum", user=author, **ALBUM)
    feed = service.call("getDiary", userID=author.id, responseFormat="Atom").body.decode()
    assert feed.count("<entry>") == 2 and f"#user={author.id}" in feed


@pytest.mark.parametrize("name", ["from", "to"])
@pytest.mark.parametrize("day", ["2020-02-30", "2020-2-3", "20200203", "2020-02-03T00:00:00", "today", "0000-01-01", ""])
def test_what_is_no_day(service, alice, name, day):
    assert service.call("getDiary", userID=alice.id, **{name: day}).info == f"INVALID PARAMETER: {name}"


def test_a_page_reads_a_stretch_of_an_index(service, db, author):
    """However many pieces the author has, and others cannot see."""
    of_blogs = ", weather, content, post_date, public_day", ", '晴空萬里', 'x', current_date - n, current_date - n"
    for table, more, values in (("album", "", ""), ("blog", *of_blogs)):
        db.run(f"INSERT INTO {table} (owner_id, title, slot, lat, lng, created_at, visibility{more})"
               " SELECT %s, 'a', %s, 1, 2, now() - n * interval '1 hour', (ARRAY['public', 'private'])[n %% 2 + 1]::visibility" + values
               + " FROM generate_series(1, 5000) n", author.id, 1 if table == "album" else 22)
    db.run("ANALYZE album, blog")
    for viewer, shown in (("NULL", 1), (author.id, 1), (author.id, 0)):
        asked = f"({viewer}, {author.id}, {shown}::smallint, '-infinity', current_date"
        for function in f"albums_of_diary{asked}, 'infinity', 0, 21)", f"blogs_of_diary{asked}, 'infinity', 0, 21)":
            plan = "\n".join(db.column(f"EXPLAIN SELECT * FROM {function}"))
            assert "Index Scan Backward" in plan and "Sort" not in plan, plan
    db.run("DELETE FROM album WHERE owner_id = %s", author.id)
    db.run("DELETE FROM blog WHERE owner_id = %s", author.id)
