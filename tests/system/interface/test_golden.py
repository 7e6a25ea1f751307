"""Golden answers: what the service once said, byte for byte: status, headers that matter, body.

There is a file in golden/ for each of CASES in each of FORMS. Where an answer is meant to change, all are recorded
anew, and the difference is read before it is committed:

    MAPDIARY_RECORD=1 /usr/bin/python3 -m pytest tests/system/interface/test_golden.py
"""

import contextlib
import dataclasses
import functools
import hashlib
import os
import pathlib
import re

import pytest

import golden_world as world
import http_client
import signing
from conftest import Rows, new_token
from golden_world import (ALICE, BARE, BLANK, BLANKS, BOB, CAROL, CLOSED, DOOMED, EMPTY, FULL, FUTURE, LARGEST, LINES,
                          LISTED, LOWEST, MARKUP, OF_ANOTHER, QUOTING, TABBED, WIDE, WIDEST, WITHOUT_CHOICES, WRITABLE)
from samples import ALBUM, BLOG, OPERATIONS, ZONE
from service import Service

GOLDEN = pathlib.Path(__file__).parent / "golden"
RECORD = "MAPDIARY_RECORD" in os.environ
HEADERS = ("Content-Type", "Cache-Control", "Vary", "ETag", "Allow", "Retry-After", "Set-Cookie",
           "X-Content-Type-Options")
NOBODY = 2**62
AWKWARD = "a<b>&\"'c"  # a name to be escaped
LONGEST_BODY = 1 << 20


@dataclasses.dataclass
class Form:
    """A form of answer: how it is asked for, and how an element is written, around what may stand in it."""

    params: dict
    element: str


FORMS = {"xml": Form({}, "<{name}>({value})</{name}>")}

# How what differs from run to run may look, in a line of the head and in an element.
VARYING_LINES = {"ETag": '^ETag: ("[!#-~]{10,}")$', "Retry-After": "^Retry-After: ([1-9][0-9]*)$",
                 "idrand": "^Set-Cookie: idrand=([0-9a-f]{32});"}
VARYING_ELEMENTS = {"albumID": "[1-9][0-9]*", "blogID": "[1-9][0-9]*", "idrand": "[0-9a-f]{32}"}

# The services that are asked, all on one database, and their settings.
SERVICES = {
    "usual": {"reward_daily_limit": 1_000_000},
    "strict": {"signatures": "require"},
    "sparing": {"reward_daily_limit": 0, "cache_max_age": "0s"},
    "throttling": {"login_failures_per_account": 1},
    "without a database": {"database": "no_such_database"},
}


@dataclasses.dataclass
class Case:
    """A request and who it is sent to. `params` are a form, unless `query` or `body` says every byte."""

    func: str = ""
    params: dict = dataclasses.field(default_factory=dict)
    user: int | None = None
    method: str = ""
    query: str = ""
    body: str | None = None
    headers: tuple = ()
    service: str = "usual"
    signed: dict | None = None  # what is different about the signature
    sent_before_by: int | None = None
    meanwhile: str = ""  # what the database's owner does after that
    varying: tuple = ()
    streamed: bool = False  # too long to be kept: its hash is
    directly: bool = False  # without a web server, which would refuse it itself


def get(func, **params):
    return Case(func, params)


def post(func, user=ALICE, varying=(), **params):
    return Case(func, params, user, "POST", varying=varying)


def but(case, **changed):
    return dataclasses.replace(case, **changed)


READS = {
    "getAlbum": get("getAlbum", albumID=BARE),
    "getUserAlbumList": get("getUserAlbumList", userID=BOB),
    "getCategoryPOIList": get("getCategoryPOIList", category=2),
    "getPOI": get("getPOI", POIID=BARE),
    "getBlog": get("getBlog", blogID=BARE),
}
EVERYTHING = BLOG | {"replyBlogID": FULL, "zoomLevel": 0, "mapType": 3, "userCategory": MARKUP}
ADD_ALBUM = post("addAlbum", **ALBUM, varying=("albumID",))
POST_BLOG = post("postBlog", **BLOG, varying=("blogID",))
LOGIN = post("login", user=None, varying=("idrand",), email=f"u{ALICE}@example.org", password=world.PASSWORD)
WRONG_LOGIN = but(LOGIN, params=LOGIN.params | {"password": "wrong"}, varying=())

