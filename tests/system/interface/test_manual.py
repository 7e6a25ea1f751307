"""The manual pages say what the programs do."""

import re
import subprocess

import pytest

from web_server import BUILD, TOP

PAGES = [TOP / "man/mapdiary.7", TOP / "man/mapdiary.conf.5", TOP / "man/mapdiaryd.8", BUILD / "man/mapdiaryctl.8",
         TOP / "man/mapdiary-decoder.8"]


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def text(page):
    return page.read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_lint(page):
    """But for references to pages that are not installed."""
    found = subprocess.run(["mandoc", "-Tlint", page], capture_output=True, text=True).stdout.splitlines()
    assert [line for line in found if "referenced manual not found" not in line] == []


def installed(value):
    """A default of this build, where the package has it."""
    return re.sub("^/usr/local/((?:var|etc)/)?", lambda match: f"/{match[1] or 'usr/'}", value)


@pytest.fixture(scope="module")
def defaults():
    """{key: default} of mapdiaryd -T without a setting."""
    found = re.findall(r"^(\w+) =(?: (.*))?$", output(BUILD / "mapdiaryd", "-c", "/dev/null", "-T"), re.M)
    assert len(found) > 20
    return {key: installed(value) for key, value in found}


def test_the_manual_has_the_keys_and_defaults(defaults):
    page = re.findall(r"^\.It Ic (\w+) =(?: (.*))?$", text(TOP / "man/mapdiary.conf.5"), re.M)
    assert dict(page) == defaults


def test_the_manual_has_the_ranges():
    """What a key takes is the second line that mapdiaryd -T says of it, and the last of its item."""
    shown = output(BUILD / "mapdiaryd", "-c", "/dev/null", "-T")
    wanted = {key: f"{line[0].upper()}{line[1:]}." for line, key in re.findall(r"^# .*\n# (.*)\n(\w+) =", shown, re.M)}
    page = re.findall(r"^\.It Ic (\w+) =.*\n(?:.*\n)*?(.*)\n(?=\.It|\.El)", text(TOP / "man/mapdiary.conf.5"), re.M)
    assert len(wanted) > 20
    assert {key: line for key, line in page if key in wanted} == wanted


def commands():
    """The words of each command of mapdiaryctl."""
    program = BUILD / "mapdiaryctl"
    groups = re.findall(r"^  ([a-z]+) ", output(program, "--help"), re.M)
    for group in groups:
        names = re.findall(rf"^  {group} ([a-z]+) ", output(program, group, "--help"), re.M)
        yield from (f"{group} {name}" for name in names) if names else [group]


def test_the_manual_has_the_commands():
    wanted = list(commands())
    page = re.findall(r"^\.It Ic ([a-z ]+?)(?: (?:Ar|Fl|Oo) .*)?$", text(PAGES[3]), re.M)
    assert len(wanted) > 5
    assert page == wanted


def test_the_manual_has_every_error():
    """Those of the interface that the program knows."""
    source = text(TOP / "src/base/status.c")
    page = text(TOP / "man/mapdiary.7")
    errors = re.findall(r'\[STATUS_\w+\] = \{\w+\("([A-Z -]+)"', source)
    inside = {"SUCCESS", "ALREADY EXISTS", "NOT FOUND", "CLOSED"}  # of mapdiaryctl
    assert len(errors) > 15
    assert [error for error in errors if error not in inside and error not in page] == []


@pytest.mark.parametrize("kind", ["users", "pois", "albums", "blogs", "photos", "comments"])
def test_the_manual_has_the_columns_of_imports(kind):
    section = output(BUILD / "mapdiaryctl", "import", kind, "--help").partition("\nColumns of ")[2]
    wanted = re.findall(r"^  (\w+) +\S", section, re.M)
    item = re.split(r"^\.It Ic ", text(PAGES[3]).partition(f".It Ic import {kind} ")[2], flags=re.M)[0]
    table = item.partition(".Bl -column")[2].partition("\n.El")[0]
    assert len(wanted) > 4
    assert re.findall(r"^\.It Li (\w+) Ta\n[a-z]", table, re.M) == wanted
