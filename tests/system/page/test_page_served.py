"""The page below a path, with map tiles of other servers, and with a file of streets."""

import functools

import PIL.Image
import pytest

import drawn
import samples
import vector_tiles
from browser import WRITTEN
from ctl import table
from service import WEB, Process, can_connect, free_port, until
from web_server import program

PATH = "/diary/"
ATTRIBUTION = '&copy; <a href="https://tiles.example/">Tiles</a>'
COLOURS = {"map": "#3060c0", "satellite": "#306030"}


@pytest.fixture(scope="module")
def tile_server(folder):
    """Pictures, each of one colour, which another server has; its origin."""
    here, port = folder.make("tiles"), free_port()
    for name, colour in COLOURS.items():
        PIL.Image.new("RGB", (256, 256), colour).save(here / f"{name}.png")
    places = "".join(f"location /{name}/ {{ try_files /{name}.png =404; }}" for name in COLOURS)
    temporary = "".join(f"{name}_temp_path {here}/{name};" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    conf = here / "nginx.conf"
    conf.write_text(
        f"daemon off; pid {here}/pid; events {{ }} http {{ access_log off; {temporary} types {{ image/png png; }}"
        f" server {{ listen 127.0.0.1:{port}; root {here}; {places} }} }}"
    )
    here.chmod(0o755)
    for path in here.glob("*.png"):
        path.chmod(0o644)
    server = Process([program("nginx"), "-p", here, "-e", here / "log", "-c", conf], here / "log")
    assert server.wait_ready(lambda: can_connect(("127.0.0.1", port)), "the server of tiles starts")
    yield f"http://127.0.0.1:{port}"
    server.stop()


@pytest.fixture
def served(chromium, service, start_service):
    """Starts a service behind a web server with such a page; gives the browser, at it, and nothing is complained of."""
    photos = service.settings["photo_directory"]    # which all have, as they have one database

    def start(settings=None, **page):
        server = functools.partial(type("There", (WEB,), page), photos=photos)
        other = start_service(web=server, photo_directory=photos, **(settings or {}))
        chromium.begin(other.settings["public_url"] + page.get("page", "/").rstrip("/"))
        return other

    yield start
    assert chromium.console() == []


def post(service, user, **values):
    return int(service.ok("postBlog", user=user, **(samples.BLOG | values))["blogID"])


@pytest.mark.slow
def test_below_a_path(chromium, served, alice):
    service = served(page=PATH)
    album = int(service.ok("addAlbum", user=alice, **samples.ALBUM)["albumID"])
    service.ok("addPhoto", user=alice, albumID=album, description="here", photo=drawn.FILE)
    blog = post(service, alice, blogTitle="below a path")
    # As mails and feeds name it: the browser keeps what is behind the #.
    chromium.driver.get(f"{service.settings['public_url']}/#blog={blog}")
    chromium.find(".piece h1", "below a path")
    assert chromium.run("return location.pathname") == PATH
    chromium.become(alice)
    chromium.open(f"#album={album}&photo=1", ready=".viewer img")
    until(lambda: chromium.run("return document.querySelector('.viewer img')?.naturalWidth > 0"), "the photo is there")
    chromium.open(f"#blog={blog}")
    chromium.type(".comment-form textarea", "said below it")
    chromium.click(".comment-form button")
    chromium.find(".comment .plain", "said below it")


def shown(page, name, zoom=""):
    """Waits until tiles of that name are drawn, all of them in their colour."""
    tiles = f".leaflet-tile-loaded[src*='/{name}/{zoom}']"
    width = "return document.querySelector(arguments[0])?.naturalWidth"
    until(lambda: page.run(width, tiles) == 256, f"there are tiles of {name} {zoom}", 60)


def has_borders(page):
    return page.run("return document.querySelectorAll('.base-map canvas').length > 0")


def test_tiles_of_the_operators_choice(chromium, served, tile_server, alice):
    settings = {
        "map_tiles": f"{tile_server}/map/{{z}}/{{x}}/{{y}}.png",
        "map_satellite_tiles": f"{tile_server}/satellite/{{z}}/{{x}}/{{y}}.png",
        "map_attribution": ATTRIBUTION,
    }
    service = served(settings, tiles=tile_server)
    blogs = {kind: post(service, alice, mapType=kind, zoomLevel=11 + kind) for kind in (1, 2, 3)}
    chromium.open(f"#blog={blogs[2]}")
    shown(chromium, "satellite", "13/")
    assert not has_borders(chromium)
    chromium.go(f"#blog={blogs[3]}")
    shown(chromium, "satellite", "14/")
    until(lambda: has_borders(chromium), "there are borders above it")
    chromium.go(f"#blog={blogs[1]}")
    shown(chromium, "map", "12/")
    assert chromium.text(".leaflet-control-attribution") == "© Tiles"
    assert chromium.all(".leaflet-control-attribution a[href='https://tiles.example/']")
    hosts = chromium.run(
        "return [...new Set(performance.getEntriesByType('resource').map(({name}) => new URL(name).origin))]"
    )
    assert sorted(hosts) == sorted([service.settings["public_url"], tile_server])


@pytest.mark.slow
def test_a_blog_is_posted_as_the_map_is_shown(chromium, served, tile_server, new_user, db):
    user = new_user()
    settings = {"map_satellite_tiles": f"{tile_server}/satellite/{{z}}/{{x}}/{{y}}.png", "map_attribution": ""}
    served(settings, tiles=tile_server)
    chromium.become(user)
    chromium.go("#map=7/25/121")
    chromium.run("document.querySelector('.leaflet-control-layers').classList.add('leaflet-control-layers-expanded')")
    chromium.click(".leaflet-control-layers label", "Satellite")
    shown(chromium, "satellite")
    chromium.go("#write", ready=".editor")
    chromium.type("[name=blogTitle]", "from above")
    chromium.type(".editor", "text")
    chromium.tap_map()
    chromium.click(".form-end button[type=submit]")
    chromium.find(".piece h1", "from above")
    assert db.run("SELECT map_type, zoom_level FROM blog WHERE owner_id = %s", user.id) == [(2, 7)]


@pytest.mark.slow
def test_a_server_that_the_policy_does_not_name(chromium, served, tile_server):
    served({"map_tiles": f"{tile_server}/map/{{z}}/{{x}}/{{y}}.png"})
    chromium.open("#map=3/25/121")
    until(lambda: any("img-src" in message for message in chromium.console()), "the browser refuses it")
    assert not chromium.all(".leaflet-tile-loaded")
    chromium.driver.get("about:blank")
    chromium.console()


# A file of streets ----------------------------------------------------------------------------------------------------

FILE = "tiles/island.pmtiles"
DEEPEST = 14    # of the file
CORNER = 13721, 7013    # a tile at that level, near 25.04° N 121.50° E; the file has 3 × 3 from there on
LAND, PARK, STREET, SEA = "#f5f0e2", "#dbe6c4", "#ffffff", "#cfe3e6"
NAMES = {"name": "Isla", "name:en": "Island City", "name:zh-Hant": "島市"}
SQUARE = [(0, 0), (4096, 0), (4096, 4096), (0, 4096)]
HALF = [(0, 0), (4096, 0), (4096, 2048), (0, 2048)]    # of land or water, in the north
ACROSS = [(0, 1024), (4096, 1024)]
GARDEN = [(2048, 1536), (4096, 1536), (4096, 2048), (2048, 2048)]
POINT, LINE, AREA = vector_tiles.POINT, vector_tiles.LINE, vector_tiles.AREA


def protomaps(is_middle):
    return {
        "earth": [(AREA, [HALF], {"kind": "earth"})],
        "landuse": [(AREA, [GARDEN], {"kind": "park"})],
        "roads": [(LINE, [ACROSS], {"kind": "major_road", "name": "Long Road"})],
        "places": [(POINT, [[(2048, 3000)]], {"kind": "locality", "population_rank": 12, **NAMES})] if is_middle else [],
    }


def open_map_tiles(is_middle):
    return {
        "park": [(AREA, [GARDEN], {"class": "park"})],
        "water": [(AREA, [[(x, y + 2048) for x, y in HALF]], {"class": "ocean"})],
        "transportation": [(LINE, [ACROSS], {"class": "primary"})],
        "transportation_name": [(LINE, [ACROSS], {"class": "primary", "name": "Long Road"})],
        "place": [(POINT, [[(2048, 3000)]], {"class": "city", "rank": 3, **NAMES})] if is_middle else [],
    }


KINDS = {"Protomaps": protomaps, "OpenMapTiles": open_map_tiles}


def write_tiles(folder, content, attribution="© Streets"):
    there = [(CORNER[0] + x, CORNER[1] + y) for x in range(3) for y in range(3)]
    tiles = {
        (z, x >> DEEPEST - z, y >> DEEPEST - z): content((x, y) == there[4])
        for z in range(6, DEEPEST + 1) for x, y in there
    }
    bounds = 121.486, 25.005, 121.553, 25.066
    (folder / "www/tiles").mkdir(exist_ok=True)
    path = folder / "www" / FILE
    path.write_bytes(vector_tiles.archive(tiles, content(True), bounds, attribution))


def doctors_map(service):
    """The doctor's finding about the file of streets."""
    found = table(service.doctor("--url", f"{service.settings['public_url']}/API.php").stdout)
    return next(line for line in found if line[0] == "map")


def test_a_file_of_streets_comes_in_parts(served):
    service = served({"map_tiles": FILE})
    path = service.folder / "www" / FILE
    _, state, said, cure = doctors_map(service)
    assert state == "FAILED" and said.endswith(f"/{FILE}: a part of it is answered with 404 there")
    assert cure.split(": ")[1].startswith("sudo install -D -m 644 island.pmtiles /")
    write_tiles(service.folder, protomaps)
    assert doctors_map(service)[1] == "ok"
    part = service.request(path=f"/{FILE}", headers=[("Range", "bytes=0-7")])
    assert (part.http_status, part.body) == (206, b"PMTiles\3")
    assert part.header("Cache-Control") == "public, max-age=86400"
    assert service.request(path="/tiles/other.pmtiles").header("Cache-Control") == "no-cache"
    path.write_bytes(b"MBTiles\3")
    assert doctors_map(service)[1:3] == ["FAILED", f"{service.settings['public_url']}/{FILE}: there is no PMTiles file, version 3"]


# The colour at a point of a tile.
COLOUR = """const [selector, x, y] = arguments;
    const tile = [...document.querySelectorAll(`${selector} canvas.leaflet-tile-loaded`)].find((one) => {
        const box = one.getBoundingClientRect();
        return box.left <= innerWidth / 2 && box.right > innerWidth / 2 && box.width && one.width >= 256;
    });
    if (!tile) return null;
    const copy = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
    copy.drawImage(tile, x * tile.width / 256, y * tile.height / 256, 1, 1, 0, 0, 1, 1);
    const { data } = copy.getImageData(0, 0, 1, 1);
    return "#" + [...data.slice(0, 3)].map((part) => part.toString(16).padStart(2, "0")).join("");"""


@pytest.mark.parametrize("language, city", [("en", "Island City"), ("zh-TW", "島市")])
@pytest.mark.parametrize("kind", KINDS)
def test_a_file_of_streets(chromium, served, kind, language, city):
    service = served({"map_tiles": FILE})
    write_tiles(service.folder, KINDS[kind])
    chromium.begin(chromium.base, language=language)
    with chromium.script_before(WRITTEN):
        chromium.open("#map=14/25.0362/121.5198", ready=".results")
        for at, colour in {(20, 20): LAND, (192, 112): PARK, (100, 64): STREET, (100, 200): SEA}.items():
            until(lambda: chromium.run(COLOUR, ".streets", *at) == colour, f"{kind} has {colour} at {at}")
        for name in (city, "Long Road"):
            until(lambda: chromium.run("return written.has(arguments[0])", name), f"{name} is written")
    assert "© Streets" in chromium.text(".leaflet-control-attribution")
    chromium.go("#map=16/25.0362/121.5198")    # closer than the file goes
    drawn_width = "return document.querySelector('.streets canvas.leaflet-tile-loaded')?.width"
    until(lambda: chromium.run(drawn_width) == 256, "it is drawn there, too")
    chromium.go("#map=5/25/121.5", ready=".base-map canvas.leaflet-tile-loaded")
    until(lambda: not chromium.all(".streets canvas"), "the base map alone is far away")
