"""Text: what was stored is what a conforming XML parser reads back; what XML cannot hold is never stored."""

import pytest

import http_client
from samples import BLOG, OPERATIONS

LINES = {
    "beyond the BMP": "🗺️ 𠮷野家 𝒳 \U00010000 \U0010fffd \U0002a6df",
    "the end of CDATA": "]]> <![CDATA[ x ]]> ]]",
    "markup": "<b a='1' c=\"2\">&amp;</b> <!-- --> <?pi?> & < > &#13; &lt; &quot",
    "quotes": "'\"\"'`“”«»",
    "tabs": "\ta\t\tb\t",
    "blanks around": "  a  b  ",
    "a blank": " ",
    "combining": "e\u0301 \u0301 a\u030a\u0323 ก็ 각 \u200d 👩\u200d👩\u200d👧 \u0644\u0627",
    "other blanks": "a\u00a0b\u3000c\u2003d\ufeffe",
    "not line breaks here": "a\u0085b\u2028c\u2029d",
    "edges of what XML takes": "\x7f \x80 \u009f \ud7ff \ue000 \ufffd \U0001fffe \U0010ffff \ufdd0",
    "of a form": "a=b&c=d;e+f%20%zz%",
    "directions": "\u202eabc\u202c שלום",
}
BODIES = LINES | {
    "CR LF": "a\r\nb\r\n\r\nc\r\n", "CR": "\ra\rb\r", "LF": "\na\nb\n", "LF CR": "a\n\rb", "all": "\t\r\n \r\r\n\n\t",
    "CR LF and the end of CDATA": "]]\r>\r\n]]>", "blank lines": "\r\n" * 100,
}
# One of each kind that is refused, as it would stand in a request.
REFUSED = {
    "NUL": b"\x00", "SOH": b"\x01", "backspace": b"\x08", "VT": b"\x0b", "FF": b"\x0c", "SO": b"\x0e", "ESC": b"\x1b", "US": b"\x1f",
    "overlong NUL": b"\xc0\x80", "overlong slash": b"\xc0\xaf", "overlong of 2": b"\xc1\xbf", "overlong of 3": b"\xe0\x9f\xbf",
    "overlong of 4": b"\xf0\x8f\xbf\xbf", "overlong CR": b"\xe0\x80\x8d", "first surrogate": b"\xed\xa0\x80",
    "last surrogate": b"\xed\xbf\xbf", "surrogate pair": b"\xed\xa0\xbd\xed\xb7\xba", "U+FFFE": b"\xef\xbf\xbe",
    "U+FFFF": b"\xef\xbf\xbf", "U+110000": b"\xf4\x90\x80\x80", "F5": b"\xf5\x80\x80\x80", "5 bytes": b"\xf8\x88\x80\x80\x80",
    "6 bytes": b"\xfc\x84\x80\x80\x80\x80", "FE": b"\xfe", "FF byte": b"\xff", "lone continuation": b"\x80",
    "cut after 1 of 2": b"\xc3", "cut after 1 of 3": b"\xe5", "cut after 2 of 3": b"\xe5\x9c", "cut after 3 of 4": b"\xf0\x9f\x97",
    "cut by another": b"\xe5\x9c\xe5\x9c\x96", "Latin-1": "é".encode("latin-1"), "Big5": "圖".encode("big5"),
}
TEXTS = [("addAlbum", "albumTitle"), ("updateAlbum", "albumTitle"), ("postBlog", "blogTitle"), ("updateBlog", "blogTitle"),
         ("postBlog", "userCategory"), ("updateBlog", "userCategory"), ("postBlog", "blogContent"), ("updateBlog", "blogContent")]
ROUND_TRIPS = [(row, name, kind) for row, name in TEXTS for kind in (BODIES if name == "blogContent" else LINES)]
EVERY = [(row, name) for row, operation in OPERATIONS.items() for name in operation.params]


def carry_out(service, user, row, things, **changed):
    operation = OPERATIONS[row]
    return service.call(operation.func, user=user if operation.login else None, **operation.filled(things) | changed)


@pytest.mark.parametrize("row, name, kind", ROUND_TRIPS)
def test_round_trip(service, alice, things, row, name, kind):
    answer = carry_out(service, alice, row, things, **{name: BODIES[kind]})
    piece = "album" if "Album" in row else "blog"
    made = answer.result[0][1] if answer.result else things[piece]
    assert service.ok(f"get{piece.title()}", **{f"{piece}ID": made})[name] == BODIES[kind]


def test_carriage_return_is_a_character_reference(service, alice, things):
    """Parsers turn a CR byte, and CR LF, into LF: XML 1.0, section 2.11."""
    blog = carry_out(service, alice, "postBlog", things, blogContent="a\r\nb\rc")["blogID"]
    body = service.ok("getBlog", blogID=blog).body
    assert b"\r" not in body and body.lower().count(b"&#13;") + body.lower().count(b"&#xd;") == 2


@pytest.mark.parametrize("kind", LINES)
def test_text_in_lists_and_names(service, db, new_user, kind):
    user = new_user(LINES[kind])
    album = db.insert("album", owner_id=user.id, title=LINES[kind], slot=1, lat=0, lng=0)
    listed = service.ok("getUserAlbumList", userID=user.id)["albumList/album1"]
    assert listed == [("albumID", str(album)), ("albumTitle", LINES[kind])]
    assert service.ok("getAlbum", albumID=album)["ownerName"] == LINES[kind]


