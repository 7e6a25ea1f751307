"""Accounts in the page: signing up, forgetting a password, the profile, leaving."""

import itertools
import re

import pytest

import drawn
import samples
from service import until

NUMBERS = itertools.count(1)
PASSWORD, OTHER = "correct horse", "battery staple"


@pytest.fixture(scope="module")
def open_service(start_service_for_module):
    """One at which everybody may register."""
    return start_service_for_module(registration="open")


@pytest.fixture
def page(chromium, open_service):
    chromium.begin(open_service.settings["public_url"])
    yield chromium
    # The map may show albums with photos that the usual service keeps.
    assert [message for message in chromium.console() if "/photos/a" not in message] == []


@pytest.fixture
def email():
    return f"somebody{next(NUMBERS)}@example.net"


def link(db, email):
    """The address that the latest mail has."""
    body = db.value("SELECT body FROM mail WHERE recipient = %s ORDER BY mail_id DESC LIMIT 1", email)
    return re.search(r"https?://\S+/(#\S+)", body)[1]


def test_signing_up(page, db, email):
    page.open("#register", ready="[name=email]")
    page.type("[name=name]", "新人 <b>")
    page.type("[name=email]", email)
    page.type("[name=password]", PASSWORD)
    page.click("button[type=submit]")
    page.says("Look into your mail")
    address = link(db, email)
    page.open(address, ready="[name=token]")
    token = address.partition("=")[2]
    assert page.find("[name=token]").get_attribute("value") == token
    assert page.address == "#confirmEmail"    # which may be seen, and is kept, by more than whoever it is for
    page.type("[name=password]", PASSWORD)
    page.click("button[type=submit]")
    until(lambda: page.address == "#latest", "the account is there")
    assert token not in page.run("return JSON.stringify(localStorage)")
    page.click("a[href='#me']")
    page.find(".user-head", "新人 <b>")
    page.says(email)


@pytest.mark.slow
def test_the_mail_of_a_new_account_leads_back(page, service, db, alice, email):
    """To the piece at which somebody wanted what takes an account."""
    blog = int(service.ok("postBlog", user=alice, **samples.BLOG)["blogID"])
    page.open(f"#blog={blog}", ready=".heart")
    page.click(".heart")
    page.click(".dialog a", "Sign up")
    page.type("[name=name]", "Newcomer")
    page.type("[name=email]", email)
    page.type("[name=password]", PASSWORD)
    page.click(".card-form button[type=submit]")
    page.says("Look into your mail")
    page.open(link(db, email), ready="[name=token]")
    page.type("[name=password]", PASSWORD)
    page.click("button[type=submit]")
    page.find(".comment-form")
    assert page.address == f"#blog={blog}"


def test_a_forgotten_password(page, db, new_user):
    user = new_user()
    page.open("#forgot", ready="[name=email]")
    page.type("[name=email]", user.email)
    page.click("button[type=submit]")
    page.says("a mail is on its way")
    page.open(link(db, user.email), ready="[name=token]")
    page.type("[name=password]", OTHER)
    page.click("button[type=submit]")
    until(lambda: page.address == "#latest", "there is a new password")


@pytest.mark.slow
def test_a_weak_password_is_said_beside_it(page, db, email):
    page.open("#register", ready="[name=email]")
    page.type("[name=name]", "name")
    page.type("[name=email]", email)
    page.type("[name=password]", "password")
    page.click("button[type=submit]")
    page.says("too short or too common")


def test_a_wrong_password(page, db, alice):
    page.open("#login", ready="[name=email]")
    page.type("[name=email]", alice.email)
    page.type("[name=password]", "nobody's")
    page.click("button[type=submit]")
    page.says("Address or password is wrong")
    assert page.address == "#login"


@pytest.mark.slow
def test_the_profile(page, db, folder, new_user):
    user = new_user()
    page.become(user)
    page.open("#me", ready=".settings")
    page.click(".settings summary", "Name")
    page.type("[name=name]", "又一個名字")
    page.click(".settings[open] button[type=submit]")
    name = "SELECT name FROM user_account WHERE user_id = %s"
    until(lambda: db.value(name, user.id) == "又一個名字", "the name is another")
    page.open("#me", ready=".settings")
    path = folder.make("files") / "icon.png"
    path.write_bytes(drawn.picture(64, 64, "PNG"))
    page.click(".settings summary", "Picture")
    page.driver.find_element("css selector", "[name=icon]").send_keys(str(path))
    page.click(".settings[open] button[type=submit]")
    page.find("img.avatar")
    page.click(".settings summary", "Password")
    page.type(".settings[open] [name=password]", PASSWORD)
    page.type(".settings[open] [name=newPassword]", OTHER)
    page.click(".settings[open] button[type=submit]")
    page.says("Saved")


def test_leaving(page, db, new_user):
    user = new_user()
    page.become(user)
    page.open("#me", ready=".settings")
    page.click(".button", "Log out")
    page.find("#actions a[href='#login']")
    page.login(user)
    page.open("#me", ready=".settings")
    page.click(".button.danger")
    page.type(".dialog [name=password]", PASSWORD)
    page.click(".dialog button[type=submit]")
    page.find("#actions a[href='#login']")
    assert db.value("SELECT count(*) FROM user_account WHERE user_id = %s", user.id) == 0


@pytest.mark.slow
def test_a_cookie_of_another_application_is_named(page, alice, new_user):
    """It is there for a part of the paths, and is sent beside the one of the login."""
    other = new_user()
    for name, value in ("id", str(other.id)), ("idrand", other.token):
        page.cdp("Network.setCookie", url=page.base, path="/API.php", name=name, value=value)
    page.open("#login", ready="[name=email]")
    page.type("[name=email]", alice.email)
    page.type("[name=password]", alice.password)
    page.click("#panel button[type=submit]")
    page.find(".note-error", "Another application of this domain may use the same cookie")
    assert page.address == "#login" and not page.all(".note-info")
    page.find(".bar a[href='#login']")
    page.cdp("Network.clearBrowserCookies")
    page.click("#panel button[type=submit]")
    until(lambda: page.address == "#latest", "somebody is logged in")
    page.find(".bar a[href='#me']")


@pytest.mark.slow
def test_a_session_is_known_where_the_browser_has_deleted_what_the_page_kept(page, author):
    page.run("localStorage.clear()")
    page.open("#me", ready=".settings")
    page.run("localStorage.clear()")
    page.open("#latest", ready=".tabs")
    page.find(".bar a[href='#me']")


def test_a_stranger_is_asked_about_once(page):
    asked = "return performance.getEntriesByType('resource').filter(({name}) => name.includes('/getMe')).length"
    page.open("#latest", ready=".tabs")
    assert page.run(asked) == 1
    page.open("#latest", ready=".tabs")
    assert page.run(asked) == 0
