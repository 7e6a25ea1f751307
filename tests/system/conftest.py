"""What the tests are given: the service, the rows behind it, users and their things."""

import collections
import contextlib
import itertools
import re
import signal

import pytest

import samples
from load import Figures
from service import Folder, Postgres, Service, until

# So that a SIGTERM, too, stops the servers on its way out.
signal.signal(signal.SIGTERM, signal.default_int_handler)

TABLES = """user_account session album poi photo blog vote vote_choice ballot recommendation comment ledger""".split()

# What a worker's sanitizer finds stands in the log and nowhere else: the leaks, as it ends.
SANITIZERS_REPORT = re.compile(r"^.*(?:ERROR: \w+Sanitizer|: runtime error:).*(?:\n.*){0,20}", re.MULTILINE)


class Rows:
    """The database as its owner sees it."""

    def __init__(self, connection):
        self.connection = connection
        self.run("SET search_path = mapdiary, mapdiary_closed; SET max_parallel_workers_per_gather = 0; SET jit = off")

    def run(self, statement, *values):
        with self.connection.cursor() as cursor:
            cursor.execute(statement, values or None)
            return cursor.fetchall() if cursor.description else None

    def value(self, statement, *values):
        return self.run(statement, *values)[0][0]

    def column(self, statement, *values):
        return [row[0] for row in self.run(statement, *values)]

    def insert(self, table, **columns):
        """Inserts a row; returns its first column, the identifier where it has one."""
        places = ", ".join(["%s"] * len(columns))
        return self.value(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({places}) RETURNING *", *columns.values())

    def snapshot(self, but=()):
        """Differs whenever a row of any table has been written or deleted, but for those tables."""
        counts = (f"SELECT '{table}', count(*), sum(hashtextextended(ctid::text || xmin, 0)) FROM {table}"
                  for table in TABLES if table not in but)
        return self.run(" UNION ALL ".join(counts) + " ORDER BY 1")

    @contextlib.contextmanager
    def unchanged(self, *but):
        before = self.snapshot(but)
        yield
        assert self.snapshot(but) == before

    @contextlib.contextmanager
    def unwritten(self):
        """No transaction wrote meanwhile, not even one that was rolled back: PostgreSQL numbers those that do."""
        numbered = "SELECT pg_snapshot_xmax(pg_current_snapshot())::text"
        self.wait_for_counts()
        self.wait_for_words()
        until(lambda: self.value("SELECT common_at IS NOT NULL FROM indexing"), "the indexer has done its upkeep")
        self.run("UPDATE indexing SET common_at = now()")  # which the indexer does every ten minutes
        before = self.value(numbered)
        yield
        assert self.value(numbered) == before

    def wait_for_words(self):
        """Until the indexer has come to all: what was written last comes first in a search, and is listed with the rest then."""
        until(lambda: self.value("SELECT listed_at IS NOT NULL AND NOT EXISTS (SELECT FROM search_waiting UNION ALL SELECT FROM search_old)"
                                 " FROM indexing"),
              "the indexer has come to all words", 150)

    def wait_for_counts(self):
        """Until the map has all of the service's day."""
        until(lambda: not self.value("SELECT EXISTS (SELECT FROM map_waiting WHERE day <= %s)", samples.today()),
              "the indexer has counted all", 150)

    def waiting(self, role="mapdiary"):
        """How many sessions of the role, the service's or its owner's, wait for a lock, but for the indexer's."""
        return self.value(
            "SELECT count(DISTINCT pid) FROM pg_locks JOIN pg_stat_activity USING (pid)"
            " WHERE NOT granted AND usename = %s AND application_name <> 'mapdiary-indexer'", role)


@pytest.fixture(scope="session")
def folder(request):
    folder = request.session.mapdiary_folder = Folder()
    yield folder
    reports = [report for log in folder.logs() for report in SANITIZERS_REPORT.findall(log.read_text(errors="replace"))]
    folder.remove()
    assert not reports, "\n".join(reports)


@pytest.fixture(scope="session")
def postgres(folder):
    postgres = Postgres(folder)
    postgres.create_database("mapdiary")
    yield postgres
    postgres.stop()


@pytest.fixture(scope="session")
def service(folder, postgres):
    service = Service(folder, postgres, timezone=samples.ZONE)
    migrated = service.ctl("migrate")
    assert migrated.returncode == 0, migrated.stderr
    with contextlib.closing(postgres.connect("mapdiary_owner", "mapdiary")) as owner:
        Rows(owner).run("UPDATE service SET page_key = %s", samples.PAGE_KEY)
    service.start()
    yield service
    service.stop()


def further_services(folder, postgres, service):
    """Starts further services, with other settings, on the same database."""
    with contextlib.ExitStack() as stack:

        def start(**settings):
            other = Service(folder, postgres, **({"timezone": samples.ZONE, "workers": 2} | settings))
            other.mark_photos()
            stack.callback(other.stop)
            return other.start()

        yield start


start_service = pytest.fixture(further_services)
start_service_for_module = pytest.fixture(further_services, scope="module", name="start_service_for_module")


@pytest.fixture
def connect_owner(postgres, service):
    """Opens further connections as the owner of the database, until the test is over: PostgreSQL has a hundred."""
    with contextlib.ExitStack() as stack:
        yield lambda: Rows(
            stack.enter_context(contextlib.closing(postgres.connect("mapdiary_owner", "mapdiary")))
        )


@pytest.fixture(scope="session")
def db(postgres, service):
    with contextlib.closing(postgres.connect("mapdiary_owner", "mapdiary")) as connection:
        yield Rows(connection)


@pytest.fixture(scope="module")
def without_autovacuum(postgres):
    """Nobody but the tests writes, be it what PostgreSQL keeps about a table."""
    def switch(clause):
        postgres.run(f"ALTER SYSTEM {clause}")
        postgres.run("SELECT pg_reload_conf()")

    switch("SET autovacuum = off")
    until(lambda: postgres.value("SHOW autovacuum") == "off" and not postgres.value(
        "SELECT count(*) FROM pg_stat_activity WHERE backend_type LIKE 'autovacuum%'"), "it is off")
    yield
    switch("RESET autovacuum")


@pytest.fixture(scope="session")
def new_user(service):
    """Makes users that are logged in."""
    numbers = itertools.count(1)

    def make(name=None, icon="", password="correct horse"):
        number = next(numbers)
        email = f"user{number}@example.org"
        name = name or f"使用者 {number}"
        added = service.ctl("user", "add", "--email", email, "--name", name, "--icon", icon, text=password + "\n")
        assert added.returncode == 0, added.stderr
        user = samples.User(int(added.stdout), email, password, name, icon)
        user.token = new_token(service, user)
        return user

    return make


def new_token(service, user, *options):
    session = service.ctl("session", "add", "--user", user.id, *options)
    assert session.returncode == 0, session.stderr
    return session.stdout.strip().rpartition("idrand=")[2]


@pytest.fixture(autouse=True)
def as_they_were(request):
    """Alice has many tests: each leaves her with her name and icon, and with one session, as a user has a bounded number."""
    db, alice = (request.getfixturevalue(name) for name in ("db", "alice")) if "alice" in request.fixturenames else (None, None)
    yield
    if db:
        db.run("DELETE FROM session s USING session first WHERE first.user_id = s.user_id AND first.created_at < s.created_at")
        db.run("UPDATE user_account SET name = %s, icon = %s, icon_name = NULL, icon_sha256 = NULL, icon_format = NULL"
               " WHERE user_id = %s AND (name <> %s OR icon <> %s)", alice.name, alice.icon, alice.id, alice.name, alice.icon)


@pytest.fixture
def new_session(service):
    """The token of a further session of a user."""
    return lambda user, *options: new_token(service, user, *options)


@pytest.fixture(scope="session")
def alice(new_user):
    return new_user("愛麗絲", icon="https://example.org/alice.png?a=1&b=2")


@pytest.fixture(scope="session")
def bob(new_user):
    return new_user("Bob")


@pytest.fixture
def album(service, alice):
    """An album of Alice's."""
    return int(service.ok("addAlbum", user=alice, **samples.ALBUM)["albumID"])


@pytest.fixture
def blog(service, alice):
    """A blog of Alice's."""
    return int(service.ok("postBlog", user=alice, **samples.BLOG)["blogID"])


@pytest.fixture
def poi(db, alice):
    """A place of Alice's, the only one of its category."""
    db.run("DELETE FROM poi")
    return db.insert("poi", owner_id=alice.id, title="龍山寺", slot=18, lat="25.0372", lng="121.4999")


def wanted(params):
    """Those of a list that are the same in all of its pages."""
    return {name: value for name, value in params.items() if name not in ("limit", "after", "userID")}


@pytest.fixture
def things(request, album, blog, poi, service, db, alice, bob):
    """What the {words} of samples.OPERATIONS stand for. What is searched for does not change from one answer to the next."""
    quoted, voted = (service.ok("postBlog", user=alice, **samples.BLOG)["blogID"] for _ in range(2))
    service.ok("addVote", user=alice, blogID=voted, **samples.VOTE)
    another = service.ok("addAlbum", user=alice, **samples.ALBUM)["albumID"]
    bobs = service.ok("addAlbum", user=bob, **samples.ALBUM)["albumID"]
    if hasattr(request.node, "callspec") and request.node.callspec.params.get("row") == "search":
        db.wait_for_words()
    return {
        "album": album, "blog": blog, "poi": poi, "quoted": quoted, "another": another,
        "photo": db.insert("photo", kind=0, number=another, position=1, address="https://example.org/photo.jpg"),
        "user": alice.id, "email": alice.email, "password": alice.password, "name": alice.name,
        "voted": voted, "bobs": bobs,
        "comment": db.insert("comment", kind=2, number=quoted, commenter_id=alice.id, comment="自己", created_at=samples.LONG_AGO),
        "after_albums": samples.after("getUserAlbumList", userID=alice.id),
        "after_pois": samples.after("getCategoryPOIList", category=2),
        "advertisement": db.insert(
            "advertisement", title="茶", text="", address="https://tea.example/", lat="-80.5", lng="0", radius=1, weight=1,
            first_day="2001-01-01", last_day="2999-01-01"),
        "after": samples.after("getComments", albumID=album),
        "after_nearby": samples.after("getNearby", **wanted(samples.NEARBY)),
        "after_search": samples.after("search", **wanted(samples.SEARCH)),
        "after_blogs": samples.after("getBlogList", 0, 0, 0, 0, 0, 2099, 1, 1, **wanted(samples.BLOG_LIST), userID=alice.id),
        "after_diary": samples.after("getDiary", 0, 0, 2, 1, 0, 2099, 1, 1, **wanted(samples.DIARY), userID=alice.id),
    }


# Which cases are for ./check.


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Of a test that is marked few(n), the cases behind the first n are slow ones."""
    quick = collections.Counter()
    for item in items:
        few = item.get_closest_marker("few")
        if few and not item.get_closest_marker("slow"):
            test = item.nodeid.partition("[")[0]
            quick[test] += 1
            if quick[test] > few.args[0]:
                item.add_marker(pytest.mark.slow)


# What the faults did, in one table.


def pytest_terminal_summary(terminalreporter):
    reports = [report for outcome in ("passed", "failed") for report in terminalreporter.stats.get(outcome, [])]
    rows = [value for report in reports for name, value in report.user_properties if name == "figures"]
    if rows:
        terminalreporter.section("faults under load")
        for row in [f"{'':52}{Figures.HEADER}", *rows]:
            terminalreporter.line(row)


# The servers' own words, where a test fails.


def logs_of(item):
    folder = getattr(item.session, "mapdiary_folder", None)
    return folder.logs() if folder else []


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    item.session.mapdiary_log_sizes = {log: log.stat().st_size for log in logs_of(item)}


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item):
    report = (yield).get_result()
    if report.failed:
        for log in logs_of(item):
            with open(log, "rb") as file:
                file.seek(item.session.mapdiary_log_sizes.get(log, 0))
                words = file.read()[-8000:].decode(errors="replace")
            if words:
                report.sections.append((str(log), words))


@pytest.fixture(scope="session")
def chromium(folder):
    """One browser for all tests."""
    import browser    # which takes Selenium, that only they need

    started = browser.Browser(folder.make("chromium"))
    yield started
    started.quit()


@pytest.fixture
def page(chromium, service):
    """The browser, as if it were new, and nothing stands in its console in the end that the test has not looked at."""
    chromium.begin(service.settings["public_url"])
    yield chromium
    assert chromium.console() == []


@pytest.fixture
def author(page, new_user):
    """Somebody who is logged in, and has written nothing."""
    user = new_user()
    page.become(user)
    return user


@pytest.fixture
def lossy(service):
    """Between the browser and the service a network that can be told to fail."""
    import browser

    proxy = browser.LossyProxy(service.port)
    yield proxy
    proxy.close()


@pytest.fixture
def slow(service):
    """Between the browser and the service a network that holds requests back."""
    import holding

    proxy = holding.HoldingProxy(service.port)
    yield proxy
    proxy.close()
