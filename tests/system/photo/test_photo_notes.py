"""What cameras have noted in pictures of all formats: where they were taken, and when; as the service reads it, and as the page."""

import base64
import json
import shutil
import subprocess

import pytest

from decoder import MADE, Decoder
from noted_pictures import rows
from service import ENVIRONMENT, TOP

# A line is a picture, or the place that was found in it.
READ = """
import { createInterface } from "node:readline";
import { placeOfPhoto } from "./exif.js";
for await (const line of createInterface({ input: process.stdin }))
    console.log(JSON.stringify(await placeOfPhoto(new Blob([Buffer.from(line, "base64")]))));
"""


@pytest.fixture(scope="module")
def decoder():
    started = Decoder()
    yield started
    assert started.end() == 0


@pytest.mark.parametrize("row", rows(), ids=lambda row: row.name)
def test_the_service_reads(decoder, row):
    picture = decoder.ask(row.data)
    assert picture.outcome == MADE, decoder.logged()
    assert (picture.note.time, picture.note.offset) == (row.time, row.offset)
    assert picture.note.place == (row.place and pytest.approx(row.place, abs=1e-6))


@pytest.fixture(scope="module")
def places(tmp_path_factory):
    """{name: place}, as the page reads them."""
    folder = tmp_path_factory.mktemp("page")
    for name in "exif.js", "photo_file.js":
        shutil.copy(TOP / "www/js" / name, folder)
    (folder / "package.json").write_text('{"type": "module"}', encoding="utf-8")
    (folder / "read.js").write_text(READ, encoding="utf-8")
    lines = "".join(base64.b64encode(row.data).decode() + "\n" for row in rows())
    ran = subprocess.run(["node", "read.js"], cwd=folder, input=lines, capture_output=True, check=True, text=True, timeout=120,
                         env=ENVIRONMENT)
    return dict(zip((row.name for row in rows()), map(json.loads, ran.stdout.splitlines()), strict=True))


@pytest.mark.parametrize("row", rows(), ids=lambda row: row.name)
def test_the_page_reads(places, row):
    found = places[row.name]
    assert (found and (found["lat"], found["lng"])) == (row.place and pytest.approx(row.place, abs=1e-6))


def test_the_table_has_every_format():
    kinds = [row.name.split()[0] for row in rows()]
    least = {"jpeg": 35, "heic": 10, "png": 6, "webp": 5, "avif": 4}
    assert all(kinds.count(kind) >= count for kind, count in least.items())
