"""mapdiaryctl doctor: what it finds, and that its advice mends what is broken."""

import contextlib
import functools
import http.server
import json
import pwd
import re
import shutil
import subprocess
import threading
import time

import pytest

from ctl import CONFIGURATION, DONE, FAILED, done, table
from conftest import Rows
from installation import SERVICE, Installation
from pictures import new_photo
from service import AS_ROOT, BUILD, ENVIRONMENT, TOP, WEB, Service, free_port, until

FILES = [path.stem for path in sorted((TOP / "schema").glob("[0-9]*.sql"))]
CHECKS = ["configuration", "database", "roles", "clock", "time zone", "connections", "schema", "finding", "key file",
          "photos", "mail", "service",
          "web server", "photo addresses"]


def doctor(service, *arguments):
    ran = service.doctor(*arguments)
    return ran.returncode, {line[0]: line[1:] for line in table(ran.stdout)}


@pytest.fixture
def tidy(service, db):
    """Without what other tests left: keys, for which it would miss the master key; mails; photos, whose files may be a further
    service's; blogs that services in other time zones have counted, as it is tomorrow there."""
    db.run("DELETE FROM application_key")
    db.run("DELETE FROM photo")
    db.run("DELETE FROM mail")
    assert service.ctl("recount").returncode == 0


def test_finds_nothing(service, tidy):
    url = f"http://127.0.0.1:{service.port}/API.php"
    status, findings = doctor(service, "--url", url)
    assert list(findings) == ["check", *CHECKS]
    assert {check: finding for check, finding in findings.items() if finding[0] not in ("ok", "state")} == {}
    assert status == DONE
    assert [row["state"] for row in json.loads(service.doctor("--json", "--url", url).stdout)] == ["ok"] * len(CHECKS)


def test_without_a_configuration(service, tmp_path):
    broken = tmp_path / "mapdiary.conf"
    broken.write_text("nonsense = 1\n")
    service_conf, service.conf = service.conf, broken
    try:
        status, findings = doctor(service)
    finally:
        service.conf = service_conf
    assert status == CONFIGURATION and findings["configuration"][0] == "FAILED"


def test_with_settings_that_mapdiaryd_refuses(folder, postgres, service):
    status, findings = doctor(Service(folder, postgres, allowed_origins="app.example"))
    assert status == FAILED and findings["configuration"][0] == "FAILED"


def test_without_a_schema(folder, postgres):
    postgres.run("DROP DATABASE IF EXISTS bare")
    postgres.create_database("bare")
    service = Service(folder, postgres, database="bare")
    service.start_daemon()
    status, findings = doctor(service)
    service.daemon.stop()
    assert status == FAILED
    assert findings["schema"] == ["FAILED", f"0 migrations applied, {len(FILES)} pending", findings["schema"][2]]
    assert "mapdiaryctl migrate" in findings["schema"][2]
    assert findings["service"][0] == "FAILED" and findings["service"][2].startswith("mend what is named above")


def test_with_another_schema(folder, postgres, service, tmp_path):
    schema = tmp_path / "schema"
    shutil.copytree(TOP / "schema", schema)
    next(schema.glob("0001-*.sql")).write_text("SELECT 1")
    status, findings = doctor(Service(folder, postgres, schema_directory=schema))
    assert status == FAILED and findings["schema"][0] == "FAILED"


def test_with_too_mighty_a_role(folder, postgres, service):
    for role, finding in ("mapdiary_owner", "may change the schema"), ("postgres", "is a superuser"):
        other = Service(folder, postgres, **{"database": postgres.dsn(role, "mapdiary")})
        status, findings = doctor(other)
        assert status == FAILED and findings["roles"][:2] == ["FAILED", f"{role} {finding}"]


@pytest.mark.slow
def test_with_another_site(service, tmp_path):
    status, findings = doctor(service, "--url", f"http://127.0.0.1:{service.port}/nothing")
    assert status == FAILED and "not the map diary" in findings["web server"][1]


@pytest.mark.parametrize("days, state", [(13, "FAILED"), (15, "ok")])
def test_a_certificate_that_ends(start_service, days, state):
    port = free_port()
    service = start_service(web=functools.partial(type("Certified", (WEB,), {"days": days}), tls=port))
    _, findings = doctor(service, "--url", f"https://127.0.0.1:{port}/API.php")
    last = time.strftime("%Y-%m-%d", time.gmtime(time.time() + days * 86400))
    assert findings["certificate"][0] == state and last in findings["certificate"][1]
    assert ("sudo certbot renew" in findings["certificate"][2]) == (state == "FAILED")


