"""Speaks to mapdiary-decoder as the service does (src/media/decoder_protocol.h), and makes pictures for it."""

import collections
import os
import re
import socket
import struct
import subprocess
import tempfile
import zlib

import exif
from service import BUILD

REQUEST, MAGIC = struct.Struct("=II"), 0x6D617031
REPLY = struct.Struct("=IIiiIidd24s")
MADE, UNREADABLE, TOO_LARGE, NOT_WRITTEN = range(4)
PHOTO, ICON = range(2)
JPEG, WEBP = range(2)
HAS_PLACE, HAS_TIME, HAS_OFFSET = 1, 2, 4
PATIENCE = 60  # seconds

Note = collections.namedtuple("Note", "place time offset")
Picture = collections.namedtuple("Picture", "outcome format size note large small")


def file_of(data=b""):
    file = tempfile.TemporaryFile()
    file.write(data)
    file.flush()
    return file


def _contents(file):
    file.seek(0)
    return file.read()


class Job:
    """One that is under way."""

    def __init__(self, channel, data, kind=PHOTO):
        self.reply, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.reply.settimeout(PATIENCE)
        self.input, *self.outputs = file_of(data), file_of(), file_of()
        del self.outputs[2 - kind:]
        with theirs:
            socket.send_fds(channel, [REQUEST.pack(MAGIC, kind)],
                            [file.fileno() for file in (theirs, self.input, *self.outputs)])

    def answer(self):
        """A Picture; None where nobody answers."""
        reply = self.reply.recv(1000)
        if not reply:
            return None
        outcome, form, width, height, has, offset, lat, lng, taken = REPLY.unpack(reply)
        note = Note((lat, lng) if has & HAS_PLACE else None, taken.rstrip(b"\0").decode() if has & HAS_TIME else None,
                    offset if has & HAS_OFFSET else None)
        large, small = (*map(_contents, self.outputs), b"")[:2]
        return Picture(outcome, form, (width, height), note, large, small)

    def leave(self):
        self.reply.close()


class Decoder:
    """The program, in a process of its own."""

    def __init__(self, *arguments, **options):
        self.channel, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.log = tempfile.TemporaryFile()
        with theirs:
            self.process = subprocess.Popen([BUILD / "mapdiary-decoder", *arguments], stdin=theirs, stdout=self.log,
                                            stderr=self.log, **options)

    def ask(self, data, kind=PHOTO):
        return self.begin(data, kind).answer()

    def begin(self, data, kind=PHOTO):
        return Job(self.channel, data, kind)

    def outcome(self, data, kind=PHOTO):
        return self.ask(data, kind).outcome

    def logged(self):
        # It shares the offset of its file with us.
        return os.pread(self.log.fileno(), 1 << 20, 0).decode()

    def end(self):
        """Its exit status."""
        self.channel.close()
        return self.process.wait(PATIENCE)

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.channel.close()


# Pictures


def run(*command, data=None):
    """What a program writes to its standard output."""
    return subprocess.run(list(map(str, command)), input=data, check=True, capture_output=True, timeout=60).stdout


def pixels(data, channels="rgb"):
    """{(x, y): bytes}'s of a picture: its size, and a function."""
    width, height = map(int, run("identify", "-format", "%w %h\n", "-", data=data).split()[:2])
    raw = run("convert", "-", "-depth", "8", f"{channels}:-", data=data)
    count = len(channels)
    return (width, height), lambda x, y: tuple(raw[(y * width + x) * count:][:count])


def means(data, channels="rgb"):
    """Of each channel, from 0 to 255."""
    raw = run("convert", "-", "-depth", "8", f"{channels}:-", data=data)
    return [sum(raw[i::len(channels)]) * len(channels) / len(raw) for i in range(len(channels))]


def _chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


PNG_CHANNELS = {0: 1, 2: 3, 6: 4}


def black_png(width, height, depth=1, colour=0, interlaced=False):
    """Of few bytes, whatever its size."""
    channels, total = PNG_CHANNELS[colour], 0
    passes = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)) if interlaced else (
        (0, 0, 1, 1),)
    for x, y, every_x, every_y in passes:
        row = (-(-(width - x) // every_x) * depth * channels + 7) // 8 + 1
        total += row * -(-(height - y) // every_y)
    packer, zeros = zlib.compressobj(1), bytes(1 << 20)
    data = b"".join(packer.compress(zeros[:min(len(zeros), total - at)]) for at in range(0, total, len(zeros)))
    return (b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, interlaced))
            + _chunk(b"IDAT", data + packer.flush()) + _chunk(b"IEND", b""))


def with_exif(jpeg, main=None, camera=None, gps=None):
    """The JPEG with these {tag: value} in it."""
    return with_segment(jpeg, 0xE1, b"Exif\0\0" + exif.block(main, camera, gps))


def with_segment(jpeg, marker, content):
    return jpeg[:2] + struct.pack(">BBH", 0xFF, marker, len(content) + 2) + content + jpeg[2:]


def with_profile(jpeg, profile):
    return with_segment(jpeg, 0xE2, b"ICC_PROFILE\0\1\1" + profile)


# The processes


def status_of(pid, name):
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        return re.search(rf"^{name}:\s+(\S+)", status.read(), re.M)[1]


# A progressive JPEG (ITU-T T.81, annex G)


def _segment(marker, content):
    return struct.pack(">BBH", 0xFF, marker, len(content) + 2) + content


def _packed(bits):
    bits += "1" * (-len(bits) % 8)
    return int(bits, 2).to_bytes(len(bits) // 8, "big").replace(b"\xff", b"\xff\0")


def _scan(first, last, high, low, bits):
    return _segment(0xDA, bytes((1, 1, 0, first, last, high << 4 | low))) + _packed(bits)


def _end_of_blocks(count):
    """All of them have no coefficient in this scan: runs of up to 32767 blocks, of which each is a code of one bit and 14 bits."""
    bits = ""
    while count >= 1 << 14:
        run = min(count, (1 << 15) - 1)
        bits += f"0{run - (1 << 14):014b}"
        count -= run
    return bits + count * "10"


def grey_jpeg(width, height, scans):
    """Of one colour, in so many valid scans; each bit of each coefficient has one of its own, 883 at most."""
    blocks = -(-width // 8) * -(-height // 8)
    codes = _segment(0xC4, bytes((0x00, 1, *15 * (0,), 0))) + _segment(0xC4, bytes((0x10, 1, 1, *14 * (0,), 0xE0, 0x00)))
    planes = [(at, at, bit + 1 if bit < 13 else 0, bit) for at in range(1, 64) for bit in range(13, -1, -1)]
    return (b"\xff\xd8" + _segment(0xDB, bytes((0, *64 * (1,)))) + _segment(0xC2, struct.pack(">BHHBBBB", 8, height, width, 1, 1, 0x11, 0))
            + codes + _scan(0, 0, 0, 0, blocks * "0")
            + b"".join(_scan(*plane, _end_of_blocks(blocks)) for plane in planes[:scans - 1]) + b"\xff\xd9")
