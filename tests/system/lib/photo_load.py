"""A load of photos that counts: they are sent, fetched and deleted, and at the end compared with rows, files and addresses."""

import collections
import dataclasses
import hashlib
import http.client
import random
import time
import urllib.parse

from drawn import picture
from http_client import File
from load import CLIENTS, Load
from samples import ALBUM

SHARED = File(picture(160, 120))  # of equal bytes there is one file


def digest(content):
    return hashlib.sha256(content).hexdigest()


def fetch(service, address):
    """Its answer to a stranger; None where there was none."""
    try:
        return service.request(path=urllib.parse.urlsplit(address).path)
    except (OSError, http.client.HTTPException):
        return None


@dataclasses.dataclass
class Photo:
    """One that was sent."""

    title: str
    content: bytes
    identifier: int = 0  # once it is acknowledged
    addresses: tuple = ()
    deletion: str = ""  # or asked, or acknowledged


class PhotoLoad(Load):
    """Clients of which each sends a photo, fetches it, and deletes every third one, while a stranger looks at all of them."""

    REFUSALS = "PHOTO TOO LARGE",  # of a picture whose process is killed

    def __init__(self, service, user):
        super().__init__(service, user)
        self.album = int(service.ok("addAlbum", user=user, **ALBUM)["albumID"])
        self.photos = []
        self.faults = collections.Counter()  # what should not be

    def client(self):
        if self.is_stranger():
            return self.look_around()
        while not self.stop.is_set():
            photo = self.next_photo()
            answer = self.upload(photo)
            if answer and not answer.info:
                self.note(photo, answer)
                for address in photo.addresses:
                    fetch(self.service, address)
                if random.random() < 1 / 3:
                    self.delete(photo)

    def is_stranger(self):
        """The first of the clients is."""
        with self.lock:
            self.clients = getattr(self, "clients", 0) + 1
            return self.clients == CLIENTS

    def next_photo(self):
        number = next(self.numbers)
        photo = Photo(f"load {number}", SHARED if number % 5 == 0 else File(picture(160, 120)))
        with self.lock:
            self.photos.append(photo)
        return photo

    def upload(self, photo, **how):
        return self.ask("addPhoto", user=self.user, albumID=self.album, description=photo.title, photo=photo.content,
                        **how)

    def delete(self, photo):
        photo.deletion = "asked"
        if self.ask("updatePhoto", user=self.user, photoID=photo.identifier, delete="true"):
            photo.deletion = "acknowledged"

    def note(self, photo, answer):
        with self.lock:
            photo.identifier = int(answer["photoID"])
            photo.addresses = answer["photoPath"], answer["thumbnail"]
            self.writes.append(time.monotonic())

    def look_around(self):
        while not self.stop.is_set():
            seen = [photo for photo in self.photos[-100:] if photo.addresses]
            if not seen:
                time.sleep(0.01)
                continue
            photo = random.choice(seen)
            before = photo.deletion
            answer = fetch(self.service, random.choice(photo.addresses))
            if answer and answer.http_status == 200 and before == "acknowledged":
                self.faults["shown after its deletion"] += 1
            if answer and answer.http_status == 404 and not photo.deletion:
                self.faults["not found, and not deleted"] += 1

    # Afterwards

    def compare(self, db):
        rows = {photo: row for photo, *row in db.run(
            "SELECT photo_id, description, encode(original_sha256, 'hex'), encode(large_sha256, 'hex'),"
            " encode(small_sha256, 'hex') FROM photo WHERE kind = 0 AND number = %s", self.album)}
        titles = collections.Counter(title for title, *_ in rows.values())
        self.figures.twice = sum(count > 1 for count in titles.values())
        self.find_rows_without_files(rows)
        for photo in self.photos:
            if photo.identifier:
                self.compare_one(photo, rows.get(photo.identifier))
        verified = self.service.ctl("photo", "verify")
        if verified.returncode != 0:
            self.faults[verified.stdout + verified.stderr] += 1
        self.figures.lost = sum(self.faults.values())
        self.errors += self.faults
        return self.figures

    def find_rows_without_files(self, rows):
        for _, original, large, small in rows.values():
            for room, name in ("originals", original), ("pictures", large), ("pictures", small):
                path = self.service.settings["photo_directory"] / room / name[:2] / name
                if not path.exists() or digest(path.read_bytes()) != name:
                    self.faults["a row without its file"] += 1

    def compare_one(self, photo, row):
        is_right = photo.deletion == "asked" or (row is None) == (photo.deletion == "acknowledged")
        if not is_right or row and row[:2] != [photo.title, digest(photo.content)]:
            self.faults["lost, or there after its deletion"] += 1
        for _ in range(2):  # the first time links what may be seen
            for at, address in enumerate(photo.addresses):
                answer = fetch(self.service, address)
                wanted = (200, row[2 + at]) if row else (404, digest(b"PHOTO NOT FOUND\n"))
                if (answer.http_status, digest(answer.body)) != wanted:
                    self.faults[f"{answer.http_status} at its address instead of {wanted[0]}"] += 1


class PatientPhotoLoad(PhotoLoad):
    """Clients that send each photo under a key of its own, again and again, until they are told what became of it."""

    def upload(self, photo, **how):
        headers = [("Idempotency-Key", photo.title.replace(" ", "-"))]
        answer = None
        while not answer:
            answer = super().upload(photo, headers=headers, **how)
        return answer

    def compare(self, db):
        """As above; beyond it, nothing is there that nobody was told of."""
        figures = super().compare(db)
        figures.twice += db.value("SELECT count(*) FROM photo WHERE kind = 0 AND number = %s AND photo_id <> ALL (%s)",
                                  self.album, [photo.identifier for photo in self.photos])
        return figures
