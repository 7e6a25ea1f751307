"""A load that counts: every request, what it was told, and at the end what PostgreSQL has of it."""

import collections
import contextlib
import dataclasses
import http.client
import itertools
import threading
import time
import xml.parsers.expat

from samples import BLOG
from service import until_stopped

CLIENTS = 8


@dataclasses.dataclass
class Figures:
    """What became of the requests, in the order of a report."""

    sent: int = 0
    acknowledged: int = 0
    failed: int = 0  # honestly: the envelope with a reason, and 503
    lost: int = 0  # acknowledged, and not in the database
    twice: int = 0  # more than once in the database, or in the ledger
    malformed: int = 0  # neither
    recovered: float = 0.0  # seconds from the end of the fault to the first write

    def row(self):
        return "{:>8}{:>8}{:>8}{:>6}{:>6}{:>6}{:>9.2f}".format(*dataclasses.astuple(self))

    HEADER = "{:>8}{:>8}{:>8}{:>6}{:>6}{:>6}{:>9}".format("sent", "acked", "failed", "lost", "twice", "bad", "recovery")


class Load:
    """Clients of which each posts a blog, reads it, and goes on. `errors` has what was not answered as it should."""

    numbers = itertools.count(1)
    REFUSALS = ()  # what may be answered as well

    def __init__(self, service, user):
        self.service, self.user = service, user
        self.figures = Figures()
        self.errors = collections.Counter()
        self.acknowledged = {}  # title: blogID
        self.writes = []  # when one was acknowledged
        self.lock = threading.Lock()
        self.stop = threading.Event()

    @contextlib.contextmanager
    def running(self):
        with until_stopped(self.stop, *[self.client] * CLIENTS):
            yield self

    def client(self):
        blog = None
        while not self.stop.is_set():
            title = f"load {next(self.numbers)}"
            answer = self.ask("postBlog", user=self.user, **BLOG | {"blogTitle": title})
            if answer:
                blog = answer["blogID"]
                self.note(title, answer)
            if blog:
                self.ask("getBlog", blogID=blog)

    def note(self, title, answer):
        with self.lock:
            self.acknowledged[title] = int(answer["blogID"])
            self.writes.append(time.monotonic())

    def ask(self, func, **params):
        """The answer, where it is a success or one of the refusals; all others are counted for what they are."""
        try:
            answer = self.service.call(func, **params)
            info = answer.info
            is_final = answer.http_status == 200 and (info is None or info in self.REFUSALS)
            honest = is_final or (answer.http_status, info) == (503, "SERVICE UNAVAILABLE")
        except (OSError, http.client.HTTPException, AssertionError, xml.parsers.expat.ExpatError, SyntaxError) as error:
            is_final, honest, info = False, False, repr(error)
        with self.lock:
            self.figures.sent += 1
            self.figures.acknowledged += honest and info is None
            self.figures.failed += honest and info is not None
            self.figures.malformed += not honest
            if not honest or info:
                self.errors[info] += 1
        return answer if is_final else None

    def wait_for_writes(self, count=20, seconds=60):
        """Until so many more writes are acknowledged."""
        want = len(self.writes) + count
        end = time.monotonic() + seconds
        while len(self.writes) < want:
            assert time.monotonic() < end, f"no writes: {self.errors}"
            time.sleep(0.01)

    def note_recovery(self, since):
        """To be called once writes are acknowledged again."""
        self.figures.recovered = min(moment for moment in self.writes if moment > since) - since

    def compare(self, db):
        """What was acknowledged with what is there. Every blog earns a reward here."""
        rows = db.run("SELECT title, number FROM blog WHERE title LIKE 'load %%'")
        stored = collections.Counter(title for title, _ in rows)
        credits = collections.Counter(db.column("SELECT blog_id FROM ledger JOIN blog ON number = blog_id"
                                                " WHERE title LIKE 'load %%'"))
        blogs = {blog for _, blog in rows}
        missing = set(self.acknowledged.items()) - set(rows)
        self.figures.lost = len(missing) + len(blogs - set(credits))
        self.figures.twice = sum(count > 1 for count in (*stored.values(), *credits.values()))
        return self.figures


class PatientLoad(Load):
    """Clients that send each blog under a key of its own, again and again, until they are told that it is there."""

    def __init__(self, service, user):
        super().__init__(service, user)
        self.titles = []

    def client(self):
        while not self.stop.is_set():
            title = f"load {next(self.numbers)}"
            headers = [("Idempotency-Key", title.replace(" ", "-"))]
            self.titles.append(title)
            answer = None
            while not answer:  # also once it is to stop: so every blog that was sent is acknowledged
                answer = self.ask("postBlog", user=self.user, headers=headers, **BLOG | {"blogTitle": title})
            self.note(title, answer)

    def compare(self, db):
        """As above; beyond it, nothing is there that nobody was told of."""
        figures = super().compare(db)
        figures.twice += db.value("SELECT count(*) FROM blog WHERE title = ANY (%s) AND number <> ALL (%s)",
                                  self.titles, list(self.acknowledged.values()))
        return figures
