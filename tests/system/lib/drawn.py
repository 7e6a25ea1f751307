"""Pictures, made by Pillow, no two of which have the same bytes."""

import io
import itertools

import PIL.Image

from http_client import File

numbers = itertools.count(1)


def picture(width=640, height=480, kind="JPEG", mode="RGB", **options):
    """The bytes of one."""
    number = next(numbers)
    image = PIL.Image.linear_gradient("L").resize((width, height)).convert(mode)
    # Far enough from each other for a JPEG.
    colour = tuple(8 * (number >> 5 * band & 31) for band in range(3)) + (128,)
    image.paste(colour[:len(mode)], (0, 0, width // 2 + 1, height // 2 + 1))
    written = io.BytesIO()
    image.save(written, kind, **options)
    return written.getvalue()


def noted(time=None, offset=None, place=None, **options):
    """A JPEG in which the camera has noted that. The place is in degrees and ten-thousandths of a minute."""
    exif = PIL.Image.Exif()
    if time:
        exif[0x8769] = {0x9003: time} | ({0x9011: offset} if offset else {})
    if place:
        exif[0x8825] = {1: place[0][0], 2: place[0][1:], 3: place[1][0], 4: place[1][1:]}
    return picture(exif=exif, **options)


FILE = File(picture(40, 30))
