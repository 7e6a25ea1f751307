"""The one rule by which an answer in JSON is the answer in XML, and JSON read with all its digits."""

import json
import re

import http_client

# Elements that are numbers, beside the identifiers; and the lists that are there without items, too.
NUMBERS = set(("category score reward votes choice commentCount time zoomLevel mapType year month day lat lng width height takenTime "
               "blogCount albumCount photoBytes photoQuota distance count POICount west south east north photoSize").split())
PARTS_OF_DATES = {"year", "month", "day"}
LISTS = {"albumList", "POIList", "choices", "comments", "placeList", "clusterList", "languages"}


class Number(str):
    """A number of JSON as its digits, which no text is equal to."""

    __hash__ = str.__hash__

    def __eq__(self, other):
        return isinstance(other, Number) and str(self) == str(other)


def refuse(constant):
    raise ValueError(f"{constant} is not JSON")


def once(pairs):
    names = [name for name, _ in pairs]
    assert len(names) == len(set(names)), names
    return dict(pairs)


def read(text):
    """A document with its numbers as digits; no name may be there twice."""
    return json.loads(text, parse_float=Number, parse_int=Number, parse_constant=refuse, object_pairs_hook=once)


def is_identifier(name):
    return name.endswith("ID") or name in ("id", "cover")


def is_list(children):
    """Its children are numbered from 1: photo1, photo2."""
    stem = re.fullmatch(r"(\D+)1", children[0][0])
    return stem is not None and all(child == f"{stem[1]}{n}" for n, (child, _) in enumerate(children, 1))


def converted(name, content):
    """What stands in JSON for an element of the tree that http_client makes of XML."""
    if isinstance(content, list):
        if is_list(content):
            return [converted("", item) for _, item in content]
        return {child: converted(child, inner) for child, inner in content}
    if content == "":
        return None if is_identifier(name) else [] if name in LISTS else ""
    if name in PARTS_OF_DATES:
        return Number(str(int(content)))
    return Number(content) if name in NUMBERS or is_identifier(name) else content


def expected(answer):
    """The JSON of an answer in XML."""
    return converted("response", answer.tree)


def of(answer):
    """The JSON of an answer."""
    assert answer.header("Content-Type") == "application/json", answer.body[:200]
    text = answer.body.decode("utf-8")
    assert text.endswith("}\n")
    return read(text)


def assert_same(json_answer, xml_answer):
    """The same answer in both forms, in the same order."""
    assert isinstance(xml_answer, http_client.Answer)
    got, want = of(json_answer), expected(xml_answer)
    assert got == want and json.dumps(got) == json.dumps(want)
    assert json_answer.http_status == xml_answer.http_status
