"""Finding in the page: the map with its places and clusters, the lists beside it, search, near me, authors."""

import pytest
from selenium.webdriver.common.keys import Keys

import samples
from browser import DESKTOP, PHONE, axe
from npm import install
from service import TOP, until

HERE = {"lat": "-45.5", "lng": "10.25"}  # where nothing else is


def post(service, user, **values):
    return int(service.ok("postBlog", user=user, **(samples.BLOG | HERE | values))["blogID"])


@pytest.fixture(scope="module")
def axe_source():
    return install(TOP / "tests/page") / "node_modules/axe-core/axe.min.js"


@pytest.fixture(scope="module")
def places(service, new_user):
    """A lone blog, and three that are near each other; their author."""
    author = new_user("Wanderer")
    titles = {
        "lone": post(service, author, blogTitle="lone 鯨魚", lat="-40.0"),
        "first": post(service, author, blogTitle="first"),
    }
    for i in range(2):
        post(service, author, blogTitle=f"crowd {i}", lng="10.2501")
    return author, titles


@pytest.mark.parametrize("size", [pytest.param(PHONE, marks=pytest.mark.slow), DESKTOP])
def test_the_map_and_the_list_beside_it(page, places, size):
    page.resize(size)
    page.open("#map=5/-43/10", ready=".card")
    page.says("lone 鯨魚", ".results")
    assert page.driver.title.startswith("On this map · ")
    page.find(".marker-blog")
    page.find(".cluster", "3")
    page.click(".card-link", "lone")
    page.find(".piece h1", "lone 鯨魚")
    page.driver.back()
    page.find(".card")
    until(lambda: page.run("return document.activeElement.matches('.card-link')"), "the focus is where one was")
    assert page.console() == []


@pytest.mark.slow
def test_the_address_follows_the_map(page, places):
    page.open("#map=5/-43/10", ready=".card")
    page.click(".leaflet-control-zoom-in")
    until(lambda: page.address.startswith("#map=6/"), "the address says where one is")
    page.open(page.address, ready=".results")
    until(lambda: page.address.startswith("#map=6/"), "it is where it was")


def test_clusters_tell_kinds_apart(page, service, db, new_user):
    """Clusters of places alone are paler than clusters with diaries. No other test has pieces in this box."""
    user = new_user("Surveyor")
    for lng in "-16.5", "-13.5":
        db.run("INSERT INTO poi (owner_id, title, slot, lat, lng) SELECT %s, 'a place', 17, -57.5, %s FROM generate_series(1, 4)",
               user.id, lng)
    post(service, user, lat="-57.5", lng="-13.5")
    page.open("#map=7/-57.5/-15", ready=".cluster")
    labels = {marker.get_attribute("aria-label"): "of-places" in marker.get_attribute("class") for marker in page.all(".cluster")}
    assert labels == {"4 here: 4 places": True, "5 here: 1 diary entry, 4 places": False}
    assert page.text(".clusters li:first-child") == "5 here: 1 diary entry, 4 places"


def test_a_cluster_opens(page, places):
    page.open("#map=5/-43/10", ready=".card")
    page.find(".cluster").send_keys(Keys.ENTER)
    until(lambda: int(page.address.removeprefix("#map=").split("/")[0]) > 5, "the map is closer")


def test_filters(page, places, service):
    author, _ = places
    service.ok("addAlbum", user=author, **(samples.ALBUM | HERE | {"albumTitle": "an album", "lat": "-41"}))
    page.open("#map=6/-41/10", ready=".card")
    page.says("an album", ".results")
    page.click(".filters .chip", "Diary")
    until(lambda: "an album" not in page.text(".results"), "albums are gone")
    until(lambda: "kind=blog" in page.address, "the address says so")


@pytest.mark.few(1)
@pytest.mark.parametrize(
    "q, found", [("鯨魚", True), pytest.param("lone", True, marks=pytest.mark.slow), ("<b>nothing", False)]
)
def test_search(page, places, q, found):
    page.open("#latest", ready="[name=q]")
    page.type("[name=q]", q)
    page.keys(Keys.ENTER)
    page.find("h1.panel-title")
    if found:
        page.find(".card-title", "lone 鯨魚")
    else:
        page.says("Nothing has all of these words")


