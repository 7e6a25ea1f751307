"""What strangers write beside what others write: texts that cannot be seen, that turn others round, that are as long as can be."""

import re

import pytest

import drawn
import samples
from browser import PHONE
from service import until

TURNED, END = "\u202e", "\u2069"    # what follows runs from right to left; the end of an isolate
UNSEEN = ["\u3164", "\u200b\u2060", " \u2800 ", "\U000e0041"]
FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"    # one character of three people


def post(service, user, **values):
    return int(service.ok("postBlog", user=user, **(samples.BLOG | values))["blogID"])


def titles(page, selector):
    return page.run("return [...document.querySelectorAll(arguments[0])].map((one) => one.innerText)", selector)


# What cannot be seen ---------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_what_cannot_be_seen_has_words_in_its_place(page, service, new_user, db):
    user = new_user("Nobody")
    blogs = [post(service, user, blogTitle=title) for title in UNSEEN]
    album = int(service.ok("addAlbum", user=user, **samples.ALBUM | {"albumTitle": UNSEEN[0]})["albumID"])
    service.ok("addComment", user=user, blogID=blogs[0], comment="said")
    db.run("UPDATE user_account SET name = %s WHERE user_id = %s", UNSEEN[0], user.id)
    named = f"user {user.id}"

    page.open(f"#user={user.id}", ready=".diary .card")
    assert page.text("h1") == named
    until(lambda: page.driver.title == named, "the window is named")
    assert titles(page, ".card-title") == ["(no title)"] * (len(UNSEEN) + 1)
    assert {facts.split("\n")[0] for facts in titles(page, ".card-facts")} == {named}
    assert titles(page, ".album-list a") == ["(no title)"]
    page.open(f"#blog={blogs[0]}", ready=".comment")
    assert (page.text("h1"), page.text(".author a"), page.text(".comment-head a")) == ("(no title)", named, named)
    assert page.all(".marker-chosen[aria-label='Diary entry: (no title)']")
    page.become(user)
    page.find(".bar a[href='#me']")
    page.go(f"#album={album}", ready=".drop")
    page.find(".author a").click()
    page.find("h1", named)
    page.begin(page.base, language="zh-TW")
    page.open(f"#blog={blogs[1]}")
    assert (page.text("h1"), page.text(".author a")) == ("（無標題）", f"使用者 {user.id}")


# What turns others round -----------------------------------------------------------------------------------------------


LEFT = """const range = document.createRange();
    const node = document.createTreeWalker(arguments[0], NodeFilter.SHOW_TEXT);
    const texts = [];
    while (node.nextNode()) texts.push(node.currentNode);
    const edge = (text, i) => { range.setStart(text, i); range.setEnd(text, i + 1); return range.getBoundingClientRect().left; };
    return texts.every((text) => edge(text, 0) <= edge(text, text.length - 1));"""


def runs_to_the_right(page, element):
    """Whether the last character of each of its texts is right of the first."""
    return page.run(LEFT, element)


@pytest.mark.few(1)
@pytest.mark.parametrize("before", [TURNED, END + TURNED])
def test_a_name_turns_nothing_round(page, service, new_user, db, before):
    user = new_user()
    db.run("UPDATE user_account SET name = %s WHERE user_id = %s", f"ab{before}cd", user.id)
    blog = post(service, user, blogTitle=f"ef{before}gh", userCategory="label")
    service.ok("addVote", user=user, blogID=blog, description="Which?", choice1=f"this{before}one", choice2="that")
    service.ok("addComment", user=user, blogID=blog, comment=f"yes{before}no")
    page.resize(PHONE)
    page.open(f"#blog={blog}", ready=".comment")
    for selector in ".label", ".facts time", ".comment-head time", ".vote-count":
        assert runs_to_the_right(page, page.find(selector)), selector
    page.open(f"#user={user.id}", ready=".diary .card")
    for selector in ".card-facts > :nth-child(2)", ".numbers li":
        assert runs_to_the_right(page, page.find(selector)), selector


