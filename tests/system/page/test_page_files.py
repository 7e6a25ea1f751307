"""The files of the page: how they are served, that they fit together, what they weigh."""

import gzip
import json
import posixpath
import re
import shutil
import subprocess

import pytest

from service import TOP, until

WWW = TOP / "www"
# Only a site with a file of streets loads these.
STREETS = ["js/inflate.js", "js/street_file.js", "js/street_names.js", "js/street_styles.js", "js/streets.js"]
MODULES = sorted(path.relative_to(WWW).as_posix() for path in (WWW / "js").rglob("*.js"))
LANGUAGES = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in (WWW / "texts").glob("*.json")}
POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self' data: blob:",
    "connect-src": "'self'",
    "base-uri": "'none'",
    "form-action": "'none'",
    "frame-ancestors": "'none'",
    "require-trusted-types-for": "'script'",
    "trusted-types": "default dompurify",
}
IMPORT = re.compile(r'^(?:import|export)\b[^"]*"(\.[^"]+)";', re.MULTILINE)


def imported(path, known):
    """A module and all that it cannot do without."""
    if path not in known and (WWW / path).is_file():
        known.add(path)
        if path in MODULES:
            for other in IMPORT.findall((WWW / path).read_text(encoding="utf-8")):
                imported(posixpath.normpath(posixpath.join(posixpath.dirname(path), other)), known)
    return known


FIRST = sorted(imported("js/main.js", set()))
FIRST_VIEW = 200 * 1024  # bytes, compressed


def get(service, path, *headers):
    return service.request(path=path, headers=headers)


@pytest.fixture(scope="module")
def version(service):
    """The folder of the files."""
    return re.search(r'href="([0-9a-f]{16})/css/', get(service, "/").body.decode())[1]


def source(path):
    return (WWW / path).read_text(encoding="utf-8")


# How they are served


@pytest.mark.parametrize(
    "path, media_type",
    [
        ("/", "text/html"),
        ("/index.html", "text/html"),
        ("/{}/js/main.js", "text/javascript"),
        ("/{}/css/page.css", "text/css"),
        ("/{}/vendor/dompurify/purify.es.mjs", "text/javascript"),
        ("/{}/texts/en.json", "application/json"),
        ("/{}/icon.svg", "image/svg+xml"),
        ("/{}/leaflet/leaflet.esm.min.js", "text/javascript"),
        ("/{}/leaflet/leaflet.css", "text/css"),
        ("/{}/leaflet/images/layers.png", "image/png"),
    ],
)
def test_a_file(service, version, path, media_type):
    lifetime = "public, max-age=31536000, immutable" if "{}" in path and "leaflet" not in path else "no-cache"
    path = path.format(version)
    answer = get(service, path)
    assert answer.http_status == 200
    assert answer.header("Content-Type").partition(";")[0] == media_type
    assert answer.header("X-Content-Type-Options") == "nosniff"
    assert answer.header("Cache-Control") == lifetime
    assert answer.header("Referrer-Policy") == "strict-origin-when-cross-origin"
    policy = dict(part.strip().split(" ", 1) for part in answer.header("Content-Security-Policy").split(";"))
    assert {name: set(value.split()) for name, value in policy.items()} == {
        name: set(value.split()) for name, value in POLICY.items()
    }
    assert get(service, path, ("If-None-Match", answer.header("ETag"))).http_status == 304


@pytest.mark.parametrize(
    "path",
    [
        "/nothing",
        "/js/main.js",
        "/{}/",
        "/{}/js/",
        "/{}/js/nothing.js",
        "/0123456789abcdef/js/main.js",
        "/www/",
        "/../conf/mapdiary.conf",
        "/%2e%2e/conf/mapdiary.conf",
        "/{}/leaflet/../../conf/mapdiary.conf",
        "/.git/config",
        "/index.html/x",
    ],
)
def test_nothing_else(service, version, path):
    answer = get(service, path.format(version))
    assert answer.http_status in (400, 403, 404)
    assert "immutable" not in (answer.header("Cache-Control") or "")
    assert b"key = value" not in answer.body


