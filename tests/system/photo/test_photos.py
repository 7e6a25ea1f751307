"""Photos that people upload, and icons: their rows, their order, their quota; and that a write is carried out once."""

import hashlib
import json
import secrets
import subprocess
import urllib.parse
import zipfile

import pytest

from http_client import File
from drawn import noted, picture
from pictures import photo_directory
from samples import ALBUM, KIND_OF, LONG_AGO, insert_photos, insert_poi_photos, today
from service import BUILD, ENVIRONMENT, at_once, in_background, until
from signing import new_application

NOBODYS = 1_000_000_000


@pytest.fixture(params=["album", "poi"])
def piece(request, album, poi):
    """What photos are added to, as a parameter names it."""
    return {"albumID": album} if request.param == "album" else {"POIID": poi}


def add(service, user, photo=None, **params):
    return service.call("addPhoto", user=user, photo=File(photo or picture()), **params)


def in_turn(send):
    """Few photos are handled at a time; whoever has had no turn in time has changed nothing, and sends it again."""
    return until(lambda: (answer := send()).http_status != 503 and answer, "it has its turn", 120)


def added(service, user, photo=None, **params):
    answer = add(service, user, photo, **params)
    assert answer.info is None, answer.info
    return int(answer["photoID"])


def photos_of(service, piece, user=None):
    """The photos as the published reads show them, each a dictionary."""
    func = "getAlbum" if "albumID" in piece else "getPOI"
    answer = service.ok(func, user=user, **piece)
    return [dict(item) for _, item in answer["photos"]] if "photos" in answer.names else []


def shown(service, photo, user=None):
    return service.ok("getPhoto", user=user, photoID=photo)


def order(db, piece):
    name, number = next(iter(piece.items()))
    return db.column("SELECT photo_id FROM photo WHERE kind = %s AND number = %s ORDER BY position", KIND_OF[name], number)


def path_of(service, address):
    """The path of an address of this service's; it has to be absolute."""
    url = str(service.settings.get("public_url", "http://localhost")).rstrip("/")
    assert address.startswith(url + "/photos/")
    return address[len(url):]


# What they answer


def test_what_is_added_is_shown(service, db, alice, piece):
    sent = picture(3000, 1500)
    answer = add(service, alice, sent, description="第 <一> 張\r\n二行", **piece)
    photo = int(answer["photoID"])
    assert answer.names == ["photoID", "thumbnail", "photoPath", "width", "height"]
    assert (answer["width"], answer["height"]) == ("2048", "1024")
    got = shown(service, photo)
    assert {name: got[name] for name in answer.names} == {name: answer[name] for name in answer.names}
    named = "albumID" if "albumID" in piece else "POIID"
    assert got.names == ["photoID", named, "thumbnail", "photoPath", "width", "height", "description", "ownerID", "ownerName",
                         "ownerIcon"]
    assert (got[named], got["ownerID"], got["ownerName"], got["ownerIcon"]) == (
        str(piece[named]), str(alice.id), alice.name, alice.icon)
    assert got["description"] == "第 <一> 張\r\n二行"
    published, = photos_of(service, piece)
    if "albumID" in piece:
        assert published == {"photoID": str(photo), "thumbnail": got["thumbnail"], "description": got["description"]}
    else:
        assert published == {"photoPath": got["photoPath"], "description": got["description"]}
    row = db.run("SELECT encode(original_sha256, 'hex'), original_bytes, width, height FROM photo WHERE photo_id = %s", photo)
    assert row == [(hashlib.sha256(sent).hexdigest(), len(sent), 2048, 1024)]


def test_addresses(service, db, alice, album, poi):
    for number, letter in (album, "a"), (poi, "p"):
        for options, ending in ({}, "jpg"), ({"kind": "PNG", "mode": "RGBA"}, "webp"):
            answer = add(service, alice, picture(**options), **{"albumID" if letter == "a" else "POIID": number})
            name = db.value("SELECT encode(name, 'hex') FROM photo WHERE photo_id = %s", answer["photoID"])
            assert path_of(service, answer["thumbnail"]) == f"/photos/{letter}{number}/{name}/small.{ending}"
            assert path_of(service, answer["photoPath"]) == f"/photos/{letter}{number}/{name}/large.{ending}"


def test_equal_bytes_have_names_of_their_own(service, db, alice, album):
    sent = picture()
    one, other = (shown(service, added(service, alice, sent, albumID=album)) for _ in range(2))
    assert one["thumbnail"] != other["thumbnail"]
    assert db.value("SELECT count(DISTINCT original_sha256) FROM photo WHERE kind = 0 AND number = %s", album) == 1


def test_the_files_are_there(service, db, alice, album):
    sent = picture(1000, 1000)
    photo = added(service, alice, sent, albumID=album)
    digests = db.run("SELECT encode(original_sha256, 'hex'), encode(large_sha256, 'hex'), encode(small_sha256, 'hex')"
                     " FROM photo WHERE photo_id = %s", photo)[0]
    for room, digest in zip(["originals", "pictures", "pictures"], digests):
        content = (service.settings["photo_directory"] / room / digest[:2] / digest).read_bytes()
        assert hashlib.sha256(content).hexdigest() == digest
    assert digests[0] == hashlib.sha256(sent).hexdigest()


