"""An installation as the package makes it, but for systemd: a user for the service, peer authentication, root as its
administrator. For tests that root runs."""

import contextlib
import os
import pwd
import re
import shutil
import signal
import subprocess

from ctl import table
from service import BUILD, ENVIRONMENT, TOP, Postgres, Process, can_connect, free_port
from web_server import Nginx

SERVICE = "nobody"  # as whom the service runs here
HBA = "local all postgres trust\nlocal all mapdiary peer map=ours\nlocal all all peer\n"


class Installation:
    def __init__(self, folder):
        # It knows the role mapdiary by the service's user, and is where libpq looks for it.
        self.postgres = Postgres(folder, roles=())
        (self.postgres.folder / "data/pg_hba.conf").write_text(HBA)
        (self.postgres.folder / "data/pg_ident.conf").write_text(f"ours {SERVICE} mapdiary\n")
        self.postgres.folder.chmod(0o711)
        self.postgres.run("SELECT pg_reload_conf()")
        self.folder = folder.make("installed")
        self.folder.chmod(0o755)
        self.schema, self.spool, run = (self.folder / name for name in ("schema", "spool", "run"))
        shutil.copytree(TOP / "schema", self.schema)
        shutil.copytree(TOP / "conf/mail", self.folder / "mail")
        for path in self.spool, run:
            path.mkdir()
            shutil.chown(path, SERVICE)
        for program in "mapdiaryd", "mapdiary-decoder", "mapdiaryctl":
            shutil.copy(BUILD / program, self.folder)
        self.conf, self.log, self.socket, self.key = (
            self.folder / "mapdiary.conf", self.folder / "mapdiaryd.log", run / "d.sock", self.spool / "master.key")
        self.settings = {
            "mail_directory": self.folder / "mail",
            "listen": f"unix:{self.socket}", "schema_directory": self.schema, "spool_directory": self.spool,
            "photo_directory": self.spool / "photos",
            "master_key_file": self.key, "workers": 2, "password_memory": 1, "password_operations": 1}
        self.configure()
        self.daemon = self.web = None

    def configure(self, **settings):
        text = "".join(f"{key} = {value}\n" for key, value in (self.settings | settings).items())
        self.conf.write_text(text, encoding="utf-8")

    def as_user(self, name):
        user = pwd.getpwnam(name)
        return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": [],
                "env": ENVIRONMENT | {"PGHOST": str(self.postgres.folder)}}

    def run(self, program, *arguments, text=None, user="root"):
        return subprocess.run(
            [self.folder / program, "-c", self.conf, *map(str, arguments)], input=text,
            stdin=subprocess.DEVNULL if text is None else None, capture_output=True, text=True, timeout=180, **self.as_user(user))

    def ctl(self, *arguments, text=None, user="root"):
        return self.run("mapdiaryctl", *arguments, text=text, user=user)

    # The service, and nginx before it

    def start(self):
        """True where it serves."""
        self.daemon = Process([self.folder / "mapdiaryd", "-c", self.conf], self.log, **self.as_user(SERVICE))
        return self.daemon.wait_ready(lambda: can_connect(self.socket), "mapdiaryd starts")

    def start_web(self):
        nginx = Nginx(self.folder, self.socket, photos=self.settings["photo_directory"])
        while not (self.web and self.web.is_running()):
            self.port = free_port()
            self.settings["public_url"] = f"http://127.0.0.1:{self.port}"
            self.configure()
            self.web = Process(nginx.command(self.port), nginx.log)
            self.web.wait_ready(lambda: can_connect(("127.0.0.1", self.port)), "nginx starts")

    def restart(self):
        self.stop()
        with contextlib.suppress(FileNotFoundError):
            self.socket.unlink()
        assert self.start(), self.log.read_text()

    def stop(self):
        if self.daemon:
            self.daemon.stop(signal.SIGTERM)
        self.daemon = None

    def stop_all(self):
        self.stop()
        if self.web:
            self.web.stop()
        self.postgres.stop()

    # The doctor, and who does what it says

    def doctor(self, *arguments, user="root"):
        """The findings that are not good, as {check: (finding, advice)}, and all that was said."""
        ran = self.ctl("doctor", "--url", f"http://127.0.0.1:{self.port}/API.php", *arguments, user=user)
        findings = {line[0]: line[1:] for line in table(ran.stdout)[1:]}
        bad = {check: (finding, advice) for check, (state, finding, advice) in findings.items() if state != "ok"}
        assert (ran.returncode != 0) == bool(bad), ran
        return bad, ran.stdout + ran.stderr

    def follow(self, advice):
        """Does what an advice says, to the letter, as far as it is commands and settings."""
        setting = re.match(r"let '(\w+)' in (\S+) (?:be|say) (?:one that PostgreSQL knows, such as )?([^,]+?)"
                           r"(?:, as setup makes them|, or [^,]*)?, then: ", advice)
        if setting:
            key, path, value = setting.groups()
            assert path == str(self.conf)
            kept = [line for line in self.conf.read_text().splitlines(True) if not re.match(rf"{key} *=", line)]
            self.conf.write_text("".join(kept) + f"{key} = {value}\n")
            advice = advice[setting.end():]
        for command in advice.partition(";")[0].split(" && "):
            self.do(command.split())

    def do(self, words):
        match words:
            case ["sudo", "mapdiaryctl", *arguments]:
                ran = self.ctl(*arguments)
                assert ran.returncode == 0, ran
            case ["sudo", "systemctl", "restart", "postgresql"] | ["sudo", "pg_createcluster", *_]:
                self.postgres.start()
            case ["sudo", "systemctl", "restart", "mapdiary"] | \
                 ["sudo", "systemctl", "restart", "mapdiary.socket", "mapdiary.service"]:
                self.restart()
            case ["sudo", "chown" | "chmod" | "chgrp" | "mkdir", *_, path] if path.startswith(f"{self.folder}/"):
                subprocess.run([*words[1:]], check=True)
            case ["mend", "what", "is", "named", "above"]:
                pass
            case _:
                raise AssertionError(f"nobody can follow this: {words}")


def owner_and_mode(path):
    found = os.stat(path)
    return pwd.getpwuid(found.st_uid).pw_name, found.st_mode & 0o7777
