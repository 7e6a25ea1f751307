"""Identifiers: those that the service gives out are numbers that every reader of JSON holds exactly."""

import json

import pytest

from samples import ALBUM, BLOG

MOST = 2**53 - 1  # RFC 8259, section 6


def test_no_identifier_above_the_most(db):
    sequences = db.run("SELECT sequencename, max_value FROM pg_sequences WHERE schemaname = 'mapdiary'")
    assert len(sequences) >= 8
    assert {name: most for name, most in sequences if most > MOST} == {}


@pytest.mark.parametrize("func, params, table, column, name", [
    ("addAlbum", ALBUM, "album", "number", "albumID"), ("postBlog", BLOG, "blog", "number", "blogID"),
])
def test_the_last_one(service, db, alice, func, params, table, column, name):
    sequence = db.value("SELECT pg_get_serial_sequence(%s, %s)", table, column)
    before = db.value(f"SELECT last_value FROM {sequence}")
    db.run("SELECT setval(%s, %s)", sequence, MOST - 1)
    try:
        last = service.call(func, user=alice, responseFormat="JSON", **params)
        assert json.loads(last.body)[name] == MOST
        assert float(MOST) == MOST and f'"{name}":{MOST}' in last.body.decode()
        with db.unchanged():
            answer = service.call(func, user=alice, **params)
            assert (answer.http_status, answer.info) == (500, "INTERNAL ERROR")
    finally:
        db.run("SELECT setval(%s, %s)", sequence, before)
        db.run(f"DELETE FROM {table} WHERE {column} = %s", MOST)
    assert service.call(func, user=alice, **params).info is None
