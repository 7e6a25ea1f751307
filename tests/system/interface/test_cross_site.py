"""A write that a browser sent from another site is refused."""

import pytest

from samples import ALBUM, OPERATIONS

APP = "https://app.example"
OTHER = "https://evil.example"
WRITES = [row for row, operation in OPERATIONS.items() if operation.writes]

# Headers (Host is diary.example), and whether a write with them is refused.
CASES = {
    "a plain client": ({}, False),
    "same-origin": ({"Sec-Fetch-Site": "same-origin"}, False),
    "same-site": ({"Sec-Fetch-Site": "same-site"}, True),
    "same-site with our origin": ({"Sec-Fetch-Site": "same-site", "Origin": "https://diary.example"}, False),
    "same-site with a listed origin": ({"Sec-Fetch-Site": "same-site", "Origin": APP}, False),
    "same-site with the origin of a name beside ours": ({"Sec-Fetch-Site": "same-site", "Origin": "https://x.example"}, True),
    "same-site with another origin": ({"Sec-Fetch-Site": "same-site", "Origin": OTHER}, True),
    "same-site with an opaque origin": ({"Sec-Fetch-Site": "same-site", "Origin": "null"}, True),
    "by the user": ({"Sec-Fetch-Site": "none"}, False),
    "cross-site": ({"Sec-Fetch-Site": "cross-site"}, True),
    "cross-site with its origin": ({"Sec-Fetch-Site": "cross-site", "Origin": OTHER}, True),
    "cross-site that claims our origin": ({"Sec-Fetch-Site": "cross-site", "Origin": "https://diary.example"}, True),
    "unheard-of site": ({"Sec-Fetch-Site": "Same-Origin"}, True),
    "empty site": ({"Sec-Fetch-Site": ""}, True),
    "same-origin with its origin": ({"Sec-Fetch-Site": "same-origin", "Origin": "https://diary.example"}, False),
    "our origin": ({"Origin": "https://diary.example"}, False),
    "our origin without TLS": ({"Origin": "http://diary.example"}, False),
    "our origin in capitals": ({"Origin": "https://DIARY.example"}, False),
    "another origin": ({"Origin": OTHER}, True),
    "an origin with our name in front": ({"Origin": "https://diary.example.evil.example"}, True),
    "an origin with our name behind": ({"Origin": "https://evil-diary.example"}, True),
    "a name below ours": ({"Origin": "https://x.diary.example"}, True),
    "another port": ({"Origin": "https://diary.example:8443"}, True),
    "an opaque origin": ({"Origin": "null"}, True),
    "an empty origin": ({"Origin": ""}, True),
    "another scheme": ({"Origin": "ftp://diary.example"}, True),
    "a scheme that begins like ours": ({"Origin": "httpevil://diary.example"}, True),
    "our name alone": ({"Origin": "diary.example"}, True),
    "a listed origin": ({"Origin": APP}, False),
    "a listed origin, cross-site": ({"Sec-Fetch-Site": "cross-site", "Origin": APP}, False),
    "a listed origin in capitals": ({"Origin": APP.upper()}, False),
    "the other listed one": ({"Sec-Fetch-Site": "cross-site", "Origin": "http://localhost:3000"}, False),
    "another port of a listed one": ({"Origin": "http://localhost:3001"}, True),
    "the start of a listed one": ({"Origin": "https://app.exam"}, True),
    "more than a listed one": ({"Origin": APP + ".org"}, True),
    "both listed at once": ({"Origin": APP + " http://localhost:3000"}, True),
    "a listed one without TLS": ({"Origin": "http://app.example"}, True),
}


@pytest.fixture(scope="module")
def listing_service(folder, postgres, service):
    other = type(service)(folder, postgres, workers=1, allowed_origins=f"{APP}   http://localhost:3000")
    yield other.start()
    other.stop()


@pytest.mark.parametrize("case", CASES)
def test_writes(listing_service, db, alice, case):
    before = db.snapshot()
    answer = listing_service.raw(request_bytes(alice, CASES[case][0]))
    if CASES[case][1]:
        assert (answer.http_status, answer.info) == (200, "CROSS-SITE REQUEST")
        assert db.snapshot() == before
    else:
        assert answer.names == ["albumID"]


def request_bytes(user, headers):
    """A write to the host diary.example."""
    body = "func=addAlbum&" + "&".join(f"{name}={value}" for name, value in ALBUM.items())
    lines = ["POST /API.php HTTP/1.1", "Host: diary.example", "Connection: close", f"Cookie: {user.cookie}",
             "Content-Type: application/x-www-form-urlencoded", f"Content-Length: {len(body.encode())}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return ("\r\n".join(lines) + "\r\n\r\n" + body).encode()


def test_without_a_list_nobody_is_on_it(service, db, alice):
    with db.unchanged():
        assert service.raw(request_bytes(alice, {"Origin": APP})).info == "CROSS-SITE REQUEST"
        assert service.raw(request_bytes(alice, {"Origin": ""})).info == "CROSS-SITE REQUEST"


@pytest.mark.parametrize("row", WRITES)
def test_every_write_looks(service, db, alice, things, row):
    """Before the login and the parameters; a login too, which would sign the victim in as somebody else."""
    for params in OPERATIONS[row].filled(things), {"delete": "true"} if OPERATIONS[row].delete else {}:
        for user in alice, None:
            with db.unchanged():
                answer = service.call(OPERATIONS[row].func, user=user, headers=[("Sec-Fetch-Site", "cross-site")], **params)
                assert answer.info == "CROSS-SITE REQUEST"
                assert answer.header("Set-Cookie") is None


@pytest.mark.parametrize("row", sorted(set(OPERATIONS) - set(WRITES)))
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_reads_do_not_mind(service, alice, things, row, method):
    headers = [("Sec-Fetch-Site", "cross-site"), ("Origin", OTHER)]
    user = alice if OPERATIONS[row].login else None
    assert service.call(OPERATIONS[row].func, user, method=method, headers=headers, **OPERATIONS[row].filled(things)).info is None
