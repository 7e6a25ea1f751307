"""mapdiaryctl as a whole: its help, its own options, what every command has in common."""

import re
import subprocess

import pytest

from ctl import ABSENT, AWAY, CONFIGURATION, DATA, DONE, EXISTS, FAILED, REFUSED, UNCONFIRMED, USAGE, done, refused
from service import BUILD, ENVIRONMENT, TOP

CTL = BUILD / "mapdiaryctl"


def run(*arguments):
    return subprocess.run([CTL, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, env=ENVIRONMENT,
                          timeout=60)


def help_of(*arguments):
    ran = run(*arguments)
    assert (ran.returncode, ran.stderr) == (0, ""), ran
    return ran.stdout


def groups():
    return re.findall(r"^  ([a-z]+) +\S", help_of(), re.MULTILINE)


def commands():
    for group in groups():
        names = re.findall(rf"^  {group} (\w+) +\S", help_of(group, "--help"), re.MULTILINE)
        yield from ([group, name] for name in names)
        if not names:
            yield [group]


COMMANDS = list(commands())


def options(command):
    return re.findall(r"--([a-z-]+)", help_of(*command, "--help").splitlines()[0])


def test_alone_it_prints_the_groups():
    assert help_of() == help_of("--help") == help_of("-h") == help_of("help")
    assert {"setup", "migrate", "doctor", "user", "session"} <= set(groups())


def test_version():
    assert re.fullmatch(r"mapdiaryctl \d+\.\d+\.\d+\n", help_of("--version"))


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_help_explains_every_word_of_the_usage(command):
    text = help_of(*command, "--help")
    usage, _, rest = text.partition("\n\n")
    assert usage.startswith("usage: mapdiaryctl " + " ".join(command))
    # Operands, and options without what stands for their value.
    for word in re.findall(r"--[a-z-]+|[A-Z]+", re.sub(r"(--[a-z-]+) [^] ]+", r"\1", usage)):
        assert re.search(rf"^  {word}\b.* \S", rest, re.MULTILINE), word


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_unknown_option(service, command):
    assert "--nonsense: no such option" in refused(service, USAGE, *command, "--nonsense")


@pytest.mark.parametrize("command", [
    command for command in COMMANDS if "yes" in options(command) and command != ["photo", "sweep"]  # says what it would do
], ids=" ".join)
def test_what_destroys_wants_a_yes(service, command):
    *words, yes = example(command, None)
    assert yes == "--yes" and "say --yes" in refused(service, UNCONFIRMED, *words)


@pytest.mark.parametrize("words", [["nonsense"], ["user", "nonsense"]], ids=" ".join)
def test_unknown_command(service, words):
    assert "nonsense: no such" in refused(service, USAGE, *words)


def test_a_word_too_many(service):
    assert "two: one word too many" in refused(service, USAGE, "user", "show", "1", "two")


def test_an_option_twice(service):
    assert "--limit: stands twice" in refused(service, USAGE, "user", "list", "--limit=1", "--limit=2")


def test_an_option_without_its_value(service):
    assert "--limit: takes a value" in refused(service, USAGE, "user", "list", "--limit")


def test_own_option_unknown():
    ran = run("-x", "user", "list")
    assert ran.returncode == USAGE and ran.stderr
    ran = run("--json", "user", "list")
    assert ran.returncode == USAGE and "stand behind the command: mapdiaryctl user list --json" in ran.stderr


def test_no_configuration(tmp_path):
    ran = run("-c", tmp_path / "none.conf", "user", "list")
    assert ran.returncode == CONFIGURATION
    assert ran.stderr == f"mapdiaryctl: {tmp_path}/none.conf: No such file or directory\n"


def test_a_name_that_is_no_text():
    """Whatever a file is called."""
    for options in [], ["--json"]:
        ran = run("-c", b"/nowhere/\xff.conf", "doctor", *options)
        assert ran.returncode == CONFIGURATION and r"/nowhere/\ufffd.conf" in ran.stdout


# What stands for the words of a usage that a command cannot do without.
WORDS = {"SUBJECT": "album:1", "KIND": "album", "ADDRESS": "https://example.org/x", "EMAIL": "x@example.org",
         "KEY": "0" * 32, "DATE": "2030-01-01"}
OPTIONAL = {"vote create": ["--choice", "2"], "session revoke": ["--user", "1"],
            "album update": ["--title", "x"], "poi update": ["--name", "x"],
            "blog update": ["--title", "x"], "comment update": ["--text", "x"], "user update": ["--name", "x"],
            "photo update": ["--address", "https://x"]}


def example(command, file):
    """A whole command line, as its usage has it."""
    usage = help_of(*command, "--help").splitlines()[0].partition(" ".join(command))[2]
    words = re.sub(r"\[[^]]*\]", "", usage).replace("...", "").split()
    values = {"FILE": str(file)} | WORDS
    return [*command, *(values.get(word, "1") if word.isupper() else word for word in words), *OPTIONAL.get(" ".join(command), []),
            *(["--yes"] if "yes" in options(command) else [])]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_no_database(service, tmp_path, command):
    conf, file = tmp_path / "mapdiary.conf", tmp_path / "x.csv"
    away = f"host={tmp_path} dbname=mapdiary user="
    conf.write_text(f"database = {away}mapdiary\nadmin_database = {away}mapdiary_owner\nmaster_key_file = {tmp_path}/key\n"
                    f"password_memory = 1\nschema_directory = {TOP}/schema\nphoto_directory = {tmp_path}/photos\n"
                    f"mail_directory = {TOP}/conf/mail\n")
    file.write_text("id\n")
    (tmp_path / "photos/originals/00").mkdir(parents=True)
    (tmp_path / "photos/originals/00" / ("0" * 64)).touch()
    if command == ["key", "add"]:
        assert run("-c", conf, "key", "init").returncode == DONE
    further = ["--superuser", f"host={tmp_path} user=postgres"] if command == ["setup"] else []
    ran = subprocess.run([CTL, "-c", conf, *example(command, file), *further], input="password\n", capture_output=True,
                         text=True, env=ENVIRONMENT, timeout=60)
    status = {"doctor": FAILED, "completion": DONE, "key init": DONE}.get(" ".join(command), AWAY)
    assert ran.returncode == status, ran
    assert status == DONE or "mapdiaryctl: database: " in ran.stderr or "database\tFAILED\t" in ran.stdout


def test_every_exit_status(service, tmp_path, alice, blog):
    """One way to each that the help lists."""
    file = tmp_path / "p.csv"
    file.write_text("name,category,lat,lng\nx,6,0,0\n")
    vote = ["vote", "cast", blog, "--user", alice.id, "--choice", 1]
    done(service, "vote", "create", blog, "--description", "x", "--choice", "x", "--choice", "y")
    done(service, "vote", "close", blog)
    absent = tmp_path / "absent.conf"
    ways = {
        DONE: ["user", "show", alice.id],
        FAILED: ["export", "pois", "--output", tmp_path / "no/folder"],
        USAGE: ["user", "show"],
        DATA: ["import", "pois", file, "--owner", alice.id],
        ABSENT: ["user", "show", 999_999_999],
        AWAY: ["setup", "--superuser", f"host={tmp_path}"],
        EXISTS: ["user", "add", "--email", alice.email, "--name", "x"],
        REFUSED: vote,
        UNCONFIRMED: ["user", "delete", alice.id],
        CONFIGURATION: ["-c", absent, "user", "list"],
    }
    got = {status: service.ctl(*words, text="password\n").returncode for status, words in ways.items()}
    assert got == {status: status for status in ways}
    assert sorted(ways) == [int(status) for status in re.findall(r"^  (\d+) +\S", help_of(), re.MULTILINE)]


def test_an_output_that_is_full(service):
    with open("/dev/full", "w") as full:
        ran = subprocess.run([CTL, "-c", service.conf, "user", "list", "--json"], stdin=subprocess.DEVNULL, stdout=full,
                             stderr=subprocess.PIPE, text=True, env=ENVIRONMENT, timeout=60)
    assert ran.returncode == 1 and "No space left on device" in ran.stderr


# The manual page is made of what --help prints, when the program is built.


def manual():
    return (BUILD / "man/mapdiaryctl.8").read_text(encoding="utf-8")


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_manual_has_every_option(command):
    items = re.split(r"^\.It Ic ", manual(), flags=re.MULTILINE)
    item, = [item for item in items if re.match(" ".join(command) + r"( |$)", item, re.MULTILINE)]
    for name in set(options(command)) - {"help", "json", "yes"}:
        assert re.search(rf"^\.It Fl -{name}\b", item, re.MULTILINE), name


def test_manual_has_every_exit_status():
    listed = re.findall(r"^  (\d+) +\S", help_of(), re.MULTILINE)
    assert listed == ["0", "1", "64", "65", "66", "69", "73", "76", "77", "78"]
    section = manual().partition(".Sh EXIT STATUS")[2].partition("\n.Sh")[0]
    assert re.findall(r"^\.It (\d+)", section, re.MULTILINE) == listed
