"""Comments, answers, recommendations and votes in the page, and what of them others see."""

import pytest

import browser
import samples
from service import at_once, until

HOSTILE = "<img src=x onerror='window.pwned = 1'>\nsecond line"


@pytest.fixture
def blog(service, alice):
    """A blog of Alice's with a vote."""
    made = int(service.ok("postBlog", user=alice, **samples.BLOG)["blogID"])
    service.ok("addVote", user=alice, blogID=made, description="Which?", choice1="this <b>", choice2="that")
    return made


def test_a_comment_and_its_answer(page, blog, alice, bob):
    page.become(bob)
    page.open(f"#blog={blog}")
    page.type(".comment-form textarea", "well said")
    page.click(".comment-form button")
    page.find(".comment .plain", "well said")
    page.begin(page.base)
    page.become(alice)
    page.open(f"#blog={blog}")
    page.click(".comment-actions button", "Answer")
    page.type(".dialog textarea", "thank you")
    page.click(".dialog button[type=submit]")
    page.find(".reply .plain", "thank you")
    page.begin(page.base)
    page.open(f"#blog={blog}")
    page.find(".reply .plain", "thank you")
    assert not page.all(".comment-actions button")
    assert page.console() == []


def test_what_strangers_write_in_comments_and_votes_is_text(page, service, blog, alice, bob):
    comment = int(service.ok("addComment", user=bob, blogID=blog, comment=HOSTILE)["commentID"])
    service.ok("replyComment", user=alice, commentID=comment, reply=HOSTILE)
    page.open(f"#blog={blog}")
    assert page.find(".bubble > .plain").text == HOSTILE
    assert page.find(".reply .plain").text == HOSTILE
    assert page.find(".vote-text").text == "this <b>"
    assert page.run("return window.pwned") is None


@pytest.mark.slow
def test_a_typed_comment_stays(page, blog, bob):
    page.become(bob)
    page.open(f"#blog={blog}")
    page.type(".comment-form textarea", "half a comment")
    page.open(f"#blog={blog}")
    assert page.find(".comment-form textarea").get_attribute("value") == "half a comment"


@pytest.mark.slow
def test_a_recommendation_is_given_and_taken_back(page, blog, bob, db):
    page.become(bob)
    page.open(f"#blog={blog}")
    count = "SELECT count(*) FROM recommendation WHERE kind = 2 AND number = %s"
    page.click(".heart")
    page.find(".heart[aria-pressed=true]")
    assert db.value(count, blog) == 1
    page.open(f"#blog={blog}")
    page.click(".heart[aria-pressed=true]")
    page.find(".heart[aria-pressed=false]")
    assert db.value(count, blog) == 0


def test_a_vote_is_cast_once_and_closed(page, blog, alice, bob):
    page.become(bob)
    page.open(f"#blog={blog}")
    page.click("button.vote-choice", "that")
    page.find(".mine .vote-text", "that")
    assert not page.all("button.vote-choice")
    page.begin(page.base)
    page.become(alice)
    page.open(f"#blog={blog}")
    page.click(".vote button", "Close the vote")
    page.says("closed", ".vote")


@pytest.mark.slow
def test_a_vote_is_written_with_its_blog(page, alice, db):
    page.become(alice)
    page.go("#write", ready=".editor")
    page.type("[name=blogTitle]", "with a vote")
    page.type(".editor", "text")
    page.tap_map()
    page.click(".vote-editor summary")
    page.type("[name=voteDescription]", "What next?")
    page.type("[name=choice1]", "one")
    page.type("[name=choice2]", "two")
    page.click(".form-end button[type=submit]")
    page.find(".vote h2", "What next?")
    choices = "SELECT description FROM vote_choice JOIN blog ON number = blog_id WHERE title = %s ORDER BY position"
    assert db.column(choices, "with a vote") == ["one", "two"]


@pytest.mark.slow
def test_a_private_blog_is_its_authors(page, alice, service, db):
    page.become(alice)
    page.go("#write", ready=".editor")
    page.type("[name=blogTitle]", "for me")
    page.type(".editor", "text")
    page.tap_map()
    page.unfold()
    page.click("[data-field=visibility] .choice", "Only me")
    page.click(".form-end button[type=submit]")
    page.find(".badge", "Only me")
    address = page.address
    page.begin(page.base)
    page.open(address, ready=".nothing")
    page.says("This is not to be seen")


@pytest.mark.slow
def test_a_comment_goes(page, service, blog, bob):
    service.ok("addComment", user=bob, blogID=blog, comment="never mind")
    page.become(bob)
    page.open(f"#blog={blog}")
    page.find(".comment .plain", "never mind")
    page.run("window.confirm = () => true")
    page.click(".comment-actions button", "Delete")
    until(lambda: not page.all(".comment"), "it is gone")


@pytest.fixture
def other_page(folder, service):
    """Another browser."""
    other = browser.Browser(folder.make("chromium"))
    other.begin(service.settings["public_url"], size=browser.PHONE)
    yield other
    console = other.console()
    other.quit()
    assert console == []


@pytest.mark.slow
def test_two_browsers_write_at_once(page, other_page, blog, alice, bob, db):
    users = {page: alice, other_page: bob}
    for one, user in users.items():
        one.become(user)
        one.open(f"#blog={blog}")
        one.type(".comment-form textarea", f"from {user.name}")
    other_page.click(".heart")
    other_page.find(".heart[aria-pressed=true]")
    at_once(*(lambda one=one: one.click(".comment-form button") for one in users))
    for one, user in users.items():
        one.find(".comment .plain", f"from {user.name}")
    for one in users:
        for user in users.values():
            one.open(f"#blog={blog}")
            one.find(".comment .plain", f"from {user.name}")
        one.find(".heart .count", "1")
    at_once(*(lambda one=one: one.click("button.vote-choice", "that") for one in users))
    for one in users:
        one.find(".mine .vote-text", "that")
    assert db.column("SELECT count(*) FROM comment WHERE kind = 2 AND number = %s", blog) == [2]
    assert db.column("SELECT count(*) FROM ballot WHERE blog_id = %s", blog) == [2]
