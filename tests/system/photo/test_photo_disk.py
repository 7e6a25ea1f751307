"""The disk of the photos comes late, goes, is full, or has another disk in its place. The service refuses uploads at once, and all
else goes on. Uploads work again within seconds of the cure."""

import contextlib
import itertools
import re
import shutil
import subprocess
import time

import pytest

import drawn
from ctl import AWAY, FAILED, table
from faults import fill
from samples import ALBUM
from service import AS_ROOT, until

pytestmark = pytest.mark.skipif(not AS_ROOT, reason="root alone mounts")


@contextlib.contextmanager
def mounted(path):
    """A new disk there. The disk goes at once, even if a process has folders open."""
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64m,mode=711", "photos", path], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", path], check=True)


class Photos:
    """A service with a folder of photos of its own, in which there is one."""

    def __init__(self, service, user):
        self.service, self.user, self.folder = service, user, service.settings["photo_directory"]
        self.album = service.ok("addAlbum", user=user, **ALBUM)["albumID"]
        self.works()
        self.photo = self.upload()["photoID"]
        self.mark = (self.folder / "database").read_text()

    def upload(self):
        return self.service.call("addPhoto", user=self.user, albumID=self.album, photo=drawn.FILE)

    def works(self):
        """On what is in the place of the folder now."""
        until(lambda: self.upload().info is None and (self.folder / "originals").exists(), "an upload works", 20)

    def is_refused(self, notices=True):
        """At once, and reads and other writes go on."""
        if notices:
            until(lambda: self.upload().http_status == 503, "it is noticed")
        began = time.monotonic()
        assert self.upload().info == "SERVICE UNAVAILABLE" and time.monotonic() - began < 5
        self.service.ok("getAlbum", albumID=self.album)
        self.service.ok("updateAlbum", user=self.user, albumID=self.album, **ALBUM)

    def commands_fail(self, tmp_path):
        """The commands that use files of photos: each says why, and leaves all as it is. A photo that is an address needs no file."""
        picture, rows = tmp_path / "x.png", tmp_path / "photos.csv"
        picture.write_bytes(drawn.FILE)
        rows.write_text(f"album,file\n#{self.album},{picture}\n")
        before = sorted(self.folder.rglob("*"))
        album = f"album:{self.album}"
        for words in (["photo", "add", album, picture, "--file"], ["photo", "remove", album, self.photo, "--yes"],
                      ["import", "photos", rows], ["user", "update", self.user.email, "--icon-file", picture],
                      ["export", "user", self.user.email, "--output", tmp_path / "x.zip"]):
            ran = self.service.ctl(*words)
            assert ran.returncode == AWAY and f"photo_directory {self.folder}: it " in ran.stderr, ran
        assert sorted(self.folder.rglob("*")) == before
        self.service.ok("getPhoto", user=self.user, photoID=self.photo)
        assert self.service.ctl("photo", "add", album, "https://x.example/y.jpg").returncode == 0

    def health(self):
        return self.service.fastcgi(SCRIPT_NAME="/healthz").body.decode()

    def doctor(self):
        """The state of the photos, what was found, and the advice."""
        ran = self.service.doctor("--url", f"http://127.0.0.1:{self.service.port}/API.php")
        return next(line[1:] for line in table(ran.stdout) if line[0] == "photos")


@pytest.fixture
def photos(start_service, alice):
    return Photos(start_service(workers=1), alice)


@pytest.mark.slow
def test_it_goes_and_comes_back(photos):
    away = photos.folder.rename(photos.folder.with_name("away"))
    photos.is_refused()
    state, finding, advice = photos.doctor()
    assert state == "FAILED" and "is not there, and the database has photos" in finding
    assert f"sudo mount {photos.folder}" in advice and not photos.folder.exists()
    assert photos.health() == "ok\nphotos: the folder cannot be opened\n" and photos.service.metric("photos_usable") == 0
    away.rename(photos.folder)
    photos.works()
    assert photos.doctor()[0] == "ok" and photos.health() == "ok\n" and photos.service.metric("photos_usable") == 1


