"""The processes of the service, as /proc has them."""

import contextlib
import pathlib
import re
import subprocess

from web_server import AS_ROOT

WAITER, DECODER, INDEXER, PICTURE = "mapd-waiter", "mapdiary-decode", "mapd-indexer", "mapd-picture"  # the second cut off by the kernel

OTHERS = WAITER, DECODER, INDEXER  # than the workers


def children(pid):
    text = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii")
    return [int(word) for word in text.split()]


def _is(name, pid):
    with contextlib.suppress(OSError):
        return pathlib.Path(f"/proc/{pid}/comm").read_text(encoding="ascii").strip() == name
    return False


def has_all_processes(master, count):
    """So many workers, the waiter, the indexer and the decoder, which have their names a moment after their start and look like workers
    until then."""
    there = children(master)
    return len(there) > count + 2 and all(any(_is(name, pid) for pid in there) for name in OTHERS)


def workers(master):
    return [pid for pid in children(master) if not any(_is(name, pid) for name in OTHERS)]


def _only(name, master):
    (pid,) = (pid for pid in children(master) if _is(name, pid))
    return pid


def waiter(master):
    return _only(WAITER, master)


def indexer(master):
    return _only(INDEXER, master)


def decoder(master):
    return _only(DECODER, master)


def pictures(the_decoder):
    """The processes of those that are decoded, once each is in its own."""
    return [pid for pid in children(the_decoder) if _is(PICTURE, pid)]


def _as_root(*command):
    """What it says. Who cannot be dumped, as the decoder, shows its descriptors to root alone."""
    return subprocess.run([*([] if AS_ROOT else ["sudo", "-n"]), *command], capture_output=True, text=True, encoding="utf-8").stdout


def descriptors(pid):
    """{number: what it is}"""
    listed = _as_root("find", f"/proc/{pid}/fd", "-mindepth", "1", "-printf", r"%f\t%l\n")
    return {int(number): link for number, link in (line.split("\t") for line in listed.splitlines())}


def flags_of(pid, number):
    """As it was opened: open(2)."""
    return int(re.search(r"^flags:\s+(\d+)", _as_root("cat", f"/proc/{pid}/fdinfo/{number}"), re.M)[1], 8)


def sockets(pid):
    """What /proc calls those that the process holds."""
    return {name for name in descriptors(pid).values() if name.startswith("socket:")}


def state(pid):
    """The letter that proc(5) gives."""
    return _status_field(pid, "State", r"\w")


def is_traced(pid):
    return _status_field(pid, "TracerPid") != "0"


def anonymous_memory(pid):
    """KiB that are resident and not of a file."""
    return int(_status_field(pid, "RssAnon"))


def peak_memory(pid):
    """The most KiB that were ever resident."""
    return int(_status_field(pid, "VmHWM"))


def _status_field(pid, name, kind=r"\d+"):
    text = pathlib.Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    return re.search(rf"^{name}:\s+({kind})", text, re.MULTILINE)[1]
