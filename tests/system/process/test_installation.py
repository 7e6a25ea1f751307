"""make install: the service and the commands can read each file and folder, whatever the umask is."""

import os
import stat
import subprocess

from service import BUILD, ENVIRONMENT


def test_modes_under_a_closed_umask(tmp_path):
    to = tmp_path / "root"
    subprocess.run(["make", "-s", "-C", BUILD, "install", f"DESTDIR={to}"], check=True, stdout=subprocess.DEVNULL, env=ENVIRONMENT,
                   preexec_fn=lambda: os.umask(0o077))
    modes = {path.relative_to(to): stat.S_IMODE(path.lstat().st_mode) for path in to.rglob("*") if not path.is_symlink()}
    assert len(modes) > 100
    closed = {str(path): oct(mode) for path, mode in modes.items() if mode not in ((0o755,) if (to / path).is_dir() else (0o644, 0o755))}
    assert closed == {}
