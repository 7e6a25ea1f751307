"""openapi.json: it is valid, types are made of it that compile, a client by these types calls every operation, and each
answer is as it says. The programs from npm are pinned by tests/openapi/package-lock.json and are in the build folder."""

import base64
import dataclasses
import json
import re

import pytest

import drawn
import http_client
import json_rule
import samples
from http_client import FORM
from npm import install, run
from samples import ALBUM, FINAL_OPERATIONS, OPERATIONS
from service import TOP

SOURCE = TOP / "tests/openapi"
PATH = "/openapi.json"
RESPONSE_FORMAT = "responseFormat=JSON"
METHODS = {True: "post", False: "get"}  # by whether an operation writes


@pytest.fixture(scope="module")
def npm():
    """The folder of the programs."""
    return install(SOURCE)


@pytest.fixture(scope="module")
def answer(service):
    return service.request(path=PATH)


@pytest.fixture(scope="module")
def api(answer):
    return json.loads(answer.body)


@pytest.fixture(scope="module")
def document(npm, answer):
    """The document as a file."""
    path = npm / "openapi.json"
    path.write_bytes(answer.body)
    return path


# How it is served


def test_it_is_served_as_a_read_is(service, answer):
    assert answer.http_status == 200
    assert answer.header("Content-Type") == "application/json"
    assert answer.header("Access-Control-Allow-Origin") == "*"
    assert answer.header("Cache-Control") == "public, max-age=1"
    assert answer.header("X-Content-Type-Options") == "nosniff"
    headers = [("If-None-Match", answer.header("ETag")), ("Origin", "https://other.example")]
    again = service.request(path=PATH, headers=headers)
    assert (again.http_status, again.body, again.header("Access-Control-Allow-Origin")) == (304, b"", "*")


def test_head(service, answer):
    head = service.request("HEAD", path=PATH)
    assert (head.http_status, head.body) == (200, b"")
    for name in "Content-Type", "Content-Length", "ETag":
        assert head.header(name) == answer.header(name) is not None


@pytest.mark.parametrize("method", ["PUT", "DELETE"])
def test_other_methods(service, method):
    assert service.request(method, path=PATH).http_status == 405


@pytest.mark.parametrize("path", ["/openapi.json/", "/openapi.json/x", "/openapi.jsonx", "/x/openapi.json", "/openapi"])
def test_nothing_beside_it(service, path):
    assert service.request(path=path).http_status in (403, 404)


# What it says


def test_an_operation_for_each_func(api):
    described = {(path, method, operation["operationId"]) for path, methods in api["paths"].items()
                 for method, operation in methods.items()}
    assert described == {(f"/API.php/{func}", METHODS[writes], func) for func, writes, *_ in (OPERATIONS | FINAL_OPERATIONS).values()}


def test_each_operation_has_one_of_the_tags(api):
    used = [operation["tags"] for methods in api["paths"].values() for operation in methods.values()]
    assert {len(tags) for tags in used} == {1}
    assert {tag for tags in used for tag in tags} == {tag["name"] for tag in api["tags"]}


def content_of(api, func):
    return api["paths"][f"/API.php/{func}"]["post"]["requestBody"]["content"]


def test_a_form_without_parts_has_no_file(api):
    """Where a file is optional, such a form is taken, and an empty text takes the file away."""
    form, parts = (content_of(api, "updateUser")[kind]["schema"]["properties"]
                   for kind in ("application/x-www-form-urlencoded", "multipart/form-data"))
    assert form["name"] == parts["name"]
    assert form["icon"] == {"type": "string", "enum": [""]} and parts["icon"] == {"type": "string", "format": "binary"}
    assert "application/x-www-form-urlencoded" not in content_of(api, "addPhoto")


def operation_of(api, operation):
    return api["paths"][f"/API.php/{operation.func}"][METHODS[operation.writes]]


def forms_of(described):
    content = described["requestBody"]["content"]
    schema = next(content[kind] for kind in ("multipart/form-data", "application/x-www-form-urlencoded") if kind in content)["schema"]
    return schema.get("oneOf", [schema])


