"""Reading in the page: pieces, photos, addresses, and what strangers write."""

import pytest
from selenium.webdriver.common.keys import Keys

import drawn
import samples
from browser import DESKTOP, PHONE
from service import until

TITLE = "<img src=x onerror=alert(1)>"
# Each would say so if it ran, or leave what is not to be there.
HOSTILE = """<a href="javascript:window.pwned = 5" id="js">js</a>
<a href="https://example.org/" target="_top" id="good">good</a>
<a href="&#106;avascript&colon;window.pwned = 12">entity</a>
<a href=" \x09jav\x09ascript:window.pwned = 13">tabs</a>
<a href="data:text/html,<script>window.pwned=14</script>">data</a><script>window.pwned = 1</script>
<p onclick="window.pwned = 2" style="position:fixed" class="bar" id="panel">text</p>
<img src="x" onerror="window.pwned = 3"><img src="https://tracker.example/pixel.png">
<svg onload="window.pwned = 4"><style>* { display: none }</style>
<svg><animate onbegin="window.pwned = 6"/><foreignObject><iframe srcdoc="<script>parent.pwned = 7</script>">
</iframe></foreignObject></svg>
<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=window.pwned=8&gt;">
</table></mtext></math>
<style>@import 'https://tracker.example/x.css'; body { display: none }</style>
<link rel="stylesheet" href="https://tracker.example/y.css">
<form action="https://tracker.example/"><input name="password" autofocus onfocus="window.pwned = 9">
<button>Log in</button></form>
<iframe src="https://tracker.example/"></iframe><object data="https://tracker.example/"></object>
<embed src="https://tracker.example/">
<base href="https://tracker.example/"><meta http-equiv="refresh" content="0;url=https://tracker.example/">
<video src="https://tracker.example/v" autoplay onerror="window.pwned = 10"></video>
<details open ontoggle="window.pwned = 11">d</details>
<p>the end</p>"""


def post(service, user, **values):
    return int(service.ok("postBlog", user=user, **(samples.BLOG | values))["blogID"])


@pytest.fixture
def blog_of_alice(service, alice):
    return post(service, alice, blogTitle="A walk", blogContent="one\r\ntwo <b>bold</b>", lat="25.0330", lng="121.5654")


def add_photos(service, user, count, **piece):
    for i in range(count):
        service.ok("addPhoto", user=user, description=f"photo number {i + 1}", photo=drawn.FILE, **piece)


@pytest.mark.parametrize("size", [PHONE, pytest.param(DESKTOP, marks=pytest.mark.slow)])
def test_a_blog_is_read(page, blog_of_alice, alice, size):
    page.resize(size)
    page.open(f"#blog={blog_of_alice}")
    assert page.find("h1").text == "A walk"
    assert page.find(".prose").text == "one\ntwo bold"
    assert page.find(".prose b").text == "bold"
    assert alice.name in page.text(".byline")
    until(lambda: page.driver.title == "A walk", "the window has its name")
    assert page.find(".byline time").get_attribute("datetime") == "{year:04}-{month:02}-{day:02}".format(
        **{name: int(samples.BLOG[name]) for name in ("year", "month", "day")})
    page.find(".marker-chosen")
    assert page.run("return document.documentElement.scrollWidth <= innerWidth")


def test_the_base_map_is_drawn(page, blog_of_alice):
    page.open(f"#blog={blog_of_alice}")
    colors = """return [...document.querySelectorAll('.leaflet-tile-loaded')].map((tile) => {
        const data = tile.getContext('2d').getImageData(0, 0, tile.width, tile.height).data;
        return new Set(new Uint32Array(data.buffer)).size; })"""
    until(lambda: max(page.run(colors), default=0) > 2, "tiles have land, coasts and lines")


