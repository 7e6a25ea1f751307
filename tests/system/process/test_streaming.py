"""Lists that are long: sent while they are read, in constant memory, and not read for a client that has gone."""

import contextlib
import functools
import http.client
import itertools
import xml.etree.ElementTree

import pytest

import fastcgi
from processes import peak_memory, workers
from service import Service, WEB, WITH_SANITIZERS, until
from test_slow_readers import records_of

COUNT = 100000
QUERY = "func=getCategoryPOIList&category=3"
# One that is still being read from the database when its first bytes are out.
LONGER = "func=getCategoryPOIList&category=4"
ASK_LONGER = fastcgi.opening(b"", {"QUERY_STRING": LONGER}) + fastcgi.stream(fastcgi.STDIN, b"")
ANSWERED = "func=getCategoryPOIList outcome="
UNAVAILABLE = 'func=getCategoryPOIList outcome="SERVICE UNAVAILABLE"'


@pytest.fixture(scope="module")
def crowded(folder, postgres):
    """A service of its own, with one worker and a crowd of POIs in one category; and the database of it."""
    postgres.create_database("crowded")
    web = functools.partial(WEB, edit=WEB.microcache)
    service = Service(folder, postgres, database="crowded", web=web, workers=1, cache_max_age="1h")
    assert service.ctl("migrate").returncode == 0
    service.start()
    with contextlib.closing(postgres.connect("postgres", "crowded")) as db:
        cursor = db.cursor()
        cursor.execute("SET search_path = mapdiary; SET session_replication_role = replica")  # nobody is to find so many
        cursor.execute("INSERT INTO user_account (email, name, password_hash) VALUES ('a@example.org', 'a', 'none')")
        cursor.execute(
            "INSERT INTO poi (number, owner_id, title, slot, lat, lng)"
            " SELECT n, 1, 'A & B ' || n, CASE WHEN n <= %s THEN 19 ELSE 20 END, 25, 121 FROM generate_series(1, %s) AS n",
            [COUNT, 5 * COUNT])
        yield service, cursor
    service.stop()


def test_a_long_list_comes_whole_and_in_constant_memory(crowded):
    service, _ = crowded
    connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=60)
    connection.request("GET", f"/API.php?{QUERY}")
    answer = connection.getresponse()
    assert answer.getheader("Content-Length") is None
    assert answer.getheader("ETag") is None
    assert answer.getheader("Cache-Control") == "public, max-age=3600"
    assert "Cookie" in answer.getheader("Vary")
    root = xml.etree.ElementTree.fromstring(answer.read())
    status, pois = root
    assert status.text == "SUCCESS"
    assert len(pois) == COUNT
    for position, poi in enumerate(pois, 1):
        assert poi.tag == f"POI{position}"
        assert [field.text for field in poi] == [str(position), f"A & B {position}"]
    (worker,) = workers(service.daemon.pid)
    assert WITH_SANITIZERS or peak_memory(worker) < 16 << 10


@pytest.mark.skipif(WEB.name != "nginx", reason="Apache's shared memory does not take what is that long")
def test_the_microcache_keeps_a_long_list(crowded):
    service, _ = crowded
    query = f"{QUERY}&x=microcache"
    first, second = (service.request(query=query) for _ in range(2))
    assert first.body == second.body and len(first.body) > 1 << 20
    assert service.log.read_text().count(f'request={second.header("X-Request-ID")}') == 0


@pytest.mark.parametrize("more", [{"headers": [("Cookie", "id=1; idrand=x")]}, {"method": "POST", "body": "x=1"}])
def test_a_long_list_is_not_kept_where_another_would_get_it(crowded, more):
    service, _ = crowded
    assert service.request(query=QUERY, **more).header("Cache-Control") == "no-store"


def assert_whole(answer):
    """Where the test was slower than the service: what is not broken is whole."""
    assert answer.count(b"</POIID>") == 4 * COUNT and b"</response>" in answer


def test_a_client_that_goes_away_stops_the_query(crowded):
    service, cursor = crowded
    errors = service.metric("database_errors_total")

    def stops():
        before, stopped = (service.log.read_text().count(text) for text in (ANSWERED, UNAVAILABLE))
        with fastcgi.connect(service.socket) as connection:
            connection.sendall(ASK_LONGER)
            assert connection.recv(8) != b""
        until(lambda: service.log.read_text().count(ANSWERED) > before, "the request ends")
        return service.log.read_text().count(UNAVAILABLE) > stopped

    until(stops, "a client goes away before all of it is read")
    running = "SELECT count(*) FROM pg_stat_activity WHERE datname = 'crowded' AND usename = 'mapdiary' AND state = 'active'"
    until(lambda: cursor.execute(running) or cursor.fetchone()[0] == 0, "PostgreSQL has let it go")
    # That was no fault of PostgreSQL's. The worker is the same one, and serves.
    assert service.metric("database_errors_total") == errors
    assert service.call("getCategoryPOIList", category=1).info is None


@pytest.mark.slow
def test_a_list_that_breaks_is_broken_for_the_client_too(crowded):
    """Whichever web server there is."""
    service, cursor = crowded

    def is_broken(number):
        connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=60)
        connection.request("GET", f"/API.php?{LONGER}&x={number}")
        answer = connection.getresponse()
        cursor.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'crowded' AND usename = 'mapdiary'")
        try:
            assert_whole(answer.read())
        except (http.client.IncompleteRead, ConnectionResetError):
            return True

    numbers = itertools.count(1)
    until(lambda: is_broken(next(numbers)), "it breaks before all of it is read")
    # No cache has kept what came of it.
    assert len(service.ok("getCategoryPOIList", method="GET", category=4)["POIList"]) == 4 * COUNT


@pytest.mark.slow
def test_a_list_that_breaks_is_seen_to_be_broken(crowded):
    service, cursor = crowded

    def is_broken():
        with fastcgi.connect(service.socket) as connection:
            connection.sendall(ASK_LONGER)
            received = connection.recv(8)
            cursor.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'crowded'"
                           " AND usename = 'mapdiary'")
            received += b"".join(iter(lambda: connection.recv(65536), b""))
        # No record that ends the request, and no end of the document.
        output, has_ended = records_of(received)
        if has_ended:
            assert_whole(output)
        return not has_ended and b"</response>" not in output

    until(is_broken, "it breaks before all of it is read")
    assert service.call("getCategoryPOIList", category=1).info is None
