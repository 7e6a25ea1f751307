"""A real browser, Chromium, for the tests of the page."""

import contextlib
import json
import os
import pathlib
import shutil
import socket
import threading

from selenium import webdriver
from selenium.common.exceptions import (
    ElementClickInterceptedException,
    ElementNotInteractableException,
    NoSuchElementException,
    StaleElementReferenceException,
)
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from service import ENVIRONMENT, until

PHONE, DESKTOP = (360, 740), (1280, 800)
NOT_YET = (
    NoSuchElementException,
    StaleElementReferenceException,
    ElementClickInterceptedException,
    ElementNotInteractableException,
)
SLOW = int(os.environ.get("MAPDIARY_BROWSER_SECONDS", "60"))  # the machine may have much else to do


def chromium(folder):
    options = webdriver.ChromeOptions()
    for argument in (
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--hide-scrollbars",
        "--disable-background-networking",
        "--disable-component-update",
        "--no-first-run",
        "--disable-sync",
        "--force-device-scale-factor=1",
        f"--user-data-dir={folder}",
    ):
        options.add_argument(argument)
    options.binary_location = shutil.which("chromium")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    service = Service(shutil.which("chromedriver"), env=ENVIRONMENT | {"HOME": str(folder)})
    return webdriver.Chrome(service=service, options=options)


# Notes each text that is written on a canvas.
WRITTEN = """window.written = new Set();
    const fillText = CanvasRenderingContext2D.prototype.fillText;
    CanvasRenderingContext2D.prototype.fillText = function (text, ...others) {
        written.add(text);
        fillText.call(this, text, ...others);
    };"""

LOAD_ALL = """const main = document.querySelector("script[type=module]").src;
    return fetch(new URL("later.js", main)).then((answer) => answer.text())
        .then((text) => Promise.all(Array.from(text.matchAll(/import\\("([^"]+)"\\)/g), ([, path]) => import(new URL(path, main)))))
        .then((all) => all.length);"""

# A database that is not there yet is not made by looking.
DRAFTS = """const done = arguments[arguments.length - 1];
    indexedDB.databases().then((all) => {
        if (!all.some(({ name }) => name === "mapdiary")) return done([]);
        const opening = indexedDB.open("mapdiary");
        opening.onsuccess = () => {
            const reading = opening.result.transaction("drafts").objectStore("drafts").getAll();
            reading.onsuccess = () => { opening.result.close(); done(reading.result); };
        };
    });"""


# Selenium would ask of each element for itself, and each of its questions is a long script.
SEEN = """const [selector, text] = arguments;
    const isSeen = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true })
        && [...element.getClientRects()].some(({ width, height }) => width > 0 && height > 0);
    return [...document.querySelectorAll(selector)]
        .find((element) => isSeen(element) && (text === "" || element.innerText.includes(text))) ?? null;"""