def test_photos_by_address(service, db, alice, album, poi):
    insert_photos(db, album, 1)
    insert_poi_photos(db, poi, 1)
    for piece in {"albumID": album}, {"POIID": poi}:
        got = shown(service, order(db, piece)[0])
        assert got["thumbnail"] == got["photoPath"] == photos_of(service, piece)[0]["thumbnail" if "albumID" in piece else "photoPath"]
        assert not {"width", "height", "takenTime"} & set(got.names)


def test_what_the_camera_noted(service, alice, bob, album):
    place = (("N", 25.0, 2.0, 1.2), ("W", 121.0, 33.0, 55.44))
    answer = add(service, alice, noted("2001:02:03 12:00:00", "+05:30", place), albumID=album)
    assert answer["takenTime"] == "981181800"
    assert [float(answer[f"Location/{name}"]) for name in ("lat", "lng")] == pytest.approx([25.033667, -121.5654], abs=1e-6)
    # Its owner alone is told when, and nobody where.
    for user, told in (alice, True), (bob, False), (None, False):
        got = shown(service, answer["photoID"], user)
        assert ("takenTime" in got.names) == told and "Location" not in got.names
    assert shown(service, answer["photoID"], alice)["takenTime"] == "981181800"


def test_a_camera_without_an_offset_is_in_the_services_zone(service, db, alice, album):
    answer = add(service, alice, noted("2001:02:03 12:00:00"), albumID=album)
    assert int(answer["takenTime"]) == db.value("SELECT extract(epoch FROM %s::timestamptz)::bigint", LONG_AGO)
    assert "Location" not in answer.names


# Who may


def test_who_is_not_logged_in(service, db, album):
    with db.unchanged():
        for func, params in [("addPhoto", {"albumID": album, "photo": File(picture())}), ("updatePhoto", {"photoID": 1}),
                             ("updatePhoto", {"photoID": 1, "delete": "true"}), ("updateUser", {"name": "x"})]:
            assert service.call(func, **params).info == "LOGIN REQUIRED"
            assert service.call(func, cookie=f"id=1; idrand={secrets.token_hex(16)}", **params).info == "LOGIN REQUIRED"


def test_other_peoples_pieces(service, db, alice, bob, piece):
    photo = added(service, alice, **piece)
    with db.unchanged():
        assert add(service, bob, **piece).info == "NOT OWNER"
        assert service.call("updatePhoto", user=bob, photoID=photo, description="x").info == "NOT OWNER"
        assert service.call("updatePhoto", user=bob, photoID=photo, delete="true").info == "NOT OWNER"


def test_what_is_not_there(service, db, alice):
    with db.unchanged():
        assert add(service, alice, albumID=NOBODYS).info == "ALBUM NOT FOUND"
        assert add(service, alice, POIID=NOBODYS).info == "POI NOT FOUND"
        for params in {}, {"description": "x"}, {"position": 1}, {"cover": "true"}, {"delete": "true"}:
            assert service.call("updatePhoto", user=alice, photoID=NOBODYS, **params).info == "PHOTO NOT FOUND"
        assert service.call("getPhoto", photoID=NOBODYS).info == "PHOTO NOT FOUND"


def test_private_albums(service, db, alice, bob, album):
    photo = added(service, alice, albumID=album)
    service.ok("updateAlbum", user=alice, albumID=album, visibility="private", **ALBUM)
    with db.unchanged():
        for user in None, bob:
            assert service.call("getPhoto", user=user, photoID=photo).info == "PHOTO NOT FOUND"
        assert add(service, bob, albumID=album).info == "ALBUM NOT FOUND"
        assert service.call("updatePhoto", user=bob, photoID=photo, description="x").info == "PHOTO NOT FOUND"
        assert service.call("updatePhoto", user=bob, photoID=photo, delete="true").info == "PHOTO NOT FOUND"
    assert shown(service, photo, alice)["photoID"] == str(photo)
    added(service, alice, albumID=album)
    service.ok("updatePhoto", user=alice, photoID=photo, description="x")
    service.ok("updatePhoto", user=alice, photoID=photo, delete="true")


# Parameters


def test_exactly_one_piece(service, db, alice, album, poi, blog):
    file = File(picture())
    cases = [({}, "MISSING PARAMETER: albumID"), ({"albumID": album, "POIID": poi}, "INVALID PARAMETER: POIID"),
             ({"albumID": album, "blogID": blog}, "INVALID PARAMETER: blogID"), ({"blogID": blog}, "INVALID PARAMETER: blogID"),
             ({"POIID": poi, "blogID": blog}, "INVALID PARAMETER: blogID"),
             ({"albumID": "x", "POIID": poi}, "INVALID PARAMETER: albumID"), ({"POIID": 0}, "INVALID PARAMETER: POIID")]
    with db.unchanged():
        for params, info in cases:
            assert service.call("addPhoto", user=alice, photo=file, **params).info == info
        assert service.call("addPhoto", user=alice, albumID=album).info == "MISSING PARAMETER: photo"
        assert service.call("addPhoto", user=alice, albumID=album, photo="x").info == "INVALID PARAMETER: photo"
        assert service.call("updateAlbum", user=alice, albumID=album, photo=file, **ALBUM).info == "INVALID PARAMETER: photo"


@pytest.mark.parametrize("name, value", [("position", 0), ("position", -1), ("position", "x"), ("description", "x" * 2001),
                                         ("description", "\x01")])
