"""Files of today's phones and cameras, box by box: what stands beside the picture takes nothing from it."""

import struct

import pytest

import exif
import heif
from decoder import ICON, JPEG, MADE, PHOTO, UNREADABLE, WEBP, Decoder, means, run
from noted_pictures import ALL, AVIF, BLOCK, HEAD, HEIC, coded, jpeg, plain

RED, BLUE = (200, 60, 20), (20, 60, 200)
GAIN_MAP = heif.auxiliary("urn:com:apple:photo:2020:aux:hdrgainmap")
DEPTH = heif.auxiliary("urn:mpeg:hevc:2015:auxid:2")
ALPHA = heif.auxiliary("urn:mpeg:mpegB:cicp:systems:auxiliary:alpha"), heif.auxiliary("urn:mpeg:hevc:2015:auxid:1")
TONE_MAPPED = heif.file_type(b"heic", b"tmap", b"mif1", b"heic")
MOVING = b"avis", b"avif", b"msf1", b"miaf", b"mif1"
FILM = heif.box(b"moov", heif.full_box(b"mvhd", 0, bytes(96)))


@pytest.fixture(scope="module")
def decoder():
    started = Decoder()
    yield started
    assert started.end() == 0


def red(number=1, *more):
    return heif.picture(number, coded(), *more)


def blue(number, *more, **options):
    return heif.picture(number, coded(colour=BLUE), *more, **options)


def grey(number, *more):
    return heif.picture(number, coded(colour=(128, 128, 128)), *more, hidden=True)


GRID = heif.Item(7, b"grid", bytes((0, 0, 0, 1)) + struct.pack(">HH", 192, 64), [heif.full_box(b"ispe", 0, struct.pack(">II", 192, 64))])
SAME = heif.Item(7, b"iden", b"", coded().properties[1:2])
TONE_MAP = heif.Item(3, b"tmap", bytes(62), coded().properties[1:])
NOTED = heif.exif_item(0x5A, BLOCK, HEAD)
XMP = heif.Item(0x5B, b"mime", b"<x:xmpmeta/>")
OF_TONE_MAP = b"dimg", 3, [1, 2]


def iphone(primary=1, described=(1, 3), beside=(), **options):
    """Of iOS 18: the gain map and what describes the picture are of both, of the picture and of its tone map."""
    return heif.container(TONE_MAPPED, [red(), blue(2, GAIN_MAP, hidden=True), TONE_MAP, NOTED, XMP], [
        OF_TONE_MAP, (b"auxl", 2, [1, 3]), (b"cdsc", 0x5A, list(described)), (b"cdsc", 0x5B, list(described)), *beside], primary, **options)


