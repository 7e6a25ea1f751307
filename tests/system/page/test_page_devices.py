"""Seeds of tests/page/orders.mjs with two devices in Chromium against the service. Each typed text is stored, kept on a device,
or replaced by its author."""

import json
import re
import shutil
import subprocess

import pytest

import samples
from browser import LossyProxy
from conftest import new_token
from service import TOP, until

FIELDS = {"blogTitle": "[name=blogTitle]", "blogContent": ".editor", "userCategory": "[name=userCategory]"}
NETWORKS = {"well": {}, "cut": {"postBlog": "cut", "updateBlog": "cut"}, "lost": {"postBlog": "lost", "updateBlog": "lost"}}
LEAVING = {"send": "Send them first", "keep": "Keep them here", "delete": "Delete"}
TYPE = """const [selector, text] = arguments;
    const control = document.querySelector(selector);
    const name = control.matches(".editor") ? "innerText" : "value";
    const before = control[name];
    control[name] = text;
    control.dispatchEvent(new Event("input", {bubbles: true}));
    return before;"""
PLACE = """for (const [name, value] of [["lat", "25.03"], ["lng", "121.56"]]) {
        const control = document.querySelector(`[name=${name}]`);
        if (!control.value) control.value = value;
        control.dispatchEvent(new Event("input", {bubbles: true}));
    }"""
SEND = "document.querySelector('form.form').requestSubmit();"
SEEDS = range(1, 31)


def tokens(text):
    return set(re.findall(r"s\d+t\d+", str(text)))


@pytest.fixture(scope="module")
def steps_of(tmp_path_factory):
    folder = tmp_path_factory.mktemp("orders")
    for name in "orders.mjs", "random.mjs", "package.json":
        shutil.copy(TOP / "tests/page" / name, folder)
    shutil.copytree(TOP / "www/js", folder / "www/js")

    def read(seed):
        told = subprocess.run(["node", "orders.mjs", "--steps", str(seed)], cwd=folder, check=True, capture_output=True, timeout=60)
        return json.loads(told.stdout)
    return read


class Device:
    """An origin of its own: a browser shares neither storage nor cookies between origins. It has two windows."""

    def __init__(self, world, host):
        self.world, self.page = world, world.page
        self.proxy = LossyProxy(world.service.port)
        self.base = f"http://{host}:{self.proxy.port}"
        self.windows = [None, None]
        self.typing = [None, None]    # the texts that somebody typed into the form that is open there
        self.is_in = False

    def login(self):
        user = self.world.user
        for name, value in ("id", str(user.id)), ("idrand", new_token(self.world.service, user)):
            self.page.cdp("Network.setCookie", url=self.base, name=name, value=value, httpOnly=True, sameSite="Lax")
        self.window(0)
        self.page.run("localStorage.setItem('mapdiary.me', JSON.stringify({userID: arguments[0]}))", user.id)
        self.is_in = True
        self.leave_forms()

    def window(self, place):
        driver = self.page.driver
        if self.windows[place] is None:
            driver.switch_to.window(driver.window_handles[0])    # the one before may be closed
            driver.switch_to.new_window("tab")
            self.windows[place] = driver.current_window_handle
            self.load("#latest")
        else:
            driver.switch_to.window(self.windows[place])

    def load(self, address):
        self.page.base = self.base
        self.page.open(address)
        self.page.run("document.documentElement.dataset.pauses = '1 1'")

    def open(self, place, is_new):
        self.window(place)
        self.load("#write" if is_new else f"#write={self.world.blog}")
        self.page.find(FIELDS["blogTitle"])
        if is_new:
            self.page.run(PLACE)
        self.typing[place] = {}

    def type(self, place, field, text, before=""):
        replaced = self.page.run(before + TYPE, FIELDS[field], text)
        self.world.gone |= tokens(replaced)
        self.world.typed.add(text)
        self.typing[place][field] = text

    def send(self, network, place, typed=None):
        if self.page.all(".conflict") or not self.page.run("return document.querySelector('form.form').checkValidity()"):
            return
        self.proxy.fates = NETWORKS[network]
        if typed:
            self.type(place, *typed, before=SEND)
        else:
            self.page.run(SEND)
        self.page.gone("form[aria-busy]")
        self.proxy.fates = {}
        if not self.page.address.startswith("#write"):
            self.typing[place] = None

    def choose(self, choice):
        conflicts = self.page.all(".conflict-field")
        if conflicts:
            self.page.click(".conflict-field button", {"mine": "Keep mine", "other": "Keep the other"}[choice])
            until(lambda: len(self.page.all(".conflict-field")) < len(conflicts), "a conflict has ended")

    def settle(self, place):
        """Waits until all that was typed is kept or stored."""
        self.window(place)
        texts = {text for text in self.typing[place].values() if text in self.form()}
        until(lambda: texts <= self.world.stored() | tokens(self.page.kept()), f"{texts} are kept")

    def form(self):
        return tokens(self.page.run("return [...document.querySelectorAll('form.form :is(input, textarea, .editor)')]"
                                    ".map((one) => one.value ?? one.innerText).join(' ')"))

    def kill(self, place):
        self.settle(place)
        self.page.driver.close()
        self.windows[place] = self.typing[place] = None

    def reload(self, place):
        self.settle(place)
        self.page.driver.refresh()
        self.page.find(FIELDS["blogTitle"])
        self.page.run("document.documentElement.dataset.pauses = '1 1'")

    def logout(self, leaving):
        forms = [place for place in (0, 1) if self.typing[place] is not None]
        for place in forms:
            self.settle(place)
            if leaving == "delete":
                self.world.gone |= self.form()
        self.window(0)
        if leaving == "delete":
            self.world.gone |= tokens(self.page.kept())
        self.page.go("#me", ready=".settings")
        self.page.click("#panel button", "Log out")
        until(lambda: self.page.all(".dialog") or not self.is_known(), "the page asks, or logs out")
        if self.page.all(".dialog"):
            if self.page.all(".dialog .primary") or leaving != "send":
                self.page.click(".dialog button", LEAVING[leaving])
            until(lambda: not self.is_known() or self.page.text(".dialog .field-error") or leaving == "send", "the page has done so")
            if self.is_known() and leaving == "send":
                until(lambda: not self.page.all(".dialog [data-waits]"), "the page has sent")
            if self.page.all(".dialog"):
                self.page.click(".dialog button", LEAVING["keep"])
        until(lambda: not self.is_known(), "the session has ended")
        self.leave_forms()
        self.is_in = False

    def leave_forms(self):
        for place in (0, 1):
            if self.windows[place] is not None:
                self.window(place)
                self.load("#latest")
            self.typing[place] = None

    def is_known(self):
        return self.page.run("return (localStorage['mapdiary.me'] ?? 'false') !== 'false'")