def parameters_of(api, described):
    known = api["components"]["parameters"]
    return [known[item["$ref"].rpartition("/")[2]] if "$ref" in item else item for item in described["parameters"]]


@pytest.mark.parametrize("row", OPERATIONS)
def test_parameters(api, row):
    operation = OPERATIONS[row]
    described = operation_of(api, operation)
    parameters = parameters_of(api, described)
    query = {item["name"]: item.get("required", False) for item in parameters if item["in"] == "query"}
    common = {"responseFormat": True, "key": False, "ts": False, "sig": False}
    wanted = operation.listed
    if not operation.writes:
        assert query == common | wanted and "requestBody" not in described
        return
    # Beside a file that is the body, all else is in the address.
    files = {name for name, value in operation.params.items() if isinstance(value, http_client.File)}
    assert query == common | (dict.fromkeys(wanted.keys() - files, False) if files else {})
    if not wanted:
        assert "requestBody" not in described
        return
    forms = [form for form in forms_of(described) if ("delete" in form["required"]) == (operation.delete or "delete" in wanted)]
    assert len(forms) == 1
    assert {name: name in forms[0]["required"] for name in forms[0]["properties"] if name in wanted or name != "delete"} == wanted
    if operation.delete:
        assert forms[0]["properties"]["delete"]["const"] == "true"


@pytest.mark.parametrize("row", OPERATIONS)
def test_who_may_call(api, row):
    both, none = {"id": [], "idrand": []}, {}
    security = operation_of(api, OPERATIONS[row])["security"]
    assert security == [both] if OPERATIONS[row].login else security in ([none], [none, both])


def test_all_that_info_says(api):
    texts, patterns = set(), set()
    for part in api["components"]["schemas"]["FAILED"]["properties"]["info"]["anyOf"]:
        texts.update(part.get("enum", []))
        patterns.update([part["pattern"]] if "pattern" in part else [])
    for status, response in api["components"]["responses"].items():
        assert int(status) in (405, 413, 415, 429, 500, 503)
        listed = response["content"]["application/json"]["schema"]["properties"]["info"]["enum"]
        assert len(listed) == len(set(listed))
        texts.update(listed)
        headers = {"405": {"Allow"}, "429": {"Retry-After"}, "503": {"Retry-After"}}.get(status, set())
        assert set(response["headers"]) == headers
    assert texts == set(http_client.INFO[3:] + http_client.INFO_OF_SIGNING)
    assert patterns == {f"^{text}: " for text in http_client.INFO[:3]}


def test_alternatives_are_several(api):
    def check(part):
        for name, value in part.items() if isinstance(part, dict) else enumerate(part):
            assert name != "anyOf" or len(value) > 1
            if isinstance(value, (dict, list)):
                check(value)

    check(api)


# Requests that a description like this leads to, right and wrong: (query, Content-Type, body).
ASKED = {
    "right": (RESPONSE_FORMAT, FORM, ""), "malformed": (RESPONSE_FORMAT, FORM, "%"),
    "a malformed query": (RESPONSE_FORMAT + "&%", FORM, ""),
    "twice": (f"{RESPONSE_FORMAT}&a=1&a=1", FORM, ""), "twice a form": (f"{RESPONSE_FORMAT}&responseFormat=XML", FORM, ""),
    "no form": ("", FORM, ""), "another form": ("responseFormat=x", FORM, ""), "another type": (RESPONSE_FORMAT, "text/plain", "x"),
    "another type, no form": ("", "text/plain", "x"), "too large": (RESPONSE_FORMAT, FORM, "a=" + "x" * (1 << 20)),
    "too large, no form": ("", FORM, "a=" + "x" * (1 << 20)),
}


@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("method", ["get", "post", "put"])
def test_every_content_type_is_named(service, api, method, asked):
    """Of refusals, at each operation."""
    query, content_type, body = ASKED[asked]
    for path, operations in api["paths"].items():
        (described,) = operations.values()
        answer = service.request(method.upper(), query, body or None, [("Content-Type", content_type)], path=path)
        response = described["responses"][str(answer.http_status)]
        if "$ref" in response:
            response = api["components"]["responses"][response["$ref"].rpartition("/")[2]]
        assert answer.header("Content-Type").partition(";")[0] in response["content"], (path, answer.http_status)


