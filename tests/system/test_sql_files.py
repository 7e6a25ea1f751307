"""The SQL of src/store can be pasted into psql."""

import re
import subprocess

import pytest

from service import TOP

STORE = TOP / "src" / "store"
WORDS = STORE / "words.sql"
NAME = re.compile(r"^-- name: [a-z_:]+(?:\(([a-z0-9_, \n-]+)\))?[a-z \n-]*?(?: for ([a-z_ ]+))?$", re.MULTILINE)
KIND = re.compile(r"^-- kind: (\w+)\n((?:\\set .*\n)+)", re.MULTILINE)


# Those of imports take a transaction, temporary tables and rows; the tests of imports run them.
OTHERS = {"words", "import", "import_merge"}


def files():
    return sorted(path for path in STORE.glob("*.sql") if path.stem not in OTHERS)


def pasted(text, kind):
    """As somebody does who gives NULL for every parameter, and takes back all that was done. What is for an extension of
    the server is left out."""
    text = text.partition("-- table: statistics_slow_statements")[0]
    named = NAME.findall(text)
    parameters = {name for names, _ in named for name in re.findall(r"\w+", names)}
    kind_words = dict(KIND.findall(WORDS.read_text(encoding="utf-8") + text))[kind] if kind else ""
    settings = "".join(f"\\set {name} NULL\n" for name in sorted(parameters))
    return f"\\i {WORDS}\n{settings}{kind_words}SET search_path = mapdiary;\nBEGIN;\n{text}\nROLLBACK;\n"


@pytest.mark.usefixtures("service")  # it has the schema
@pytest.mark.parametrize("path", files(), ids=lambda path: path.stem)
def test_psql_takes_each_statement(postgres, path):
    """Class 42 is a mistake in the SQL. Other errors are of what refuses NULL."""
    text = path.read_text(encoding="utf-8")
    kinds = {kind for _, kinds in NAME.findall(text) for kind in kinds.split()}
    for kind in kinds or {None}:
        psql = [postgres.programs / "psql", "-X", "-q", "-v", "VERBOSITY=verbose", "-v", "ON_ERROR_ROLLBACK=on",
                postgres.dsn("mapdiary", "mapdiary")]
        ended = subprocess.run(psql, input=pasted(text, kind), capture_output=True, text=True, timeout=60, check=False)
        assert not re.findall(r"(?:ERROR|FATAL): +42.*|\bsyntax error.*|^invalid .*", ended.stderr, re.MULTILINE), ended.stderr
        assert ended.returncode == 0, ended.stderr