def test_what_strangers_write_is_text(page, service, alice):
    hostile = post(service, alice, blogTitle=TITLE, blogContent=HOSTILE, userCategory=TITLE)
    page.open(f"#blog={hostile}")
    page.says("the end")
    assert page.find("h1").text == TITLE
    assert TITLE in page.text(".byline")
    page.keys(Keys.TAB)
    assert page.run("return window.pwned") is None
    for selector in (
        "script",
        "style",
        "svg",
        "math",
        "iframe",
        "object",
        "embed",
        "form",
        "input",
        "button",
        "base",
        "meta",
        "link",
        "video",
        ":is([onclick], [onerror], [onload], [style], [class], [id])",
        "img",
    ):
        assert not page.all(f".prose {selector}"), selector
    links = page.run(
        "return [...document.querySelectorAll('.prose a')]"
        ".map((link) => [link.textContent, link.getAttribute('href'), link.rel])"
    )
    assert links == [
        ["js", None, ""],
        ["good", "https://example.org/", "nofollow noopener noreferrer ugc"],
        ["entity", None, ""],
        ["tabs", None, ""],
        ["data", None, ""],
    ]
    # The policy, under which the sanitiser reads what it is given, tells of what it would not have let run either.
    assert all("/purify.es.mjs " in message and "has been blocked" in message for message in page.console())


def test_hostile_names_of_albums_and_photos(page, service, alice):
    album = int(service.ok("addAlbum", user=alice, **(samples.ALBUM | {"albumTitle": TITLE}))["albumID"])
    service.ok("addPhoto", user=alice, albumID=album, description=TITLE, photo=drawn.FILE)
    page.open(f"#album={album}&photo=1", ready=".viewer img")
    assert page.text(".viewer-caption") == TITLE
    assert page.run("return window.pwned") is None
    assert page.text("h1") == TITLE


def test_a_script_in_the_page_does_not_run(page, blog_of_alice):
    """What the policy is for, should all else fail."""
    page.open(f"#blog={blog_of_alice}")
    caught = page.run(
        """try {
            document.body.insertAdjacentHTML('beforeend', '<img src=x onerror="window.pwned = 1">');
        }
        catch (error) { return error.name; }"""
    )
    assert caught == "TypeError"
    caught = page.run(
        """try {
            const script = document.createElement('script');
            script.text = 'window.pwned = 1';
            document.body.append(script);
        }
        catch (error) { return error.name; }"""
    )
    assert caught == "TypeError"
    assert page.run("return window.pwned") is None
    page.console()


def test_photos_by_keys_and_addresses(page, service, alice, album):
    add_photos(service, alice, 3, albumID=album)
    page.open(f"#album={album}")
    page.click(".photos li:nth-child(2) a")
    page.says("photo number 2", ".viewer")
    until(lambda: page.address == f"#album={album}&photo=2", "the address says which")
    page.keys(Keys.ARROW_RIGHT)
    page.says("photo number 3", ".viewer")
    page.keys(Keys.ARROW_RIGHT)
    page.keys(Keys.HOME)
    page.says("photo number 1", ".viewer")
    until(lambda: page.address == f"#album={album}&photo=1", "the address says which")
    until(lambda: page.run("return document.querySelector('.viewer img')?.naturalWidth > 0"), "the photo is there")
    page.keys(Keys.ESCAPE)
    page.gone(".viewer")
    until(lambda: page.address == f"#album={album}", "the address is the album's")
    assert page.console() == []


@pytest.mark.slow
def test_photos_by_keys_from_the_first(page, service, alice, album):
    """The buttons at the ends keep the focus, so that the keys reach the photos."""
    add_photos(service, alice, 2, albumID=album)
    page.open(f"#album={album}&photo=1", ready=".viewer img")
    for key, number in (Keys.ARROW_RIGHT, 2), (Keys.ARROW_LEFT, 1), (Keys.ARROW_RIGHT, 2):
        page.keys(key)
        page.says(f"photo number {number}", ".viewer")
    for button, number in ("previous", 1), ("next", 2), ("previous", 1):
        page.tab_to(f".viewer-button.{button}")
        page.keys(Keys.ENTER)
        page.says(f"photo number {number}", ".viewer")
        page.keys(Keys.ENTER)  # there is no further one
        page.says(f"photo number {number}", ".viewer")
    page.keys(Keys.ARROW_RIGHT)
    page.says("photo number 2", ".viewer")


