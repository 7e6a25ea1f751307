"""mapdiaryctl setup and migrate."""

import contextlib
import os
import pty
import re
import shutil
import subprocess

import pytest

from ctl import AWAY, DONE, FAILED, USAGE, done, shown, table
from service import AS_ROOT, BUILD, ENVIRONMENT, TOP, Postgres, Service, in_background, until

FILES = [path.stem for path in sorted((TOP / "schema").glob("[0-9]*.sql"))]


@pytest.fixture(scope="module")
def bare(folder):
    """A cluster that has nothing of ours."""
    postgres = Postgres(folder, roles=())
    yield postgres
    postgres.stop()


@pytest.fixture(scope="module")
def readable_schema(folder):
    """The migrations where the user postgres, as whom root goes on, can read them."""
    place = folder.make("schema")
    place.chmod(0o755)
    shutil.copytree(TOP / "schema", place, dirs_exist_ok=True)
    return place


@pytest.fixture
def superuser(bare):
    return ["--superuser", f"host={bare.folder} user=postgres dbname=postgres"]


def test_setup_twice(folder, bare, superuser, readable_schema):
    service = Service(folder, bare, schema_directory=readable_schema)
    new = shown(service, "setup", *superuser)
    assert [(row["name"], row["state"]) for row in new] == [
        ("role mapdiary_owner", "created"), ("role mapdiary", "created"), ("role mapdiary_visitor", "created"),
        ("role mapdiary_mail", "created"),
        ("database mapdiary", "created"),
        *((name, "now applied") for name in FILES)]
    again = shown(service, "setup", *superuser)
    assert [(row["name"], row["state"]) for row in again] == [
        *((f"role {role}", "there already") for role in ("mapdiary_owner", "mapdiary", "mapdiary_visitor", "mapdiary_mail")),
        ("database mapdiary", "there already")]
    # The tables are the owner's, and the service may write to them.
    done(service, "user", "add", "--email", "a@example.org", "--name", "a", text="pw\n")
    connection = bare.connect("postgres", "mapdiary")
    with connection, connection.cursor() as cursor:
        cursor.execute("SELECT DISTINCT tableowner FROM pg_tables WHERE schemaname = 'mapdiary'")
        assert cursor.fetchall() == [("mapdiary_owner",)]
    connection.close()
    assert {row["state"] for row in shown(service, "migrate", "--status")} == {"applied"}


def privileges(postgres):
    with contextlib.closing(postgres.connect("postgres", "mapdiary")) as connection, connection.cursor() as cursor:
        cursor.execute("""
            SELECT oid::regclass::text, relacl FROM pg_class WHERE relnamespace::regnamespace::text LIKE 'mapdiary%' UNION ALL
            SELECT attrelid::regclass || attname, attacl FROM pg_attribute WHERE attrelid > 16383 AND attacl IS NOT NULL UNION ALL
            SELECT nspname, nspacl FROM pg_namespace WHERE nspname LIKE 'mapdiary%' UNION ALL
            SELECT defaclobjtype::text, defaclacl FROM pg_default_acl""")
        return {name: set(rights[1:-1].split(",")) if rights else None for name, rights in cursor.fetchall()}


def test_setup_gives_what_the_migrations_give(folder, superuser, bare, readable_schema):
    """To a role that is new to a schema that is there already, as after a restore."""
    service = Service(folder, bare, schema_directory=readable_schema)
    done(service, "setup", *superuser)
    bare.run("DROP DATABASE mapdiary")
    bare.create_database("mapdiary")
    done(service, "migrate")
    given = privileges(bare)
    with contextlib.closing(bare.connect("postgres", "mapdiary")) as connection:
        connection.cursor().execute("DROP OWNED BY mapdiary, mapdiary_visitor, mapdiary_mail")
    assert privileges(bare) != given
    for _ in range(2):
        done(service, "setup", *superuser)
        assert privileges(bare) == given


