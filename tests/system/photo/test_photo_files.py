"""mapdiaryctl photo sweep and verify: the files of photos, against the rows that name them."""

import contextlib
import fcntl
import hashlib
import itertools
import os
import pathlib
import secrets
import shutil
import subprocess
import threading
import time

import pytest

import drawn
import samples
from ctl import DONE, FAILED, done, shown, table
from faults import mounted
from service import AS_ROOT, BUILD, ENVIRONMENT, Service, until, until_stopped

DAY = 86400
LONG_AGO = time.time() - 30 * DAY
NOTHING = dict.fromkeys(
    ["files", "bytes", "unnamed", "unnamedBytes", "due", "dueBytes", "taken", "takenBytes", "notPublic"], 0)


class Folder:
    """photo_directory, as an upload fills it."""

    def __init__(self, path):
        self.path = pathlib.Path(path)

    def file(self, room, digest):
        return self.path / room / digest[:2] / digest

    def put(self, room, content, put_at=None):
        """Puts a file as the service does; returns its digest."""
        digest = hashlib.sha256(content).hexdigest()
        file = self.file(room, digest)
        file.parent.mkdir(parents=True, exist_ok=True)
        new = self.path / f"new-{secrets.token_hex(4)}"
        new.write_bytes(content)
        folder = os.open(file.parent, os.O_DIRECTORY)
        try:
            fcntl.flock(folder, fcntl.LOCK_SH)
            try:
                os.link(new, file)
            except FileExistsError:
                os.utime(file)
        finally:
            os.close(folder)
            new.unlink()
        if put_at:
            os.utime(file, (put_at, put_at))
        return digest

    def link(self, address, digest):
        link = self.path / "public/photos" / address
        link.parent.mkdir(parents=True, exist_ok=True)
        os.link(self.file("pictures", digest), link)
        return link


@pytest.fixture
def folder_of_photos(service, db):
    """Empty, and no row names a file."""
    db.run("DELETE FROM photo WHERE name IS NOT NULL; DELETE FROM photo_unnamed;"
           " UPDATE user_account SET icon_name = NULL, icon_sha256 = NULL, icon_format = NULL; DELETE FROM photo_space")
    for path in service.settings["photo_directory"].glob("*/*"):  # the service has the folders of these open
        shutil.rmtree(path)
    assert shown(service, "photo", "sweep") == NOTHING
    yield Folder(service.settings["photo_directory"])
    db.run("DELETE FROM photo WHERE name IS NOT NULL; DELETE FROM photo_unnamed")


positions = itertools.count(1000)


def insert(db, owner, *digests):
    """A row of a photo with the digests of its three files; returns its identifier and its name."""
    original, large, small = (bytes.fromhex(digest) for digest in digests)
    name = secrets.token_bytes(16)
    photo = db.insert(
        "photo", **owner, position=next(positions), description="", name=name, original_sha256=original, original_bytes=1,
        large_sha256=large, small_sha256=small, format=0, width=1, height=1)
    return photo, name.hex()


def set_icon(db, user, digest):
    name = secrets.token_bytes(16)
    db.run("UPDATE user_account SET icon = '', icon_name = %s, icon_sha256 = %s, icon_format = 0 WHERE user_id = %s",
           name, bytes.fromhex(digest), user.id)
    return name.hex()


def marked(db):
    return {bytes(digest).hex() for digest in db.column("SELECT sha256 FROM photo_unnamed")}


def age_marks(db):
    db.run("UPDATE photo_unnamed SET since = now() - interval '7 days 1 second'")


def sweep(service, *options, **wanted):
    """What it says of files, but for their bytes, beside what is 0."""
    said = shown(service, "photo", "sweep", *options)
    assert {key: value for key, value in said.items() if not key.lower().endswith("bytes") and value} == wanted
    return said


