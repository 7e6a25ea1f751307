"""What an operator sees: health, metrics, the log, and one request followed through all of it."""

import re
import subprocess

import pytest

from samples import ALBUM, BLOG
from service import Postgres, Service, until


def metrics(service):
    """{series: value}"""
    answer = service.fastcgi(SCRIPT_NAME="/metrics")
    assert answer.http_status == 200
    assert answer.header("Content-Type").startswith("text/plain; version=0.0.4")
    lines = [line for line in answer.body.decode().splitlines() if not line.startswith("#")]
    return {series: float(value) for series, value in (line.rsplit(" ", 1) for line in lines)}


def test_promtool_accepts_the_metrics(service):
    service.call("getAlbum", albumID=1)
    text = service.fastcgi(SCRIPT_NAME="/metrics").body
    checked = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True)
    assert (checked.returncode, checked.stdout, checked.stderr) == (0, b"", b"")


def test_requests_by_func_and_outcome(start_service, alice, album):
    service = start_service(workers=3)
    for _ in range(4):
        service.ok("getAlbum", albumID=album)
    service.call("getAlbum", albumID=2**62)
    service.call("getAlbum", albumID="x")
    service.call("nothing")
    added = service.ok("addAlbum", user=alice, **ALBUM)["albumID"]
    service.ok("updateAlbum", user=alice, albumID=added, **ALBUM)
    service.ok("updateAlbum", user=alice, albumID=added, delete="true")
    service.call("login", email=alice.email, password="wrong")
    got = metrics(service)

    def count(func, outcome, variant=""):
        return got.get(f'mapdiary_requests_total{{func="{func}",variant="{variant}",outcome="{outcome}"}}', 0)

    assert count("getAlbum", "SUCCESS") == 4
    assert count("getAlbum", "ALBUM NOT FOUND") == count("getAlbum", "INVALID PARAMETER") == 1
    assert count("", "UNKNOWN FUNC") == count("addAlbum", "SUCCESS") == 1
    assert count("updateAlbum", "SUCCESS") == count("updateAlbum", "SUCCESS", "delete") == 1
    assert got['mapdiary_logins_refused_total{reason="password"}'] == 1
    assert got["mapdiary_request_duration_seconds_count"] == 11
    assert got['mapdiary_request_duration_seconds_bucket{le="+Inf"}'] == 11


def test_histogram_grows_and_adds_up(start_service, album):
    service = start_service()
    for _ in range(20):
        service.ok("getAlbum", albumID=album)
    got = metrics(service)
    buckets = [value for series, value in got.items() if series.startswith("mapdiary_request_duration_seconds_bucket")]
    assert buckets == sorted(buckets) and buckets[-1] == 20
    assert 0 < got["mapdiary_request_duration_seconds_sum"] < 20


def test_bytes(start_service, album):
    service = start_service()
    body = len(service.ok("getAlbum", albumID=album).body)
    form = f"func=getAlbum&albumID={album}"
    service.request("POST", body=form)
    got = metrics(service)
    assert (got["mapdiary_response_bytes_total"], got["mapdiary_request_bytes_total"]) == (2 * body, len(form))


def test_counts_outlive_workers(start_service, album):
    service = start_service(workers=2, max_requests=2)
    for _ in range(12):
        service.ok("getAlbum", albumID=album)
    assert metrics(service)["mapdiary_request_duration_seconds_count"] == 12


def test_workers_by_state(start_service):
    """Whoever answered the last time may not be idle yet."""
    service = start_service(workers=3)

    def states():
        return {re.search('state="(.*)"', series)[1]: value for series, value in metrics(service).items()
                if "mapdiary_workers{" in series}

    until(lambda: states() == {"missing": 0, "starting": 0, "idle": 2, "reading": 0, "working": 1, "decoding": 0, "writing": 0},
          "the one who answers is at work, and the others are idle")


@pytest.mark.parametrize("page", ["/healthz", "/metrics"])
def test_pages_are_not_part_of_the_interface(service, page):
    """The script's name alone leads there, which the web server sets."""
    assert service.request(query=f"func={page}").info == "UNKNOWN FUNC"
    assert service.fastcgi(SCRIPT_NAME="/API.php" + page).info == "MISSING PARAMETER: func"
    head = service.fastcgi(SCRIPT_NAME=page, REQUEST_METHOD="HEAD")
    assert (head.http_status, head.body) == (200, b"")
    assert head.header("Cache-Control") == "no-store"


