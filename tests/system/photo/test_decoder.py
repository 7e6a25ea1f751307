"""mapdiary-decoder: what it makes of pictures of all kinds, what it refuses, and what it may do."""

import contextlib
import io
import json
import os
import pathlib
import resource
import select
import shutil
import signal
import socket
import subprocess

import PIL.Image
import pytest

import http_client
import processes
from decoder import (
    ICON, JPEG, MADE, MAGIC, NOT_WRITTEN, PHOTO, REQUEST, TOO_LARGE, UNREADABLE, WEBP, Decoder, black_png, file_of, grey_jpeg, means,
    pixels, run, status_of, with_exif, with_profile, with_segment)
from exif import rationals, short, text
from processes import children, descriptors, flags_of
from service import BUILD, WITH_SANITIZERS, Process, Service, can_connect, in_background, until

FORM = {"REQUEST_METHOD": "POST", "CONTENT_TYPE": "application/x-www-form-urlencoded"}
# Saturated, smooth and noisy in parts; some 100 KiB as a JPEG.
PLASMA = ["-seed", "7", "-size", "600x400", "plasma:red-blue", "-attenuate", "0.3", "+noise", "Gaussian", "-depth", "8"]


@pytest.fixture(scope="module")
def decoder():
    started = Decoder()
    yield started
    assert started.end() == 0


@pytest.fixture(scope="module")
def pictures(tmp_path_factory):
    """{name: bytes}: one of each kind, of the same view."""
    folder = tmp_path_factory.mktemp("pictures")

    def make(command):
        subprocess.run(command, shell=True, check=True, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=60)

    run("convert", *PLASMA, folder / "view.png")
    for command in (
            "convert view.png -quality 90 jpeg.jpg", "convert view.png -quality 90 -interlace JPEG progressive.jpg",
            "convert view.png -quality 90 -sampling-factor 1x1 full-colour.jpg",
            "convert view.png -colorspace Gray grey.jpg", "convert view.png -colorspace CMYK cmyk.jpg",
            "convert view.png -depth 16 -define png:bit-depth=16 deep.png", "convert view.png -interlace PNG interlaced.png",
            "convert view.png -colorspace Gray grey.png", "convert view.png -colors 200 PNG8:palette.png",
            "convert view.png -alpha set opaque.png", "convert view.png -alpha set -channel A -evaluate set 50% alpha.png",
            "convert view.png -depth 16 -define png:bit-depth=16 -alpha set -channel A -evaluate set 50% deep-alpha.png",
            "convert view.png -colors 200 still.gif", "convert -delay 10 view.png \\( view.png -negate \\) moving.gif",
            "gif2webp moving.gif -o moving.webp",
            "cwebp view.png -o lossy.webp", "cwebp -lossless view.png -o lossless.webp", "cwebp alpha.png -o alpha.webp",
            "heif-enc -q 60 jpeg.jpg -o view.heic", "heif-enc -A -q 60 jpeg.jpg -o view.avif",
            "vips icc_transform view.png p3.jpg p3 --input-profile srgb", "vips icc_transform view.png srgb.jpg srgb --input-profile srgb",
            "vips icc_transform view.png deep-p3.png p3 --input-profile srgb --depth 16",
            "vips icc_transform view.png cmyk.tif cmyk --input-profile srgb && vips jpegsave cmyk.tif cmyk-profile.jpg",
            "convert view.png view.tiff", "vips copy view.png view.v", "convert view.png view.ppm", "convert view.png view.bmp"):
        make(command)
    return {path.name: path.read_bytes() for path in folder.iterdir()}


PHOTOS = {  # whether it has colours that are those of the view, and its format once it is published
    "jpeg.jpg": True, "progressive.jpg": True, "full-colour.jpg": True, "grey.jpg": False, "cmyk.jpg": False, "deep.png": True,
    "interlaced.png": True, "grey.png": False, "palette.png": True, "opaque.png": True, "still.gif": True, "moving.gif": True,
    "moving.webp": True, "lossy.webp": True, "lossless.webp": True, "view.heic": True, "view.avif": True, "p3.jpg": True,
    "srgb.jpg": True, "deep-p3.png": True, "cmyk-profile.jpg": False}


def near(found, wanted, most):
    return all(abs(one - other) <= most for one, other in zip(found, wanted, strict=True))


@pytest.mark.parametrize("name", PHOTOS)
def test_photos_of_all_kinds(decoder, pictures, name):
    picture = decoder.ask(pictures[name])
    assert (picture.outcome, picture.format, picture.size) == (MADE, JPEG, (600, 400)), decoder.logged()
    assert pixels(picture.large)[0] == (600, 400) and pixels(picture.small)[0] == (480, 320)
    for made in picture.large, picture.small:
        assert made.startswith(b"\xff\xd8\xff") and b"\xff\xc2" in made  # progressive
        if PHOTOS[name]:
            assert near(means(made), means(pictures["view.png"]), 3)


