"""Pieces that no other test shall find."""

import contextlib

TABLES = "album", "blog", "poi"


@contextlib.contextmanager
def removed(db):
    """Takes away the pieces that are made meanwhile."""
    last = {table: db.value(f"SELECT coalesce(max(number), 0) FROM {table}") for table in TABLES}
    yield
    for table, number in last.items():
        db.run(f"DELETE FROM {table} WHERE number > %s", number)
    db.wait_for_words()