# A database that goes away


@pytest.fixture
def lonely(folder):
    """A service with an empty database on a PostgreSQL of its own."""
    postgres = Postgres(folder)
    postgres.create_database("mapdiary")
    service = Service(folder, postgres, workers=2).start()
    yield service, postgres
    service.stop()
    postgres.stop()


@pytest.mark.slow
def test_health_follows_the_database_without_a_request(lonely):
    service, postgres = lonely

    def health():
        return service.fastcgi(SCRIPT_NAME="/healthz")

    until(lambda: b"mapdiaryctl migrate" in health().body, "it says what is to be done")
    assert health().http_status == 503
    assert service.ctl("migrate").returncode == 0
    until(lambda: health().http_status == 200, "it is healthy once the schema is there")
    assert health().body == b"ok\n"
    postgres.stop()
    until(lambda: health().http_status == 503, "it notices that PostgreSQL is gone")
    assert b"no worker has its database: " in health().body and health().header("Retry-After")
    postgres.start()
    until(lambda: health().http_status == 200, "it comes back by itself")
    until(lambda: metrics(service)["mapdiary_database_connections_total"] >= 3, "one has connected twice, or more")
    assert metrics(service)["mapdiary_database_connection_failures_total"] >= 2


def test_the_same_failure_is_logged_once(start_service):
    service = start_service(workers=1, database="nonexistent")
    until(lambda: metrics(service)["mapdiary_database_connection_failures_total"] > 4, "it keeps trying")
    assert service.log.read_text().count("error: database:") == 1


# One request, followed


def log_line(service, identifier):
    return until(lambda: [line for line in service.log.read_text().splitlines() if f"request={identifier} " in line],
                 "the request is logged")[0]


def test_identifier_goes_out_and_into_the_log(service, album):
    answer = service.ok("getAlbum", albumID=album)
    line = log_line(service, answer.header("X-Request-ID"))
    assert 'func=getAlbum outcome="SUCCESS" us=' in line and "address=127.0.0.1" in line
    assert re.search(r" backend=[1-9]\d*$", line)


@pytest.mark.parametrize("func, info", [("nothing", "UNKNOWN FUNC"), ("getAlbum", "MISSING PARAMETER: albumID")])
def test_failures_have_one_too(service, func, info):
    answer = service.call(func)
    assert answer.info == info
    assert f'outcome="{info}"' in log_line(service, answer.header("X-Request-ID"))


@pytest.mark.parametrize("given, kept", [
    ("0123456789abcdef0123456789abcdef", True), ("a.b-c_d@E", True), ("x" * 64, True), ("x" * 65, False), ("", False),
    ("a b", False), ("a\nSet-Cookie: id=1", False), ("a=b", False), ("é", False),
])
def test_identifier_of_the_web_server(service, given, kept):
    answer = service.fastcgi(SCRIPT_NAME="/API.php", REQUEST_ID=given)
    identifier = answer.header("X-Request-ID")
    assert (identifier == given) == kept
    assert re.fullmatch("[A-Za-z0-9@_.-]{1,64}", identifier)


def test_slow_request_is_a_warning(start_service, album):
    service = start_service(log_level="warning", slow_request="0s")
    identifier = service.ok("getAlbum", albumID=album).header("X-Request-ID")
    assert "] warning: func=getAlbum" in log_line(service, identifier)
    quiet = start_service(log_level="warning", slow_request="60s")
    quiet.ok("getAlbum", albumID=album)
    assert "func=" not in quiet.log.read_text()


def test_postgresql_hears_the_identifier(start_service, connect_owner, db, alice, album):
    service = start_service(trace_database="on")
    for func, params in [("getAlbum", {"albumID": album}), ("postBlog", BLOG)]:
        identifier = service.ok(func, user=alice, **params).header("X-Request-ID")
        backend = int(re.search(r"backend=(\d+)", log_line(service, identifier))[1])
        name = db.value("SELECT application_name FROM pg_stat_activity WHERE pid = %s", backend)
        assert name == f"mapdiary {identifier}"


@pytest.mark.slow
def test_log_lines_cannot_be_forged(service):
    answer = service.fastcgi(QUERY_STRING="func=getAlbum&albumID=1%0Afunc=x", REMOTE_ADDR='1.2.3.4\nforged="yes')
    line = log_line(service, answer.header("X-Request-ID"))
    assert "forged" in line and line.count("func=") == 1
