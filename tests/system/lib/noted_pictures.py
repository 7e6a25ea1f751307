"""Pictures in which a camera has noted where and when they were taken, and what is to be read of it: one table, by which the
service and the page are held to each other."""

import collections
import functools
import io
import pathlib
import struct
import subprocess
import tempfile
import zlib

import PIL.Image

import exif
import heif
from exif import rationals, short, text

Row = collections.namedtuple("Row", "name data place time offset", defaults=(None, None, None))

HEIC, AVIF = heif.file_type(b"heic", b"mif1", b"heic"), heif.file_type(b"avif", b"avif", b"mif1", b"miaf")
N25, E121 = rationals((25, 1), (1, 1), (5880, 100)), rationals((121, 1), (33, 1), (5544, 100))
GPS = {1: text("N"), 2: N25, 3: text("E"), 4: E121}
TAIPEI = 25.033, 121.5654
ORIGINAL, DIGITIZED, MODIFIED = 0x9003, 0x9004, 0x132
OFFSET, OFFSET_ORIGINAL, OFFSET_DIGITIZED = 0x9010, 0x9011, 0x9012
CAMERA = {ORIGINAL: text("2026:11:22 08:15:12"), OFFSET_ORIGINAL: text("+08:00")}
MORNING = "2026-11-22 08:15:12"
ALL = {"place": TAIPEI, "time": MORNING, "offset": 28800}
BLOCK = exif.block(camera=CAMERA, gps=GPS)
HEAD = b"Exif\0\0"

# The pictures themselves -----------------------------------------------------------------------------------------------


@functools.cache
def plain(kind):
    written = io.BytesIO()
    PIL.Image.new("RGB", (96, 64), (200, 60, 20)).save(written, kind)
    return written.getvalue()


@functools.cache
def coded(*options, colour=(200, 60, 20), size=(96, 64)):
    """By heif-enc; with -A it is AVIF."""
    with tempfile.TemporaryDirectory() as folder:
        png, made = pathlib.Path(folder, "in.png"), pathlib.Path(folder, "made")
        PIL.Image.new("RGB", size, colour).save(png)
        subprocess.run(["heif-enc", *options, "-q", "60", png, "-o", made], check=True, capture_output=True, timeout=60)
        return heif.Coded(made.read_bytes())


def jpeg(block, head=HEAD, before=b"", fill=b""):
    """With what stands before the segment, and before its marker."""
    content = head + block
    segment = fill + struct.pack(">BBH", 0xFF, 0xE1, len(content) + 2) + content
    return plain("JPEG")[:2] + before + segment + plain("JPEG")[2:]


def chunk(kind, content):
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def png(*chunks, at_end=False):
    """Behind the header, or before the end."""
    data = plain("PNG")
    at = len(data) - 12 if at_end else 33
    return data[:at] + b"".join(chunks) + data[at:]


def profile(content, name=b"exif"):
    figures = content.hex()
    lines = "\n".join(figures[i:i + 72] for i in range(0, len(figures), 72))
    return b"\n" + name + b"\n" + b"%8d\n" % len(content) + lines.encode() + b"\n"


def packed_text(name, content):
    return chunk(b"zTXt", name + b"\0\0" + zlib.compress(content))


def webp(block, kind=b"EXIF", odd=False):
    """In the extended form: a flag says that there is Exif."""
    picture, content = plain("WEBP")[12:], block + bytes((len(block) + odd) % 2)
    extended = b"VP8X" + struct.pack("<IB", 10, 8) + bytes(3) + (95).to_bytes(3, "little") + (63).to_bytes(3, "little")
    inside = b"WEBP" + extended + picture + kind + struct.pack("<I", len(content)) + content + bytes(len(content) % 2)
    return b"RIFF" + struct.pack("<I", len(inside)) + inside


def heic(*items, references=((b"cdsc", 0x5A, [1]),), **options):
    return heif.container(HEIC, [heif.picture(1, coded()), *items], references, **options)


