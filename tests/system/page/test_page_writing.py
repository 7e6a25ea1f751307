"""Writing blogs in the page, and what becomes of it where the network fails in the middle."""

import pytest

import noted_pictures
from browser import DESKTOP, PHONE
from service import until

EDITOR = ".editor"


def write_blog(page, title="雨天的麵店", text="ordinary day"):
    page.go("#write", ready=EDITOR)
    page.type("[name=blogTitle]", title)
    page.type(EDITOR, text)
    page.tap_map(0.5, 0.7)
    page.click("[data-field=type] .choice", "Food")
    page.click("[data-field=weather] .choice", "Drizzle")


def publish(page):
    page.click(".form-end button[type=submit]")


@pytest.mark.parametrize("size", [PHONE, pytest.param(DESKTOP, marks=pytest.mark.slow)])
def test_a_blog_is_posted_edited_and_deleted(page, author, db, size):
    page.resize(size)
    write_blog(page)
    publish(page)
    page.find(".piece h1", "雨天的麵店")
    rows = "SELECT title, slot, weather::text, abs(lat) <= 90 AND lng <> 0 FROM blog WHERE owner_id = %s"
    assert db.run(rows, author.id) == [("雨天的麵店", 26, "陰雨綿綿", True)]
    page.says("ordinary day", ".piece .prose")
    page.click(".actions a", "Edit")
    page.find(EDITOR, "ordinary day")
    page.type("[name=blogTitle]", "晴天的麵店")
    page.click("[data-field=weather] .choice", "Clear sky")
    publish(page)
    page.find(".piece h1", "晴天的麵店")
    assert db.run(rows, author.id) == [("晴天的麵店", 26, "晴空萬里", True)]
    page.run("window.confirm = () => true")
    page.click(".actions .danger")
    until(lambda: page.address == "#latest", "it is left")
    assert db.run(rows, author.id) == []
    assert page.console() == []


def test_what_is_typed_is_text_unless_it_is_formatted(page, author, db):
    write_blog(page, text="a < b & <script>c</script> ")
    page.click("[aria-label=Bold]")
    page.keys("strong")
    publish(page)
    page.find(".piece .prose b", "strong")
    content = db.value("SELECT content FROM blog WHERE owner_id = %s", author.id)
    assert "a &lt; b &amp; &lt;script&gt;c&lt;/script&gt;" in content and "<b>strong</b>" in content
    page.says("a < b & <script>c</script> strong", ".piece .prose")


def test_a_draft_survives_a_closed_tab(page, author):
    write_blog(page, title="half a thought", text="and then")
    page.open("#write", ready=EDITOR)
    assert page.find("[name=blogTitle]").get_attribute("value") == "half a thought"
    assert page.find(EDITOR).text == "and then"
    assert page.run("return document.querySelector('[name=type]:checked').value") == "0_4"
    page.says("Your draft is back")
    page.click(".info-box button")
    until(lambda: page.find("[name=blogTitle]").get_attribute("value") == "", "the draft is gone")


def kept(page):
    return page.run("return JSON.stringify(localStorage)")


def test_who_logs_out_leaves_no_draft(page, author):
    write_blog(page, title="half a thought", text="a secret")
    until(lambda: "a secret" in kept(page), "the draft is kept")
    page.open("#me")
    page.click("#panel button", "Log out")
    until(lambda: "mapdiary.me" not in kept(page), "the session has ended")
    assert "a secret" not in kept(page)


def test_a_draft_outlives_its_session_and_is_nobody_elses(page, author, new_user):
    write_blog(page, title="half a thought", text="a secret")
    until(lambda: "a secret" in kept(page), "the draft is kept")
    page.become(author)
    page.open("#write", ready=EDITOR)
    assert page.find(EDITOR).text == "a secret"
    page.become(new_user())
    page.open("#write", ready=EDITOR)
    assert page.find(EDITOR).text == "" and "a secret" not in kept(page)


