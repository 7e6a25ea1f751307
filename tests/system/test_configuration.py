"""mapdiaryd -t and -T."""

import subprocess

import pytest

from service import BUILD, ENVIRONMENT, TOP


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
                     "spool_directory": "/cache/mapdiary"}.items():
        # The installation decides where these are.
        for table in want, sample:
            assert table[key][1].endswith(end)
            table[key] = table[key][0]
    assert sample == want


def test_shown_configuration_is_a_configuration(service, tmp_path):
    shown = run("-T", "-c", service.conf)
    copy = tmp_path / "copy.conf"
    copy.write_text(shown.stdout, encoding="utf-8")
    assert run("-t", "-c", copy).returncode == 0
    assert run("-T", "-c", copy).stdout == shown.stdout


@pytest.mark.parametrize("line, said", [
    ("no_such_key = 1", "no_such_key: no such key"), ("workers = 5000", "workers: '5000' is not an integer from 1 to 1000"),
    ("workers = two", "workers: 'two' is not an integer from 1 to 1000"),
    ("io_timeout = 5", "io_timeout: '5' is not a duration (ms, s, m, h, d) from 100ms to 1h"),
    ("listen_mode = 0999", "listen_mode: '0999' is not an octal number from 0000 to 0777"),
    ("listen = 127.0.0.1:99999", "listen: not unix:PATH, or ADDRESS:PORT"),
    ("allowed_origins = app.example", "allowed_origins: no browser sends app.example as an origin"),
    ("allowed_origins = https://app.example/", "allowed_origins: no browser sends https://app.example/ as an origin"),
    ("database = hst=x", 'database: invalid connection option "hst"'),
    ("log_level = loud", "log_level: 'loud' is not one of error, warning, notice, info, debug"),
    ("trace_database = yes", "trace_database: 'yes' is not one of off, on"),
    ("spool_size = 2GB", "spool_size: '2GB' is not a size (B, KiB, MiB, GiB, TiB) from 1MiB to 1024TiB"),
    ("spool_directory = /nonexistent", "spool_directory: no file can be made in /nonexistent: No such file"),
    ("spool_directory = /proc", "spool_directory: no file can be made in /proc: "), ("[section]\nworkers = 2", "section: "),
    ("password_memory = 1024\npassword_operations = 3", "password_operations: "), ("nonsense", ""),
])
def test_every_fault_is_told_with_its_line(tmp_path, line, said):
    conf = tmp_path / "mapdiary.conf"
    conf.write_text(f"# a comment\n\nreward_per_blog = 3\n{line}\n", encoding="utf-8")
    checked = run("-t", "-c", conf)
    number = 4 + line.count("\n")
    assert checked.returncode == 1
    assert f"{conf}:{number}: {said}" in checked.stderr


def test_all_faults_in_one_go(tmp_path):
    conf = tmp_path / "mapdiary.conf"
    conf.write_text("workers = 0\nfoo = 1\nworkers = 3\n", encoding="utf-8")
    assert run("-t", "-c", conf).stderr.count(f"{conf}:") == 2


@pytest.mark.parametrize("path", ["/nonexistent/mapdiary.conf", "/"])
def test_unreadable_file(path):
    checked = run("-t", "-c", path)
    assert checked.returncode == 1 and path in checked.stderr
