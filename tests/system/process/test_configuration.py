"""mapdiaryd -t and -T, and the start with what they say."""

import contextlib
import pathlib
import shutil
import signal
import socket
import subprocess
import time

import pytest

from service import AS_ROOT, BUILD, ENVIRONMENT, TOP, Postgres, Process, Service, until

DONE, AWAY, CONFIGURATION = 0, 69, 78  # sysexits.h


def run(*arguments):
    return subprocess.run([BUILD / "mapdiaryd", *map(str, arguments)], capture_output=True, text=True, env=ENVIRONMENT)


def meanings_and_values(text, comment):
    """{key: (meaning, value)} of a file whose meanings are comments and whose keys start with `comment`."""
    found, meaning = {}, []
    for line in text.splitlines():
        if line.startswith("# "):
            meaning.append(line[2:])
        elif " =" in line:
            key, _, value = line.removeprefix(comment).partition(" =")
            found[key] = (" ".join(meaning), value.strip())
        if not line.startswith("# "):
            meaning = []
    return found


def test_sample_file_says_what_the_program_says(tmp_path):
    empty = tmp_path / "empty.conf"
    empty.touch()
    shown = run("-T", "-c", empty)
    assert shown.returncode == 0
    want = meanings_and_values(shown.stdout, "")
    sample = meanings_and_values((TOP / "conf/mapdiary.conf").read_text(encoding="utf-8"), "#")
    for key, end in {"schema_directory": "/share/mapdiary/schema", "master_key_file": "/lib/mapdiary/master.key",
                     "spool_directory": "/cache/mapdiary", "photo_directory": "/lib/mapdiary/photos",
                     "mail_directory": "/mapdiary/mail"}.items():
        # The installation decides where these are.
        for table in want, sample:
            assert table[key][1].endswith(end)
            table[key] = table[key][0]
    assert sample == want


def test_shown_configuration_is_a_configuration(service, tmp_path):
    shown = run("-T", "-c", service.conf)
    copy = tmp_path / "copy.conf"
    copy.write_text(shown.stdout, encoding="utf-8")
    assert run("-t", "-c", copy).returncode == DONE
    assert run("-T", "-c", copy).stdout == shown.stdout


@pytest.mark.parametrize("line, said", [
    ("no_such_key = 1", "no_such_key: no such key"), ("workers = 5000", "workers: '5000' is not an integer from 1 to 1000"),
    ("workers = two", "workers: 'two' is not an integer from 1 to 1000"),
    ("io_timeout = 5", "io_timeout: '5' is not a duration (ms, s, m, h, d) from 100ms to 1h"),
    ("listen_mode = 0999", "listen_mode: '0999' is not an octal number from 0000 to 0777"),
    ("listen = 127.0.0.1:99999", "listen: not unix:PATH, or ADDRESS:PORT"),
    ("allowed_origins = app.example", "allowed_origins: no browser sends app.example as an origin"),
    ("allowed_origins = https://app.example/", "allowed_origins: no browser sends https://app.example/ as an origin"),
    ("public_url = diary.example", "public_url: 'diary.example' is not like https://diary.example"),
    ("public_url = https://diary.example/", "public_url: 'https://diary.example/' is not like https://diary.example"),
    ("database = hst=x", 'database: invalid connection option "hst"'),
    ("log_level = loud", "log_level: 'loud' is not one of error, warning, notice, info, debug"),
    ("trace_database = yes", "trace_database: 'yes' is not one of off, on"),
    ("spool_size = 2GB", "spool_size: '2GB' is not a size (B, KiB, MiB, GiB, TiB) from 1MiB to 1024TiB"),
    ("spool_directory = /nonexistent", "spool_directory: no file can be made in /nonexistent: No such file"),
    ("spool_directory = /proc", "spool_directory: no file can be made in /proc: "), ("[section]\nworkers = 2", "section: "),
    ("mail_server = relay.example", "mail_server: not smtp://HOST, smtp://HOST:PORT or smtps://HOST"),
    ("mail_database = hst=x", 'mail_database: invalid connection option "hst"'),
    ("map_tiles = foo", "map_tiles: neither like https://tiles.example/{z}/{x}/{y}.png nor like tiles/taiwan.pmtiles"),
    ("map_tiles = tiles/../x.pmtiles", "map_tiles: neither like"),
    ("map_tiles = tiles/.pmtiles", "map_tiles: neither like"),
    ("map_tiles = tiles/x.pmtiles.old", "map_tiles: neither like"),
    ("map_satellite_tiles = tiles/x.pmtiles", "map_satellite_tiles: not like https://tiles.example/{z}/{x}/{y}.png"),
    ("map_satellite_tiles = https://tiles.example/", "map_satellite_tiles: not like "),
    ("map_start = 119.3 25.4 122.1 21.8", "map_start: not like 119.3 21.8 122.1 25.4: west, south, east, north, in degrees"),
    ("contact = me", "contact: neither an email address"),
    ("listen_group = nobody-at-all", "listen_group: no such group"),
    ("timezone = Taipei", "timezone: neither UTC nor the IANA name of a time zone, such as Asia/Taipei"),
    ("password_memory = 1024\npassword_operations = 3", "password_operations: "), ("nonsense", ""),
])
def test_every_fault_is_told_with_its_line(tmp_path, line, said):
    conf = tmp_path / "mapdiary.conf"
    conf.write_text(f"# a comment\n\nreward_per_blog = 3\n{line}\n", encoding="utf-8")
    checked = run("-t", "--offline", "-c", conf)
    number = 4 + line.count("\n")
    assert checked.returncode == CONFIGURATION
    assert f"{conf}:{number}: {said}" in checked.stderr


