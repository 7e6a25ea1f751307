"""What somebody may have meant, if a search finds nothing."""

import pytest

from removal import removed
from service import Service
from test_finding import ALBUM, blog, read


def suggested(service, q, **params):
    got = read(service, "search", q=q, **params)
    assert not ("suggestion" in got and got["placeList"])
    return got.get("suggestion")


@pytest.fixture(scope="module")
def titles(service, db, alice):
    with removed(db):
        for title in ("Taipei by night", "Los Angeles", "N’Djamena nights", "Москва весной", "दिल्ली में बारिश", "A walk to the café",
                      "台北 Harbour"):
            blog(service, alice, title, "a lighthouse")
        db.wait_for_words()
        yield


@pytest.mark.uncounted
@pytest.mark.parametrize("q, wanted", [
    ("Tapei", "taipei"), ("los angelos", "los angeles"), ("ndjamenna", "ndjamena"), ("n'djamenna", "ndjamena"), ("wlak", "walk"),
    ("моксва", "москва"), ("दिलली", "दिल्ली"),
    ("taipei nigth", "taipei night"), ("lighthouse angelis", "lighthouse angeles"), ("台北 harbuor", "台北 harbour"), ("tapei angelos", None),
    ("zzzzzz", None), ("20245", None), ("taipei", None), ("taip", None), ("!", None), ("台", None), ("台南", None), ("tapei 台南", None),
])
def test_the_nearest_words(service, titles, q, wanted):
    assert suggested(service, q) == wanted
    if wanted:
        assert read(service, "search", q=wanted)["placeList"]


@pytest.mark.uncounted
def test_forms_of_answers(service, titles):
    xml = service.call("search", q="tapei").body.decode()
    assert "<placeList/><suggestion>taipei</suggestion></response>" in xml.replace("<placeList></placeList>", "<placeList/>")
    for form in "GeoJSON", "Atom":
        assert b"taipei" not in service.call("search", q="tapei", responseFormat=form).body.lower()


@pytest.mark.uncounted
def test_a_suggestion_finds_something_for_its_reader(service, db, alice, titles):
    mine = "album", int(service.ok("addAlbum", user=alice, **ALBUM | {"albumTitle": "Zanzibar", "visibility": "private"})["albumID"])
    db.wait_for_words()
    assert suggested(service, "zanzibra") is None
    assert suggested(service, "zanzibra", user=alice) == "zanzibar"
    assert suggested(service, "zanzibra", user=alice, kind="blog") is None
    service.ok("updateAlbum", user=alice, albumID=mine[1], **ALBUM | {"albumTitle": "Another", "visibility": "private"})
    db.wait_for_words()
    assert suggested(service, "zanzibra", user=alice) is None
    assert db.value("SELECT EXISTS (SELECT FROM title_word WHERE word = 'zanzibar')")
    assert service.ctl("recount").returncode == 0
    assert not db.value("SELECT EXISTS (SELECT FROM title_word WHERE word = 'zanzibar')")
    db.wait_for_words()
    assert suggested(service, "tapei") == "taipei"


@pytest.mark.uncounted
def test_the_longest_query(service, titles):
    for q in " ".join(["tapei"] * 16), " ".join(f"word{chr(97 + n)}" for n in range(16)), "x" * 100, "a'" * 50:
        assert suggested(service, q) is None or q.startswith("tapei")


def test_the_extension_may_be_elsewhere(folder, postgres):
    """An operator has it in a schema of his own already."""
    postgres.create_database("elsewhere")
    with postgres.connect("postgres", "elsewhere") as connection, connection.cursor() as cursor:
        cursor.execute("CREATE SCHEMA \"Others\"; CREATE EXTENSION pg_trgm SCHEMA \"Others\"; GRANT USAGE ON SCHEMA \"Others\" TO PUBLIC")
        connection.commit()
    service = Service(folder, postgres, database="elsewhere")
    ran = service.ctl("migrate")
    assert ran.returncode == 0, ran.stderr
    with postgres.connect("mapdiary_owner", "elsewhere") as connection, connection.cursor() as cursor:
        cursor.execute("SET search_path = mapdiary; INSERT INTO mapdiary_closed.title_word VALUES ('taipei'); SELECT near_words('tapei')")
        assert cursor.fetchall() == [("taipei",)]