def beside_other_locks(postgres, database, run, first, second):
    """What `run` answers beside somebody who locks what it does in another order, and is in less of a hurry."""
    with contextlib.closing(postgres.connect("postgres", database)) as other:
        cursor = other.cursor()
        cursor.execute("SET deadlock_timeout = '1h'")
        cursor.execute(f"BEGIN; LOCK {first} IN ACCESS SHARE MODE")
        with in_background(run) as (running,):
            waiting = f"SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = '{first}'::regclass"
            until(lambda: cursor.execute(waiting) or cursor.fetchone()[0], "it has the second and wants the first")
            cursor.execute(f"LOCK {second} IN ACCESS SHARE MODE; COMMIT")  # waits until it gives up
            return running.result(30)


def test_setup_survives_a_deadlock(folder, bare, superuser, readable_schema):
    """Beside a service, which has its statements prepared."""
    service = Service(folder, bare, schema_directory=readable_schema)
    done(service, "setup", *superuser)
    ran = beside_other_locks(bare, "mapdiary", lambda: service.ctl("setup", *superuser), "mapdiary.own_album", "mapdiary_closed.piece")
    assert ran.returncode == DONE


@pytest.mark.slow
def test_setup_waits_for_a_reader_and_nobody_for_setup(folder, bare, superuser, readable_schema):
    """Such as pg_dump, which reads what setup replaces."""
    service = Service(folder, bare, schema_directory=readable_schema)
    done(service, "setup", *superuser)
    look = "SELECT count(*) FROM mapdiary_closed.piece"
    waits = "SELECT count(*) FROM pg_locks WHERE NOT granted AND mode = 'AccessExclusiveLock'"
    with contextlib.closing(bare.connect("postgres", "mapdiary")) as dump, dump.cursor() as dumping, \
            contextlib.closing(bare.connect("postgres", "mapdiary")) as reader, reader.cursor() as reading:
        dumping.execute(f"BEGIN; {look}")
        with in_background(lambda: service.ctl("setup", *superuser)) as [setup]:
            for _ in range(2):
                until(lambda: reading.execute(waits) or reading.fetchone()[0], "setup asks for its lock")
                reading.execute(look)    # which waits behind setup, while the dump goes on
                until(lambda: reading.execute(waits) or not reading.fetchone()[0], "setup has given up for now")
            assert not setup.done()
            dumping.execute("COMMIT")
        assert setup.result().returncode == DONE, setup.result().stderr


@pytest.mark.slow
def test_setup_gives_up_in_the_end(folder, bare, superuser, readable_schema):
    service = Service(folder, bare, schema_directory=readable_schema)
    done(service, "setup", *superuser)
    with contextlib.closing(bare.connect("postgres", "mapdiary")) as dump, dump.cursor() as dumping:
        dumping.execute("SET application_name = 'a dump'; BEGIN; SELECT count(*) FROM mapdiary_closed.piece")
        ran = service.ctl("setup", *superuser)
    assert ran.returncode == AWAY
    assert re.search("others keep tables locked: a dump, process .*; once they have ended: mapdiaryctl setup", ran.stderr)


def test_setup_by_another_role(folder, bare):
    service = Service(folder, bare)
    bare.run("DROP ROLE IF EXISTS somebody")
    bare.run("CREATE ROLE somebody LOGIN")
    ran = service.ctl("setup", "--superuser", f"host={bare.folder} user=somebody dbname=postgres")
    assert ran.returncode == FAILED and "superuser" in ran.stderr


# The address of the service, in the configuration

SHIPPED = (TOP / "conf/mapdiary.conf").read_text(encoding="utf-8")


@pytest.fixture
def addressed(folder, bare, superuser, readable_schema):
    """Sets up with a further text before the rest of the configuration; returns that text as it is then, and what was said."""
    def run(text, *arguments):
        service = Service(folder, bare, schema_directory=readable_schema, public_url=None)
        own = service.conf.read_text(encoding="utf-8")
        service.conf.write_text(text + own, encoding="utf-8")
        service.conf.chmod(0o640)
        if AS_ROOT:
            shutil.chown(service.conf, group="www-data")
        before = service.conf.stat()
        ran = service.ctl("setup", *superuser, *arguments)
        after = service.conf.stat()
        assert [getattr(before, name) == getattr(after, name) for name in ("st_mode", "st_uid", "st_gid")] == 3 * [True]
        left = service.conf.read_text(encoding="utf-8")
        return left.replace(own, ""), ran
    return run