def test_only_what_is_wrong(service, tidy):
    ran = service.doctor("--wrong", "--url", "http://127.0.0.1:1/API.php")
    lines = table(ran.stdout)[1:]
    assert ran.returncode == FAILED and [line[:2] for line in lines] == [["web server", "FAILED"]]


def test_an_address_of_a_photo(service, db, tidy, album):
    new_photo(service, db, album)
    status, findings = doctor(service, "--url", f"http://127.0.0.1:{service.port}/API.php")
    assert findings["photo addresses"][:2] == ["ok", f"http://127.0.0.1:{service.port}: a photo comes from there"] and status == DONE


def test_without_a_web_server(service):
    status, findings = doctor(service, "--url", "http://127.0.0.1:1/API.php")
    assert status == FAILED and findings["web server"][0] == "FAILED" and "nginx" in findings["web server"][2]


@pytest.mark.slow
def test_with_a_web_server_that_does_not_reach_the_service(service, start_service):
    other = start_service()
    other.daemon.stop()
    other.daemon = None
    status, findings = doctor(service, "--url", f"http://127.0.0.1:{other.port}/API.php")
    assert status == FAILED and findings["service"][0] == "ok"
    assert "the web server does not reach the service" in findings["web server"][1] and "lead to" in findings["web server"][2]


@pytest.mark.parametrize("conninfo", [
    "host=127.0.0.1 port=1 dbname=mapdiary user=mapdiary password=s3cret-word",
    "host=127.0.0.1 port=1 password=x s3cret-word", "dbname=mapdiary password=x s3cret-word=1",
    "postgresql://mapdiary:s3cret-word@127.0.0.1:1/mapdiary", "postgresql://mapdiary:s3cret-word%@127.0.0.1:1/mapdiary",
    "postgres//mapdiary:s3cret-word@127.0.0.1:1/mapdiary",
])
def test_no_secret_is_ever_said(folder, postgres, conninfo):
    broken = Service(folder, postgres)
    with open(broken.conf, "a", encoding="utf-8") as conf:
        conf.write(f"read_database = {conninfo}\n")
    text = broken.conf.read_text(encoding="utf-8")
    broken.conf.write_text(re.sub(r"(?m)^(\w*database) = .*", lambda match: f"{match[1]} = {conninfo}", text), encoding="utf-8")
    for options in [], ["--offline"]:
        ran = subprocess.run([BUILD / "mapdiaryd", "-t", *options, "-c", broken.conf], capture_output=True, text=True, env=ENVIRONMENT)
        assert "s3cret" not in ran.stdout + ran.stderr, ran
    for command in ["doctor"], ["user", "list"], ["migrate"], ["setup"]:
        ran = broken.ctl(*command)
        assert ran.returncode != DONE and "s3cret" not in ran.stdout + ran.stderr, ran


# Broken installations, mended by doing what it says

needs_root = pytest.mark.skipif(not AS_ROOT, reason="only root becomes another user")


@pytest.fixture(scope="module")
def whole(folder):
    whole = Installation(folder)
    done(whole, "setup")
    done(whole, "key", "init")
    done(whole, "key", "add", "an application")
    assert whole.start(), whole.log.read_text()
    whole.start_web()
    yield whole
    whole.stop_all()


def assert_well(it):
    """A service that has just been started, or its database, needs a moment."""
    with contextlib.suppress(TimeoutError):
        until(lambda: it.doctor()[0] == {}, "the doctor finds nothing")
    assert it.doctor()[0] == {}


@pytest.fixture
def installation(whole):
    assert_well(whole)
    yield whole


def stop_postgresql(it):
    it.postgres.stop()


def lose_role(it):
    """As a restore to another cluster does."""
    it.postgres.run("REASSIGN OWNED BY mapdiary TO mapdiary_owner")
    with it.postgres.connect("postgres", "mapdiary") as connection:
        connection.cursor().execute("DROP OWNED BY mapdiary")
    it.stop()
    it.postgres.run("DROP ROLE mapdiary")
    it.start()


def lose_database(it):
    it.postgres.run("DROP DATABASE mapdiary WITH (FORCE)")


def lose_privileges(it):
    with it.postgres.connect("postgres", "mapdiary") as connection:
        connection.cursor().execute("DROP OWNED BY mapdiary, mapdiary_visitor")
    it.restart()


def lose_membership(it):
    it.postgres.run("REVOKE mapdiary_visitor FROM mapdiary")
    it.restart()


def have_an_old_schema(it):
    (it.schema / "0998-later.sql").write_text("CREATE TABLE of_later ()")


def lock_master_key(it):
    shutil.chown(it.key, "root")
    it.stop()
    it.start()


