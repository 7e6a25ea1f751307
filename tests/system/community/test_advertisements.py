"""Advertisements: where and when they are shown, whose turn it is, and what is counted."""

import contextlib
import csv
import io
import itertools
import json
import os
import signal

import psycopg2
import pytest

import processes
from ctl import ABSENT, USAGE, done, refused, shown
from samples import today
from service import at_once, until

NOBODYS = 1_000_000_000
HERE = {"lat": "24.5", "lng": "121.5"}


@pytest.fixture(autouse=True)
def none_before(db):
    db.run("DELETE FROM advertisement")
    yield
    db.run("DELETE FROM advertisement")


@pytest.fixture
def add(service):
    def call(title="茶屋", lat=HERE["lat"], lng=HERE["lng"], radius=1000, until_day=None, **more):
        words = itertools.chain.from_iterable((f"--{name}", value) for name, value in more.items())
        return int(done(service, "ad", "add", "--title", title, "--address", "https://tea.example/", f"--lat={lat}", f"--lng={lng}",
                        "--radius", radius, "--until", until_day or today(), *words))

    return call


def ask(service, **place):
    """The identifier of the one that is shown; None where none is."""
    got = service.ok("getAdvertisement", **(place or HERE))
    return int(dict(got["advertisement"])["advertisementID"]) if got.names else None


def counts(service, number):
    return {row["day"]: (row["shown"], row["clicked"]) for row in shown(service, "ad", "counts", "--ad", number)}


def test_what_is_shown(service, add):
    assert service.ok("getAdvertisement", **HERE).names == []
    number = add("茶 & <屋>", text="第一行\r\n第二行", image="https://tea.example/a.png?a=1&b=2")
    assert service.ok("getAdvertisement", **HERE)["advertisement"] == [
        ("advertisementID", str(number)), ("title", "茶 & <屋>"), ("text", "第一行\r\n第二行"),
        ("image", "https://tea.example/a.png?a=1&b=2"), ("address", "https://tea.example/"),
        ("Location", [("lat", HERE["lat"]), ("lng", HERE["lng"])])]
    got = json.loads(service.call("getAdvertisement", responseFormat="JSON", **HERE).body)
    assert got["advertisement"]["advertisementID"] == number
    assert service.call("getAdvertisement", lat=91, lng=0).info == "INVALID PARAMETER: lat"


def test_its_parts_that_may_be_absent(service, add):
    add()
    names = [name for name, _ in service.ok("getAdvertisement", **HERE)["advertisement"]]
    assert names == ["advertisementID", "title", "text", "address", "Location"]


@pytest.mark.parametrize("lat, lng, radius, inside, outside", [
    ("24.5", "121.5", 1000, ("24.5089", "121.5"), ("24.5091", "121.5")),
    ("0", "179.999", 1000, ("0", "-179.993"), ("0", "-179.98")),
    ("0", "-180", 1000, ("0", "179.992"), ("0", "179.99")),
    ("89.999", "0", 1000, ("89.993", "180"), ("89.98", "180")),
    ("-90", "17", 1000, ("-89.9911", "-100"), ("-89.9909", "-100")),
    ("10", "10", 20_100_000, ("-10", "-170"), None),
])
def test_the_circle(service, add, lat, lng, radius, inside, outside):
    number = add(lat=lat, lng=lng, radius=radius)
    assert ask(service, lat=lat, lng=lng) == number
    assert ask(service, lat=inside[0], lng=inside[1]) == number
    assert outside is None or ask(service, lat=outside[0], lng=outside[1]) is None


def test_its_days(service, add):
    for first, last, runs in [(0, 0, True), (-1, 0, True), (0, 1, True), (1, 2, False)]:
        number = add(**{"from": today(days=first)}, until_day=today(days=last))
        assert (ask(service) == number) is runs
        assert service.call("clickAdvertisement", advertisementID=number).info == (None if runs else "ADVERTISEMENT NOT FOUND")
        done(service, "ad", "end", number)
        assert ask(service) is None
        assert service.call("clickAdvertisement", advertisementID=number).info == "ADVERTISEMENT NOT FOUND"
    assert service.call("clickAdvertisement", advertisementID=NOBODYS).info == "ADVERTISEMENT NOT FOUND"


