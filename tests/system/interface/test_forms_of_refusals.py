"""In which form a request is refused: in that which its query string names, whatever it is refused for."""

import json

import pytest

import http_client
from http_client import FORM
from samples import ALBUM

MIB = 1 << 20
XML, JSON = "text/xml; charset=utf-8", "application/json"
FORMS = {"JSON": JSON, "GeoJSON": JSON, "Atom": XML, "XML": XML}
BROKEN_PARTS = ("multipart/form-data; boundary=x", "--x\r\nno header\r\n\r\n--x--\r\n")

# What each is refused for: (method, query, Content-Type, body), the status of HTTP and info.
REFUSED = {
    "a broken escape in the body": (("POST", "func=search", FORM, "q=%"), 200, "MALFORMED REQUEST"),
    "an empty name in the body": (("POST", "func=search", FORM, "=1"), 200, "MALFORMED REQUEST"),
    "broken parts": (("POST", "func=search", *BROKEN_PARTS), 200, "MALFORMED REQUEST"),
    "twice in the query": (("GET", "func=search&q=a&q=b", None, None), 200, "DUPLICATE PARAMETER: q"),
    "twice the same func": (("GET", "func=search&func=search", None, None), 200, "DUPLICATE PARAMETER: func"),
    "in both": (("POST", "func=search&q=a", FORM, "q=b"), 200, "DUPLICATE PARAMETER: q"),
    "the form in both": (("POST", "func=search", FORM, "responseFormat=XML"), 200, "DUPLICATE PARAMETER: responseFormat"),
    "no text": (("GET", "func=search&q=%FF", None, None), 200, "INVALID PARAMETER: q"),
    "no text in the body": (("POST", "func=search", FORM, "q=%FF"), 200, "INVALID PARAMETER: q"),
    "an unknown method": (("PUT", "func=search", None, None), 405, "METHOD NOT ALLOWED"),
    "another method": (("GET", "func=login", None, None), 405, "METHOD NOT ALLOWED"),
    "another media type": (("POST", "func=search", "text/plain", "q=a"), 415, "UNSUPPORTED MEDIA TYPE"),
    "a file": (("POST", "func=search", "image/png", "q=a"), 415, "UNSUPPORTED MEDIA TYPE"),
    "a large body": (("POST", "func=search", FORM, "q=" + "a" * MIB), 413, "REQUEST TOO LARGE"),
    "many parameters": (("GET", "func=search&" + "&".join(f"p{n}=" for n in range(80)), None, None), 413, "REQUEST TOO LARGE"),
    "many parameters in the body": (("POST", "func=search", FORM, "&".join(f"p{n}=" for n in range(80))), 413, "REQUEST TOO LARGE"),
    "no func": (("GET", "q=a", None, None), 200, "MISSING PARAMETER: func"),
    "an unknown func": (("GET", "func=x", None, None), 200, "UNKNOWN FUNC"),
    "a parameter": (("GET", "func=search", None, None), 200, "MISSING PARAMETER: q"),
}
# Query strings that name no form, of whatever they are refused for.
NONE = ["responseFormat=YAML", "responseFormat=json", "responseFormat=", "responseFormat=JSON&responseFormat=XML",
        "responseFormat=JSON&a=%", "%4&responseFormat=JSON", "=1&responseFormat=JSON", "%FF=1&responseFormat=JSON", "a=1"]


def send(service, method, query, content_type, body):
    return service.request(method, query, body, [("Content-Type", content_type)] if content_type else [])


def info_of(answer, content_type):
    assert answer.header("Content-Type").replace("UTF", "utf") == content_type
    assert answer.header("Cache-Control") == "no-store"
    if content_type == XML:
        return answer.info
    refusal = json.loads(answer.body)
    assert list(refusal) == ["status", "info"] and refusal["status"] == "FAILED"
    return refusal["info"]


@pytest.mark.parametrize("place", ["behind", "before"])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("what", REFUSED)
def test_a_refusal_comes_in_the_form_of_the_query(service, what, form, place):
    (method, query, content_type, body), http_status, info = REFUSED[what]
    named = f"responseFormat={form}"
    query = f"{query}&{named}" if place == "behind" else f"{named}&{query}"
    answer = send(service, method, query, content_type, body)
    # What reads feeds looks at the status of HTTP alone. A form that the operation has not is refused itself.
    if form in ("GeoJSON", "Atom") and "func=login" in query:
        http_status, info, form = 200, "INVALID PARAMETER: responseFormat", "XML"
    assert answer.http_status == (400 if form == "Atom" and http_status == 200 else http_status)
    assert info_of(answer, FORMS[form]) == info


@pytest.mark.parametrize("query", NONE)
@pytest.mark.parametrize("what", [what for what in REFUSED if what != "no text"])  # which says the form all the same
def test_without_a_form_it_is_xml(service, what, query):
    (method, asked, content_type, body), _, _ = REFUSED[what]
    assert info_of(send(service, method, f"{asked}&{query}", content_type, body), XML) is not None


def test_a_body_that_the_web_server_kept_back(service):
    kept = {"REQUEST_METHOD": "POST", "CONTENT_TYPE": FORM, "CONTENT_LENGTH": str(30 * MIB), "MAPDIARY_TOO_LARGE": "on"}
    for form, content_type in FORMS.items():
        answer = service.fastcgi(QUERY_STRING=f"func=search&responseFormat={form}", **kept)
        assert (answer.http_status, info_of(answer, content_type)) == (413, "REQUEST TOO LARGE")


def test_too_many_writes(start_service, new_user):
    service, user = start_service(workers=1, writes_per_minute=1), new_user()
    body = http_client.encode({"func": "addAlbum"} | ALBUM)
    answers = [service.request("POST", "responseFormat=JSON", body, [("Cookie", user.cookie)]) for _ in range(2)]
    assert json.loads(answers[0].body)["status"] == "SUCCESS"
    assert (answers[1].http_status, info_of(answers[1], JSON)) == (429, "TOO MANY ATTEMPTS")


def test_a_database_that_is_away(start_service, postgres):
    service = start_service(workers=1)
    postgres.run("ALTER ROLE mapdiary NOLOGIN")
    try:
        postgres.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'mapdiary'")
        for form in "JSON", "GeoJSON":
            answer = service.request(query=f"func=search&q=a&responseFormat={form}")
            assert (answer.http_status, info_of(answer, JSON)) == (503, "SERVICE UNAVAILABLE")
    finally:
        postgres.run("ALTER ROLE mapdiary LOGIN")