def avif(*items, references=((b"cdsc", 0x5A, [1]),), **options):
    return heif.container(AVIF, [heif.picture(1, coded("-A")), *items], references, **options)


# What is read of them ----------------------------------------------------------------------------------------------------


def gps(name, change, place=None):
    return Row(f"jpeg {name}", jpeg(exif.block(gps={tag: value for tag, value in (GPS | change).items() if value})), place)


def time(name, entries, taken=None, offset=None, main=None):
    return Row(f"jpeg {name}", jpeg(exif.block(main, entries)), None, taken, offset)


def angle(degrees, minutes=(0, 1), seconds=(0, 1)):
    return rationals(degrees, minutes, seconds)


def jpegs():
    yield Row("jpeg all", jpeg(BLOCK), **ALL)
    yield Row("jpeg most significant first", jpeg(exif.block(camera=CAMERA, gps=GPS, order=">")), **ALL)
    yield Row("jpeg behind others", jpeg(BLOCK, before=plain("JPEG")[2:20] + b"\xff\xe1\0\x1fhttp://ns.adobe.com/xap/1.0/\0"), **ALL)
    yield Row("jpeg fill bytes before the marker", jpeg(BLOCK, fill=b"\xff\xff\xff"), **ALL)
    yield Row("jpeg directories at the end of a large block", jpeg(exif.block(camera=CAMERA, gps=GPS, before=60000)), **ALL)
    yield Row("jpeg without any", plain("JPEG"))
    yield Row("jpeg behind the pixels", plain("JPEG")[:-2] + jpeg(BLOCK)[2:])
    yield Row("jpeg no directories", jpeg(b"II*\0\0\0\0\0"))
    yield Row("jpeg directory beyond the end", jpeg(b"II*\0\xff\xff\xff\0"))
    yield Row("jpeg cut off", jpeg(BLOCK[:60]))
    yield gps("south west", {1: text("S"), 3: text("W")}, (-25.033, -121.5654))
    yield gps("south as a word", {1: text("South")}, (-25.033, 121.5654))
    yield gps("small letters", {1: text("s")})
    yield gps("no hemisphere of latitude", {1: None})
    yield gps("no hemisphere of longitude", {3: None})
    yield gps("unknown hemisphere", {3: text("X")})
    yield gps("empty hemisphere", {1: text("")})
    yield gps("hemisphere as a number", {1: short(78)})
    yield gps("no latitude", {2: None})
    yield gps("one rational", {2: rationals((25, 1))})
    yield gps("two rationals", {2: rationals((25, 1), (1, 1))})
    yield gps("degrees with fractions", {2: angle((250330, 10000))}, (25.033, 121.5654))
    yield gps("unknown seconds", {2: angle((25, 1), (3, 1), (0, 0))}, (25.05, 121.5654))
    yield gps("seconds by zero", {2: angle((25, 1), (3, 1), (5, 0))})
    yield gps("unknown minutes", {2: angle((25, 1), (0, 0))})
    yield gps("degrees by zero", {4: angle((121, 0))})
    yield gps("nothing known", {2: angle((0, 0), (0, 0), (0, 0)), 4: angle((0, 0), (0, 0), (0, 0))})
    yield gps("sixty minutes", {2: angle((25, 1), (60, 1))})
    yield gps("sixty seconds", {2: angle((25, 1), (0, 1), (60, 1))})
    yield gps("beyond a pole", {2: angle((90, 1), (0, 1), (1, 1))})
    yield gps("beyond the date line", {4: angle((181, 1))})
    yield gps("both zero", {2: angle((0, 1)), 4: angle((0, 1))})
    yield gps("both zero, south west", {1: text("S"), 2: angle((0, 1)), 3: text("W"), 4: angle((0, 1))})
    yield gps("on the equator", {1: text("S"), 2: angle((0, 1))}, (0, 121.5654))
    yield gps("on the first meridian", {4: angle((0, 1))}, (25.033, 0))
    yield gps("signed rationals", {2: (exif.SIGNED_RATIONAL, 3, N25[2])}, TAIPEI)
    yield gps("negative degrees", {2: (exif.SIGNED_RATIONAL, 3, struct.pack("<iiiiii", -25, 1, 1, 1, 0, 1))})
    yield gps("a text", {2: text("25 1 2")})
    yield time("digitized alone", {DIGITIZED: CAMERA[ORIGINAL]}, MORNING)
    yield time("digitized beside zeros", {ORIGINAL: text("0000:00:00 00:00:00"), DIGITIZED: CAMERA[ORIGINAL]}, MORNING)
    yield time("original beside digitized", {ORIGINAL: CAMERA[ORIGINAL], DIGITIZED: text("2001:01:01 00:00:00")}, MORNING)
    yield time("changed alone", {}, main={MODIFIED: CAMERA[ORIGINAL]})
    yield time("offset alone", {ORIGINAL: CAMERA[ORIGINAL], OFFSET: text("-03:30")}, MORNING, -12600)
    yield time("offsets that differ", CAMERA | {OFFSET: text("+01:00"), OFFSET_DIGITIZED: text("+02:00")}, MORNING, 28800)
    yield time("offset of digitizing", {ORIGINAL: CAMERA[ORIGINAL], OFFSET: text("+01:00"), OFFSET_DIGITIZED: text("+02:00")},
               MORNING, 7200)
    yield time("offset beside blanks", {ORIGINAL: CAMERA[ORIGINAL], OFFSET_ORIGINAL: text("   :  "), OFFSET: text("+01:00")}, MORNING, 3600)
    yield time("offset of one figure", CAMERA | {OFFSET_ORIGINAL: text("-5:00")}, MORNING, -18000)
    yield time("offset of zero", CAMERA | {OFFSET_ORIGINAL: text("+00:00")}, MORNING, 0)
    yield time("offset too far", CAMERA | {OFFSET_ORIGINAL: text("+15:00")}, MORNING)
    yield time("date with hyphens", CAMERA | {ORIGINAL: text("2026-11-22 08:15:12")}, MORNING, 28800)
    yield time("date with slashes", CAMERA | {ORIGINAL: text("2026/11/22 08:15:12")}, MORNING, 28800)
    yield time("time behind a T", CAMERA | {ORIGINAL: text("2026-11-22T08:15:12")}, MORNING, 28800)
    yield time("fractions", CAMERA | {ORIGINAL: text("2026:11:22 08:15:12.345")}, MORNING, 28800)
    yield time("offset within the time", {ORIGINAL: text("2026-11-22T08:15:12.5+05:30")}, MORNING, 19800)
    yield time("Greenwich within the time", {ORIGINAL: text("2026-11-22T08:15:12Z")}, MORNING, 0)
    yield time("the first second of the epoch", {ORIGINAL: text("1970:01:01 00:00:00"), OFFSET_ORIGINAL: text("+00:00")},
               "1970-01-01 00:00:00", 0)
    yield time("no day", CAMERA | {ORIGINAL: text("2026:02:29 08:15:12")}, None, 28800)
    yield time("no hour", CAMERA | {ORIGINAL: text("2026:11:22 24:15:12")}, None, 28800)
    yield time("no seconds", CAMERA | {ORIGINAL: text("2026:11:22 08:15")}, None, 28800)
    yield time("more behind", CAMERA | {ORIGINAL: text("2026:11:22 08:15:12 PM")}, None, 28800)