def test_what_nothing_names_goes_a_week_after_it_was_found(service, db, folder_of_photos, album, new_user):
    user = new_user()
    named = [folder_of_photos.put(room, bytes([i]), LONG_AGO)
             for i, room in enumerate(["originals", "pictures", "pictures", "pictures"])]
    insert(db, {"kind": 0, "number": album}, *named[:3])
    set_icon(db, user, named[3])
    unnamed = {folder_of_photos.put(room, b"1234" + room.encode(), LONG_AGO): room for room in ("originals", "pictures")}
    sweep(service, files=6, unnamed=2)
    assert marked(db) == set(unnamed)
    sweep(service, "--yes", files=6, unnamed=2)
    age_marks(db)
    said = sweep(service, files=6, unnamed=2, due=2)
    assert said["bytes"] == 4 + 13 + 12 and said["unnamedBytes"] == said["dueBytes"] == 13 + 12 and said["takenBytes"] == 0
    said = sweep(service, "--yes", files=6, unnamed=2, due=2, taken=2)
    assert said["takenBytes"] == 13 + 12
    assert not any(folder_of_photos.file(room, digest).exists() for digest, room in unnamed.items())
    assert marked(db) == set()
    sweep(service, "--yes", files=4)


def test_what_is_named_again_is_marked_no_more(service, db, folder_of_photos, album):
    digests = [folder_of_photos.put("pictures", bytes([i]), LONG_AGO) for i in range(3)]
    sweep(service, files=3, unnamed=3)
    age_marks(db)
    photo, _ = insert(db, {"kind": 0, "number": album}, *digests)
    sweep(service, "--yes", files=3)
    assert marked(db) == set()
    db.run("DELETE FROM photo WHERE photo_id = %s", photo)
    sweep(service, files=3, unnamed=3)


def test_what_was_put_anew_is_not_due(service, db, folder_of_photos):
    """Which an upload does before its row is there."""
    digest = folder_of_photos.put("originals", b"1", LONG_AGO)
    sweep(service, files=1, unnamed=1)
    age_marks(db)
    assert folder_of_photos.put("originals", b"1") == digest
    sweep(service, "--yes", files=1, unnamed=1)
    os.utime(folder_of_photos.file("originals", digest), (LONG_AGO, LONG_AGO))
    sweep(service, "--yes", files=1, unnamed=1, due=1, taken=1)


def test_more_files_than_a_batch(service, db, folder_of_photos):
    for i in range(2100):
        folder_of_photos.put("pictures", str(i).encode(), LONG_AGO)
    sweep(service, files=2100, unnamed=2100)
    age_marks(db)
    sweep(service, "--yes", files=2100, unnamed=2100, due=2100, taken=2100)
    assert [path for path in (folder_of_photos.path / "pictures").rglob("*") if path.is_file()] == []
    assert marked(db) == set()


def test_uploads_meanwhile(service, connect_owner, db, folder_of_photos, album):
    """Of files that are due: what is acknowledged has its files."""
    contents = [str(i).encode() for i in range(300)]
    for content in contents:
        folder_of_photos.put("originals", content, LONG_AGO)
    sweep(service, files=300, unnamed=300)
    age_marks(db)
    stop, swept = threading.Event(), []

    def sweep_on():
        while not stop.is_set():
            swept.append(shown(service, "photo", "sweep", "--yes")["taken"])

    uploader = connect_owner()
    with until_stopped(stop, sweep_on):
        for content in contents:
            uploader.run("BEGIN")
            digest = folder_of_photos.put("originals", content)
            insert(uploader, {"kind": 0, "number": album}, digest, digest, digest)
            uploader.run("COMMIT")
            assert folder_of_photos.file("originals", digest).exists()
    assert all(folder_of_photos.file("originals", hashlib.sha256(content).hexdigest()).exists() for content in contents)
    assert swept
    sweep(service, files=300)


