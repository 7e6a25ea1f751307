"""Photos on their way: in every view, in their order, and by themselves when the network, the session or the space is back."""

import pytest
from selenium.webdriver.common.by import By

import drawn
import samples
from browser import PHONE
from service import until

WIDTHS = [300, 320, 340]


@pytest.fixture
def writer(page, slow, new_user):
    """Somebody whose requests pass the proxy. The console says of each request that it had no answer."""
    user = new_user("Somebody with photos")
    page.begin(f"http://127.0.0.1:{slow.port}")
    page.become(user)
    yield user
    page.console()


@pytest.fixture
def make_album(service, writer):
    place = {"lat": "25.03", "lng": "121.56"}
    return lambda **params: int(service.ok("addAlbum", user=writer, **samples.ALBUM | place | params)["albumID"])


@pytest.fixture
def files(folder):
    here = folder.make("photos")

    def made(pictures):
        for name, picture in pictures.items():
            (here / f"{name}.jpg").write_bytes(picture)
        return [here / f"{name}.jpg" for name in pictures]

    return made


@pytest.fixture
def three(files):
    return files({f"photo {width}": drawn.picture(width, 200) for width in WIDTHS})


def choose(page, *paths):
    page.driver.find_element(By.ID, "photo-files").send_keys("\n".join(map(str, paths)))


def widths(db, album):
    return db.column("SELECT width FROM photo WHERE kind = 0 AND number = %s ORDER BY position", album)


def bar(page):
    """The bar, if it is to be seen."""
    return [one for one in page.all(".upload-bar") if one.is_displayed()]


def shown(page):
    return len(page.all(".photos li"))


def test_they_go_on_in_other_views(page, slow, make_album, three, db):
    album = make_album()
    page.go(f"#album={album}", ready=".drop")
    with slow.holding("addPhoto"):
        choose(page, *three)
        page.find(".upload-bar", "0 of 3 photos")
        slow.has("addPhoto")
        page.go("#write", ready=".editor")
        page.find(".upload-bar a", "Show")
        assert page.run("const event = new Event('beforeunload', {cancelable: true}); dispatchEvent(event); return event.defaultPrevented")
    page.find(".upload-bar", "3 photos have arrived")
    assert widths(db, album) == WIDTHS
    page.click(".upload-bar a", "Show")
    until(lambda: shown(page) == 3, "the album shows them")
    until(lambda: not bar(page), "no more is to be said")
    assert not page.run("const event = new Event('beforeunload', {cancelable: true}); dispatchEvent(event); return event.defaultPrevented")


@pytest.mark.slow
def test_each_is_shown_as_it_arrives(page, slow, make_album, three):
    album = make_album()
    page.go(f"#album={album}", ready=".drop")
    with slow.holding("addPhoto") as gates:
        choose(page, three[0])
        slow.has("addPhoto")
        gates["addPhoto"].set()
        until(lambda: shown(page) == 1, "the first is shown")
        gates["addPhoto"].clear()
        choose(page, *three[1:])
        page.find(".upload-bar", "0 of 2 photos")
        assert shown(page) == 1
    until(lambda: shown(page) == 3, "all are shown")
    page.click(".order summary")
    assert len(page.all(".sorter-row")) == 3


@pytest.mark.slow
def test_one_that_arrives_while_its_album_is_read(page, slow, make_album, three, db):
    """The list of photos was read before it, and is shown after it."""
    album = make_album()
    page.go(f"#album={album}", ready=".drop")
    with slow.holding("addPhoto", "getPiece") as gates:
        choose(page, three[0])
        slow.has("addPhoto")
        page.go("#latest", ready=".tabs")
        page.run("performance.clearResourceTimings(); location.hash = arguments[0]", f"#album={album}")
        read = "return performance.getEntriesByType('resource').some(({name}) => name.includes('getAlbum'))"
        until(lambda: page.run(read), "the album is read")
        slow.has("getPiece")
        gates["addPhoto"].set()
        until(lambda: not bar(page), "it has arrived")
        assert widths(db, album) == [300] and not page.all(".piece")
    until(lambda: shown(page) == 1, "it is shown")