def heics():
    item = heif.exif_item(0x5A, BLOCK)
    yield Row("heic all", heic(item), **ALL)
    yield Row("heic head", heic(heif.exif_item(0x5A, BLOCK, HEAD)), **ALL)
    yield Row("heic head of a segment", heic(heif.exif_item(0x5A, BLOCK, b"\xff\xe1" + struct.pack(">H", len(BLOCK) + 8) + HEAD)), **ALL)
    yield Row("heic head that is not counted", heic(heif.exif_item(0x5A, BLOCK, HEAD, distance=0)), **ALL)
    yield Row("heic wrong distance", heic(heif.exif_item(0x5A, BLOCK, HEAD, distance=99)), **ALL)
    yield Row("heic no distance", heic(heif.Item(0x5A, b"Exif", BLOCK)), **ALL)
    yield Row("heic above 64 KiB", heic(heif.exif_item(0x5A, exif.block(camera=CAMERA, gps=GPS, before=66000))), **ALL)
    yield Row("heic in its meta", heic(item, layout=heif.Layout(in_meta=[0x5A])), **ALL)
    yield Row("heic in parts", heic(item, layout=heif.Layout(parts=3)), **ALL)
    yield Row("heic wide numbers", heic(item, layout=heif.Layout(wide=True)), **ALL)
    yield Row("heic of the whole file", heic(item, references=()), **ALL)
    yield Row("heic of another picture", heif.container(HEIC, [heif.picture(1, coded()), heif.picture(2, coded()), item],
                                                        [(b"cdsc", 0x5A, [2])]))
    yield Row("heic without any", heic(references=()))
    yield Row("heic empty", heic(heif.Item(0x5A, b"Exif", b"\0\0\0\0")))


