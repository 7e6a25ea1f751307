"""The map for everybody: the keyboard, overlapping markers, the focus, the reader's colours, and the base map."""

import gzip
import itertools
import json

import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

import samples
from browser import PHONE, WRITTEN
from service import TOP, until

LAT, LNG = -44.5, 30.25  # where nothing else is
STREET = f"#map=17/{LAT}/{LNG}"
FOCUS = "return document.activeElement.getAttribute('aria-label')"
STOPS = "return document.querySelectorAll('.leaflet-marker-pane [tabindex=\"0\"]').length"
OUTLINE = "return getComputedStyle(document.activeElement).outlineStyle"


@pytest.fixture(scope="module")
def street(service, new_user):
    """Three entries in a row, and three places at one point, which are a stack."""
    author = new_user("Cartographer")
    posts = [("west", 0, -0.003), ("middle", 0.001, 0), ("east", -0.001, 0.003)]
    for title, north, east in posts + [(f"heap {i}", -0.002, 0.0005) for i in range(3)]:
        service.ok("postBlog", user=author, **samples.BLOG | {"blogTitle": title, "lat": LAT + north, "lng": LNG + east})
    return author


def open_street(page):
    page.open(STREET, ready=".card")
    until(lambda: len(page.all(".marker")) == 4, "all markers are there")


def focused(page):
    return page.run(FOCUS)


def test_one_stop_for_tab_and_arrows_from_there(page, street):
    open_street(page)
    assert page.run(STOPS) == 1
    page.tab_to(".marker")
    assert focused(page) == "Diary entry: west" and page.run(OUTLINE) == "solid"
    seen = []
    for key in [Keys.ARROW_RIGHT] * 4 + [Keys.ARROW_LEFT, Keys.HOME, Keys.ARROW_UP, Keys.ARROW_DOWN]:
        page.keys(key)
        seen.append(focused(page).removeprefix("Diary entry: "))
        assert page.run(STOPS) == 1
    heap = seen[1]
    assert heap.startswith("heap ") and heap.endswith(", and 2 more here")
    assert seen == ["middle", heap, "east", "east", heap, "west", "middle", "west"]
    assert page.address == STREET
    page.keys(Keys.TAB)
    assert not page.run("return document.activeElement.matches('.marker')")
    page.driver.switch_to.active_element.send_keys(Keys.SHIFT, Keys.TAB)
    assert focused(page) == "Diary entry: west"
    page.keys(Keys.ENTER)
    page.find(".piece h1", "west")


def test_what_lies_upon_each_other_is_a_list(page, street):
    open_street(page)
    page.click(".marker:has(.marker-badge)")
    page.find(".stack li:nth-child(3) a")
    assert {link.text for link in page.all(".stack a")} == {"heap 0", "heap 1", "heap 2"}
    until(lambda: page.run("return document.activeElement.matches('.stack li:first-child a')"), "the first has the focus")
    page.keys(Keys.ESCAPE)
    page.gone(".stack")
    assert focused(page).endswith(", and 2 more here")
    page.keys(Keys.ENTER)
    page.find(".stack li a", "heap 1").send_keys(Keys.ENTER)
    page.find(".piece h1", "heap 1")
    page.gone(".stack")
    assert page.console() == []


def test_the_piece_that_is_shown_has_one_marker(page, street):
    open_street(page)
    page.click(".marker[aria-label='Diary entry: east']")
    page.find(".piece h1", "east")
    page.find(".marker-chosen")
    page.driver.back()
    until(lambda: len(page.all(".marker")) == 4 and not page.all(".marker-chosen"), "all markers are there again")
    page.driver.forward()
    page.find(".marker-chosen")
    assert len(page.all("[aria-label='Diary entry: east']")) == 1


@pytest.mark.slow
def test_the_focus_stays_in_the_map(page, street):
    """A cluster that opens is gone."""
    page.open(f"#map=6/{LAT}/{LNG}", ready=".card, .clusters")
    page.tab_to(".cluster")
    before = page.run("return document.activeElement.outerHTML")
    page.keys(Keys.ENTER)
    until(lambda: not page.address.startswith("#map=6/"), "the map is closer")
    until(lambda: before not in page.run("return document.querySelector('.leaflet-marker-pane').innerHTML"), "the cluster has opened")
    assert page.run("return document.activeElement.matches('.marker, #map')")


@pytest.mark.slow
def test_the_focus_is_seen_after_the_mouse_too(page, street):
    open_street(page)
    page.click(".marker[aria-label='Diary entry: east'] .marker-pin")
    page.find(".piece h1", "east")
    page.driver.back()
    page.find(".card")
    page.run("document.activeElement.blur()")
    for selector in ".leaflet-container", ".marker":
        page.tab_to(selector)
        assert page.run(OUTLINE) == "solid", selector