class Browser:
    """One window. What it does waits until it can be done."""

    def __init__(self, folder):
        self.driver = chromium(folder)
        self.base = None

    def quit(self):
        self.driver.quit()

    def cdp(self, command, **parameters):
        return self.driver.execute_cdp_cmd(command, parameters)

    @contextlib.contextmanager
    def script_before(self, source):
        """Runs a script in each document before its own."""
        script = self.cdp("Page.addScriptToEvaluateOnNewDocument", source=source)
        try:
            yield
        finally:
            self.cdp("Page.removeScriptToEvaluateOnNewDocument", **script)

    def begin(self, base, size=DESKTOP, language="en", dark=False):
        """As if it were new, for the page at this address."""
        self.base = base
        self.driver.switch_to.window(self.driver.window_handles[0])
        self.driver.get("about:blank")
        self.cdp("Page.resetNavigationHistory")  # once it has 50 addresses, back() may pass over one
        self.cdp("Storage.clearDataForOrigin", origin="/".join(base.split("/")[:3]), storageTypes="all")
        self.cdp("Network.clearBrowserCookies")
        self.online()
        self.resize(size)
        self.cdp("Emulation.setUserAgentOverride", userAgent="Mozilla/5.0 Chromium", acceptLanguage=language)
        self.media(dark=dark)
        self.console()

    def resize(self, size):
        self.cdp(
            "Emulation.setDeviceMetricsOverride",
            width=size[0],
            height=size[1],
            deviceScaleFactor=1,
            mobile=size[0] < 800,
        )

    def media(self, dark=False, still=True):
        values = {
            "prefers-color-scheme": "dark" if dark else "light",
            "prefers-reduced-motion": "reduce" if still else "no-preference",
        }
        self.cdp(
            "Emulation.setEmulatedMedia", features=[{"name": name, "value": value} for name, value in values.items()]
        )

    def offline(self):
        """Waits until the page has all modules, since an idle page still loads some."""
        self.run(LOAD_ALL)
        self.cdp("Network.enable")
        self.cdp(
            "Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=-1, uploadThroughput=-1
        )

    def online(self):
        self.cdp("Network.enable")
        self.cdp(
            "Network.emulateNetworkConditions", offline=False, latency=0, downloadThroughput=-1, uploadThroughput=-1
        )

    def open(self, address="", ready="#panel h1"):
        """Loads the page anew at an address such as "#blog=7"."""
        self.driver.get("about:blank")
        self.driver.get(f"{self.base}/{address}")
        self.find(ready)

    def go(self, address, ready="#panel h1"):
        """Follows an address within the page."""
        self.run("location.hash = arguments[0]", address)
        self.find(ready)

    @property
    def address(self):
        return self.run("return location.hash")

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def console(self):
        """What was written to the console since it was last asked for; a violation of the policy is there, too."""
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] != "DEBUG"]

    # What is there

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def until(self, condition, what):
        """As service.until(), with what the page says if that was in vain."""
        try:
            return until(condition, what, SLOW, pause=0.03)
        except TimeoutError as error:
            raise TimeoutError(f"{error}: {self.text()[-800:]}") from None

    def find(self, selector, text=None):
        """The first element that is to be seen, with this text in it."""

        def seen():
            with contextlib.suppress(*NOT_YET):
                return self.run(SEEN, selector, text or "")

        return self.until(seen, f"{selector} {text or ''} is there")

    def gone(self, selector):
        self.until(lambda: not self.all(selector), f"{selector} is gone")

    def kept(self):
        """The drafts on the disk, of all accounts."""
        return [one for one in self.driver.execute_async_script(DRAFTS) if "thing" in one]

    def text(self, selector="body"):
        return self.run("return document.querySelector(arguments[0])?.innerText ?? ''", selector)

    def says(self, text, selector="body"):
        self.until(lambda: text in self.text(selector), f"the page says {text}")

    # What somebody does

    def click(self, selector, text=None):
        def clicked():
            with contextlib.suppress(*NOT_YET):
                element = self.find(selector, text)
                self.run("arguments[0].scrollIntoView({block: 'center'})", element)
                element.click()
                return True

        self.until(clicked, f"{selector} {text or ''} is clicked")

    def type(self, selector, text):
        """In the place of what is there."""
        element = self.find(selector)
        self.run("arguments[0].scrollIntoView({block: 'center'})", element)
        element.click()
        element.send_keys(Keys.CONTROL, "a")
        element.send_keys(text)

    def unfold(self):
        """The fields of a form that most people leave as they are."""
        self.click(".folded:not([open]) > summary")

    def keys(self, *keys):
        ActionChains(self.driver).send_keys(*keys).perform()

    def tab_to(self, selector, most=80):
        """By the Tab key alone."""
        for _ in range(most):
            if self.run("return document.activeElement.matches(arguments[0])", selector):
                return
            self.keys(Keys.TAB)
        raise AssertionError(f"Tab does not lead to {selector}")

    def drop(self, selector, *paths):
        """Files, dragged there from elsewhere."""
        element = self.find(selector)
        self.run("arguments[0].scrollIntoView({block: 'center'})", element)
        x, y = self.run(
            "const {x, y, width, height} = arguments[0].getBoundingClientRect();"
            "return [x + width / 2, y + height / 2]",
            element,
        )
        data = {"items": [], "files": [str(path) for path in paths], "dragOperationsMask": 1}
        for kind in "dragEnter", "dragOver", "drop":
            self.cdp("Input.dispatchDragEvent", type=kind, x=x, y=y, data=data)

    def tap_map(self, x=0.5, y=0.5):
        """At a part of its width and height; on a phone it is above all else."""
        self.run("scrollTo(0, 0)")
        box = self.run(
            "const {x, y, width, height} = document.getElementById('map').getBoundingClientRect();"
            "return [x, y, width, height]"
        )
        at = {"x": box[0] + box[2] * x, "y": box[1] + box[3] * y, "button": "left", "clickCount": 1}
        for kind in "mousePressed", "mouseReleased":
            self.cdp("Input.dispatchMouseEvent", type=kind, **at)

    def become(self, user):
        """Somebody, by the session that this user has, without the form."""
        for name, value in (("id", str(user.id)), ("idrand", user.token)):
            self.cdp("Network.setCookie", url=self.base, name=name, value=value, httpOnly=True, sameSite="Lax")
        known = f"if (location.host) localStorage.setItem('mapdiary.me', '{{\"userID\": {user.id}}}');"
        with self.script_before(known):
            self.open("#latest")

    def login(self, user):
        self.open("#login", ready="[name=email]")
        self.type("[name=email]", user.email)
        self.type("[name=password]", user.password)
        self.click("button[type=submit]")
        until(lambda: self.address == "#latest", "somebody is logged in", SLOW)


