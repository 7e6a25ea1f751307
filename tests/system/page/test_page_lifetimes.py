"""A view ends when the next one begins: what comes too late for it is dropped. Answers are held back on purpose here."""


import pytest

import samples
from browser import PHONE
from service import until

LAT, LNG = "-60.5", "30.25"


@pytest.fixture
def here(page, slow, new_user):
    user = new_user("Somebody slow")
    page.begin(f"http://127.0.0.1:{slow.port}")
    page.become(user)
    yield user
    page.console()


@pytest.fixture
def things(service, here):
    """A blog, an album, a label for each: all far from where the map is."""
    blog = {"blogTitle": "slow blog", "lat": LAT, "lng": LNG}
    return {
        "blog": int(service.ok("postBlog", user=here, **samples.BLOG | blog)["blogID"]),
        "album": int(service.ok("addAlbum", user=here, **samples.ALBUM | {"albumTitle": "slow album", "lat": LAT, "lng": LNG})["albumID"]),
        "user": here.id,
    }


STATE = """const panel = document.getElementById('panel');
    return [panel.className, panel.innerText, document.title, location.hash, document.activeElement.tagName,
        [...document.querySelectorAll('.note p')].map((one) => one.innerText), document.querySelectorAll('dialog[open]').length,
        document.getElementById('map').className.includes('picking'), document.querySelectorAll('.marker-chosen').length,
        [...document.querySelectorAll('link[rel=alternate]')].map((one) => one.href),
        document.querySelector('.leaflet-control-scale-line').innerText];"""
# All that the page was sent so far has been looked at: an answer to a later request is there, and the page has drawn.
SETTLED = """const done = arguments[arguments.length - 1];
    fetch('/API.php/getSite').then((answer) => answer.text())
        .then(() => requestAnimationFrame(() => setTimeout(() => requestAnimationFrame(done))));"""


def settle(page):
    page.driver.execute_async_script(SETTLED)
    return page.run(STATE)


SLOW = {
    "#blog={blog}": ["getBlog", "getPiece"], "#album={album}": ["getAlbum"], "#user={user}": ["getUser"], "#write={blog}": ["getBlog"],
    "#album-edit={album}": ["getAlbum"], "#search=slow": ["search"], f"#near={LAT}/{LNG}": ["getNearby"], "#me": ["getMe"],
    f"#map=9/{LAT}/{LNG}": ["getMap"],
}


@pytest.mark.parametrize("size, views", [
    (PHONE, list(SLOW)[:5]), pytest.param((1280, 800), list(SLOW), marks=pytest.mark.slow),
])
def test_what_comes_late_is_dropped(page, slow, things, size, views):
    page.resize(size)
    for view in views:
        page.go("#map=5/48/2", ready=".results .nothing, .results .cards")
        with slow.holding(*SLOW[view]):
            page.run("location.hash = arguments[0]", view.format(**things))
            slow.has(*SLOW[view])
            page.go("#login", ready="[name=email]")
            before = settle(page)
            ends = slow.ends
        until(lambda: slow.ends > ends, "the service has answered, or there is nobody to answer")
        assert settle(page) == before, view


@pytest.mark.slow
def test_only_one_of_two_answers_is_dropped(page, slow, things):
    """The piece comes at once, what is asked about it comes late."""
    page.go("#map=5/48/2", ready=".results .nothing, .results .cards")
    with slow.holding("getPiece"):
        page.run("location.hash = arguments[0]", f"#blog={things['blog']}")
        slow.has("getPiece")
        settle(page)
        page.go("#login", ready="[name=email]")
        before = settle(page)
    assert settle(page) == before
    page.go(f"#album={things['album']}", ready=".piece h1")
    assert page.text(".piece h1") == "slow album"


@pytest.mark.slow
def test_the_next_of_two_pieces_stays(page, slow, service, here, things):
    other = int(service.ok("postBlog", user=here, **samples.BLOG | {"blogTitle": "quick blog"})["blogID"])
    page.go("#login", ready="[name=email]")
    with slow.holding("getAlbum"):
        page.run("location.hash = arguments[0]", f"#album={things['album']}")
        slow.has("getAlbum")
        page.go(f"#blog={other}", ready=".piece h1")
        until(lambda: page.driver.title == "quick blog", "it is there")
        page.find(".comments .quiet")
        before = settle(page)
    assert settle(page) == before
    assert page.text("h1") == "quick blog"
    assert page.find(".marker-chosen").get_attribute("aria-label") == "Diary entry: quick blog"


@pytest.mark.slow
def test_who_went_on_is_not_led_back(page, slow, things, here):
    """The answers to what was sent from a view come when its sender is elsewhere."""
    page.go(f"#blog={things['blog']}", ready=".piece h1")
    page.run("window.confirm = () => true")
    with slow.holding("updateBlog"):
        page.click(".actions .danger")
        slow.has("updateBlog")
        page.go(f"#album={things['album']}", ready=".piece .drop")
    page.find(".note", "Deleted")
    assert page.address == f"#album={things['album']}"
    page.begin(page.base)
    page.open("#login", ready="[name=email]")
    page.type("[name=email]", here.email)
    page.type("[name=password]", here.password)
    with slow.holding("login"):
        page.click("#panel button[type=submit]")
        slow.has("login")
        page.go(f"#user={here.id}", ready=".user-head h1")
    page.find(".bar a[href='#me']")
    assert page.address == f"#user={here.id}"


@pytest.mark.slow
def test_markers_of_an_earlier_view_take_nobodys_place(page, slow, things):
    page.go("#map=5/48/2", ready=".results .nothing, .results .cards")
    with slow.holding("getMap"):
        page.run("location.hash = arguments[0]", f"#map=9/{LAT}/{LNG}")
        slow.has("getMap")
        page.go("#search=slow", ready=".card")
        markers = "return [...document.querySelectorAll('.marker:not(.marker-chosen)')].map((one) => one.title).sort()"
        before = settle(page), page.run(markers)
    assert (settle(page), page.run(markers)) == before


@pytest.mark.slow
def test_a_piece_shows_the_map_that_a_list_had_no_time_for(page, slow, things):
    page.open("#login", ready="[name=email]")
    with slow.holding("getMap"):
        page.run("location.hash = arguments[0]", f"#map=9/{LAT}/{LNG}")
        slow.has("getMap")
        page.go("#forgot", ready="[name=email]")
    page.find(".marker:not(.marker-chosen)")


@pytest.mark.slow
def test_offers_to_do_it_again_end_with_their_view(page, slow, things):
    page.go("#login", ready="[name=email]")
    slow.fates["getNearby"] = (429, "TOO MANY ATTEMPTS")
    page.go(f"#near={LAT}/{LNG}", ready=".nothing")
    page.find(".note-error button", "Try again")
    page.go("#login", ready="[name=email]")
    page.gone(".note-error")


@pytest.mark.slow
def test_a_question_ends_with_its_view(page, author, service, db):
    blog = int(service.ok("postBlog", user=author, **samples.BLOG)["blogID"])
    service.ok("addComment", user=author, blogID=blog, comment="well said")
    page.go(f"#blog={blog}", ready=".comment")
    page.click(".comment-actions button", "Answer")
    page.type("dialog [name=reply]", "half an answer")
    page.run("history.back()")
    page.gone("dialog")
    page.go(f"#blog={blog}", ready=".comment")
    page.click(".comment-actions button", "Answer")
    page.find("dialog .quiet", "Saved ")
    assert page.find("dialog [name=reply]").get_attribute("value") == "half an answer"