def test_colours_of_the_reader(page, street):
    page.cdp("Emulation.setEmulatedMedia", features=[{"name": "forced-colors", "value": "active"}])
    page.open(STREET + "&kind=blog", ready=".card")
    edge = "return getComputedStyle(document.querySelector(arguments[0])).borderBottomColor"
    ground = "return getComputedStyle(document.querySelector(arguments[0])).backgroundColor"
    assert page.run(edge, ".tab[aria-current]") != page.run(edge, ".tab:not([aria-current])")
    assert page.run(ground, ".chip[aria-current]") != page.run(ground, ".chip:not([aria-current])")
    assert page.run(ground, ".marker-blog .marker-pin") not in (page.run(ground, "body"), "rgba(0, 0, 0, 0)")


def test_a_phone_zooms_by_buttons(page, street):
    page.resize(PHONE)
    page.open(STREET, ready=".card")
    page.click(".leaflet-control-zoom-out")
    until(lambda: page.address.startswith("#map=16/"), "the map is farther")


def test_two_clicks_zoom(page, street):
    page.begin(page.base)
    page.open("#map=5/-30/-20", ready=".results")
    twice = ActionChains(page.driver).move_to_element_with_offset(page.find("#map"), 40, 30).double_click()
    twice.perform()
    until(lambda: page.address.startswith("#map=6/"), "the map is nearer")
    ActionChains(page.driver).key_down(Keys.SHIFT).double_click().key_up(Keys.SHIFT).perform()
    until(lambda: page.address.startswith("#map=5/"), "the map is farther")


@pytest.mark.few(1)
@pytest.mark.parametrize("address", ["#login", "#register", "#forgot"])
def test_a_form_without_a_map_begins_at_the_top_of_a_phone(page, address):
    page.resize(PHONE)
    page.open(address, ready="#panel form")
    assert page.run("return document.querySelector('#panel h1').getBoundingClientRect().top") < 120
    assert page.all("#map") and not page.run("return document.querySelector('.map-area').checkVisibility({visibilityProperty: true})")


@pytest.mark.slow
def test_a_button_that_waits_keeps_the_focus(page, street, service, bob):
    blog = int(service.ok("postBlog", user=street, **samples.BLOG)["blogID"])
    page.become(bob)
    page.open(f"#blog={blog}", ready=".heart")
    page.find(".heart[aria-pressed=false]").send_keys(Keys.ENTER)
    page.find(".heart[aria-pressed=true]:not([data-waits])")
    assert page.run("return document.activeElement.matches('.heart')")
    page.type("[name=comment]", "a word")
    page.tab_to(".comment-form button")
    page.keys(Keys.ENTER)
    page.find(".comment", "a word")
    assert page.run("return document.activeElement.matches('.comment-form button')")


@pytest.mark.slow
def test_a_form_that_is_refused_keeps_the_focus(page, alice):
    page.open("#login", ready="[name=email]")
    page.type("[name=email]", alice.email)
    page.type("[name=password]", "wrong")
    page.tab_to("button[type=submit]")
    page.keys(Keys.ENTER)
    page.find(".field-error, .note-error")
    assert page.run("return document.activeElement !== document.body")


# The base map --------------------------------------------------------------------------------------------------------

MAP = TOP / "www/map"
CELLS = json.loads((MAP / "world.json").read_text(encoding="utf-8"))["cells"]
FETCHED = """return [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
    .filter(({ name }) => !name.includes("/API.php") && !name.includes("/photos/"))
    .map(({ name, encodedBodySize }) => [new URL(name).pathname, encodedBodySize])"""
FIRST_VIEW = 200 * 1024  # bytes, compressed


@pytest.mark.parametrize("edition", ["near", "fine"])
def test_each_cell_of_the_base_map_is_where_the_world_says(edition):
    degrees, rows = CELLS[edition]["degrees"], CELLS[edition]["rows"]
    assert len(rows) == 180 // degrees and {len(row) for row in rows} == {360 // degrees}
    said = {f"{column}-{row}" for row, cells in enumerate(rows) for column, cell in enumerate(cells) if cell == "1"}
    assert said == {path.stem for path in (MAP / edition).iterdir()}
    for name in said:
        cell = json.loads((MAP / edition / f"{name}.json").read_text(encoding="utf-8"))
        column, row = map(int, name.split("-"))
        west, south, east, north = (side / cell["scale"] for side in cell["box"])
        assert west <= column * degrees - 180 < (column + 1) * degrees - 180 <= east
        assert south <= 90 - (row + 1) * degrees < 90 - row * degrees <= north
        water = cell["lakes"] + [line for lines in cell["rivers"].values() for line in lines]
        for line in [ring for rings in cell["land"] for ring in rings] + cell["borders"] + water:
            lng = lat = 0
            for i in range(0, len(line), 2):
                lng, lat = lng + line[i], lat + line[i + 1]
                assert cell["box"][0] <= lng <= cell["box"][2] and cell["box"][1] <= lat <= cell["box"][3]
        assert all(west <= lng / cell["scale"] <= east and south <= lat / cell["scale"] <= north for lng, lat, *_ in cell["names"])


