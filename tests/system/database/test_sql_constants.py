"""No SQL is built from input: every text that PostgreSQL gets is a constant of the source code."""

import re

import pytest

import samples
from samples import OPERATIONS
from service import BUILD, TOP

SOURCE = TOP / "src"

# libpq's functions that take SQL, each with what it is given in the source: constants, or the text of a statement's row.
SQL_TAKERS = r"PQ(?:exec\w*|prepare|sendQuery|sendQueryParams|sendPrepare|fn)"

# What takes SQL text from a store, as the second argument: for scripts and COPY, which cannot be prepared. All of it is
# mapdiaryctl's; the members are of tables of constants, as the rows of the registry are.
TAKES_SQL = {"db_script", "db_script_with_patience", "db_script_with_name", "db_continue", "db_copy_begin", "db_copy_out"}
MEMBERS = {"*check", "*merge"}
# What is static has an initializer that the compiler can work out, and so none of input.
TABLE = re.compile(r"^static const char \*const (\w+)\[\w*\] = \{", re.MULTILINE)
CONSTANT = re.compile(r"(?:static )?const char (\w+)\[\] =\s*(?:\"(?:[^\"\\]|\\.)*\"\s*)+;")


def texts():
    """Of all files in C, also of those that the build makes of SQL."""
    return {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
            for folder in (SOURCE, BUILD / "src") for path in sorted(folder.rglob("*.[ch]"))}


def arguments(text, start):
    """Of a call whose opening parenthesis is just before start."""
    depth, at, found = 0, start, [""]
    while depth >= 0:
        character = text[at]
        depth += (character in "([{") - (character in ")]}")
        if character == "," and depth == 0:
            found.append("")
        elif depth >= 0:
            found[-1] += character
        at += 1
    return [" ".join(argument.split()) for argument in found]


def calls(pattern, files):
    for name, text in files.items():
        for match in re.finditer(rf"\b({pattern})\(", text):
            yield name, match[1], arguments(text, match.end()), text


def test_what_libpq_gets_is_a_row_of_the_registry_or_a_constant():
    found = 0
    for name, function, given, text in calls(SQL_TAKERS, texts()):
        found += 1
        assert name.startswith("db/"), name
        sql = given[2] if function in ("PQsendPrepare", "PQprepare") else given[1]
        if function == "PQexec" and sql == "sql":
            continue  # of the doors, below
        is_row = sql in ("statement->sql", "item->statement->sql")
        is_constant = sql in CONSTANT.findall(text)
        assert is_row or is_constant or only_constants_for(sql, text), f"{name}: {function}({', '.join(given)})"
    assert found >= 4


def only_constants_for(parameter, text):
    """Functions of this file alone have such a parameter, and all their calls give it constants or a row of the registry."""
    given = []
    for function, written in re.findall(r"^static [\w ]*[ *](\w+)\(([^)]*)\)\n{", text, re.MULTILINE):
        parameters = [" ".join(words.split()) for words in written.split(",")]
        if f"const char *{parameter}" in parameters:
            place = parameters.index(f"const char *{parameter}")
            given += [call[place] for _, _, call, _ in calls(function, {"": text}) if call != parameters]
    return given and all(re.fullmatch(r'"[^"]*"|statement->sql', argument) or argument in CONSTANT.findall(text) for argument in given)


def test_rows_are_constants_at_the_level_of_a_file():
    """C takes constants alone to initialize them, and nobody can write to them."""
    found = 0
    for name, text in texts().items():
        for line in re.findall(r"^.*\bstruct db_statement \w+\[\].*$", text, re.MULTILINE):
            assert re.match(r"(static |extern )?const struct db_statement \w+\[\]( = \{|;)$", line), f"{name}: {line}"
            found += 1
        assert not re.search(r"(?<!const )struct db_statement \*?\w+\s*[;=]", text), name
        assert not re.search(r"\(struct db_statement( \*)?\)", text), f"{name} casts to a statement"
    assert found >= 7


def test_nothing_else_takes_sql():
    headers = {name: text for name, text in texts().items() if name.endswith(".h")}
    assert {function for text in headers.values() for function in re.findall(r"(\w+)\([^()]*const char \*sql\b", text)} == TAKES_SQL


def test_scripts_are_constants_and_migrations():
    """The files of schema/ are the one exception."""
    files = {name: text for name, text in texts().items() if not name.startswith("db/")}
    made = files["store/statements.c"]
    found = 0
    for name, function, given, text in calls("|".join(TAKES_SQL), files):
        found += 1
        sql = given[1]
        assert name.startswith("store/"), name
        is_file = name == "store/migration.c" and function in ("db_script_with_patience", "db_continue")
        is_literal = re.fullmatch(r'(?:"[^"]*"|[A-Z_\s])+', sql)
        is_member = name == "store/import.c" and sql in MEMBERS
        is_row = re.sub(r"\[\w+\]$", "", sql) in TABLE.findall(text)
        is_constant = is_row or sql in CONSTANT.findall(text + made)
        assert is_file or is_literal or is_member or is_constant, f"{name}: {function}({sql})"
    assert found >= 2


# And what PostgreSQL sees.

MARK = "xyzzy"
HOSTILE = [f"{MARK}'; DROP TABLE blog; --", f"{MARK}$1{MARK}", f"{MARK}\\'; SELECT 1; --", f"{MARK}$${MARK}$$", f"{MARK}/*",
           f"{MARK} %s {{}}"]


@pytest.fixture
def logged_statements(postgres, start_service, service):
    """A service whose role's statements PostgreSQL logs, and what it has logged of them since."""
    postgres.run("ALTER ROLE mapdiary SET log_statement = 'all'")
    watched = start_service()
    start = postgres.log.stat().st_size
    yield watched, lambda: postgres.log.read_bytes()[start:].decode()
    postgres.run("ALTER ROLE mapdiary RESET log_statement")


def entries(log):
    """(kind, text) of each entry; a line of an entry after its first starts with a tab."""
    log = log.replace("\n\t", " ")
    return [match.groups() for match in re.finditer(r"^.*? \[\d+\] (\w+):  (.*)$", log, re.MULTILINE)]


def test_input_is_never_within_a_statement(logged_statements, things, alice, db):
    service, log = logged_statements
    with db.unchanged("blog", "album", "ledger", "photo", "user_account", "comment", "vote", "vote_choice",
                      "ballot", "recommendation"):
        for value in HOSTILE:
            for operation in OPERATIONS.values():
                for name in operation.params:
                    if operation.delete or operation.func == "logout":
                        continue
                    service.call(operation.func, user=alice if operation.login else None, **operation.filled(things) | {name: value})
            service.call("addAlbum", cookie=f'id="{value}"; idrand="{value}"', **samples.ALBUM)
    found = entries(log())
    statements = [text for kind, text in found if kind in ("LOG", "STATEMENT", "ERROR", "CONTEXT")]
    assert sum(text.startswith("execute ") for text in statements) > 50
    assert [text for text in statements if MARK in text] == []
    assert any(MARK in text for kind, text in found if kind == "DETAIL"), "it goes as a parameter"
    names = {text.split(" ")[1].rstrip(":") for text in statements if text.startswith("execute ")}
    registered = set(re.findall(r'\{\s*"(\w+)",\s*"', "".join(texts().values())))
    assert names - {"<unnamed>", "begin", "commit"} - registered == set()
