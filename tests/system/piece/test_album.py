"""addAlbum, updateAlbum, getAlbum, getUserAlbumList."""

import pytest

from samples import (ALBUM, FIRST_ZONE, LAST_ZONE, LONG_AGO, LONG_AGO_ELEMENTS, date_elements, insert_comments,
                     insert_photos, numbered, today)

OTHER = {"albumTitle": "Other & <more>", "category": 16, "lat": "-1.50", "lng": "-179.9"}


def test_add_then_read(service, alice):
    added = service.ok("addAlbum", user=alice, **ALBUM)
    assert added.names == ["albumID"]
    assert service.ok("getAlbum", albumID=added["albumID"]).result == [
        ("albumTitle", ALBUM["albumTitle"]),
        ("cover", ""),
        ("category", "5"),
        ("Location", [("lat", ALBUM["lat"]), ("lng", ALBUM["lng"])]),
        ("ownerName", alice.name),
        ("ownerIcon", alice.icon),
        ("updateDate", date_elements(today())),
        ("score", "0"),
    ]


@pytest.mark.parametrize("photos", [0, 1, 3])
@pytest.mark.parametrize("comments", [0, 1, 3])
def test_lists(service, db, album, bob, photos, comments):
    lists = [("photos", insert_photos(db, album, photos)), ("comments", insert_comments(db, "album", album, bob, comments))]
    got = service.ok("getAlbum", albumID=album)
    assert got.result[8:] == [(name, items) for name, items in lists if items]


def test_cover_is_the_identifier_of_a_photo(service, db, album):
    insert_photos(db, album, 3)
    second = db.value("SELECT photo_id FROM photo WHERE kind = 0 AND number = %s AND position = 2", album)
    db.run("UPDATE album SET cover_photo_id = %s, score = -12 WHERE number = %s", second, album)
    got = service.ok("getAlbum", albumID=album)
    assert (got["cover"], got["score"]) == (str(second), "-12")
    assert got["photos/photo2/photoID"] == str(second)


def test_cover_goes_with_its_photo(service, db, album):
    insert_photos(db, album, 1)
    db.run("UPDATE album a SET cover_photo_id = photo_id FROM photo p WHERE p.kind = 0 AND p.number = a.number AND a.number = %s", album)
    assert service.ok("getAlbum", albumID=album)["cover"] != ""
    db.run("DELETE FROM photo WHERE kind = 0 AND number = %s", album)
    got = service.ok("getAlbum", albumID=album)
    assert got["cover"] == "" and "photos" not in got.names


def test_owner_without_icon(service, bob):
    album = service.ok("addAlbum", user=bob, **ALBUM)["albumID"]
    assert service.ok("getAlbum", albumID=album)["ownerIcon"] == ""


def test_update(service, alice, album):
    assert service.ok("updateAlbum", user=alice, albumID=album, **OTHER).result == []
    got = service.ok("getAlbum", albumID=album)
    assert got["albumTitle"] == OTHER["albumTitle"]
    assert got["category"] == "16"
    assert got["Location"] == [("lat", "-1.50"), ("lng", "-179.9")]


CHANGES = {
    "the album": lambda service, db, alice, album: service.ok("updateAlbum", user=alice, albumID=album, **OTHER),
    "a new photo": lambda service, db, alice, album: db.insert("photo", kind=0, number=album, position=9, address="x"),
    "a photo's words": lambda service, db, alice, album: db.run(
        "UPDATE photo SET description = 'new' WHERE kind = 0 AND number = %s", album),
    "a photo taken out": lambda service, db, alice, album: db.run("DELETE FROM photo WHERE kind = 0 AND number = %s", album),
}


@pytest.mark.parametrize("change", CHANGES)
def test_update_date_is_the_day_of_the_last_change(service, db, alice, album, change):
    insert_photos(db, album, 1)
    db.run("UPDATE album SET updated_at = %s WHERE number = %s", LONG_AGO, album)
    assert service.ok("getAlbum", albumID=album)["updateDate"] == LONG_AGO_ELEMENTS
    CHANGES[change](service, db, alice, album)
    assert service.ok("getAlbum", albumID=album)["updateDate"] == date_elements(today())


@pytest.mark.parametrize("zone, day", [(FIRST_ZONE, "05"), ("UTC", "04"), (LAST_ZONE, "03")])
def test_update_date_is_a_day_of_the_services_time_zone(start_service, db, album, zone, day):
    db.run("UPDATE album SET updated_at = '2001-02-04 11:00+00' WHERE number = %s", album)
    got = start_service(timezone=zone).ok("getAlbum", albumID=album)
    assert got["updateDate/day"] == day


