"""How texts and searches are folded, against the tables of others: Unicode's by Python and the module regex, OpenCC's, and HTML's."""

import html
import html.entities
import random
import subprocess
import sys
import unicodedata

import pytest
import regex

from removal import removed
from test_finding import blog, found


@pytest.fixture(autouse=True)
def alone(db):
    with removed(db):
        yield


# By what Unicode decomposes, and without it: letters with a stroke, and the last sigma.
PLAIN = str.maketrans({"ı": "i", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "ħ": "h", "ŧ": "t", "ς": "σ", "ß": "ss", "æ": "ae", "œ": "oe",
                       "þ": "th"} | dict.fromkeys("’‘‛ʼʻ", "'") | dict.fromkeys("\u115f\u1160", " "))
UNREAD = regex.compile(r"[\p{Script=Inherited}\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Arabic}\p{Script=Hebrew}"
                       r"&&\p{M}--[\u3099\u309a]]|[\p{Default_Ignorable_Code_Point}--[\u115f\u1160\u3164\uffa0]]|\u0640", regex.V1)
OF_WORDS = regex.compile(r"[[\p{L}\p{Nd}\p{M}\u3007\u3021-\u3029']--[\p{M}&&\p{Script=Common}]]", regex.V1)


@pytest.fixture(scope="module")
def simplified(tmp_path_factory):
    table = tmp_path_factory.mktemp("opencc") / "characters"
    subprocess.run(["opencc_dict", "-i", "/usr/share/opencc/TSCharacters.ocd2", "-f", "ocd2", "-o", table, "-t", "text"], check=True)
    rows = (line.split("\t") for line in table.read_text(encoding="utf-8").splitlines())
    return {character: simple.split(" ")[0] for character, simple in rows}


def expected(text, simplified):
    text = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).lower())
    text = unicodedata.normalize("NFKC", UNREAD.sub("", text)).translate(PLAIN)
    text = "".join(c if OF_WORDS.match(c) else " " for c in text)
    return regex.sub(" +", " ", "".join(simplified.get(c, c) for c in text))


@pytest.mark.slow
def test_every_character(db, simplified):
    """Each that Python knows, between two letters, so that marks stand at a letter."""
    characters = [chr(code) for code in range(1, sys.maxunicode + 1) if unicodedata.category(chr(code)) not in ("Cn", "Cs", "Co")]
    assert len(characters) > 140_000
    rows = db.run("SELECT c, folded('x' || c || 'x') FROM unnest(%s) AS c", characters)
    assert len(rows) == len(characters)
    wrong = [(hex(ord(c)), unicodedata.name(c, ""), is_folded, expected(f"x{c}x", simplified)) for c, is_folded in rows
             if is_folded != expected(f"x{c}x", simplified)]
    assert wrong == [], len(wrong)


def test_simplified_characters(db, simplified):
    here = db.value("SELECT simplified_characters()")
    assert here == {character: simple for character, simple in simplified.items() if character != simple}


def test_every_reference(db):
    """Python leaves out what is no character of a document (html._invalid_codepoints); browsers do not."""
    names = html.entities.html5
    texts = [f"a&{name}{end}" for name in names for end in ("", " b", ";", "x", "1", "&")]
    codes = [*range(0x20, 0x7f), *range(0xa0, 0x300)]
    codes += [0x80, 0x9f, 0x7fff, 0xd7ff, 0xd800, 0xdfff, 0xe000, 0xfffd, 0x1f600, 0x10fffd, 0x110000]
    texts += [f"&#{code}{end}" for code in [*codes, 10 ** 9, 10 ** 40] for end in ("", ";", "x")]
    texts += [f"&#{x}{code:x};" for x in "xX" for code in [*codes, 2 ** 70]]
    texts += ["&", "&&", "&;", "&#;", "&#x;", "&#xg", "&1;", "&#000065;", "&amp;lt;", "&amp;amp;", "AT&T", "a & b", "&#65&#66", "&ampamp;"]
    draw = random.Random(7)
    parts = ["&", "#", "x", ";", "33", "amp", "lt", "not", "notin", "eacute", "\u00e9", " ", "\u53f0"]
    texts += ["".join(draw.choices(parts, k=12)) for _ in range(5000)]
    rows = db.run("SELECT t, plain_text(t) FROM unnest(%s) AS t", texts)
    assert [(text, read, html.unescape(text)) for text, read in rows if read != html.unescape(text)] == []
    assert db.value("SELECT plain_text('&#1;&#x7f;&#129;&#xfffe;')") == "\x01\x7f\x81\ufffe"


