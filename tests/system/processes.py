"""The processes of the service, as /proc has them."""

import contextlib
import os
import pathlib
import re

WAITER = "mapd-waiter"


def children(pid):
    text = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii")
    return [int(word) for word in text.split()]


def _is_waiter(pid):
    with contextlib.suppress(OSError):
        return pathlib.Path(f"/proc/{pid}/comm").read_text(encoding="ascii").strip() == WAITER
    return False


def has_all_processes(master, count):
    """So many workers, and the waiter, which has its name a moment after its start and looks like a worker until then."""
    there = children(master)
    return len(there) > count and any(map(_is_waiter, there))


def workers(master):
    return [pid for pid in children(master) if not _is_waiter(pid)]


def waiter(master):
    (pid,) = filter(_is_waiter, children(master))
    return pid


def sockets(pid):
    """What /proc calls those that the process holds."""
    links = (os.readlink(link) for link in pathlib.Path(f"/proc/{pid}/fd").iterdir())
    return {name for name in links if name.startswith("socket:")}


def state(pid):
    """The letter that proc(5) gives."""
    return _status_field(pid, "State", r"\w")


def anonymous_memory(pid):
    """KiB that are resident and not of a file."""
    return int(_status_field(pid, "RssAnon"))


def peak_memory(pid):
    """The most KiB that were ever resident."""
    return int(_status_field(pid, "VmHWM"))


def _status_field(pid, name, kind=r"\d+"):
    text = pathlib.Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    return re.search(rf"^{name}:\s+({kind})", text, re.MULTILINE)[1]