def test_without_network_they_wait(page, writer, make_album, three, db):
    album = make_album()
    page.go(f"#album={album}", ready=".drop")
    page.offline()
    choose(page, *three)
    page.find(".upload-bar", "You are offline")
    page.find(".upload", "You are offline")
    assert not page.all(".upload.failed")
    page.go("#drafts")
    page.online()
    page.find(".upload-bar", "3 photos have arrived")
    assert widths(db, album) == WIDTHS


@pytest.mark.few(1)
@pytest.mark.parametrize("fate", ["cut", "lost", (503, "SERVICE UNAVAILABLE"), (429, "TOO MANY ATTEMPTS")])
def test_each_arrives_once_and_in_order(page, slow, writer, make_album, three, db, fate):
    album = make_album()
    page.go(f"#album={album}", ready=".drop")
    slow.fates["addPhoto"] = fate
    choose(page, *three)
    page.find(".upload-bar", "There was no answer; trying again")
    del slow.fates["addPhoto"]
    page.run("dispatchEvent(new Event('online'))")    # else the next try is a minute away
    until(lambda: shown(page) == 3, "they have arrived", 60)
    assert widths(db, album) == WIDTHS


@pytest.mark.slow
def test_a_refusal_holds_up_the_rest_of_the_album_alone(page, slow, writer, make_album, three, db):
    full, other = make_album(), make_album()
    page.go(f"#album={full}", ready=".drop")
    slow.fates["addPhoto"] = (200, "QUOTA EXCEEDED")
    choose(page, *three)
    page.find(".upload.failed", "Your space for photos is full")
    page.find(".upload-bar", "Your space for photos is full")
    del slow.fates["addPhoto"]
    page.go(f"#album={other}", ready=".drop")
    choose(page, three[0])
    until(lambda: widths(db, other) == [300], "the other album has its photo", 60)
    assert widths(db, full) == []
    page.click(".upload-bar a", "Show")
    page.click(".upload.failed [aria-label='Try again']")
    until(lambda: shown(page) == 3, "they have arrived", 60)
    assert widths(db, full) == WIDTHS


@pytest.mark.slow
def test_a_session_that_ends_goes_on_after_the_login(page, writer, make_album, three, db):
    album = make_album()
    page.go(f"#album={album}", ready=".drop")
    db.run("DELETE FROM session WHERE user_id = %s", writer.id)
    choose(page, *three)
    until(lambda: not bar(page), "nobody is logged in")
    page.go("#login", ready="[name=email]")
    page.type("[name=email]", writer.email)
    page.type("[name=password]", writer.password)
    page.click("#panel button[type=submit]")
    page.find(".upload-bar", "3 photos have arrived")
    assert widths(db, album) == WIDTHS


@pytest.mark.few(1)
@pytest.mark.parametrize("choice", ["Send them first", "Keep them here", "Delete them"])
def test_logging_out_asks(page, slow, writer, make_album, three, db, new_user, choice):
    album, other = make_album(), new_user()
    page.go(f"#album={album}", ready=".drop")
    with slow.holding("addPhoto"):
        choose(page, *three)
        slow.has("addPhoto")
        page.go("#me", ready=".form-end")
        page.click(".form-end button", "Log out")
        page.find(".dialog", "3 photos are on their way")
        page.click(".dialog button", choice)
        if choice != "Send them first":
            page.gone(".dialog")
    page.gone(".dialog")
    until(lambda: page.address == "#latest", "somebody has logged out")
    assert not bar(page)
    assert widths(db, album) == (WIDTHS if choice == "Send them first" else [])
    for somebody in other, writer:
        page.go("#login", ready="[name=email]")
        page.type("[name=email]", somebody.email)
        page.type("[name=password]", somebody.password)
        page.click("#panel button[type=submit]")
        page.find(".note", "Welcome")
        if somebody is other or choice == "Delete them":
            assert not bar(page)
        else:
            page.find(".upload-bar", "3 photos have arrived")
        page.run("document.querySelectorAll('.note').forEach((note) => note.remove())")
        page.go("#me", ready=".form-end")
        page.click(".form-end button", "Log out")
        until(lambda: page.address == "#latest", "somebody has logged out")
    assert widths(db, album) == ([] if choice == "Delete them" else WIDTHS)


