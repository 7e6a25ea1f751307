"""What photos take on disk: what is counted, and that their files go when they do."""

import contextlib
import hashlib
import io
import os
import urllib.parse

import PIL.Image
import pytest

from drawn import picture
from http_client import File
from samples import ALBUM
from service import at_once, until


@pytest.fixture
def user(new_user):
    return new_user()


@pytest.fixture
def album(service, user):
    return int(service.ok("addAlbum", user=user, **ALBUM)["albumID"])


def add(service, user, album, content=None):
    return service.call("addPhoto", user=user, albumID=album, photo=File(content or picture()))


def added(service, user, album, content=None):
    answer = add(service, user, album, content)
    assert answer.info is None, answer.info
    return int(answer["photoID"])


def delete(service, user, photo):
    service.ok("updatePhoto", user=user, photoID=photo, delete="true")


def sizes(service):
    """{path: bytes} of all files but links; some may be on their way out."""
    found, folder = {}, service.settings["photo_directory"]
    for room in "originals", "pictures":
        for path in (folder / room).glob("*/*"):
            with contextlib.suppress(FileNotFoundError):
                found[path] = path.stat().st_size
    return found


def expect(service, want):
    """No other files than these: they go behind the answer, as may some of these that an earlier test has left."""
    until(lambda: sizes(service).keys() <= want.keys(), "the files have gone")


def bytes_of(service, user):
    return int(service.ok("getMe", user=user)["photoBytes"])


def noise_that_repeats():
    """A PNG that is small, and becomes a large JPEG."""
    tile = PIL.Image.frombytes("RGB", (64, 64), os.urandom(3 * 64 * 64))
    image = PIL.Image.new("RGB", (2048, 2048))
    for x in range(0, 2048, 64):
        for y in range(0, 2048, 64):
            image.paste(tile, (x, y))
    written = io.BytesIO()
    image.save(written, "PNG", optimize=True)
    return written.getvalue()


# What counts


def test_what_is_made_counts(start_service, service, user, album):
    sent = noise_that_repeats()
    other = start_service(photo_quota=f"{4 * len(sent)}B")
    before = sizes(other)
    added(other, user, album, sent)
    new = {path: size for path, size in sizes(other).items() if path not in before}
    assert len(new) == 3 and bytes_of(service, user) == sum(new.values()) > 4 * len(sent)
    # It may exceed the quota by one photo.
    assert add(other, user, album, picture(8, 8)).info == "QUOTA EXCEEDED"
    added(start_service(photo_quota="0B"), user, album, picture(8, 8))


def test_an_icon_counts_nothing(service, user):
    service.ok("updateUser", user=user, icon=File(picture()))
    assert bytes_of(service, user) == 0


def test_photos_count_for_who_has_their_piece(service, new_user, user, album):
    other = new_user()
    added(service, user, album)
    taken = bytes_of(service, user)
    assert service.ctl("album", "update", album, "--owner", other.id).returncode == 0
    assert (bytes_of(service, user), bytes_of(service, other)) == (0, taken)


def test_what_was_there_before_is_measured(service, db, user, album):
    """As after an upgrade, and of what a worker of another version has added."""
    sent = picture()
    added(service, user, album, sent)
    taken = bytes_of(service, user)
    db.run("UPDATE photo_space SET bytes = %s, is_measured = false WHERE owner_id = %s", len(sent), user.id)
    assert bytes_of(service, user) == len(sent) < taken
    assert service.ctl("photo", "sweep").returncode == 0
    assert bytes_of(service, user) == taken
    assert service.ctl("photo", "sweep").returncode == 0
    assert bytes_of(service, user) == taken


def test_imported_photos_count(service, user, album, tmp_path):
    before = sizes(service)
    (tmp_path / "new.jpg").write_bytes(picture())
    (tmp_path / "rows.csv").write_text(f"album,file\n#{album},new.jpg\n", encoding="utf-8")
    ran = service.ctl("import", "photos", tmp_path / "rows.csv")
    assert ran.returncode == 0, ran.stderr
    assert bytes_of(service, user) == sum(size for path, size in sizes(service).items() if path not in before) > 0


