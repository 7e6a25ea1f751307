"""The page in Firefox: what people do there, each in a browser of its own."""

import pytest

import drawn
import npm
import samples
from service import TOP


@pytest.fixture(scope="module")
def firefox():
    return npm.install(TOP / "tests/firefox")


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("story", ["reading", "searching", "writing", "photographing"])
def test_a_story(service, firefox, alice, folder, story):
    service.ok("postBlog", user=alice, **samples.BLOG)
    photo = folder.make("files") / "photo.jpg"
    photo.write_bytes(drawn.picture(300, 200))
    ran = npm.run(firefox, "node", "page.mjs", story, service.settings["public_url"], alice.email, alice.password, photo)
    assert ran.returncode == 0, ran.stderr