@pytest.mark.parametrize("before, after", [
    ("", "public_url = https://diary.example\n"),
    (SHIPPED, SHIPPED.replace("#public_url = http://localhost", "public_url = https://diary.example")),
    ("public_url = http://old.example\nworkers = 3\n", "public_url = https://diary.example\nworkers = 3\n"),
    ("# public_url = x\n#public_url_other = 1\n#public_url=x\n",
     "# public_url = x\n#public_url_other = 1\npublic_url = https://diary.example\n"),
    ("#public_url = x\npublic_url = http://old.example\n", "#public_url = x\npublic_url = https://diary.example\n"),
], ids=["empty", "shipped", "set", "commented", "both"])
def test_setup_writes_the_address(addressed, before, after):
    text, ran = addressed(before, "--public-url", "https://diary.example")
    assert ran.returncode == DONE and "public_url https://diary.example\twritten\t\n" in ran.stdout
    assert text == after


def test_setup_leaves_the_address(addressed):
    """Where nobody is there to be asked, and where it is as it should be."""
    for text, arguments in ("workers = 3\n", []), ("public_url = https://a.example\n", []), (
            "public_url = https://a.example\n", ["--public-url", "https://a.example"]):
        left, ran = addressed(text, *arguments)
        assert (left, ran.returncode) == (text, DONE) and "public_url" not in ran.stdout


@pytest.mark.parametrize("address", ["diary.example", "https://diary.example/", "https://A.example", "ftp://a.example", "http://"])
def test_setup_of_an_address_that_is_none(addressed, address):
    text, ran = addressed("workers = 3\n", "--public-url", address)
    assert (text, ran.returncode, ran.stdout) == ("workers = 3\n", USAGE, "")
    assert "is not like https://diary.example" in ran.stderr


@pytest.mark.parametrize("typed, address", [
    (b"https://diary.example\n", "https://diary.example"), (b"\n", None), (b"\x04", None), (b"nonsense\n", False)],
    ids=["address", "nothing", "end", "nonsense"])
def test_setup_asks_at_a_terminal(folder, bare, superuser, readable_schema, typed, address):
    """Once, and what is typed ahead, as by who pastes further commands, is no answer."""
    service = Service(folder, bare, schema_directory=readable_schema, public_url=None)

    def run(ahead=b""):
        master, slave = pty.openpty()
        os.write(master, ahead)
        process = subprocess.Popen(
            [BUILD / "mapdiaryctl", "-c", service.conf, "setup", *superuser], env=ENVIRONMENT,
            stdin=slave, stdout=subprocess.DEVNULL, stderr=slave)
        os.close(slave)
        said = b""
        with contextlib.suppress(OSError):  # EIO: nobody has the terminal any more
            while piece := os.read(master, 1000):
                said += piece
                if said.endswith(b"]: "):
                    os.write(master, typed)
        os.close(master)
        return process.wait(30), said

    before = service.conf.read_text(encoding="utf-8")
    status, said = run(ahead=b"echo pasted\n")
    assert status == DONE and b"]: " not in said and service.conf.read_text(encoding="utf-8") == before
    status, said = run()
    assert b"Where people will reach the map diary [http://" in said
    after = service.conf.read_text(encoding="utf-8")
    if address is False:
        assert status == USAGE and after == before
        return
    guess = re.search(rb"\[(.*)\]: ", said)[1].decode()
    assert status == DONE and after == before + f"public_url = {address or guess}\n"
    status, said = run()
    assert status == DONE and b"]: " not in said


def configured(folder, postgres, **settings):
    """A service with these connections instead of those of the tests."""
    service = Service(folder, postgres)
    service.settings |= settings
    service.write_configuration()
    return service


@pytest.mark.parametrize("key, role, database, said", [
    ("database", "other", "mapdiary", "database: user=other, but what this command sets up is user=mapdiary"),
    ("admin_database", "mapdiary_owner", "other", "admin_database: dbname=other, but what this command sets up is dbname=mapdiary")])
def test_setup_of_other_names(folder, bare, superuser, key, role, database, said):
    service = configured(folder, bare, **{key: bare.dsn(role, database)})
    ran = service.ctl("setup", *superuser)
    assert ran.returncode == USAGE and f"{service.conf}: {said}" in ran.stderr