RED_ONES = {
    "iphone": iphone(),
    "iphone, wide numbers": iphone(layout=heif.Layout(wide=True)),
    "iphone, map in its meta": iphone(layout=heif.Layout(in_meta=[3])),
    "tone map to be shown": iphone(primary=3),
    "tone map that is described": iphone(primary=3, described=[3]),
    "gain map of both, and a depth map": heif.container(
        TONE_MAPPED, [red(), blue(2, GAIN_MAP, hidden=True), TONE_MAP, blue(4, DEPTH, hidden=True)],
        [OF_TONE_MAP, (b"auxl", 2, [1, 3]), (b"auxl", 4, [1, 3])]),
    "grid": heif.container(
        TONE_MAPPED, [red(), red(2), GRID, blue(8, GAIN_MAP, hidden=True), TONE_MAP],
        [(b"dimg", 7, [1, 2]), (b"dimg", 3, [7, 8]), (b"auxl", 8, [7, 3])], 7),
    "identity": heif.container(HEIC, [red(), SAME], [(b"dimg", 7, [1])], 7),
    "auxiliary picture that says nothing": heif.container(HEIC, [red(), blue(2, hidden=True)], [(b"auxl", 2, [1])]),
    "auxiliary picture of nothing": heif.container(HEIC, [red(), blue(2, GAIN_MAP)], [(b"auxl", 2, [9])]),
    "description of nothing": heif.container(HEIC, [red(), NOTED], [(b"cdsc", 0x5A, [9])]),
    "thumbnail": heif.container(HEIC, [red(), blue(2)], [(b"thmb", 2, [1])]),
    "thumbnail of two": heif.container(HEIC, [red(), blue(2), red(3)], [(b"thmb", 2, [1, 3])]),
    "thumbnail of a thumbnail": heif.container(HEIC, [red(), blue(2), blue(3)], [(b"thmb", 2, [1]), (b"thmb", 3, [2])]),
    "transparency of others": heif.container(HEIC, [red(), blue(2), blue(3), grey(4, ALPHA[0])], [(b"auxl", 4, [2, 3])]),
    "burst": heif.container(HEIC, [blue(2), red(), blue(3)]),
    "moving": heif.container(heif.file_type(b"avis", *MOVING), [heif.picture(1, coded("-A"))], behind=FILM),
    "moving, by nothing else": heif.container(heif.file_type(b"avis", b"avis", b"msf1"), [heif.picture(1, coded("-A"))], behind=FILM),
    "tone map first": heif.container(heif.file_type(b"tmap", b"tmap", b"mif1", b"heic"), [red()]),
    "a later version": heif.container(heif.file_type(b"mif2", b"mif2", b"heic"), [red()]),
    "a profile": heif.container(heif.file_type(b"MA1B", b"MA1B", b"avif"), [heif.picture(1, coded("-A"))]),
    "Samsung's motion photo": heif.container(HEIC, [red(), NOTED], [(b"cdsc", 0x5A, [1])],
                                             behind=heif.box(b"mpvd", heif.file_type(b"mp42", b"isom"), FILM)),
}


@pytest.mark.parametrize("kind", [PHOTO, ICON])
@pytest.mark.parametrize("name", RED_ONES)
def test_the_picture_is_shown(decoder, name, kind):
    picture = decoder.ask(RED_ONES[name], kind)
    assert (picture.outcome, picture.format) == (MADE, JPEG), decoder.logged()
    assert kind == ICON or picture.size == ((192, 64) if name == "grid" else (96, 64))
    for made in filter(None, (picture.large, picture.small)):
        assert means(made) == pytest.approx(RED, abs=6)


@pytest.mark.parametrize("name", [name for name in RED_ONES if "iphone" in name or "tone map" in name and "first" not in name])
def test_what_is_noted_of_it(decoder, name):
    note = decoder.ask(RED_ONES[name]).note
    assert note.place == pytest.approx(ALL["place"], abs=1e-6) and note[1:] == (ALL["time"], ALL["offset"])


# Nobody can see by an icon, or by a thumbnail of 480 pixels, what the picture itself is.
@pytest.mark.parametrize("kind", [PHOTO, ICON])
@pytest.mark.parametrize("size, preview", [((360, 240), (240, 160)), ((1200, 800), (600, 400)), ((4400, 64), (2200, 32))])
@pytest.mark.parametrize("options", [[], ["-A"]])
def test_no_preview_is_believed(decoder, kind, size, preview, options):
    file = heif.container(AVIF if options else HEIC, [heif.picture(1, coded(*options, size=size)),
                                                      heif.picture(2, coded(*options, colour=BLUE, size=preview))], [(b"thmb", 2, [1])])
    picture = decoder.ask(file, kind)
    assert picture.outcome == MADE, decoder.logged()
    for made in filter(None, (picture.large, picture.small)):
        assert means(made) == pytest.approx(RED, abs=6)