def test_links_of_what_is_not_public(service, db, folder_of_photos, album, poi, new_user):
    user = new_user()
    digest = folder_of_photos.put("pictures", b"1")
    _, public = insert(db, {"kind": 0, "number": album}, digest, digest, digest)
    _, of_place = insert(db, {"kind": 1, "number": poi}, digest, digest, digest)
    icon = set_icon(db, user, digest)
    private_album = int(service.ok("addAlbum", user=user, **samples.ALBUM)["albumID"])
    _, private = insert(db, {"kind": 0, "number": private_album}, digest, digest, digest)
    db.run("UPDATE album SET visibility = 'private' WHERE number = %s", private_album)
    good = [folder_of_photos.link(path, digest) for path in (
        f"a{album}/{public}/large.jpg", f"a{album}/{public}/small.jpg", f"p{poi}/{of_place}/large.jpg", f"u{user.id}/{icon}/icon.jpg")]
    bad = [folder_of_photos.link(path, digest) for path in (
        f"a{private_album}/{private}/large.jpg", f"a{album}/{'0' * 32}/large.jpg", f"a{private_album}/{public}/large.jpg",
        f"p{album}/{public}/large.jpg", f"u{user.id + 1000}/{icon}/icon.jpg", f"a{user.id + 1000}/{icon}/icon.jpg",
        f"a9223372036854775807/{public}/large.jpg")]
    sweep(service, files=1, notPublic=len(bad))
    assert all(link.exists() for link in good + bad)
    sweep(service, "--yes", files=1, notPublic=len(bad))
    assert all(link.exists() for link in good) and not any(link.exists() for link in bad)
    sweep(service, "--yes", files=1)
    db.run("UPDATE album SET visibility = 'private' WHERE number = %s", album)
    db.run("DELETE FROM poi WHERE number = %s", poi)
    set_icon(db, user, digest)
    sweep(service, "--yes", files=1, notPublic=3)
    assert not any(link.exists() for link in good)


def test_what_a_crash_left_on_its_way_out(service, folder_of_photos):
    left = folder_of_photos.path / "gone" / ("0" * 32) / "deep"
    left.mkdir(parents=True)
    (left / "large.jpg").write_bytes(b"1")
    sweep(service, "--yes")  # it has not been there for a day
    assert left.exists()


def test_it_says_so_to_people(service, folder_of_photos):
    lines = dict(line.split(": ") for line in done(service, "photo", "sweep").splitlines())
    assert lines == {key: "0" for key in NOTHING}
    ran = service.ctl("photo", "sweep", "--help")
    assert ran.returncode == DONE and "--yes" in ran.stdout


def test_all_is_well(service, db, folder_of_photos, album):
    assert shown(service, "photo", "verify") == []
    digests = [folder_of_photos.put(room, os.urandom(size))
               for room, size in (("originals", 3_000_000), ("pictures", 70_000), ("pictures", 0))]
    insert(db, {"kind": 0, "number": album}, *digests)
    assert shown(service, "photo", "verify") == []
    assert service.ctl("photo", "verify").returncode == DONE


def test_faults_are_found(service, db, folder_of_photos, album, new_user):
    user = new_user()
    original, large, small, icon = (folder_of_photos.put(room, content) for room, content in (
        ("originals", b"o" * 1_000_000), ("pictures", b"large"), ("pictures", b"small"), ("pictures", b"icon")))
    photo, _ = insert(db, {"kind": 0, "number": album}, original, large, small)
    set_icon(db, user, icon)
    with open(folder_of_photos.file("originals", original), "r+b") as file:
        file.seek(700_000)
        file.write(b"x")
    folder_of_photos.file("pictures", large).unlink()
    folder_of_photos.file("pictures", small).write_bytes(b"smal")
    shutil.rmtree(folder_of_photos.file("pictures", icon).parent)
    ran = service.ctl("photo", "verify")
    assert ran.returncode == FAILED
    faults = {tuple(row) for row in table(ran.stdout)[1:]}
    assert faults == {
        (f"originals/{original[:2]}/{original}", "damaged", "", ""), (f"pictures/{small[:2]}/{small}", "damaged", "", ""),
        (f"pictures/{large[:2]}/{large}", "missing", str(photo), ""), (f"pictures/{icon[:2]}/{icon}", "missing", "", str(user.id))}


@pytest.mark.parametrize("command", ["sweep", "verify"])
def test_without_its_folder(service, tmp_path, command):
    conf = tmp_path / "mapdiary.conf"
    conf.write_text(service.conf.read_text(encoding="utf-8").replace(
        f"photo_directory = {service.settings['photo_directory']}", f"photo_directory = {tmp_path}/no/photos"), encoding="utf-8")
    before, service.conf = service.conf, conf
    try:
        ran = service.ctl("photo", command)
    finally:
        service.conf = before
    assert ran.returncode == FAILED and ran.stdout == ""
    assert f"photo_directory {tmp_path}/no/photos: it cannot be opened: No such file or directory" in ran.stderr


