"""Writing blogs in the page, and what becomes of it where the network fails in the middle."""

import re

import pytest
from selenium.webdriver.common.keys import Keys

import noted_pictures
import samples
from browser import DESKTOP, PHONE
from service import until

EDITOR = ".editor"


def write_blog(page, title="雨天的麵店", text="ordinary day"):
    page.go("#write", ready=EDITOR)
    page.type("[name=blogTitle]", title)
    page.type(EDITOR, text)
    page.tap_map(0.5, 0.7)
    page.unfold()
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
    page.unfold()
    page.click("[data-field=weather] .choice", "Clear sky")
    publish(page)
    page.find(".piece h1", "晴天的麵店")
    assert db.run(rows, author.id) == [("晴天的麵店", 26, "晴空萬里", True)]
    page.run("window.confirm = () => true")
    page.click(".actions .danger")
    until(lambda: page.address == "#latest", "it is left")
    assert db.run(rows, author.id) == []
    assert page.console() == []


def test_what_is_folded_is_said(page, author):
    write_blog(page)
    page.click(".folded > summary")
    page.says("Food", ".folded-words")
    assert re.fullmatch(r"Food · Drizzle · \w+ \d+, \d{4} · Everybody", page.text(".folded-words"))
    is_shown = "return document.querySelector('[name=date]').checkVisibility()"
    assert not page.run(is_shown)
    page.run("document.querySelector('[name=date]').value = ''")
    publish(page)
    until(lambda: page.run("return document.activeElement.name") == "date", "the browser asks for the day")
    assert page.run(is_shown)


@pytest.mark.slow
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


def is_kept(page, text):
    return text in str(page.kept())


def test_a_letter_is_on_the_disk_within_a_second(page, author):
    page.go("#write", ready=EDITOR)
    page.type("[name=blogTitle]", "half")
    page.keys("!")
    # The page waits for the disk, not the test: a second after the key press the text is there.
    held = page.driver.execute_async_script("""const done = arguments[0];
        const opening = indexedDB.open("mapdiary");
        setTimeout(() => { opening.result.transaction("drafts").objectStore("drafts").getAll().onsuccess =
            ({ target }) => { opening.result.close(); done(JSON.stringify(target.result)); }; }, 1000);""")
    assert "half!" in held


@pytest.mark.slow
def test_what_is_kept_is_said_beside_the_button(page, author):
    write_blog(page, title="half a thought")
    page.find(".form-end", "Saved ")
    assert re.fullmatch(r"Saved \d\d:\d\d", page.text(".form-end [role=status]"))
    page.open("#write", ready=EDITOR)
    page.find(".form-end", "Saved ")
    page.click(".info-box button")
    until(lambda: page.text(".form-end [role=status]") == "", "nothing is kept")


@pytest.mark.few(1)
@pytest.mark.parametrize("choice", ["Keep them here", "Delete"])
def test_who_logs_out_says_what_becomes_of_drafts(page, author, choice):
    write_blog(page, title="half a thought", text="a secret")
    page.go("#me", ready=".settings")
    page.click("#panel button", "Log out")
    page.find(".dialog", "half a thought")
    page.click(".dialog button", "Cancel")
    page.gone(".dialog")
    page.click("#panel button", "Log out")
    page.click(".dialog button", choice)
    until(lambda: page.run("return localStorage['mapdiary.me'] === 'false'"), "the session has ended")
    until(lambda: is_kept(page, "a secret") == (choice != "Delete"), "the draft is where it belongs")
    page.login(author)
    page.open("#write", ready=EDITOR)
    assert page.find(EDITOR).text == ("a secret" if choice != "Delete" else "")


@pytest.mark.slow
def test_who_has_no_drafts_just_logs_out(page, author):
    page.go("#me", ready=".settings")
    page.click("#panel button", "Log out")
    page.says("logged out")
    assert not page.all(".dialog")