NAMES_OF_IANA = """UTC Asia/Taipei America/Argentina/Buenos_Aires America/Port-au-Prince Africa/Dar_es_Salaam Etc/UTC Etc/GMT Etc/GMT0
    Etc/GMT+12 Etc/GMT-14 GMT Japan CET EST5EDT GB-Eire Nowhere/At_All""".split()
OTHER_NAMES = """PST CEST utc japan UTC+8 CST-8 <+08>-8 EST5EDT4 EST5EDT,M3.2.0,M11.1.0 +08 8 -08:00 Asia/Taipei-8 Etc/GMT+13 Etc/GMT-15
    Etc/GMT+012 asia/taipei posix/Asia/Taipei :Asia/Taipei Asia/ /Taipei Asia//Taipei Asia/Taipei/ Asia/../Taipei A/B/C/D Asia/臺北""".split()


def accepts_timezone(folder, name):
    conf = folder / "mapdiary.conf"
    conf.write_text(f"spool_directory = {folder}\nphoto_directory = {folder}/photos\nmail_directory = {TOP}/conf/mail\n"
                    f"timezone = {name}\n", encoding="utf-8")
    checked = run("-t", "--offline", "-c", conf)
    assert (f"{conf}:4: timezone: " in checked.stderr) == (checked.returncode != DONE)
    return checked.returncode == DONE


@pytest.mark.parametrize("name, is_iana", [*((name, True) for name in NAMES_OF_IANA), *((name, False) for name in OTHER_NAMES)])
def test_a_time_zone_has_a_name_of_iana(tmp_path, name, is_iana):
    assert accepts_timezone(tmp_path, name) == is_iana


@pytest.mark.slow
def test_every_name_of_the_tz_database(tmp_path):
    """tzdata.zi has a zone or a link on each line (zic(8))."""
    lines = pathlib.Path("/usr/share/zoneinfo/tzdata.zi").read_text(encoding="utf-8").splitlines()
    names = {line.split()[1 if line.startswith("Z ") else 2] for line in lines if line.startswith(("Z ", "L "))}
    assert len(names) > 500
    assert {name for name in names if not accepts_timezone(tmp_path, name)} == {"Factory"} & names