def forms_that_are_taken(api, described):
    (form,) = [item["schema"] for item in parameters_of(api, described) if item["name"] == "responseFormat"]
    return form.get("enum", [form.get("const")])


@pytest.mark.parametrize("row", OPERATIONS)
def test_each_form_of_an_answer_is_named(service, api, things, alice, new_session, row):
    """With and without a session, and of a thing that is not there. The forms that are named are those that there are."""
    operation, described = OPERATIONS[row], operation_of(api, OPERATIONS[row])
    alice = dataclasses.replace(alice, token=new_session(alice))
    taken, params = forms_that_are_taken(api, described), operation.filled(things)
    types = {"JSON": "application/json", "GeoJSON": "application/geo+json", "Atom": "application/atom+xml"}
    named = set(described["responses"]["200"]["content"])
    assert named == {types[form] for form in taken} | {"text/xml"} and ("400" in described["responses"]) == ("Atom" in taken)
    for form in [*types, "XML", "other"]:
        for changed, user in ({}, None), ({name: 2**50 for name in params if name.endswith("ID")}, alice):
            body, content_type = http_client.body_of(params | changed)
            headers = [("Cookie", user.cookie)] if user else []
            query, path = f"responseFormat={form}", f"/API.php/{operation.func}"
            if operation.writes:
                answer = service.request("POST", query, body, [("Content-Type", content_type), *headers], path=path)
            else:
                answer = service.request("GET", f"{query}&{http_client.encode(params | changed)}", headers=headers, path=path)
            got = answer.header("Content-Type").partition(";")[0]
            assert got in described["responses"][str(answer.http_status)]["content"], (form, answer.http_status, got)
            if form in taken and not operation.writes and not changed:
                assert got == types[form] or operation.login
            if form not in taken:
                assert got == "text/xml"


def test_values(api):
    """What is in the specs of parameters is in their schemas."""
    form, = (form for form in forms_of(api["paths"]["/API.php/postBlog"]["post"]))
    of = form["properties"]
    assert of["type"]["enum"] == samples.TYPES and of["weather"]["enum"] == samples.WEATHERS
    lengths = {name: (of[name]["minLength"], of[name]["maxLength"]) for name in of if "minLength" in of[name]}
    assert lengths == {"blogTitle": (1, 255), "blogContent": (1, 100_000), "userCategory": (1, 255)}
    ranges = {name: (of[name]["minimum"], of[name].get("maximum")) for name in of if "minimum" in of[name]}
    assert ranges == {"lat": (-90, 90), "lng": (-180, 180), "year": (1, 9999), "month": (1, 12), "day": (1, 31),
                      "replyBlogID": (1, None), "zoomLevel": (0, 21), "mapType": (1, 3)}
    assert {name: of[name]["default"] for name in of if "default" in of[name]} == {"zoomLevel": 14, "mapType": 1}


def test_what_is_to_be_seen_says_so(api):
    told = {(path.rpartition("/")[2], name)
            for path, methods in api["paths"].items() if "post" in methods and "requestBody" in methods["post"]
            for form in forms_of(methods["post"]) for name, schema in form["properties"].items()
            if "Default_Ignorable_Code_Point" in schema.get("description", "")}
    assert told == {("register", "name"), ("updateUser", "name"), ("addComment", "comment"), ("replyComment", "reply"),
                    ("addVote", "description"), *(("addVote", f"choice{number}") for number in range(1, 11))}


# What others make of it


def test_addresses_are_described_as_they_are_read(service, api):
    """Each character of ASCII, on either side of the @."""
    (schema,) = [param for param in api["paths"]["/API.php/requestPasswordReset"]["post"]["requestBody"]["content"][
        "application/x-www-form-urlencoded"]["schema"]["properties"].items() if param[0] == "email"]
    for character in map(chr, range(33, 127)):
        for email in f"a{character}b@c", f"a@b{character}c":
            is_taken = service.call("requestPasswordReset", email=email).info is None
            assert bool(re.search(schema[1]["pattern"], email)) == is_taken, email