def test_values(service, db, alice, album, name, value):
    photo = added(service, alice, albumID=album)
    with db.unchanged():
        assert add(service, alice, albumID=album, **{name: value}).info == f"INVALID PARAMETER: {name}"
        assert service.call("updatePhoto", user=alice, photoID=photo, **{name: value}).info == f"INVALID PARAMETER: {name}"


def test_the_longest_description(service, alice, album):
    words = "字" * 2000
    photo = added(service, alice, albumID=album, description=words)
    assert shown(service, photo)["description"] == words
    service.ok("updatePhoto", user=alice, photoID=photo, description="")
    assert shown(service, photo)["description"] == ""


def test_bytes_as_the_body(service, alice, album):
    sent = picture(100, 50)
    for kind in "image/jpeg", "image/x-whatever", "application/octet-stream":
        headers = [("Cookie", alice.cookie), ("Content-Type", kind)]
        answer = service.request("POST", f"func=addPhoto&albumID={album}&description=x", sent, headers)
        assert answer.info is None and (answer["width"], answer["height"]) == ("100", "50")
        assert shown(service, answer["photoID"])["description"] == "x"


def test_what_is_no_picture(service, db, alice, album):
    with db.unchanged():
        for content in b"no picture", picture()[:200], b"\0" * 5000, b"":
            assert service.call("addPhoto", user=alice, albumID=album, photo=File(content)).info == "PHOTO NOT READABLE"


# Order, cover, description


def test_positions(service, db, alice, piece):
    first, second, third = (added(service, alice, **piece) for _ in range(3))
    assert order(db, piece) == [first, second, third]
    front = added(service, alice, position=1, **piece)
    middle = added(service, alice, position=3, **piece)
    last = added(service, alice, position=2**63 - 1, **piece)
    assert order(db, piece) == [front, first, middle, second, third, last]
    for photo, position, wanted in [
            (last, 1, [last, front, first, middle, second, third]), (last, 6, [front, first, middle, second, third, last]),
            (first, 1000, [front, middle, second, third, last, first]), (second, 2, [front, second, middle, third, last, first]),
            (second, 2, [front, second, middle, third, last, first]), (front, 4, [second, middle, third, front, last, first])]:
        service.ok("updatePhoto", user=alice, photoID=photo, position=position)
        assert order(db, piece) == wanted
    service.ok("updatePhoto", user=alice, photoID=third, delete="true")
    assert order(db, piece) == [second, middle, front, last, first]
    assert order(db, piece) == [second, middle, front, last, first]


def test_positions_with_gaps(service, db, alice, album):
    """As imports and removals leave them, up to the highest there is."""
    for position in 2, 5, 2**31 - 1:
        db.insert("photo", kind=0, number=album, position=position, address=f"{position}.jpg")
    old = order(db, {"albumID": album})
    service.ok("updatePhoto", user=alice, photoID=old[2], position=2)
    assert order(db, {"albumID": album}) == [old[0], old[2], old[1]]
    new = added(service, alice, position=2, albumID=album)
    assert order(db, {"albumID": album}) == [old[0], new, old[2], old[1]]


def test_cover(service, db, alice, album, poi):
    one, other = (added(service, alice, albumID=album) for _ in range(2))
    assert service.ok("getAlbum", albumID=album)["cover"] == ""
    service.ok("updatePhoto", user=alice, photoID=other, cover="true")
    assert service.ok("getAlbum", albumID=album)["cover"] == str(other)
    for value in "false", "", "TRUE", "1":
        service.ok("updatePhoto", user=alice, photoID=one, cover=value)
        assert service.ok("getAlbum", albumID=album)["cover"] == str(other)
    service.ok("updatePhoto", user=alice, photoID=other, delete="true")
    assert service.ok("getAlbum", albumID=album)["cover"] == ""
    of_poi = added(service, alice, POIID=poi, description="as it was")
    with db.unchanged():
        refused = service.call("updatePhoto", user=alice, photoID=of_poi, cover="true", description="x", position=1)
        assert refused.info == "INVALID PARAMETER: cover"
    service.ok("updatePhoto", user=alice, photoID=of_poi, cover="false", description="x")
    assert shown(service, of_poi)["description"] == "x"


def test_what_is_left_out_stays(service, db, alice, album):
    photo = added(service, alice, albumID=album, description="stays")
    added(service, alice, albumID=album)
    service.ok("updatePhoto", user=alice, photoID=photo, position=2)
    assert shown(service, photo)["description"] == "stays"
    service.ok("updatePhoto", user=alice, photoID=photo, description="other")
    assert order(db, {"albumID": album})[1] == photo
    with db.unchanged("session"):
        service.ok("updatePhoto", user=alice, photoID=photo)


def test_a_photo_by_address_is_changed_alike(service, db, alice, album):
    insert_photos(db, album, 3)
    first, _, last = order(db, {"albumID": album})
    service.ok("updatePhoto", user=alice, photoID=last, position=1, description="新", cover="true")
    got = service.ok("getAlbum", albumID=album)
    assert got["cover"] == got["photos/photo1/photoID"] == str(last) and got["photos/photo1/description"] == "新"
    service.ok("updatePhoto", user=alice, photoID=first, delete="true")
    assert first not in order(db, {"albumID": album})


