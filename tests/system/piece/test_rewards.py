"""The reward: credited exactly once for each blog that is accepted, up to the limit of a day."""

import pytest

from samples import BLOG, FIRST_ZONE, LAST_ZONE, date_params, today
from service import at_once


@pytest.fixture
def author(new_user):
    """A user without any blog today."""
    return new_user()


@pytest.fixture
def ledger(db, author):
    """The author's entries: (blog, amount)."""
    return lambda: db.run("SELECT blog_id, amount FROM ledger WHERE user_id = %s ORDER BY entry_id", author.id)


def post(service, author, **changed):
    answer = service.ok("postBlog", user=author, **BLOG | changed)
    return int(answer["blogID"]), int(answer["reward"])


def test_five_a_day(service, author, ledger):
    posted = [post(service, author) for _ in range(7)]
    assert [reward for _, reward in posted] == [10, 10, 10, 10, 10, 0, 0]
    assert ledger() == posted[:5]


def test_the_other_columns_of_an_entry(service, db, author):
    post(service, author)
    assert db.column("SELECT credited_on FROM ledger WHERE user_id = %s", author.id) == [today()]


@pytest.mark.parametrize("per_blog, daily_limit, want", [(7, 2, [7, 7, 0]), (3, 1, [3, 0, 0]), (0, 5, [0, 0, 0]), (5, 0, [0, 0, 0])])
def test_as_configured(start_service, author, ledger, per_blog, daily_limit, want):
    service = start_service(reward_per_blog=per_blog, reward_daily_limit=daily_limit)
    posted = [post(service, author) for _ in range(3)]
    assert [reward for _, reward in posted] == want
    assert ledger() == [(blog, reward) for blog, reward in posted if reward]


def test_each_author_has_a_limit_of_their_own(start_service, author, new_user):
    service, other = start_service(reward_daily_limit=1), new_user()
    assert [post(service, user)[1] for user in (author, other, author, other)] == [10, 10, 0, 0]


@pytest.mark.parametrize("params, info", [
    ({"replyBlogID": 2**63 - 1}, "BLOG NOT FOUND"), ({"blogTitle": ""}, "INVALID PARAMETER: blogTitle"),
    ({"year": 0}, "INVALID PARAMETER: year"), ({"weather": "x"}, "INVALID PARAMETER: weather"),
])
def test_a_refused_blog_earns_nothing(service, author, ledger, params, info):
    assert service.call("postBlog", user=author, **BLOG | params).info == info
    assert ledger() == []
    assert post(service, author)[1] == 10


def test_deleting_gives_nothing_back_and_takes_nothing(start_service, author, ledger):
    """Posting, deleting and posting again would be a way to earn more."""
    service = start_service(reward_daily_limit=2)
    for want in 10, 10, 0, 0:
        blog, reward = post(service, author)
        assert reward == want
        service.ok("updateBlog", user=author, blogID=blog, delete="true")
    assert ledger() == [(None, 10), (None, 10)]


def test_an_update_earns_nothing(service, author, ledger):
    blog, _ = post(service, author)
    for _ in range(3):
        service.ok("updateBlog", user=author, blogID=blog, **BLOG)
    assert ledger() == [(blog, 10)]


@pytest.mark.parametrize("days", [-400, 1, 400])
def test_the_day_of_posting_counts_and_not_the_blogs(start_service, author, ledger, days):
    service = start_service(reward_daily_limit=1)
    assert [post(service, author, **date_params(today(days=days)))[1], post(service, author)[1]] == [10, 0]


def test_a_new_day_starts_anew(start_service, db, author):
    service = start_service(reward_daily_limit=1)
    assert [post(service, author)[1] for _ in range(2)] == [10, 0]
    db.run("UPDATE ledger SET credited_on = credited_on - 1 WHERE user_id = %s", author.id)
    assert [post(service, author)[1] for _ in range(2)] == [10, 0]


def test_the_day_is_one_of_the_services_time_zone(start_service, db, author):
    for zone in FIRST_ZONE, LAST_ZONE:
        before = today(zone)
        blog, _ = post(start_service(timezone=zone), author)
        # A day may end here meanwhile.
        assert before <= db.value("SELECT credited_on FROM ledger WHERE blog_id = %s", blog) <= today(zone)


def test_posts_at_once(start_service, author, ledger):
    """However many at a time, and of whichever service: each is credited once, and five of them at all."""
    services = [start_service(workers=6), start_service(workers=6)]
    posted = at_once(*[lambda service=service: post(service, author) for service in 10 * services])
    assert sorted(reward for _, reward in posted) == 15 * [0] + 5 * [10]
    assert sorted(ledger()) == sorted(entry for entry in posted if entry[1])
    assert len({blog for blog, _ in posted}) == 20


def test_the_database_credits_no_blog_twice(db, service, author):
    blog, _ = post(service, author)
    with pytest.raises(Exception, match="ledger_blog_id_credited_on_key"):
        db.insert("ledger", user_id=author.id, blog_id=blog, amount=10, credited_on=today())
