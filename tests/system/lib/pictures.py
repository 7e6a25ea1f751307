"""Photos that are there without having been sent: their rows, and their files, as an upload leaves both."""

import contextlib
import hashlib
import os
import pathlib
import secrets

EARLIER = 1_600_000_000
TYPES = {"jpg": "image/jpeg", "webp": "image/webp"}


class Picture:
    """One address, and the bytes that it stands for."""

    def __init__(self, owner, name, part, kind, body):
        self.owner, self.part, self.kind, self.body = owner, part, kind, body
        self.name = name.hex()
        self.below = f"{owner}/{self.name}/{part}.{kind}"
        self.path = f"/photos/{self.below}"


def photo_directory(service):
    return pathlib.Path(service.settings["photo_directory"])


def put(service, body, room="pictures"):
    """A file as the service keeps it; returns its name."""
    digest = hashlib.sha256(body)
    folder = photo_directory(service) / room / digest.hexdigest()[:2]
    folder.mkdir(mode=0o711, parents=True, exist_ok=True)
    file = folder / digest.hexdigest()
    file.write_bytes(body)
    file.chmod(0o644 if room == "pictures" else 0o600)
    os.utime(file, (EARLIER, EARLIER))  # validators of what has just been written are weak
    return digest.digest()


def new_body(size):
    return os.urandom(size)


def new_photo(service, db, album=None, poi=None, kind="jpg", size=100_000):
    """A photo of an album or a place: its large picture, and its small one."""
    bodies = [new_body(size), new_body(size // 3)]
    original = new_body(1000)
    name = secrets.token_bytes(16)
    piece_kind, owner = (0, album) if album else (1, poi)
    position = db.value("SELECT coalesce(max(position), 0) + 1 FROM photo WHERE kind = %s AND number = %s", piece_kind, owner)
    db.insert(
        "photo", kind=piece_kind, number=owner, position=position, name=name, original_sha256=put(service, original, "originals"),
        original_bytes=len(original), large_sha256=put(service, bodies[0]), small_sha256=put(service, bodies[1]),
        format=list(TYPES).index(kind), width=1, height=1)
    letter = "a" if album else "p"
    return [Picture(f"{letter}{owner}", name, part, kind, body) for part, body in zip(("large", "small"), bodies)]


def new_icon(service, db, user, kind="jpg"):
    body, name = new_body(2000), secrets.token_bytes(16)
    db.run("UPDATE user_account SET icon = '', icon_name = %s, icon_sha256 = %s, icon_format = %s WHERE user_id = %s",
           name, put(service, body), list(TYPES).index(kind), user.id)
    return Picture(f"u{user.id}", name, "icon", kind, body)


def link(service, picture):
    """Where the web server finds it."""
    return photo_directory(service) / "public/photos" / picture.below


def withdraw(service, picture, whole_piece=False):
    """What comes before a commit that takes a photo, or all of a piece, from its address."""
    folder = link(service, picture).parent
    with contextlib.suppress(FileNotFoundError):
        (folder.parent if whole_piece else folder).rename(photo_directory(service) / "gone" / secrets.token_hex(16))