@pytest.mark.slow
def test_what_is_missing_is_said_where_it_is_missing(page, author, db):
    write_blog(page, text=" ")
    publish(page)
    page.says("Write something first")
    assert db.value("SELECT count(*) FROM blog WHERE owner_id = %s", author.id) == 0


def test_a_lost_network_keeps_what_was_typed(page, author, db):
    write_blog(page)
    page.offline()
    page.says("You are offline", "#offline")
    publish(page)
    page.find(".note-error", "There is no connection")
    assert page.find(EDITOR).text == "ordinary day"
    page.online()
    page.click(".note-error button", "Try again")
    page.find(".piece h1", "雨天的麵店")
    assert db.value("SELECT count(*) FROM blog WHERE owner_id = %s", author.id) == 1
    page.console()  # says of each request that it had no network


def test_an_answer_that_was_lost_is_asked_for_again(page, new_user, lossy, db):
    user = new_user()
    page.begin(f"http://127.0.0.1:{lossy.port}")
    page.become(user)
    write_blog(page)
    lossy.losing = 1
    publish(page)
    page.find(".piece h1", "雨天的麵店")
    assert lossy.losing == 0
    assert db.value("SELECT count(*) FROM blog WHERE owner_id = %s", user.id) == 1
    page.console()


def test_a_post_that_is_cut_in_the_middle(page, new_user, lossy, db):
    user = new_user()
    page.begin(f"http://127.0.0.1:{lossy.port}")
    page.become(user)
    write_blog(page)
    lossy.cutting = 1
    publish(page)
    page.find(".piece h1", "雨天的麵店")
    assert lossy.cutting == 0
    assert db.value("SELECT count(*) FROM blog WHERE owner_id = %s", user.id) == 1
    page.console()


@pytest.mark.slow
def test_a_draft_knows_what_it_was_sent_as(page, new_user, lossy, db):
    """The answers are lost, the page is closed, and what it had sent is no second blog."""
    user = new_user()
    page.begin(f"http://127.0.0.1:{lossy.port}")
    page.become(user)
    write_blog(page)
    lossy.losing = 1000
    publish(page)
    page.find(".note-error", "does not answer")
    assert db.value("SELECT count(*) FROM blog WHERE owner_id = %s", user.id) == 1
    lossy.losing = 0
    page.open("#write", ready=EDITOR)
    publish(page)
    page.find(".piece h1", "雨天的麵店")
    assert db.value("SELECT count(*) FROM blog WHERE owner_id = %s", user.id) == 1
    page.console()


@pytest.mark.parametrize("name", ["jpeg all", "heic all", "png packed profile"])
def test_a_blog_takes_the_place_of_a_photo_that_stays_here(page, author, folder, name):
    path = folder.make("files") / "placed"
    path.write_bytes(next(row.data for row in noted_pictures.rows() if row.name == name))
    page.go("#write", ready=EDITOR)
    page.driver.find_element("id", "place-photo").send_keys(str(path))
    until(lambda: page.find("[name=lat]").get_attribute("value") == "25.033", "it is there")
    assert page.find("[name=lng]").get_attribute("value") == "121.5654"


def test_the_place_of_the_device(page, author):
    page.cdp("Browser.grantPermissions", origin=page.base, permissions=["geolocation"])
    page.cdp("Emulation.setGeolocationOverride", latitude=-33.8688, longitude=151.2093, accuracy=10)
    page.go("#write", ready=EDITOR)
    page.click(".place-actions button", "Where I am")
    until(lambda: page.find("[name=lat]").get_attribute("value") == "-33.8688", "it is there")


@pytest.mark.slow
def test_a_session_that_ended_keeps_what_was_typed(page, author, db):
    """Somebody logs out elsewhere: what was typed here is not lost."""
    write_blog(page, title="kept")
    db.run("DELETE FROM session WHERE user_id = %s", author.id)
    publish(page)
    page.find(".note-error", "Please log in")
    assert page.find("[name=blogTitle]").get_attribute("value") == "kept"
    page.login(author)
    page.open("#write", ready=EDITOR)
    publish(page)
    page.find(".piece h1", "kept")
    page.console()
