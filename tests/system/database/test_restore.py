"""A dump is restored by the commands of doc/administer.md."""

import re
import shlex
import subprocess

import pytest

from service import ENVIRONMENT, TOP, Service

DUMP = "/var/lib/postgresql/mapdiary.dump"


def command(program):
    """That of the document, as a list of words."""
    text = (TOP / "doc/administer.md").read_text(encoding="utf-8")
    (line,) = re.findall(rf"^    sudo -u postgres ({program} .*)$", text, re.MULTILINE)
    return shlex.split(line)


@pytest.fixture
def run(postgres, tmp_path):
    """Runs a command of the document on another database than mapdiary."""
    def run(program, database, *options):
        name, *words = [*command(program), *options]
        words = [re.sub("^(--dbname=)?mapdiary$", rf"\g<1>{database}", word).replace(DUMP, str(tmp_path / "dump")) for word in words]
        return subprocess.run([postgres.programs / name, *words], capture_output=True, text=True, timeout=60, check=False,
                              env=ENVIRONMENT | {"PGHOST": str(postgres.folder), "PGUSER": "postgres",
                                                 "PGOPTIONS": "-c client_min_messages=warning"})
    return run


def test_a_dump_is_restored(folder, postgres, run):
    postgres.create_database("restored")
    site = Service(folder, postgres, database="restored")
    place = "--owner", "a@example.org", "--category", 1, "--lat", "25.03", "--lng", "121.56"
    for words, text in ((("migrate",), None), (("user", "add", "--email", "a@example.org", "--name", "A"), "correct horse\n"),
                        (("poi", "add", "--name", "before", *place), None)):
        ran = site.ctl(*words, text=text)
        assert ran.returncode == 0, ran.stderr
    exported = site.ctl("export", "pois").stdout
    assert "before" in exported
    assert run("pg_dump", "restored").returncode == 0
    assert site.ctl("poi", "add", "--name", "after", *place).returncode == 0
    for program in "psql", "pg_restore":
        ran = run(program, "restored")
        assert (ran.returncode, ran.stderr) == (0, "")
    assert site.ctl("export", "pois").stdout == exported
    assert "pending" not in site.ctl("migrate", "--status").stdout
    assert site.ctl("poi", "add", "--name", "after", *place).returncode == 0


@pytest.mark.slow
def test_a_dump_without_its_owner_is_named(folder, postgres, run):
    """Nobody can use it, and the advice mends it."""
    postgres.create_database("strange")
    site = Service(folder, postgres, database="strange")
    assert site.ctl("migrate").returncode == 0
    assert run("pg_dump", "strange").returncode == run("psql", "strange").returncode == 0
    assert run("pg_restore", "strange", "--no-owner", "--no-acl").returncode == 0
    assert "schema\tFAILED\tit belongs to the role postgres" in site.doctor().stdout
    lines = site.conf.read_text(encoding="utf-8")
    for text in lines, re.sub("^database = ", "database = port=1 ", lines, flags=re.MULTILINE):    # as which only its own user connects
        site.conf.write_text(text, encoding="utf-8")
        refused = site.ctl("migrate")
        assert refused.returncode != 0 and "restore the dump once more, without --no-owner" in refused.stderr
    site.conf.write_text(lines, encoding="utf-8")
    assert run("psql", "strange").returncode == run("pg_restore", "strange").returncode == 0
    assert "\nschema\tok\t" in site.doctor().stdout
    assert site.ctl("migrate").returncode == 0
