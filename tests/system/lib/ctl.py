"""mapdiaryctl, run with the configuration of a service."""

import json
import re

DONE, FAILED, USAGE, DATA, ABSENT, AWAY, EXISTS, REFUSED, UNCONFIRMED, CONFIGURATION = 0, 1, 64, 65, 66, 69, 73, 76, 77, 78
PROGRESS = re.compile(r"^(\w+: \w+: \d+ rows, \d+ a second.*|\d+ files were read, \d+ faults found)\n", re.MULTILINE)


def done(service, *arguments, text=None):
    """Runs a command that succeeds without a word on standard error but how far it is, after a second; returns its output."""
    ran = service.ctl(*arguments, text=text)
    assert (ran.returncode, PROGRESS.sub("", ran.stderr)) == (DONE, ""), ran
    return ran.stdout


def shown(service, *arguments):
    """What a command shows as JSON."""
    return json.loads(done(service, *arguments, "--json"))


def refused(service, status, *arguments, text=None):
    """Runs a command that fails with this status and prints nothing else; returns its standard error."""
    ran = service.ctl(*arguments, text=text)
    assert (ran.returncode, ran.stdout) == (status, ""), ran
    assert ran.stderr.startswith("mapdiaryctl: ")
    return ran.stderr


def table(text):
    """The lines of a table, as lists of cells."""
    return [line.split("\t") for line in text.splitlines()]
