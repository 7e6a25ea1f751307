"""Lists that can grow without bound are sent as they are read: complete, well-formed, in little memory."""

import http.client

import pytest

from processes import peak_memory, workers
from samples import numbered
from service import ENVIRONMENT

COUNT = 25_000
NAMES = "第 %s 處 <&\"> ]]>"
# What fills a list, what asks for it, and how its items read.
LISTS = {
    "POIs": ("INSERT INTO poi (owner_id, title, slot, lat, lng) SELECT %s, replace(%s, '%%s', n::text), 20, 0, 0"
             " FROM generate_series(1, %s) n RETURNING number",
             lambda user: ("getCategoryPOIList", {"category": 4}), "POIList", "POI", "POIID", "name"),
    "albums": ("INSERT INTO album (owner_id, title, slot, lat, lng) SELECT %s, replace(%s, '%%s', n::text), 4, 0, 0"
               " FROM generate_series(1, %s) n RETURNING number",
               lambda user: ("getUserAlbumList", {"userID": user.id}), "albumList", "album", "albumID", "albumTitle"),
}


@pytest.fixture(scope="module", params=LISTS)
def long_list(request, db, new_user):
    """An operation with its parameters, and the list that it must answer."""
    insert, call, parent, item, identifier, label = LISTS[request.param]
    db.run("DELETE FROM poi")
    user = new_user()
    made = sorted(db.column(insert, user.id, NAMES, COUNT))
    want = [[(identifier, str(one)), (label, NAMES % number)] for number, one in enumerate(made, 1)]
    yield *call(user), [(parent, numbered(item, want))]
    db.run("DELETE FROM user_account WHERE user_id = %s", user.id)


@pytest.mark.few(1)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_complete(service, long_list, method):
    func, params, want = long_list
    answer = service.call(func, method=method, **params)
    assert len(answer.body) > 2 << 20
    assert answer.result == want


def test_it_is_kept_without_a_tag(service, long_list):
    """Which would be known only after its headers are gone."""
    func, params, _ = long_list
    answer = service.call(func, headers=[("If-None-Match", "*")], **params)
    assert answer.http_status == 200
    assert answer.header("Cache-Control") == "public, max-age=1" and answer.header("Vary") == "Cookie"
    assert answer.header("ETag") is None and answer.header("Content-Length") is None


def test_without_the_body(service, long_list):
    func, params, _ = long_list
    answer = service.call(func, method="HEAD", **params)
    assert (answer.http_status, answer.body) == (200, b"")
    query = "&".join(f"{name}={value}" for name, value in ({"func": func} | params).items())
    assert service.fastcgi(REQUEST_METHOD="HEAD", QUERY_STRING=query).body == b""


def test_in_little_memory(monkeypatch, start_service, long_list):
    func, params, _ = long_list
    # AddressSanitizer, if there, keeps what was freed.
    monkeypatch.setitem(ENVIRONMENT, "ASAN_OPTIONS", ENVIRONMENT.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=0")
    service = start_service(workers=1)
    service.call("getUserAlbumList", userID=1)
    (worker,) = workers(service.daemon.pid)
    before = peak_memory(worker)
    assert len(service.call(func, **params).body) > 2 << 20
    # The rows alone, all at once, would take 3 MiB, and the document as much again.
    assert peak_memory(worker) - before < 5 << 10


@pytest.fixture
def list_that_fails(db, start_service, long_list):
    """Asks for a list in which PostgreSQL fails when it comes to this row, which it reads in the order of the list."""
    func, params, [(_, items)] = long_list
    service = start_service(database="mapdiary options='-c enable_sort=off'")

    def ask(number):
        row = items[number][1][0][1]
        db.run(f"CREATE POLICY fails ON piece USING (1 / (number - {row}) IS NOT NULL)")
        db.run("ALTER TABLE piece ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY")
        return service.call(func, **params)

    yield ask
    db.run("ALTER TABLE piece DISABLE ROW LEVEL SECURITY, NO FORCE ROW LEVEL SECURITY")
    db.run("DROP POLICY fails ON piece")


def test_a_failure_before_anything_was_sent(list_that_fails):
    answer = list_that_fails(100)
    assert (answer.http_status, answer.info) == (500, "INTERNAL ERROR")


def test_a_failure_in_the_middle_shows(list_that_fails):
    """What was sent cannot be taken back: the answer breaks off, which no client takes for the whole."""
    with pytest.raises((http.client.IncompleteRead, ConnectionResetError)):
        list_that_fails(COUNT - 100)
