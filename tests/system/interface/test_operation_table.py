"""mapdiaryd's own options, and that what is written about the operations is what openapi.json says."""

import json
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


def forms_of(described):
    """The schemas of the forms of a write: one for each of its variants."""
    content = described.get("requestBody", {"content": {}})["content"]
    for kind in "multipart/form-data", "application/x-www-form-urlencoded":
        if kind in content:
            return content[kind]["schema"].get("oneOf", [content[kind]["schema"]])
    return [{"properties": {}, "required": []}]


def of_a_form(form):
    """The variant that a form is, and its parameters: "delete" is one only if it is not what tells the variants apart."""
    delete = form["properties"].get("delete", {})
    params = {name: name in form["required"] for name in form["properties"] if name != "delete" or "enum" in delete}
    return " delete" if "const" in delete else "", params


def described_by(service):
    """What is of all operations is a reference there."""
    rows = {}
    for path, methods in json.loads(service.request(path="/openapi.json").body)["paths"].items():
        for method, described in methods.items():
            query = {item["name"]: item.get("required", False) for item in described["parameters"] if "name" in item}
            for variant, params in map(of_a_form, forms_of(described)) if method == "post" else [("", query)]:
                rows[path.rpartition("/")[2] + variant] = Row(method == "post", {} not in described["security"], params)
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
def test_what_is_told_is_what_there_is(service, told):
    want, got = described_by(service), told()
    assert len(want) > 10
    assert sorted(got) == sorted(want)
    for name, row in got.items():
        assert row.params == want[name].params, name
        assert row.login == want[name].login, name
        assert row.writes in (None, want[name].writes), name


def test_help_and_version():
    assert re.fullmatch(r"mapdiaryd \d+\.\d+\.\d+\n", output("--version"))
    assert output("--version") == output("-V")
    assert output("--help") == output("-h")
    assert output("--help").startswith("usage: mapdiaryd ")


def test_the_manual_has_the_options():
    told = re.findall(r"^\.It Fl (\S.*)$", text("man/mapdiaryd.8"), re.M)
    options = re.findall(r"^  (-\S.*?)  ", output("--help"), re.M)
    assert [f"-{item}".replace(" , ", ", -").replace("Ar file", "FILE").replace("Ar pid", "PID") for item in told] == options


@pytest.mark.parametrize("arguments", [["--nonsense"], ["-x"], ["--version", "addAlbum"], ["-c"], ["--help=me"]])
def test_a_wrong_call(arguments):
    ran = run(*arguments)
    assert (ran.returncode, ran.stdout) == (64, "")
    assert "usage: mapdiaryd " in ran.stderr
