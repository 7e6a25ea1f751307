"""EXIF, as it should be and as it should not: {tag: value} of directories, each value of a type, a count and bytes."""

import struct

ASCII, SHORT, LONG, RATIONAL, SIGNED_RATIONAL = 2, 3, 4, 5, 10
WORDS = {SHORT: 2, LONG: 4, RATIONAL: 4, SIGNED_RATIONAL: 4}  # bytes of what the byte order turns round
CAMERA, GPS = 0x8769, 0x8825


def text(value):
    return ASCII, len(value) + 1, value.encode() + b"\0"


def rationals(*pairs):
    return RATIONAL, len(pairs), b"".join(struct.pack("<II", *pair) for pair in pairs)


def short(value):
    return SHORT, 1, struct.pack("<HH", value, 0)


def _turned(kind, value, order):
    size = WORDS.get(kind, 1)
    parts = [value[i:i + size] for i in range(0, len(value), size)]
    return value if order == "<" else b"".join(part[::-1] for part in parts)


def _directory(entries, at, order):
    """The bytes of an image file directory that begins there."""
    head, rest = struct.pack(f"{order}H", len(entries)), b""
    behind = at + 2 + 12 * len(entries) + 4
    for tag, (kind, count, value) in sorted(entries.items()):
        turned = _turned(kind, value, order)
        place = turned.ljust(4, b"\0") if len(value) <= 4 else struct.pack(f"{order}I", behind + len(rest))
        rest += turned if len(value) > 4 else b""
        head += struct.pack(f"{order}HHI", tag, kind, count) + place
    return head + bytes(4) + rest


def block(main=None, camera=None, gps=None, order="<", before=0):
    """The TIFF with these {tag: value}, its directories behind so many bytes of something else."""
    main, at = dict(main or {}), 8 + before
    pointers = {tag: entries for tag, entries in ((CAMERA, camera), (GPS, gps)) if entries}
    size = len(_directory(main | {tag: (LONG, 1, bytes(4)) for tag in pointers}, at, order))
    behind, parts = at + size, b""
    for tag, entries in pointers.items():
        main[tag] = LONG, 1, struct.pack("<I", behind + len(parts))
        parts += _directory(entries, behind + len(parts), order)
    mark = b"II*\0" if order == "<" else b"MM\0*"
    return mark + struct.pack(f"{order}I", at) + bytes(before) + _directory(main, at, order) + parts
