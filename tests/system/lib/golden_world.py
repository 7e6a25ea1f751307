"""What the golden answers are about: rows whose columns are fixed, identifiers and moments among them, so that the
service's answers about them are the same bytes on every run."""

import samples
from conftest import new_token

MARKUP = "<b a='1' c=\"2\">&amp; ]]> & < > &#13;</b>"
BLANKS = "  leading,  inner and trailing  "
ONLY_BLANKS = "   "
TABS = "\ta\t\tb\t"
WIDE = "🗺️ 𠮷野家 𝒳 \U0010fffd"
LINES = "\r\na\r\n\r\nb\rc\nd\n\re \r\n"
LARGEST = 2**63 - 1

MOMENT = f"2001-02-03 23:59:59 {samples.ZONE}"  # of the day 3 in the service's time zone
ALICE, BOB, CAROL, EMPTY, LISTED, OTHER = range(1001, 1007)
USERS = {  # identifier: name and icon
    ALICE: (f"愛麗絲 {MARKUP}", "https://example.org/alice.png?a=1&b=<2>"), BOB: (WIDE, ""), CAROL: (ONLY_BLANKS, BLANKS),
    EMPTY: ("nothing", ""), LISTED: ("lists", ""), OTHER: ("other", ""),
    LARGEST: ("the last one", ""),
}
PASSWORD = "correct horse"

# The identifiers of pieces with everything optional, without, and of those that are at the edges.
FULL, BARE, BLANK, WIDEST, TABBED, LOWEST = range(2001, 2007)
DOOMED, WRITABLE, FUTURE, OF_ANOTHER = range(2101, 2105)
WITHOUT_CHOICES, QUOTING, CLOSED = range(2201, 2204)
MANY, FIRST_OF_MANY = 25_000, 10_000_001


def columns(*names):
    """Rows of a table from tuples of these columns."""
    return lambda *rows: [dict(zip(names, row)) for row in rows]


ROWS = [
    ("album", columns("number", "owner_id", "title", "slot", "lat", "lng", "score", "updated_at")(
        (FULL, ALICE, f"墾丁之旅 {MARKUP}", 5, "21.9483", "120.7798", 42, MOMENT),
        (BARE, BOB, "x", 1, "0", "0", 0, MOMENT),
        (BLANK, CAROL, BLANKS, 16, "-1.50", "-179.900", -12, MOMENT),
        (WIDEST, LARGEST, WIDE, 10, "89.9999999999999", "-123.456789012345", 2**31 - 1,
         f"0001-01-01 12:00 {samples.ZONE}"),
        (TABBED, BOB, TABS, 9, "-90", "180.000", -(2**31), f"9999-12-31 12:00 {samples.ZONE}"),
        (LARGEST, LARGEST, ONLY_BLANKS, 2, "0.0", "-0.10", 1, MOMENT),
    )),
    ("photo", columns("photo_id", "kind", "number", "position", "address", "description")(
        (3001, 0, FULL, 9, "https://example.org/t/2.jpg", ""),
        (3002, 0, FULL, 7, "https://example.org/t/1.jpg?w=1&h=<2>", f"第一張 {LINES}{MARKUP}"),
        (LARGEST, 0, FULL, 2**31 - 1, BLANKS, ONLY_BLANKS),
        (3003, 0, BLANK, 1, WIDE, TABS),
    )),
    ("poi", columns("number", "owner_id", "title", "slot", "lat", "lng", "score", "updated_at")(
        (FULL, ALICE, f"龍山寺 {MARKUP}", 18, "25.0372", "121.49990", 42, MOMENT),
        (BARE, BOB, "x", 17, "0", "0", 0, MOMENT),
        (BLANK, CAROL, BLANKS, 17, "-1.50", "-179.900", -12, MOMENT),
        (WIDEST, LARGEST, WIDE, 17, "89.9999999999999", "-123.456789012345", 2**31 - 1, MOMENT),
        (TABBED, BOB, TABS, 17, "-90", "180.000", -(2**31), MOMENT),
        (LARGEST, LARGEST, ONLY_BLANKS, 17, "0.0", "-0.10", 1, MOMENT),
    )),
    ("photo", columns("kind", "number", "position", "address", "description")(
        (1, FULL, 9, "https://example.org/p/2.jpg", ""),
        (1, FULL, 7, "http://example.org/p/1.jpg?a&b='<\">", f"第一張 {LINES}{MARKUP}"),
        (1, FULL, 2**31 - 1, f"https://{WIDE}", ONLY_BLANKS),
    )),
    ("blog", columns("number", "owner_id", "slot", "lat", "lng", "title", "content", "post_date", "weather",
                     "reply_number", "zoom_level", "map_type", "user_category", "score")(
        (BARE, BOB, 22, "0", "0", "x", "y", "2024-02-29", "晴空萬里", None, 14, 1, None, 0),
        (FULL, ALICE, 30, "25.0330", "121.565400", f"登山 {MARKUP}", f"<b>好</b>\r\n{MARKUP}{LINES}{WIDE}",
         "2001-02-03", "有彩虹", BARE, 21, 3, f"登山 {MARKUP}", 42),
        (BLANK, CAROL, 26, "-1.50", "-179.900", BLANKS, ONLY_BLANKS, "1999-12-31", "狂風暴雨",
         None, 0, 2, ONLY_BLANKS, -12),
        (WIDEST, LARGEST, 24, "89.9999999999999", "-123.456789012345", WIDE, WIDE * 1000, "0001-01-01", "陰雨綿綿",
         None, 14, 1, WIDE, 2**31 - 1),
        (TABBED, BOB, 23, "-90", "180.000", TABS, LINES, "2000-10-10", "大雪數日", None, 14, 1, TABS, -(2**31)),
        (LOWEST, BOB, 25, "1", "2", ONLY_BLANKS, "\r", "2000-01-01", "雨過天晴", None, 1, 1, BLANKS, 0),
        (LARGEST, LARGEST, 27, "0.0", "-0.10", "last", "\n", "2000-01-01", "烏雲滿天", None, 14, 1, None, 1),
        (QUOTING, BOB, 28, "1", "2", "q", "q", "2000-01-01", "晴空萬里", LARGEST, 14, 1, None, 1),
        (WITHOUT_CHOICES, BOB, 29, "1", "2", "v", "v", "2000-01-01", "晴空萬里", None, 14, 1, None, 1),
        (CLOSED, BOB, 29, "1", "2", "v", "v", "2000-01-01", "晴空萬里", None, 14, 1, None, 1),
        (FUTURE, ALICE, 29, "1", "2", "f", "f", "9999-12-31", "晴空萬里", None, 14, 1, None, 1),
    )),
    ("vote", columns("blog_id", "description", "closed_at")(
        (FULL, f"哪一座? {MARKUP}", None), (WITHOUT_CHOICES, ONLY_BLANKS, None), (CLOSED, "over", MOMENT),
    )),
    ("vote_choice", columns("blog_id", "position", "description", "votes")(
        (FULL, 9, BLANKS, 0), (FULL, 7, MARKUP, 2**31 - 1), (FULL, 11, WIDE, 1), (CLOSED, 1, TABS, 3),
    )),
    # The last one first, as it is their time that orders them; then those of the same moment, by identifier.
    *[("comment", columns("comment_id", "kind", "number", "commenter_id", "comment", "created_at", "reply", "replied_at")(
        (4000 + 10 * kind, kind, FULL, BOB, WIDE, "2026-02-03 04:05:06.999999+00", None, None),
        (4001 + 10 * kind, kind, FULL, ALICE, f"{MARKUP}{LINES}", "1970-01-01 00:00:00+00", LINES, "9999-12-31 23:59:59+00"),
        (4002 + 10 * kind, kind, FULL, CAROL, ONLY_BLANKS, "1969-12-31 23:59:58.5+00", BLANKS, "1969-12-31 23:59:59.5+00"),
        (4003 + 10 * kind, kind, FULL, BOB, TABS, "1970-01-01 00:00:00+00", None, None),
        (4004 + 10 * kind, kind, BLANK, ALICE, BLANKS, "0001-01-01 00:00:00+00", MARKUP, "0001-01-01 00:00:00+00"),
    )) for kind in range(3)],
]
LONG_LIST = f"""
    INSERT INTO {{table}} (number, owner_id, title, slot, lat, lng)
        SELECT {FIRST_OF_MANY} + n, {LISTED}, '第 ' || n || ' 處 <&"> ]]>', {{slot}}, 0, 0
        FROM generate_series(0, {MANY - 1}) n"""