def test_it_is_valid(npm, document):
    linted = run(npm, "node", "lint.js", document)
    assert (linted.returncode, linted.stdout, linted.stderr) == (0, "", "")


def test_what_is_not_valid_is_seen(npm, document):
    text = document.read_text(encoding="utf-8")
    mistakes = [('"operationId":"addAlbum"', '"operationId":"getPOI"'), ('"in":"query"', '"in":"quer"'),
                ('"type":"integer"', '"type":"int"'), ("#/components/schemas/FAILED", "#/components/schemas/LOST")]
    for right, wrong in mistakes:
        assert right in text
        text = text.replace(right, wrong, 1)
    spoiled = npm / "spoiled.json"
    spoiled.write_text(text, encoding="utf-8")
    linted = run(npm, "node", "lint.js", spoiled)
    assert linted.returncode == 1 and len(linted.stdout.splitlines()) >= len(mistakes), linted.stdout


@pytest.fixture(scope="module")
def client(npm, document):
    """The client, compiled with the types that were made of the document."""
    for command in (["openapi-typescript", document, "-o", "api.ts"], ["tsc", "-p", "."]):
        done = run(npm, npm / "node_modules/.bin" / command[0], *command[1:])
        assert done.returncode == 0, done.stdout + done.stderr
    return npm / "client.js"


MISTAKES = [
    ('type: "0_8"', 'type: "0_9"', "Types of property 'type' are incompatible."),
    ("category: 5", 'category: "5"', "Types of property 'category' are incompatible."),
    ("/API.php/logout", "/API.php/logOut", "\"/API.php/logOut\"' is not assignable"),
    ("got.Location.lat", "got.location.lat", "Property 'location' does not exist"),
    ("body: { email, password }", "body: { email }", "Property 'password' is missing"),
]


@pytest.mark.slow
def test_what_the_types_refuse(npm, client):
    source = (npm / "client.ts").read_text(encoding="utf-8")
    for right, wrong, _ in MISTAKES:
        assert right in source
        source = source.replace(right, wrong, 1)
    (npm / "mistakes.ts").write_text(source, encoding="utf-8")
    settings = {"extends": "./tsconfig.json", "compilerOptions": {"noEmit": True}, "files": ["mistakes.ts", "api.ts"]}
    (npm / "tsconfig-mistakes.json").write_text(json.dumps(settings), encoding="utf-8")
    done = run(npm, npm / "node_modules/.bin/tsc", "-p", "tsconfig-mistakes.json")
    for _, wrong, message in MISTAKES:
        assert message in done.stdout, f"{wrong} is taken:\n{done.stdout}"


def call_all(service, npm, client, user, category):
    picture = base64.b64encode(drawn.FILE).decode()
    given = {"email": user.email, "password": user.password, "category": category, "picture": picture}
    done = run(npm, "node", client, f"http://127.0.0.1:{service.port}{PATH}", json.dumps(given))
    assert done.returncode == 0, done.stderr
    return [json_rule.read(line) for line in done.stdout.splitlines()]


READERS = {"updateAlbum": ("getAlbum", "albumID"), "updateBlog": ("getBlog", "blogID"), "updatePhoto": ("getPhoto", "photoID")}


def assert_written(service, func, params):
    """An update did what it said, by XML."""
    reader, identifier = READERS[func]
    answer = service.call(reader, **{identifier: params[identifier]})
    if "delete" in params:
        assert answer.info.endswith("NOT FOUND")
        return
    names = set(params) & set(answer.names)
    assert {name: answer[name] for name in names} == {name: str(params[name]) for name in names} and len(names) >= 2


def as_javascript_has_it(value):
    """Its numbers lose the zeros that were sent at the end."""
    if isinstance(value, list):
        return [as_javascript_has_it(item) for item in value]
    if isinstance(value, dict):
        return {name: float(item) if name in ("lat", "lng") else as_javascript_has_it(item) for name, item in value.items()}
    return value


