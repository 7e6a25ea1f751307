"""What caches may keep: reads without cookies that succeed. Everything else is no-store."""

import pytest

from samples import ALBUM, OPERATIONS

READS = [row for row, operation in OPERATIONS.items() if not operation.writes and not operation.login]


def read(service, row, things, **how):
    return service.call(OPERATIONS[row].func, **OPERATIONS[row].filled(things), **how)


def conditional(tag):
    return [("If-None-Match", tag)]


# Of advertisements each has its turn.
@pytest.mark.parametrize("row", [row for row in READS if row != "getAdvertisement"])
def test_a_read_may_be_kept_for_a_moment(service, things, row):
    answer = read(service, row, things)
    assert answer.header("Cache-Control") == "public, max-age=1"
    assert answer.header("Vary") == "Cookie"
    tag = answer.header("ETag")
    assert tag.startswith('"') and tag.endswith('"') and len(tag) > 10
    assert read(service, row, things).header("ETag") == tag


@pytest.mark.parametrize("row", READS)
@pytest.mark.parametrize("cookie", ["alice", "id=1; idrand=x", "theme=dark", "x"])
def test_a_read_with_any_cookie_is_not_kept(service, alice, things, row, cookie):
    answer = read(service, row, things, cookie=alice.cookie if cookie == "alice" else cookie)
    assert answer.info is None
    assert answer.header("Cache-Control") == "no-store" and answer.header("ETag") is None
    tag = read(service, row, things).header("ETag")
    assert read(service, row, things, cookie=cookie, headers=conditional(tag)).http_status == 200


@pytest.mark.parametrize("row", [row for row in OPERATIONS if OPERATIONS[row].required or OPERATIONS[row].login])
def test_a_failure_is_not_kept(service, row):
    answer = service.call(OPERATIONS[row].func, nothing="else")
    assert answer.info is not None and answer.header("Cache-Control") == "no-store" and answer.header("ETag") is None


def test_writes_are_not_kept(service, alice, album):
    for answer in (service.ok("addAlbum", user=alice, **ALBUM),
                   service.ok("updateAlbum", user=alice, albumID=album, **ALBUM),
                   service.ok("login", email=alice.email, password=alice.password)):
        assert answer.header("Cache-Control") == "no-store" and answer.header("ETag") is None


@pytest.mark.parametrize("method", ["PUT", "POST", "GET"])
def test_refusals_are_not_kept(service, method):
    answer = service.request(method, body=(2 << 20) * "x", headers=[("Content-Type", "text/plain")])
    assert answer.http_status >= 400 and answer.header("Cache-Control") == "no-store"


@pytest.mark.parametrize("setting, said", [("0s", "max-age=0"), ("90s", "max-age=90"), ("1h", "max-age=3600")])
def test_how_long_is_configured(start_service, album, setting, said):
    answer = start_service(cache_max_age=setting).ok("getAlbum", albumID=album)
    assert answer.header("Cache-Control") == f"public, {said}"


# Conditional requests: RFC 9110, section 13.1.2.


MATCHING = ["{tag}", "W/{tag}", "*", '"x", {tag}', '{tag}, "x"', '"x",{tag},"y"', 'W/"x", W/{tag}', ' {tag} ', '"a,b", {tag}', '"", {tag}']
OTHERS = ['"x"', 'W/"x"', "", '""', "{bare}", '"{bare}', '"x{bare}"', '"{bare}x"', "{bare}, x", '"{upper}"', "w/{tag}", "x{tag}"]


def written(form, tag):
    return form.format(tag=tag, bare=tag.strip('"'), upper=tag.strip('"').upper() + "X")


@pytest.mark.parametrize("form", MATCHING)
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_not_modified(service, album, form, method):
    full = service.ok("getAlbum", albumID=album)
    answer = service.call("getAlbum", method=method, albumID=album, headers=conditional(written(form, full.header("ETag"))))
    assert (answer.http_status, answer.body) == (304, b"")
    for name in "ETag", "Cache-Control", "Vary":
        assert answer.header(name) == full.header(name)
    assert answer.header("Content-Type") is None


@pytest.mark.parametrize("form", OTHERS)
def test_modified(service, album, form):
    full = service.ok("getAlbum", albumID=album)
    answer = service.ok("getAlbum", albumID=album, headers=conditional(written(form, full.header("ETag"))))
    assert answer.http_status == 200 and answer.body == full.body


@pytest.mark.parametrize("row", READS)
def test_every_read_is_conditional(service, things, row):
    tag = read(service, row, things).header("ETag")
    assert read(service, row, things, headers=conditional(tag)).http_status == 304


def test_another_answer_has_another_tag(service, db, alice, album):
    tag = service.ok("getAlbum", albumID=album).header("ETag")
    service.ok("updateAlbum", user=alice, albumID=album, **ALBUM | {"lat": "21.94830"})
    answer = service.ok("getAlbum", albumID=album, headers=conditional(tag))
    assert answer.http_status == 200 and answer.header("ETag") != tag


def test_a_failure_matches_nothing(service):
    answer = service.call("getAlbum", albumID=2**63 - 1, headers=conditional("*"))
    assert (answer.http_status, answer.info) == (200, "ALBUM NOT FOUND")


def test_a_write_minds_no_condition(service, alice):
    assert service.ok("addAlbum", user=alice, headers=conditional("*"), **ALBUM).names == ["albumID"]


def test_a_read_by_post_is_never_not_modified(service, album):
    answer = service.call("getAlbum", method="POST", albumID=album, headers=conditional("*"))
    assert answer.http_status == 200 and answer["albumTitle"] == ALBUM["albumTitle"]


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_body_is_no_part_of_a_caches_key(service, album, method):
    """So what it asked for must be asked again each time."""
    answer = service.request(method, body=f"func=getAlbum&albumID={album}")
    assert answer.info is None
    assert answer.header("Cache-Control") == "no-cache"
    assert answer.header("ETag") == service.ok("getAlbum", albumID=album).header("ETag")
