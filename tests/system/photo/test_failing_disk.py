"""The folder of photos is on a disk that gives errors: at each call in turn, with each error. Nothing crashes, clients and operators
get a clear word, and nothing that was acknowledged is lost."""

import ctypes
import errno
import itertools
import mmap
import subprocess
import urllib.parse

import pytest

import processes
import samples
from conftest import new_token
from ctl import done
from drawn import picture
from http_client import File
from service import ENVIRONMENT, TOP, WITH_SANITIZERS, Service

# By default the first of them alone.
ERRORS = [errno.EIO, *(pytest.param(error, marks=pytest.mark.slow) for error in (errno.ENOSPC, errno.EDQUOT, errno.ESTALE, errno.EROFS))]
CALLS_MOST = 200    # of one request or command
NEVER = -1

numbers = itertools.count(1)

pytestmark = [pytest.mark.skipif(WITH_SANITIZERS, reason="sanitizers want to be loaded first"), pytest.mark.timeout(900)]


class Control(ctypes.Structure):
    """struct control of failing_disk.c."""

    _fields_ = [("before", ctypes.c_int), ("error", ctypes.c_int), ("failed", ctypes.c_char * 24)]


class Disk:
    def __init__(self, path, photos):
        self.path, self.photos = path, photos
        path.write_bytes(bytes(ctypes.sizeof(Control)))
        path.chmod(0o666)
        self.file = open(path, "r+b")
        self.control = Control.from_buffer(mmap.mmap(self.file.fileno(), ctypes.sizeof(Control)))
        self.control.before = NEVER

    @property
    def environment(self):
        return {"FAILING_DISK": str(self.path), "FAILING_FOLDER": str(self.photos)}

    def fail(self, before, error):
        self.control.failed = b""
        self.control.error = error
        self.control.before = before

    def end(self):
        """The name of the call that has failed; None if there were not so many calls."""
        self.control.before = NEVER
        return self.control.failed.decode() or None


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    made = tmp_path_factory.mktemp("library") / "failing_disk.so"
    made.parent.chmod(0o755)
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", made, TOP / "tests/system/lib/failing_disk.c", "-ldl"],
                   check=True)
    return made


@pytest.fixture(scope="module")
def site(folder, postgres, library):
    """A service with one worker and a user."""
    postgres.create_database("failing")
    service = Service(folder, postgres, database="failing", workers=1, photo_quota="0B")
    disk = Disk(service.folder / "control", service.settings["photo_directory"])
    before = ENVIRONMENT.copy()
    ENVIRONMENT.update(disk.environment, LD_PRELOAD=str(library))
    assert service.ctl("migrate").returncode == 0
    added = service.ctl("user", "add", "--email", "a@example.org", "--name", "A", text="correct horse\n")
    user = samples.User(int(added.stdout), "a@example.org", "correct horse", "A", "")
    user.token = new_token(service, user)
    service.start()
    yield Site(service, disk, user)
    service.stop()
    ENVIRONMENT.clear()
    ENVIRONMENT.update(before)


class Site:
    def __init__(self, service, disk, user):
        self.service, self.disk, self.user = service, disk, user
        self.acknowledged = {}    # the addresses of photos, and what the album's readers may get there

    def write(self, func, **params):
        return self.service.call(func, user=self.user, **params)

    def new_album(self, **params):
        return int(self.service.ok("addAlbum", user=self.user, **samples.ALBUM | params)["albumID"])

    def new_photo(self, **params):
        """(album, photo, address) of a photo that is there."""
        album = self.new_album(**params)
        added = self.service.ok("addPhoto", user=self.user, albumID=album, photo=File(picture(80, 60)))
        return album, int(added["photoID"]), urllib.parse.urlsplit(added["photoPath"]).path

    def get(self, address, user=None):
        headers = [("Cookie", user.cookie)] if user else []
        return self.service.request(path=address, headers=headers)

    def is_well(self):
        """All that stands in the database is on the disk, and no process has crashed."""
        verified = self.service.ctl("photo", "verify")
        assert verified.returncode == 0, verified.stdout + verified.stderr
        log = self.service.log.read_text(encoding="utf-8")
        assert "signal" not in log and "core" not in log


def said(answer):
    """A refusal says that the service is not available, or nothing was refused."""
    assert answer.info in (None, "SERVICE UNAVAILABLE"), answer.info
    assert answer.http_status == (503 if answer.info else 200)
    return answer.info is None


def add_photo(site, prepared):
    answer = site.write("addPhoto", albumID=prepared[0], photo=File(picture(80, 60)))
    if said(answer):
        address = urllib.parse.urlsplit(answer["photoPath"]).path
        site.disk.end()
        assert site.get(address).http_status == 200


def change_icon(site, prepared):
    said(site.write("updateUser", name="A", icon=File(picture(80, 60))))


def delete_photo(site, prepared):
    """It is there, or it is not there."""
    _, photo, address = prepared
    gone = said(site.write("updatePhoto", photoID=photo, delete="true"))
    site.disk.end()
    assert site.get(address).http_status == (404 if gone else 200)


def delete_album(site, prepared):
    album, _, address = prepared
    gone = said(site.write("updateAlbum", albumID=album, delete="true"))
    site.disk.end()
    assert site.get(address).http_status == (404 if gone else 200)