@pytest.mark.parametrize("name", ["grey.jpg", "grey.png"])
def test_grey_stays_as_bright(decoder, pictures, name):
    picture = decoder.ask(pictures[name])
    assert near(means(picture.large, "gray"), means(pictures[name], "gray"), 2)


@pytest.mark.parametrize("name", ["alpha.png", "deep-alpha.png", "alpha.webp"])
def test_what_is_transparent_stays_so(decoder, pictures, name):
    picture = decoder.ask(pictures[name])
    assert (picture.outcome, picture.format) == (MADE, WEBP)
    for made in picture.large, picture.small:
        assert made[:4] + made[8:12] == b"RIFFWEBP"
        assert near(means(made, "rgba"), [*means(pictures["view.png"]), 128], 4)


HIDDEN = {"RGBA": [(255, 0, 255), (0, 255, 255)], "LA": [(255,) * 3, (240,) * 3]}  # as it is shown
SEEN = {"RGBA": (30, 140, 60), "LA": (98,) * 3}


def erased(size, hole, mode):
    """Of one colour, but for a hole in it that has two others where nobody sees them."""
    image = PIL.Image.new("RGBA", size, (*SEEN[mode], 255))
    width, height = hole
    for begin, colour in zip((0, width // 2), HIDDEN[mode]):
        image.paste((*colour, 0), (begin, 0, width, height))
    written = io.BytesIO()
    image.convert(mode).save(written, "PNG")
    return written.getvalue()


def distance(one, other):
    return sum((first - second) ** 2 for first, second in zip(one, other, strict=True))


@pytest.mark.few(3)
@pytest.mark.parametrize("kind", [PHOTO, ICON])
@pytest.mark.parametrize("size, hole, mode", [
    ((96, 64), (48, 40), "RGBA"), ((96, 64), (48, 40), "LA"), ((601, 399), (301, 203), "RGBA"), ((3001, 2001), (1501, 1003), "RGBA"),
    ((600, 400), (301, 301), "LA")])
def test_what_nobody_sees_is_not_there(decoder, kind, size, hole, mode):
    picture = decoder.ask(erased(size, hole, mode), kind)
    assert (picture.outcome, picture.format) == (MADE, WEBP)
    for made in filter(None, (picture.large, picture.small)):
        shown = PIL.Image.open(io.BytesIO(made)).convert("RGBA")
        unseen = {colours[:3] for _, colours in shown.getcolors(1 << 24) if colours[3] == 0}
        assert unseen
        for colour in unseen:
            assert min(distance(colour, (0, 0, 0)), distance(colour, SEEN[mode])) < min(distance(colour, hidden) for hidden in HIDDEN[mode])


def test_the_first_picture_of_several(decoder, pictures):
    first = means(pictures["view.png"])
    assert not near(first, means(run("convert", "-", "-negate", "png:-", data=pictures["view.png"])), 20)
    for name in "moving.gif", "moving.webp":
        assert near(means(decoder.ask(pictures[name]).large), first, 3)


@pytest.mark.slow
def test_profiles_of_no_use(decoder, pictures):
    """They are of another kind of colours, no profile at all, or empty."""
    _, _, profile = pictures["srgb.jpg"].partition(b"ICC_PROFILE\0\1\1")
    length = int.from_bytes(profile[:4], "big")
    for name in "jpeg.jpg", "grey.jpg", "cmyk.jpg":
        plain = means(decoder.ask(pictures[name]).large)
        for bad in os.urandom(500), b"", profile[:length // 2], *([profile[:length]] if name != "jpeg.jpg" else []):
            picture = decoder.ask(with_profile(pictures[name], bad))
            assert picture.outcome == MADE, decoder.logged()
            assert near(means(picture.large), plain, 2)


# Sizes


@pytest.mark.parametrize("sent, large, small", [
    ((1, 1), (1, 1), (1, 1)), ((480, 480), (480, 480), (480, 480)), ((2048, 2048), (2048, 2048), (480, 480)),
    ((2049, 1000), (2048, 1000), (480, 234)), ((3000, 6000), (1024, 2048), (240, 480)), ((20000, 1), (2048, 1), (480, 1)),
    ((1, 20000), (1, 2048), (1, 480))])
def test_sizes(decoder, sent, large, small):
    picture = decoder.ask(black_png(*sent))
    assert (picture.outcome, picture.size) == (MADE, large)
    assert (pixels(picture.large)[0], pixels(picture.small)[0]) == (large, small)


@pytest.mark.parametrize("sent", [(1, 1), (128, 128), (600, 40), (1, 3000), (3000, 1), (4000, 3000)])
def test_an_icon_is_a_square(decoder, sent):
    picture = decoder.ask(black_png(*sent), ICON)
    assert (picture.outcome, picture.format, picture.size) == (MADE, JPEG, (128, 128))
    assert pixels(picture.large)[0] == (128, 128)


def test_an_icon_is_cut_from_the_middle(decoder):
    strip = run("convert", "-size", "100x100", "xc:red", "xc:lime", "xc:blue", "+append", "png:-")
    _, at = pixels(decoder.ask(strip, ICON).large)
    assert all(near(at(x, y), (0, 255, 0), 12) for x in (2, 125) for y in (2, 125))


# Upright

# By which ImageMagick makes what is stored of what is meant.
STORED = {1: [], 2: ["-flop"], 3: ["-rotate", "180"], 4: ["-flip"], 5: ["-transpose"], 6: ["-rotate", "-90"], 7: ["-transverse"],
          8: ["-rotate", "90"]}
CORNERS = {(2, 2): (255, 0, 0), (297, 2): (0, 255, 0), (2, 197): (0, 0, 255), (297, 197): (255, 255, 255)}


@pytest.mark.parametrize("orientation", STORED)
def test_upright(decoder, orientation):
    quarters = ["-size", "150x100", "(", "xc:red", "xc:lime", "+append", ")", "(", "xc:blue", "xc:white", "+append", ")", "-append"]
    stored = run("convert", *quarters, *STORED[orientation], "-quality", "95", "jpg:-")
    picture = decoder.ask(with_exif(stored, {0x112: short(orientation)}))
    assert picture.size == (300, 200)
    for made in picture.large, picture.small:
        size, at = pixels(made)
        assert size == (300, 200)
        assert all(near(at(*place), colour, 12) for place, colour in CORNERS.items())


# What the camera noted

N25, E121 = rationals((25, 1), (1, 1), (5880, 100)), rationals((121, 1), (33, 1), (5544, 100))
GPS = {1: text("N"), 2: N25, 3: text("E"), 4: E121}
TAKEN, OFFSET = 0x9003, 0x9011


def test_notes(decoder, pictures):
    sent = with_exif(pictures["jpeg.jpg"], camera={TAKEN: text("2026:11:22 08:15:12"), OFFSET: text("+08:00")}, gps=GPS)
    note = decoder.ask(sent).note
    assert near(note.place, (25.033, 121.5654), 1e-9) and note[1:] == ("2026-11-22 08:15:12", 8 * 3600)
    assert decoder.ask(pictures["jpeg.jpg"]).note == (None, None, None)


@pytest.mark.slow
def test_notes_of_other_formats(decoder, pictures, tmp_path):
    for name in "lossy.webp", "deep.png", "view.heic", "view.avif":
        path = tmp_path / name
        path.write_bytes(pictures[name])
        run("exiftool", "-q", "-m", "-overwrite_original", "-GPSLatitude=25.033", "-GPSLatitudeRef=S", "-GPSLongitude=121.5654",
            "-GPSLongitudeRef=W", "-DateTimeOriginal=2026:11:22 08:15:12", "-OffsetTimeOriginal=-03:30", path)
        note = decoder.ask(path.read_bytes()).note
        assert near(note.place, (-25.033, -121.5654), 1e-6) and note[1:] == ("2026-11-22 08:15:12", -12600), name


@pytest.mark.parametrize("north, east, lat, lng", [("N", "E", 1, 1), ("S", "E", -1, 1), ("N", "W", 1, -1), ("S", "W", -1, -1)])
def test_hemispheres(decoder, pictures, north, east, lat, lng):
    note = decoder.ask(with_exif(pictures["jpeg.jpg"], gps=GPS | {1: text(north), 3: text(east)})).note
    assert near(note.place, (25.033 * lat, 121.5654 * lng), 1e-9)


@pytest.mark.parametrize("change", [
    {2: rationals((0, 0), (0, 0), (0, 0))}, {2: rationals((25, 0), (1, 1), (0, 1))}, {2: rationals((25, 1), (1, 1))},
    {2: rationals((91, 1), (0, 1), (0, 1))}, {2: rationals((90, 1), (0, 1), (1, 1))}, {4: rationals((181, 1), (0, 1), (0, 1))},
    {2: rationals((25, 1), (60, 1), (0, 1))}, {2: rationals((25, 1), (0, 1), (61, 1))}, {2: text("25 1 2")}, {1: text("X")},
    {1: text("")}, {1: short(78)}, {2: rationals((2**32 - 1, 1), (0, 1), (0, 1))}])
def test_no_place(decoder, pictures, change):
    picture = decoder.ask(with_exif(pictures["jpeg.jpg"], gps=GPS | change))
    assert (picture.outcome, picture.note.place) == (MADE, None)


@pytest.mark.parametrize("missing", GPS)
def test_half_a_place(decoder, pictures, missing):
    gps = {tag: value for tag, value in GPS.items() if tag != missing}
    assert decoder.ask(with_exif(pictures["jpeg.jpg"], gps=gps)).note.place is None


@pytest.mark.parametrize("taken", [
    "2026:02:29 08:15:12", "2026:13:01 08:15:12", "2026:00:00 00:00:00", "0000:00:00 00:00:00", "2026:11:22 24:00:00",
    "2026:11:22 08:60:12", "2026:11:22 08:15:60", "2026:11:22 08:15", "    :  :     :  :  ", "2026:11:22 08:15:12.",
    "2026:11:22 08:15:12+8", "+026:11:22 08:15:12", ""])
def test_no_time(decoder, pictures, taken):
    assert decoder.ask(with_exif(pictures["jpeg.jpg"], camera={TAKEN: text(taken)})).note.time is None


@pytest.mark.parametrize("offset", ["+15:00", "-14:01", "+08:60", "08:00", "+0800", "+8:0", "Z", "", "+08:00:00", "   :  "])
def test_no_offset(decoder, pictures, offset):
    assert decoder.ask(with_exif(pictures["jpeg.jpg"], camera={OFFSET: text(offset)})).note.offset is None


# Nothing of it is published

PLAIN = {"SourceFile", "ExifTool", "System", "File", "JFIF", "RIFF", "Composite"}


@pytest.mark.few(2)
@pytest.mark.parametrize("name", ["jpeg.jpg", "alpha.png", "lossy.webp", "view.heic", "p3.jpg"])
def test_no_metadata(decoder, pictures, tmp_path, name):
    sent, thumbnail = tmp_path / name, tmp_path / "thumbnail"
    sent.write_bytes(pictures[name])
    thumbnail.write_bytes(run("convert", "-", "-resize", "60", "jpg:-", data=pictures[name]))
    run("exiftool", "-q", "-m", "-overwrite_original", "-GPSLatitude=25.033", "-GPSLatitudeRef=N", "-Make=Canary", "-Model=Canary",
        "-DateTimeOriginal=2026:11:22 08:15:12", "-XMP:Creator=Canary", "-XMP:GPSLatitude=25.033", "-Comment=Canary",
        f"-ThumbnailImage<={thumbnail}", sent)
    picture = decoder.ask(sent.read_bytes())
    assert picture.outcome == MADE
    for made in picture.large, picture.small:
        for trace in b"Exif", b"http://ns.adobe.com", b"ICC_PROFILE", b"ICCP", b"Canary", b"2026", b"Photoshop":
            assert trace not in made
        (told,) = json.loads(run("exiftool", "-j", "-G1", "-", data=made))
        assert {name.partition(":")[0] for name in told} <= PLAIN
        assert picture.format == WEBP or made.count(b"\xff\xd8\xff") == 1


# What is no picture, or not all of one


@pytest.mark.parametrize("name", ["jpeg.jpg", "progressive.jpg", "deep.png", "interlaced.png", "palette.png", "still.gif", "moving.gif",
                                  "moving.webp", "lossy.webp", "lossless.webp", "view.heic", "view.avif"])
def test_what_is_cut_off(decoder, pictures, name):
    data = pictures[name]
    lengths = {0, 1, 10, *range(100, len(data), len(data) // 30), len(data) - 100, len(data) - 20, len(data) - 1}
    assert {length: UNREADABLE for length in lengths} == {length: decoder.outcome(data[:length]) for length in lengths}


@pytest.mark.parametrize("name", ["view.tiff", "view.v", "view.ppm", "view.bmp", "cmyk.tif"])
def test_formats_that_are_not_taken(decoder, pictures, name):
    assert decoder.outcome(pictures[name]) == UNREADABLE


@pytest.mark.parametrize("data", [
    b"", b"\0", b"hello", b"\xff\xd8\xff", b"GIF89a", b"\x89PNG\r\n\x1a\n", b"RIFF\4\0\0\0WEBP", b"%PDF-1.4\n%%EOF", b"PK\3\4",
    b"\0\0\0\x18ftypheic\0\0\0\0heicmif1", b"10 10\n1 2 3\n", b"#?RADIANCE\n", b"\x1f\x8b\x08", b"P6 1 1 255\n...",
    b'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><image href="/etc/passwd" width="9" height="9"/></svg>',
    b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><svg xmlns="http://www.w3.org/2000/svg">&a;</svg>'])
def test_what_is_no_picture(decoder, data):
    assert decoder.outcome(data) == UNREADABLE


def test_what_is_also_something_else(decoder, pictures):
    plain = decoder.ask(pictures["jpeg.jpg"])
    for behind in b"PK\3\4" + os.urandom(500), b"<script>alert(1)</script>", pictures["deep.png"]:
        picture = decoder.ask(pictures["jpeg.jpg"] + behind)
        assert (picture.outcome, picture.large) == (MADE, plain.large)
        picture = decoder.ask(with_segment(pictures["jpeg.jpg"], 0xFE, behind[:1000]))
        assert (picture.outcome, picture.large) == (MADE, plain.large)


def test_flipped_bits(decoder, pictures):
    """Whatever becomes of them, the next picture is made."""
    for name in "jpeg.jpg", "deep.png", "moving.gif", "lossy.webp", "view.heic", "view.avif":
        data = bytearray(pictures[name])
        for at in range(0, len(data), len(data) // 10):
            broken = bytes(data[:at]) + bytes([data[at] ^ 0x55]) + bytes(data[at + 1:])
            assert decoder.ask(broken) is not None
    assert decoder.outcome(pictures["jpeg.jpg"]) == MADE


def test_little_is_logged(pictures):
    decoder = Decoder()
    cut = pictures["interlaced.png"][:-50000]
    for data in cut, pictures["moving.gif"][:-1000], pictures["jpeg.jpg"], with_profile(pictures["jpeg.jpg"], os.urandom(500)):
        decoder.ask(data)
    assert decoder.end() == 0
    lines = decoder.logged().splitlines()
    assert len(lines) == 2 and all("info: a picture is refused: " in line for line in lines)


def test_a_refusal_says_why(pictures):
    decoder = Decoder()
    damaged = bytearray(pictures["deep.png"])
    damaged[24] ^= 0xFF  # its depth
    broken = {"": b"", "text": b"hello", "header": bytes(damaged), "end": pictures["moving.gif"][:-1],
              "head": pictures["deep.png"][:24], "middle": pictures["view.heic"][:-1000], "large": black_png(10001, 10000)}
    for data in broken.values():
        assert decoder.outcome(data) != MADE
    assert decoder.end() == 0
    reasons = [line.partition("a picture is refused: ")[2] for line in decoder.logged().splitlines()]
    assert len(reasons) == len(broken) and all(len(reason.strip()) > 10 for reason in reasons), reasons
    assert not any("bad seek" in reason for reason in reasons)


# Too large


@pytest.mark.parametrize("width, height", [(50000, 50000), (10001, 10000)])
def test_too_many_pixels(decoder, width, height):
    assert decoder.outcome(black_png(width, height)) == TOO_LARGE


def test_as_many_pixels_as_may_be(decoder):
    assert decoder.ask(black_png(10000, 10000)).size == (2048, 2048)


@contextlib.contextmanager
def limited(which, amount):
    """A decoder that may have no more of it, nor may the processes of its pictures."""
    decoder = Decoder(preexec_fn=lambda: resource.setrlimit(which, (amount, amount)))
    yield decoder
    assert decoder.end() == 0


@pytest.mark.skipif(WITH_SANITIZERS, reason="a sanitizer takes more addresses than there is memory")
def test_too_much_memory(pictures):
    bombs = [black_png(5000, 5000, 16, 6, interlaced=True),
             run("convert", "-size", "5000x5000", "xc:orange", "-interlace", "JPEG", "-sampling-factor", "1x1", "jpg:-")]
    with limited(resource.RLIMIT_AS, 260 << 20) as decoder:
        assert decoder.outcome(pictures["jpeg.jpg"]) == MADE, decoder.logged()
        assert [decoder.outcome(bomb) for bomb in bombs] == [TOO_LARGE] * 2, decoder.logged()
        assert decoder.outcome(pictures["jpeg.jpg"]) == MADE


def test_too_much_time(pictures):
    with limited(resource.RLIMIT_CPU, 1) as decoder:
        assert decoder.outcome(black_png(7000, 7000, 16, 6)) == TOO_LARGE
        assert decoder.outcome(pictures["jpeg.jpg"]) == MADE


@pytest.mark.slow
def test_too_long(pictures):
    """It takes no processor time, and is ended even so; the others are not."""
    decoder = Decoder("6", "5")
    job = decoder.begin(LONG_WORK)
    os.kill(picture_process(decoder), signal.SIGSTOP)
    assert decoder.outcome(pictures["jpeg.jpg"]) == MADE
    assert job.answer().outcome == TOO_LARGE
    assert decoder.outcome(pictures["jpeg.jpg"]) == MADE
    assert decoder.end() == 0
    assert decoder.logged().count("info: a picture is refused: it takes too long") == 1


@pytest.mark.parametrize("clock", [signal.SIGPROF, signal.SIGALRM])
def test_its_own_clock_ends_it(pictures, clock):
    decoder = Decoder()
    job = decoder.begin(LONG_WORK)
    os.kill(picture_process(decoder), clock)
    assert job.answer().outcome == TOO_LARGE
    assert decoder.outcome(pictures["jpeg.jpg"]) == MADE
    assert decoder.end() == 0
    assert decoder.logged().count("info: a picture is refused: it takes too long") == 1


@pytest.mark.parametrize("scans, outcome", [(1, MADE), (100, MADE), (101, TOO_LARGE), (882, TOO_LARGE)])
def test_scans(decoder, scans, outcome):
    assert decoder.outcome(grey_jpeg(320, 240, scans)) == outcome


# What libjpeg skips two bytes of, and an application's segment, which it skips whole.
@pytest.mark.parametrize("hidden, outcome", [
    (b"\xff\x01\xff\xff", TOO_LARGE), (b"\xff\xd0\xff\xff", TOO_LARGE), (b"\xff\xe5\xff\xff", UNREADABLE)])
def test_scans_that_hide(decoder, hidden, outcome):
    """Behind what looks like a segment."""
    picture = grey_jpeg(64, 64, 882)
    scan = picture.index(b"\xff\xda", picture.index(b"\xff\xda") + 2)
    assert decoder.outcome(picture[:scan] + hidden + picture[scan:]) == outcome


@pytest.mark.parametrize("arguments", [["6", "0"], ["6", "46"], ["6", "x"], ["2"], ["6", "1", "1"]])
def test_wrong_arguments(arguments):
    decoder = Decoder(*arguments)
    assert decoder.process.wait(30) == 64


def test_too_large_a_file(pictures):
    with limited(resource.RLIMIT_FSIZE, 1000) as decoder:
        assert decoder.outcome(pictures["jpeg.jpg"]) == TOO_LARGE


# Those who die, and those who leave

LONG_WORK = black_png(9000, 9000, 16, 6)


def picture_process(decoder):
    """The process of the only picture that is under way, once it is in it."""
    return until(lambda: processes.pictures(decoder.process.pid), "it has begun")[0]


@pytest.mark.parametrize("how, outcome", [(signal.SIGKILL, TOO_LARGE), (signal.SIGSEGV, UNREADABLE), (signal.SIGABRT, UNREADABLE)])
def test_a_picture_that_kills(decoder, pictures, how, outcome):
    job = decoder.begin(LONG_WORK)
    os.kill(picture_process(decoder), how)
    assert job.answer().outcome == outcome
    assert decoder.outcome(pictures["jpeg.jpg"]) == MADE


def test_nobody_waits_any_more(decoder):
    job = decoder.begin(LONG_WORK)
    pid = picture_process(decoder)
    job.leave()
    until(lambda: pid not in children(decoder.process.pid), "its process is ended")


def test_the_next_decoder_finds_what_waits(pictures):
    first = Decoder()
    count = os.sysconf("SC_NPROCESSORS_ONLN")
    lost = [first.begin(LONG_WORK) for _ in range(count)]
    until(lambda: len(children(first.process.pid)) == count, "all that may be are under way")
    waiting = first.begin(pictures["jpeg.jpg"])
    theirs = os.pidfd_open(first.process.pid)
    first.process.kill()
    first.process.wait()
    os.close(theirs)
    assert [job.answer() for job in lost] == [None] * count
    waiting.leave()  # nobody but the dead had the channel's other end
    first.channel.close()


@pytest.mark.slow
def test_no_more_at_a_time_than_processors(decoder, pictures):
    count, most = os.sysconf("SC_NPROCESSORS_ONLN"), 0
    # The first takes seconds, in which it is seen.
    jobs = [decoder.begin(picture) for picture in (LONG_WORK, *[pictures["deep.png"]] * 4 * count)]
    while len(select.select([job.reply for job in jobs], [], [], 0)[0]) < len(jobs):
        most = max(most, len(children(decoder.process.pid)))
    assert 1 <= most <= count
    outcomes = [job.answer().outcome for job in jobs]
    assert set(outcomes[1:]) == {MADE}
    assert outcomes[0] in (MADE, TOO_LARGE)  # the latter where other processes keep it from the processor


def test_what_is_under_way_is_finished_at_the_end(pictures):
    decoder = Decoder()
    jobs = [decoder.begin(pictures["deep.png"]) for _ in range(8)]
    assert decoder.end() == 0
    assert {job.answer().outcome for job in jobs} == {MADE}


# What it is told


def test_messages_that_are_no_jobs(decoder, pictures):
    reply, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    file, pipe, folder = file_of(pictures["jpeg.jpg"]), os.pipe(), os.open("/", os.O_RDONLY)
    good, ours = REQUEST.pack(MAGIC, 0), theirs.fileno()
    outputs = file_of(), file_of()
    inputs = [file.fileno(), *(output.fileno() for output in outputs)]
    for content, sent in (
            (b"", []), (b"x", []), (good, []), (good, [ours]), (good, [ours, *inputs[:2]]), (good, inputs + [ours]),
            (good, [inputs[0], *inputs]), (good, [ours, pipe[0], *inputs[1:]]), (good, [ours, inputs[0], pipe[1], inputs[2]]),
            (good, [ours, folder, *inputs[1:]]), (good, [ours, *inputs, ours]), (good + b"x", [ours, *inputs]),
            (good[:-1], [ours, *inputs]), (REQUEST.pack(MAGIC, 2), [ours, *inputs]), (REQUEST.pack(MAGIC + 1, 0), [ours, *inputs]),
            (REQUEST.pack(MAGIC, 1), [ours, *inputs]), (bytes(100000), [ours] * 100)):
        if content:
            socket.send_fds(decoder.channel, [content], sent)
        else:
            decoder.channel.send(content)
        assert decoder.outcome(pictures["jpeg.jpg"]) == MADE
    theirs.close()
    assert reply.recv(100) == b""  # nothing was answered, and all is closed
    until(lambda: len(descriptors(decoder.process.pid)) == 5, "all that came with them is closed")


def test_files_that_cannot_be_written(decoder, pictures):
    reply, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    reply.settimeout(30)
    file = file_of(pictures["jpeg.jpg"])
    with open("/etc/passwd", "rb") as other, theirs:
        socket.send_fds(decoder.channel, [REQUEST.pack(MAGIC, 0)], [theirs.fileno(), file.fileno(), other.fileno(), other.fileno()])
    assert int.from_bytes(reply.recv(1000)[:4], "little") == NOT_WRITTEN


# What it may


def filters(pid):
    """How many of seccomp's there are: a container has some already."""
    return int(status_of(pid, "Seccomp_filters"))


def nice_of(pid):
    return int(pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[16])


def in_the_smaller_box(decoder):
    """A job, and the process of its picture; on a fast machine one may have ended before it is looked at."""
    for _ in range(10):
        job = decoder.begin(LONG_WORK)
        picture = picture_process(decoder)
        try:
            until(lambda picture=picture: filters(picture) > filters(decoder.process.pid), "it is in the smaller box")
            return job, picture
        except FileNotFoundError:
            job.answer()
    raise AssertionError("every picture was ready before it was looked at")


def test_what_the_processes_have(decoder):
    parent = decoder.process.pid
    until(lambda: (status_of(parent, "Seccomp"), status_of(parent, "NoNewPrivs")) == ("2", "1"), "it has shut itself in")
    until(lambda: len(descriptors(parent)) == 5, "it has ended its work")
    there = descriptors(parent)
    assert there.pop(0).startswith("socket:") and there.pop(1) == there.pop(2)  # the channel, the log
    assert sorted(there.values()) == ["/dev/null", "anon_inode:[signalfd]"]
    job, picture = in_the_smaller_box(decoder)
    assert nice_of(picture) == nice_of(parent) == min(nice_of(os.getpid()) + 5, 19)
    there = descriptors(picture)
    assert [there[number] for number in range(3)] == ["/dev/null"] * 3
    assert len(there) == 3 + 4 and sum(what.startswith("pipe:") for what in there.values()) == 1
    assert sum(what.endswith("(deleted)") for what in there.values()) == 3  # the picture, and what is made of it
    limits = pathlib.Path(f"/proc/{picture}/limits").read_text()
    assert WITH_SANITIZERS or f"{1536 << 20}" in limits
    os.kill(picture, signal.SIGKILL)
    assert job.answer().outcome == TOO_LARGE


# As a child of the service


def test_the_service_has_one(start_service):
    service = start_service(workers=1)
    pid = processes.decoder(service.daemon.pid)
    until(lambda: status_of(pid, "Seccomp") == "2", "it is in its box")
    assert len(processes.sockets(pid)) == 1  # the channel: neither what it listens on, nor a database
    os.kill(pid, signal.SIGKILL)
    until(lambda: pid not in children(service.daemon.pid), "its end is seen")
    until(lambda: processes.has_all_processes(service.daemon.pid, 1), "there is another")
    assert service.metric('process_restarts_total{kind="decoder",reason="died"}') == 1
    assert service.metric('processes{kind="decoder",state="idle"}') == 1


def test_it_stays_when_the_configuration_is_read_anew(start_service):
    service = start_service(workers=1)
    decoder, (worker,) = processes.decoder(service.daemon.pid), processes.workers(service.daemon.pid)
    os.kill(service.daemon.pid, signal.SIGHUP)
    until(lambda: worker not in children(service.daemon.pid) and processes.has_all_processes(service.daemon.pid, 1),
          "the worker is another")
    assert processes.decoder(service.daemon.pid) == decoder


class Alone(Service):
    """mapdiaryd where no decoder lies beside it, nor is one installed; or a program that is to be one."""

    program = None

    def start_daemon(self):
        if self.program is not None:
            self.replace_decoder(self.program)
        program = shutil.copy(BUILD / "mapdiaryd", self.folder)
        self.daemon = Process([program, "-c", self.conf], self.log)
        assert self.daemon.wait_ready(lambda: can_connect(self.socket), "mapdiaryd starts"), self.log.read_text()

    def replace_decoder(self, program):
        path = self.folder / "mapdiary-decoder"
        path.unlink(missing_ok=True)
        path.write_bytes(program)
        path.chmod(0o755)


def uploaded(service, user, album, picture):
    body, content_type = http_client.body_of({"func": "addPhoto", "albumID": album, "photo": http_client.File(picture)})
    return service.fastcgi(body, REQUEST_METHOD="POST", CONTENT_TYPE=content_type, HTTP_COOKIE=user.cookie)


def test_what_came_of_pictures_is_counted(start_service, album, alice, pictures):
    service = start_service(workers=2)
    for picture in pictures["jpeg.jpg"], b"none", pictures["lossy.webp"], black_png(10001, 10000):
        uploaded(service, alice, album, picture)
    assert service.call("updateUser", user=alice, icon=http_client.File(pictures["grey.png"])).info is None
    counts = [service.metric(f'pictures_total{{outcome="{outcome}"}}') for outcome in ("made", "not readable", "too large", "unavailable")]
    assert counts == [3, 1, 1, 0]


def test_what_was_sent_can_be_read_alone(start_service, album, alice):
    """Whatever a picture does with its process: the name of its file is the digest of what was sent."""
    service = start_service(workers=2, photo_size="600MiB")
    with in_background(lambda: uploaded(service, alice, album, LONG_WORK)) as (answer,):
        the_decoder = processes.decoder(service.daemon.pid)
        picture = until(lambda: processes.pictures(the_decoder), "it has begun")[0]
        until(lambda: filters(picture) > filters(the_decoder), "it is in the smaller box")
        files = [number for number, what in descriptors(picture).items() if what.endswith("(deleted)")]
        modes = [flags_of(picture, number) & os.O_ACCMODE for number in files]
        os.kill(picture, signal.SIGKILL)
        assert sorted(modes) == [os.O_RDONLY, os.O_RDWR, os.O_RDWR]
        assert answer.result().info == "PHOTO TOO LARGE"


def test_no_decoder(folder, postgres, album):
    service = Alone(folder, postgres, workers=2)
    service.start_daemon()
    until(lambda: service.log.read_text().count("mapdiary-decoder: No such file or directory") >= 2, "it is tried again")
    assert b"SUCCESS" in service.fastcgi(b"func=getAlbum&albumID=%d" % album, **FORM).body
    service.stop()


# As where a library is missing, or has another version; and as where one crashes.
@pytest.mark.parametrize("program", ["exit 127", "kill -SEGV $$"])
def test_one_that_does_not_start(folder, postgres, album, alice, pictures, program):
    service = Alone(folder, postgres, workers=2)
    service.program = f"#!/bin/sh\n{program}\n".encode()
    service.mark_photos()
    service.start_daemon()
    for _ in range(2):
        answer = uploaded(service, alice, album, pictures["jpeg.jpg"])
        assert (answer.http_status, answer.info, answer.header("Retry-After")) == (503, "SERVICE UNAVAILABLE", "1")
    assert service.metric('pictures_total{outcome="unavailable"}') == 2
    log = service.log.read_text()
    assert log.count("mapdiary-decoder does not start") == 1 and "no answer for" not in log
    service.replace_decoder((BUILD / "mapdiary-decoder").read_bytes())
    until(lambda: uploaded(service, alice, album, pictures["jpeg.jpg"]).info is None, "the decoder is there")
    service.stop()