ANSWERS = {
    # Reads: the pieces, from those with everything to those with nothing, and those at the edges.
    "getAlbum-everything": get("getAlbum", albumID=FULL),
    "getAlbum-nothing-optional": READS["getAlbum"],
    "getAlbum-blanks-and-no-cover": get("getAlbum", albumID=BLANK),
    "getAlbum-non-BMP-and-many-digits": get("getAlbum", albumID=WIDEST),
    "getAlbum-tabs-and-lowest-numbers": get("getAlbum", albumID=TABBED),
    "getAlbum-largest-identifier": get("getAlbum", albumID=LARGEST),
    "getPOI-everything": get("getPOI", POIID=FULL),
    "getPOI-nothing-optional": READS["getPOI"],
    "getPOI-blanks": get("getPOI", POIID=BLANK),
    "getPOI-non-BMP-and-many-digits": get("getPOI", POIID=WIDEST),
    "getPOI-tabs-and-lowest-numbers": get("getPOI", POIID=TABBED),
    "getPOI-largest-identifier": get("getPOI", POIID=LARGEST),
    "getBlog-everything": get("getBlog", blogID=FULL),
    "getBlog-nothing-optional": READS["getBlog"],
    "getBlog-blanks": get("getBlog", blogID=BLANK),
    "getBlog-non-BMP-and-many-digits": get("getBlog", blogID=WIDEST),
    "getBlog-tabs-and-line-ends": get("getBlog", blogID=TABBED),
    "getBlog-content-CR": get("getBlog", blogID=LOWEST),
    "getBlog-largest-identifier-content-LF": get("getBlog", blogID=LARGEST),
    "getBlog-quoting-the-largest-identifier": get("getBlog", blogID=QUOTING),
    "getBlog-vote-without-choices": get("getBlog", blogID=WITHOUT_CHOICES),
    "getBlog-vote-closed": get("getBlog", blogID=CLOSED),
    "getBlog-future-by-its-author": but(get("getBlog", blogID=FUTURE), user=ALICE),
    # Reads: the lists.
    "getUserAlbumList-one": get("getUserAlbumList", userID=CAROL),
    "getUserAlbumList-several": READS["getUserAlbumList"],
    "getUserAlbumList-largest-identifier": get("getUserAlbumList", userID=LARGEST),
    "getUserAlbumList-empty": get("getUserAlbumList", userID=EMPTY),
    "getUserAlbumList-streamed": but(get("getUserAlbumList", userID=LISTED), streamed=True),
    "getCategoryPOIList-one": READS["getCategoryPOIList"],
    "getCategoryPOIList-several": get("getCategoryPOIList", category=1),
    "getCategoryPOIList-empty": get("getCategoryPOIList", category=3),
    "getCategoryPOIList-streamed": but(get("getCategoryPOIList", category=4), streamed=True),
    # Reads: asked in other ways, which other headers answer.
    **{f"{func}-with-cookies": but(case, user=BOB) for func, case in READS.items()},
    **{f"{func}-by-POST": but(case, method="POST") for func, case in READS.items()},
    **{f"{func}-by-HEAD": but(case, method="HEAD") for func, case in READS.items()},
    **{f"{func}-not-modified": but(case, headers=(("If-None-Match", "*"),)) for func, case in READS.items()},
    **{f"{func}-signed": but(case, signed={}) for func, case in READS.items()},
    "getBlog-responseFormat-XML": Case(method="GET", query=f"func=getBlog&blogID={BARE}&responseFormat=XML"),
    "getBlog-asked-in-the-body": Case(method="GET", body=f"func=getBlog&blogID={BARE}"),
    "getBlog-not-to-be-kept": but(READS["getBlog"], service="sparing"),
    "getBlog-with-broken-cookies": but(READS["getBlog"], headers=(("Cookie", "id=1; idrand=x"),)),
    "getBlog-unknown-parameters": get("getBlog", blogID=BARE, **{AWKWARD: AWKWARD}),
    # Writes.
    "addAlbum": ADD_ALBUM,
    "addAlbum-signed": but(ADD_ALBUM, signed={}),
    "addAlbum-signed-and-sent-again": but(ADD_ALBUM, signed={}, sent_before_by=ALICE),
    "updateAlbum": post("updateAlbum", albumID=WRITABLE, **ALBUM),
    "updateAlbum-delete": post("updateAlbum", albumID=DOOMED, delete="true"),
    "postBlog-nothing-optional": POST_BLOG,
    "postBlog-everything": post("postBlog", **EVERYTHING, varying=("blogID",)),
    "postBlog-without-reward": but(POST_BLOG, service="sparing"),
    "postBlog-signed-and-sent-again": but(POST_BLOG, signed={}, sent_before_by=ALICE),
    "updateBlog-nothing-optional": post("updateBlog", blogID=WRITABLE, **BLOG),
    "updateBlog-everything": post("updateBlog", blogID=WRITABLE, **EVERYTHING),
    "updateBlog-delete": post("updateBlog", blogID=DOOMED, delete="true"),
    "login": LOGIN,
    "login-signed": but(LOGIN, signed={}),
    "logout": Case("logout", user=EMPTY, method="POST"),
    "logout-signed-and-sent-again": Case("logout", user=LISTED, method="POST", signed={}, sent_before_by=LISTED),
}
# The operations that were there when the answers were published.
PUBLISHED = {row: operation for row, operation in OPERATIONS.items() if operation.func in """addAlbum updateAlbum getAlbum
    getUserAlbumList getCategoryPOIList getPOI postBlog updateBlog getBlog login logout""".split()}
