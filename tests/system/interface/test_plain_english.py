"""Documents name things instead of pointing at them: few sentences have two pronouns in place of nouns, and "where" is a place."""

import re

import pytest

from web_server import TOP

POINTING = re.compile(r"\b(it|its|them|they|those|ones|who(m|se|ever)?|what(ever)?|(no|some|any|every)body)\b", re.IGNORECASE)
DOCUMENTS = [TOP / "README.md", TOP / "NEWS", *sorted((TOP / "doc").glob("*.md")), *sorted((TOP / "man").glob("*.[0-9]"))]
CODE = re.compile(r"^```.*?^```|^\.Bd.*?^\.Ed|^(#|\||!|\.|    ).*?$", re.MULTILINE | re.DOTALL)


def sentences(text):
    """Of the prose, those of more than three words. What stands in backquotes is one word."""
    prose = re.sub(r"`[^`]*`", "x", CODE.sub("\n", text))
    parts = re.split(r"(?<=[.!?:])\s+|\n\s*\n|\n\s*[-*] ", prose)
    return [part for part in parts if len(part.split()) > 3]


def share_of_pointing(found):
    return sum(len(POINTING.findall(one)) > 1 for one in found) / len(found)


def test_pointing_is_found():
    assert share_of_pointing(sentences("It is what they say it is. The server sends the answer. `it` and `them` are words.")) == 1 / 3


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_sentences_name_things(path):
    assert share_of_pointing(sentences(path.read_text(encoding="utf-8"))) <= (0.05 if path.name == "README.md" else 0.08)


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_conditions_take_if(path):
    words = re.findall(r"\w+", " ".join(sentences(path.read_text(encoding="utf-8"))).lower())
    assert words.count("where") <= max(1, 0.002 * len(words))