@pytest.mark.slow
def test_a_photo_that_is_given_up_holds_up_nothing(page, slow, make_album, three, db):
    album = make_album()
    page.go(f"#album={album}", ready=".drop")
    with slow.holding("addPhoto"):
        choose(page, *three)
        slow.has("addPhoto")
        page.click(".upload:nth-child(2) [aria-label=Cancel]")
        page.find(".upload-bar", "0 of 2 photos")
        assert page.run("return document.activeElement.closest('.upload').innerText").startswith("photo 340")
    until(lambda: shown(page) == 2, "the others are there")
    assert widths(db, album) == [300, 340]


# Where they were taken ------------------------------------------------------------------------------------------------


HARBOUR = ("N", 25.0, 9.0, 0.0), ("E", 121.0, 44.0, 0.0)    # in degrees, minutes, seconds
BESIDE = ("N", 25.0, 9.0, 2.0), ("E", 121.0, 44.0, 0.0)    # 62 metres away
HILL = ("N", 25.0, 6.0, 0.0), ("E", 121.0, 51.0, 0.0)


@pytest.fixture
def placed(files):
    return files({
        "hill": drawn.noted(place=HILL), "harbour": drawn.noted(place=HARBOUR), "none": drawn.picture(300, 200),
        "beside": drawn.noted(place=BESIDE),
    })


def place(db, album):
    return db.run("SELECT lat::float, lng::float FROM album WHERE number = %s", album)


def test_one_question_about_the_place_at_the_end(page, slow, make_album, placed, db):
    album = make_album()
    page.go(f"#album={album}", ready=".drop")
    with slow.holding("addPhoto"):
        choose(page, *placed)
        slow.has("addPhoto")
        assert not page.all(".place-question")
    page.find(".place-question", "Does the album belong there?")
    rows = [row.text.splitlines()[0] for row in page.all(".place-question li")]
    assert rows == ["2 photos, 22 km from the album", "1 photo, 30 km from the album"]
    page.click(".place-question li:nth-child(2) button", "Show on the map")
    assert place(db, album) == [(25.03, 121.56)]
    page.click(".place-question li:nth-child(1) button", "Move the album there")
    until(lambda: place(db, album) == [(25.15, 121.733333)], "it is moved")
    page.gone(".place-question")
    assert page.run("return document.activeElement.closest('.desk') !== null")
    page.run("window.confirm = () => true")
    page.click(".actions .danger")    # by its author, who has seen what is stored
    until(lambda: not place(db, album), "it is deleted")


@pytest.mark.slow
def test_an_album_that_stays_where_it_is(page, make_album, placed, db):
    album = make_album()
    page.go(f"#album={album}", ready=".drop")
    choose(page, *placed)
    page.click(".place-question > div > button", "Leave it where it is")
    page.gone(".place-question")
    page.go("#latest", ready=".tabs")
    page.go(f"#album={album}", ready=".drop")
    assert not page.all(".place-question")
    assert place(db, album) == [(25.03, 121.56)]


@pytest.mark.slow
def test_no_question_about_photos_taken_there(page, make_album, placed):
    album = make_album(lat="25.15", lng="121.7333")
    page.go(f"#album={album}", ready=".drop")
    choose(page, placed[1], placed[3])
    until(lambda: shown(page) == 2, "they have arrived")
    until(lambda: not bar(page), "no more is on its way")
    assert not page.all(".place-question")


@pytest.mark.slow
def test_on_a_phone_the_bar_is_seen_wherever_the_page_is_scrolled(page, slow, make_album, three):
    album = make_album()
    page.resize(PHONE)
    page.go(f"#album={album}", ready=".drop")
    with slow.holding("addPhoto"):
        choose(page, *three)
        page.find(".upload-bar", "0 of 3 photos")
        page.run("scrollTo(0, document.documentElement.scrollHeight)")
        top, bottom, wide = page.run(
            "const bar = document.querySelector('.upload-bar').getBoundingClientRect();"
            "const there = document.elementFromPoint(bar.x + 60, bar.y + bar.height / 2);"
            "return [bar.top, bar.bottom, document.documentElement.scrollWidth <= innerWidth && there.closest('.upload-bar') !== null]")
        assert wide and 0 <= top < bottom <= PHONE[1]
    until(lambda: shown(page) == 3, "they have arrived")
