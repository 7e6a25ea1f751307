"""A photo as a camera makes it."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "system/lib"))

from decoder import run  # noqa: E402

WIDTH, HEIGHT = 6000, 4000


def make_photo(folder):
    """Something with large and small shapes, and the noise of a sensor."""
    def vips(*words):
        run("vips", *(f"{folder}/{word[1:]}" if str(word).startswith("@") else word for word in words))

    vips("perlin", "@shapes.v", WIDTH, HEIGHT, "--cell-size", 300, "--seed", 1)
    vips("worley", "@edges.v", WIDTH, HEIGHT, "--cell-size", 120, "--seed", 2)
    vips("gaussnoise", "@noise.v", WIDTH, HEIGHT, "--sigma", 8, "--mean", 0, "--seed", 3)
    for band, (factor, offset) in enumerate([(90, 120), (60, 130), (40, 110)]):
        vips("linear", "@shapes.v", "@scaled.v", "--", factor, offset)
        vips("linear", "@edges.v", "@lines.v", "--", 0.3 + band / 10, 0)
        vips("add", "@scaled.v", "@lines.v", "@sum.v")
        vips("add", "@sum.v", "@noise.v", f"@band{band}.v")
    vips("bandjoin", " ".join(f"{folder}/band{band}.v" for band in range(3)), "@joined.v")
    vips("cast", "@joined.v", "@whole.v", "uchar")
    vips("copy", "@whole.v", "@srgb.v", "--interpretation", "srgb")
    run("vips", "jpegsave", folder / "srgb.v", folder / "photo.jpg", "--Q", 92)
    for file in folder.glob("*.v"):
        file.unlink()
    return folder / "photo.jpg"
