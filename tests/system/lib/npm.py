"""Programs from npm, pinned by a package-lock.json."""

import fcntl
import os
import shutil
import subprocess

from service import BUILD


def install(source):
    """The files of a folder, and node_modules beside them, in the build folder, once for a lock file; returns where.
    Nothing is cached outside, and no package runs a script."""
    folder = BUILD / source.name
    with open(BUILD / f"{source.name}.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        fill(source, folder)
    return folder


def fill(source, folder):
    wanted, done = (source / "package-lock.json").read_bytes(), folder / "installed-lock.json"
    folder.mkdir(exist_ok=True)
    for path in source.iterdir():
        if path.is_file():
            shutil.copy(path, folder)
    if done.exists() and done.read_bytes() == wanted:
        return
    subprocess.run(
        ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--cache", "npm-cache", "--loglevel", "error"],
        cwd=folder,
        check=True,
        timeout=900,
    )
    shutil.rmtree(folder / "npm-cache")
    done.write_bytes(wanted)


def run(folder, *command, text=None, timeout=250):
    """Its exit status, standard output and standard error."""
    return subprocess.run(
        [str(word) for word in command],
        cwd=folder,
        input=text,
        capture_output=True,
        text=True,
        timeout=timeout,
        env=os.environ | {"CI": "1", "NO_COLOR": "1"},
    )
