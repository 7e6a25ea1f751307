"""Back and forward: to where one was, and never to a form that is done or to what is deleted."""

import pytest

import samples
from service import until

EDITOR = ".editor"


def is_at(page, address):
    until(lambda: page.address == address, f"the page is at {address}, not at {page.address}")


def back(page):
    """As its button does, which passes over an address that no tap or key led to; there are such here."""
    page.run("history.back()")


def write(page):
    page.type("[name=blogTitle]", "a title")
    page.type(EDITOR, "a text")
    page.tap_map(0.5, 0.7)
    page.unfold()
    page.click("[data-field=type] .choice", "Food")


def save(page):
    page.click(".form-end button[type=submit]")


def test_back_leads_past_what_was_published(page, author):
    page.go("#write", ready=EDITOR)
    write(page)
    save(page)
    page.find(".piece h1", "a title")
    piece = page.address
    back(page)
    is_at(page, "#latest")
    page.run("history.forward()")
    is_at(page, piece)
    page.find(".piece h1", "a title")


@pytest.mark.slow
def test_back_leads_past_what_was_saved_and_deleted(page, author, service):
    blog = int(service.ok("postBlog", user=author, **samples.BLOG)["blogID"])
    page.go(f"#user={author.id}", ready=".user-head h1")
    page.go(f"#blog={blog}", ready=".piece h1")
    page.click(".actions a", "Edit")
    page.type("[name=blogTitle]", "another title")
    save(page)
    page.find(".piece h1", "another title")
    page.run("window.confirm = () => true")
    page.click(".actions .danger")
    is_at(page, f"#user={author.id}")
    page.find(".user-head h1")
    back(page)
    is_at(page, "#latest")


@pytest.mark.slow
def test_a_form_at_the_first_address(page, author, service):
    """There is nothing before it."""
    blog = int(service.ok("postBlog", user=author, **samples.BLOG)["blogID"])
    page.open(f"#write={blog}", ready=EDITOR)
    page.type("[name=blogTitle]", "another title")
    save(page)
    page.find(".piece h1", "another title")
    page.run("window.confirm = () => true")
    page.click(".actions .danger")
    is_at(page, "#latest")


@pytest.mark.slow
def test_back_leads_past_the_login(page, new_user):
    user = new_user()
    page.open("#latest", ready=".tabs")
    page.click(".bar a[href='#write']")
    page.type("[name=email]", user.email)
    page.type("[name=password]", user.password)
    page.click("#panel button[type=submit]")
    page.find(EDITOR)
    is_at(page, "#write")
    back(page)
    is_at(page, "#latest")


def test_who_comes_back_from_another_site_finds_the_page_as_it_was(page, author):
    """The browser keeps it (the back-forward cache), with the form, and the draft goes on."""
    page.go("#write", ready=EDITOR)
    page.type("[name=blogTitle]", "here")
    page.run("addEventListener('pageshow', ({ persisted }) => { window.isKept = persisted; })")
    page.driver.get(page.base.replace("127.0.0.1", "localhost") + "/openapi.json")
    page.driver.back()
    page.until(lambda: page.run("return window.isKept ?? null") is not None, "the page is shown again")
    assert page.run("return window.isKept")
    page.type("[name=blogTitle]", "here again")
    page.until(lambda: "here again" in str(page.kept()), "the draft goes on")
