"""mapdiaryctl run by root, who becomes the service's user, and by others, who cannot: with peer authentication."""

import os

import pytest

from ctl import AWAY, CONFIGURATION, DATA, DONE, FAILED, done, shown
from installation import SERVICE, Installation, owner_and_mode
from service import AS_ROOT

pytestmark = pytest.mark.skipif(not AS_ROOT, reason="only root becomes another user")

STRANGER = "www-data"
LATER = "0999-later.sql"


@pytest.fixture(scope="module")
def installed(folder):
    """An installation, set up by root."""
    installed = Installation(folder)
    done(installed, "setup")
    done(installed, "user", "add", "--email", "a@example.org", "--name", "A", text="password\n")
    yield installed
    installed.stop_all()


@pytest.fixture
def private(tmp_path):
    """A folder that root alone enters."""
    tmp_path.chmod(0o700)
    return tmp_path


def test_root_is_known_as_the_service(installed):
    assert [user["email"] for user in shown(installed, "user", "list")] == ["a@example.org"]


def test_what_root_has_written_is_roots(installed, private):
    done(installed, "export", "user", 1, "--output", private / "a.zip")
    assert owner_and_mode(private / "a.zip") == ("root", 0o600)
    assert os.listdir(private) == ["a.zip"]


def test_what_root_names_is_read_by_root(installed, private):
    rows = private / "places.csv"
    rows.write_text("name,category,lat,lng\ngood,1,2,3\nbad,9,2,3\n")
    rows.chmod(0o600)
    for names in ["places.csv", "places.csv.rejects.csv"], ["places.csv", "places.csv.rejects.csv", "places.csv.rejects.csv~"]:
        ran = installed.ctl("import", "pois", rows, "--source", "s", "--owner", "a@example.org")
        assert ran.returncode == DATA, ran
        assert sorted(os.listdir(private)) == names
        assert owner_and_mode(private / "places.csv.rejects.csv") == ("root", 0o600)


def test_key_is_the_services(installed):
    done(installed, "key", "init")
    assert owner_and_mode(installed.spool / "master.key") == (SERVICE, 0o600)
    assert "secret=" in done(installed, "key", "add", "an application")


def test_root_migrates(installed):
    later = installed.schema / LATER
    later.write_text("CREATE TABLE of_later ()")
    assert [row["name"] for row in shown(installed, "migrate")] == [later.stem]
    assert {row["state"] for row in shown(installed, "migrate", "--status")} == {"applied"}
    later.unlink()


def test_root_checks_the_configuration(installed):
    checked = installed.run("mapdiaryd", "-t")
    assert checked.returncode == DONE, checked.stderr


@pytest.mark.parametrize("command, status, role", [
    (["user", "list"], AWAY, "mapdiary"), (["migrate"], AWAY, "mapdiary_owner"), (["migrate", "--status"], AWAY, "mapdiary_owner"),
])
def test_others_are_told_what_to_do(installed, command, status, role):
    ran = installed.ctl(*command, user=STRANGER)
    assert ran.returncode == status and "Peer authentication failed" in ran.stderr
    assert ran.stderr.count(f"PostgreSQL knows the role {role} by the user of that name, and this is {STRANGER}; root becomes"
                            " that user: sudo mapdiaryctl") == 1


def test_others_are_told_who_sets_up(installed):
    ran = installed.ctl("setup", user=STRANGER)
    assert ran.returncode == FAILED and "this takes the superuser of PostgreSQL: sudo mapdiaryctl setup" in ran.stderr


def test_others_are_told_who_may_read(installed):
    installed.conf.chmod(0o600)
    try:
        ran = installed.ctl("user", "list", user=STRANGER)
    finally:
        installed.conf.chmod(0o644)
    assert ran.returncode == CONFIGURATION
    assert f"{installed.conf}: Permission denied" in ran.stderr and f"{STRANGER} may not read it; root may: sudo mapdiaryctl" in ran.stderr
