"""mapdiaryd --reload, which systemctl reload runs: when it returns, all processes have the new configuration."""

import os
import shutil
import signal
import subprocess

import pytest

from processes import indexer, workers
from samples import BLOG
from service import BUILD, ENVIRONMENT, TOP, at_once, in_background, until

PASSWORD = "correct horse"


def ask(pid, seconds=100):
    return subprocess.run([BUILD / "mapdiaryd", "--reload", str(pid)], capture_output=True, text=True, env=ENVIRONMENT, timeout=seconds)


def reload(service, **settings):
    service.settings |= settings
    service.write_configuration()
    return ask(service.daemon.pid).returncode


def test_it_returns_when_all_processes_have_the_new_settings(start_service, new_user):
    service, user = start_service(workers=4, reward_per_blog=10, reward_daily_limit=1000000), new_user()
    for reward in range(11, 21):
        before = {*workers(service.daemon.pid), indexer(service.daemon.pid)}
        assert reload(service, reward_per_blog=reward) == 0
        after = {*workers(service.daemon.pid), indexer(service.daemon.pid)}
        assert len(after) == 5 and not before & after
        assert service.ok("postBlog", user=user, **BLOG)["reward"] == str(reward)


def test_several_at_once(start_service):
    service = start_service()
    before = set(workers(service.daemon.pid))
    assert [ran.returncode for ran in at_once(*[lambda: ask(service.daemon.pid)] * 4)] == [0] * 4
    assert len(workers(service.daemon.pid)) == 2 and not before & set(workers(service.daemon.pid))


def test_what_cannot_work_fails_and_changes_nothing(start_service, album, tmp_path):
    shutil.copytree(TOP / "conf/mail", tmp_path / "texts")
    (tmp_path / "words").write_text("casino\n", encoding="utf-8")
    good = {"mail_directory": tmp_path / "texts", "held_words": tmp_path / "words"}
    service = start_service(**good)
    before = workers(service.daemon.pid)
    for key, value in (("workers", "many"), ("mail_server", "relay.example"), ("held_words", tmp_path / "no"),
                       ("mail_directory", tmp_path / "no"), ("photo_directory", tmp_path / "no/photos"), ("database", "host=/nonexistent")):
        is_set = service.settings[key] if key in service.settings else None
        assert reload(service, **{key: value}) == 1, key
        service.settings[key] = is_set
        assert workers(service.daemon.pid) == before
    assert reload(service) == 0
    assert "the configuration is not changed" in service.log.read_text()
    service.ok("getAlbum", albumID=album)


def is_held(service, user, reader):
    blog = service.ok("postBlog", user=user, **BLOG | {"blogContent": "a casino"})["blogID"]
    return service.call("getBlog", user=reader, blogID=blog).info == "BLOG NOT FOUND"


def test_words_and_texts_that_get_lost_stay_in_use(start_service, new_user, bob, tmp_path):
    """Be it that workers come and go: they have them from the master."""
    shutil.copytree(TOP / "conf/mail", tmp_path / "texts")
    (tmp_path / "words").write_text("casino\n", encoding="utf-8")
    service, user = start_service(workers=1, mail_directory=tmp_path / "texts", held_words=tmp_path / "words"), new_user()
    shutil.rmtree(tmp_path / "texts")
    (tmp_path / "words").unlink()
    for change in (lambda worker: reload(service), lambda worker: os.kill(worker, signal.SIGKILL)):
        (worker,) = workers(service.daemon.pid)
        change(worker)
        until(lambda: service.metric("workers_connected") == 1, "a worker has its database")
        assert is_held(service, user, bob)
        service.ok("register", email=f"lost{worker}@example.org", password=PASSWORD, name="x")
    (tmp_path / "words").write_text("", encoding="utf-8")
    shutil.copytree(TOP / "conf/mail", tmp_path / "texts")
    assert reload(service) == 0
    assert not is_held(service, user, bob)


@pytest.mark.slow
def test_no_worker_waits_for_the_indexer(start_service, new_user):
    """Which here does not end when it is told to, nor by itself."""
    service, user = start_service(reward_per_blog=10), new_user()
    old, before = indexer(service.daemon.pid), set(workers(service.daemon.pid))
    os.kill(old, signal.SIGSTOP)
    with in_background(lambda: reload(service, reward_per_blog=7)) as (asked,):
        until(lambda: len(now := set(workers(service.daemon.pid))) == 2 and not before & now, "the workers are changed")
        assert indexer(service.daemon.pid) == old and not asked.done()
        assert service.ok("postBlog", user=user, **BLOG)["reward"] == "7"
        assert asked.result(60) == 0
    assert indexer(service.daemon.pid) != old


def test_whom_nobody_answers(start_service):
    service = start_service()
    asked = subprocess.Popen([BUILD / "mapdiaryd", "--reload", str(service.daemon.pid)], env=ENVIRONMENT, stderr=subprocess.PIPE)
    os.kill(service.daemon.pid, signal.SIGSTOP)
    service.daemon.stop(signal.SIGKILL)
    assert asked.wait(20) in (0, 1)
    for pid in "1", "0", "-5", "x", str(2**40):
        assert ask(pid).returncode == 64
    assert ask(asked.pid).returncode == 1
    service.start_daemon()