def test_the_interface_is_beside_it(service, alice):
    answer = service.call("getUserAlbumList", userID=alice.id)
    assert answer.info is None
    assert answer.header("Content-Security-Policy") == "default-src 'none'; frame-ancestors 'none'"


@pytest.mark.parametrize("path", ["/", "/{}/js/map.js", "/{}/css/page.css", "/{}/map/world.json", "/{}/texts/en.json"])
def test_it_is_compressed(service, version, path):
    path = path.format(version)
    answer = get(service, path, ("Accept-Encoding", "gzip"))
    assert answer.header("Content-Encoding") == "gzip"
    assert gzip.decompress(answer.body) == get(service, path).body
    known = ("If-None-Match", answer.header("ETag"))
    assert get(service, path, ("Accept-Encoding", "gzip"), known).http_status == 304


def test_a_version_is_fetched_once(page, alice):
    """A browser that comes again asks for index.html alone, and for what the service answers."""
    script = """return performance.getEntriesByType("resource").filter(({ initiatorType, transferSize, name }) =>
        transferSize > 0 && !name.includes("/API.php")).map(({ name }) => new URL(name).pathname)"""
    loaded = "return performance.getEntriesByType('resource').filter(({ name }) => name.includes('/js/')).length"
    page.open("#latest")
    until(lambda: page.run(loaded) == len(MODULES) - len(STREETS), "the modules of all views have come")
    page.open("#latest")
    until(lambda: page.run(loaded) == len(MODULES) - len(STREETS), "they are there again")
    assert [path for path in page.run(script) if "/leaflet/" not in path] == []


def test_each_version_has_addresses_of_its_own(tmp_path):
    """Of the same files, they are the same; index.html names no others; and a second installation leaves nothing of the first."""
    def install(folder, change=""):
        shutil.copytree(WWW, folder, symlinks=True, dirs_exist_ok=True)
        (folder / "texts/en.json").write_text(source("texts/en.json") + change, encoding="utf-8")
        subprocess.run([TOP / "build-aux/page", folder], check=True)
        there = sorted(path.name for path in folder.iterdir())
        linked = re.findall(r'(?:href|src)="([^"#/][^"]*)"', (folder / "index.html").read_text(encoding="utf-8"))
        assert there == [there[0], "index.html"] and {path.split("/")[0] for path in linked} == {there[0]}
        assert all((folder / path).is_file() for path in linked if "leaflet" not in path)
        return there[0]

    first = install(tmp_path / "one")
    assert install(tmp_path / "other") == first
    assert install(tmp_path / "one", " ") != first
    assert install(tmp_path / "one") == first


def test_the_first_view_is_light(service, version):
    """All that is there before somebody looks closer, but the answers of the service."""
    html = source("index.html")
    linked = set(re.findall(r'(?:href|src)="([^"#/][^"]*)"', html)) | set(FIRST)
    linked |= {"index.html", "texts/zh-Hant.json"}
    sizes = {path: len(get(service, f"/{version}/{path}", ("Accept-Encoding", "gzip")).body) for path in linked - {"index.html"}}
    sizes["index.html"] = len(get(service, "/", ("Accept-Encoding", "gzip")).body)
    assert "map/world.json" in sizes
    assert sum(sizes.values()) < FIRST_VIEW, sorted(sizes.items(), key=lambda item: -item[1])


# That they fit together


def test_all_modules_are_fetched_at_once():
    """Else a phone asks for one, reads it, and asks for the next. Those that come later are not among them."""
    listed = re.findall(r'<link rel="modulepreload" href="([^"]+)">', source("index.html"))
    assert sorted(listed) == sorted(FIRST)
    assert set(MODULES) - set(FIRST) >= {"js/views/write.js", "js/views/account.js", "js/views/piece_form.js"}


