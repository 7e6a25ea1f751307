"""Each form of the page behind a network that fails while its form is read, and while it is sent: in each way until the page
gives up, and answered then. What was typed stays, and is stored once."""

import dataclasses
import re

import pytest

import samples
from service import until

FAILURES = {"cut": "cut", "lost": "lost", "refused": (429, "TOO MANY ATTEMPTS"), "away": (503, "SERVICE UNAVAILABLE")}
TYPED = "typed words"
SEND = "button[type=submit]"


@dataclasses.dataclass
class Form:
    """Where it is, the operation that it reads, what opens it, its fields, the operation that it sends, what is stored then."""
    address: str
    reads: str | None
    fields: dict
    writes: str
    stored: str
    opens: tuple = ()
    sends: str = SEND
    place: bool = False
    signed_in: bool = True


PIECE = f".form-end {SEND}"
FORMS = {
    "new blog": Form("#write", None, {"[name=blogTitle]": TYPED, ".editor": "text"}, "postBlog",
                     "SELECT title FROM blog WHERE owner_id = {me}", sends=PIECE, place=True),
    "blog": Form("#write={blog}", "getBlog", {"[name=blogTitle]": TYPED}, "updateBlog",
                 "SELECT title FROM blog WHERE number = {blog}", sends=PIECE),
    "new album": Form("#album-edit", None, {"[name=albumTitle]": TYPED}, "addAlbum",
                      "SELECT title FROM album WHERE owner_id = {me}", sends=PIECE, place=True),
    "album": Form("#album-edit={album}", "getPiece", {"[name=albumTitle]": TYPED}, "updateAlbum",
                  "SELECT title FROM album WHERE number = {album}", sends=PIECE),
    "vote": Form("#write={blog}", "getPiece", {"[name=voteDescription]": TYPED, "[name=choice1]": "yes", "[name=choice2]": "no"},
                 "addVote", "SELECT description FROM vote WHERE blog_id = {blog}", opens=((".vote-editor summary", None),), sends=PIECE),
    "comment": Form("#blog={others}", "getBlog", {"[name=comment]": TYPED}, "addComment",
                    "SELECT comment FROM comment WHERE commenter_id = {me}", sends=f".comment-form {SEND}"),
    "reply": Form("#blog={blog}", "getComments", {"[name=reply]": TYPED}, "replyComment",
                  "SELECT reply FROM comment WHERE comment_id = {comment} AND reply IS NOT NULL",
                  opens=((".comment-actions button", "Answer"),), sends=f"dialog {SEND}"),
    "description": Form("#album={album}", "getAlbum", {"[name=description]": TYPED}, "updatePhoto",
                        "SELECT description FROM photo WHERE photo_id = {photo} AND description <> ''",
                        opens=((".order summary", None), (".sorter-row [aria-label^=Describe]", None)), sends=f"dialog {SEND}"),
    "report": Form("#blog={others}", "getBlog", {"[name=reason]": TYPED}, "report",
                   "SELECT reason FROM report WHERE reporter_id = {me}", opens=((".quiet-button", None),), sends=f"dialog {SEND}"),
    "name": Form("#me", "getMe", {"[name=name]": TYPED}, "updateUser",
                 "SELECT name FROM user_account WHERE user_id = {me} AND name = 'typed words'",
                 opens=((".settings summary", "Name"),), sends=f"details[open] {SEND}"),
    "registration": Form("#register", None, {"[name=name]": TYPED, "[name=email]": "{email}", "[name=password]": "typed password"},
                         "register", "SELECT DISTINCT name FROM account_token WHERE email = '{email}'", signed_in=False),
}
ROWS = [(form, read, write) for form, row in FORMS.items() for read in FAILURES for write in FAILURES if row.reads or read == write]


@pytest.fixture
def world(service, page, new_user, db, lossy):
    """Somebody at the page, with the things that {words} of FORMS stand for."""
    me, other = new_user(), new_user()
    blog, others = (int(service.ok("postBlog", user=user, **samples.BLOG)["blogID"]) for user in (me, other))
    album = int(service.ok("addAlbum", user=me, **samples.ALBUM)["albumID"])
    things = {
        "user": me, "me": me.id, "blog": blog, "others": others, "album": album, "email": f"new{me.id}@example.org",
        "comment": int(service.ok("addComment", user=other, blogID=blog, comment="well said")["commentID"]),
        "photo": db.insert("photo", kind=0, number=album, position=1, address="https://example.org/photo.jpg"),
    }
    page.begin(f"http://127.0.0.1:{lossy.port}")
    yield things
    page.console()    # which tells of each request that failed


