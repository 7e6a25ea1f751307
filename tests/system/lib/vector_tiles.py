"""Makes files of vector tiles (https://github.com/mapbox/vector-tile-spec) in the form of PMTiles, version 3.

    archive({(z, x, y): {layer: [(kind of geometry, lines of points, properties)]}}, layers) -> bytes

Points are (x, y) from 0 to EXTENT on the tile.
"""

import gzip
import json
import struct

EXTENT = 4096
POINT, LINE, AREA = 1, 2, 3
GZIP, MVT = 2, 1    # as the header of PMTiles counts
WHOLE_EARTH = -180, -85, 180, 85


def varint(number):
    parts = bytearray()
    while number > 0x7F:
        parts.append(number & 0x7F | 0x80)
        number >>= 7
    parts.append(number)
    return bytes(parts)


def message(field, content):
    return varint(field << 3 | 2) + varint(len(content)) + content


def packed(field, numbers):
    return message(field, b"".join(map(varint, numbers)))


def zigzag(number):
    return number << 1 if number >= 0 else (-number << 1) - 1


def geometry(kind, lines):
    """The commands that draw it: to the first point, to the others, and an area back to the first."""
    commands = []
    at = (0, 0)
    for line in lines:
        for n, (x, y) in enumerate(line):
            if n < 2:
                commands.append((1 if n == 0 else 2) | (1 if n == 0 else len(line) - 1) << 3)
            commands += [zigzag(x - at[0]), zigzag(y - at[1])]
            at = (x, y)
        if kind == AREA:
            commands.append(7 | 1 << 3)
    return commands


def value(content):
    if isinstance(content, str):
        return message(1, content.encode())
    return varint(5 << 3) + varint(content)


def layer(name, features):
    keys = []
    values = []
    coded = b""
    for kind, lines, properties in features:
        tags = []
        for key, content in properties.items():
            for known, one in ((keys, key), (values, content)):
                if one not in known:
                    known.append(one)
                tags.append(known.index(one))
        coded += message(2, packed(2, tags) + varint(3 << 3) + varint(kind) + packed(4, geometry(kind, lines)))
    known = b"".join(message(3, key.encode()) for key in keys) + b"".join(message(4, value(one)) for one in values)
    return varint(15 << 3) + varint(2) + message(1, name.encode()) + coded + known + varint(5 << 3) + varint(EXTENT)


def number_of(z, x, y):
    """Tiles are counted along a Hilbert curve, from zoom level 0 on."""
    number = (4**z - 1) // 3
    side = 1 << z >> 1
    while side:
        right, low = bool(x & side), bool(y & side)
        number += side * side * (3 * right ^ low)
        if not low:
            if right:
                x, y = side - 1 - x, side - 1 - y
            x, y = y, x
        side >>= 1
    return number


def directory(entries):
    """entries: the number of each tile, with its offset and its length."""
    numbers, offsets, lengths = zip(*entries)
    steps = [number - before for number, before in zip(numbers, (0, *numbers))]
    columns = steps, [1] * len(entries), lengths, [offset + 1 for offset in offsets]
    return gzip.compress(varint(len(entries)) + b"".join(varint(one) for column in columns for one in column))


def archive(tiles, layers, bounds=WHOLE_EARTH, attribution="© Test"):
    entries = []
    data = b""
    for number, content in sorted((number_of(*coords), content) for coords, content in tiles.items()):
        tile = gzip.compress(b"".join(message(3, layer(name, features)) for name, features in content.items()))
        entries.append((number, len(data), len(tile)))
        data += tile
    root = directory(entries)
    metadata = gzip.compress(json.dumps({"attribution": attribution, "vector_layers": [{"id": one} for one in layers]}).encode())
    places = [127, len(root), 127 + len(root), len(metadata), 0, 0, 127 + len(root) + len(metadata), len(data)]
    zooms = [z for z, _, _ in tiles]
    header = struct.pack(
        "<7sB11Q6B4iB2i", b"PMTiles", 3, *places, len(entries), len(entries), len(entries), 1, GZIP, GZIP, MVT, min(zooms), max(zooms),
        *(round(degrees * 1e7) for degrees in bounds), min(zooms), 0, 0)
    return header + root + metadata + data