@pytest.mark.parametrize("alpha", ALPHA)
@pytest.mark.parametrize("of", [[1], [1, 3], [3, 1], [9, 3, 1, 2]])
@pytest.mark.parametrize("layout", [heif.Layout(), heif.Layout(wide=True)])
def test_what_is_transparent_stays_so(decoder, alpha, of, layout):
    """Beside what is hidden from the library, and if other pictures are as transparent."""
    file = heif.container(TONE_MAPPED, [red(), blue(2, GAIN_MAP, hidden=True), TONE_MAP, grey(4, alpha), NOTED],
                          [OF_TONE_MAP, (b"auxl", 2, [1, 3]), (b"auxl", 4, of), (b"cdsc", 0x5A, [1, 3])], layout=layout)
    picture = decoder.ask(file)
    assert (picture.outcome, picture.format) == (MADE, WEBP), decoder.logged()
    assert means(picture.large, "rgba") == pytest.approx((*RED, 128), abs=8)


@pytest.mark.parametrize("file", [
    heif.container(HEIC, [NOTED]), heif.container(HEIC, [red()], primary=9), heif.container(heif.file_type(b"mp42", b"isom"), [red()]),
    heif.file_type(b"avis", *MOVING) + FILM, heif.container(TONE_MAPPED, [TONE_MAP], [(b"dimg", 3, [3])], 3)])
def test_what_has_no_picture(decoder, file):
    assert decoder.outcome(file) == UNREADABLE


# GIF


def blocks(data):
    """Where each begins, and where the trailer is (GIF89a, appendix B)."""
    table = lambda flags: 3 << (flags & 7) + 1 if flags & 0x80 else 0  # noqa: E731
    at = 13 + table(data[10])
    while data[at] != 0x3B:
        yield at
        at += 2 if data[at] == 0x21 else 11 + table(data[at + 9])
        while data[at]:
            at += 1 + data[at]
        at += 1
    yield at


MOVING_GIF = run("convert", "-size", "96x64", f"xc:rgb{RED}", "-delay", "10", f"xc:rgb{BLUE}", "-loop", "0", "gif:-")


@pytest.mark.parametrize("count", [1, 2, 300])
@pytest.mark.parametrize("block", range(len(list(blocks(MOVING_GIF)))))
def test_zeros_between_blocks(decoder, count, block):
    at = list(blocks(MOVING_GIF))[block]
    picture = decoder.ask(MOVING_GIF[:at] + bytes(count) + MOVING_GIF[at:])
    assert picture.outcome == MADE, decoder.logged()
    assert means(picture.large) == pytest.approx(RED, abs=3)
    assert decoder.outcome(MOVING_GIF[:at] + bytes(count) + MOVING_GIF[at:-1]) == UNREADABLE


# JPEG, with more behind it

BEHIND = {
    "Samsung's motion photo": heif.file_type(b"mp42", b"isom") + FILM + b"\0\0\x30\x0a\x10\0\0\0MotionPhoto_DataSEFH" + bytes(20) + b"SEFT",
    "Google's motion photo": heif.file_type(b"isom", b"mp42") + FILM,
    "Ultra HDR": plain("JPEG"),
}


def multi_picture(length):
    """The index of pictures that follow each other (CIPA DC-007)."""
    entries = struct.pack("<IIIHH", 0x30000, 0, 0, 0, 0) + struct.pack("<IIIHH", 0, length, 0, 0, 0)
    index = exif.block({0xB000: (7, 4, b"0100"), 0xB001: (exif.LONG, 1, struct.pack("<I", 2)), 0xB002: (7, 32, entries)})
    return b"\xff\xe2" + struct.pack(">H", len(index) + 6) + b"MPF\0" + index


@pytest.mark.parametrize("name", BEHIND)
def test_most_compatible(decoder, name):
    file = jpeg(BLOCK)
    at = 2 + 2 + int.from_bytes(file[4:6], "big")
    file = file[:at] + multi_picture(len(BEHIND[name])) + file[at:] + BEHIND[name]
    picture = decoder.ask(file)
    assert (picture.outcome, picture.format, picture.size) == (MADE, JPEG, (96, 64))
    assert means(picture.large) == pytest.approx(RED, abs=3)
    assert (picture.note.time, picture.note.offset) == (ALL["time"], ALL["offset"])
    assert BEHIND[name] not in picture.large
