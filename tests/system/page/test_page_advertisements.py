"""Advertisements in the page: one in a list, said to be one, and none where none runs."""

import pytest

import samples
from ctl import done, shown
from samples import today
from service import until

HERE = {"lat": "-48.5", "lng": "-11.25"}  # where nothing else is


@pytest.fixture
def advertisement(service, db, page):
    """One near a blog, with a picture that another site has."""
    number = done(
        service, "ad", "add", "--title", "茶 <b>屋", "--text", "two\nlines", "--address", f"{page.base}/icon.svg",
        "--image", "https://tea.example/a.png", f"--lat={HERE['lat']}", f"--lng={HERE['lng']}",
        "--radius", 1000, "--until", today(),
    )
    yield int(number)
    db.run("DELETE FROM advertisement")


@pytest.fixture
def blogs(service, alice):
    for i in range(5):
        service.ok("postBlog", user=alice, **(samples.BLOG | HERE | {"blogTitle": f"entry {i}", "lng": f"-11.2{i}"}))


def counts(service, number):
    return [(row["shown"], row["clicked"]) for row in shown(service, "ad", "counts", "--ad", number)]


@pytest.mark.few(1)
@pytest.mark.parametrize("view", ["#near=-48.5/-11.25", "#map=13/-48.5/-11.25"])
def test_one_among_a_list(page, service, blogs, advertisement, view):
    page.open(view, ready=".advertisement")
    assert page.text(".advertisement").split("\n")[:2] == ["Advertisement", "茶 <b>屋"]
    assert len(page.all(".advertisement")) == 1
    assert not page.all(".advertisement img")
    link = page.find(".advertisement a")
    assert link.get_attribute("rel") == "sponsored nofollow noopener noreferrer"
    page.click(".advertisement a")
    until(lambda: counts(service, advertisement) == [(1, 1)], "it is counted")
    for window in page.driver.window_handles[1:]:
        page.driver.switch_to.window(window)
        page.driver.close()
    page.driver.switch_to.window(page.driver.window_handles[0])
    page.console()  # an icon that browsers ask for beside a picture


def test_none_elsewhere(page, blogs, advertisement):
    asked = "return performance.getEntriesByType('resource').some(({name}) => name.includes('getAdvertisement'))"
    page.open("#near=-48.6/-11.25", ready=".card")
    until(lambda: page.run(asked), "it was asked for")
    assert not page.all(".advertisement")
    assert page.console() == []