# What goes


def test_deleted_and_uploaded_again(service, user, album):
    before = sizes(service)
    for _ in range(2):
        photos = [added(service, user, album) for _ in range(4)]
        assert len(sizes(service).keys() - before.keys()) == 12
        for photo in photos:
            delete(service, user, photo)
        expect(service, before)
        assert bytes_of(service, user) == 0


def test_equal_files_stay_for_the_last(service, user, album):
    before, content = sizes(service), picture()
    photos = [added(service, user, album, content) for _ in range(3)]
    taken = bytes_of(service, user)
    for photo in photos[:2]:
        delete(service, user, photo)
        assert len(sizes(service).keys() - before.keys()) == 3
    assert bytes_of(service, user) == taken // 3
    address = urllib.parse.urlsplit(service.ok("getPhoto", photoID=photos[2])["photoPath"]).path
    assert service.request(path=address).http_status == 200
    delete(service, user, photos[2])
    expect(service, before)


@pytest.mark.parametrize("command", [
    lambda user, album, photo: ["photo", "remove", f"album:{album}", photo, "--yes"],
    lambda user, album, photo: ["album", "remove", album, "--yes"], lambda user, album, photo: ["user", "delete", user.id, "--yes"]])
def test_what_the_tool_deletes(service, user, album, command):
    before = sizes(service)
    service.ok("updateUser", user=user, icon=File(picture()))
    assert service.ctl("user", "update", user.id, "--icon", "").returncode == 0
    photo = added(service, user, album)
    ran = service.ctl(*command(user, album, photo))
    assert ran.returncode == 0, ran.stderr
    expect(service, before)


def test_with_their_album(service, user, album):
    before = sizes(service)
    for _ in range(3):
        added(service, user, album)
    service.ok("updateAlbum", user=user, albumID=album, delete="true")
    expect(service, before)
    assert bytes_of(service, user) == 0


def test_with_their_user(service, user, album):
    before = sizes(service)
    service.ok("updateUser", user=user, icon=File(picture()))
    added(service, user, album)
    service.ok("deleteUser", user=user, password=user.password)
    expect(service, before)


@pytest.mark.slow
def test_many_at_once(service, db, user, album):
    """More than a worker takes behind its answer: the indexer goes on."""
    before = sizes(service)
    for number in range(1500):
        digests = []
        for room in "originals", "pictures", "pictures":
            content = f"{album} {number} {len(digests)}".encode()
            digests.append(hashlib.sha256(content).hexdigest())
            path = service.settings["photo_directory"] / room / digests[-1][:2] / digests[-1]
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(content)
        db.insert("photo", kind=0, number=album, position=number + 1, description="", name=os.urandom(16), original_bytes=1, format=0,
                  width=1, height=1, **{f"{part}_sha256": bytes.fromhex(digest)
                                        for part, digest in zip(("original", "large", "small"), digests, strict=True)})
    assert len(sizes(service).keys() - before.keys()) == 4500
    service.ok("updateAlbum", user=user, albumID=album, delete="true")
    until(lambda: sizes(service).keys() <= before.keys(), "all have gone", 300)
    until(lambda: bytes_of(service, user) == 0, "the account has been told of all")


def test_an_icon_that_is_replaced(service, user):
    before, twice = sizes(service), picture()
    for content in picture(), twice, twice, picture():
        service.ok("updateUser", user=user, icon=File(content))
        assert len(sizes(service).keys() - before.keys()) == 1
    service.ok("updateUser", user=user, name="another name")
    assert len(sizes(service).keys() - before.keys()) == 1
    service.ok("updateUser", user=user, icon="")
    expect(service, before)


# What was refused