LONG_LISTS = [LONG_LIST.format(table=table, slot=slot) for table, slot in (("album", 4), ("poi", 20))]

# What the writes change is there for each of them, whatever the one before did to it.
AN_ALBUM = """INSERT INTO album (number, owner_id, title, slot, lat, lng) VALUES ({}, {}, 'w', 1, 0, 0)
    ON CONFLICT DO NOTHING"""
A_BLOG = """INSERT INTO blog (number, owner_id, slot, lat, lng, title, content, post_date, public_day, weather)
    VALUES ({}, {}, 22, 0, 0, 'w', 'w', '2000-01-01', '2000-01-01', '晴空萬里') ON CONFLICT DO NOTHING"""
BEFORE_A_WRITE = [piece.format(identifier, owner) for piece in (AN_ALBUM, A_BLOG)
                  for identifier, owner in ((DOOMED, ALICE), (WRITABLE, ALICE), (OF_ANOTHER, OTHER))]

# An album with this title cannot be written.
TITLE_THAT_FAILS = "fails"
FAILING = f"ALTER TABLE album ADD CONSTRAINT fails CHECK (title <> '{TITLE_THAT_FAILS}')"


def add_users(service, db):
    """All users, logged in; by their identifiers."""
    users = {}
    for wanted, (name, icon) in USERS.items():
        email = f"u{wanted}@example.org"
        added = service.ctl("user", "add", "--email", email, "--name", "x", text=PASSWORD + "\n")
        assert added.returncode == 0, added.stderr
        db.run("UPDATE user_account SET user_id = %s, name = %s, icon = %s WHERE user_id = %s",
               wanted, name, icon, int(added.stdout))
        users[wanted] = samples.User(wanted, email, PASSWORD, name, icon)
        users[wanted].token = new_token(service, users[wanted])
    return users


def fill(db):
    for table, rows in ROWS:
        for row in rows:
            db.insert(table, **row | ({"public_day": row["post_date"]} if table == "blog" else {}))
    for statement in LONG_LISTS:
        db.run(statement)
    db.run("UPDATE album SET cover_photo_id = %s WHERE number = %s", LARGEST, FULL)
    # Photos and covers changed the albums and places that have them.
    for table, rows in ROWS:
        for row in rows if table in ("album", "poi") else ():
            db.run(f"UPDATE {table} SET updated_at = %s WHERE number = %s", row["updated_at"], row["number"])
    db.run(FAILING)
