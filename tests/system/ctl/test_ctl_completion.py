"""The completion of bash, as bash runs it, beside what --help says."""

import subprocess

import pytest

from ctl import USAGE
from service import BUILD, ENVIRONMENT
from test_ctl_tool import COMMANDS, groups, help_of, options


def complete(*words):
    """What bash offers for the last of the words."""
    script = """
        source <("$1" completion) || exit 1
        shift
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        _mapdiaryctl
        printf '%s\\n' "${COMPREPLY[@]}"
    """
    ran = subprocess.run(["bash", "-c", script, "bash", BUILD / "mapdiaryctl", BUILD / "mapdiaryctl", *words],
                         capture_output=True, text=True, env=ENVIRONMENT, cwd=BUILD, timeout=60)
    assert (ran.returncode, ran.stderr) == (0, "")
    return ran.stdout.split()


def test_groups():
    assert complete("") == groups()
    assert complete("us") == ["user"]
    assert complete("-c", "some.conf", "us") == ["user"]


@pytest.mark.parametrize("group", groups())
def test_commands(group):
    names = [command[1] for command in COMMANDS if command[0] == group and len(command) > 1]
    if names:
        assert complete(group, "") == names


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_options(command):
    assert complete(*command, "--") == [f"--{name}" for name in options(command)]


def test_words_of_an_option():
    assert complete("import", "pois", "--format", "") == ["csv", "geojson", "jsonl"]
    assert complete("import", "pois", "--format", "g") == ["geojson"]
    assert "Makefile" in complete("import", "pois", "--mapping", "Make")


def test_subjects():
    assert complete("photo", "add", "al") == ["album:"]
    assert complete("photo", "list", "al") == ["album"]


def test_unknown_words_complete_nothing():
    for words in ["nonsense"], ["user", "nonsense"], ["user", "show", "--nonsense"]:
        ran = subprocess.run([BUILD / "mapdiaryctl", "completion", "--words", "--", *words], capture_output=True, text=True,
                             env=ENVIRONMENT, timeout=60)
        assert ran.returncode == 0
        assert ran.stdout == "" or words[1:2] == ["show"]
    assert subprocess.run([BUILD / "mapdiaryctl", "completion", "--nonsense"], capture_output=True, timeout=60).returncode == USAGE


def test_what_is_installed():
    """Under the name of the command, made by the build."""
    script = subprocess.run([BUILD / "mapdiaryctl", "completion"], capture_output=True, check=True, timeout=60).stdout
    assert (BUILD / "completions/mapdiaryctl").read_bytes() == script


def test_script_is_the_help_of_the_command():
    assert "source <(mapdiaryctl completion)" in help_of("completion", "--help")