def open_master_key(it):
    it.key.chmod(0o644)
    it.stop()
    it.start()


def stop_service(it):
    it.stop()


def remove_socket(it):
    it.socket.unlink()


def lock_photos(it):
    for path in [it.spool / "photos", *(it.spool / "photos").iterdir()]:
        shutil.chown(path, "root")


def close_configuration(it):
    it.conf.chmod(0o600)
    it.stop()
    it.start()


def configure_with(**settings):
    return lambda it: it.configure(**settings)


def restart_with(**settings):
    def change(it):
        it.configure(**settings)
        it.stop()
        it.start()
    return change


def take_all_connections(it):
    restart_with(workers=97)(it)
    taken = "SELECT count(*) FROM pg_stat_activity WHERE usename = 'mapdiary'"
    until(lambda: it.postgres.value(taken) == 97, "all connections are taken")


@pytest.mark.few(6)
@needs_root
@pytest.mark.parametrize("damage, check, said", [
    (stop_postgresql, "database", "No such file or directory"), (lose_role, "database", 'role "mapdiary" does not exist'),
    (lose_database, "database", 'database "mapdiary" does not exist'), (lose_privileges, "schema", "cannot be read: "),
    (lose_membership, "roles", "mapdiary is not a member of mapdiary_visitor"),
    (have_an_old_schema, "schema", "1 pending"), (lock_master_key, "key file", "cannot be used"),
    (open_master_key, "key file", "cannot be used"), (stop_service, "service", "it does not run: "),
    (remove_socket, "service", "it does not run: "), (lock_photos, "photos", "cannot be used"),
    (close_configuration, "configuration", "nobody may not read it"),
    (restart_with(timezone="Asia/Taipeh"), "time zone", "Asia/Taipeh: PostgreSQL knows no such time zone"),
    (restart_with(database="dbname=mapdiary user=nobody"), "database", 'role "nobody" does not exist'),
    (restart_with(database="dbname=mapdiary user=postgres"), "roles", "postgres is a superuser"),
    (restart_with(database="dbname=mapdairy user=mapdiary"), "database", 'database "mapdairy" does not exist'),
    (restart_with(database="dbname=mapdiary user=ann"), "database", 'Peer authentication failed for user "ann"'),
    (take_all_connections, "database", "connection slots are reserved"),
    (configure_with(workers=150), "connections", "150 workers and mapdiaryctl, of 97"),
])
def test_its_advice_mends(installation, damage, check, said):
    damage(installation)
    bad, _ = installation.doctor()
    assert check in bad and said in bad[check][0], bad
    assert "photo addresses" not in bad  # as public_url is not what is wrong
    for _, advice in bad.values():
        installation.follow(advice)
    assert_well(installation)


@contextlib.contextmanager
def site(answer):
    """A web server of something else, which answers with a status, a type and a text; yields its address."""
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            status, kind, text = answer()
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *_):
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture
def with_photo(installation):
    """An installation with a photo that anybody may see."""
    installation.settings["photo_directory"] = installation.spool / "photos"
    user = int(done(installation, "user", "add", "--email", "ann@example.org", "--name", "Ann", text="correct horse\n"))
    with contextlib.closing(installation.postgres.connect("postgres", "mapdiary")) as connection:
        rows = Rows(connection)
        album = rows.insert("album", owner_id=user, title="a", slot=1, lat="1", lng="1")
        new_photo(installation, rows, album)
    for path in [installation.spool / "photos", *(installation.spool / "photos").rglob("*")]:
        shutil.chown(path, SERVICE)
    yield installation
    done(installation, "user", "delete", user, "--yes")


@pytest.mark.few(1)
@needs_root
@pytest.mark.parametrize("is_photo, other, said", [
    (False, None, "Couldn't connect"), (True, (404, "text/html", b"<h1>Not Found</h1>"), "answered with 404 there$"),
    (True, (200, "text/html", b"<h1>Welcome</h1>"), "answered with 200 there$"),
    (False, (200, "text/html", b"<h1>Welcome</h1>"), "not the map diary"),
    (True, (503, "text/xml", b"SERVICE UNAVAILABLE"), "does not reach the service"),
])
def test_an_address_that_leads_elsewhere(installation, request, is_photo, other, said):
    if is_photo:
        request.getfixturevalue("with_photo")
    with site(lambda: other) if other else contextlib.nullcontext("http://127.0.0.1:1") as address:
        installation.configure(public_url=address)
        bad, _ = installation.doctor()
        finding, advice = bad.pop("photo addresses")
        assert not bad and re.search(f"^{address}: .*({said})", finding)
        installation.follow(advice)
    assert_well(installation)
    installation.configure()