@pytest.mark.parametrize("line, said", [
    ("photo_directory = {}/no/photos", "photo_directory: no photo can be uploaded there"),
    ("mail_directory = {}/no", "mail_directory: without texts of mails, nobody can register or get a new password"),
    ("held_words = {}/no", "held_words: {}/no: No such file or directory"), ("held_words = {}/binary", "it is no text in UTF-8"),
    ("held_words = {}/long", "it has more than 64 KiB"), ("held_words = {}/", "held_words: {}/: it cannot be read"),
    pytest.param("held_words = {}/closed", "held_words: {}/closed: Permission denied", marks=pytest.mark.skipif(AS_ROOT, reason="as root")),
])
def test_a_file_that_cannot_be_used(tmp_path, line, said):
    (tmp_path / "binary").write_bytes(b"\xff\n")
    (tmp_path / "long").write_text("word\n" * 20000, encoding="ascii")
    (tmp_path / "closed").touch(mode=0)
    conf, settings = tmp_path / "mapdiary.conf", {"photo_directory": f"{tmp_path}/photos", "mail_directory": TOP / "conf/mail"}
    settings.pop(line.split()[0], None)
    lines = [f"spool_directory = {tmp_path}", *(f"{key} = {value}" for key, value in settings.items()), line.format(tmp_path)]
    conf.write_text("\n".join(lines), encoding="utf-8")
    checked = run("-t", "--offline", "-c", conf)
    assert checked.returncode == CONFIGURATION
    assert f"{conf}:{len(lines)}: " in checked.stderr and said.format(tmp_path) in checked.stderr


def test_a_photo_directory_is_made(tmp_path):
    conf = tmp_path / "mapdiary.conf"
    conf.write_text(f"photo_directory = {tmp_path}/photos\nspool_directory = {tmp_path}\n"
                    f"mail_directory = {TOP}/conf/mail\n", encoding="utf-8")
    checked = run("-t", "--offline", "-c", conf)
    assert (checked.returncode, checked.stderr) == (DONE, "")
    assert (tmp_path / "photos").stat().st_mode & 0o777 == 0o711


def test_all_faults_in_one_go(tmp_path):
    conf = tmp_path / "mapdiary.conf"
    conf.write_text("workers = 0\nfoo = 1\nworkers = 3\n", encoding="utf-8")
    assert run("-t", "-c", conf).stderr.count(f"{conf}:") == 2


@pytest.mark.parametrize("path", ["/nonexistent/mapdiary.conf", "/"])
def test_unreadable_file(path):
    checked = run("-t", "-c", path)
    assert checked.returncode == CONFIGURATION and path in checked.stderr


# With PostgreSQL


def check(service, *options, **settings):
    """What -t says of a service's configuration with other settings."""
    changed = service.folder / "changed.conf"
    changed.write_text("".join(f"{key} = {value}\n" for key, value in (service.settings | settings).items()), encoding="utf-8")
    ran = run("-t", *options, "-c", changed)
    return ran.returncode, ran.stderr.replace(f"{changed}:", "FILE:")


def line_of(service, key):
    return [*service.settings, key].index(key) + 1


@pytest.fixture(scope="module")
def offered(folder, postgres, service):
    """A service that is not started."""
    return Service(folder, postgres)


def test_good_settings(offered):
    assert check(offered) == (DONE, "")


@pytest.mark.parametrize("key, value, said", [
    ("timezone", "China/Taipei", "PostgreSQL knows no time zone 'China/Taipei'; is it Asia/Taipei?"),
    ("timezone", "Nowhere/At_All", "PostgreSQL knows no time zone 'Nowhere/At_All'; Debian keeps old names of time zones in the package "
     "tzdata-legacy"),
    ("database", "{} dbname=mapdairy", 'database "mapdairy" does not exist'),
    ("database", "{} user=nobody_known", 'role "nobody_known" does not exist'),
    ("database", "{} dbname=postgres", "is the schema up to date (mapdiaryctl migrate --status)?"),
    ("read_database", "{} dbname=mapdairy", 'database "mapdairy" does not exist'),
    ("workers", 200, "with the indexer, mapdiary-mail and mapdiaryctl they take 203 connections, of which PostgreSQL has 97"),
])
def test_what_postgresql_refuses(offered, key, value, said):
    value = str(value).format(offered.settings["database"])
    status, text = check(offered, **{key: value})
    assert status == CONFIGURATION
    assert f"FILE:{line_of(offered, key)}: {key}: " in text and said in text
    assert check(offered, "--offline", **{key: value}) == (DONE, "")


def test_postgresql_that_is_away(offered, tmp_path):
    status, text = check(offered, database=f"host={tmp_path} dbname=mapdiary")
    assert status == AWAY and "database: PostgreSQL cannot be asked: " in text
    assert check(offered, read_database=f"host={tmp_path} dbname=mapdiary")[0] == DONE


