"""A load that keeps accounts: what each session was told, and whether it ever had to unlearn it."""

import collections
import contextlib
import http.client
import itertools
import random
import threading
import time
import xml.parsers.expat

import lxml.etree

import http_client
from machine import ADDRESSES, CLIENTS, until
from samples import BLOG
from service import until_stopped

PATIENCE = 60  # seconds that a client waits for an answer
UNANSWERED = ("unanswered",)
PAUSE = 0.03  # seconds between the steps of a client: the load is there to notice, not to weigh
KINDS = ("write", "session read", "read")


class Blog:
    """What a session knows of a blog of its own: it is not to become less."""

    def __init__(self, number, version):
        self.number, self.acknowledged, self.seen = number, version, version


class Client:
    """A session: it writes, reads its own with its cookies, and reads others' without."""

    def __init__(self, load, address, cookie):
        self.load, self.address, self.cookie = load, address, cookie
        self.blogs = []
        self.doubtful = True  # the last blog may have a write on its way: it is only read from here on
        self.versions = itertools.count(1)

    def run(self):
        while not self.load.stop.is_set():
            for step in self.write, self.read_own, self.read_any:
                step()
                time.sleep(PAUSE)

    def ask(self, kind, func, cookie=None, **params):
        """The answer, or None where it was an honest failure; all is counted."""
        form = http_client.encode({"func": func} | params)
        headers = {"Cookie": cookie} if cookie else {}
        connection = http.client.HTTPConnection(ADDRESSES["front"], timeout=PATIENCE, source_address=(self.address, 0))
        try:
            if func.startswith("get"):
                connection.request("GET", f"/API.php?{form}", headers=headers)
            else:
                connection.request("POST", "/API.php", form, headers | {"Content-Type": http_client.FORM})
            response = connection.getresponse()
            answer = http_client.Answer(response.status, response.getheaders(), response.read())
            outcome = (answer.http_status, answer.info)
        except TimeoutError:
            answer, outcome = None, UNANSWERED
        except (OSError, http.client.HTTPException, AssertionError, xml.parsers.expat.ExpatError,
                lxml.etree.XMLSyntaxError) as error:
            answer, outcome = None, ("malformed", repr(error))
        finally:
            connection.close()
        self.load.count(kind, outcome)
        return answer

    def write(self):
        version = next(self.versions)
        fields = BLOG | {"blogTitle": f"{self.address} version {version}"}
        if self.doubtful or random.random() < 0.3:
            answer = self.ask("write", "postBlog", self.cookie, **fields)
            if answer and answer.info is None:
                self.blogs.append(Blog(int(answer["blogID"]), version))
                self.doubtful = False
            return
        blog = self.blogs[-1]
        answer = self.ask("write", "updateBlog", self.cookie, blogID=blog.number, **fields)
        if answer and answer.info is None:
            blog.acknowledged = blog.seen = version
        else:
            self.doubtful = True

    def read_own(self):
        if not self.blogs:
            return
        blog = random.choice(self.blogs[-5:])
        answer = self.ask("session read", "getBlog", self.cookie, blogID=blog.number)
        if answer is None or answer.info == "SERVICE UNAVAILABLE":
            return
        version = int(answer["blogTitle"].rpartition(" ")[2]) if answer.info is None else 0
        if version < blog.seen:
            self.load.count_backwards(f"blog {blog.number}: {version} after {blog.seen} ({answer.info})")
        blog.seen = max(blog.seen, version)

    def read_any(self):
        blogs = self.load.some_blogs()
        if blogs:
            self.ask("read", "getBlog", blogID=random.choice(blogs).number)


class Load:
    # A replica may not have a blog yet that was just posted.
    HONEST = {"write": [(503, "SERVICE UNAVAILABLE")], "session read": [(503, "SERVICE UNAVAILABLE")],
              "read": [(503, "SERVICE UNAVAILABLE"), (200, "BLOG NOT FOUND")]}

    def __init__(self, cluster):
        self.clients = [Client(self, address, self.new_session(cluster, number))
                        for number, address in enumerate(CLIENTS)]
        self.lock = threading.Lock()
        self.stop = threading.Event()
        self.moments = {kind: [] for kind in KINDS}  # of successes
        self.failures = {kind: [] for kind in KINDS}  # of honest failures
        self.malformed = collections.Counter()
        self.unanswered = 0
        self.backwards = []

    @staticmethod
    def new_session(cluster, number):
        user = cluster.ctl("user", "add", "--email", f"{number}@example.org", "--name", "L", text="password\n")
        return cluster.ctl("session", "add", "--user", user)

    @contextlib.contextmanager
    def running(self):
        with until_stopped(self.stop, *[client.run for client in self.clients]):
            yield self

    def count(self, kind, outcome):
        with self.lock:
            if outcome == (200, None):
                self.moments[kind].append(time.monotonic())
            elif outcome in self.HONEST[kind]:
                self.failures[kind].append(time.monotonic())
            elif outcome == UNANSWERED:
                self.unanswered += 1
            else:
                self.malformed[kind, *outcome] += 1

    def count_backwards(self, what):
        with self.lock:
            self.backwards.append(what)

    def some_blogs(self):
        return random.choice(self.clients).blogs[-5:]

    def wait_for_writes(self, count):
        want = len(self.moments["write"]) + count
        until(lambda: len(self.moments["write"]) >= want, f"{count} more writes ({dict(self.malformed)})")

    def since(self, kind, since):
        """Successes, failures, and the longest time without a success, from then to now."""
        moments = [moment for moment in self.moments[kind] if moment > since]
        gaps = [later - earlier for earlier, later in itertools.pairwise([since, *moments])]
        failures = sum(moment > since for moment in self.failures[kind])
        return len(moments), failures, max(gaps, default=0.0)

    def report(self, cluster):
        """Compares with what is stored, and prints what came of it; true where all is well."""
        with contextlib.closing(cluster.connect("postgres", "mapdiary")) as connection:
            cursor = connection.cursor()
            cursor.execute("SELECT number, title FROM mapdiary.blog")
            stored = {number: int(title.rpartition(" ")[2]) for number, title in cursor}
            cursor.execute("SELECT count(*) FROM mapdiary.blog b LEFT JOIN mapdiary.ledger l ON blog_id = number"
                           " WHERE l.blog_id IS NULL")
            uncredited = cursor.fetchone()[0]
        blogs = [blog for client in self.clients for blog in client.blogs]
        lost = sum(stored.get(blog.number, 0) < blog.acknowledged for blog in blogs) + uncredited
        print(f"\nwrites acknowledged {len(self.moments['write'])}, lost {lost}; session reads"
              f" {len(self.moments['session read'])}, back in time {len(self.backwards)}; reads {len(self.moments['read'])};"
              f" refused with 503 or not found {sum(map(len, self.failures.values()))};"
              f" not answered within {PATIENCE} s {self.unanswered}; malformed {self.malformed.total()}")
        for what in [*self.backwards[:10], *self.malformed.most_common(10)]:
            print(f"  {what}")
        for name in "app1", "app2":
            served = {role: cluster.metrics(name)[f'mapdiary_database_batches_total{{role="{role}"}}']
                      for role in ("primary", "standby")}
            print(f"{name}: {served['primary']:.0f} batches by a primary, {served['standby']:.0f} by a standby")
        return lost == 0 and not self.backwards and not self.malformed