@pytest.mark.slow
def test_who_logs_out_may_send_first(page, author, service, db):
    blog = int(service.ok("postBlog", user=author, **samples.BLOG)["blogID"])
    page.go(f"#blog={blog}", ready=".comment-form")
    page.type("[name=comment]", "a comment")
    page.find(".comment-form", "Saved ")
    page.go(f"#write={blog}", ready=EDITOR)
    page.type("[name=blogTitle]", "another title")
    page.find(".form-end", "Saved ")
    write_blog(page, title="a whole entry", text="text")
    page.find(".form-end", "Saved ")
    page.go("#album-edit", ready="[name=albumTitle]")
    page.type("[name=albumTitle]", "an album without a place")
    page.find(".form-end", "Saved ")
    page.go("#me", ready=".settings")
    page.click("#panel button", "Log out")
    page.click(".dialog button", "Send them first")
    page.find(".dialog .field-error", "Some could not be sent")
    page.find(".dialog li", "an album without a place · ")
    assert len(page.all(".dialog li")) == 1
    assert sorted(db.column("SELECT title FROM blog WHERE owner_id = %s", author.id)) == ["a whole entry", "another title"]
    assert db.column("SELECT comment FROM comment WHERE number = %s", blog) == ["a comment"]
    page.click(".dialog button", "Keep them here")
    until(lambda: page.run("return localStorage['mapdiary.me'] === 'false'"), "the session has ended")
    (left,) = page.kept()
    assert left["edit"]["values"]["albumTitle"] == "an album without a place"


@pytest.mark.slow
def test_a_draft_outlives_its_session_and_is_nobody_elses(page, author, new_user):
    write_blog(page, title="half a thought", text="a secret")
    until(lambda: is_kept(page, "a secret"), "the draft is kept")
    page.become(author)
    page.open("#write", ready=EDITOR)
    assert page.find(EDITOR).text == "a secret"
    page.become(new_user())
    page.open("#write", ready=EDITOR)
    assert page.find(EDITOR).text == ""
    page.open("#drafts", ready=".nothing")
    page.become(author)
    page.open("#drafts", ready=".draft")
    page.click(".draft a", "Continue")
    page.find(EDITOR, "a secret")


@pytest.mark.slow
def test_another_account_in_another_tab_does_not_see_what_is_typed(page, author, new_user):
    write_blog(page, title="half a thought", text="a secret")
    other = new_user()
    first = page.driver.current_window_handle
    page.driver.switch_to.new_window("tab")
    page.become(other)
    page.driver.switch_to.window(first)
    until(lambda: page.text(EDITOR) == "", "the text is gone from the first tab")
    assert is_kept(page, "a secret")
    page.driver.switch_to.window(page.driver.window_handles[1])
    page.driver.close()
    page.driver.switch_to.window(first)


@pytest.mark.slow
def test_each_tab_has_a_draft_of_its_own(page, author):
    write_blog(page, title="the first", text="text of the first")
    page.find(".form-end", "Saved ")
    first = page.driver.current_window_handle
    page.driver.switch_to.new_window("tab")
    page.open("#write", ready=EDITOR)
    assert page.find(EDITOR).text == ""
    page.type("[name=blogTitle]", "the second")
    page.find(".form-end", "Saved ")
    page.driver.refresh()
    page.find(EDITOR)
    assert page.find("[name=blogTitle]").get_attribute("value") == "the second"
    page.open("#drafts", ready=".draft")
    page.find(".draft", "Open in another tab")
    page.driver.close()
    page.driver.switch_to.window(first)
    page.driver.refresh()
    page.find(EDITOR, "text of the first")
    page.find(".info-box", "1 more draft")
    page.click(".info-box a", "Drafts")
    page.find(".draft", "the second")
    page.find(".draft", "the first")


@pytest.mark.slow
def test_what_is_missing_is_said_where_it_is_missing(page, author, db):
    write_blog(page, text=" ")
    publish(page)
    page.says("Write something first")
    assert db.value("SELECT count(*) FROM blog WHERE owner_id = %s", author.id) == 0


