"""The page for everybody: by keyboard alone, for screen readers, in each language, light and dark, on every width."""

import pytest
from selenium.webdriver.common.keys import Keys

import drawn
import samples
from browser import DESKTOP, PHONE, axe
from npm import install
from service import TOP, until

VIEWS = ["#latest", "#map=3/25/121", "#search=x", "{blog}", "{album}", "{album}&photo=1", "#login", "#near"]
OWN_VIEWS = ["{blog}", "{album}", "#write", "{locked}", "#album-edit", "#me"]
WIDTHS = 320, 375, 768, 1440, 2560
FEW = ["#latest", "{album}&photo=1"], ["{blog}", "#write"]    # of either, which have most of what there is


@pytest.fixture(scope="module")
def axe_source():
    return install(TOP / "tests/page") / "node_modules/axe-core/axe.min.js"


@pytest.fixture
def pieces(service, alice, album):
    """A blog with a vote and a comment, and an album with photos."""
    blog = int(service.ok("postBlog", user=alice, **samples.BLOG)["blogID"])
    service.ok("addVote", user=alice, blogID=blog, description="Which?", choice1="this", choice2="that")
    service.ok("addComment", user=alice, blogID=blog, comment="yes")
    for i in range(2):
        service.ok("addPhoto", user=alice, albumID=album, description="", photo=drawn.FILE)
    locked = int(service.ok("postBlog", user=alice, **samples.BLOG | {"blogContent": "<p id=n1>red"})["blogID"])
    return {"blog": f"#blog={blog}", "album": f"#album={album}", "locked": f"#write={locked}"}


def is_ready(page):
    """With all that is folded."""
    until(lambda: not page.all(".waiting"), "all is there")
    page.run("for (const box of document.querySelectorAll('#panel details')) box.open = true")


@pytest.mark.parametrize(
    "size, dark, views",
    [
        pytest.param(PHONE, False, FEW, id="phone"),
        pytest.param(PHONE, True, (VIEWS, OWN_VIEWS), id="phone, dark", marks=pytest.mark.slow),
        pytest.param(DESKTOP, False, (VIEWS, OWN_VIEWS), id="desktop", marks=pytest.mark.slow),
    ],
)
def test_no_barriers(page, pieces, axe_source, alice, size, dark, views):
    page.resize(size)
    page.media(dark=dark)
    found = []

    def look(view):
        page.open(view.format(**pieces), ready="#panel h1, .viewer img")
        is_ready(page)
        found.extend((view, barrier) for barrier in axe(page, axe_source))

    for view in views[0]:
        look(view)
    page.become(alice)
    for view in views[1]:
        look(view)
    assert found == []
    page.console()


@pytest.mark.slow
@pytest.mark.parametrize(
    "width, views",
    [(320, FEW[0] + FEW[1]), *(pytest.param(width, VIEWS + OWN_VIEWS, marks=pytest.mark.slow) for width in WIDTHS)],
)
def test_nothing_is_wider_than_the_window(page, pieces, alice, width, views):
    page.become(alice)
    page.resize((width, 800))
    for view in views:
        page.open(view.format(**pieces), ready="#panel h1, .viewer img")
        is_ready(page)
        wider = """const panel = document.getElementById('panel');
            return [document.documentElement.scrollWidth - innerWidth, panel.scrollWidth - panel.clientWidth]"""
        assert max(page.run(wider)) <= 0, view


def test_by_the_keyboard_alone(page, alice, db):
    """Logging in, and posting a blog."""
    page.open("#login", ready="[name=email]")
    page.tab_to("[name=email]")
    page.keys(alice.email, Keys.TAB, alice.password, Keys.ENTER)
    until(lambda: page.address == "#latest", "somebody is logged in")
    page.find("a[href='#write']")
    is_ready(page)
    page.run("document.activeElement.blur()")
    page.tab_to("a[href='#write']")
    page.keys(Keys.ENTER)
    page.find(".editor")
    until(lambda: page.run("return document.activeElement.name") == "blogTitle", "the focus is in the first field")
    page.keys("Keys alone")
    page.tab_to(".editor")
    page.keys("typed")
    page.tab_to(".place-actions button:nth-of-type(3)")
    page.keys(Keys.ENTER)
    page.tab_to(".form-end button[type=submit]")
    page.keys(Keys.ENTER)
    page.find(".piece h1", "Keys alone")
    assert db.value("SELECT count(*) FROM blog WHERE title = 'Keys alone'") == 1


def test_the_first_tab_leads_past_the_map(page, pieces):
    page.open(pieces["blog"])
    is_ready(page)
    page.run("document.activeElement.blur()")
    page.keys(Keys.TAB, Keys.ENTER)
    until(lambda: page.run("return document.activeElement.id") == "panel", "the focus is behind the map")
    assert page.address == pieces["blog"]


def test_the_focus_goes_where_the_news_is(page, pieces):
    page.open(pieces["blog"])
    page.go(pieces["album"], ready=".piece-kind.kind-album")
    until(lambda: page.run("return document.activeElement.tagName") == "H1", "the heading has it")
    page.click(".photos a")
    page.find(".viewer img")
    page.keys(Keys.ESCAPE)
    page.gone(".viewer")
    until(lambda: page.run("return document.activeElement.matches('.photos a')"), "the photo has it again")


@pytest.mark.slow
def test_landmarks_and_live_regions(page, pieces):
    page.open(pieces["blog"])
    assert len(page.all("main")) == len(page.all("header.bar")) == 1
    assert all(one.get_attribute("aria-label") for one in page.all("nav, section"))
    assert page.all("[role=status][aria-live=polite]")


@pytest.mark.parametrize(
    "languages, html, text",
    [
        ("fr,zh-HK,en", "zh-Hant", "登入"),
        ("fr", "en", "Log in"),
        pytest.param("zh-TW,en", "zh-Hant", "登入", marks=pytest.mark.slow),
        pytest.param("en-GB", "en", "Log in", marks=pytest.mark.slow),
        pytest.param("de,en,zh", "en", "Log in", marks=pytest.mark.slow),
    ],
)
def test_the_language_of_the_browser(page, languages, html, text):
    page.begin(page.base, language=languages)
    page.open("#login", ready="[name=email]")
    assert page.run("return document.documentElement.lang") == html
    assert page.text("#panel h1") == text


@pytest.mark.slow
def test_another_language(page):
    page.open("#login", ready="[name=email]")
    page.click(".bar button[lang='zh-Hant']")
    page.find("#panel h1", "登入")
    page.open("#login", ready="[name=email]")
    assert page.text("#panel h1") == "登入"


def test_dark_and_light(page):
    background = "return getComputedStyle(document.documentElement).backgroundColor"
    page.open("#login", ready="[name=email]")
    light = page.run(background)
    page.media(dark=True)
    assert page.run(background) != light


def test_nothing_moves_for_those_who_want_that(page, pieces):
    page.open(pieces["blog"])
    assert page.run("return document.getAnimations().length") == 0
    assert not page.all(".leaflet-zoom-anim, .leaflet-fade-anim")
