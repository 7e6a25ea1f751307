"""publish=now: an entry that others read before its date comes, where the author's day is ahead of the site's. The clock of
all servers stands at a moment of one day of UTC, so each day is known."""

import contextlib
import dataclasses
import datetime
import json
import zoneinfo

import pytest

import samples
from conftest import Rows, new_token
from samples import BLOG, FIRST_ZONE, LAST_ZONE, date_elements, date_params
from service import WITH_SANITIZERS, Postgres, Service, clock_at, until

pytestmark = pytest.mark.skipif(WITH_SANITIZERS, reason="sanitizers want to be loaded before libfaketime")

DAY = datetime.date(2028, 2, 29)  # in UTC
# At the first of these the day of UTC is the latest on earth, at the other the next day has begun at UTC+14.
CLOCKS = {"00:30": DAY, "11:00": DAY + datetime.timedelta(1)}
ZONES = FIRST_ZONE, "UTC", LAST_ZONE
JSON = {"responseFormat": "JSON"}
WORLD = {"west": -180, "south": -90, "east": 180, "north": 90, "zoomLevel": 4}
MINUTE = 60


@dataclasses.dataclass
class Site:
    """A service with its database, its day, the latest day on earth, and two of its users."""

    service: Service
    db: Rows
    zone: str
    today: datetime.date
    latest: datetime.date
    users: list = dataclasses.field(default_factory=list)

    def add_user(self, name):
        email = f"{name}@example.org"
        added = self.service.ctl("user", "add", "--email", email, "--name", name, text="correct horse\n")
        user = samples.User(int(added.stdout), email, "correct horse", name, "")
        user.token = new_token(self.service, user)
        self.users.append(user)

    def days(self, days):
        return self.today + datetime.timedelta(days)


@pytest.fixture(scope="module", params=CLOCKS)
def cluster(request, folder):
    """PostgreSQL at that time."""
    hour = datetime.time.fromisoformat(request.param)
    moment = datetime.datetime.combine(DAY, hour, datetime.timezone.utc)
    with clock_at(moment):
        postgres = Postgres(folder)
        # The loader goes on without a library that it does not find.
        assert postgres.value("SELECT to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24')") == f"{moment:%F %H}"
        yield postgres, moment
        postgres.stop()


@pytest.fixture(scope="module", params=ZONES)
def site(request, folder, cluster):
    """With a database of its own, as its indexer counts by its day."""
    postgres, moment = cluster
    database = "day" + str(ZONES.index(request.param))
    postgres.create_database(database)
    service = Service(folder, postgres, database=database, timezone=request.param, workers=2, cache_max_age="0s")
    assert service.ctl("migrate").returncode == 0
    service.start()
    day = moment.astimezone(zoneinfo.ZoneInfo(request.param)).date()
    with contextlib.closing(postgres.connect("mapdiary_owner", database)) as connection:
        site = Site(service, Rows(connection), request.param, day, CLOCKS[f"{moment:%H:%M}"])
        site.db.run(f"SET timezone = '{request.param}'")
        for name in "alice", "bob":
            site.add_user(name)
        yield site
    service.stop()


@pytest.fixture
def author(site):
    """Nothing else is there."""
    site.db.run("DELETE FROM blog")
    return site.users[0]


def post(site, date, **params):
    return site.service.call("postBlog", user=site.users[0], **BLOG | date_params(date) | params)


def listed(site, user, func, **params):
    got = json.loads(site.service.call(func, user=user, **JSON, **params).body)
    return {place["blogID"]: place for place in got["placeList"]}


def is_seen(site, user, blog):
    """In all places alike that say it at once."""
    author, place = site.users[0].id, {"lat": BLOG["lat"], "lng": BLOG["lng"]}
    told = {site.service.call("getBlog", user=user, blogID=blog).info is None,
            site.service.call("getPiece", user=user, blogID=blog).info is None}
    for params in {}, {"userID": author}, {"type": BLOG["type"]}, {"userID": author, "type": BLOG["type"]}:
        told.add(blog in listed(site, user, "getBlogList", **params))
        feed = site.service.call("getBlogList", user=user, responseFormat="Atom", **params).body.decode()
        told.add(f'#blog={blog}"' in feed)
    told.add(blog in listed(site, user, "getNearby", **place))
    told.add(f'#blog={blog}"' in site.service.call("getNearby", user=user, responseFormat="Atom", **place).body.decode())
    assert len(told) == 1
    return told.pop()


