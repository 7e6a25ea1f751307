"""What random text goes through every parameter that takes any comes back, the same by libxml2 and by expat."""

import os
import random

import pytest

import http_client
import samples

ROUNDS = int(os.environ.get("MAPDIARY_XML_ROUNDS", "400"))

# Where characters are drawn from: what XML treats in a way of its own, and then everything that it allows.
MARKUP = "&<>\"'];#x&&<<]]>>!-[?/=%+"
BLANKS = " \t\u0085\u00a0\u2028\u2029\u3000\ufeff"
LINE_BREAKS = "\r\n"
EDGES = "\x20\x7e\x7f\x80\x9f\u07ff\u0800\ud7ff\ue000\ufdd0\ufdef\ufffc\ufffd\U00010000\U0001fffe\U0001ffff\U0010fffd\U0010fffe\U0010ffff"
PIECES = ["&amp;", "&#13;", "&#x0;", "]]>", "<![CDATA[", "<!--", "-->", "<?xml?>", "</response>", "&lt", "\ufeff", "e\u0301", "\u202e"]
RANGES = [(0x20, 0xFF), (0x100, 0x7FF), (0x800, 0xD7FF), (0xE000, 0xFFFD), (0x10000, 0x10FFFF), (0x4E00, 0x9FFF)]


def character(chance, alphabet):
    if chance.random() < 0.5:
        return chance.choice(alphabet)
    return chr(chance.randint(*chance.choice(RANGES)))


def line(chance, alphabet=MARKUP + BLANKS + EDGES, most=255):
    text = ""
    length = chance.choice([1, 2, 3, chance.randint(1, most), most])
    while len(text) < length:
        text += chance.choice(PIECES) if chance.random() < 0.1 else character(chance, alphabet)
    return text[:length]


def content(chance):
    return line(chance, MARKUP + BLANKS + EDGES + LINE_BREAKS * 8, chance.choice([50, 5000]))


def test_albums(service, alice):
    chance = random.Random(1)
    album = service.ok("addAlbum", user=alice, **samples.ALBUM)["albumID"]
    for number in range(ROUNDS):
        title = line(chance)
        if number % 4 == 0:
            album = service.ok("addAlbum", user=alice, **samples.ALBUM | {"albumTitle": title})["albumID"]
        else:
            service.ok("updateAlbum", user=alice, albumID=album, **samples.ALBUM | {"albumTitle": title})
        assert service.ok("getAlbum", albumID=album)["albumTitle"] == title


def test_blogs(service, alice):
    chance = random.Random(2)
    blog = service.ok("postBlog", user=alice, **samples.BLOG)["blogID"]
    for number in range(ROUNDS):
        texts = {"blogTitle": line(chance), "blogContent": content(chance), "userCategory": line(chance)}
        if number % 4 == 0:
            blog = service.ok("postBlog", user=alice, **samples.BLOG | texts)["blogID"]
        else:
            service.ok("updateBlog", user=alice, blogID=blog, **samples.BLOG | texts)
        answer = service.ok("getBlog", blogID=blog)
        assert {name: answer[name] for name in texts} == texts


def test_the_longest_content(service, alice):
    chance = random.Random(3)
    # Characters of four bytes are twelve in a form, of which a request has a mebibyte.
    for alphabet, length in [("\r", 100_000), ("&", 100_000), ("龍", 100_000), ("\U0010ffff", 87_000), (MARKUP + LINE_BREAKS, 100_000)]:
        text = "".join(chance.choices(alphabet, k=length))
        blog = service.ok("postBlog", user=alice, **samples.BLOG | {"blogContent": text})["blogID"]
        assert service.ok("getBlog", blogID=blog)["blogContent"] == text


def test_lists(service, db, alice, new_user):
    """What is written item by item."""
    chance = random.Random(4)
    user = new_user()
    titles = [line(chance) for _ in range(ROUNDS)]
    for title in titles:
        service.ok("addAlbum", user=user, **samples.ALBUM | {"albumTitle": title})
    listed = service.ok("getUserAlbumList", userID=user.id)["albumList"]
    assert [dict(item)["albumTitle"] for _, item in listed] == titles


def test_names_of_parameters(service):
    """Any text is one, and stands in the answer that refuses it."""
    chance = random.Random(5)
    for _ in range(ROUNDS):
        name = content(chance)
        answer = service.request("POST", body=http_client.encode([(name, ""), (name, "x")]))
        assert answer.info == f"DUPLICATE PARAMETER: {name}"


@pytest.mark.parametrize("number", range(8))
def test_names(service, new_user, number):
    """Not a parameter, but text that others wrote."""
    name = line(random.Random(50 + number)).strip()
    user = new_user(name)
    album = service.ok("addAlbum", user=user, **samples.ALBUM)["albumID"]
    assert service.ok("getAlbum", albumID=album)["ownerName"] == name