def make_private(site, prepared):
    """Nobody else gets what the owner was told is private."""
    album, _, address = prepared
    hidden = said(site.write("updateAlbum", albumID=album, visibility="private", **samples.ALBUM))
    site.disk.end()
    assert site.get(address).http_status == (404 if hidden else 200)
    assert site.get(address, site.user).http_status == 200


def read_photo(site, prepared):
    """Never 404, which browsers and caches would believe."""
    assert site.get(prepared[2]).http_status in (200, 503)
    site.disk.end()
    assert site.get(prepared[2]).http_status == 200


def read_private(site, prepared):
    assert site.get(prepared[2], site.user).http_status in (200, 503)


def nothing(site):
    return None


def a_photo(site):
    return site.new_photo()


def a_read_photo(site):
    """The web server has its link already."""
    made = site.new_photo()
    assert site.get(made[2]).http_status == 200
    return made


def a_private_photo(site):
    return site.new_photo(visibility="private")


REQUESTS = {
    "addPhoto": (a_photo, add_photo), "updateUser": (nothing, change_icon), "updatePhoto": (a_read_photo, delete_photo),
    "updateAlbum, delete": (a_read_photo, delete_album), "updateAlbum, private": (a_read_photo, make_private),
    "a photo": (a_photo, read_photo), "a private photo": (a_private_photo, read_private)}


def each_call(site, error, prepare, act):
    """Fails the first call, then the second and so on, until there are no more; answers their names."""
    names = []
    for before in range(CALLS_MOST):
        prepared = prepare(site)
        site.disk.fail(before, error)
        act(site, prepared)
        name = site.disk.end()
        if name is None:
            return names
        names.append(name)
    raise AssertionError(f"more than {CALLS_MOST} calls")


@pytest.mark.few(2)
@pytest.mark.parametrize("error", ERRORS, ids=lambda error: errno.errorcode[error])
@pytest.mark.parametrize("request_name", REQUESTS)
def test_requests(site, request_name, error):
    there = processes.workers(site.service.daemon.pid)
    names = each_call(site, error, *REQUESTS[request_name])
    assert len(names) >= 2, names
    assert processes.workers(site.service.daemon.pid) == there
    site.is_well()


# Commands, without a service ------------------------------------------------------------------------------------------


@pytest.fixture
def tool(folder, postgres, library, monkeypatch):
    """mapdiaryctl, with an album that has a photo."""
    name = f"failing{next(numbers)}"
    postgres.create_database(name)
    tool = Service(folder, postgres, database=name)
    assert tool.ctl("migrate").returncode == 0
    done(tool, "user", "add", "--email", "a@example.org", "--name", "A", text="correct horse\n")
    tool.album = done(tool, "album", "add", "--owner", "a@example.org", "--title", "x", "--category", 1, "--lat", 1, "--lng", 2).strip()
    tool.file = tool.folder / "photo.jpg"
    add_file(tool)
    tool.disk = Disk(tool.folder / "control", tool.settings["photo_directory"])
    for key, value in (tool.disk.environment | {"LD_PRELOAD": str(library)}).items():
        monkeypatch.setitem(ENVIRONMENT, key, value)
    return tool


def add_file(tool):
    """A new photo of the album; answers its number."""
    tool.file.write_bytes(picture(80, 60))
    return done(tool, "photo", "add", f"album:{tool.album}", tool.file, "--file").strip()


def another_file(tool):
    """The first is removed, with whatever the removals before have left behind."""
    done(tool, "photo", "remove", f"album:{tool.album}", add_file(tool), "--yes")
    return add_file(tool)


def new_file(tool):
    tool.file.write_bytes(picture(80, 60))


COMMANDS = {
    "verify": (nothing, ["photo", "verify"]), "sweep": (nothing, ["photo", "sweep"]), "doctor": (nothing, ["doctor"]),
    "add": (new_file, ["photo", "add", "album:{album}", "{file}", "--file"]),
    "remove": (another_file, ["photo", "remove", "album:{album}", "{prepared}", "--yes"])}


def run(tool, words, prepared):
    """The command ends, with a word on what went wrong."""
    ran = tool.ctl(*(word.format(album=tool.album, file=tool.file, prepared=prepared) for word in words))
    assert ran.returncode >= 0, ran    # no signal
    assert ran.returncode == 0 or ran.stderr.strip() or "FAILED" in ran.stdout, f"{tool.disk.control.failed} failed in silence"
    assert ran.returncode == 0 or tool.disk.control.failed or words == ["doctor"], ran


@pytest.mark.slow
@pytest.mark.parametrize("error", ERRORS, ids=lambda error: errno.errorcode[error])
@pytest.mark.parametrize("command", ["verify", *(pytest.param(name, marks=pytest.mark.slow) for name in COMMANDS if name != "verify")])
def test_commands(tool, command, error):
    prepare, words = COMMANDS[command]
    names = each_call(tool, error, prepare, lambda site, prepared: run(site, words, prepared))
    assert len(names) >= 2, names
    verified = tool.ctl("photo", "verify")
    assert verified.returncode == 0, verified.stdout + verified.stderr