@pytest.mark.slow
@needs_root
def test_an_address_of_another_map_diary(service, with_photo):
    """It answers, but not with this photo."""
    with_photo.configure(public_url=f"http://127.0.0.1:{service.port}")
    finding, advice = with_photo.doctor()[0]["photo addresses"]
    assert finding.endswith("a photo is answered with 404 there, by another map diary or without its file")
    with_photo.follow(advice)
    assert_well(with_photo)
    with_photo.configure()


@pytest.mark.slow
@needs_root
def test_photos_that_the_web_server_may_not_read(with_photo):
    def answer():
        is_open = with_photo.spool.stat().st_mode & 0o001
        return (200, "image/jpeg", b"") if is_open else (403, "text/html", b"Forbidden")

    with_photo.spool.chmod(0o700)
    with site(answer) as address:
        with_photo.configure(public_url=address)
        finding, advice = with_photo.doctor()[0]["photo addresses"]
        assert finding.endswith("a photo is answered with 403 there") and advice == f"sudo chmod o+x {with_photo.spool}"
        with_photo.follow(advice)
        assert_well(with_photo)
    with_photo.configure()


@needs_root
def test_an_address_for_this_machine_alone(installation):
    installation.configure(public_url=f"http://localhost:{installation.port}")
    bad, said = installation.doctor()
    assert bad == {} and "for others than this machine: sudo mapdiaryctl setup --public-url https://diary.example" in said
    installation.configure()


@needs_root
@pytest.mark.parametrize("size, finding", [
    ("size=8m", "can be written, 8 MiB free"), ("size=2g,nr_inodes=500", "has room for 4"), ("size=2g,nr_inodes=0", None)])
def test_too_little_room_for_photos(installation, size, finding):
    """Of bytes or of files. A file system that counts no files has room for any number."""
    photos = installation.spool / "small"
    photos.mkdir(exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"{size},mode=711,uid={pwd.getpwnam(SERVICE).pw_uid}", "small", photos], check=True)
    try:
        installation.configure(photo_directory=photos)
        bad, _ = installation.doctor()
        assert list(bad) == (["photos"] if finding else [])
        assert not finding or finding in bad["photos"][0], bad
    finally:
        subprocess.run(["umount", photos], check=True)
        installation.configure()


@needs_root
def test_a_master_key_that_is_gone(installation):
    done(installation, "key", "add", "an application")
    copy = installation.key.rename(installation.key.with_suffix(".copy"))
    finding, advice = installation.doctor()[0]["key file"]
    assert re.search("not there; [1-9][0-9]* applications have keys", finding) and advice.startswith("put back the copy of it")
    copy.rename(installation.key)
    assert_well(installation)


@needs_root
def test_a_schema_of_a_later_release(installation):
    later = installation.schema / "0999-latest.sql"
    later.write_text("CREATE TABLE of_latest ()")
    done(installation, "migrate")
    later.rename(later.with_suffix(".hidden"))
    finding, advice = installation.doctor()[0]["schema"]
    assert advice.startswith("install the release of mapdiary that made this database"), finding
    later.with_suffix(".hidden").rename(later)
    assert_well(installation)


def found_without_url(it):
    return {line[0]: line[1:] for line in table(it.ctl("doctor").stdout)}["web server"]


@needs_root
def test_looks_for_the_web_server_at_public_url(installation):
    state, finding, _ = found_without_url(installation)
    assert (state, finding) == ("ok", f"http://127.0.0.1:{installation.port}/API.php: the service answers")


@pytest.mark.slow
@needs_root
def test_without_a_web_server_at_public_url(installation, service):
    """Nor at localhost, where no test has one. Other web servers of this machine do not count, such as that of the service."""
    installation.configure(public_url="http://127.0.0.1:1")
    state, finding, advice = found_without_url(installation)
    assert state == "FAILED" and finding.startswith("the map diary answers neither at public_url nor at localhost; http"), finding
    assert re.search("nginx|apache", advice)
    installation.configure()


@needs_root
def test_others_are_told_to_ask_as_root(installation):
    installation.conf.chmod(0o644)
    bad, _ = installation.doctor(user="www-data")
    assert bad["service"][1] == bad["database"][1] == bad["photos"][1] == "sudo mapdiaryctl doctor"
    installation.conf.chmod(0o640)
    bad, _ = installation.doctor(user="www-data")
    assert bad["configuration"] == (f"{installation.conf}: www-data may not read it", "sudo mapdiaryctl doctor")
    assert SERVICE != "www-data"