REFUSALS = {
    # Parameters.
    **{f"{row.replace(' ', '-')}-without-parameters": Case(
        operation.func, {"delete": "true"} if operation.delete else {}, ALICE if operation.login else None)
       for row, operation in PUBLISHED.items() if operation.params},
    "missing-parameter-func": Case(method="GET", query="x=1"),
    "invalid-parameter": but(ADD_ALBUM, params=ALBUM | {"lat": "90.1"}),
    "invalid-parameter-escaped-name": get("getAlbum", albumID=BARE, **{AWKWARD: b"\x01"}),
    "invalid-parameter-non-BMP-name": get("getAlbum", albumID=BARE, **{WIDE: b"\xff"}),
    "invalid-parameter-name-with-line-ends": get("getAlbum", albumID=BARE, **{LINES: b"\x00"}),
    "invalid-parameter-name-of-blanks": get("getAlbum", albumID=BARE, **{BLANKS: b"\x00"}),
    "invalid-parameter-responseFormat": Case(method="GET", query="func=getAlbum&responseFormat=YAML"),
    "invalid-parameter-replyBlogID-itself": post("updateBlog", blogID=WRITABLE, **BLOG, replyBlogID=WRITABLE),
    "invalid-parameter-password-in-the-query": Case(method="POST", query=http_client.encode({"func": "login"} | LOGIN.params)),
    "duplicate-parameter": Case(method="GET", query="func=getAlbum&func=getAlbum"),
    "duplicate-parameter-escaped-name": Case(method="GET", query="&".join(2 * [http_client.encode({AWKWARD: "1"})])),
    "malformed-request": Case(method="GET", query="func=getAlbum&albumID=%"),
    "malformed-request-by-POST": Case(method="POST", body="func=addAlbum&%ff=1", user=ALICE),
    "unknown-func": get("getNothing"),
    "unknown-func-by-POST": Case("getalbum", method="POST"),
    # Requests.
    "method-not-allowed-PUT": Case(method="PUT", query="func=getAlbum&albumID=1"),
    "method-not-allowed-write-by-GET": but(ADD_ALBUM, method="GET"),
    "method-not-allowed-write-by-HEAD": but(ADD_ALBUM, method="HEAD"),
    "method-not-allowed-login-by-GET": Case("login", method="GET"),
    "unsupported-media-type": Case(method="POST", body="x", headers=(("Content-Type", "application/json"),)),
    "request-too-large-parameters": Case(method="GET", query="&".join(f"p{number}=" for number in range(65))),
    "request-too-large-body": Case(method="POST", body="x" * (LONGEST_BODY + 1), directly=True),
    # Who is asking.
    **{f"login-required-{row.replace(' ', '-')}": Case(operation.func, operation.filled(
        {"album": WRITABLE, "blog": WRITABLE, "quoted": FULL}), method="POST")
       for row, operation in PUBLISHED.items() if operation.login},
    "login-required-wrong-cookies": but(ADD_ALBUM, user=None, headers=(("Cookie", f"id={ALICE}; idrand={'0' * 32}"),)),
    "password-incorrect": WRONG_LOGIN,
    "password-incorrect-unknown-email": but(LOGIN, params={"email": "nobody@example.org", "password": "x"}),
    "too-many-attempts": but(WRONG_LOGIN, service="throttling", sent_before_by=ALICE,
                             meanwhile="UPDATE login_throttle SET failures = 100", varying=("Retry-After",)),
    "cross-site-request": but(ADD_ALBUM, headers=(("Sec-Fetch-Site", "cross-site"),)),
    "cross-site-request-login": but(LOGIN, headers=(("Origin", "https://evil.example"),)),
    # Signing.
    "key-unknown": but(READS["getBlog"], signed={"key": "0" * 32}),
    "signature-required": but(READS["getBlog"], service="strict"),
    "signature-required-login": but(LOGIN, service="strict"),
    "signature-invalid": but(READS["getBlog"], signed={"sig": "0" * 64}),
    "signature-invalid-addAlbum": but(ADD_ALBUM, signed={"sig": ""}),
    "timestamp-expired": but(READS["getBlog"], signed={"ts": 1}),
    "timestamp-expired-addAlbum": but(ADD_ALBUM, signed={"ts": 1}),
    "missing-parameter-key": get("getBlog", blogID=BARE, sig="00"),
    "request-replayed": but(ADD_ALBUM, signed={}, sent_before_by=BOB),
    "request-replayed-login": but(LOGIN, signed={}, sent_before_by=ALICE),
    # What there is, and whose.
    "album-not-found": get("getAlbum", albumID=NOBODY),
    "album-not-found-updateAlbum": post("updateAlbum", albumID=NOBODY, **ALBUM),
    "album-not-found-delete": post("updateAlbum", albumID=NOBODY, delete="true"),
    "POI-not-found": get("getPOI", POIID=NOBODY),
    "blog-not-found": get("getBlog", blogID=NOBODY),
    "blog-not-found-by-POST": but(get("getBlog", blogID=NOBODY), method="POST"),
    "blog-not-found-by-HEAD": but(get("getBlog", blogID=NOBODY), method="HEAD"),
    "blog-not-found-with-cookies": but(get("getBlog", blogID=NOBODY), user=ALICE),
    "blog-not-found-future": but(get("getBlog", blogID=FUTURE), user=BOB),
    "blog-not-found-updateBlog": post("updateBlog", blogID=NOBODY, **BLOG),
    "blog-not-found-delete": post("updateBlog", blogID=NOBODY, delete="true"),
    "blog-not-found-replyBlogID": post("postBlog", **BLOG, replyBlogID=NOBODY),
    "user-not-found": get("getUserAlbumList", userID=NOBODY),
    "not-owner-updateAlbum": post("updateAlbum", albumID=OF_ANOTHER, **ALBUM),
    "not-owner-updateAlbum-delete": post("updateAlbum", albumID=OF_ANOTHER, delete="true"),
    "not-owner-updateBlog": post("updateBlog", blogID=OF_ANOTHER, **BLOG),
    "not-owner-updateBlog-delete": post("updateBlog", blogID=OF_ANOTHER, delete="true"),
    "not-owner-signed-and-sent-again": but(post("updateBlog", blogID=OF_ANOTHER, **BLOG),
                                           signed={}, sent_before_by=ALICE),
    # Faults.
    "internal-error": post("addAlbum", **ALBUM | {"albumTitle": world.TITLE_THAT_FAILS}),
    "service-unavailable": but(READS["getBlog"], service="without a database"),
    "service-unavailable-addAlbum": but(ADD_ALBUM, service="without a database"),
    "service-unavailable-login": but(LOGIN, service="without a database"),
}
CASES = ANSWERS | {f"refused-{name}": case for name, case in REFUSALS.items()}
# A form is a parameter, which what says every byte does not take.
FILES = [(name, form) for name, case in CASES.items() for form in FORMS if form == "xml" or case.func]