def is_found(site, user, word):
    return bool(listed(site, user, "search", q=word))


def on_map(site):
    """How many blogs strangers see on the map, and how many the counts of its cells have."""
    got = json.loads(site.service.call("getMap", **JSON, **WORLD).body)
    return (len(got["placeList"]) + sum(cluster["count"] for cluster in got["clusterList"]),
            site.db.value("SELECT coalesce(sum(total), 0)::integer FROM map_cell WHERE level = 4"))


def wait_for_indexer(site):
    until(lambda: not site.db.value("SELECT EXISTS (SELECT FROM search_waiting) OR EXISTS ("
                                    " SELECT FROM map_waiting WHERE day <= current_date)"), "the indexer has come to all", MINUTE)


@pytest.mark.few(3)
@pytest.mark.parametrize("publish", ["now", None])
def test_the_latest_date_that_is_taken(site, author, publish):
    """Strangers see it at once, and within a minute where the indexer counts; without the word when its date has come."""
    params = {"publish": publish} if publish else {}
    posted = post(site, site.latest, blogTitle="ahead", **params)
    blog, is_public = int(posted["blogID"]), publish == "now" or site.latest <= site.today
    assert is_seen(site, author, blog)
    for stranger in site.users[1], None:
        assert is_seen(site, stranger, blog) == is_public
    got = site.service.ok("getBlog", user=author, blogID=blog)
    assert got["postDate"] == date_elements(site.latest)
    wait_for_indexer(site)
    for stranger in site.users[1], None:
        assert is_found(site, stranger, "ahead") == is_public
    assert is_found(site, author, "ahead") and on_map(site) == (int(is_public), int(is_public))


def test_the_next_date_is_refused(site, author):
    """Before anything else but who asks, and the key stays free."""
    beyond = site.latest + datetime.timedelta(1)
    key = {"headers": [("Idempotency-Key", f"published-{site.zone}")]}
    blog = post(site, site.today)["blogID"]
    update = BLOG | date_params(beyond) | {"publish": "now", "blogID": blog}
    with site.db.unchanged():
        refused = post(site, beyond, publish="now", **key)
        assert (refused.info, refused.http_status) == ("INVALID PARAMETER: publish", 200)
        assert post(site, beyond, publish="now", replyBlogID=10**9).info == "INVALID PARAMETER: publish"
        for change in {}, {"baseVersion": 7}, {"blogID": 10**9}, {"replyBlogID": 10**9}:
            assert site.service.call("updateBlog", user=author, **update | change).info == "INVALID PARAMETER: publish"
        assert site.service.call("updateBlog", user=site.users[1], **update).info == "INVALID PARAMETER: publish"
        assert site.service.call("updateBlog", **update).info == "LOGIN REQUIRED"
    assert post(site, site.latest, publish="now", **key).info is None
    assert site.service.call("updateBlog", user=author, delete="true", **update).info is None


@pytest.mark.parametrize("word", ["", "Now", "true", "now ", "later"])
def test_other_words_mean_nothing(site, author, word):
    posted = post(site, site.latest + datetime.timedelta(5), publish=word)
    assert posted.info is None and not is_seen(site, site.users[1], int(posted["blogID"]))


def test_nothing_is_shown_that_is_private_or_hidden(site, author):
    blog = int(post(site, site.latest, publish="now", visibility="private")["blogID"])
    assert is_seen(site, author, blog) and not is_seen(site, None, blog)
    site.service.ok("updateBlog", user=author, blogID=blog, **BLOG | date_params(site.latest), visibility="public")
    assert is_seen(site, None, blog)
    assert site.service.ctl("piece", "hide", f"blog:{blog}", "--reason", "x", "--rule", "x").returncode == 0
    site.service.ok("updateBlog", user=author, blogID=blog, **BLOG | date_params(site.latest), publish="now")
    assert is_seen(site, author, blog) and not is_seen(site, None, blog)


def test_a_feed_tells_the_public_day(site, author):
    post(site, site.latest, publish="now")
    feed = site.service.call("getBlogList", responseFormat="Atom", userID=author.id).body.decode()
    midnight = datetime.datetime.combine(site.today, datetime.time(), zoneinfo.ZoneInfo(site.zone))
    assert f"<published>{midnight.astimezone(datetime.timezone.utc):%FT%TZ}</published>" in feed