@pytest.mark.parametrize("change", ["added", "described", "moved", "cover", "deleted"])
def test_a_change_is_one_of_the_piece(service, db, alice, album, change):
    photo, _ = added(service, alice, albumID=album), added(service, alice, albumID=album)
    db.run("UPDATE album SET updated_at = %s WHERE number = %s", LONG_AGO, album)
    if change == "added":
        added(service, alice, albumID=album)
    else:
        params = {"described": {"description": "x"}, "moved": {"position": 2}, "cover": {"cover": "true"},
                  "deleted": {"delete": "true"}}[change]
        service.ok("updatePhoto", user=alice, photoID=photo, **params)
    assert [int(text) for _, text in service.ok("getAlbum", albumID=album)["updateDate"]] == [
        today().year, today().month, today().day]


# Published, and no more


def links(service, piece, number):
    folder = service.settings["photo_directory"] / "public" / "photos" / f"{'a' if 'albumID' in piece else 'p'}{number}"
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.*")) if folder.exists() else []


def link(service, address):
    """As it is when somebody has asked for it."""
    path = service.settings["photo_directory"] / "public" / path_of(service, address)[1:]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"")
    return path


def test_a_deleted_photo_is_withdrawn_alone(service, alice, piece):
    one, other = (added(service, alice, **piece) for _ in range(2))
    gone, stays = (link(service, shown(service, photo)["thumbnail"]) for photo in (one, other))
    service.ok("updatePhoto", user=alice, photoID=one, delete="true")
    assert not gone.exists() and stays.exists()
    assert service.call("getPhoto", photoID=one).info == "PHOTO NOT FOUND"


def test_what_goes_with_its_piece_is_withdrawn(service, alice, bob, album):
    path = link(service, shown(service, added(service, alice, albumID=album))["thumbnail"])
    service.call("updateAlbum", user=bob, albumID=album, delete="true")
    service.call("updateAlbum", user=bob, albumID=album, visibility="private", **ALBUM)
    service.ok("updateAlbum", user=alice, albumID=album, visibility="public", **ALBUM)
    assert path.exists()
    service.ok("updateAlbum", user=alice, albumID=album, visibility="private", **ALBUM)
    assert not path.exists()
    service.ok("updateAlbum", user=alice, albumID=album, visibility="public", **ALBUM)
    path.parent.mkdir(parents=True)
    path.write_bytes(b"")
    service.ok("updateAlbum", user=alice, albumID=album, delete="true")
    assert not path.exists()


def test_the_tool_withdraws(service, db, new_user):
    owner = new_user("主人")
    poi = db.insert("poi", owner_id=owner.id, title="x", slot=21, lat=1, lng=2)
    album = int(service.ok("addAlbum", user=owner, **ALBUM)["albumID"])
    paths = {}
    for kind, piece in [("photo", {"albumID": album}), ("private", {"albumID": album}), ("poi", {"POIID": poi})]:
        photo = added(service, owner, **piece)
        paths[kind] = photo, link(service, shown(service, photo)["thumbnail"])
    commands = [("photo", ["photo", "remove", f"album:{album}", paths["photo"][0], "--yes"]),
                ("private", ["album", "update", album, "--visibility", "private"]), ("poi", ["poi", "remove", poi, "--yes"])]
    for kind, command in commands:
        assert paths[kind][1].exists()
        done = service.ctl(*command)
        assert done.returncode == 0, done.stderr
        assert not paths[kind][1].exists()
    service.ok("updateUser", user=owner, icon=File(picture()))
    service.ok("updateAlbum", user=owner, albumID=album, visibility="public", **ALBUM)
    last = [link(service, service.ok("getAlbum", albumID=album)["photos/photo1/thumbnail"]),
            link(service, service.ok("getAlbum", albumID=album)["ownerIcon"])]
    done = service.ctl("user", "delete", owner.id, "--yes")
    assert done.returncode == 0, done.stderr
    assert not any(path.exists() for path in last)


def test_nothing_is_deleted_that_cannot_be_withdrawn(start_service, service, db, alice, album):
    """What is still published is still there."""
    photo = added(service, alice, albumID=album)
    other = start_service(photo_directory=service.folder / "nowhere" / "photos")
    with db.unchanged("session"):
        for func, params in [("updatePhoto", {"photoID": photo, "delete": "true"}), ("updateAlbum", {"albumID": album, "delete": "true"}),
                             ("updateAlbum", {"albumID": album, "visibility": "private"} | ALBUM)]:
            answer = other.call(func, user=alice, **params)
            assert (answer.http_status, answer.info) == (503, "SERVICE UNAVAILABLE")
    # Without photos there is nothing to withdraw.
    bare = service.ok("addAlbum", user=alice, **ALBUM)["albumID"]
    other.ok("updateAlbum", user=alice, albumID=bare, delete="true")


# Quota


def files_of(service):
    return {path for room in ("originals", "pictures") for path in (service.settings["photo_directory"] / room).glob("*/*")}


def bytes_of(service, user):
    return int(service.ok("getMe", user=user)["photoBytes"])


def space_of(service, user, sent):
    """What a photo takes, as it was sent and as it was made."""
    album = service.ok("addAlbum", user=user, **ALBUM)["albumID"]
    before = bytes_of(service, user)
    added(service, user, sent, albumID=album)
    return bytes_of(service, user) - before


