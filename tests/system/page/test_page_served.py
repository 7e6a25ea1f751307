"""The page below a path, and with map tiles of other servers."""

import functools

import PIL.Image
import pytest

import drawn
import samples
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