# The colours of a tile of the base map, the one under the middle of the map, within so many pixels of that.
COLOURS = """const [far] = arguments;
    const map = document.getElementById("map").getBoundingClientRect();
    const [x, y] = [map.left + map.width / 2, map.top + map.height / 2];
    for (const tile of document.querySelectorAll(".base-map canvas.leaflet-tile-loaded")) {
        const box = tile.getBoundingClientRect();
        if (box.left > x || box.right <= x || box.top > y || box.bottom <= y) continue;
        const size = 1 + 2 * far;
        const copy = new OffscreenCanvas(size, size).getContext("2d", { willReadFrequently: true });
        copy.drawImage(tile, Math.floor(box.left - x) + far, Math.floor(box.top - y) + far);
        const { data } = copy.getImageData(0, 0, size, size);
        const colours = Array.from({ length: data.length / 4 }, (_, i) => [...data.slice(4 * i, 4 * i + 3)]);
        return colours.map((parts) => "#" + parts.map((part) => part.toString(16).padStart(2, "0")).join(""));
    }
    return [];"""
SEA, LAND, RIVER = "#cfe3e6", "#f5f0e2", "#a4c8ce"


@pytest.mark.parametrize("place, colour, far", [
    ("3/44/-87.2", SEA, 0), ("6/44/-87.2", SEA, 0),    # Lake Michigan
    ("9/47.61/9.42", SEA, 0), ("9/47.61/9.1", LAND, 0),    # Lake Constance, and south of it
    ("9/45.77/-82.2", LAND, 0),    # an island in Lake Huron
    ("9/48.03/7.58", RIVER, 20), ("6/26.0/32.6", RIVER, 60),    # the Rhine, the Nile
    ("10/25.03/121.43", RIVER, 60), ("8/24.93/121.33", LAND, 0),    # a small river, which is drawn from level 10 on
])
def test_lakes_and_rivers(page, place, colour, far):
    page.begin(page.base)
    page.open(f"#map={place}", ready=".results")
    until(lambda: colour in page.run(COLOURS, far), f"{colour} is at {place}")


@pytest.mark.few(2)
@pytest.mark.parametrize("language, city", [("en", "Taipei"), ("zh-TW", "臺北市")])
@pytest.mark.parametrize("zoom", [4, 6, 9])
def test_names_of_cities_in_the_language_of_the_reader(page, language, city, zoom):
    page.begin(page.base, language=language)
    with page.script_before(WRITTEN):
        page.open(f"#map={zoom}/25/121.5", ready=".results")
        until(lambda: page.run("return written.has(arguments[0])", city), "the city has its name")


def dearest_corner(edition):
    """Four cells around a point that are most to fetch: their names, and the point."""
    degrees = CELLS[edition]["degrees"]
    sizes = {path.stem: len(gzip.compress(path.read_bytes())) for path in (MAP / edition).iterdir()}
    corners = itertools.product(range(1, 360 // degrees), range(1, 180 // degrees))
    around = {at: [f"{column}-{row}" for column in (at[0] - 1, at[0]) for row in (at[1] - 1, at[1])] for at in corners}
    column, row = max(around, key=lambda at: sum(sizes.get(name, 0) for name in around[at]))
    return around[column, row], f"{90 - row * degrees}/{column * degrees - 180}"


def fetched_first(page, address, ready, is_there):
    """All but the answers of the service and photos, until the page is idle: [path, bytes]."""
    page.resize(PHONE)
    with page.script_before("window.requestIdleCallback = () => {}"):
        page.cdp("Network.clearBrowserCache")
        page.open(address, ready=ready)
        until(lambda: is_there(page.run(FETCHED)), "the map is there")
        return page.run(FETCHED)


def assert_few(fetched):
    assert sum(size for _, size in fetched) < FIRST_VIEW, sorted(fetched, key=lambda one: -one[1])


def test_what_a_phone_fetches_first(page, street):
    drawn = "return document.querySelectorAll('.leaflet-tile-loaded').length > 1"
    fetched = fetched_first(page, "", ".card", lambda _: page.all(".marker") and page.run(drawn))
    assert any("/map/world" in path for path, _ in fetched), fetched
    assert_few(fetched)


@pytest.mark.parametrize("edition, zoom", [("near", 5), ("fine", 8)])
def test_the_dearest_part_of_the_base_map(page, edition, zoom):
    names, place = dearest_corner(edition)
    page.begin(page.base)
    wanted = [f"/map/{edition}/{name}.json" for name in names]
    assert_few(fetched_first(page, f"#map={zoom}/{place}", ".results", lambda fetched: all(
        any(path.endswith(one) for path, _ in fetched) for one in wanted if (MAP.parent / one[1:]).exists())))