def test_pages_have_each_once(site, author):
    """Entries that wait, of the latest date and published, and of days that have come."""
    days = [*[(site.latest, "now"), (site.latest + datetime.timedelta(1), "")] * 2, (site.today, ""), (site.today, ""), (site.days(-1), "")]
    posted = [int(post(site, day, publish=publish)["blogID"]) for day, publish in days]
    shown = [blog for blog, (day, publish) in zip(posted, days) if publish or day <= site.today]
    for user, want in (author, posted), (site.users[1], shown), (None, shown):
        seen, after = [], {}
        while True:
            got = json.loads(site.service.call("getBlogList", user=user, **JSON, userID=author.id, limit=2, **after).body)
            seen += [place["blogID"] for place in got["placeList"]]
            if "next" not in got:
                break
            after = {"after": got["next"]}
        assert sorted(seen) == sorted(want) and len(seen) == len(set(seen))


def test_who_waits_is_told(site, author):
    """The author, when others will read it; others never, and nobody of what others read already."""
    day = site.days(3)
    blog, ahead = int(post(site, day)["blogID"]), int(post(site, site.latest, publish="now")["blogID"])
    got = site.service.ok("getPiece", user=author, blogID=blog)
    assert got.names[-2:] == ["publicFrom", "version"] and got["publicFrom"] == date_elements(day)
    assert "publicFrom" not in site.service.ok("getPiece", user=author, blogID=ahead).names
    place = site.service.ok("getBlogList", user=author, limit=1)["placeList/place1"]
    names = [name for name, _ in place]
    assert dict(place)["publicFrom"] == date_elements(day) and names[names.index("postDate") + 1] == "publicFrom"
    wait_for_indexer(site)
    for func, params in (("getBlogList", {}), ("getNearby", {"lat": BLOG["lat"], "lng": BLOG["lng"]}), ("search", {"q": "登山"}),
                         ("getMap", {"west": 121, "south": 25, "east": 122, "north": 26, "zoomLevel": 8})):
        told = {number: place.get("publicFrom") for number, place in listed(site, author, func, **params).items()}
        assert told == {blog: {"year": day.year, "month": day.month, "day": day.day}, ahead: None}
        assert all("publicFrom" not in place for place in listed(site, site.users[1], func, **params).values())
    site.service.ok("updateBlog", user=author, blogID=blog, **BLOG | date_params(site.today))
    assert "publicFrom" not in site.service.ok("getPiece", user=author, blogID=blog).names


def test_the_public_day_follows_updates(site, author):
    """The earliest stays, but a later date than before decides anew. On a date that has come the word changes nothing."""
    def public_day(blog):
        return site.db.value("SELECT public_day FROM blog WHERE number = %s", blog)

    def update(date, **params):
        site.service.ok("updateBlog", user=author, blogID=blog, **BLOG | date_params(date) | params)
        return public_day(blog)

    now, latest = site.today, site.latest
    blog = post(site, latest, publish="now")["blogID"]
    assert public_day(blog) == now
    assert update(latest) == now
    assert update(latest, visibility="private") == now
    later = latest + datetime.timedelta(5)
    assert update(later) == later
    assert update(latest) == latest
    assert update(latest, publish="now", visibility="private") == now
    for publish in {}, {"publish": "now"}:
        assert update(site.days(-9)) == site.days(-9)
        assert update(site.days(-4), **publish) == site.days(-4)
        assert update(site.days(-6), **publish) == site.days(-6)
    assert update(now) == now


def test_an_import_goes_by_the_date(site, author):
    blog = int(post(site, site.latest, publish="now")["blogID"])
    exported = site.service.ctl("export", "blogs", "--format", "csv").stdout
    title = BLOG["blogTitle"]
    assert exported.count(title) == 1
    done = site.service.ctl("import", "blogs", "-", "--format", "csv", text=exported.replace(title, "changed by an import"))
    assert done.returncode == 0, done.stderr
    assert site.db.run("SELECT public_day, version, title FROM blog WHERE number = %s", blog) == [
        (site.latest, 2, "changed by an import")]


def test_the_site_tells_its_day(site):
    got = site.service.ok("getSite")
    assert got.names[-2:] == ["timezone", "today"]
    assert (got["timezone"], got["today"]) == (site.zone, date_elements(site.today))