@pytest.mark.parametrize("value", ["True", "TRUE", "1", " true", "true ", "yes", "false", ""])
def test_only_true_deletes(service, db, alice, album, value):
    with db.unchanged():
        answer = service.call("updateAlbum", user=alice, albumID=album, delete=value)
        assert answer.info == "MISSING PARAMETER: albumTitle"
    service.ok("updateAlbum", user=alice, albumID=album, delete=value, **OTHER)
    assert service.ok("getAlbum", albumID=album)["albumTitle"] == OTHER["albumTitle"]


@pytest.mark.parametrize("others", [{}, ALBUM, {"albumTitle": "", "category": 99, "lat": "north", "lng": "1e3"}])
def test_delete_does_not_look_at_the_other_fields(service, alice, album, others):
    assert service.ok("updateAlbum", user=alice, albumID=album, delete="true", **others).result == []
    assert service.call("getAlbum", albumID=album).info == "ALBUM NOT FOUND"
    assert service.call("updateAlbum", user=alice, albumID=album, delete="true").info == "ALBUM NOT FOUND"


def test_delete_takes_photos_and_comments_along(service, db, alice, bob, album):
    def left():
        return [db.value(f"SELECT count(*) FROM {table} WHERE kind = 0 AND number = %s", album)
                for table in ("album", "photo", "comment")]

    insert_photos(db, album, 3)
    insert_comments(db, "album", album, bob, 3)
    db.run("UPDATE album SET cover_photo_id = (SELECT min(photo_id) FROM photo WHERE kind = 0 AND number = %s)"
           " WHERE number = %s", album, album)
    assert left() == [1, 3, 3]
    service.ok("updateAlbum", user=alice, albumID=album, delete="true")
    assert left() == [0, 0, 0]


@pytest.mark.parametrize("count", [0, 1, 3])
def test_list_of_a_users_albums(service, new_user, alice, count):
    user, want = new_user(), []
    for number in range(count):
        title = f"{number} <&> 冊"
        added = service.ok("addAlbum", user=user, **ALBUM | {"albumTitle": title})
        want.append([("albumID", added["albumID"]), ("albumTitle", title)])
        service.ok("addAlbum", user=alice, **ALBUM)
    got = service.ok("getUserAlbumList", userID=user.id)
    assert got.result == [("albumList", numbered("album", want))]


def test_list_is_ordered_by_identifier(service, db, new_user):
    user = new_user()
    for album in 7_000_000_002, 7_000_000_010, 7_000_000_001:
        db.insert("album", number=album, owner_id=user.id, title="t", slot=1, lat=0, lng=0)
    got = service.ok("getUserAlbumList", userID=user.id)
    assert [dict(item)["albumID"] for _, item in got["albumList"]] == ["7000000001", "7000000002", "7000000010"]


# In pages


@pytest.mark.parametrize("limit", [1, 3, 4, 500])
def test_a_list_in_pages(service, new_user, bob, limit):
    user, own, public = new_user(), [], []
    for number in range(7):
        visibility = "private" if number % 3 == 2 else "public"
        added = service.ok("addAlbum", user=user, **ALBUM | {"visibility": visibility})
        own.append(added["albumID"])
        public += [added["albumID"]] if visibility == "public" else []
    for reader, want in (user, own), (bob, public), (None, public):
        pages = list(pages_of(service, "getUserAlbumList", limit, user=reader, userID=user.id))
        assert [dict(item)["albumID"] for page in pages for _, item in page or []] == want
        assert all(len(page) == limit for page in pages[:-1])
        whole = service.ok("getUserAlbumList", user=reader, userID=user.id)
        assert [name for name, _ in whole.result] == ["albumList"]


def pages_of(service, func, limit, **params):
    after = {}
    while True:
        got = service.ok(func, limit=limit, **params, **after)
        yield got.result[0][1]
        if "next" not in got.names:
            return
        after = {"after": got["next"]}


def test_what_a_page_is_without_limit(service, db, new_user):
    user = new_user()
    for _ in range(53):
        db.insert("album", owner_id=user.id, title="t", slot=1, lat=0, lng=0)
    first = service.ok("getUserAlbumList", userID=user.id, limit=1)
    second = service.ok("getUserAlbumList", userID=user.id, after=first["next"])
    assert len(second["albumList"]) == 50 and len(service.ok("getUserAlbumList", userID=user.id)["albumList"]) == 53
    last = service.ok("getUserAlbumList", userID=user.id, after=second["next"], limit=2)
    assert len(last["albumList"]) == 2 and "next" not in last.names
    for wrong in first["next"][:-1] + "x", second["next"][::-1], "":
        assert service.call("getUserAlbumList", userID=user.id, after=wrong).info == "INVALID PARAMETER: after"
    assert service.call("getUserAlbumList", userID=new_user().id, after=first["next"]).info == "INVALID PARAMETER: after"
    for wrong in 0, 501, "x":
        assert service.call("getUserAlbumList", userID=user.id, limit=wrong).info == "INVALID PARAMETER: limit"