@pytest.fixture(scope="module")
def services(folder, postgres):
    """Each is started when it is first asked."""
    postgres.create_database("golden")
    tool = Service(folder, postgres, database="golden")
    assert tool.ctl("migrate").returncode == 0
    started = {}
    with contextlib.ExitStack() as stack:

        def service(name):
            if name not in started:
                settings = {"database": "golden", "timezone": ZONE, "workers": 2,
                            "master_key_file": tool.settings["master_key_file"]} | SERVICES[name]
                started[name] = Service(folder, postgres, **settings)
                stack.callback(started[name].stop)
                started[name].start()
            return started[name]

        service.tool = tool
        yield service


@pytest.fixture(scope="module")
def db(postgres, services):
    with contextlib.closing(postgres.connect("mapdiary_owner", "golden")) as connection:
        yield Rows(connection)


class Client:
    """Sends the cases."""

    def __init__(self, services, db):
        self.services, self.db = services, db
        self.application = signing.new_application(services.tool, db)
        self.users = world.add_users(services.tool, db)
        world.fill(db)

    def send(self, name, case, form):
        for statement in world.BEFORE_A_WRITE:
            self.db.run(statement)
        if case.func == "logout" and case.user:
            self.users[case.user].token = new_token(self.services.tool, self.users[case.user])
        params = http_client.encode(self.params(name, case, form))
        if case.sent_before_by:
            self.request(case, params, case.sent_before_by)
        if case.meanwhile:
            self.db.run(case.meanwhile)
        return self.request(case, params, case.user)

    def params(self, name, case, form):
        params = {"func": case.func} | FORMS[form].params | case.params
        if case.signed is None:
            return params
        # Signed in the same second, two cases are still not the same request.
        return self.application.sign(**params | {"ts": case.signed.get("ts"), "nonce": name}) | case.signed

    def request(self, case, params, user):
        method = case.method or ("GET" if case.func.startswith("get") else "POST")
        query, body = case.query, case.body
        if case.func:
            query, body = ("", params) if method == "POST" else (params, None)
        headers = [*case.headers, *([("Cookie", self.users[user].cookie)] if user else [])]
        service = self.services(case.service)
        if case.directly:
            return service.fastcgi(body.encode(), REQUEST_METHOD=method, CONTENT_TYPE=http_client.FORM)
        return service.request(method, query, body, headers)


