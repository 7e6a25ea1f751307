"""responseFormat=JSON: every answer is that in XML by one rule (json_rule.py), for Python's parser and for Node's."""

import dataclasses
import itertools
import json
import random
import subprocess

import pytest

import http_client
import json_rule
import samples
import test_info
from json_rule import Number
from processes import peak_memory, workers
from samples import ALBUM, BLOG, OPERATIONS
from service import ENVIRONMENT
from signing import new_application
from test_xml_differential import ROUNDS, content, line

JSON = {"responseFormat": "JSON"}
READS = [row for row, operation in OPERATIONS.items() if not operation.writes and not operation.login]
# What is another in each answer, and never less than there: then it is compared by its kind.
VARYING = {"addAlbum": ["albumID"], "addComment": ["commentID"], "postBlog": ["blogID", "reward"], "login": ["idrand"],
           "addPhoto": ["photoID", "thumbnail", "photoPath"]}
# A program for Node: each line of standard input is a document; it prints what it made of it, in ASCII.
REPRINT = r"""
require("readline").createInterface({ input: process.stdin, crlfDelay: Infinity }).on("line", (line) =>
    console.log(JSON.stringify(JSON.parse(line)).replace(/[^ -~]/g,
        (unit) => "\\u" + unit.charCodeAt(0).toString(16).padStart(4, "0"))));
"""


def by_node(documents):
    """What Node's parser makes of documents, each of them a line."""
    documents = list(documents)
    lines = b"".join(documents)
    assert lines.count(b"\n") == len(documents), "a document is one line"
    done = subprocess.run(
        ["node", "-e", REPRINT], input=lines, check=True, capture_output=True, timeout=120, env=ENVIRONMENT)
    return [json.loads(line) for line in done.stdout.split(b"\n")[:-1]]


def assert_same_by_node(answers):
    """Where all numbers are ones of JavaScript."""
    bodies = [answer.body for answer in answers]
    assert by_node(bodies) == [json.loads(body) for body in bodies]


def in_both(service, func, **how):
    """The answers in JSON and in XML; they are the same by the rule."""
    answers = service.call(func, **how, **JSON), service.call(func, **how)
    json_rule.assert_same(*answers)
    return answers


# The same answer

# What is made for a deletion: its identifier, and how.
MAKERS = [("albumID", "addAlbum", ALBUM), ("blogID", "postBlog", BLOG), ("photoID", "addPhoto", samples.NEW_PHOTO)]


@pytest.mark.parametrize("row", OPERATIONS)
def test_every_operation(service, db, alice, new_session, things, row):
    """Each form in a session and on things of its own."""
    operation = OPERATIONS[row]
    answers = []
    for form in JSON, {}:
        user = dataclasses.replace(alice, token=new_session(alice)) if operation.login else None
        params = operation.filled(things)
        if operation.delete and operation.func.startswith("update"):
            kind, func, sample = next(made for made in MAKERS if made[0] in params)
            sample = {name: things["another"] if name == "albumID" else value for name, value in sample.items()}
            params[kind] = service.ok(func, user=alice, **sample)[kind]
        if row == "addVote":
            params["blogID"] = service.ok("postBlog", user=alice, **BLOG)["blogID"]
        if row == "updateComment":
            params["commentID"] = service.ok("addComment", user=alice, albumID=things["album"], comment="x")["commentID"]
        answers.append(service.call(operation.func, user=user, **params, **form))
    got, want = json_rule.of(answers[0]), json_rule.expected(answers[1])
    for name in VARYING.get(row, []):
        assert isinstance(got[name], type(want[name])) and got[name]
        want[name] = got[name]
    assert got == want and list(got) == list(want) and got["status"] == "SUCCESS"


@pytest.mark.parametrize("row", READS)
def test_a_read_with_all_that_is_optional(service, db, alice, bob, things, row):
    samples.insert_all_that_is_optional(db, things, bob)
    if row == "search":
        db.wait_for_words()
    answer, _ = in_both(service, OPERATIONS[row].func, **OPERATIONS[row].filled(things))
    assert_same_by_node([answer])