def opened(page, form, things, lossy, fate):
    """Reads the form, in vain at first. Nothing but an offer to do it again is there then."""
    page.run("document.documentElement.dataset.pauses = arguments[0]", "1 1")
    if form.reads:
        lossy.fates = {form.reads: fate}
        page.go(form.address.format(**things), ready=":is(.nothing, .note) button")
        assert asked(lossy, form.reads) >= tries(page, fate)
        assert not page.all(next(iter(form.fields)))
        lossy.fates = {}
        page.click(":is(.nothing, .note) button", "Try again")
    else:
        page.go(form.address.format(**things))
    for selector, text in form.opens:
        page.click(selector, text)


def tries(page, fate):
    """How often the page asks until it gives up. The browser asks once more where a connection that it used before ends."""
    return 1 if fate == FAILURES["refused"] else len(pauses(page)) + 1


def pauses(page):
    return page.run("return document.documentElement.dataset.pauses").split()


def asked(lossy, operation):
    return sum(name == operation for name, _ in lossy.seen)


def values(page, form):
    return [page.run("const one = document.querySelector(arguments[0]); return one?.value ?? one?.innerText.trim()", selector)
            for selector in form.fields]


def play(page, db, lossy, things, name, read, write):
    form = FORMS[name]
    lossy.seen.clear()
    opened(page, form, things, lossy, FAILURES[read])
    typed = [text.format(**things) for text in form.fields.values()]
    for selector, text in zip(form.fields, typed):
        page.type(selector, text)
    if form.place:
        page.tap_map(0.5, 0.7)
    lossy.fates = {form.writes: FAILURES[write]}
    page.run("document.querySelectorAll('.note').forEach((note) => note.remove())")    # what is said of the read
    page.click(form.sends)
    page.find(".note-error, .dialog-error:not(:empty)")
    assert asked(lossy, form.writes) >= tries(page, FAILURES[write])
    assert values(page, form) == typed
    lossy.fates = {}
    page.run("document.querySelector(arguments[0]).click()", form.sends)
    stored = form.stored.format(**things)
    until(lambda: db.column(stored), f"it is stored, by {stored}")
    until(lambda: not page.all(form.sends) or values(page, form) != typed or not page.kept(), "the page knows")
    assert db.column(stored) == [TYPED]
    page.run("dispatchEvent(new Event('pagehide'))")    # what would be kept in a moment is kept now
    until(lambda: not page.kept(), "the draft has gone")


def begin(page, things, form):
    if form.signed_in:
        page.become(things["user"])
    else:
        page.open("#latest")


# Each failure of a read meets one of a write; the others meet in the full product.
@pytest.mark.few(4)
@pytest.mark.parametrize("name, read, write", [
    pytest.param(*row, marks=() if list(FAILURES).index(row[1]) == list(FAILURES).index(row[2]) else pytest.mark.slow) for row in ROWS])
def test_nothing_typed_is_lost(page, db, lossy, world, name, read, write):
    clear(db, world, name)
    begin(page, world, FORMS[name])
    play(page, db, lossy, world, name, read, write)


def clear(db, things, name):
    """A new piece is the only one of its author."""
    if name.startswith("new "):
        db.run("DELETE FROM piece WHERE owner_id = %s", things["me"])


@pytest.mark.slow
def test_with_the_pauses_of_the_page(page, db, lossy, world):
    form = FORMS["blog"]
    begin(page, world, form)
    real = pauses(page)
    assert len(real) > 1 and all(re.fullmatch(r"\d{3,}", pause) for pause in real)
    lossy.fates = {"getBlog": "cut"}
    page.go(form.address.format(**world), ready=".nothing button")
    assert asked(lossy, "getBlog") >= len(real) + 1
    lossy.fates = {}
    page.click(".nothing button", "Try again")
    page.type("[name=blogTitle]", TYPED)
    lossy.fates = {"updateBlog": "lost"}
    page.click(form.sends)
    page.find(".note-error")
    assert asked(lossy, "updateBlog") >= len(real) + 1
    lossy.fates = {}
    page.click(form.sends)
    page.find(".piece h1", TYPED)
    assert db.column(form.stored.format(**world)) == [TYPED]
