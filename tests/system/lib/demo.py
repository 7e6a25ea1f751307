"""A service with the content of the demo."""

import contextlib
import csv
import subprocess

from conftest import Rows
from http_client import File
from samples import KIND_OF
from service import ENVIRONMENT, TOP, Service

PASSWORD = "map-diary"


def upload_photos(service, db):
    """As the demo does."""
    with open(TOP / "sample/photos.tsv", encoding="utf-8", newline="") as file:
        for kind, title, photo, description in csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            (piece, owner), = db.run("SELECT number, owner_id FROM piece WHERE kind = %s AND title = %s", KIND_OF[kind], title)
            cookie = service.ctl("session", "add", "--user", owner).stdout.strip()
            body = File((TOP / "sample/photos" / photo).read_bytes())
            service.ok("addPhoto", cookie=cookie, photo=body, description=description, **{kind: piece})


def load_sql(postgres, database, name):
    load = [postgres.programs / "psql", "-Xq", "-f", TOP / "sample" / name, postgres.dsn("mapdiary", database)]
    subprocess.run(load, check=True, env=ENVIRONMENT, timeout=60)


@contextlib.contextmanager
def content_of_the_demo(folder, postgres, database, web=None):
    """A service with the accounts and the content of the demo, as they are at its first start."""
    postgres.create_database(database)
    service = Service(folder, postgres, database=database, web=web, workers=4)
    assert service.ctl("migrate").returncode == 0
    with open(TOP / "sample/users.tsv", encoding="utf-8", newline="") as file:
        for email, name, icon in csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            words = ["--email", email, "--name", name, "--icon", icon]
            assert service.ctl("user", "add", *words, text=PASSWORD + "\n").returncode == 0
    load_sql(postgres, database, "content.sql")
    service.start()
    with contextlib.closing(postgres.connect("mapdiary_owner", database)) as connection:
        upload_photos(service, Rows(connection))
    load_sql(postgres, database, "photos.sql")
    yield service
    service.stop()
