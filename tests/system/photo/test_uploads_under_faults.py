"""Uploads under faults: what was acknowledged is there, once, with its files; what was deleted or made private is gone."""

import contextlib
import io
import itertools
import os
import random
import secrets
import shutil
import signal
import subprocess
import threading
import time

import PIL.Image
import pytest

import processes
from drawn import picture
from faults import SECONDS, db, fill, kill_one, mounted, postgres, repeat, restart_at_once, suffer, user  # noqa: F401
from http_client import File
from load import Figures
from photo_load import PatientPhotoLoad, PhotoLoad, fetch
from samples import ALBUM
from service import WEB, Service, can_connect, in_background, until, until_stopped

MIB = 1 << 20

pytestmark = pytest.mark.timeout(300 + 6 * SECONDS)


@pytest.fixture
def disk(folder):
    """A small one, for photos alone."""
    with mounted(folder.make("disk"), "96m") as place:
        yield place


@pytest.fixture
def service(request, folder, postgres, db):
    place = {}
    if "disk" in request.fixturenames:
        photos = request.getfixturevalue("disk") / "photos"
        place = {"photo_directory": photos, "web": lambda *backend: WEB(*backend, photos=photos)}
    service = Service(folder, postgres, workers=8, photo_quota="0B", log_level="notice", **place)
    assert service.ctl("migrate").returncode == 0
    with db() as rows:
        rows.run("DELETE FROM photo")  # whose files are somewhere else
    yield service.start()
    service.stop()


@pytest.fixture
def new_album(service, user):
    return lambda: int(service.ok("addAlbum", user=user, **ALBUM)["albumID"])


def add(service, user, album, content=None, **how):
    return service.call("addPhoto", user=user, albumID=album, photo=File(content or picture(160, 120)), **how)


def terminate_sessions(postgres):
    postgres.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'mapdiary'")


def restart_master(service):
    """As systemd does with Restart=on-failure, which kills what is left of it first."""
    service.daemon.stop(signal.SIGKILL)
    until(lambda: not can_connect(service.socket), "all of its children have ended")
    service.start_daemon()


VICTIMS = {  # how often one of them is killed, in seconds
    "decoder": (0.3, lambda service: [processes.decoder(service.daemon.pid)]),
    "pictures": (0.05, lambda service: processes.pictures(processes.decoder(service.daemon.pid))),
    "children": (0.1, lambda service: processes.children(service.daemon.pid)),
}

# Who asks again under a key where no answer came loses nothing either.
LOADS = pytest.mark.parametrize("load", [PhotoLoad, PatientPhotoLoad])


@pytest.mark.few(1)
@LOADS
@pytest.mark.parametrize("victims", VICTIMS)
def test_killed(service, suffer, victims, load):
    every, find = VICTIMS[victims]
    suffer(repeat(every, lambda: kill_one(lambda: find(service))), load=load)


@pytest.mark.slow
@LOADS
def test_master_killed(service, suffer, load):
    suffer(repeat(0.7, lambda: restart_master(service)), load=load)


@pytest.mark.few(1)
@LOADS
def test_postgresql_restarted(postgres, suffer, load):
    suffer(repeat(1, lambda: restart_at_once(postgres)), load=load)


# A full disk


def room(disk, length):
    """Fills the disk but for so many bytes; returns the file that does."""
    filler = fill(disk)
    os.truncate(filler, filler.stat().st_size - length)
    return filler


def test_disk_full(disk, service, user, new_album, suffer):
    album = new_album()
    there = add(service, user, album)

    def full(seconds):
        until(lambda: fill(disk) and add(service, user, album).http_status == 503, "the disk is full")
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            assert service.call("getPhoto", photoID=there["photoID"]).info is None
            assert fetch(service, there["photoPath"]).http_status == 200
        (disk / "filler").unlink()

    load = suffer(full, load=PhotoLoad)
    assert load.figures.failed > 0


def files_below(folder):
    return {path for path in folder.rglob("*") if path.is_file()}


def coarse_noise():
    """What is made of it is larger than it is."""
    noise = PIL.Image.frombytes("RGB", (1500, 1500), os.urandom(3 * 1500 * 1500))
    written = io.BytesIO()
    noise.save(written, "JPEG", quality=10)
    return written.getvalue()


@pytest.mark.few(1)
@pytest.mark.parametrize("where", ["body", "large picture", "small picture"])
def test_no_room_in_the_middle(disk, service, user, new_album, where):
    album, sent = new_album(), coarse_noise()
    made = add(service, user, album, sent)
    large, small = (len(fetch(service, made[name]).body) for name in ("photoPath", "thumbnail"))
    assert large > 200_000 and small > 40_000
    files = files_below(disk)
    another = coarse_noise()
    left = {"body": len(another) // 2, "large picture": len(another) + 100_000,
            "small picture": len(another) + large + 20_000}[where]
    filler = room(disk, left)
    free = shutil.disk_usage(disk).free
    how = {"headers": [("Idempotency-Key", secrets.token_hex(8))]}
    answer = add(service, user, album, another, **how)
    assert (answer.http_status, answer.info, answer.header("Retry-After")) == (503, "SERVICE UNAVAILABLE", "1")
    until(lambda: shutil.disk_usage(disk).free == free, "all of it is given back")
    assert files_below(disk) == files | {filler}
    filler.unlink()
    assert add(service, user, album, another, **how).info is None
    assert service.ctl("photo", "verify").returncode == 0