@pytest.fixture(scope="module")
def client(services, db):
    return Client(services, db)


def as_recorded(answer, case, form):
    """The answer as a file holds it."""
    fields = [f"{name}: {value}" for name in HEADERS for header, value in answer.headers if header == name.lower()]
    head = with_names("\n".join([f"HTTP {answer.http_status}", *fields]), VARYING_LINES, ("ETag", *case.varying))
    elements = {name: FORMS[form].element.format(name=name, value=value) for name, value in VARYING_ELEMENTS.items()}
    body = with_names(answer.body.decode(), elements, case.varying)
    if case.streamed:
        assert len(answer.body) > 1 << 20
        body = f"{len(answer.body)} bytes, SHA-256 {hashlib.sha256(answer.body).hexdigest()}\n"
    return f"{head}\n\n{body}".encode()


def with_names(text, patterns, varying):
    """The text with {names} in place of what varies."""
    for name in set(varying) & set(patterns):
        named = functools.partial(lambda name, found: found[0].replace(found[1], f"{{{name}}}"), name)
        text = re.sub(patterns[name], named, text, flags=re.MULTILINE)
    return text


def file_of(name, form):
    return GOLDEN / f"{name}.{form}"


@pytest.mark.parametrize("name, form", FILES)
def test_answer(client, name, form):
    got = as_recorded(client.send(name, CASES[name], form), CASES[name], form)
    if RECORD:
        file_of(name, form).write_bytes(got)
    assert got == file_of(name, form).read_bytes()


def test_every_file_has_a_case():
    assert {path.name for path in GOLDEN.iterdir()} <= {file_of(*row).name for row in FILES}