@pytest.mark.slow
def test_a_file_system_without_what_it_takes(service, folder, postgres, db):
    """Which has names and nothing else: as it starts, asked beforehand, and for an operator, it is said why."""
    why = "its file system has no files without a name (O_TMPFILE), which ext4, XFS and Btrfs have"
    db.run("DELETE FROM photo")
    db.run("UPDATE user_account SET icon_name = NULL, icon_sha256 = NULL, icon_format = NULL")
    with mounted(folder.make("bpf"), kind="bpf") as place:
        other = Service(folder, postgres, workers=1, photo_directory=place / "photos")
        command = [BUILD / "mapdiaryd", "-c", other.conf, "-t"]
        checked = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT, timeout=60)
        assert why in checked.stderr and checked.returncode == 78
        other.start_daemon()
        until(lambda: why in other.log.read_text(), "it says so")
        other.stop()
        found = other.doctor()
        assert why in found.stderr and "cannot be used" in found.stdout


@pytest.fixture
def of_another_database(folder, postgres, folder_of_photos):
    """The tool with the same folder, and a database that was set up anew."""
    postgres.run("DROP DATABASE IF EXISTS another")
    postgres.create_database("another")
    another = Service(folder, postgres, database="another", photo_directory=folder_of_photos.path)
    done(another, "migrate")
    yield another
    (folder_of_photos.path / "database").unlink()


def age_all_marks(postgres, database):
    with contextlib.closing(postgres.connect("mapdiary_owner", database)) as connection:
        connection.cursor().execute("UPDATE mapdiary.photo_unnamed SET since = now() - interval '8 days'")


@pytest.mark.parametrize("options", [[], ["--yes"]])
def test_no_file_goes_by_the_word_of_another_database(service, db, postgres, folder_of_photos, album, of_another_database, options):
    digests = [folder_of_photos.put("pictures", bytes([i]), LONG_AGO) for i in range(3)]
    _, name = insert(db, {"kind": 0, "number": album}, *digests)
    link = folder_of_photos.link(f"a{album}/{name}/large.jpg", digests[1])
    sweep(service, "--yes", files=3)
    ran = of_another_database.ctl("photo", "sweep", *options)
    assert ran.returncode == FAILED and ran.stdout == ""
    assert "the photos belong to a database whose schema was made " in ran.stderr and len(ran.stderr.splitlines()) == 1
    assert link.exists() and all(folder_of_photos.file("pictures", digest).exists() for digest in digests)
    # Whoever says so has it otherwise, from then on.
    sweep(of_another_database, "--adopt", files=3, unnamed=3, notPublic=1)
    age_all_marks(postgres, "another")
    assert service.ctl("photo", "sweep", "--yes").returncode == FAILED
    sweep(of_another_database, "--yes", files=3, unnamed=3, due=3, taken=3, notPublic=1)
    assert not link.exists()


def test_a_restored_dump_is_no_other_database(service, postgres, folder_of_photos, of_another_database):
    sweep(service)
    with contextlib.closing(postgres.connect("mapdiary_owner", "mapdiary")) as connection:
        cursor = connection.cursor()
        cursor.execute("SELECT number, applied_at FROM mapdiary.migration")
        applied = cursor.fetchall()
    with contextlib.closing(postgres.connect("mapdiary_owner", "another")) as connection:
        for number, moment in applied:
            connection.cursor().execute("UPDATE mapdiary.migration SET applied_at = %s WHERE number = %s", (moment, number))
    sweep(of_another_database)


def test_a_mark_that_cannot_be_read(service, folder_of_photos):
    mark = folder_of_photos.path / "database"
    mark.unlink()
    mark.symlink_to("/etc/passwd")
    try:
        ran = service.ctl("photo", "sweep", "--yes")
        assert ran.returncode != DONE and "the file database, that cannot be read: Too many levels of symbolic links" in ran.stderr
    finally:
        mark.unlink()
    sweep(service)


@pytest.mark.skipif(not AS_ROOT, reason="root alone gives files away")
def test_what_root_makes_belongs_to_the_owner_of_the_folder(start_service, folder, album, alice):
    """Somebody tries the service as root: its own user can use all that was made."""
    photos = folder.make("photos")
    os.chown(photos, 65534, 65534)
    service = start_service(photo_directory=photos)
    service.ok("addPhoto", user=alice, albumID=album, photo=drawn.FILE)
    made = list(photos.rglob("*"))
    assert len(made) >= 8
    assert {(path.lstat().st_uid, path.lstat().st_gid) for path in made} == {(65534, 65534)}, made
