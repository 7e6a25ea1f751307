"""A service of its own for a measurement: PostgreSQL, mapdiaryd and nginx in a temporary folder, stopped when it ends."""

import contextlib
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "system/lib"))

from service import Folder, Postgres, Service  # noqa: E402

PASSWORD = "correct horse"


@contextlib.contextmanager
def private_service(**settings):
    """With the cost of a password as it is shipped, and without throttling, so that there is something to measure."""
    folder = Folder()
    postgres = Postgres(folder)
    postgres.create_database("mapdiary")
    service = Service(folder, postgres, password_memory=64, password_operations=2, log_level="error", **settings)
    try:
        run(service, "migrate")
        yield service.start()
        service.stop()
    finally:
        folder.remove()


def run(service, *arguments, text=None):
    ran = service.ctl(*arguments, text=text)
    if ran.returncode != 0:
        sys.exit(ran.stderr)
    return ran.stdout


def add_user(service, email):
    """Returns the identifier of a new user, whose password is PASSWORD."""
    return int(run(service, "user", "add", "--email", email, "--name", "A user", text=PASSWORD + "\n"))


def quantile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(share * len(values)))]