class LossyProxy:
    """Passes connections on to a port. While `losing`, a write is passed on, and its answer is not; while `cutting`,
    half of it is passed on, and then nothing more, either way. `fates` says what becomes of a request by its operation:
    "cut" ends the connection before the service has it, "lost" afterwards, and a status is the answer."""

    def __init__(self, port):
        self.target = ("127.0.0.1", port)
        self.losing = self.cutting = 0
        self.fates = {}
        self.seen = []  # the requests, as [operation, body]
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def close(self):
        self.listener.close()

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        lost = threading.Event()
        with contextlib.suppress(OSError), client, socket.create_connection(self.target) as server:
            back = threading.Thread(target=self.answer, args=(server, client, lost), daemon=True)
            back.start()
            with contextlib.suppress(OSError):
                while data := client.recv(65536):
                    operation = self.operation_of(data)
                    if operation is not None:
                        self.seen.append(request := [operation, b""])
                    request[1] += data.partition(b"\r\n\r\n")[2] if operation is not None else data
                    fate = self.fates.get(operation)
                    if fate == "cut":
                        return
                    if fate == "lost":
                        lost.set()
                    elif fate:
                        client.sendall(self.refusal(*fate))
                        return
                    if self.cutting and data.startswith(b"POST"):
                        self.cutting -= 1
                        server.sendall(data[: len(data) // 2])
                        lost.set()
                        return
                    if self.losing and data.startswith(b"POST"):
                        self.losing -= 1
                        lost.set()
                    server.sendall(data)
                server.shutdown(socket.SHUT_WR)
            back.join()

    @staticmethod
    def operation_of(data):
        """The last part of the path, where the data begin a request."""
        first = data.split(b"\r\n", 1)[0].split(b" ")
        return first[1].split(b"?")[0].rsplit(b"/", 1)[-1].decode() if first[0] in (b"GET", b"POST") and len(first) == 3 else None

    @staticmethod
    def refusal(status, info):
        body = json.dumps({"status": "FAILED", "info": info})
        return (f"HTTP/1.1 {status} Refused\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
                f"Connection: close\r\n\r\n{body}").encode()

    @staticmethod
    def answer(server, client, lost):
        with contextlib.suppress(OSError):
            while (data := server.recv(65536)) and not lost.is_set():
                client.sendall(data)
            client.shutdown(socket.SHUT_RDWR)


# Of WCAG 2.2, axe leaves this rule out by default.
AXE = "axe.run({ rules: { 'target-size': { enabled: true } } }).then(arguments[0])"


def axe(browser, source: pathlib.Path):
    """What axe-core finds wrong, in words."""
    if not browser.run("return 'axe' in window"):
        browser.cdp("Runtime.evaluate", expression=source.read_text(encoding="utf-8"))
    result = browser.driver.execute_async_script(AXE)
    return [f"{one['id']}: {node['html'][:200]}" for one in result["violations"] for node in one["nodes"]]
