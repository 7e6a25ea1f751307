"""mapdiaryctl setup and migrate."""

import contextlib
import shutil

import pytest

from ctl import DONE, FAILED, USAGE, done, shown, table
from service import AS_ROOT, TOP, Postgres, Service, in_background, until

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
        ("role mapdiary_owner", "created"), ("role mapdiary", "created"), ("database mapdiary", "created"),
        *((name, "now applied") for name in FILES)]
    again = shown(service, "setup", *superuser)
    assert [(row["name"], row["state"]) for row in again] == [
        ("role mapdiary_owner", "there already"), ("role mapdiary", "there already"), ("database mapdiary", "there already")]
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
        cursor.execute(
            "SELECT relname, relacl::text FROM pg_class WHERE relnamespace = 'mapdiary'::regnamespace UNION ALL"
            " SELECT nspname, nspacl::text FROM pg_namespace WHERE nspname = 'mapdiary' UNION ALL"
            " SELECT defaclobjtype::text, defaclacl::text FROM pg_default_acl ORDER BY 1")
        return cursor.fetchall()


def test_setup_gives_what_the_migrations_give(folder, superuser, bare, readable_schema):
    """To a role that is new to a schema that is there already, as after a restore."""
    service = Service(folder, bare, schema_directory=readable_schema)
    done(service, "setup", *superuser)
    bare.run("DROP DATABASE mapdiary")
    bare.create_database("mapdiary")
    done(service, "migrate")
    given = privileges(bare)
    with contextlib.closing(bare.connect("postgres", "mapdiary")) as connection:
        connection.cursor().execute("DROP OWNED BY mapdiary")
    assert privileges(bare) != given
    for _ in range(2):
        done(service, "setup", *superuser)
        assert privileges(bare) == given


def test_setup_by_another_role(folder, bare):
    service = Service(folder, bare)
    bare.run("DROP ROLE IF EXISTS somebody")
    bare.run("CREATE ROLE somebody LOGIN")
    ran = service.ctl("setup", "--superuser", f"host={bare.folder} user=somebody dbname=postgres")
    assert ran.returncode == FAILED and "superuser" in ran.stderr


def test_setup_of_other_names(folder, bare, superuser):
    service = Service(folder, bare, database="other")
    ran = service.ctl("setup", *superuser)
    assert ran.returncode == USAGE
    assert f"{service.conf}: database: dbname=other, but what this command sets up is dbname=mapdiary" in ran.stderr


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


def test_migrate_survives_a_deadlock(migrating, postgres):
    """Beside somebody who locks the same tables in another order, and is in less of a hurry."""
    service, schema = migrating
    (schema / "0001-one.sql").write_text("CREATE TABLE a (); CREATE TABLE b ()")
    done(service, "migrate")
    (schema / "0002-two.sql").write_text("LOCK a; LOCK b; CREATE TABLE c ()")
    with contextlib.closing(postgres.connect("postgres", "migrating")) as other:
        cursor = other.cursor()
        cursor.execute("SET deadlock_timeout = '1h'")
        cursor.execute("BEGIN; LOCK mapdiary.b")
        with in_background(lambda: service.ctl("migrate")) as (migrating,):
            waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'mapdiary.b'::regclass"
            until(lambda: cursor.execute(waiting) or cursor.fetchone()[0], "the migration has one table and wants the other")
            cursor.execute("LOCK mapdiary.a; COMMIT")  # waits until the migration gives up
            ran = migrating.result(30)
    assert ran.returncode == DONE and "deadlock detected" in ran.stderr
    assert {row["state"] for row in shown(service, "migrate", "--status")} == {"applied"}
