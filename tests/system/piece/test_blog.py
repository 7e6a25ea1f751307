"""postBlog, updateBlog, getBlog: what is kept, what is left out, who may read a blog that is dated in the future."""

import random
import string
import time

import pytest

from samples import BLOG, FIRST_ZONE, LAST_ZONE, date_params, insert_comments, insert_vote, of_blog, today
from service import until

FULL = BLOG | {"zoomLevel": 0, "mapType": 3, "userCategory": "我的 <分類>"}


def test_post_then_read(service, new_user):
    author = new_user("作者", icon="https://example.org/i.png")
    quoted = service.ok("postBlog", user=author, **BLOG)["blogID"]
    posted = service.ok("postBlog", user=author, replyBlogID=quoted, **FULL)
    assert posted.names == ["blogID", "reward"] and posted["reward"] == "10"
    assert service.ok("getBlog", blogID=posted["blogID"]).result == [
        ("authorName", "作者"),
        ("authorIcon", "https://example.org/i.png"),
        ("type", "0_8"),
        ("Location", [("lat", "25.0330"), ("lng", "121.5654")]),
        ("blogTitle", BLOG["blogTitle"]),
        ("blogContent", "<b>好</b>\r\n&amp;"),
        ("postDate", [("year", "2024"), ("month", "02"), ("day", "29")]),
        ("weather", "晴空萬里"),
        ("replyBlogID", quoted),
        ("zoomLevel", "0"),
        ("mapType", "3"),
        ("userCategory", "我的 <分類>"),
        ("score", "0"),
    ]


def test_defaults(service, blog):
    got = service.ok("getBlog", blogID=blog)
    assert (got["zoomLevel"], got["mapType"]) == ("14", "1")
    assert not {"replyBlogID", "userCategory", "vote", "comments"} & set(got.names)


@pytest.mark.parametrize("choices", [None, 0, 1, 3])
@pytest.mark.parametrize("comments", [0, 1, 3])
def test_vote_and_comments(service, db, blog, bob, choices, comments):
    vote = insert_vote(db, blog, choices) if choices is not None else None
    lists = [("vote", vote), ("comments", insert_comments(db, "blog", blog, bob, comments))]
    db.run("UPDATE blog SET score = 5 WHERE number = %s", blog)
    got = service.ok("getBlog", blogID=blog).result
    assert got[got.index(("score", "5")) + 1 :] == [(name, items) for name, items in lists if items]


def test_update(service, alice, blog, things):
    changed = {"type": "0_0", "lat": "-1", "lng": "2.0", "blogTitle": "T", "blogContent": "C", "year": 1999, "month": "7",
               "day": "01", "weather": "有彩虹", "replyBlogID": things["quoted"], "zoomLevel": 21, "mapType": 2, "userCategory": "u"}
    assert service.ok("updateBlog", user=alice, blogID=blog, **changed).result == []
    got = service.ok("getBlog", blogID=blog)
    assert got["postDate"] == [("year", "1999"), ("month", "07"), ("day", "01")]
    assert got["Location"] == [("lat", "-1"), ("lng", "2.0")]
    for name in "type", "blogTitle", "blogContent", "weather", "replyBlogID", "zoomLevel", "mapType", "userCategory":
        assert got[name] == str(changed[name])


def test_update_has_the_same_defaults_as_post(service, alice, things):
    posted = service.ok("postBlog", user=alice, replyBlogID=things["quoted"], **FULL)["blogID"]
    service.ok("updateBlog", user=alice, blogID=posted, **BLOG)
    got = service.ok("getBlog", blogID=posted)
    assert (got["zoomLevel"], got["mapType"]) == ("14", "1")
    assert "replyBlogID" not in got.names and "userCategory" not in got.names


@pytest.mark.parametrize("value", ["True", "TRUE", "1", " true", "true ", ""])
def test_only_true_deletes(service, db, alice, blog, value):
    with db.unchanged():
        assert service.call("updateBlog", user=alice, blogID=blog, delete=value).info == "MISSING PARAMETER: type"
    service.ok("updateBlog", user=alice, blogID=blog, delete=value, **BLOG)
    service.ok("getBlog", blogID=blog)


@pytest.mark.parametrize("others", [{}, BLOG, {"type": "x", "lat": "", "year": -1, "replyBlogID": 0, "zoomLevel": 99}])
def test_delete_does_not_look_at_the_other_fields(service, alice, blog, others):
    assert service.ok("updateBlog", user=alice, blogID=blog, delete="true", **others).result == []
    assert service.call("getBlog", blogID=blog).info == "BLOG NOT FOUND"
    assert service.call("updateBlog", user=alice, blogID=blog, delete="true").info == "BLOG NOT FOUND"


def test_delete_takes_vote_and_comments_along(service, db, alice, bob, blog):
    def left():
        return [db.value(f"SELECT count(*) FROM {table} WHERE {of_blog(table)}", blog)
                for table in ("blog", "vote", "vote_choice", "comment")]

    insert_vote(db, blog, 3)
    insert_comments(db, "blog", blog, bob, 2)
    assert left() == [1, 1, 3, 2]
    service.ok("updateBlog", user=alice, blogID=blog, delete="true")
    assert left() == [0, 0, 0, 0]


def test_quoting_blog_outlives_the_quoted(service, alice, bob, blog):
    quoting = service.ok("postBlog", user=bob, **BLOG, replyBlogID=blog)["blogID"]
    assert service.ok("getBlog", blogID=quoting)["replyBlogID"] == str(blog)
    service.ok("updateBlog", user=alice, blogID=blog, delete="true")
    assert "replyBlogID" not in service.ok("getBlog", blogID=quoting).names


