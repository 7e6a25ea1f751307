"""A process that hangs is killed and replaced by the master: SIGSTOP stands for whatever holds it."""

import contextlib
import os
import signal

import pytest

import drawn
from processes import decoder, indexer, waiter
from samples import ALBUM, BLOG
from service import until
from test_pool import Slow, waiting

OTHERS = {"indexer": indexer, "waiter": waiter, "decoder": decoder}


# While the indexer works, it has ten minutes. It works at its start, and looks around each second.
RESTING = """SELECT count(*) FROM pg_stat_activity
              WHERE application_name = 'mapdiary-indexer' AND state = 'idle' AND state_change < clock_timestamp() - interval '0.2 s'"""
INDEXERS = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'mapdiary-indexer'"


@pytest.mark.slow
def test_indexer_waiter_and_decoder(start_service, db, postgres, new_user):
    with contextlib.closing(postgres.connect("postgres", "postgres")) as connection, connection.cursor() as cursor:
        def count(statement):
            cursor.execute(statement)
            return cursor.fetchone()[0]

        others = count(INDEXERS)
        service, user = start_service(), new_user()
        until(lambda: count(INDEXERS) > others and count(RESTING) == count(INDEXERS), "the indexers rest")
    before = {name: find(service.daemon.pid) for name, find in OTHERS.items()}
    for pid in before.values():
        os.kill(pid, signal.SIGSTOP)
    for name, pid in before.items():
        until(lambda: f"{name} {pid} is stuck and is killed" in service.log.read_text(), f"the {name} is killed", 60)

    def is_replaced():
        try:
            now = {name: find(service.daemon.pid) for name, find in OTHERS.items()}
        except ValueError:  # one is not there yet
            return False
        return not set(now.values()) & set(before.values())

    until(is_replaced, "they are replaced")
    # The decoder, the waiter, and the indexer.
    album = service.ok("addAlbum", user=user, **ALBUM)["albumID"]
    service.ok("addPhoto", user=user, albumID=album, photo=drawn.FILE)
    with contextlib.ExitStack() as stack:
        slow = Slow(service, album, stack)
        waiting(service, 1)
        assert slow.is_answered()
    blog = service.ok("postBlog", user=user, **BLOG | {"blogTitle": "Hippopotamus"})["blogID"]
    until(lambda: not db.value("SELECT EXISTS (SELECT FROM search_waiting)"), "the indexer has come to all words")
    assert blog in str(service.ok("search", q="Hippopotamus").body)