def test_all_modules_of_a_piece_are_fetched_at_once():
    listed = re.search(r"const OF_PIECE = \[(.*?)\];", source("js/later.js"), re.S)[1]
    names = [posixpath.normpath(posixpath.join("js", name)) for name in re.findall(r'"([^"]+)"', listed)]
    view = "js/views/piece.js"
    assert sorted([*names, view]) == sorted(imported(view, set()) - set(FIRST))


def test_all_languages_have_the_same_texts():
    plain = {name: {key for key in texts if not key.endswith(".one")} for name, texts in LANGUAGES.items()}
    assert sorted(plain) == ["en", "zh-Hant"]
    assert plain["en"] == plain["zh-Hant"]
    for name, texts in LANGUAGES.items():
        for key, text in texts.items():
            assert text, (name, key)
            assert re.findall(r"\{\w+\}", text).sort() == re.findall(r"\{\w+\}", LANGUAGES["en"][key]).sort()


CALL = re.compile(r'\b(?:t|hasText)\("([^"]+)"')
PART = re.compile(r"\b(?:t|hasText)\(`([^`]+)`")


@pytest.mark.parametrize("module", MODULES)
def test_every_text_is_there(module):
    texts = LANGUAGES["en"]
    code = source(module)
    for key in CALL.findall(code):
        assert key in texts, key
    for pattern in PART.findall(code):
        fits = re.compile(re.sub(r"\\\$\\\{.*?\\\}", ".+", re.escape(pattern)))
        assert any(fits.fullmatch(key) for key in texts), pattern


def test_no_text_is_left_over():
    code = "".join(map(source, MODULES)) + source("index.html")
    words = set(re.findall(r"[\w.-]+", code))
    begins = tuple(re.findall(r"[\w.]+\.(?=\$\{)", code)) + ("error.", "field.")
    left = [
        key
        for key in LANGUAGES["zh-Hant"]
        if key not in words
        and not key.startswith(begins)
        and not any(key.startswith(f"{word}.") for word in ("album", "poi", "type", "weather"))
    ]
    assert left == []


def test_every_view_says_what_its_address_has_to_be():
    """What is not in the second table would never be shown."""
    views = re.search(r"const VIEWS = {(.*?)};", source("js/main.js"), re.S)[1]
    values = re.search(r"const VALUES = {(.*?)\n};", source("js/whole.js"), re.S)[1]
    names = re.compile(r'(?:^|[\s,])"?([A-Za-z-]+)"?: ', re.M)
    assert sorted(names.findall(views)) == sorted(names.findall(values))


def test_every_drawing_is_there():
    drawn = set(re.findall(r'<symbol id="icon-([^"]+)"', source("index.html")))
    used = set()
    for module in MODULES:
        used |= set(re.findall(r'\b(?:icon|button)\("([a-z-]+)"', source(module)))
        used |= set(re.findall(r'linkButton\(.*?, "([a-z-]+)", t', source(module)))
    used |= set(re.findall(r': "([a-z]+)"', source("js/domain.js").split("ALBUM_CATEGORIES")[0]))
    assert used - drawn == set()


def test_what_is_from_others_is_what_they_published():
    """Whether it is what npm has is for build-aux/vendored --npm."""
    checked = subprocess.run([TOP / "build-aux/vendored"], capture_output=True, text=True, timeout=60)
    assert (checked.returncode, checked.stderr) == (0, "")


def test_no_script_and_no_style_in_the_markup():
    html = source("index.html")
    assert not re.search(r"<style|style=|\son\w+=|<script(?![^>]* src=)", html)
    for module in MODULES:
        assert not re.search(
            r"\.(?:innerHTML|outerHTML) *=[^=]|insertAdjacentHTML|document\.write|\beval\(|new Function", source(module)
        ), module