# Becoming private


class Toggled:
    """An album that becomes private and public again, while strangers look at its photos."""

    keys = itertools.count(1)

    def __init__(self, service, user, album):
        self.service, self.user, self.album = service, user, album
        self.addresses = [add(service, user, album)["thumbnail"] for _ in range(3)]
        self.private = None  # since when it is known to be
        self.figures = Figures()

    def become(self, visibility):
        """A late attempt does nothing after the one that was answered, as they have one key."""
        headers = [("Idempotency-Key", f"{self.album}-{next(self.keys)}")]
        while True:
            self.figures.sent += 1
            answer = self.service.call("updateAlbum", user=self.user, headers=headers, albumID=self.album,
                                       visibility=visibility, **ALBUM)
            if answer.info is None:
                self.figures.acknowledged += 1
                return
            self.figures.failed += 1
            assert answer.http_status == 503

    def toggle(self, stop):
        while not stop.is_set():
            self.become("private")
            self.private = object()
            time.sleep(random.uniform(0, 0.05))
            self.private = None
            self.become("public")
            time.sleep(random.uniform(0, 0.05))
        self.become("private")
        self.private = object()

    def look(self, stop):
        while not stop.is_set():
            before = self.private
            answer = fetch(self.service, random.choice(self.addresses))
            if answer and answer.http_status == 200 and before and before is self.private:
                self.figures.lost += 1

    def links(self):
        return list((self.service.settings["photo_directory"] / f"public/photos/a{self.album}").rglob("*.*"))


@pytest.mark.few(1)
@pytest.mark.parametrize("fault", ["workers", "sessions", "postgresql"])
def test_becoming_private(request, service, postgres, user, new_album, fault):
    every, act = {
        "workers": (0.1, lambda: kill_one(lambda: processes.workers(service.daemon.pid))),
        "sessions": (0.1, lambda: terminate_sessions(postgres)),
        "postgresql": (1, lambda: restart_at_once(postgres))}[fault]
    albums = [Toggled(service, user, new_album()) for _ in range(2)]
    stop = threading.Event()
    with until_stopped(stop, *(lambda album=album: album.toggle(stop) for album in albums),
                       *(lambda album=album: album.look(stop) for album in albums * 3)):
        repeat(every, act)(SECONDS)
        until(lambda: all(album.figures.acknowledged > 10 for album in albums), "they became both", seconds=120)
    until(lambda: service.metric("workers_connected") == 8, "all workers are back, with their database")
    name = request.node.name.removeprefix("test_")
    for album in albums:
        request.node.user_properties.append(("figures", f"{name:52}{album.figures.row()}"))
        for _ in range(2):
            assert {fetch(service, address).http_status for address in album.addresses} == {404}
        assert album.figures.lost == 0 and album.links() == []
        album.become("public")
        assert {fetch(service, address).http_status for address in album.addresses} == {200}


@contextlib.contextmanager
def slow_links(pids):
    """Each link is made six seconds later, and so after all that is done meanwhile."""
    command = ["strace", "-q", "-o", "/dev/null", "-e", "trace=linkat", "-e", "inject=linkat:delay_enter=6000000"]
    with subprocess.Popen([*command, *(f"-p{pid}" for pid in pids)]) as tracer:
        try:
            until(lambda: tracer.poll() is not None or all(processes.is_traced(pid) for pid in pids), "it traces all")
            if tracer.poll() is not None:
                pytest.skip("tracing takes root")
            yield
        finally:
            tracer.send_signal(signal.SIGINT)


@pytest.mark.slow
def test_a_link_without_its_lock(postgres, service, user, new_album):
    """Its session is gone before the link is there, and the album private."""
    album = new_album()
    address = add(service, user, album)["thumbnail"]
    with slow_links(processes.workers(service.daemon.pid)), in_background(lambda: fetch(service, address)) as (late,):
        until(lambda: postgres.value("SELECT true FROM pg_stat_activity WHERE usename = 'mapdiary'"
                                     " AND state = 'idle in transaction'"), "it is about to link")
        terminate_sessions(postgres)
        private = {"albumID": album, "visibility": "private"} | ALBUM
        until(lambda: service.call("updateAlbum", user=user, **private).info is None, "it is private")
        assert not late.done()
        assert late.result().http_status == 200
    assert fetch(service, address).http_status == 404