def test_a_client_calls_every_operation(service, db, npm, client, new_user, poi):
    """What it got and did is what XML says."""
    user = new_user()
    db.run("DELETE FROM advertisement")
    db.insert("advertisement", title="茶", text="", address="https://tea.example/", lat="1", lng="1", radius=1, weight=1,
              first_day="2001-01-01", last_day="2999-01-01")
    calls = call_all(service, npm, client, user, 2)
    names = {(call["func"], "delete" in call["params"]) for call in calls}
    assert names == {(operation.func, operation.delete or "delete" in operation.params)
                     for operation in (OPERATIONS | FINAL_OPERATIONS).values()}
    for call in calls:
        func, params = call["func"], call["params"]
        if (func.startswith("get") or func == "search") and not OPERATIONS[func].login:
            expected = json_rule.expected(service.call(func, **params))
            assert as_javascript_has_it(call["answer"]) == as_javascript_has_it(expected), func
        elif func in READERS:
            assert_written(service, func, params)
    session = calls[0]["answer"]
    cookie = f"id={session['id']}; idrand={session['idrand']}"
    assert service.call("addAlbum", cookie=cookie, **ALBUM).info == "LOGIN REQUIRED"


# Answers are as it says


def as_line(method, path, answer):
    """What validate.js takes."""
    return {"method": method, "path": path, "httpStatus": answer.http_status, "body": json.loads(answer.body)}


def as_json(service, row, things, user=None, **changed):
    operation = OPERATIONS[row]
    params = operation.filled(things) | changed
    headers = [("Cookie", user.cookie)] if user else []
    body, content_type = http_client.body_of(params)
    path = f"/API.php/{operation.func}"
    if operation.writes:
        headers.append(("Content-Type", content_type))
        got = service.request("POST", RESPONSE_FORMAT, body, headers, path=path)
    else:
        got = service.request("GET", f"{RESPONSE_FORMAT}&{http_client.encode(params)}", headers=headers, path=path)
    return as_line(METHODS[operation.writes], path, got)


def faults(npm, document, answers):
    done = run(npm, "node", "validate.js", document, text="".join(json.dumps(answer) + "\n" for answer in answers))
    assert done.returncode == 0, done.stderr
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(found) == len(answers)
    return found


LAST = "logout"
ONCE = ["addVote", "updateComment", "closeVote"]
# Each finds the things that it needs: what deletes comes at the end.
ORDER = sorted(OPERATIONS, key=lambda row: (row == LAST, row == "updateComment", OPERATIONS[row].delete))


def test_answers(service, db, npm, document, alice, bob, new_session, things):
    """SUCCESS of every operation with nothing and with everything that is optional, and FAILED in several ways."""
    user = dataclasses.replace(alice, token=new_session(alice))
    answers = [as_json(service, row, things) for row in OPERATIONS]
    deleting = {row for row in OPERATIONS if OPERATIONS[row].delete}
    answers += [as_json(service, row, things, user) for row in ORDER if row not in deleting | {*ONCE, LAST}]
    samples.insert_all_that_is_optional(db, things, bob)
    answers += [as_json(service, row, things, user, **{name: "?"})
                for row in OPERATIONS for name in OPERATIONS[row].params]
    db.run("DELETE FROM vote WHERE blog_id = %s", things["quoted"])
    answers += [as_json(service, row, things, user) for row in ORDER]
    assert [answer["body"]["status"] for answer in answers[-len(ORDER):]] == ["SUCCESS"] * len(ORDER)
    assert faults(npm, document, answers) == [None] * len(answers)


def test_a_refusal_with_a_status_of_its_own(service, npm, document):
    answer = as_line("post", "/API.php/login", service.request("GET", RESPONSE_FORMAT, path="/API.php/login"))
    assert answer["httpStatus"] == 405 and faults(npm, document, [answer]) == [None]


def test_another_answer_is_seen(service, npm, document, things):
    answer = as_json(service, "getAlbum", things)
    body = answer["body"]
    changes = [{"cover": "1"}, {"more": 1}, {"status": "FAILED"}, {"photos": {}}, {"score": 0.5},
               {"Location": body["Location"] | {"lat": "21.9483"}}]
    spoiled = [body | change for change in changes] + [{name: body[name] for name in body if name != "cover"}]
    found = faults(npm, document, [answer] + [answer | {"body": body} for body in spoiled])
    assert found[0] is None and all(found[1:])
