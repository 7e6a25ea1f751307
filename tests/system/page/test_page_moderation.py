"""Reports in the page, and what an operator's decision leaves of a thing there."""

import pytest

import drawn
import samples
from ctl import done
from service import until

WHY = ["--reason", "House <b>rule</b> 3", "--rule", "3"]


@pytest.fixture
def blog(service, alice):
    return int(service.ok("postBlog", user=alice, **(samples.BLOG | {"blogTitle": "in question"}))["blogID"])


def report(page, reason):
    page.type(".dialog [name=reason]", reason)
    page.click(".dialog button[type=submit]")
    page.find(".note", "Thank you")
    page.gone(".dialog")


def is_reported(db, thing, reason):
    """The note that says so may be of the report before."""
    reasons = "SELECT reason FROM report WHERE thing_name(kind, number, comment_id, photo_id) = %s"
    until(lambda: db.column(reasons, thing) == [reason], "it is reported")


def test_a_piece_and_a_comment_are_reported(page, service, db, blog, alice, bob):
    comment = int(service.ok("addComment", user=alice, blogID=blog, comment="not kind")["commentID"])
    page.become(bob)
    page.open(f"#blog={blog}")
    page.click(".actions button", "Report")
    report(page, "不是真的")
    is_reported(db, f"blog:{blog}", "不是真的")
    page.click(".comment-actions [aria-label=Report]")
    report(page, "an insult")
    is_reported(db, f"comment:{comment}", "an insult")
    assert page.console() == []


@pytest.mark.slow
def test_a_photo_is_reported(page, service, db, album, alice, bob):
    photo = int(service.ok("addPhoto", user=alice, albumID=album, description="", photo=drawn.FILE)["photoID"])
    page.become(bob)
    page.open(f"#album={album}&photo=1", ready=".viewer img")
    page.click(".viewer [aria-label=Report]")
    report(page, "that is me")
    is_reported(db, f"photo:{photo}", "that is me")
    assert page.all(".viewer img")


@pytest.mark.slow
def test_nobody_reports_what_is_ones_own(page, service, blog, album, alice):
    service.ok("addPhoto", user=alice, albumID=album, description="", photo=drawn.FILE)
    service.ok("addComment", user=alice, blogID=blog, comment="mine")
    page.become(alice)
    page.open(f"#blog={blog}")
    page.find(".comment .plain", "mine")
    assert not page.all("[aria-label=Report], .quiet-button")
    page.open(f"#album={album}&photo=1", ready=".viewer img")
    assert not page.all("[aria-label=Report], .quiet-button")


@pytest.mark.slow
def test_the_owner_sees_what_was_hidden_and_why(page, service, blog, alice):
    done(service, "piece", "hide", f"blog:{blog}", *WHY)
    page.become(alice)
    page.open(f"#blog={blog}")
    page.find(".warning-box", "House <b>rule</b> 3")
    page.begin(page.base)
    page.open(f"#blog={blog}", ready=".nothing")
    page.says("This is not to be seen")
    page.console()


@pytest.mark.slow
@pytest.mark.parametrize(
    "contact, href",
    [("help@example.org", "mailto:help@example.org"), pytest.param(None, None, marks=pytest.mark.slow)],
)
def test_who_has_no_account_finds_the_operator(chromium, start_service, blog, contact, href):
    service = start_service(contact=contact)
    chromium.begin(service.settings["public_url"])
    chromium.open(f"#blog={blog}")
    chromium.find(".actions button", "Share")
    hrefs = "return [...document.querySelectorAll('.actions .quiet-button')].map((link) => link.getAttribute('href'))"
    until(lambda: chromium.run(hrefs) == ([href] if href else []), "the operator's address is there, or none")


@pytest.mark.slow
def test_a_blocked_user_is_told(page, service, new_user):
    user = new_user()
    done(service, "user", "block", user.email, *WHY)
    page.open("#login", ready="[name=email]")
    page.type("[name=email]", user.email)
    page.type("[name=password]", user.password)
    page.click("button[type=submit]")
    page.says("This account is blocked")
    until(lambda: page.address == "#login", "nobody is logged in")