def share(service, wanted, times):
    """Asks so often, side by side, and compares with the weights within 5 %."""
    def ask_some():
        return [ask(service) for _ in range(times // 4)]

    seen = list(itertools.chain.from_iterable(at_once(*[ask_some] * 4)))
    total = sum(wanted.values())
    for number, weight in wanted.items():
        assert seen.count(number) == pytest.approx(len(seen) * weight / total, rel=0.05), (number, weight)


def test_the_turn(service, add):
    share(service, {add(f"{weight}", weight=weight): weight for weight in (1, 2, 3)}, 1200)


@pytest.mark.slow
def test_the_turn_of_many_requests_and_machines(service, start_service, add):
    other = start_service()
    wanted = {add(f"{weight}", weight=weight): weight for weight in (1, 5, 9, 10)}
    at_once(*[lambda one=one: share(one, wanted, 10_000) for one in (service, other)])


def test_each_is_asked_for_anew(service, add):
    """It is cached by nobody, as the turn would stand still; and reading writes nothing."""
    numbers = {add("一"), add("二")}
    answers = [service.request(path="/API.php?func=getAdvertisement&lat=24.5&lng=121.5") for _ in range(8)]
    assert {int(dict(answer["advertisement"])["advertisementID"]) for answer in answers} == numbers
    assert all(answer.header("Cache-Control") == "no-cache" for answer in answers)


def test_what_is_counted(service, db, add):
    number, other = add(), add(lat="-24.5")
    for _ in range(7):
        assert ask(service) == number
    for _ in range(3):
        service.ok("clickAdvertisement", advertisementID=number)
    day = str(today())
    until(lambda: counts(service, number) == {day: (7, 3)}, "all are written")
    assert counts(service, other) == {}
    ask(service)
    until(lambda: counts(service, number) == {day: (8, 3)}, "the next is added")
    row = shown(service, "ad", "show", number)
    assert (row["shown"], row["clicked"], row["running"]) == (8, 3, True)
    assert [(row["advertisementID"], row["shown"]) for row in shown(service, "ad", "list", "--running")] == [(number, 8), (other, 0)]
    text = done(service, "ad", "counts", "--csv")
    assert text.startswith("day,advertisementID,shown,clicked\n")
    assert list(csv.DictReader(io.StringIO(text))) == [
        {"day": day, "advertisementID": str(number), "shown": "8", "clicked": "3"}]
    assert done(service, "ad", "counts") == f"day\tadvertisementID\tshown\tclicked\n{day}\t{number}\t8\t3\n"
    assert {column for column, in db.run(
        "SELECT attname FROM pg_attribute WHERE attrelid = 'advertisement_day'::regclass AND attnum > 0")} == {
            "advertisement_id", "day", "shown", "clicked"}


@pytest.mark.slow
def test_many_are_counted(service, add):
    """More than are written at a time."""
    numbers = {add() for _ in range(40)}
    for _ in range(4 * len(numbers)):
        service.ok("clickAdvertisement", advertisementID=ask(service))
    total = 4 * len(numbers)
    until(lambda: sum(sum(day) for number in numbers for day in counts(service, number).values()) == 2 * total, "all are written")


def test_no_count_is_lost_with_a_process(start_service, db, add):
    """Neither with a worker, nor with the process that writes them, nor when the service ends."""
    service = start_service(workers=2)
    number = add()
    for _ in range(3):
        for _ in range(10):
            assert ask(service) == number
        for pid in processes.workers(service.daemon.pid)[0], processes.indexer(service.daemon.pid):
            os.kill(pid, signal.SIGKILL)
            until(lambda pid=pid: pid not in processes.children(service.daemon.pid), "it is gone")
        until(lambda: processes.has_all_processes(service.daemon.pid, 2), "there are as many as before")
    service.stop()
    (shown_then, _), = db.run("SELECT shown, clicked FROM advertisement_day WHERE advertisement_id = %s", number)
    assert shown_then >= 30  # more, where PostgreSQL had committed what a process that was killed then had not taken off


def test_requests_change_none(postgres, service, add):
    add()
    for change in "UPDATE mapdiary.advertisement SET weight = 9", "SELECT * FROM mapdiary.advertisement_day":
        with contextlib.closing(postgres.connect("mapdiary", "mapdiary")) as connection, connection.cursor() as cursor:
            cursor.execute("SELECT mapdiary.become_visitor()")
            with pytest.raises(psycopg2.errors.InsufficientPrivilege):
                cursor.execute(change)


@pytest.mark.parametrize("words", [
    ["--address", "ftp://x"], ["--image", "x.png"], ["--address", "https://a b"], ["--radius", 0], ["--weight", 1001],
    ["--text", "字" * 501], ["--title", ""], ["--until", "2001-02-30"], ["--from", "2999-01-02", "--until", "2999-01-01"]], ids=str)
def test_what_is_wrong(service, db, words):
    good = {"--title": "x", "--address": "https://x.example/", "--lat": 0, "--lng": 0, "--radius": 1, "--until": today()}
    given = good | dict(zip(words[::2], words[1::2]))
    refused(service, USAGE, "ad", "add", *itertools.chain.from_iterable(given.items()))
    assert db.value("SELECT count(*) FROM advertisement") == 0


@pytest.mark.parametrize("command", ["show", "end"])
def test_what_is_not_there(service, command):
    refused(service, ABSENT, "ad", command, NOBODYS)
