"""The order of what a search finds, and the beginnings of words."""

import pytest

from removal import removed
from test_finding import ALBUM, blog, found, names, pages, read


@pytest.fixture(autouse=True)
def alone(db):
    with removed(db):
        yield


def titled(service, alice, *titles):
    """Pieces of these titles, the newest last; their titles by piece."""
    return {blog(service, alice, title): title for title in titles}


def titles_found(service, pieces, q, **params):
    return [pieces[piece] for piece in found(service, q, limit=100, **params) if piece in pieces]


@pytest.mark.uncounted
def test_the_title_that_is_asked_for_comes_first(service, db, alice):
    pieces = titled(service, alice, "London", "Londonderry road", "East London", "London Bridge", "Not London")
    pieces[blog(service, alice, "x", "a day in london")] = "x"
    for _ in range(2):
        assert titles_found(service, pieces, "london") == ["London", "London Bridge", "Londonderry road", "Not London", "East London", "x"]
        assert titles_found(service, pieces, "LONDON ") == ["London", "London Bridge", "Not London", "East London", "x"]
        db.wait_for_words()
    shown = pages(service, "search", 100, q="london")
    for size in 1, 2, 4:
        assert pages(service, "search", size, q="london") == shown


@pytest.mark.uncounted
def test_beginnings(service, db, alice):
    pieces = titled(service, alice, "New York", "Newport", "L’Aquila", "台北Tower", "yes no", "Montgomeryshire", "दिल्ली")
    comment = blog(service, alice, "x", "newspaper")
    for _ in range(2):
        for q, wanted in [
            ("new yor", ["New York"]), ("ne", ["Newport", "New York"]), ("n", []), ("new yor ", []), ("ew", []), ("newsp", []),
            ("laq", ["L’Aquila"]), ("l'aq", ["L’Aquila"]), ("aq", ["L’Aquila"]), ("台北to", ["台北Tower"]), ("北tow", ["台北Tower"]),
            ("montgome", ["Montgomeryshire"]), ("montgomer", []), ("montgomeryshire", ["Montgomeryshire"]),
            ("दि", ["दिल्ली"]), ("दिल्", ["दिल्ली"]),
        ]:
            assert titles_found(service, pieces, q) == wanted, q
        db.wait_for_words()
    assert found(service, "newspaper") == [comment]


@pytest.mark.uncounted
def test_the_better_score_then_the_newer(service, db, alice):
    pieces = titled(service, alice, "narwhal one", "narwhal two", "narwhal three", "narwhal four")
    first, second = list(pieces)[0][1], list(pieces)[1][1]
    db.wait_for_words()
    db.run("UPDATE blog SET score = 5 WHERE number = %s", first)
    db.run("UPDATE blog SET score = 7 WHERE number = %s", second)
    wanted = ["narwhal two", "narwhal one", "narwhal four", "narwhal three"]
    assert titles_found(service, pieces, "narwhal") == wanted
    numbers = {title: number for (_, number), title in pieces.items()}
    assert [place["blogID"] for place in pages(service, "search", 1, q="narwhal")] == [numbers[title] for title in wanted]


@pytest.mark.uncounted
def test_a_title_is_found_whatever_its_age(service, db, alice):
    """Before more than the newest thousand with the word."""
    old = blog(service, alice, "Quokka")
    db.run("INSERT INTO blog (owner_id, slot, lat, lng, title, content, post_date, public_day, weather)"
           " SELECT %s, 22, 25, 121, 'quokka no ' || n, 'x', '2020-01-01', '2020-01-01', '晴空萬里'"
           " FROM generate_series(1, 1100) AS n", alice.id)
    db.wait_for_words()
    got = pages(service, "search", 100, q="quokka")
    assert (got[0]["blogID"], len(got)) == (old[1], 1001)


@pytest.mark.uncounted
def test_a_hundred_titles_at_most(service, db, alice, bob):
    """The newest, as their reader sees them: what is private changes nothing."""
    numbers = db.column(
        "INSERT INTO album (owner_id, title, slot, lat, lng, visibility)"
        " SELECT %s, 'Cormorant', 1, 25, 121, CASE WHEN n <= 120 THEN 'public' ELSE 'private' END::visibility"
        " FROM generate_series(1, 240) AS n ORDER BY n RETURNING number", alice.id)
    db.wait_for_words()
    assert len(pages(service, "search", 50, q="cormorant")) == 120
    hers = pages(service, "search", 50, user=alice, q="cormorant")
    assert len(hers) == 240 and ALBUM["albumTitle"] not in [place["title"] for place in hers]
    assert names(read(service, "search", q="cormorant", limit=5)) == [("album", number) for number in numbers[119:114:-1]]
