"""Ways back and on: from a piece, out of the viewer of photos, and out of a dialog that was refused."""

import pytest
from selenium.webdriver.common.keys import Keys

import drawn
import samples
from browser import PHONE
from service import until

FOCUSED = "return document.activeElement.matches(arguments[0])"


@pytest.fixture
def walker(service, new_user):
    """Somebody with an album of three photos, and an entry beside it."""
    user = new_user("Walker")
    place = {"lat": "-52.5", "lng": "33.5"}
    album = int(service.ok("addAlbum", user=user, **samples.ALBUM | place | {"albumTitle": "A walk in pictures"})["albumID"])
    for i in range(3):
        service.ok("addPhoto", user=user, albumID=album, description=f"step {i + 1}", photo=drawn.FILE)
    user.blog = int(service.ok("postBlog", user=user, **samples.BLOG | place | {"blogTitle": "A walk in words"})["blogID"])
    user.album = album
    return user


def test_back_to_the_list_and_on(page, walker):
    page.open(f"#user={walker.id}", ready=".card, .album-card, a[href^='#album']")
    page.click(f"a[href='#blog={walker.blog}']")
    page.find(".piece h1", "A walk in words")
    assert page.text(".way-back") == "Back to the list"
    page.click(".way-back")
    until(lambda: page.address == f"#user={walker.id}", "the list is there")
    page.driver.forward()
    page.find(".piece h1", "A walk in words")
    page.click(".way-on a[href^='#near=']")
    page.find(".card", "A walk in pictures")
    page.click(".card-link", "A walk in pictures")
    page.find(".piece h1", "A walk in pictures")
    page.click(f".way-on a[href='#user={walker.id}']")
    until(lambda: page.address == f"#user={walker.id}", "the author is there")
    assert page.console() == []


@pytest.mark.slow
def test_whoever_comes_by_a_link_finds_the_latest(page, walker):
    page.open(f"#blog={walker.blog}", ready=".piece h1")
    assert page.text(".way-back") == "To the latest"
    page.click(".way-back")
    page.find(".tabs")
    assert page.address == "#latest"


@pytest.mark.slow
def test_out_of_the_viewer(page, walker):
    """The photo that was seen last has the focus, the title is that of the album, and one Back leads to the list."""
    page.open(f"#user={walker.id}", ready="a[href^='#album']")
    page.click(f"a[href='#album={walker.album}']")
    page.click(".photos li:first-child a")
    page.find(".viewer img[alt='step 1']")
    assert page.run(FOCUSED, ".viewer-button.close")
    assert page.run("return document.title") == "A walk in pictures"
    page.keys(Keys.ARROW_RIGHT)
    page.says("step 2", ".viewer-caption")
    page.keys(Keys.ESCAPE)
    page.gone(".viewer")
    until(lambda: page.address == f"#album={walker.album}", "the address is that of the album")
    until(lambda: page.run(FOCUSED, ".photos li:nth-child(2) a"), "the second photo has the focus")
    page.driver.back()
    until(lambda: page.address == f"#user={walker.id}", "the list is there")


def test_a_swipe_down_closes_the_viewer(page, walker):
    page.open(f"#album={walker.album}&photo=2", ready=".viewer img")
    for kind, y in ("mousePressed", 200), ("mouseReleased", 320):
        page.cdp("Input.dispatchMouseEvent", type=kind, x=640, y=y, button="left", clickCount=1)
    page.gone(".viewer")
    assert page.address == f"#album={walker.album}"


@pytest.mark.slow
def test_a_dialog_says_itself_what_was_refused(page, walker):
    page.become(walker)
    page.go("#me")
    page.click("button", "Delete my account")
    page.find(".dialog .button.danger[type=submit]")
    page.type(".dialog [name=password]", "not the password")
    page.keys(Keys.ENTER)
    page.find(".dialog .dialog-error, .dialog .field-error")
    assert not page.all(".note")


# Logging in ----------------------------------------------------------------------------------------------------------


def log_in(page, user):
    page.type(".dialog [name=email]", user.email)
    page.type(".dialog [name=password]", user.password)
    page.keys(Keys.ENTER)
    page.gone(".dialog")