def test_how_it_reads(service, db, alice, things):
    """The rule itself, in one example."""
    samples.insert_photos(db, things["album"], 1)
    got = json_rule.of(service.call("getAlbum", albumID=things["album"], **JSON))
    date = samples.today()
    photo, = got["photos"]
    assert got == {
        "status": "SUCCESS", "albumTitle": ALBUM["albumTitle"], "cover": None, "category": Number("5"),
        "Location": {"lat": Number("21.9483"), "lng": Number("120.7798")},
        "ownerName": alice.name, "ownerIcon": alice.icon,
        "updateDate": {"year": Number(str(date.year)), "month": Number(str(date.month)), "day": Number(str(date.day))},
        "score": Number("0"),
        "photos": [
            {"photoID": photo["photoID"], "thumbnail": "https://example.org/t/1.jpg?w=1&h=2", "description": ""},
        ],
    }
    assert isinstance(photo["photoID"], Number)


def test_empty_lists(service, db, new_user):
    user = new_user()
    db.run("DELETE FROM poi")
    assert service.call("getUserAlbumList", userID=user.id, **JSON).body == b'{"status":"SUCCESS","albumList":[]}\n'
    assert service.call("getCategoryPOIList", category=1, **JSON).body == b'{"status":"SUCCESS","POIList":[]}\n'


def test_texts_that_are_digits_stay_texts(service, alice):
    blog = samples.BLOG | {"type": "0_0", "blogTitle": "12", "blogContent": "3.5", "userCategory": "null"}
    number = service.ok("postBlog", user=alice, **blog)["blogID"]
    got = json_rule.of(in_both(service, "getBlog", blogID=number)[0])
    for name in "type", "blogTitle", "blogContent", "userCategory":
        assert type(got[name]) is str and got[name] == blog[name]


@pytest.mark.parametrize("lat, lng", [
    ("25", "121"), ("25.0330", "121.560"), ("-0.5", "-0.50"), ("007.50", "-007"), ("0", "-0"), ("0.0", "-0.0"),
    ("90.000", "-180.0"), ("0.00000000000001", "123.456789012345"), ("-89.9999999999999", "00000"),
])
def test_coordinates_have_their_digits(service, alice, lat, lng):
    album = service.ok("addAlbum", user=alice, **ALBUM | {"lat": lat, "lng": lng})["albumID"]
    assert_same_by_node(in_both(service, "getAlbum", albumID=album)[:1])


@pytest.mark.parametrize("identifier", [2**31, 2**53 - 2, 2**53 - 1])
def test_identifiers_that_javascript_has(service, db, alice, identifier):
    db.run("INSERT INTO album (number, owner_id, title, slot, lat, lng)"
           " VALUES (%s, %s, 'x', 1, 0, 0)", identifier, alice.id)
    answer, _ = in_both(service, "getUserAlbumList", userID=alice.id)
    listed, = by_node([answer.body])
    assert identifier in [item["albumID"] for item in listed["albumList"]]
    db.run("DELETE FROM album WHERE number = %s", identifier)


# Any text


def test_texts(service, alice):
    chance = random.Random(11)
    album = service.ok("addAlbum", user=alice, **ALBUM)["albumID"]
    blog = service.ok("postBlog", user=alice, **BLOG)["blogID"]
    answers = []
    for _ in range(ROUNDS):
        title = line(chance)
        texts = {"blogTitle": line(chance), "blogContent": content(chance), "userCategory": line(chance)}
        service.ok("updateAlbum", user=alice, albumID=album, **ALBUM | {"albumTitle": title})
        service.ok("updateBlog", user=alice, blogID=blog, **BLOG | texts)
        answers += service.call("getAlbum", albumID=album, **JSON), service.call("getBlog", blogID=blog, **JSON)
        got_album, got_blog = map(json_rule.of, answers[-2:])
        assert got_album["albumTitle"] == title and {name: got_blog[name] for name in texts} == texts
    assert_same_by_node(answers)


def test_the_longest_content(service, alice):
    chance = random.Random(12)
    answers = []
    for alphabet in "\r", '"\\', "\u2028\u2029", "\x7f\x80", "\U0010ffff":
        # Characters of four bytes are twelve in a form, of which a request has a mebibyte.
        text = "".join(chance.choices(alphabet, k=87_000))
        blog = service.ok("postBlog", user=alice, **BLOG | {"blogContent": text})["blogID"]
        answers.append(service.call("getBlog", blogID=blog, **JSON))
        assert json_rule.of(answers[-1])["blogContent"] == text
    assert_same_by_node(answers)


LISTED = 12_000