def test_new_accounts_are_refused_before_their_picture_is_decoded(start_service, service, user, album):
    other = start_service(first_week_photos=1)
    added(other, user, album)
    before = sizes(other)
    for content in picture(), b"no picture":
        answer = add(other, user, album, content)
        assert (answer.http_status, answer.info) == (429, "TOO MANY ATTEMPTS") and int(answer.header("Retry-After")) > 0
    assert sizes(other) == before
    assert [other.metric(f'pictures_total{{outcome="{outcome}"}}') for outcome in ("made", "not readable")] == [1, 0]


# Who else has a file


def gone(db):
    return db.value("SELECT count(*) FROM photo_space WHERE gone_at IS NOT NULL")


def test_a_file_that_somebody_is_about_to_name(service, connect_owner, db, user, album):
    before = sizes(service)
    photo = added(service, user, album)
    another = service.ok("addAlbum", user=user, **ALBUM)["albumID"]
    there = set(sizes(service))
    uploader = connect_owner()
    uploader.run("BEGIN")
    uploader.run("SELECT lock_photo_file(original_sha256), lock_photo_file(large_sha256), lock_photo_file(small_sha256) FROM photo"
                 " WHERE photo_id = %s", photo)
    uploader.run("INSERT INTO photo (kind, number, position, description, name, original_sha256, original_bytes, large_sha256,"
                 " small_sha256, format, width, height)"
                 " SELECT 0, %s, 9, '', %s, original_sha256, original_bytes, large_sha256, small_sha256, format, width, height"
                 " FROM photo WHERE photo_id = %s", another, os.urandom(16), photo)
    delete(service, user, photo)
    assert set(sizes(service)) == there and gone(db) == 0
    uploader.run("COMMIT")
    service.ok("updateAlbum", user=user, albumID=another, delete="true")
    expect(service, before)


def test_while_the_tool_puts_files(service, connect_owner, db, user, album):
    """Nothing goes, and it counts on, but for no more than a day."""
    before = sizes(service)
    tool = connect_owner()
    tool.run("SELECT hold_photo_files()")
    first, second = added(service, user, album), added(service, user, album)
    delete(service, user, first)
    assert len(sizes(service).keys() - before.keys()) == 6
    both = bytes_of(service, user)
    db.run("UPDATE photo_space SET gone_at = gone_at - interval '24 hours' WHERE gone_at IS NOT NULL")
    assert 0 < bytes_of(service, user) < both
    tool.run("SELECT pg_advisory_unlock_all()")
    delete(service, user, second)
    expect(service, before)
    assert gone(db) == 0


@pytest.mark.parametrize("finder", ["a deletion", "a sweep"])
def test_what_a_crash_left_is_found(service, db, user, album, finder):
    before = sizes(service)
    added(service, user, album)
    another = added(service, user, album)
    # Nobody deletes its files, unless a deletion of an earlier test is still at it.
    db.run("DELETE FROM photo WHERE kind = 0 AND number = %s AND photo_id <> %s", album, another)
    if finder == "a deletion":
        delete(service, user, another)
        expect(service, before)
    else:
        assert service.ctl("photo", "sweep", "--yes").returncode == 0
        assert len(sizes(service).keys() - before.keys()) == 3


def test_side_by_side(start_service, user, album):
    """Equal bytes come and go all the time, and whoever has been told SUCCESS has its files."""
    service = start_service(workers=8)
    content = picture(64, 64)

    def come_and_go():
        for _ in range(30):
            answer = until(lambda: (sent := add(service, user, album, content)).http_status == 200 and sent, "it has its turn", 120)
            photo = int(answer["photoID"])
            address = urllib.parse.urlsplit(service.ok("getPhoto", photoID=photo)["photoPath"]).path
            assert service.request(path=address).http_status == 200
            delete(service, user, photo)

    before = sizes(service)
    at_once(*[come_and_go] * 6)
    expect(service, before)
