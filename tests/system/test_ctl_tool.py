"""mapdiaryctl as a whole: its help, its own options, what every command has in common."""

import re
import subprocess

import pytest

from ctl import AWAY, CONFIGURATION, UNCONFIRMED, USAGE, refused
from service import BUILD, ENVIRONMENT

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


@pytest.mark.parametrize("command", [command for command in COMMANDS if "yes" in options(command)], ids=" ".join)
def test_what_destroys_wants_a_yes(service, command):
    operands = help_of(*command, "--help").splitlines()[0].partition(" [--")[0].split()[2 + len(command):]
    examples = {"SUBJECT": "album:1", "USER": "1", "NAME": "x"}
    words = [examples.get(operand.rstrip("."), "1") for operand in operands if not operand.startswith("--")]
    assert "say --yes" in refused(service, UNCONFIRMED, *command, *words)


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


def test_no_configuration(tmp_path):
    ran = run("-c", tmp_path / "none.conf", "user", "list")
    assert ran.returncode == CONFIGURATION
    assert ran.stderr == f"mapdiaryctl: {tmp_path}/none.conf: No such file or directory\n"


def test_no_database(service, tmp_path):
    conf = tmp_path / "mapdiary.conf"
    conf.write_text(f"database = host={tmp_path} user=mapdiary dbname=mapdiary\n")
    ran = run("-c", conf, "user", "list")
    assert ran.returncode == AWAY and "database" in ran.stderr


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
    assert listed == ["0", "1", "64", "65", "66", "69", "73", "77", "78"]
    section = manual().partition(".Sh EXIT STATUS")[2].partition("\n.Sh")[0]
    assert re.findall(r"^\.It (\d+)", section, re.MULTILINE) == listed