def test_places_stand_under_the_field_while_one_types(page, places, db, axe_source):
    db.wait_for_words()
    page.open("#latest", ready="[name=q]")
    page.type("[name=q]", "crow")
    page.find(".found-place .found-title", "crowd 1")
    assert page.run("return document.querySelector('[name=q]').getAttribute('aria-expanded')") == "true"
    assert axe(page, axe_source) == []
    page.keys(Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ARROW_UP)
    marked = "return document.getElementById(document.activeElement.getAttribute('aria-activedescendant')).textContent"
    first = page.all(".found-title")[0].text
    assert page.run(marked).startswith(first) and page.text("[aria-selected=true] .found-title") == first
    page.keys(Keys.ENTER)
    page.find(".piece h1", first)
    page.driver.back()
    page.find(".card")
    assert page.console() == []


@pytest.mark.slow
def test_the_list_under_the_field_closes(page, places, db):
    db.wait_for_words()
    page.open("#latest", ready="[name=q]")
    page.type("[name=q]", "lon")
    page.find(".found-place", "lone")
    page.keys(Keys.ESCAPE)
    page.gone(".found-place")
    page.keys("e")
    page.find(".found-place", "lone")
    page.keys("xyz")
    page.gone(".found-place")
    page.type("[name=q]", "lone")
    page.click(".found-place", "lone")
    page.find(".piece h1", "lone")
    page.open("#latest", ready="[name=q]")
    page.type("[name=q]", "l")
    page.keys(Keys.ENTER)
    page.find("h1.panel-title")
    assert page.console() == []


@pytest.mark.slow
def test_the_answer_to_what_was_typed_last_counts(page, places, db):
    """Each further letter ends the request before, and a list that comes late is not shown in another view."""
    db.wait_for_words()
    page.open("#latest", ready="[name=q]")
    page.run("""const real = window.fetch; window.asked = [];
        window.fetch = (address, options) => { if (!String(address).includes("/search?")) return real(address, options);
            window.asked.push({ address: String(address), signal: options.signal });
            const wait = window.asked.length === 1 ? 1500 : 0;
            return new Promise((done, failed) => { options.signal.addEventListener("abort", () => failed(options.signal.reason));
                setTimeout(() => real(address, options).then(done, failed), wait); }); };""")
    page.type("[name=q]", "lone")
    until(lambda: page.run("return window.asked.length") == 1, "it is asked")
    page.type("[name=q]", "crowd")
    page.find(".found-place", "crowd")
    assert page.run("return window.asked[0].signal.aborted") and page.run("return window.asked.length") == 2
    page.type("[name=q]", "lone")
    page.go("#near=-45.5/10.25")
    assert not page.all(".found-place")


@pytest.mark.slow
def test_what_somebody_may_have_meant(page, places, db):
    db.wait_for_words()
    page.open("#latest", ready="[name=q]")
    page.type("[name=q]", "fisrt")
    page.keys(Keys.ENTER)
    page.click(".nothing a", "Search for “first”")
    page.find(".card-title", "first")
    assert page.address == "#search=first" and page.console() == []


def test_near_me(page, places):
    page.cdp("Browser.grantPermissions", origin=page.base, permissions=["geolocation"])
    page.cdp("Emulation.setGeolocationOverride", latitude=-45.5, longitude=10.26, accuracy=10)
    page.open("#latest", ready="[name=q]")
    page.click("[aria-label='Near me']")
    page.find(".card-facts", " m")
    until(lambda: page.address == "#near=-45.5/10.26", "the address says where")
    assert page.text(".card-title") != "lone 鯨魚"


def test_the_latest(page, places):
    page.open("", ready=".card")
    page.says("crowd 1", ".results")
    assert page.console() == []


