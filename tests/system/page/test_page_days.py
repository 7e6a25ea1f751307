"""Days in the page: of the author's device, and of a site where another day is."""

import urllib.parse

import pytest

import browser
from samples import FIRST_ZONE, LAST_ZONE, today
from service import until

EDITOR = ".editor"


@pytest.fixture
def at(page, start_service, new_user):
    """An author with a device in one zone, at a service in another one; the service, the author, and the proxy before it."""
    proxies = []

    def begin(device, zone):
        service, author = start_service(timezone=zone), new_user()
        proxies.append(browser.LossyProxy(service.port))
        page.begin(f"http://127.0.0.1:{proxies[0].port}")
        page.cdp("Emulation.setTimezoneOverride", timezoneId=device)
        page.become(author)
        return service, author, proxies[0]

    yield begin
    page.cdp("Emulation.setTimezoneOverride", timezoneId="")
    page.driver.get("about:blank")    # which asks for nothing when the proxies are gone
    for proxy in proxies:
        proxy.close()
    # While a form is left open, the service ends connections, and the proxy resets the browser's.
    assert [said for said in page.console() if "net::ERR_CONNECTION_" not in said] == []


def fill_in(page, **values):
    page.go("#write", ready=EDITOR)
    page.type("[name=blogTitle]", "one entry")
    page.type(EDITOR, "text")
    page.tap_map(0.5, 0.7)
    for name, value in values.items():
        choose(page, name, value)


def choose(page, name, value):
    page.run("const one = document.querySelector(`[name=${arguments[0]}]`); one.value = arguments[1];"
             "one.dispatchEvent(new Event('input', { bubbles: true }))", name, str(value))


def date(page):
    return page.run("return document.querySelector('[name=date]').value")


def publish(page):
    page.click(".form-end button[type=submit]")
    page.find(".piece h1")


def params(proxy, operation):
    return [dict(urllib.parse.parse_qsl(body.decode())) for name, body in proxy.seen if name == operation][-1]


@pytest.mark.few(1)
@pytest.mark.parametrize("device, zone, publishes", [(FIRST_ZONE, LAST_ZONE, "now"), (LAST_ZONE, FIRST_ZONE, None)])
def test_the_authors_day_is_proposed_and_read_at_once(page, at, db, bob, device, zone, publishes):
    service, author, proxy = at(device, zone)
    fill_in(page)
    assert date(page) == str(today(device))
    publish(page)
    assert params(proxy, "postBlog").get("publish") == publishes
    blog = db.value("SELECT number FROM blog WHERE owner_id = %s", author.id)
    assert service.call("getBlog", user=bob, blogID=blog).info is None
    assert "Others read this from" not in page.text()


@pytest.mark.slow
def test_an_entry_that_waits_says_so_to_its_author(page, at, bob, db):
    service, author, proxy = at(FIRST_ZONE, LAST_ZONE)
    day = today(FIRST_ZONE, 40)
    fill_in(page, date=day)
    publish(page)
    words = f"Others read this from {day:%B} {day.day}, {day.year}"
    page.says(words, "#notes")
    page.says(words, ".piece-head")
    assert "publish" not in params(proxy, "postBlog")
    blog = db.value("SELECT number FROM blog WHERE owner_id = %s", author.id)
    assert service.call("getBlog", user=bob, blogID=blog).info == "BLOG NOT FOUND"
    page.go(f"#user={author.id}", ready=".card")
    page.says(words, ".card")
    page.go(f"#write={blog}", ready=EDITOR)
    page.says(words, "form")
    choose(page, "date", today(FIRST_ZONE))
    publish(page)
    assert params(proxy, "updateBlog")["publish"] == "now"
    assert service.call("getBlog", user=bob, blogID=blog).info is None
    page.open(f"#blog={blog}", ready=".piece h1")
    assert words not in page.text()


@pytest.mark.slow
def test_a_form_that_is_left_open_takes_the_new_day(page, at):
    at(LAST_ZONE, LAST_ZONE)
    page.go("#write", ready=EDITOR)
    assert date(page) == str(today(LAST_ZONE))
    page.cdp("Emulation.setTimezoneOverride", timezoneId=FIRST_ZONE)
    until(lambda: date(page) == str(today(FIRST_ZONE)), "the day has changed")
    page.says(f" {today(FIRST_ZONE).day}, ", ".folded-words")
    page.type("[name=blogTitle]", "a draft")
    page.find(".form-end", "Saved ")
    page.cdp("Emulation.setTimezoneOverride", timezoneId=LAST_ZONE)
    page.open("#write", ready=EDITOR)
    assert (date(page), page.find("[name=blogTitle]").get_attribute("value")) == (str(today(LAST_ZONE)), "a draft")


@pytest.mark.slow
def test_a_day_that_was_chosen_stays(page, at):
    at(LAST_ZONE, LAST_ZONE)
    fill_in(page, date="2001-02-03")
    page.find(".form-end", "Saved ")
    page.cdp("Emulation.setTimezoneOverride", timezoneId=FIRST_ZONE)
    page.open("#write", ready=EDITOR)
    assert date(page) == "2001-02-03"


@pytest.mark.slow
def test_a_day_that_has_come_nowhere_is_said_at_its_field(page, at):
    """A device whose clock is ahead asks to publish a day that the service knows to be nowhere yet."""
    _, _, proxy = at(FIRST_ZONE, LAST_ZONE)
    fill_in(page)
    proxy.fates = {"postBlog": (200, "INVALID PARAMETER: publish")}
    page.click(".form-end button[type=submit]")
    page.find("[data-field~=date] .field-error", "has not come anywhere")
    assert page.find("[name=blogTitle]").get_attribute("value") == "one entry"
