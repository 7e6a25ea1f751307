"""The parameters of every operation: absent, empty, twice; every value that is enumerated, numbers, ranges, dates."""

import pytest

import http_client
from samples import ALBUM, BLOG, OPERATIONS, TYPES, WEATHERS

EACH = [(row, name) for row, operation in OPERATIONS.items() for name in operation.params]
REQUIRED = [(row, name) for row, operation in OPERATIONS.items() for name in operation.required]

# What may be said with an empty text.
MAY_BE_EMPTY = [("addPhoto", "description"), ("updatePhoto", "description"), ("updatePhoto", "cover"), ("updateUser", "icon")]

LEAST_MOST = {
    ("addAlbum", "category"): (1, 16), ("updateAlbum", "category"): (1, 16), ("getCategoryPOIList", "category"): (1, 5),
    "year": (1, 9999), "month": (1, 12), "day": (1, 31), "zoomLevel": (0, 21), "mapType": (1, 3),
    "limit": (1, 500), "choice": (1, 32767),
} | {name: (1, 2**63 - 1) for name in ("albumID", "userID", "POIID", "blogID", "replyBlogID", "photoID", "position", "commentID")}
INTEGERS = [(row, name, *LEAST_MOST.get(name, LEAST_MOST.get((row, name), (0, 0))))
            for row, name in EACH if name in LEAST_MOST or (row, name) in LEAST_MOST]
NOT_INTEGERS = """+1 1.0 1. .1 1e0 1E1 0x1 1,0 1_0 --1 - NaN nan inf Infinity one 0b1 １ ١ ² 1; 99999999999999999999
    18446744073709551617""".split() + [" 1", "1 ", "1\t", "1\n", "\u00a01", "1 1"]
COORDINATES = [(row, name, most) for row in ("addAlbum", "updateAlbum", "postBlog", "updateBlog")
               for name, most in (("lat", 90), ("lng", 180))]
NOT_COORDINATES = """+1 1. .1 . - -. 1e1 1E1 1e-1 0x1 0x1p1 NaN nan -nan inf -inf Infinity 1,5 1.2.3 --1 -+1 1- １.５ 1;
    1° 1N""".split() + [" 1", "1 ", "1\n", "- 1", "1 .5", "0." + 31 * "1"]
NOT_TYPES = ["0_9", "0_", "0_10", "0_00", "1_0", "00_0", "0-0", "0", "love", " 0_0", "0_0 ", "０_０", "0_0\n", "-0_1"]
NOT_WEATHERS = ["晴空万里", "晴空萬", "晴空萬里 ", " 晴空萬里", "晴空萬里有彩虹", "sunny", "0", "有彩虹\n", "晴"]


def carry_out(service, user, row, things, **changed):
    operation = OPERATIONS[row]
    user = user if operation.login else None
    return service.call(operation.func, user=user, **operation.filled(things) | changed)


@pytest.fixture
def refuse(service, db, alice, things):
    """Asserts that an operation refuses each of the values of a parameter, and that nothing is stored."""

    def refuse(row, name, *values):
        with db.unchanged():
            for value in values:
                answer = carry_out(service, alice, row, things, **{name: value})
                assert (answer.http_status, answer.info) == (200, f"INVALID PARAMETER: {name}"), str(value)[:99]

    return refuse


@pytest.mark.parametrize("row, name", REQUIRED)
def test_missing(service, db, alice, things, row, name):
    operation = OPERATIONS[row]
    params = operation.filled(things)
    del params[name]
    with db.unchanged():
        answer = service.call(operation.func, user=alice if operation.login else None, **params)
        assert answer.info == f"MISSING PARAMETER: {name}"


@pytest.mark.parametrize("row", OPERATIONS)
def test_the_first_at_fault_is_named(service, alice, things, row):
    """In the order of the table."""
    operation = OPERATIONS[row]
    params = {name: "" for name in operation.params} | ({"delete": "true"} if operation.delete else {})
    for name in operation.params:
        if (row, name) in MAY_BE_EMPTY:
            continue
        answer = service.call(operation.func, user=alice if operation.login else None, **params)
        assert answer.info == f"INVALID PARAMETER: {name}"
        params[name] = operation.filled(things)[name]


@pytest.mark.parametrize("row, name", [each for each in EACH if each not in MAY_BE_EMPTY])
def test_empty_is_not_absent(refuse, row, name):
    refuse(row, name, "")