def test_setup_of_the_database_in_the_configuration(folder, bare, superuser, readable_schema):
    """Any name does."""
    name = 'the "other" diary'
    keys = {key: f"host={bare.folder} user={role} dbname='{name}'" for key, role in [
        ("database", "mapdiary"), ("admin_database", "mapdiary_owner")]}
    service = configured(folder, bare, schema_directory=readable_schema, **keys)
    assert {"name": f"database {name}", "state": "created", "applied": None} in shown(service, "setup", *superuser)
    assert {row["state"] for row in shown(service, "migrate", "--status")} == {"applied"}
    assert bare.value(f"SELECT count(*) FROM pg_database WHERE datname = '{name}'") == 1


def test_setup_of_another_machine(folder, bare):
    service = configured(folder, bare, database="host=db.example dbname=mapdiary user=mapdiary", admin_database="")
    ran = service.ctl("setup")
    assert ran.returncode == USAGE and "'database' leads to another machine" in ran.stderr and "host=db.example" in ran.stderr


def test_where_the_configuration_leads(folder, bare):
    service = configured(folder, bare, photo_directory="/srv/photos", database="port=5433 dbname=diary user=mapdiary")
    assert {row["name"]: row["value"] for row in shown(service, "setup", "--where")} == {
        "database": "diary", "is_here": "yes", "host": None, "admin_host": str(bare.folder), "socket_directory": None, "port": "5433",
        "photo_directory": "/srv/photos"}


@pytest.mark.skipif(not AS_ROOT, reason="only root becomes another user")
def test_setup_as_nobody_known(folder, bare, superuser):
    ran = Service(folder, bare).ctl("setup", "--as", "no-such-user", *superuser)
    assert ran.returncode == 66 and "no-such-user: no such user" in ran.stderr


def test_migrate_status(service):
    lines = table(done(service, "migrate", "--status"))
    assert lines[0] == ["name", "state", "applied"]
    assert [line[:2] for line in lines[1:]] == [[name, "applied"] for name in FILES]
    assert done(service, "migrate") == ""


@pytest.fixture
def migrating(folder, postgres, tmp_path):
    """A service on an empty database, and its folder of migrations, empty too."""
    postgres.run("DROP DATABASE IF EXISTS migrating")
    postgres.create_database("migrating")
    schema = tmp_path / "schema"
    schema.mkdir()
    return Service(folder, postgres, database="migrating", schema_directory=schema), schema


def test_migrate_step_by_step(migrating):
    service, schema = migrating
    first = schema / "0001-one.sql"
    first.write_text("CREATE TABLE one ()")
    assert [row["state"] for row in shown(service, "migrate", "--status")] == ["pending"]
    assert [row["name"] for row in shown(service, "migrate")] == ["0001-one"]
    (schema / "0002-two.sql").write_text("CREATE TABLE two ();\nCREATE TABLE oops (;")
    ran = service.ctl("migrate")
    assert ran.returncode == FAILED and "CREATE TABLE oops (;" in ran.stderr
    assert [row["state"] for row in shown(service, "migrate", "--status")] == ["applied", "pending"]
    first.write_text("CREATE TABLE other ()")
    ran = service.ctl("migrate")
    assert ran.returncode == FAILED and "0001-one: the file has changed since it was applied" in ran.stderr
    first.rename(schema / "0003-three.sql")
    ran = service.ctl("migrate")
    assert ran.returncode == FAILED and "0001-one: applied, but there is no such file" in ran.stderr


def test_migrate_survives_locks_in_another_order(migrating, postgres):
    """It gives its locks back, and so the other transaction goes on."""
    service, schema = migrating
    (schema / "0001-one.sql").write_text("CREATE TABLE a (); CREATE TABLE b ()")
    done(service, "migrate")
    (schema / "0002-two.sql").write_text("LOCK a; LOCK b; CREATE TABLE c ()")
    ran = beside_other_locks(postgres, "migrating", lambda: service.ctl("migrate"), "mapdiary.b", "mapdiary.a")
    assert ran.returncode == DONE, ran.stderr
    assert {row["state"] for row in shown(service, "migrate", "--status")} == {"applied"}
