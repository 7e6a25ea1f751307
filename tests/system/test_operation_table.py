"""mapdiaryd's own options, and that what is written about the operations is what mapdiaryd --operations prints."""

import re
import subprocess
import typing

import pytest

from samples import FINAL_OPERATIONS, OPERATIONS
from service import BUILD, ENVIRONMENT, TOP


def run(*arguments):
    command = [BUILD / "mapdiaryd", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT, timeout=20)


def output(*arguments):
    ran = run(*arguments)
    assert (ran.returncode, ran.stderr) == (0, "")
    return ran.stdout


class Row(typing.NamedTuple):
    """An operation, as it is told anywhere; None is what is not told there."""

    writes: bool | None
    login: bool | None
    params: dict  # {name: whether it is required}


def printed():
    rows, params = {}, {}
    for line in output("--operations").splitlines():
        name, second, third = re.split(r"  +", line.strip(), maxsplit=2)
        if line.startswith(" "):
            params[name] = second == "required"
        else:
            params = {}
            rows[name.replace("=true", "")] = Row(second == "write", third in ("session", "known", "logout", "leaving"), params)
    return rows


def text(file):
    return (TOP / file).read_text(encoding="utf-8")


def with_those_of(rows, name, params):
    """The parameters with those of another operation behind them, which may be none."""
    return params | (rows[name].params if name else {})


def of_the_samples():
    return {name: Row(operation.writes, operation.login,
                      operation.listed)
            for name, operation in (OPERATIONS | FINAL_OPERATIONS).items()}


def of_the_manual():
    """Items such as ".It Cm updateBlog Ar blogID , No then as Cm postBlog", and their first line, as "Login, POST."."""
    section = text("man/mapdiary.7").partition(".Ss Operations\n")[2].partition("\n.Ss ")[0]
    rows = {}
    for func, synopsis, words in re.findall(r"^\.It Cm (\w+)(.*)(?:\n([^.].*))?", section, re.M):
        synopsis, _, other = synopsis.partition(", No then as Cm ")
        variant = " delete" if "Cm delete=true" in synopsis else ""
        optional = re.findall(r"Oo Ar (\w+) Oc", synopsis)
        names = [name for name in synopsis.replace("Cm delete=true", "").split() if name not in ("Ar", "Oo", "Oc")]
        params = with_those_of(rows, other.strip(), {name: name not in optional for name in names})
        rows[func + variant] = Row("POST" in words, words.startswith("Login"), params)
    return rows


def ways_in(cell, rows):
    """{variant: parameters} of a cell as "blogID, and as postBlog; or blogID and `delete=true`", without brackets."""
    for way in re.split(r"\bor\b", re.sub(r"\([^)]*\)", "", cell)):
        own, _, other = way.replace("`delete=true`", "").replace("and ", "").partition("as ")
        params = {name: not star for name, star in re.findall(r"([A-Za-z]\w*)(\*?)", re.sub(r" \d+\.\.\d+", "", own))}
        yield " delete" if "delete=true" in way else "", with_those_of(rows, other.strip(" ;"), params)


def of_the_guide():
    """The rows of the table whose first column is func."""
    table = text("doc/client.md").partition("\n| func |")[2].partition("\n\n")[0].splitlines()
    columns = ["func"] + [column.split()[0] for column in table[0].split("|")[:-1]]
    rows = {}
    for line in table[2:]:
        cells = dict(zip(columns, (cell.strip() for cell in line.split("|")[1:])))
        writes = cells["method"] == "POST" if "method" in cells else None
        for variant, params in ways_in(cells["parameters"], rows):
            rows[cells["func"] + variant] = Row(writes, cells["login"] == "yes", params)
    return rows


@pytest.mark.parametrize("told", [of_the_samples, of_the_manual, of_the_guide])
def test_what_is_told_is_what_there_is(told):
    want, got = printed(), told()
    assert len(want) > 10
    assert sorted(got) == sorted(want)
    for name, row in got.items():
        assert row.params == want[name].params, name
        assert row.login == want[name].login, name
        assert row.writes in (None, want[name].writes), name


def test_every_parameter_says_what_it_may_be():
    lines = [line for line in output("--operations").splitlines() if line.startswith(" ")]
    needs, kinds = "required|optional|default \\S+", "one line of|a text of|an integer|decimal degrees|one of|one email address, in|a file"
    found = [re.fullmatch(rf"  \w+  +({needs})  +((?:{kinds})(?: \S.*)?)", line) for line in lines]
    assert None not in found
    assert len({match.span(column)[0] for match in found for column in (1, 2)}) == 2  # where the columns begin


@pytest.mark.parametrize("operation, parameter, what", [
    ("addAlbum", "category", "an integer from 1 to 16"), ("getAlbum", "albumID", "an integer of at least 1"),
    ("addAlbum", "lat", "decimal degrees from -90 to 90"), ("postBlog", "month", "an integer from 1 to 12"),
    ("postBlog", "blogContent", "a text of 1 to 100000 characters"),
    ("postBlog", "blogTitle", "one line of 1 to 255 characters"),
    ("postBlog", "type", "one of 0_0, 0_1, 0_2, 0_3, 0_4, 0_5, 0_6, 0_7, 0_8"),
])
def test_what_a_parameter_may_be(operation, parameter, what):
    params = re.search(rf"^{operation} .*\n((?:  .*\n)+)", output("--operations"), re.M)[1]
    assert re.search(rf"^  {parameter} +required +{re.escape(what)}$", params, re.M)


def test_help_and_version():
    assert re.fullmatch(r"mapdiaryd \d+\.\d+\.\d+\n", output("--version"))
    assert output("--version") == output("-V")
    assert output("--help") == output("-h")
    assert output("--help").startswith("usage: mapdiaryd ")


def test_the_manual_has_the_options():
    told = re.findall(r"^\.It Fl (\S.*)$", text("man/mapdiaryd.8"), re.M)
    options = re.findall(r"^  (-\S.*?)  ", output("--help"), re.M)
    assert [f"-{item}".replace(" , ", ", -").replace("Ar file", "FILE") for item in told] == options


@pytest.mark.parametrize("arguments", [["--nonsense"], ["-x"], ["--operations", "addAlbum"], ["-c"], ["--help=me"]])
def test_a_wrong_call(arguments):
    ran = run(*arguments)
    assert (ran.returncode, ran.stdout) == (64, "")
    assert "usage: mapdiaryd " in ran.stderr