def test_quota(start_service, service, alice, new_user):
    """What is made counts; of a photo that comes, the bytes that were sent."""
    user, sent = new_user("滿"), picture()
    other = start_service(photo_quota=f"{space_of(service, alice, sent) + len(sent)}B")
    album = service.ok("addAlbum", user=user, **ALBUM)["albumID"]
    first, _ = added(other, user, sent, albumID=album), added(other, user, sent, albumID=album)
    refused = add(other, user, sent, albumID=album)
    assert refused.info == "QUOTA EXCEEDED" and len(photos_of(service, {"albumID": album})) == 2
    # Icons do not count, and what is deleted counts no more.
    other.ok("updateUser", user=user, icon=File(sent))
    other.ok("updatePhoto", user=user, photoID=first, delete="true")
    added(other, user, sent, albumID=album)


def test_a_full_quota_costs_neither_time_nor_room(start_service, service, new_user):
    """It is looked at before the picture is, and so does not leave files for the sweep either."""
    user, sent = new_user("滿"), picture()
    other = start_service(photo_quota=f"{len(sent)}B")
    album = service.ok("addAlbum", user=user, **ALBUM)["albumID"]
    added(other, user, sent, albumID=album)
    files = sum(path.is_file() for path in other.settings["photo_directory"].rglob("*"))
    for photo in picture(), b"no picture":
        assert add(other, user, photo, albumID=album).info == "QUOTA EXCEEDED"
    assert other.metric('pictures_total{outcome="made"}') == 1
    assert sum(path.is_file() for path in other.settings["photo_directory"].rglob("*")) == files


def test_quota_is_of_all_pieces(start_service, service, db, new_user):
    user, another, sent = new_user("滿"), new_user("空"), picture()
    other = start_service(photo_quota=f"{space_of(service, another, sent) + len(sent)}B")
    albums = [service.ok("addAlbum", user=user, **ALBUM)["albumID"] for _ in range(2)]
    poi = db.insert("poi", owner_id=user.id, title="x", slot=21, lat=1, lng=2)
    added(other, user, sent, albumID=albums[0])
    added(other, user, sent, POIID=poi)
    assert add(other, user, sent, albumID=albums[1]).info == "QUOTA EXCEEDED"
    own = service.ok("addAlbum", user=another, **ALBUM)["albumID"]
    added(other, another, sent, albumID=own)


def test_quota_exactly_and_none(start_service, service, new_user):
    user, sent = new_user("滿"), picture()
    album = service.ok("addAlbum", user=user, **ALBUM)["albumID"]
    exact = start_service(photo_quota=f"{len(sent)}B")
    added(exact, user, sent, albumID=album)
    assert add(exact, user, picture(10, 10), albumID=album).info == "QUOTA EXCEEDED"
    added(start_service(photo_quota="0"), user, sent, albumID=album)


def test_quota_under_concurrency(start_service, service, alice, new_user):
    """No two take the last room, and who comes too late leaves no file."""
    user, sent = new_user("擠"), [picture() for _ in range(13)]
    albums = [service.ok("addAlbum", user=user, **ALBUM)["albumID"] for _ in range(4)]
    spaces = [space_of(service, alice, content) for content in sent[:1]]
    other = start_service(photo_quota=f"{2 * spaces[0] + spaces[0] // 2 + len(sent[0]) // 2}B", workers=8)
    files = files_of(other)
    answers = at_once(*[lambda album=album, content=content: in_turn(lambda: add(other, user, content, albumID=album))
                        for album, content in zip(albums * 3, sent[1:], strict=True)])
    assert len(files_of(other)) == len(files) + 9
    infos = [answer.info for answer in answers]
    assert infos.count(None) == 3 and set(infos) <= {None, "QUOTA EXCEEDED"}
    assert sum(len(photos_of(service, {"albumID": album})) for album in albums) == 3


# Side by side


def test_positions_of_photos_added_at_once(start_service, db, alice, piece):
    service = start_service(workers=8)
    answers = at_once(*[lambda number=number: in_turn(lambda: add(service, alice, position=1 + number % 3, **piece))
                        for number in range(16)])
    assert [answer.info for answer in answers] == [None] * 16
    (name, number), = piece.items()
    positions = db.column("SELECT position FROM photo WHERE kind = %s AND number = %s ORDER BY 1", KIND_OF[name], number)
    assert positions == list(range(1, 17))


def test_added_to_what_is_deleted(start_service, db, alice):
    """Either it was added, and went with its album, or it was not."""
    service = start_service(workers=4)
    for _ in range(10):
        album = service.ok("addAlbum", user=alice, **ALBUM)["albumID"]
        answers = at_once(lambda: service.call("updateAlbum", user=alice, albumID=album, delete="true"),
                          *[lambda: in_turn(lambda: add(service, alice, albumID=album))] * 3)
        assert answers[0].info is None
        assert {answer.info for answer in answers[1:]} <= {None, "ALBUM NOT FOUND"}
        assert db.value("SELECT count(*) FROM photo WHERE kind = 0 AND number = %s", album) == 0


# Once


@pytest.fixture(scope="module")
def application(service, db):
    return new_application(service, db, "photos")


def by_key(user, key, photo, **params):
    return dict(user=user, headers=[("Idempotency-Key", key)], photo=photo, **params)