@pytest.mark.parametrize("row, name", EACH)
def test_duplicate(service, db, alice, things, row, name):
    operation = OPERATIONS[row]
    params = operation.filled(things)
    # With "delete" and the like among them: a form is a sequence of pairs.
    form = [("func", operation.func), *params.items(), (name, params[name])]
    with db.unchanged():
        body, content_type = http_client.body_of(form)
        headers = [("Cookie", alice.cookie), ("Content-Type", content_type)]
        answer = service.request("POST", body=body, headers=headers)
        assert (answer.http_status, answer.info) == (200, f"DUPLICATE PARAMETER: {name}")


@pytest.mark.parametrize("name", ["func", "delete", "responseFormat", "unheard-of", "<&>"])
@pytest.mark.parametrize("values", [("x", "x"), ("x", "y"), ("", "")])
def test_any_name_may_stand_once(service, name, values):
    form = [("func", "getAlbum"), ("albumID", 1)] if name != "func" else []
    answer = service.request("POST", body=http_client.encode([*form, *((name, value) for value in values)]))
    assert answer.info == f"DUPLICATE PARAMETER: {name}"


# Numbers.


@pytest.mark.parametrize("row, name, least, most", INTEGERS)
def test_neighbours_of_a_range_are_refused(refuse, row, name, least, most):
    refuse(row, name, least - 1, most + 1, -most, least - 2**32, most + 2**32, most + 2**64, least - 2**64)


@pytest.mark.parametrize("row, name, least, most", INTEGERS)
def test_only_plain_integers(refuse, row, name, least, most):
    refuse(row, name, *NOT_INTEGERS)


@pytest.mark.parametrize("category", range(1, 17))
def test_album_categories(service, alice, things, category):
    for row in "addAlbum", "updateAlbum":
        answer = carry_out(service, alice, row, things, category=category)
        album = answer["albumID"] if row == "addAlbum" else things["album"]
        assert service.ok("getAlbum", albumID=album)["category"] == str(category)


BLOG_VALUES = {
    "type": TYPES, "weather": WEATHERS, "zoomLevel": range(22), "mapType": range(1, 4),
}


@pytest.mark.parametrize("row", ["postBlog", "updateBlog"])
@pytest.mark.parametrize("name", BLOG_VALUES)
def test_every_value_of_a_blog(service, alice, things, row, name):
    for value in BLOG_VALUES[name]:
        answer = carry_out(service, alice, row, things, **{name: value})
        blog = answer["blogID"] if row == "postBlog" else things["blog"]
        assert service.ok("getBlog", blogID=blog)[name] == str(value)


@pytest.mark.parametrize("category", range(1, 6))
def test_poi_categories(service, category):
    assert service.ok("getCategoryPOIList", category=category).names == ["POIList"]


@pytest.mark.parametrize("row", ["postBlog", "updateBlog"])
def test_other_values_of_a_blog_are_refused(refuse, row):
    refuse(row, "type", *NOT_TYPES)
    refuse(row, "weather", *NOT_WEATHERS)


def test_integers_may_have_leading_zeros(service, alice, things):
    changed = {"category": "0016"}
    album = service.ok("addAlbum", user=alice, **ALBUM | changed)["albumID"]
    assert service.ok("getAlbum", albumID="000" + album)["category"] == "16"
    blog = service.ok("postBlog", user=alice, **BLOG, zoomLevel="021", mapType="03", replyBlogID=f"0{things['quoted']}")
    got = service.ok("getBlog", blogID="0" * 30 + blog["blogID"])
    assert (got["zoomLevel"], got["mapType"], got["replyBlogID"]) == ("21", "3", str(things["quoted"]))


@pytest.mark.parametrize("row", ["getAlbum", "getPOI", "getBlog", "getUserAlbumList"])
def test_the_largest_identifier_is_one(service, row):
    name = next(iter(OPERATIONS[row].params))
    assert service.call(OPERATIONS[row].func, **{name: 2**63 - 1}).info.endswith(" NOT FOUND")


# Coordinates.


@pytest.mark.parametrize("row, name, most", COORDINATES)
def test_only_plain_decimals(refuse, row, name, most):
    refuse(row, name, *NOT_COORDINATES)


@pytest.mark.parametrize("row, name, most", COORDINATES)
def test_coordinates_beyond_the_range(refuse, row, name, most):
    refuse(row, name, *(sign + str(most) + more for sign in ("", "-") for more in (".1", ".00000000000000001", ".01", "0")),
           most + 1, -most - 1, most + 2**32, most + 2**64, "9" * 32)