def avifs():
    item = heif.exif_item(0x5A, BLOCK)
    yield Row("avif all", avif(item), **ALL)
    yield Row("avif head", avif(heif.exif_item(0x5A, BLOCK, HEAD)), **ALL)
    yield Row("avif head of a segment", avif(heif.exif_item(0x5A, BLOCK, b"\xff\xe1\xff\xff" + HEAD)), **ALL)
    yield Row("avif above 64 KiB", avif(heif.exif_item(0x5A, exif.block(camera=CAMERA, gps=GPS, before=66000))), **ALL)
    yield Row("avif without any", avif(references=()))


def pngs():
    yield Row("png all", png(chunk(b"eXIf", BLOCK)), **ALL)
    yield Row("png behind the pixels", png(chunk(b"eXIf", BLOCK), at_end=True), **ALL)
    yield Row("png head", png(chunk(b"eXIf", HEAD + BLOCK)), **ALL)
    yield Row("png packed profile", png(packed_text(b"Raw profile type exif", profile(HEAD + BLOCK))), **ALL)
    yield Row("png plain profile", png(chunk(b"tEXt", b"Raw profile type exif\0" + profile(HEAD + BLOCK))), **ALL)
    yield Row("png international profile", png(chunk(b"iTXt", b"Raw profile type exif\0\1\0\0\0" + zlib.compress(profile(BLOCK)))), **ALL)
    yield Row("png profile of a segment", png(packed_text(b"Raw profile type APP1", profile(HEAD + BLOCK, b"generic profile"))), **ALL)
    yield Row("png profile that is cut off", png(chunk(b"zTXt", b"Raw profile type exif\0\0" + zlib.compress(profile(BLOCK))[:20])))
    yield Row("png profile of a wrong sum", png(chunk(b"zTXt", b"Raw profile type exif\0\0" + zlib.compress(profile(BLOCK))[:-1] + b"x")))
    yield Row("png other text", png(chunk(b"tEXt", b"Comment\0" + profile(BLOCK))))
    yield Row("png without any", plain("PNG"))


def webps():
    yield Row("webp all", webp(BLOCK), **ALL)
    yield Row("webp head", webp(HEAD + BLOCK), **ALL)
    yield Row("webp odd", webp(BLOCK, odd=True), **ALL)
    yield Row("webp above 64 KiB", webp(exif.block(camera=CAMERA, gps=GPS, before=66000)), **ALL)
    yield Row("webp small letters", webp(BLOCK, b"exif"))
    yield Row("webp without any", plain("WEBP"))


@functools.cache
def rows():
    return [*jpegs(), *heics(), *avifs(), *pngs(), *webps()]