def test_a_key_adds_once(service, db, alice, album):
    key, photo = secrets.token_hex(8), File(picture())
    first = service.ok("addPhoto", **by_key(alice, key, photo, albumID=album))
    again = service.ok("addPhoto", **by_key(alice, key, photo, albumID=album))
    assert again.body == first.body and len(order(db, {"albumID": album})) == 1
    other = service.call("addPhoto", **by_key(alice, key, File(picture()), albumID=album))
    assert other.info == "REQUEST REPLAYED"
    service.ok("updateAlbum", user=alice, albumID=album, delete="true")
    assert service.ok("addPhoto", **by_key(alice, key, photo, albumID=album)).body == first.body


def test_a_signature_adds_once(service, db, application, alice, album):
    photo = File(picture())
    request = application.sign("addPhoto", albumID=album, photo=photo)
    first = service.ok(user=alice, **request)
    assert service.ok(user=alice, **request).body == first.body and len(order(db, {"albumID": album})) == 1
    service.ok("updateAlbum", user=alice, albumID=album, delete="true")
    assert service.ok(user=alice, **request).body == first.body
    spoiled = request | {"photo": File(picture())}
    assert service.call(user=alice, **spoiled).info == "SIGNATURE INVALID"


def test_a_key_at_once(start_service, db, alice, album):
    service = start_service(workers=8)
    key, photo = secrets.token_hex(8), File(picture())
    send = lambda: service.call("addPhoto", **by_key(alice, key, photo, albumID=album))
    answers = at_once(*[lambda: in_turn(send)] * 8)
    assert len({answer.body for answer in answers}) == 1 and answers[0].info is None
    assert len(order(db, {"albumID": album})) == 1


def test_a_second_one_waits_for_the_first(start_service, db, connect_owner, alice, album):
    service = start_service(workers=8)  # of which two handle photos
    key, photo = secrets.token_hex(8), File(picture())
    holder = connect_owner()
    holder.run("BEGIN")
    holder.run("SELECT FROM album WHERE number = %s FOR UPDATE", album)
    send = lambda: service.call("addPhoto", **by_key(alice, key, photo, albumID=album))
    with in_background(send, send) as both:
        until(lambda: db.waiting() == 2, "one waits for the album, and one for that one")
        holder.run("COMMIT")
    assert len({one.result().body for one in both}) == 1 and len(order(db, {"albumID": album})) == 1


@pytest.mark.parametrize("refused", ["ALBUM NOT FOUND", "NOT OWNER", "PHOTO NOT READABLE", "QUOTA EXCEEDED"])
def test_what_was_refused_stays_so(start_service, service, db, alice, bob, album, refused):
    key = secrets.token_hex(8)
    photo = File(b"none" if refused == "PHOTO NOT READABLE" else picture())
    user = bob if refused == "NOT OWNER" else alice
    number = album + 1_000_000 if refused == "ALBUM NOT FOUND" else album
    full = start_service(photo_quota="1B") if refused == "QUOTA EXCEEDED" else service
    assert full.call("addPhoto", **by_key(user, key, photo, albumID=number)).info == refused
    if refused == "NOT OWNER":
        db.run("UPDATE album SET owner_id = %s WHERE number = %s", bob.id, album)
    if refused == "ALBUM NOT FOUND":
        db.run("UPDATE album SET number = %s WHERE number = %s", number, album)
    assert service.call("addPhoto", **by_key(user, key, photo, albumID=number)).info == refused
    assert order(db, {"albumID": number}) == []


def test_updates_and_deletions_once(service, db, alice, album):
    photos = [added(service, alice, albumID=album) for _ in range(3)]
    key = secrets.token_hex(8)
    send = lambda **params: service.call("updatePhoto", user=alice, headers=[("Idempotency-Key", key)], **params)
    assert send(photoID=photos[0], position=2).info is None
    service.ok("updatePhoto", user=alice, photoID=photos[0], position=1)
    assert send(photoID=photos[0], position=2).info is None
    assert order(db, {"albumID": album}) == photos
    key = secrets.token_hex(8)
    assert send(photoID=photos[0], delete="true").info is None
    assert send(photoID=photos[0], delete="true").info is None
    assert service.call("updatePhoto", user=alice, photoID=photos[0], delete="true").info == "PHOTO NOT FOUND"


# Icons


def icon_of(service, album):
    return service.ok("getAlbum", albumID=album)["ownerIcon"]


def test_icons(service, db, new_user):
    user = new_user("新", icon="https://example.org/old.png")
    album = service.ok("addAlbum", user=user, **ALBUM)["albumID"]
    service.ok("updateUser", user=user, name="改了")
    got = service.ok("getAlbum", albumID=album)
    assert (got["ownerName"], got["ownerIcon"]) == ("改了", user.icon)
    service.ok("updateUser", user=user, icon=File(picture(300, 200)))
    first = icon_of(service, album)
    name = db.value("SELECT encode(icon_name, 'hex') FROM user_account WHERE user_id = %s", user.id)
    assert path_of(service, first) == f"/photos/u{user.id}/{name}/icon.jpg"
    path = link(service, first)
    service.ok("updateUser", user=user, icon=File(picture()))
    assert icon_of(service, album) != first and not path.exists()
    path = link(service, icon_of(service, album))
    service.ok("updateUser", user=user, icon="", name="又")
    got = service.ok("getAlbum", albumID=album)
    assert (got["ownerName"], got["ownerIcon"]) == ("又", "") and not path.exists()
    with db.unchanged("session"):
        assert service.call("updateUser", user=user, icon="x").info == "INVALID PARAMETER: icon"
        assert service.call("updateUser", user=user, name="").info == "INVALID PARAMETER: name"
        assert service.call("updateUser", user=user, icon=File(b"none"), name="x").info == "PHOTO NOT READABLE"