def test_a_title_turns_no_sentence_round(page, service, new_user):
    user = new_user()
    page.become(user)
    blog = post(service, user, blogTitle=f"ef{END}{TURNED}gh")
    page.open(f"#blog={blog}")
    page.run("window.confirm = (text) => { window.asked = text; }")
    page.click(".actions .danger")
    asked = page.run("return window.asked")
    assert asked == f"Delete “\u2068ef{TURNED}gh\u2069”? This cannot be undone."
    assert page.find(".marker-chosen").get_attribute("aria-label") == f"Diary entry: \u2068ef{TURNED}gh\u2069"


def test_texts_from_right_to_left_are_set_so(page, service, new_user):
    user = new_user("שם")
    blog = post(service, user, blogTitle="כותרת")
    page.open(f"#blog={blog}")
    assert page.run("return getComputedStyle(document.querySelector('.piece h1')).direction") == "rtl"
    page.open(f"#user={user.id}", ready=".card-title")
    assert page.run("return getComputedStyle(document.querySelector('.card-title')).direction") == "rtl"


@pytest.mark.slow
def test_a_text_that_is_typed_runs_as_its_letters_do(page, service, new_user):
    user, other = new_user(), new_user()
    blog = post(service, other)
    page.become(user)
    for address, field in [("#write", "[name=blogTitle]"), ("#album-edit", "[name=albumTitle]"), (f"#blog={blog}", "[name=comment]"),
                           ("#latest", "[name=q]")]:
        page.go(address, ready=field)
        page.type(field, "\u05e9\u05dc\u05d5\u05dd")
        assert page.run("return getComputedStyle(document.querySelector(arguments[0])).direction", field) == "rtl"


# Where texts are cut ---------------------------------------------------------------------------------------------------


def test_texts_are_cut_between_characters(page, service, new_user):
    user = new_user(f"{FAMILY}s")
    blog = post(service, user)
    service.ok("addComment", user=user, blogID=blog, comment=FAMILY * 70)
    page.become(user)
    page.open(f"#blog={blog}", ready=".comment")
    assert page.text(".byline .avatar") == FAMILY
    page.run("window.confirm = (text) => { window.asked = text; }")
    page.click(".comment-actions button", "Delete")
    assert f"{FAMILY * 60}…" in page.run("return window.asked")
    assert page.run("return window.asked").count(FAMILY) == 60


@pytest.mark.slow
def test_years_of_few_digits(page, service, new_user):
    user = new_user()
    blog = post(service, user, year=50, month=1, day=2)
    page.open(f"#user={user.id}", ready=".diary .month")
    assert page.text(".diary .month") == "January 50"
    page.says("January 2, 50", ".card-facts")
    page.open(f"#blog={blog}")
    page.says("January 2, 50", ".byline")


# Addresses -------------------------------------------------------------------------------------------------------------


def test_results_on_both_sides_of_the_date_line(page, service, new_user):
    user = new_user()
    for lng in "178.4", "-171.8", "-179.9":
        post(service, user, blogTitle="bothsides", lat="-18", lng=lng)
    page.open("#map=5/48.8/2.3", ready=".results")
    page.go("#search=bothsides", ready=".card")
    spread = """const edges = [...document.querySelectorAll('.marker-blog')].map((one) => one.getBoundingClientRect());
        const map = document.getElementById('map').getBoundingClientRect();
        const lefts = edges.map(({ left, width }) => left + width / 2).sort((a, b) => a - b);
        return [lefts.length, (lefts.at(-1) - lefts[0]) / map.width, lefts[0] >= map.left && lefts.at(-1) <= map.right];"""

    def all_are_seen():
        count, width, inside = page.run(spread)
        return count == 3 and inside and width > 0.3

    until(all_are_seen, "they are near each other")


UNFINISHED = ["#near", "#near=25", "#near=25/", "#near=x/y", "#near=91/0", "#near=1/2/3", "#near=25/121&kind=x", "#map=5", "#map=a/b/c",
              "#map=5/25/121&type=x", "#map=5/25/121&category=99", "#search", "#search=+", "#search=a&kind=x", "#write=x", "#write&reply=x",
              "#album-edit=0", "#latest&type=x"]


@pytest.mark.slow
def test_an_address_with_parts_that_are_missing_or_wrong(page, service, author):
    for address in UNFINISHED:
        page.go(address, ready=".nothing")
        page.says("This address is not complete", ".nothing")
        assert not page.all(".note, .waiting"), address
        page.click(".nothing a")
        page.find(".tab[aria-current]")
    for address in "#blog", "#album=", "#POI=x", "#user=-1", "#user":
        page.go(address, ready=".nothing")
        page.click(".nothing a")
        page.find(".tab[aria-current]")
    page.open("#near")
    page.says("This address is not complete", ".nothing")
    page.type("[name=q]", "anything")
    page.run("document.querySelector('form.search').requestSubmit()")
    page.find("h1.panel-title")