def recommended(db, blog):
    return db.column("SELECT user_id FROM recommendation WHERE kind = 2 AND number = %s", blog)


def test_what_takes_an_account_is_done_after_the_login(page, walker, bob, db):
    """In a dialog, at the piece; a wrong password stays there."""
    page.open(f"#blog={walker.blog}", ready=".heart")
    page.click(".heart")
    page.type(".dialog [name=email]", bob.email)
    page.type(".dialog [name=password]", "not the password")
    page.keys(Keys.ENTER)
    page.find(".dialog .dialog-error, .dialog .field-error")
    log_in(page, bob)
    page.find(".heart[aria-pressed=true]")
    assert recommended(db, walker.blog) == [bob.id]
    page.find(".comment-form")
    assert page.address == f"#blog={walker.blog}" and page.console() == []


@pytest.mark.slow
def test_nobody_logs_in_and_nothing_is_done(page, walker, db):
    page.open(f"#blog={walker.blog}", ready=".heart")
    page.click(".heart")
    page.click(".dialog button", "Cancel")
    page.find(".note-error", "Please log in")
    assert page.find(".heart[aria-pressed=false]") and recommended(db, walker.blog) == []


@pytest.mark.slow
def test_nothing_is_written_as_somebody_else(page, service, walker, new_user, bob, db):
    """A session ends, and another user of the browser logs in."""
    reader = new_user("Reader")
    page.become(reader)
    page.open(f"#blog={walker.blog}", ready=".heart")
    service.ok("logout", user=reader)
    page.click(".heart")
    log_in(page, bob)
    page.find(".note-error", "Please log in")
    assert recommended(db, walker.blog) == []


@pytest.mark.slow
def test_one_dialog_serves_all_that_wait(page, service, walker, new_user, db):
    reader = new_user("Reader")
    page.become(reader)
    page.open(f"#blog={walker.blog}", ready=".comment-form textarea")
    service.ok("logout", user=reader)
    page.type(".comment-form textarea", "two at once")
    page.run("for (const it of document.querySelectorAll('.heart, .comment-form [type=submit]')) it.click()")
    log_in(page, reader)
    page.find(".heart[aria-pressed=true]")
    page.find(".comment", "two at once")
    assert recommended(db, walker.blog) == [reader.id]
    assert db.column("SELECT comment FROM comment WHERE kind = 2 AND number = %s", walker.blog) == ["two at once"]


@pytest.mark.slow
def test_the_login_of_the_frame_leads_back(page, walker, bob):
    page.open(f"#blog={walker.blog}", ready=".piece h1")
    page.click(".bar a", "Log in")
    page.type("[name=email]", bob.email)
    page.type("[name=password]", bob.password)
    page.click("button[type=submit]")
    page.find(".piece h1", "A walk in words")
    assert page.address == f"#blog={walker.blog}"


# Notes ---------------------------------------------------------------------------------------------------------------

NOTE = """import(new URL("notes.js", document.querySelector("[type=module]").src)).then(
    ({ note }) => note("%s", { kind: "error", stays: true }))"""
BELOW = """const { bottom } = document.querySelector('.note:last-child').getBoundingClientRect();
return visualViewport.offsetTop + visualViewport.height - bottom"""


def test_one_note_at_a_time(page, walker):
    """The one before is there again if it has not been closed. Both stay in the part of the page that can be seen."""
    page.resize(PHONE)
    page.open(f"#blog={walker.blog}", ready=".piece h1")
    for text in "the first", "the second":
        page.run(NOTE % text)
        page.says(text, ".notes")
    assert [note.text for note in page.all(".note") if note.is_displayed()] == ["the second"]
    assert 0 < page.run(BELOW) < 80
    page.cdp("Emulation.setPageScaleFactor", pageScaleFactor=2)
    until(lambda: 0 < page.run(BELOW) < 80, "the note is within the part that is zoomed in")
    page.cdp("Emulation.setPageScaleFactor", pageScaleFactor=1)
    page.click(".note:last-child button")
    until(lambda: [note.text for note in page.all(".note") if note.is_displayed()] == ["the first"], "the first is back")