@pytest.mark.slow
def test_postgresql_that_says_nothing(offered, tmp_path):
    """The time that it is given is bounded."""
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(str(tmp_path / ".s.PGSQL.5432"))
        silent.listen()
        begin = time.monotonic()
        assert check(offered, database=f"host={tmp_path} dbname=mapdiary")[0] == AWAY
        assert time.monotonic() - begin < 200


def test_postgresql_that_is_full(folder):
    """Of others, who may go."""
    postgres = Postgres(folder, settings="max_connections = 20\nsuperuser_reserved_connections = 3\n")
    postgres.create_database("mapdiary")
    service = Service(folder, postgres)
    assert service.ctl("migrate").returncode == 0

    watcher = postgres.connect("mapdiary", "mapdiary")
    cursor = watcher.cursor()

    def check_beside(others, **settings):
        """Once who has gone is gone for PostgreSQL, too. It counts none of the service's own role, whose the watcher is."""
        there = "SELECT count(*) FROM pg_stat_activity WHERE datid IS NOT NULL AND usename <> 'mapdiary'"
        until(lambda: cursor.execute(there) or cursor.fetchone()[0] == others, "the others have gone")
        return check(service, **settings)

    with contextlib.closing(watcher), contextlib.ExitStack() as stack:
        for _ in range(10):
            stack.enter_context(contextlib.closing(postgres.connect("mapdiary_owner", "mapdiary")))
        assert check_beside(10, workers=2) == (DONE, "")
        status, text = check_beside(10, workers=10)
        assert status == DONE and "mapdiaryctl they take 13 connections, and of PostgreSQL's 17 others have 10 now" in text
        stack.close()
        assert check_beside(0, workers=14) == (DONE, "")
        assert check_beside(0, workers=15)[0] == CONFIGURATION
    postgres.stop()


def test_a_schema_of_another_version(offered, tmp_path):
    """Which the statements can do with."""
    for path in (TOP / "schema").glob("[0-9]*.sql"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "9999-later.sql").write_text("SELECT 1")
    status, text = check(offered, schema_directory=tmp_path)
    assert status == DONE and "1 migrations are pending: mapdiaryctl migrate" in text
    (tmp_path / "9999-later.sql").unlink()
    max(tmp_path.glob("[0-9]*.sql")).unlink()
    status, text = check(offered, schema_directory=tmp_path)
    assert status == DONE and "the database is newer than this program" in text


@pytest.mark.parametrize("settings", [{"timezone": "Asia/Taipeh"}, {"no_such_key": "1"}, {"signatures": "require"}])
def test_start_with_settings_that_cannot_work(folder, postgres, service, settings):
    other = Service(folder, postgres, **settings)
    process = Process([BUILD / "mapdiaryd", "-c", other.conf], other.log)
    assert process.popen.wait(30) == CONFIGURATION
    assert next(iter(settings.values())) in other.log.read_text() or "master.key" in other.log.read_text()


def test_start_without_a_database_waits(folder, postgres, service):
    other = Service(folder, postgres, database="none_yet")
    process = Process([BUILD / "mapdiaryd", "-c", other.conf], other.log)
    with contextlib.suppress(subprocess.TimeoutExpired):
        pytest.fail(f"ended with {process.popen.wait(3)}")
    assert process.stop(signal.SIGTERM) == 0


@pytest.mark.skipif(not AS_ROOT, reason="only root becomes another user")
def test_root_checks_as_the_service_would(folder):
    """As the owner of its spool, who may read no more than that user."""
    place, spool = folder.make("check"), folder.make("spool")
    place.chmod(0o755)
    shutil.chown(spool, "nobody")
    conf = place / "mapdiary.conf"
    words = place / "words"
    words.write_text("casino\n")
    shutil.copytree(TOP / "conf/mail", place / "mail")
    conf.write_text(f"spool_directory = {spool}\nphoto_directory = {spool}/photos\nmail_directory = {place}/mail\nheld_words = {words}\n")
    conf.chmod(0o600)
    refused = run("-t", "--offline", "-c", conf)
    assert refused.returncode == CONFIGURATION and f"{conf}: Permission denied, as nobody" in refused.stderr
    conf.chmod(0o644)
    assert run("-t", "--offline", "-c", conf).returncode == DONE
    words.chmod(0o600)
    refused = run("-t", "--offline", "-c", conf)
    assert refused.returncode == CONFIGURATION and f"held_words: {words}: Permission denied" in refused.stderr
