"""HEIC and AVIF files, box by box, around pictures that an encoder has made."""

import struct

FREE_AT = 0x100  # of identifiers: far from those of the pictures


def box(kind, *contents):
    content = b"".join(contents)
    return struct.pack(">I", len(content) + 8) + kind + content


def full_box(kind, version, *contents):
    return box(kind, bytes((version, 0, 0, 0)), *contents)


def boxes(data):
    """(type, content) of each."""
    at = 0
    while at < len(data):
        size, kind = struct.unpack_from(">I4s", data, at)
        yield kind, data[at + 8:at + (size or len(data) - at)]
        at += size or len(data) - at


def _inside(data, *kinds):
    for kind in kinds:
        data = next(content for name, content in boxes(data) if name == kind)
        data = data[4:] if kind == b"meta" else data
    return data


class Coded:
    """A picture in a file that heif-enc has written with nothing else: its type, what describes it, and its bytes."""

    def __init__(self, data):
        self.kind = next(content[8:12] for kind, content in boxes(_inside(data, b"meta", b"iinf")[6:]) if kind == b"infe")
        self.properties = [box(kind, content) for kind, content in boxes(_inside(data, b"meta", b"iprp", b"ipco"))
                           if kind in (b"hvcC", b"av1C", b"ispe", b"pixi")]
        self.data = _inside(data, b"mdat")


class Item:
    def __init__(self, number, kind, data, properties=(), hidden=False):
        self.number, self.kind, self.data, self.properties, self.hidden = number, kind, data, properties, hidden


def picture(number, coded, *more, hidden=False):
    return Item(number, coded.kind, coded.data, [*coded.properties, *more], hidden)


def exif_item(number, block, head=b"", distance=None):
    """Its directories are behind the head, as the distance says, or does not."""
    return Item(number, b"Exif", struct.pack(">I", len(head) if distance is None else distance) + head + block)


def auxiliary(urn):
    return full_box(b"auxC", 0, urn.encode() + b"\0")


def file_type(brand, *others):
    return box(b"ftyp", brand, bytes(4), *others)


class Layout:
    """How numbers are written, and where data is."""

    def __init__(self, wide=False, in_meta=(), parts=1):
        self.wide, self.in_meta, self.parts = wide, in_meta, parts
        self.number = ">I" if wide else ">H"


def _cut(data, parts):
    size = max(1, -(-len(data) // parts))
    return [data[i:i + size] for i in range(0, len(data), size)] or [b""]


def _iloc(items, layout, at):
    """The places: in the file from there on, or in the box idat."""
    rows, inside = b"", 0
    for item in items:
        here = item.number in layout.in_meta
        begin = inside if here else at
        parts = _cut(item.data, layout.parts)
        rows += struct.pack(layout.number, item.number) + struct.pack(">HHH", here, 0, len(parts))
        for part in parts:
            rows += struct.pack(">II", begin, len(part))
            begin += len(part)
        inside, at = (begin, at) if here else (inside, begin)
    return full_box(b"iloc", 2 if layout.wide else 1, b"\x44\0", struct.pack(layout.number, len(items)), rows)


def _iinf(items, layout):
    rows = [bytes((3 if layout.wide else 2, 0, 0, item.hidden)) + struct.pack(layout.number, item.number) + bytes(2) + item.kind + b"\0"
            for item in items]
    return full_box(b"iinf", 1 if layout.wide else 0, struct.pack(layout.number, len(items)), *(box(b"infe", row) for row in rows))


def _iref(references, layout):
    return full_box(b"iref", 1 if layout.wide else 0, *(
        box(kind, struct.pack(layout.number, number), struct.pack(">H", len(others)),
            *(struct.pack(layout.number, other) for other in others)) for kind, number, others in references))


def _iprp(items, layout):
    rows, all_properties = b"", []
    described = [item for item in items if item.properties]
    for item in described:
        rows += struct.pack(layout.number, item.number) + bytes((len(item.properties),))
        rows += bytes(len(all_properties) + i + 1 for i in range(len(item.properties)))
        all_properties += item.properties
    return box(b"iprp", box(b"ipco", *all_properties),
               full_box(b"ipma", 1 if layout.wide else 0, struct.pack(">I", len(described)), rows))


def _meta(items, references, primary, layout, at):
    inside = b"".join(item.data for item in items if item.number in layout.in_meta)
    return full_box(
        b"meta", 0, full_box(b"hdlr", 0, bytes(4), b"pict", bytes(13)),
        full_box(b"pitm", 1 if layout.wide else 0, struct.pack(layout.number, primary)), _iloc(items, layout, at), _iinf(items, layout),
        *([_iref(references, layout)] if references else []), _iprp(items, layout), *([box(b"idat", inside)] if inside else []))


def container(head, items, references=(), primary=1, layout=None, behind=b""):
    """A file: its type, and its box meta, whose references are (type, from, to)."""
    layout = layout or Layout()
    at = len(head) + len(_meta(items, references, primary, layout, 0)) + 8
    data = b"".join(item.data for item in items if item.number not in layout.in_meta)
    return head + _meta(items, references, primary, layout, at) + box(b"mdat", data) + behind