@pytest.mark.slow
def test_more_of_a_list(page, service, new_user):
    author = new_user()
    for i in range(35):
        post(service, author, blogTitle=f"entry {i}")
    page.open("#latest", ready=".card")
    before = len(page.all(".card"))
    page.click(".results button", "Show more")
    until(lambda: len(page.all(".card")) > before, "there is more")
    assert page.run("return document.activeElement.matches('.card-link')")
    last = page.all(".card-link")[-1]
    address, top = last.get_attribute("href"), "return document.getElementById('panel').scrollTop"
    page.run("arguments[0].scrollIntoView({block: 'center'})", last)
    scrolled = page.run(top)
    page.click(f".card-link[href='{address[address.index('#'):]}']")
    page.find(".piece h1")
    page.driver.back()
    until(lambda: len(page.all(".card")) > before and page.run(top) == scrolled, "the list is as it was")
    assert page.run("return document.activeElement.href") == address


@pytest.mark.parametrize("zoom, map_type", [(8, 1)])
def test_a_blog_says_how_it_is_shown(page, service, alice, zoom, map_type):
    blog = post(service, alice, zoomLevel=zoom, mapType=map_type)
    page.open(f"#blog={blog}")
    page.go("#latest", ready="[name=q]")
    page.click(".tab", "On this map")
    until(lambda: page.address.startswith(f"#map={zoom}/-45.5/10.25"), "the map is as the blog says")


def test_an_authors_diary_by_date_and_albums(page, service, new_user, db):
    author = new_user("Chronicler")
    for month, day, title in (3, 5, "in March"), (1, 31, "in January"), (3, 1, "early March"):
        post(service, author, blogTitle=title, year=2026, month=month, day=day)
    post(service, author, blogTitle="for nobody else", visibility="private")
    service.ok("addAlbum", user=author, **(samples.ALBUM | {"albumTitle": "Spring"}))
    page.open(f"#user={author.id}", ready=".diary .card")
    until(lambda: page.text("h1") == "Chronicler", "the name is there")
    until(lambda: page.text(".album-list") == "Spring", "the album is there")
    listed = "return [...document.querySelectorAll('.diary :is(.month, .card-title)')].map((one) => one.innerText)"
    until(
        lambda: page.run(listed)
        == [f"{samples.today():%B %Y}", "Spring", "March 2026", "in March", "early March", "January 2026", "in January"],
        "the public pieces are there, the newest first",
    )
    way = "return document.querySelector('path.way').getAttribute('d').split('L').length"
    until(lambda: page.run(way) > 1, "a line leads from the album to the blogs")
    markers = {marker.get_attribute("aria-label") for marker in page.all(".leaflet-marker-icon")}
    assert markers == {"Diary entry: in March, and 2 more here", "Album: Spring"}
    until(lambda: page.text(".numbers").split()[:2] == ["3", "Diary"], "they are counted")
    page.click(".album-list a", "Spring")
    page.find(".piece h1", "Spring")
    page.click(".byline a", "Chronicler")
    page.find(".diary .month", "January 2026")
    assert page.console() == []


@pytest.mark.few(1)
@pytest.mark.parametrize(
    "view, forms",
    [
        ("#map=5/-43/10", ["GeoJSON"]),
        ("#user={user}", ["Atom", "GeoJSON"]),
        *(
            pytest.param(view, ["Atom", "GeoJSON"], marks=pytest.mark.slow)
            for view in ("#latest", "#search=first", "#near=-45.5/10.25")
        ),
    ],
)
def test_lists_are_followed_by_programs(page, places, service, view, forms):
    author, _ = places
    page.open(view.format(user=author.id), ready=".feeds a")
    listed = page.run(
        "return [...document.querySelectorAll('link[rel=alternate]')].map(({title, type, href}) => [title, type, href])"
    )
    assert [name for name, _, _ in listed] == forms
    assert [link.get_attribute("href") for link in page.all(".feeds a")] == [href for _, _, href in listed]
    for _, media_type, href in listed:
        answer = service.request(path=href.removeprefix(page.base))
        assert (answer.http_status, answer.header("Content-Type").partition(";")[0]) == (200, media_type)
        assert b"first" in answer.body or not view.startswith(("#user", "#search"))
    page.go("#login", ready="[name=email]")
    page.gone("link[rel=alternate]")