@pytest.mark.slow
def test_a_photo_that_comes_late(page, service, alice, album):
    """It is not shown where another one was asked for since, nor is that one gone."""
    add_photos(service, alice, 3, albumID=album)
    page.open(f"#album={album}&photo=1", ready=".viewer img")
    page.run(
        """const really = window.fetch;
        window.fetch = (...all) => (!String(all[0]).includes("getPhoto") ? really(...all) : new Promise((resolve) => {
            window.late = () => {
                const answer = really(...all);
                resolve(answer);
                return answer.then((response) => response.clone().text());
            };
        }));"""
    )
    page.keys(Keys.END)
    page.says("photo number 3", ".viewer")
    until(lambda: page.run("return Boolean(window.late)"), "the third photo is asked for")
    page.keys(Keys.HOME)
    page.says("photo number 1", ".viewer")
    page.driver.execute_async_script("window.late().then(() => setTimeout(arguments[0], 100))")
    assert page.run("return document.querySelector('.viewer img')?.alt") == "photo number 1"
    page.keys(Keys.END)
    page.find(".viewer img[alt='photo number 3']")


def test_photos_by_swipes(page, service, alice, album):
    add_photos(service, alice, 2, albumID=album)
    page.resize(PHONE)
    page.cdp("Emulation.setTouchEmulationEnabled", enabled=True)
    page.open(f"#album={album}&photo=1", ready=".viewer img")

    def swipe(start, end):
        page.cdp("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": start, "y": 300}])
        for step in range(1, 5):
            page.cdp(
                "Input.dispatchTouchEvent",
                type="touchMove",
                touchPoints=[{"x": start + (end - start) * step / 4, "y": 300}],
            )
        page.cdp("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    swipe(300, 100)
    page.says("photo number 2", ".viewer")
    swipe(100, 300)
    page.says("photo number 1", ".viewer")
    page.cdp("Emulation.setTouchEmulationEnabled", enabled=False)


@pytest.mark.slow
def test_back_and_forward(page, service, alice, album, blog_of_alice):
    page.open(f"#blog={blog_of_alice}")
    page.go(f"#album={album}", ready=".piece-kind.kind-album")
    page.driver.back()
    page.find(".piece-kind.kind-blog")
    page.driver.forward()
    page.find(".piece-kind.kind-album")


@pytest.mark.parametrize(
    "address",
    [
        "#blog=999999999",
        *(pytest.param(one, marks=pytest.mark.slow) for one in ("#album=999999999", "#POI=x", "#blog=1e9")),
    ],
)
def test_what_is_not_there(page, address):
    page.open(address, ready=".nothing")
    page.says("This is not to be seen")
    page.click(".nothing a")
    page.find(".tabs")


def test_nobody_else_is_asked(page, blog_of_alice):
    page.open(f"#blog={blog_of_alice}")
    hosts = page.run(
        "return [...new Set(performance.getEntriesByType('resource').map(({name}) => new URL(name).origin))]"
    )
    assert hosts == [page.base]


def test_no_script_reads_the_session(page, alice, blog_of_alice):
    page.login(alice)
    page.open(f"#blog={blog_of_alice}")
    assert page.run("return document.cookie") == ""
    kept = page.run("return JSON.stringify(localStorage)")
    assert alice.token not in kept and "idrand" not in kept


@pytest.mark.few(1)
@pytest.mark.parametrize("name", ["__proto__", "constructor", "toString", "hasOwnProperty", "nowhere"])
def test_an_address_that_is_none_shows_the_latest(page, name):
    page.open(f"#{name}=1")
    assert page.find("#panel").get_attribute("class") == "view-latest"


@pytest.mark.few(1)
@pytest.mark.parametrize("address, said, there", [
    ("#blog={}", "You are offline", ".piece h1"), ("#latest", "You are offline", ".card"), ("#me", "You are offline", ".settings"),
    ("#map=5/25.04/121.52", "The list cannot be shown just now", ".results .card, .results .clusters"),
    ("#write={}", "could not be read", ".editor"),
])
def test_what_cannot_be_read_offline_is_read_when_the_network_is_back(page, alice, blog_of_alice, address, said, there):
    page.become(alice)
    page.go("#forgot", ready="[name=email]")
    page.offline()
    page.go(address.format(blog_of_alice), ready=".nothing")
    page.says(said, ".nothing")
    page.online()
    page.find(f"#panel :is({there})")
    page.console()    # says of each request that it had no network