def test_a_feed_is_named_in_the_page_as_it_is_sent(service):
    html = service.request(path="/").body.decode()
    links = re.findall(r'<link rel="alternate" href="([^"]+)" type="application/atom\+xml"', html)
    assert len(links) == 1
    answer = service.request(path=links[0])
    assert (answer.http_status, answer.header("Content-Type").partition(";")[0]) == (200, "application/atom+xml")


# The longest -----------------------------------------------------------------------------------------------------------


ALPHABETS = ["W", "字", "👩", "﷽", "é", "ש", "_", "1"]    # of which some may be broken anywhere, and some nowhere


def longest(count, alphabet="W"):
    return (alphabet * count)[:count]


class Longest:
    """A world in which all is as long as it may be, and without a blank."""

    def __init__(self, service, db, user, letter):
        self.user = user
        line = longest(255, letter)
        blog = {"blogTitle": line, "userCategory": line, "lat": "-45", "lng": "-100"}
        self.blog = post(service, user, **blog, blogContent=longest(5000, letter))
        self.html = post(service, user, **blog, blogContent=self.markup(letter), replyBlogID=self.blog)
        self.locked = post(service, user, **blog, blogContent=f"<x-y>{longest(3000, letter)}</x-y>")
        self.album = int(service.ok("addAlbum", user=user, albumTitle=line, category=1, lat="-45", lng="-100")["albumID"])
        for _ in range(3):
            service.ok("addPhoto", user=user, albumID=self.album, description=longest(2000, letter), photo=drawn.FILE)
        service.ok("addVote", user=user, blogID=self.blog, description=line, **{f"choice{n}": line for n in range(1, 11)})
        for piece in {"blogID": self.blog}, {"albumID": self.album}:
            comment = int(service.ok("addComment", user=user, comment=longest(5000, letter), **piece)["commentID"])
            service.ok("replyComment", user=user, commentID=comment, reply=longest(5000, letter))
        self.poi = db.insert("poi", title=line, slot=21, lat="-45", lng="-100", owner_id=user.id)
        db.run("UPDATE user_account SET name = %s WHERE user_id = %s", line, user.id)

    @staticmethod
    def markup(letter):
        word = longest(300, letter)
        cells = f"<tr>{f'<td>{word}' * 30}" * 3
        return (f"<h1>{word}</h1><p>{word}<table>{cells}</table><pre>{word}</pre>{'<blockquote>' * 100}{word}{'</blockquote>' * 100}"
                f"{'<ul><li>' * 60}{word}{'</ul>' * 60}<ruby>{word}<rt>{word}</ruby><dl><dt>{word}<dd>{word}</dl>"
                f"<a href='https://example.org/{word}'>https://example.org/{word}</a>")

    @property
    def views(self):
        query = longest(100, "q")
        return [
            "#latest", "#map=9/-45/-100", "#map=9/-45/-100&kind=POI", "#near=-45/-100", f"#search={query}", f"#blog={self.blog}",
            f"#blog={self.html}", f"#album={self.album}", f"#album={self.album}&photo=1", f"#POI={self.poi}", f"#user={self.user.id}",
            "#write", f"#write&reply={self.blog}", f"#write={self.blog}", f"#write={self.html}", f"#write={self.locked}", "#album-edit",
            f"#album-edit={self.album}", "#login", "#register", "#forgot", "#confirmEmail", "#resetPassword", "#me", "#near",
            "#blog=999999999",
        ]


WIDER = """const panel = document.getElementById('panel');
    const width = document.documentElement.clientWidth;
    const inner = (one) => one.closest('#map, .strip, .visually-hidden, .prose, .skip, svg, .bar .labelled span');
    return [document.documentElement.scrollWidth - innerWidth, panel.scrollWidth - panel.clientWidth,
        ...[...document.querySelectorAll('body *')].filter((one) => !inner(one) && one.getBoundingClientRect().right > width + 1)
            .map((one) => one.outerHTML.slice(0, 100))];"""