def test_a_missing_place_is_asked_for(page, author, db):
    page.go("#write", ready=EDITOR)
    page.type("[name=blogTitle]", "somewhere")
    page.type(EDITOR, "text")
    publish(page)
    page.says("Where did it happen?", ".place .field-error")
    assert page.run("return document.activeElement.matches('.place-name input')")
    page.tap_map(0.5, 0.7)
    publish(page)
    page.find(".piece h1", "somewhere")
    assert db.value("SELECT count(*) FROM blog WHERE owner_id = %s", author.id) == 1


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


@pytest.mark.slow
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


@pytest.mark.few(1)
@pytest.mark.parametrize("name", ["jpeg all", "heic all", "png packed profile"])
def test_a_blog_takes_the_place_of_a_photo_that_stays_here(page, author, folder, name):
    path = folder.make("files") / "placed"
    path.write_bytes(next(row.data for row in noted_pictures.rows() if row.name == name))
    page.go("#write", ready=EDITOR)
    page.driver.find_element("id", "place-photo").send_keys(str(path))
    until(lambda: page.find("[name=lat]").get_attribute("value") == "25.033", "it is there")
    assert page.find("[name=lng]").get_attribute("value") == "121.5654"


def coordinates(page):
    return page.run("return ['lat', 'lng'].map((name) => document.querySelector(`[name=${name}]`).value)")


@pytest.mark.parametrize("language, typed, title, facts, lat", [
    ("en", "taip", "Taipei", "Taiwan", "25.04"), ("zh-TW", "台北", "臺北市", "台灣", "25.04"),
    ("en", "cordoba", "Córdoba", "Argentina", "-31.4"), ("en", "denis", "Saint-Denis", "Réunion", "-20.8"),
])
def test_a_place_is_chosen_by_its_name(page, author, language, typed, title, facts, lat):
    page.begin(page.base, language=language)
    page.become(author)
    page.go("#write", ready=EDITOR)
    page.type(".place-name input", typed)
    page.find(".found-place:has(.found-facts)", title)
    option = next(one for one in page.all(".found-place") if facts in one.text)
    assert option.text.startswith(title)
    option.click()
    until(lambda: coordinates(page)[0].startswith(lat), "the place is taken")
    page.gone(".found-place")
    assert page.run("return document.querySelector('.place-name input').value") == title
    page.find(".marker-chosen, .leaflet-marker-draggable")
    until(lambda: page.text(".form-end [role=status]"), "the place is kept in the draft")


def test_a_place_of_the_service_is_chosen_by_its_name(page, author, db, service):
    db.insert("poi", owner_id=author.id, title="Zzyx lighthouse", slot=18, lat="-45.125", lng="10.5")
    db.wait_for_words()
    page.go("#write", ready=EDITOR)
    page.type(".place-name input", "zzyx")
    page.find(".found-place", "Zzyx lighthouse")
    page.keys(Keys.ENTER)
    until(lambda: coordinates(page) == ["-45.125", "10.5"], "the place is taken")
    page.keys(Keys.ENTER)    # nothing is sent by it
    assert not page.all(".field-error") and page.address == "#write"
    assert page.console() == []


def test_the_place_of_the_device(page, author):
    page.cdp("Browser.grantPermissions", origin=page.base, permissions=["geolocation"])
    page.cdp("Emulation.setGeolocationOverride", latitude=-33.8688, longitude=151.2093, accuracy=10)
    page.go("#write", ready=EDITOR)
    page.click(".place-actions button", "Where I am")
    until(lambda: page.find("[name=lat]").get_attribute("value") == "-33.8688", "it is there")


def test_a_session_that_ended_keeps_what_was_typed(page, author, db):
    """Somebody logs out elsewhere: what was typed here is not lost."""
    write_blog(page, title="kept")
    db.run("DELETE FROM session WHERE user_id = %s", author.id)
    publish(page)
    page.type(".dialog [name=email]", author.email)
    page.type(".dialog [name=password]", author.password)
    page.click(".dialog button[type=submit]")
    page.find(".piece h1", "kept")
    assert db.value("SELECT count(*) FROM blog WHERE title = 'kept' AND owner_id = %s", author.id) == 1
    page.console()