def test_an_icon_is_everywhere(service, db, new_user):
    user = new_user("圖")
    service.ok("updateUser", user=user, icon=File(picture()))
    album = int(service.ok("addAlbum", user=user, **ALBUM)["albumID"])
    icon = icon_of(service, album)
    assert icon
    db.insert("comment", kind=0, number=album, commenter_id=user.id, comment="x")
    assert service.ok("getAlbum", albumID=album)["comments/comment1/commenterIcon"] == icon
    assert f'"icon": "{icon}"' in service.ctl("user", "show", user.id, "--json").stdout


def test_the_tool_gives_an_icon_by_address(service, new_user):
    user = new_user("圖")
    service.ok("updateUser", user=user, icon=File(picture()))
    album = service.ok("addAlbum", user=user, **ALBUM)["albumID"]
    path = link(service, icon_of(service, album))
    assert service.ctl("user", "update", user.id, "--name", "x").returncode == 0
    assert path.exists()
    assert service.ctl("user", "update", user.id, "--icon", "https://example.org/new.png").returncode == 0
    assert icon_of(service, album) == "https://example.org/new.png" and not path.exists()


def test_public_url(start_service, service, alice, album):
    photo = added(service, alice, albumID=album)
    here = urllib.parse.urlsplit(shown(service, photo)["thumbnail"])
    other = start_service(public_url="https://diary.example")
    assert shown(other, photo)["thumbnail"] == f"https://diary.example{here.path}"


# The tool


@pytest.fixture
def file(tmp_path):
    """Writes a file, and returns its path."""
    def write(content, name="x.jpg"):
        path = tmp_path / name
        path.write_bytes(content)
        return path

    return write


def test_the_tool_adds_files(service, db, alice, album, poi, file):
    sent = noted("2001:02:03 12:00:00", "+05:30", width=1000, height=500)
    for piece, subject in [({"albumID": album}, f"album:{album}"), ({"POIID": poi}, f"poi:{poi}")]:
        done = service.ctl("photo", "add", subject, file(sent), "--file", "--description", "字")
        assert done.returncode == 0, done.stderr
        photo = int(done.stdout)
        got = shown(service, photo, alice)
        assert (got["width"], got["height"], got["description"], got["takenTime"]) == ("1000", "500", "字", "981181800")
        path_of(service, got["photoPath"])
        row = json.loads(service.ctl("photo", "show", subject, photo, "--json").stdout)
        assert (row["width"], row["height"], row["bytes"], row["SHA256"]) == (1000, 500, len(sent), hashlib.sha256(sent).hexdigest())
        assert row["taken"] == "2001-02-03T06:30:00Z"
        assert row["thumbnail" if "albumID" in piece else "photoPath"] == photos_of(service, piece)[0][
            "thumbnail" if "albumID" in piece else "photoPath"]


def test_what_the_tool_cannot_add(service, db, album, file, start_service):
    with db.unchanged():
        for path, subject, reason in [
                (file(b"no picture"), f"album:{album}", "PHOTO NOT READABLE"),
                (file(b"").with_name("none"), f"album:{album}", "No such file"),
                (file(picture(), "good.jpg"), f"album:{NOBODYS}", "ALBUM NOT FOUND")]:
            ran = service.ctl("photo", "add", subject, path, "--file")
            assert ran.returncode not in (0, 64) and reason in ran.stderr, ran
        small = start_service(photo_size="1KiB")
        assert "PHOTO TOO LARGE" in small.ctl("photo", "add", f"album:{album}", file(b"x" * 2000), "--file").stderr


def test_the_tool_gives_an_icon_from_a_file(service, new_user, file):
    user = new_user("圖", icon="https://example.org/old.png")
    album = service.ok("addAlbum", user=user, **ALBUM)["albumID"]
    paths = []
    for _ in range(2):
        done = service.ctl("user", "update", user.id, "--name", "新", "--icon-file", file(picture()))
        assert done.returncode == 0, done.stderr
        paths.append(link(service, icon_of(service, album)))
    assert not paths[0].exists() and paths[1].exists()
    assert service.ok("getAlbum", albumID=album)["ownerName"] == "新"
    assert service.ctl("user", "update", user.id, "--icon", "", "--icon-file", file(picture())).returncode == 64


def test_an_export_has_what_was_sent(service, db, new_user, tmp_path):
    user, other = new_user("帶走"), new_user("別人")
    sent = {}
    for owner in user, other:
        album = service.ok("addAlbum", user=owner, **ALBUM)["albumID"]
        poi = db.insert("poi", owner_id=owner.id, title="x", slot=21, lat=1, lng=2)
        for piece, kind, ending in [({"albumID": album}, "JPEG", "jpg"), ({"POIID": poi}, "PNG", "png"),
                                    ({"albumID": album}, "WEBP", "webp")]:
            content = picture(kind=kind)
            photo = added(service, owner, content, **piece)
            if owner is user:
                sent[f"photos/{photo}.{ending}"] = content
    path = tmp_path / "all.zip"
    done = service.ctl("export", "user", user.id, "--output", path)
    assert done.returncode == 0, done.stderr
    with zipfile.ZipFile(path) as archive:
        found = {name: archive.read(name) for name in archive.namelist() if name.startswith("photos/")}
        assert found == sent and "photos/" in archive.read("README.txt").decode()