@pytest.mark.parametrize("func", ["postBlog", "updateBlog"])
def test_quoted_blog_must_exist(service, db, alice, blog, func):
    own = {"blogID": blog} if func == "updateBlog" else {}
    with db.unchanged():
        answer = service.call(func, user=alice, **own, **BLOG, replyBlogID=2**63 - 1)
        assert answer.info == "BLOG NOT FOUND"


def test_blog_cannot_quote_itself(service, db, alice, blog):
    with db.unchanged():
        answer = service.call("updateBlog", user=alice, blogID=blog, **BLOG, replyBlogID=blog)
        assert answer.info == "INVALID PARAMETER: replyBlogID"


# A blog dated in the future is its author's alone until then.


def texts_fetched(db):
    """How often PostgreSQL has looked up a part of a long text of a blog."""
    return db.value("SELECT toast_blks_hit + toast_blks_read FROM pg_statio_all_tables WHERE relid = 'mapdiary.blog'::regclass")


def is_settled(db):
    """A session of PostgreSQL that is at rest tells its figures within ten seconds, where it has told others in the last one."""
    before = texts_fetched(db)
    time.sleep(11)
    return texts_fetched(db) == before and not db.value("SELECT count(*) FROM mapdiary_closed.search_waiting")


@pytest.mark.slow
@pytest.mark.usefixtures("without_autovacuum")
def test_nothing_of_a_future_blog_is_fetched_for_others(start_service, service, db, new_user, postgres):
    """Or the time that an answer takes would tell that there is one."""
    author = new_user()
    text = "".join(random.Random(1).choices(string.ascii_letters, k=90_000))
    blog = service.ok("postBlog", user=author, **BLOG | date_params(today(days=2)) | {"blogContent": text})["blogID"]
    until(lambda: is_settled(db), "its words are noted", 200)

    def fetched_by(cookie, info):
        reader = start_service(workers=1, database=f"{postgres.dsn('mapdiary', 'mapdiary')} application_name=reader")
        before = texts_fetched(db)
        for _ in range(5):
            assert reader.call("getBlog", cookie=cookie, blogID=blog).info == info
        reader.stop()  # when a session of PostgreSQL ends, its figures are told
        until(lambda: not db.value("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'reader'"), "it ends")
        return texts_fetched(db) - before

    for cookie in None, f"id={author.id}; idrand={32 * '0'}":
        assert fetched_by(cookie, "BLOG NOT FOUND") == 0
    assert fetched_by(author.cookie, None) > 0


@pytest.fixture
def future_blog(service, alice):
    return service.ok("postBlog", user=alice, **BLOG | date_params(today(days=1)))["blogID"]


def test_future_blog_is_read_by_its_author(service, alice, future_blog):
    assert service.ok("getBlog", user=alice, blogID=future_blog)["blogTitle"] == BLOG["blogTitle"]


@pytest.mark.parametrize("cookie", [
    None, "bob", "id={alice.id}; idrand={bob.token}", "id={bob.id}; idrand={alice.token}", "id={alice.id}",
])
def test_future_blog_is_not_found_by_others(service, alice, bob, future_blog, cookie):
    cookie = bob.cookie if cookie == "bob" else cookie and cookie.format(alice=alice, bob=bob)
    assert service.call("getBlog", cookie=cookie, blogID=future_blog).info == "BLOG NOT FOUND"


@pytest.mark.parametrize("params", [{"delete": "true"}, BLOG])
def test_future_blog_of_another_is_not_found_by_update(service, db, bob, future_blog, params):
    with db.unchanged():
        answer = service.call("updateBlog", user=bob, blogID=future_blog, **params)
        assert answer.info == "BLOG NOT FOUND"


@pytest.mark.parametrize("func", ["postBlog", "updateBlog"])
def test_future_blog_is_quoted_by_its_author_alone(service, db, alice, bob, future_blog, func):
    own = {user: {"blogID": service.ok("postBlog", user=user, **BLOG)["blogID"]} if func == "updateBlog" else {}
           for user in (alice, bob)}
    with db.unchanged():
        answer = service.call(func, user=bob, **own[bob], **BLOG, replyBlogID=future_blog)
        assert answer.info == "BLOG NOT FOUND"
    service.ok(func, user=alice, **own[alice], **BLOG, replyBlogID=future_blog)


def test_author_changes_and_deletes_a_future_blog(service, alice, future_blog):
    service.ok("updateBlog", user=alice, blogID=future_blog, **BLOG | date_params(today(days=2)))
    assert service.call("getBlog", blogID=future_blog).info == "BLOG NOT FOUND"
    service.ok("updateBlog", user=alice, blogID=future_blog, delete="true")
    assert service.call("getBlog", user=alice, blogID=future_blog).info == "BLOG NOT FOUND"


@pytest.mark.parametrize("days, readable", [(-1, True), (0, True), (1, False)])
def test_days_around_today(service, alice, bob, days, readable):
    blog = service.ok("postBlog", user=alice, **BLOG | date_params(today(days=days)))["blogID"]
    assert (service.call("getBlog", user=bob, blogID=blog).info is None) == readable
    # An update moves the date both ways.
    service.ok("updateBlog", user=alice, blogID=blog, **BLOG | date_params(today(days=1 - days)))
    assert (service.call("getBlog", user=bob, blogID=blog).info is None) == (1 - days <= 0)


def test_the_day_is_one_of_the_services_time_zone(service, start_service, alice):
    """Where it is already tomorrow, everybody reads a blog that is still in the future elsewhere."""
    blog = service.ok("postBlog", user=alice, **BLOG | date_params(today(FIRST_ZONE)))["blogID"]
    assert start_service(timezone=FIRST_ZONE).call("getBlog", blogID=blog).info is None
    assert start_service(timezone=LAST_ZONE).call("getBlog", blogID=blog).info == "BLOG NOT FOUND"