@pytest.fixture(scope="module")
def long_list(db, new_user):
    """A user with more albums than an answer has that is built whole."""
    chance = random.Random(14)
    titles = [line(chance) for _ in range(400)]
    user = new_user()
    db.run("INSERT INTO album (owner_id, title, slot, lat, lng)"
           " SELECT %s, (%s::text[])[1 + n %% 400], 1, 0, 0 FROM generate_series(0, %s) n", user.id, titles, LISTED - 1)
    yield user
    db.run("DELETE FROM user_account WHERE user_id = %s", user.id)


def test_a_list_that_is_streamed(service, long_list):
    answer, _ = in_both(service, "getUserAlbumList", userID=long_list.id)
    assert len(answer.body) > 1 << 20 and answer.header("Content-Length") is None and answer.header("ETag") is None
    assert len(json_rule.of(answer)["albumList"]) == LISTED
    assert_same_by_node([answer])


def test_a_list_in_little_memory(monkeypatch, start_service, long_list):
    # AddressSanitizer, if there, keeps what was freed.
    monkeypatch.setitem(ENVIRONMENT, "ASAN_OPTIONS", ENVIRONMENT.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=0")
    service = start_service(workers=1)
    service.call("getUserAlbumList", userID=1, **JSON)
    (worker,) = workers(service.daemon.pid)
    before = peak_memory(worker)
    assert len(service.call("getUserAlbumList", userID=long_list.id, **JSON).body) > 1 << 20
    assert peak_memory(worker) - before < 5 << 10


# HTTP


@pytest.mark.parametrize("row", READS)
def test_a_tag_of_its_own(service, things, row):
    operation = OPERATIONS[row]
    params = operation.filled(things)
    answer, other = in_both(service, operation.func, **params)
    tag = answer.header("ETag")
    assert tag and tag != other.header("ETag")
    for name in "Cache-Control", "Vary", "X-Content-Type-Options":
        assert answer.header(name) == other.header(name) is not None
    known = service.call(operation.func, **params, **JSON, headers=[("If-None-Match", tag)])
    assert (known.http_status, known.body, known.header("ETag")) == (304, b"", tag)
    changed = service.call(operation.func, **params, **JSON, headers=[("If-None-Match", other.header("ETag"))])
    assert changed.body == answer.body


@pytest.mark.parametrize("row", READS)
def test_every_method(service, things, row):
    operation = OPERATIONS[row]
    params = operation.filled(things) | JSON
    got = service.call(operation.func, **params)
    head = service.call(operation.func, method="HEAD", **params)
    assert (head.http_status, head.body) == (200, b"")
    for name in "Content-Type", "Content-Length", "ETag", "Cache-Control":
        assert head.header(name) == got.header(name) is not None
    assert service.call(operation.func, method="POST", **params).body == got.body
    by_path = service.request(query=http_client.encode(params), path=f"/API.php/{operation.func}")
    assert by_path.body == got.body


def test_with_cookies_it_is_not_kept(service, alice, album):
    answer = service.call("getAlbum", user=alice, albumID=album, **JSON)
    assert answer.header("Cache-Control") == "no-store" and answer.header("ETag") is None


@pytest.mark.parametrize("accept", ["application/json", "text/html", "*/*", "application/json;q=1, text/xml;q=0"])
def test_the_form_is_never_chosen_by_accept(service, album, accept):
    headers = [("Accept", accept)]
    assert service.call("getAlbum", albumID=album, headers=headers).result
    assert json_rule.of(service.call("getAlbum", albumID=album, headers=headers, **JSON))["status"] == "SUCCESS"


def test_xml_by_its_name_is_that_without(service, album):
    named = service.call("getAlbum", albumID=album, responseFormat="XML")
    assert named.body == service.call("getAlbum", albumID=album).body


@pytest.mark.parametrize("name", ["json", "Json", "", "JSON ", "GeoJSON", "Atom", "XML,JSON", "xml", "%00", "JSONP"])
@pytest.mark.parametrize("row", ["getAlbum", "addAlbum"])
def test_a_form_that_is_none(service, db, alice, things, row, name):
    with db.unchanged():
        answer = service.call(row, user=alice, **OPERATIONS[row].filled(things), responseFormat=name)
    assert (answer.http_status, answer.info) == (200, "INVALID PARAMETER: responseFormat")


# Refusals


class JsonService:
    """Asks for JSON whatever is asked."""

    def __init__(self, service):
        self.service = service

    def call(self, func, **how):
        return self.service.call(func, **JSON | how)

    def request(self, method="GET", query="", body=None, **how):
        form = http_client.encode(JSON)
        return self.service.request(method, f"{form}&{query}" if query else form, body, **how)


@pytest.fixture
def worlds(request, service):
    """What test_info takes, for both forms."""

    class World:
        def __init__(self, wrap):
            self.wrap = wrap
            self.call, self.request = wrap(service).call, wrap(service).request

        def start_service(self, **settings):
            return self.wrap(request.getfixturevalue("start_service")(**settings))

        def __getattr__(self, name):
            return request.getfixturevalue(name)

    return World(JsonService), World(lambda service: service)


# The query string is malformed, or has no form, as the world adds it to the body: then it may be XML.
UNREAD = {"MALFORMED REQUEST", "PHOTO TOO LARGE"}


@pytest.mark.parametrize("info, http_status, produce", test_info.INFOS, ids=[info for info, _, _ in test_info.INFOS])
def test_every_refusal(worlds, info, http_status, produce):
    answer, other = map(produce, worlds)
    if info in UNREAD:
        assert (answer.http_status, answer.info) == (http_status, info)
        return
    json_rule.assert_same(answer, other)
    assert json_rule.of(answer) == {"status": "FAILED", "info": info} and answer.http_status == http_status
    assert answer.header("Cache-Control") == "no-store" and answer.header("ETag") is None
    for header in "Allow", "Retry-After":
        assert (answer.header(header) is None) == (other.header(header) is None)


@pytest.mark.parametrize("row", OPERATIONS)
def test_every_parameter_refused(service, alice, things, row):
    operation = OPERATIONS[row]
    user = alice if operation.login and row != "logout" else None
    params = operation.filled(things)
    for name in operation.required:
        without = {other: value for other, value in params.items() if other != name}
        # The last is no text, wherever the form of the answer is said.
        for how in without, params | {name: ""}, params | {name: b"\xff"}:
            answer, _ = in_both(service, operation.func, user=user, **how)
            assert json_rule.of(answer)["info"].endswith(f" PARAMETER: {name}")
    if operation.login:
        in_both(service, operation.func, **params)


# Signed


@pytest.fixture(scope="module")
def application(service, db):
    return new_application(service, db)


counter = itertools.count(1)


def signed(application, func, **params):
    return application.sign(func, **params, **JSON, n=next(counter))


def send(service, params, user):
    body, content_type = http_client.body_of(params)
    return service.request("POST", body=body, headers=[("Cookie", user.cookie), ("Content-Type", content_type)])


@pytest.mark.parametrize("row", [row for row, operation in OPERATIONS.items() if operation.writes and operation.params
                                 and operation.login])
def test_a_signed_write_is_answered_again_in_its_form(service, application, db, alice, things, row):
    request = signed(application, OPERATIONS[row].func, **OPERATIONS[row].filled(things))
    first = send(service, request, alice)
    assert json_rule.of(first)["status"] == "SUCCESS"
    with db.unchanged():
        again = send(service, request, alice)
    assert (again.body, again.http_status, again.header("Content-Type")) == (first.body, 200, "application/json")


def test_a_refusal_is_answered_again_in_its_form(service, application, bob, things):
    request = signed(application, "updateAlbum", albumID=things["album"], **ALBUM)
    first, again = send(service, request, bob), send(service, request, bob)
    assert json_rule.of(first) == {"status": "FAILED", "info": "NOT OWNER"} == json_rule.of(again)


def test_signing_is_refused_in_the_form(service, application, alice, bob):
    write = signed(application, "addAlbum", **ALBUM)
    assert json_rule.of(send(service, write, alice))["status"] == "SUCCESS"
    for request, user, info in [
        (write, bob, "REQUEST REPLAYED"), (write | {"sig": "0" * 64}, alice, "SIGNATURE INVALID"),
        (write | {"key": "00" * 16}, alice, "KEY UNKNOWN"),
        (application.sign("addAlbum", ts=1, **ALBUM, **JSON), alice, "TIMESTAMP EXPIRED"),
        (write | {"responseFormat": "XML"}, alice, "SIGNATURE INVALID"),
    ]:
        answer = send(service, request, user)
        got = json_rule.of(answer)["info"] if request["responseFormat"] == "JSON" else answer.info
        assert got == info