def widths(page):
    page.run("for (const one of document.querySelectorAll('details')) one.open = true")
    return page.run(WIDER)


@pytest.mark.slow
@pytest.mark.parametrize("letter", [ALPHABETS[0], *(pytest.param(one, marks=pytest.mark.slow) for one in ALPHABETS[1:])])
def test_no_view_is_wider_than_a_phone(page, service, new_user, db, letter):
    world = Longest(service, db, new_user(), letter)
    page.resize(PHONE)
    page.become(world.user)
    found = {}
    for view in world.views:
        page.open(view, ready="#panel h1, .viewer img, .nothing")
        until(lambda: not page.all(".waiting"), "all is there")
        if (wide := widths(page)) != [0, 0]:
            found[view] = wide
    assert found == {}
    page.console()


@pytest.mark.slow
def test_no_word_beside_the_views_is_wider(page, service, new_user, db, folder):
    """Notes, questions, photos on their way, drafts."""
    world = Longest(service, db, new_user(), "W")
    page.resize(PHONE)
    page.become(world.user)
    page.open(f"#blog={world.blog}", ready=".comment")
    page.click(".comment-actions button", "Change the answer")
    page.find("dialog textarea")
    assert widths(page) == [0, 0]
    page.open("#login", ready="[name=email]")
    page.type("[name=email]", f"{longest(230)}@example.org")
    page.type("[name=password]", "wrong password")
    page.click("#panel button[type=submit]")
    page.find(".note-error")
    assert widths(page) == [0, 0]
    page.begin(page.base)
    page.resize(PHONE)
    page.login(world.user)
    page.find(".note", "Welcome")
    assert widths(page) == [0, 0]
    path = folder.make("files") / f"{longest(200)}.jpg"
    path.write_bytes(b"no picture")
    page.open(f"#album={world.album}", ready=".drop")
    page.driver.find_element("id", "photo-files").send_keys(str(path))
    page.find(".upload.failed")
    assert widths(page) == [0, 0]
    page.open(f"#write={world.blog}", ready=".editor")
    page.unfold()
    page.type("[name=userCategory]", "mine")
    elsewhere = {"blogContent": longest(5000), "userCategory": longest(255, "M")}
    service.ok("updateBlog", user=world.user, blogID=world.blog, **samples.BLOG | elsewhere)
    page.open(f"#write={world.blog}", ready=".conflict .marked")
    assert widths(page) == [0, 0]
    page.click(".conflict button", "Keep mine")
    page.gone(".conflict")
    page.open("#drafts", ready=".draft")
    assert widths(page) == [0, 0]
    page.open("#me", ready=".settings")
    page.click("#panel button", "Log out")
    page.find(".dialog .leaving")
    assert widths(page) == [0, 0]
    page.console()


@pytest.mark.slow
def test_a_conflict_and_the_list_of_drafts_are_not_wider(page, service, new_user, db):
    """The longest texts on both sides."""
    world = Longest(service, db, new_user(), "W")
    page.resize(PHONE)
    page.become(world.user)
    page.open(f"#write={world.blog}", ready=".editor")
    mine = {"[name=blogTitle]": longest(255, "M"), "[name=userCategory]": longest(255, "M"), "[name=lat]": "45.012345678901234567"}
    page.unfold()
    for selector, text in mine.items():
        page.type(selector, text)
    page.type(".editor", longest(3000, "M"))
    theirs = {"blogTitle": longest(255, "T"), "userCategory": longest(255, "T"), "lat": "-45." + 20 * "1"}
    service.ok("updateBlog", user=world.user, blogID=world.blog, **samples.BLOG | theirs | {"blogContent": longest(5000, "T")})
    page.click(".form-end button[type=submit]")
    until(lambda: len(page.all(".conflict-field")) == len(mine) + 1, "each field is a question")
    assert widths(page) == [0, 0]
    for left in reversed(range(len(mine) + 1)):
        page.click(".conflict-field button", "Keep mine")
        until(lambda: len(page.all(".conflict-field")) == left, "it is answered")
    page.type("[name=blogTitle]", longest(254, "M"))
    until(lambda: len(page.kept()) > len(mine), "the draft is kept")
    page.go("#drafts", ready=".draft")
    assert widths(page) == [0, 0]