class World:
    def __init__(self, page, service, user, db):
        self.page, self.service, self.user, self.db = page, service, user, db
        self.typed, self.gone = set(), set()
        self.blog = int(service.ok("postBlog", user=user, **samples.BLOG)["blogID"])
        self.devices = [Device(self, "127.0.0.1"), Device(self, "localhost")]

    def stored(self):
        return tokens(self.db.run("SELECT title, content, user_category FROM blog WHERE owner_id = %s", self.user.id))

    def do(self, step):
        device, place, act = self.devices[step["device"]], step["tab"], step["act"]
        if act == "login" and not device.is_in:
            device.login()
        if not device.is_in or act == "login":
            return
        if act == "logout":
            device.logout(step["leaving"])
            return
        if device.typing[place] is None:
            if act != "edit":
                return
            device.open(place, step["isNew"])
        device.window(place)
        typed = step["field"], step["text"]
        {"edit": lambda: device.type(place, *typed), "sync": lambda: device.send(step["network"], place),
         "type while it is sent": lambda: device.send(step["network"], place, typed), "choose": lambda: device.choose(step["choice"]),
         "kill": lambda: device.kill(place), "reload": lambda: device.reload(place)}[act]()

    def lost(self):
        there = set()
        for device in self.devices:
            for place in (0, 1):
                if device.typing[place] is not None:
                    device.settle(place)
            device.window(0)
            there |= tokens(self.page.kept())
        return self.typed - self.gone - self.stored() - there


@pytest.fixture
def world(chromium, service, new_user, db):
    chromium.begin(service.settings["public_url"])
    first = chromium.driver.current_window_handle
    made = World(chromium, service, new_user(), db)
    for device in made.devices:
        device.login()
    yield made
    for handle in set(chromium.driver.window_handles) - {first}:
        chromium.driver.switch_to.window(handle)
        chromium.driver.close()
    chromium.driver.switch_to.window(first)
    for device in made.devices:
        device.proxy.close()


@pytest.mark.slow
@pytest.mark.parametrize("seed", [pytest.param(seed, marks=() if seed == 1 else pytest.mark.slow) for seed in SEEDS])
def test_no_text_is_lost_between_devices(world, steps_of, seed):
    steps = steps_of(seed)
    for step in steps:
        world.do(step)
    assert world.typed and not world.lost()
