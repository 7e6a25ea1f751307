"""Where nobody asks for anything, the service takes next to nothing of the processor: its processes, those of nginx, and the
sessions of PostgreSQL that they hold."""

import pathlib
import time

import pytest

from processes import children
from service import WEB, until
from test_mail import mta, new_email, put, start_sender, state, wait_for, wait_for_reply  # noqa: F401

WINDOW = 20  # seconds
MOST = 0.01  # of one core
MANY = 20000  # mails of a month
SESSIONS = 8 + 2  # of the workers, the indexer and mapdiary-mail

pytestmark = pytest.mark.skipif(WEB.name != "nginx", reason="what Apache takes at rest is its own affair")


def with_descendants(pid):
    return [pid, *(below for child in children(pid) for below in with_descendants(child))]


def processor_time(pid):
    """Seconds that the kernel gave to the process (sched-stats.rst)."""
    return int(pathlib.Path(f"/proc/{pid}/schedstat").read_text(encoding="ascii").split()[0]) / 1e9


def name_of(pid):
    return pathlib.Path(f"/proc/{pid}/comm").read_text(encoding="ascii").strip()


class Installation:
    def __init__(self, service, postgres, sender):
        self.service, self.postgres, self.sender = service, postgres, sender

    def processes(self):
        """{process: name}"""
        programs = [self.service.daemon.pid, self.service.web.pid, self.sender.process.pid]
        found = {pid: name_of(pid) for program in programs for pid in with_descendants(program)}
        return found | {pid: f"session of {name}" for pid, name in self.sessions()}

    def sessions(self):
        listed = self.postgres.value("SELECT json_agg(json_build_array(pid, usename || ' ' || application_name)) FROM pg_stat_activity"
                                     " WHERE usename IN ('mapdiary', 'mapdiary_mail')")
        return [tuple(row) for row in listed]

    def is_settled(self):
        return all(row == "idle" for row in self.postgres.value(
            "SELECT array_agg(state) FROM pg_stat_activity WHERE usename IN ('mapdiary', 'mapdiary_mail')"))

    def used(self):
        """{process and name: seconds of the processor} of WINDOW, in which none comes or goes."""
        processes = self.processes()
        before = {process: processor_time(process[0]) for process in processes.items()}
        time.sleep(WINDOW)
        assert self.processes() == processes
        return {process: processor_time(process[0]) - time_before for process, time_before in before.items()}

    def costs_nothing(self):
        used = self.used()
        listed = "\n".join(f"{seconds:9.4f} s {name} {pid}" for (pid, name), seconds in sorted(used.items(), key=lambda row: -row[1]))
        print(f"{sum(used.values()):9.4f} s in all, of {WINDOW}\n{listed}")
        assert sum(used.values()) < MOST * WINDOW, listed


@pytest.fixture
def installation(service, postgres, db, mta, start_sender):  # noqa: F811
    db.wait_for_counts()
    db.wait_for_words()
    until(lambda: db.value("SELECT listed_at IS NOT NULL AND common_at IS NOT NULL FROM indexing"), "the indexer has done its upkeep")
    db.run("UPDATE indexing SET common_at = now()")  # which the indexer does every ten minutes
    sender = start_sender(mail_server=mta.address, mail_retry="10m")
    installation = Installation(service, postgres, sender)
    until(lambda: len(installation.sessions()) == SESSIONS, "those of other tests are gone, and the sender has its own")
    until(installation.is_settled, "all sessions are idle")
    return installation


@pytest.mark.slow
def test_an_empty_outbox(installation, db):
    assert db.value("SELECT count(*) FROM mail") == 0
    names = list(installation.processes().values())
    assert {"mapdiaryd", "mapd-waiter", "mapd-indexer", "mapdiary-decode", "mapdiary-mail", "nginx",
            "session of mapdiary mapdiary", "session of mapdiary mapdiary-indexer", "session of mapdiary_mail mapdiary"} <= set(names)
    installation.costs_nothing()


@pytest.mark.slow
def test_after_mails(installation, db, mta):  # noqa: F811
    """Of each kind that stays in the outbox: sent, waiting for another attempt, failed, and with a sender that is not heard of."""
    never, later = new_email(), new_email()
    mta.answer({never: "550 5.1.1 no", later: "450 4.2.0 come back later"}, reload=True)
    db.run("INSERT INTO mail (recipient, state, created_at, ended_at, expires_at) SELECT 'x@example.org', 'sent', at, at, at"
           " FROM generate_series(1, %s) n, LATERAL (SELECT now() - n * interval '2 minutes' AS at) t", MANY)
    taken = put(db, new_email())
    wait_for(db, taken, "sent")
    wait_for(db, put(db, never), "failed")
    wait_for_reply(db, put(db, later), "come back later")
    db.run("INSERT INTO mail (recipient, subject, body, expires_at, next_at, taken_until) VALUES"
           " (%s, 'x', 'x', now() + interval '1 day', now() + interval '5 minutes', now() + interval '5 minutes')", new_email())
    until(installation.is_settled, "all sessions are idle")
    installation.costs_nothing()
    mta.answer({}, reload=True)
