"""getPOI and getCategoryPOIList. No operation writes a POI, so the database's owner does."""

import pytest

from samples import LONG_AGO, LONG_AGO_ELEMENTS, date_elements, insert_comments, insert_poi_photos, numbered, today


def insert_poi(db, owner, **columns):
    return db.insert("poi", **{"owner_id": owner.id, "title": "九份 <&>", "slot": 17, "lat": "25.109", "lng": "121.8450"} | columns)


@pytest.mark.parametrize("category", range(1, 6))
def test_read(service, db, alice, category):
    poi = insert_poi(db, alice, slot=16 + category, score=42)
    assert service.ok("getPOI", POIID=poi).result == [
        ("name", "九份 <&>"),
        ("category", str(category)),
        ("Location", [("lat", "25.109"), ("lng", "121.8450")]),
        ("ownerName", alice.name),
        ("ownerIcon", alice.icon),
        ("updateDate", date_elements(today())),
        ("score", "42"),
    ]


@pytest.mark.parametrize("photos", [0, 1, 3])
@pytest.mark.parametrize("comments", [0, 1, 3])
def test_lists(service, db, alice, bob, photos, comments):
    poi = insert_poi(db, bob)
    lists = [("photos", insert_poi_photos(db, poi, photos)), ("comments", insert_comments(db, "poi", poi, alice, comments))]
    got = service.ok("getPOI", POIID=poi)
    assert got["ownerIcon"] == ""
    assert got.result[7:] == [(name, items) for name, items in lists if items]


@pytest.mark.parametrize("change", [
    "INSERT INTO photo (kind, number, position, address) VALUES (1, %s, 9, 'https://example.org/9')",
    "UPDATE photo SET description = 'new' WHERE kind = 1 AND number = %s",
    "DELETE FROM photo WHERE kind = 1 AND number = %s",
])
def test_update_date_follows_the_photos(service, db, poi, change):
    insert_poi_photos(db, poi, 2)
    db.run("UPDATE poi SET updated_at = %s WHERE number = %s", LONG_AGO, poi)
    assert service.ok("getPOI", POIID=poi)["updateDate"] == LONG_AGO_ELEMENTS
    db.run(change, poi)
    assert service.ok("getPOI", POIID=poi)["updateDate"] == date_elements(today())


@pytest.mark.parametrize("count", [0, 1, 3])
@pytest.mark.parametrize("category", range(1, 6))
def test_list_of_a_category(service, db, alice, bob, category, count):
    db.run("DELETE FROM poi")
    others = [number for number in range(1, 6) if number != category]
    want = []
    for number in range(count):
        name = f'{number} "景點"'
        want.append([("POIID", str(insert_poi(db, alice, slot=16 + category, title=name))), ("name", name)])
        insert_poi(db, bob, slot=16 + others[number])
    got = service.ok("getCategoryPOIList", category=category)
    assert got.result == [("POIList", numbered("POI", want))]


def test_list_is_ordered_by_identifier(service, db, alice):
    db.run("DELETE FROM poi")
    for poi in 7_000_000_002, 7_000_000_010, 7_000_000_001:
        insert_poi(db, alice, number=poi, slot=19)
    got = service.ok("getCategoryPOIList", category=3)
    assert [dict(item)["POIID"] for _, item in got["POIList"]] == ["7000000001", "7000000002", "7000000010"]


def test_a_list_in_pages(service, db, alice):
    db.run("DELETE FROM poi")
    want = [str(insert_poi(db, alice, slot=19)) for _ in range(5)]
    got, after = [], {}
    for count in 2, 2, 1:
        page = service.ok("getCategoryPOIList", category=3, limit=2, **after)
        got += [dict(item)["POIID"] for _, item in page["POIList"]]
        assert len(page["POIList"]) == count and page.names == ["POIList", "next"][:count]
        after = {"after": page["next"]} if count == 2 else after
    assert got == want
    assert service.call("getCategoryPOIList", category=2, **after).info == "INVALID PARAMETER: after"
    db.run("DELETE FROM poi WHERE number >= %s", want[4])
    empty = service.ok("getCategoryPOIList", category=3, **after)
    assert empty.result == [("POIList", "")] or empty.result == [("POIList", [])]