def imported(service, path, *arguments):
    """How many rows an import has added, changed, left as they were, and rejected."""
    ran = service.ctl("import", "photos", path, "--json", *arguments)
    got = json.loads(ran.stdout)
    return [got[name] for name in ("added", "changed", "unchanged", "rejected")], ran


def test_an_import_takes_files(service, db, alice, album, poi, tmp_path):
    source = ["--source", f"files{album}"]
    sent = {name: picture() for name in ("a.jpg", "b.png")}
    (tmp_path / "more").mkdir()
    (tmp_path / "a.jpg").write_bytes(sent["a.jpg"])
    (tmp_path / "more" / "b.png").write_bytes(sent["b.png"])
    (tmp_path / "none.jpg").write_bytes(b"no picture")
    path = tmp_path / "photos.csv"
    path.write_text(f"id,album,poi,file,address,description,cover\n1,#{album},,a.jpg,,字,true\n2,,#{poi},more/b.png,,,\n"
                    f"3,#{album},,,t.jpg,,\n4,#{album},,none.jpg,,,\n5,#{album},,missing.jpg,,,\n6,#{album},,a.jpg,x,,\n7,#{album},,,,,\n",
                    encoding="utf-8")
    counts, ran = imported(service, path, *source)
    assert counts == [3, 0, 0, 4], ran
    rejects = (tmp_path / "photos.csv.rejects.csv").read_text(encoding="utf-8")
    for reason in "file: PHOTO NOT READABLE", "file: NOT FOUND", "address, file: not one of the two":
        assert reason in rejects
    one, other = order(db, {"albumID": album})
    at_poi, = order(db, {"POIID": poi})
    for photo, name in (one, "a.jpg"), (at_poi, "b.png"):
        digest = db.value("SELECT encode(original_sha256, 'hex') FROM photo WHERE photo_id = %s", photo)
        assert digest == hashlib.sha256(sent[name]).hexdigest()
        path_of(service, shown(service, photo)["thumbnail"])
    assert service.ok("getAlbum", albumID=album)["cover"] == str(one)
    assert shown(service, other)["thumbnail"] == "t.jpg"
    with db.unchanged():
        assert imported(service, path, *source)[0] == [0, 0, 3, 4]
    # One by address may become a file; an uploaded one stays, but for its words.
    name = db.value("SELECT name FROM photo WHERE photo_id = %s", one)
    path.write_text(f"id,album,file,address,description\n3,#{album},a.jpg,,\n1,#{album},,t.jpg,新\n", encoding="utf-8")
    assert imported(service, path, *source, "--folder", tmp_path)[0] == [0, 2, 0, 0]
    path_of(service, shown(service, other)["thumbnail"])
    assert shown(service, one)["description"] == "新" and db.value("SELECT name FROM photo WHERE photo_id = %s", one) == name


def test_an_import_makes_photos_without_a_transaction(service, db, album, tmp_path):
    """It may take hours, for which VACUUM could take nothing away."""
    (tmp_path / "a.jpg").write_bytes(picture())
    arguments = "import", "photos", "-", "--format", "csv", "--folder", tmp_path, "--source", f"slow{album}", "--json"
    originals = photo_directory(service) / "originals"

    def count():
        return sum(file.is_file() for file in originals.rglob("*"))

    before = count()
    with subprocess.Popen([BUILD / "mapdiaryctl", "-c", service.conf, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          text=True, cwd=tmp_path, env=ENVIRONMENT) as tool:
        tool.stdin.write(f"id,album,file,address\n1,#{album},a.jpg,\n")
        tool.stdin.flush()
        until(lambda: count() > before, "its photo is made")
        assert db.column("SELECT pid FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE locktype = 'transactionid'"
                         " AND backend_type = 'client backend' AND datname = 'mapdiary' AND application_name <> 'mapdiary-indexer'") == []
        tool.stdin.write(f"2,#{album},,t.jpg\n")
        tool.stdin.close()
        assert json.loads(tool.stdout.read())["added"] == 2
    assert len(order(db, {"albumID": album})) == 2


def test_rows_of_before_are_known_without_identifiers(service, db, alice, album, tmp_path):
    """Columns that say nothing do not count, those that came later among them."""
    rows = {"albums": (["title", "category", "lat", "lng", "owner", "score"], ["x", "1", "2", "3", alice.email, ""]),
            "photos": (["album", "poi", "address", "description", "cover"], [f"#{album}", "", f"{album}.jpg", "", ""])}
    for kind, (names, values) in rows.items():
        path = tmp_path / f"{kind}.csv"
        path.write_text(f"{','.join(names)}\n{','.join(values)}\n", encoding="utf-8")
        assert service.ctl("import", kind, path, "--source", f"before{album}").returncode == 0
        said = "".join(f"{name}={value}\n" for name, value in zip(names, values) if value)
        table = {"albums": "piece_source", "photos": "photo_source"}[kind]
        assert db.column(f"SELECT identifier FROM {table} WHERE source = %s", f"before{album}") == [
            f"hash-{hashlib.blake2b(said.encode(), digest_size=32).hexdigest()[:32]}"]
