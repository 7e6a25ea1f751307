"""publish=now: an entry that others read before its date comes, where the author's day is ahead of the site's."""

import datetime
import json

import pytest

from samples import BLOG, FIRST_ZONE, LAST_ZONE, date_elements, date_params, today

ZONES = {"first": FIRST_ZONE, "last": LAST_ZONE, "UTC": "UTC"}


@pytest.fixture(params=ZONES)
def zoned(request, start_service):
    return start_service(timezone=ZONES[request.param], workers=2), ZONES[request.param]


def latest():
    """The day where it begins first, at UTC+14."""
    return today(FIRST_ZONE)


def post(service, user, date, **params):
    return service.call("postBlog", user=user, **BLOG | date_params(date) | params)


def is_seen(service, user, blog):
    return service.call("getBlog", user=user, blogID=blog).info is None


def test_the_latest_date_that_is_taken(zoned, alice, bob):
    service, zone = zoned
    posted = post(service, alice, latest(), publish="now")
    assert posted.info is None and is_seen(service, bob, posted["blogID"])
    got = service.ok("getBlog", user=bob, blogID=posted["blogID"])
    assert got["postDate"] == date_elements(latest())
    refused = post(service, alice, latest() + datetime.timedelta(1), publish="now")
    assert (refused.info, refused.http_status) == ("INVALID PARAMETER: publish", 200)
    without = post(service, alice, latest())
    assert is_seen(service, bob, without["blogID"]) == (latest() <= today(zone))


def test_a_refusal_frees_the_key(start_service, alice):
    service, key = start_service(timezone="UTC"), [("Idempotency-Key", f"published-{alice.id}")]
    assert post(service, alice, latest() + datetime.timedelta(2), publish="now", headers=key).info == "INVALID PARAMETER: publish"
    assert post(service, alice, today("UTC"), publish="now", headers=key).info is None


@pytest.mark.parametrize("word", ["", "Now", "true", "now ", "later"])
def test_other_words_mean_nothing(start_service, alice, bob, word):
    service = start_service(timezone=LAST_ZONE)
    posted = post(service, alice, today(LAST_ZONE, 5), publish=word)
    assert posted.info is None and not is_seen(service, bob, posted["blogID"])


def test_it_is_in_all_lists_at_once(start_service, db, bob, new_user):
    """Of a service where the day begins last, an entry of the next day."""
    service, author = start_service(timezone=LAST_ZONE, workers=2), new_user()
    point = {"lat": "-41.5", "lng": "-140.25"}
    blog = post(service, author, today(LAST_ZONE, 1), publish="now", blogTitle="ahead of its date", **point)["blogID"]
    for user in author, bob, None:
        for params in {"userID": author.id}, {"type": BLOG["type"]}, {"type": BLOG["type"], "userID": author.id}, {}:
            got = json.loads(service.call("getBlogList", user=user, responseFormat="JSON", limit=50, **params).body)["placeList"]
            listed, = (place for place in got if place["blogID"] == int(blog))
            assert "publicFrom" not in listed
    feed = service.call("getBlogList", responseFormat="Atom", userID=author.id).body.decode()
    assert f"<published>{today(LAST_ZONE)}T" in feed
    db.wait_for_words()
    for func, params in ("search", {"q": "ahead of its date"}), ("getNearby", point):
        got = json.loads(service.call(func, responseFormat="JSON", kind="blog", limit=500, **params).body)["placeList"]
        assert int(blog) in [place["blogID"] for place in got]


def test_pages_have_each_once(start_service, bob, new_user):
    """Entries of tomorrow, waiting and published, and of today."""
    service, author = start_service(timezone=LAST_ZONE, workers=2), new_user()
    days = [today(LAST_ZONE, days) for days in (1, 1, 1, 0, 0, -1)]
    posted = [int(post(service, author, day, **({"publish": "now"} if number % 2 == 0 else {}))["blogID"])
              for number, day in enumerate(days)]
    for user, want in (author, posted), (bob, [posted[0], *posted[2:]]):
        seen, after = [], {}
        while True:
            got = json.loads(service.call("getBlogList", user=user, responseFormat="JSON", userID=author.id, limit=2, **after).body)
            seen += [place["blogID"] for place in got["placeList"]]
            if "next" not in got:
                break
            after = {"after": got["next"]}
        assert sorted(seen) == sorted(want) and len(seen) == len(set(seen))


def test_who_waits_is_told(start_service, bob, new_user):
    """The author, when others will read it; others never."""
    service, day, alice = start_service(timezone="UTC", workers=2), today("UTC", 3), new_user()
    blog = post(service, alice, day)["blogID"]
    got = service.ok("getPiece", user=alice, blogID=blog)
    assert got.names[-2:] == ["publicFrom", "version"] and got["publicFrom"] == date_elements(day)
    listed = service.ok("getBlogList", user=alice, userID=alice.id, limit=1)["placeList/place1"]
    names = [name for name, _ in listed]
    assert dict(listed)["publicFrom"] == date_elements(day) and names[names.index("postDate") + 1] == "publicFrom"
    assert service.call("getPiece", user=bob, blogID=blog).info == "BLOG NOT FOUND"
    service.ok("updateBlog", user=alice, blogID=blog, **BLOG | date_params(today("UTC")))
    assert "publicFrom" not in service.ok("getPiece", user=alice, blogID=blog).names


def public_day(db, blog):
    return db.value("SELECT public_day FROM blog WHERE number = %s", blog)


def test_the_public_day_follows_updates(start_service, db, alice):
    """The earliest stays, but a later date than before decides anew."""
    service, now = start_service(timezone=LAST_ZONE, workers=2), today(LAST_ZONE)
    tomorrow = now + datetime.timedelta(1)
    blog = post(service, alice, tomorrow, publish="now")["blogID"]
    assert public_day(db, blog) == now

    def update(date, **params):
        service.ok("updateBlog", user=alice, blogID=blog, **BLOG | date_params(date) | params)
        return public_day(db, blog)

    assert update(tomorrow) == now
    assert update(tomorrow, visibility="private") == now
    later = now + datetime.timedelta(5)
    assert update(later) == later
    assert update(tomorrow) == tomorrow
    assert update(tomorrow, publish="now", visibility="private") == now
    assert update(now - datetime.timedelta(9)) == now - datetime.timedelta(9)
    assert update(now) == now


def test_the_site_tells_its_day(zoned):
    service, zone = zoned
    got = service.ok("getSite")
    assert got.names[-2:] == ["timezone", "today"] and got["timezone"] == zone
    assert got["today"] in (date_elements(today(zone)), date_elements(today(zone, -1)))