@pytest.mark.slow
def test_the_service_sees_another_folder_than_the_doctor(photos):
    """As behind a sandbox, or before a reload."""
    other = photos.folder.rename(photos.folder.with_name("other"))
    photos.is_refused()
    conf = photos.service.conf
    conf.write_text(conf.read_text().replace(f"photo_directory = {photos.folder}\n", f"photo_directory = {other}\n"))
    rows = [line[1:] for line in table(photos.service.doctor("--url", "http://127.0.0.1:1/").stdout) if line[0] == "photos"]
    assert [state for state, *_ in rows] == ["ok", "FAILED"]
    assert rows[1][1] == f"the service says of {other}: photos: the folder cannot be opened" and "ReadWritePaths" in rows[1][2]


def test_an_empty_disk_is_in_its_place(photos, tmp_path):
    """Nothing is written there, as it may be the folder below the disk."""
    with mounted(photos.folder):
        photos.is_refused()
        state, finding, _ = photos.doctor()
        assert state == "FAILED" and "is empty, and the database has photos" in finding
        for command in "sweep", "verify":
            ran = photos.service.ctl("photo", command)
            assert ran.returncode == FAILED and "is empty, and the database has photos" in ran.stderr
        photos.commands_fail(tmp_path)
        assert list(photos.folder.iterdir()) == []
    photos.works()


def test_it_comes_later_than_the_service(photos):
    kept = shutil.copytree(photos.folder, photos.folder.with_name("kept"), symlinks=True)
    for path in photos.folder.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    photos.service.daemon.stop()
    photos.service.start_daemon()
    photos.is_refused(notices=False)
    with mounted(photos.folder):
        shutil.copytree(kept, photos.folder, symlinks=True, dirs_exist_ok=True)
        photos.works()


@pytest.mark.slow
def test_a_disk_of_another_database_is_in_its_place(photos, tmp_path):
    with mounted(photos.folder):
        mark = photos.folder / "database"
        mark.write_text("2001-01-01 00:00:00.000000\n")
        photos.is_refused()
        state, finding, advice = photos.doctor()
        assert state == "FAILED" and "has the mark of another database" in finding and "photo sweep --adopt" in advice
        photos.commands_fail(tmp_path)
        assert list(photos.folder.iterdir()) == [mark]
        mark.write_text(photos.mark)
        photos.works()
    photos.works()


@pytest.mark.slow
def test_lost_photos_are_given_up(photos):
    """As the doctor says."""
    with mounted(photos.folder):
        photos.is_refused()
        assert "photo sweep --adopt" in photos.doctor()[2]
        assert photos.service.ctl("photo", "sweep", "--adopt").returncode == 0
        photos.works()


def test_it_is_read_only_for_a_while(photos):
    with mounted(photos.folder):
        (photos.folder / "database").write_text(photos.mark)
        photos.works()
        subprocess.run(["mount", "-o", "remount,ro", photos.folder], check=True)
        photos.is_refused(notices=False)
        subprocess.run(["mount", "-o", "remount,rw", photos.folder], check=True)
        photos.works()


def fill_with_files(folder):
    folder.mkdir()
    with contextlib.suppress(OSError):
        for number in itertools.count():
            (folder / str(number)).touch()
    return folder


@pytest.mark.parametrize("what", ["bytes", "files"])
def test_it_is_full_for_a_while(photos, what):
    with mounted(photos.folder):
        (photos.folder / "database").write_text(photos.mark)
        photos.works()
        subprocess.run(["mount", "-o", "remount,nr_inodes=1000", photos.folder], check=True)
        if what == "bytes":
            filler = fill(photos.folder)
        else:
            filler = fill_with_files(photos.folder / "filler")
        photos.is_refused(notices=False)
        filler.unlink() if what == "bytes" else shutil.rmtree(filler)
        photos.works()


@pytest.mark.slow
def test_a_machine_of_a_cluster_has_no_photos(photos):
    """Another one has them, so that is no fault."""
    database = photos.service.settings["database"]
    photos.service.settings["database"] = re.sub(r"host=(\S+)", r"host=\1,\1", database)
    photos.service.write_configuration()
    with mounted(photos.folder):
        assert photos.doctor()[:2] == ["ok", f"{photos.folder}: another machine of the cluster has them"]