def read_back(name, most):
    yield from ("0", "1", "-1", "0.0", "10.10", "1.50", "-0.5", f"{most}", f"-{most}", f"{most}.000", f"-{most}.0")
    yield from (f"{most - 1}.999999999999", f"-{most - 1}.999999999999", "0.000000000000001", "-1.00000000000000")
    yield from ("12.3456789012345", "-12.3456789012345", "1.23456789012345", "0.100000000000000")
    if name == "lng":
        yield from ("123.456789012345", "-179.999999999999")


@pytest.mark.parametrize("row, name, most", COORDINATES)
def test_coordinates_read_back_as_they_were_sent(service, alice, things, row, name, most):
    kind = "album" if "Album" in row else "blog"
    for value in read_back(name, most):
        answer = carry_out(service, alice, row, things, **{name: value})
        made = answer.result[0][1] if answer.result else things[kind]
        got = service.ok(f"get{kind.title()}", **{f"{kind}ID": made})
        assert got[f"Location/{name}"] == value


# Dates.


@pytest.mark.parametrize("row", ["postBlog", "updateBlog"])
@pytest.mark.parametrize("date", ["1-1-1", "9-9-9", "0001-01-01", "99-12-31", "2000-2-29", "2024-02-29", "1600-2-29",
                                  "2023-2-28", "1999-09-08", "2001-4-30", "2001-12-31", "0002024-0002-00029"])
def test_dates(service, alice, things, row, date):
    year, month, day = date.split("-")
    answer = carry_out(service, alice, row, things, year=year, month=month, day=day)
    blog = answer["blogID"] if row == "postBlog" else things["blog"]
    got = service.ok("getBlog", user=alice, blogID=blog)["postDate"]
    assert got == [("year", str(int(year))), ("month", f"{int(month):02}"), ("day", f"{int(day):02}")]


def test_the_last_date(service, alice):
    """It is in the future, so its author alone reads it."""
    blog = service.ok("postBlog", user=alice, **BLOG | {"year": 9999, "month": 12, "day": 31})["blogID"]
    assert service.ok("getBlog", user=alice, blogID=blog)["postDate"] == [("year", "9999"), ("month", "12"), ("day", "31")]


@pytest.mark.parametrize("row", ["postBlog", "updateBlog"])
def test_dates_that_no_calendar_has(service, db, alice, things, row):
    with db.unchanged():
        for date in ("2023-2-29 1900-2-29 2100-2-29 2024-2-30 2024-2-31 2024-4-31 2024-6-31 2024-9-31 2024-11-31"
                     " 1-2-29 9999-2-29").split():
            params = dict(zip(("year", "month", "day"), date.split("-")))
            assert carry_out(service, alice, row, things, **params).info == "INVALID PARAMETER: day", date


# Lengths, in characters.


LENGTHS = [("addAlbum", "albumTitle", 255), ("updateAlbum", "albumTitle", 255), ("postBlog", "blogTitle", 255),
           ("updateBlog", "blogTitle", 255), ("postBlog", "userCategory", 255), ("updateBlog", "userCategory", 255),
           ("postBlog", "blogContent", 100_000), ("updateBlog", "blogContent", 100_000)]


@pytest.mark.parametrize("row, name, most", LENGTHS)
@pytest.mark.parametrize("character", ["a", "é", "圖"])
def test_longest_text(service, alice, things, row, name, most, character):
    kind = "album" if "Album" in row else "blog"
    for length in 1, most:
        answer = carry_out(service, alice, row, things, **{name: length * character})
        made = answer.result[0][1] if answer.result else things[kind]
        assert service.ok(f"get{kind.title()}", **{f"{kind}ID": made})[name] == length * character


@pytest.mark.parametrize("row, name, most", LENGTHS)
@pytest.mark.parametrize("character", ["a", "圖"])
def test_longer_text_is_refused(refuse, row, name, most, character):
    refuse(row, name, (most + 1) * character)


@pytest.mark.parametrize("most, info", [(100_000, None), (100_001, "INVALID PARAMETER: blogContent")])
def test_characters_count_and_not_bytes(service, alice, most, info):
    """Each of these is four bytes, which fit into a request that does not write them as twelve."""
    form = http_client.encode({"func": "postBlog"} | BLOG | {"blogContent": "#"}).replace("%23", most * "🗺")
    answer = service.request("POST", body=form, headers=[("Cookie", alice.cookie)])
    assert answer.info == info
    if info is None:
        assert service.ok("getBlog", blogID=answer["blogID"])["blogContent"] == most * "🗺"


@pytest.mark.parametrize("row, name", [(row, name) for row, name, most in LENGTHS if most == 255]
                         + [("login", "email"), ("login", "password")])
def test_titles_and_names_are_one_line(refuse, row, name):
    refuse(row, name, "a\nb", "a\rb", "a\r\nb", "\n", "a\n")