@pytest.mark.parametrize("row, name", EVERY)
def test_no_parameter_takes_what_xml_cannot_hold(service, db, alice, things, row, name):
    with db.unchanged():
        for kind, piece in REFUSED.items():
            value = str(OPERATIONS[row].filled(things)[name]).encode()
            for bad in piece, value[:1] + piece + value[1:]:
                answer = carry_out(service, alice, row, things, **{name: bad})
                assert (answer.http_status, answer.info) == (200, f"INVALID PARAMETER: {name}"), kind


@pytest.mark.parametrize("kind", REFUSED)
def test_nor_does_one_that_is_ignored(service, db, alice, things, kind):
    with db.unchanged():
        answer = carry_out(service, alice, "addAlbum", things, unheard=b"x" + REFUSED[kind])
        assert answer.info == "INVALID PARAMETER: unheard"


@pytest.mark.parametrize("kind", REFUSED)
def test_nor_does_a_name(service, db, alice, things, kind):
    form = http_client.encode([("func", "addAlbum"), *OPERATIONS["addAlbum"].filled(things).items(), (b"x" + REFUSED[kind], "")])
    with db.unchanged():
        answer = service.request("POST", body=form, headers=[("Cookie", alice.cookie)])
        assert (answer.http_status, answer.info) == (200, "MALFORMED REQUEST")


@pytest.mark.parametrize("kind", sorted(set(REFUSED) - {"NUL"}))
def test_nor_bytes_without_an_escape(service, db, alice, things, kind):
    form = http_client.encode({"func": "addAlbum"} | OPERATIONS["addAlbum"].filled(things) | {"albumTitle": "@"}).encode()
    with db.unchanged():
        answer = service.request("POST", body=form.replace(b"%40", REFUSED[kind]), headers=[("Cookie", alice.cookie)])
        assert answer.info == "INVALID PARAMETER: albumTitle"


# Texts that can be seen. Titles are not among them.

TO_BE_SEEN = [("register", "name"), ("updateUser", "name"), ("addComment", "comment"), ("replyComment", "reply"),
              ("addVote", "description"), *(("addVote", f"choice{number}") for number in range(1, 11))]
UNSEEN = {
    "a blank": " ", "a tab": "\t", "other blanks": "\u00a0\u1680\u2003\u202f\u205f\u3000\u0085\u2028\u2029", "soft hyphen": "\u00ad",
    "grapheme joiner": "\u034f", "zero width": "\u200b\u200c\u200d\u2060\ufeff", "directions": "\u202a\u202c\u2066\u2069\u061c",
    "Hangul fillers": "\u115f\u1160\u3164\uffa0", "Braille without dots": "\u2800", "selectors": "\ufe0f\u180b\U000e0100",
    "tags": "\U000e0020", "not assigned": "\ufff0\U000e0fff", "shorthand, music": "\U0001bca0\U0001d173",
    "all at once": " \u200b\u2800\t\u3164 ",
}
SEEN = ["\u200b山\u200b", " .", "\u0301", "\u2801", "\u200d\u2764", "\ue000", "\ufff9", "\x7f"]


@pytest.mark.parametrize("row, name", TO_BE_SEEN)
def test_a_text_that_nobody_sees(service, db, alice, things, row, name):
    with db.unchanged():
        for kind, text in UNSEEN.items():
            answer = carry_out(service, alice, row, things, **{name: text})
            assert (answer.http_status, answer.info) == (200, f"INVALID PARAMETER: {name}"), kind


@pytest.mark.parametrize("row, name", [each for each in TO_BE_SEEN if each[1] in ("name", "comment", "reply")][1:])
def test_one_character_is_enough(service, alice, things, row, name):
    for text in SEEN:
        assert carry_out(service, alice, row, things, **{name: text}).info is None, ascii(text)


def test_a_vote_with_little_to_see(service, alice):
    blog = service.ok("postBlog", user=alice, **BLOG)["blogID"]
    service.ok("addVote", user=alice, blogID=blog, description=SEEN[0], **{f"choice{n}": text for n, text in enumerate(SEEN, 1)})
    assert service.ok("getBlog", blogID=blog)["vote/description"] == SEEN[0]


def test_titles_are_taken_unseen(service, alice, things):
    for row, name in TEXTS:
        assert carry_out(service, alice, row, things, **{name: UNSEEN["zero width"]}).info is None


def test_a_deletion_does_not_look(service, alice, things):
    assert carry_out(service, alice, "replyComment delete", things, reply="\u200b").info is None
    assert carry_out(service, alice, "updateComment", things, comment="\u200b").info is None


def test_the_tool_takes_what_nobody_sees(service, alice, things):
    for arguments in (["user", "update", alice.id, "--name", "\u3164"], ["comment", "add", f"album:{things['album']}", "--user", alice.id,
                      "--text", "\u200b"], ["vote", "create", things["quoted"], "--description", " ", "--choice", "\u2800",
                      "--choice", "\u00ad"]):
        ran = service.ctl(*arguments)
        assert ran.returncode == 0, ran


@pytest.mark.parametrize("column, table", [("title", "album"), ("title", "blog"), ("content", "blog"), ("user_category", "blog"),
                                           ("name", "user_account"), ("comment", "comment")])
@pytest.mark.parametrize("character", ["\x01", "\x0b", "\x1f", "\ufffe", "\uffff"])
def test_the_database_refuses_it_too(db, things, alice, column, table, character):
    db.insert("comment", kind=2, number=things["blog"], commenter_id=alice.id, comment="x")
    with pytest.raises(Exception, match="violates check constraint"):
        db.run(f"UPDATE {table} SET {column} = %s", character)