@pytest.mark.few(4)
@pytest.mark.parametrize("title, finds, not_finds", [
    ("臺北 Taipei", ["台北", "臺北", "taipei"], ["台南"]),
    ("台北市立圖書館", ["臺北", "图书馆", "圖書館"], []),
    ("東京の牛肉麵", ["东京", "東京", "牛肉面"], []),
    ("दिल्ली", ["दिल्ली"], ["द", "ल"]),
    ("व्लादिवोस्तोक", ["व्लादिवोस्तोक"], ["दिल्ली", "कोल"]),
    ("मुंबई यात्रा", ["मुंबई"], ["मु "]),
    ("مُحَمَّد", ["محمد", "مُحَمَّد"], []),
    ("عمّان", ["عمان"], []),
    ("إسطنبول", ["اسطنبول"], []),
    ("שָׁלוֹם", ["שלום"], []),
    ("三〇三高地", ["三〇三", "〇", "〇三"], ["三三"]),
    ("ㅋㅋㅋ웃음", ["ㅋㅋ", "웃음"], []),
    ("하하ㅎㅎ", ["하ㅎ", "ㅎㅎ"], []),
    ("\U00031350\U00031351", ["\U00031350", "\U00031350\U00031351"], []),
    ("葛\U000e0100城", ["葛城"], []),
    ("ตลาดน้ำ", ["ตลาดน้ำ"], ["ตลาดน "]),
    ("a\u3164b", ["a", "b"], ["ab"]),
])
@pytest.mark.uncounted
def test_folded_words(service, db, alice, title, finds, not_finds):
    piece = blog(service, alice, title)
    for is_kept in False, True:
        if is_kept:
            db.wait_for_words()
        wanted = dict.fromkeys(finds, True) | dict.fromkeys(not_finds, False)
        assert {q: piece in found(service, q) for q in wanted} == wanted


@pytest.mark.uncounted
def test_apostrophes(service, db, alice):
    titles = "L’Aquila", "laquila", "O'Fallon", "d'Alene l'Aquila", "rock'n'roll", "Hawaiʻi"
    pieces = {title: blog(service, alice, title) for title in titles}
    db.wait_for_words()
    for q, found_titles in [
        ("l'aquila", ["laquila", "L’Aquila", "d'Alene l'Aquila"]), ("laquila", ["laquila", "L’Aquila", "d'Alene l'Aquila"]),
        ("aquila", ["d'Alene l'Aquila", "L’Aquila"]), ("alene l'aquila", ["d'Alene l'Aquila"]),
        ("OFallon", ["O'Fallon"]), ("o’fallon", ["O'Fallon"]), ("fallon", ["O'Fallon"]),
        ("rocknroll", ["rock'n'roll"]), ("rock n roll", ["rock'n'roll"]), ("'roll'", ["rock'n'roll"]),
        ("hawaii", ["Hawaiʻi"]), ("hawai'i", ["Hawaiʻi"]),
    ]:
        assert [piece for piece in found(service, q) if piece in pieces.values()] == [pieces[title] for title in found_titles], q


@pytest.mark.uncounted
def test_references_of_texts(service, db, alice):
    content = "<p>caf&eacute; r&#233;sum&#xe9; &#21488;&#21271;&#19971;&#22581; don&#39;t &amp;lt; O&rsquo;Brien</p>"
    piece = blog(service, alice, "x", content)
    db.wait_for_words()
    for q in "café", "résumé", "台北七堵", "don't", "dont", "o'brien", "lt":
        assert piece in found(service, q), q
    for q in "eacute", "39", "rsquo", "amp":
        assert piece not in found(service, q), q


@pytest.mark.slow
def test_recount_notes_all_words_anew(service, db, alice):
    pieces = [blog(service, alice, f"penguin {n}") for n in range(3)]
    db.wait_for_words()
    entries = db.run("SELECT kind, id, entry_id FROM search_entry ORDER BY entry_id")
    db.run("UPDATE search_entry SET words = bucket_words(entry_id)")
    assert found(service, "penguin") == []
    assert service.ctl("recount").returncode == 0
    db.wait_for_words()
    assert found(service, "penguin") == pieces[::-1]
    assert db.run("SELECT kind, id, entry_id FROM search_entry ORDER BY entry_id") == entries


def test_hostile_texts_are_cut(db):
    """Apostrophes without an end, words without an end, and marks that are kept without an end."""
    texts = "a'" * 50_000, "a" * 99_000, "a'" + "b" * 99_000, "a" + "\u0941\u093c" * 49_000, "台" * 99_000, "ก" * 99_000, "&a" * 49_000
    for text in texts:
        words = db.value("SELECT words_of_texts('x', plain_text(%s), '')::text", text)
        assert words.startswith("'") and "'x':1A" in words
