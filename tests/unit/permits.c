#include "permit/admission.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "permit/table.h"
#include "unit.h"

enum { WORKERS = 8, SECOND = 1000000 };

static struct permits *permits;

static int set_up(void **state)
{
    (void)state;
    permits = permits_new();
    assert_non_null(permits);
    permits_set_workers(permits, WORKERS);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    permits_free(&permits);
    return 0;
}

static uint64_t name(const char *text)
{
    return *text != '\0' ? permits_name(permits, text) : 0;
}

/* A request whose network has a site of its own. */
static struct asker asker_of(enum work_class class, const char *network, const char *account)
{
    return (struct asker){
        .class = class, .network = name(network), .site = 0, .account = name(account)};
}

static bool take(size_t worker, enum work_class class, const char *network)
{
    const struct asker asker = asker_of(class, network, "");
    struct permit permit;
    return permits_take(permits, worker, &asker, false, &permit);
}

/* Shares --------------------------------------------------------------------------------------- */

static void each_class_has_a_share(void **state)
{
    static const struct {
        enum work_class class;
        size_t workers, most;
    } rows[] = {
        {WORK_DEAR, 8, 4},  {WORK_DEAR, 1, 1},    {WORK_DEAR, 3, 1},
        {WORK_FILE, 8, 2},  {WORK_FILE, 7, 1},    {WORK_FILE, 1, 1},
        {WORK_FILE, 16, 4}, {WORK_DEAR, 100, 50}, {WORK_PASSWORD, 4, 1},
    };
    (void)state;
    for (size_t row = 0; row < COUNT(rows); row++) {
        set_up(NULL);
        permits_set_workers(permits, rows[row].workers);
        for (size_t i = 0; i < rows[row].most; i++)
            assert_true(take(i, rows[row].class, "a"));
        expect_integer("one more", take(rows[row].most, rows[row].class, "b"), false);
        expect_integer("held", permits_look(permits, rows[row].class).held, rows[row].most);
        tear_down(NULL);
    }
}

static void hashing_leaves_half_of_the_processors(void **state)
{
    size_t half = (size_t)sysconf(_SC_NPROCESSORS_ONLN) / 2, most = half > 1 ? half : 1;
    (void)state;
    permits_set_workers(permits, PERMITS_WORKERS);
    if (most > PERMITS_WORKERS / 4)
        most = PERMITS_WORKERS / 4;
    for (size_t i = 0; i < most; i++)
        assert_true(take(i, WORK_PASSWORD, "a"));
    assert_false(take(most, WORK_PASSWORD, "a"));
}

static void three_quarters_together(void **state)
{
    (void)state;
    for (size_t i = 0; i < 4; i++)
        assert_true(take(i, WORK_DEAR, "a"));
    assert_true(take(4, WORK_FILE, "a"));
    assert_true(take(5, WORK_FILE, "a"));
    assert_false(take(6, WORK_PASSWORD, "a"));
    permits_give_of_worker(permits, 0);
    assert_true(take(6, WORK_PASSWORD, "a"));
    assert_false(take(7, WORK_DEAR, "a"));
    assert_true(take(7, WORK_WRITE, "a"));
}

static void half_for_the_writes_of_an_account(void **state)
{
    const struct asker one = asker_of(WORK_WRITE, "a", "one"),
                       two = asker_of(WORK_WRITE, "a", "two");
    struct permit permit;
    (void)state;
    for (size_t i = 0; i < 4; i++)
        assert_true(permits_take(permits, i, &one, false, &permit));
    assert_false(permits_take(permits, 4, &one, false, &permit));
    assert_true(permits_take(permits, 4, &two, false, &permit));
    for (size_t i = 5; i < WORKERS; i++)
        assert_true(take(i, WORK_WRITE, "a"));
}

static void a_change_of_class_makes_room(void **state)
{
    const struct asker asker = asker_of(WORK_FILE, "a", "");
    struct permit permit;
    (void)state;
    permits_set_workers(permits, 4);
    assert_true(permits_take(permits, 0, &asker, false, &permit));
    assert_false(take(1, WORK_FILE, "b"));
    permits_change(permits, &permit, WORK_WRITE);
    assert_true(take(1, WORK_FILE, "b"));
    permits_give(permits, &permit);
    assert_int_equal(permits_look(permits, WORK_WRITE).held, 0);
    assert_int_equal(permits_look(permits, WORK_FILE).held, 1);
}

/* Giving back ---------------------------------------------------------------------------------- */

static void a_permit_is_given_back_once(void **state)
{
    const struct asker asker = asker_of(WORK_FILE, "a", "");
    struct permit first, copy, second;
    (void)state;
    permits_set_workers(permits, 4);
    assert_true(permits_take(permits, 0, &asker, false, &first));
    copy = first;
    permits_give(permits, &first);
    permits_give(permits, &first);
    assert_true(permits_take(permits, 1, &asker, false, &second));
    permits_give(permits, &copy);
    assert_false(take(2, WORK_FILE, "b"));
}

static void the_death_of_a_process_blocks_nobody(void **state)
{
    int status;
    (void)state;
    permits_set_workers(permits, 4);
    pid_t pid = fork();
    if (pid == 0) {
        (void)take(3, WORK_FILE, "a");
        permits_enter(permits);
        permits->limited = 7;
        kill(getpid(), SIGKILL);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_false(take(0, WORK_FILE, "b"));
    permits_give_of_worker(permits, 3);
    assert_int_equal(permits->limited, 0);
    assert_true(take(0, WORK_FILE, "b"));
}

/* Waiting -------------------------------------------------------------------------------------- */

static size_t choose(const struct asker *askers, size_t count, struct permit *permit)
{
    const struct asker *waiting[8];
    for (size_t i = 0; i < count; i++)
        waiting[i] = &askers[i];
    return permits_choose(permits, waiting, count, permit);
}

/* Two requests that wait for the permit that network "held" has, and which of them gets it. A
 * network that is called "used" has used a second before. */
static const struct {
    const char *name;
    struct {
        const char *network, *site, *account;
        bool is_known;
    } a, b;
    size_t want;
} orders[] = {
    {"the first in line", {"x", "", "", false}, {"y", "", "", false}, 0},
    {"the network that used less", {"used", "", "", false}, {"y", "", "", false}, 1},
    {"the account that used less", {"x", "", "user", false}, {"y", "", "other", false}, 1},
    {"a network beside one that used much", {"x", "used site", "", false}, {"y", "", "", false}, 1},
    {"its time counts a little", {"used", "", "", false}, {"x", "used site", "", false}, 1},
    {"a known network", {"x", "", "", false}, {"y", "", "", true}, 1},
    {"a known network that used much", {"x", "", "", false}, {"used", "", "", true}, 0},
};

static void the_least_used_is_next(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(orders); i++) {
        struct asker askers[2];
        struct permit permit;
        set_up(NULL);
        const struct asker used = {.class = WORK_DEAR,
                                   .network = name("used"),
                                   .site = name("used site"),
                                   .account = name("user")};
        permits_charge(permits, &used, SECOND);
        askers[0] = asker_of(WORK_DEAR, orders[i].a.network, orders[i].a.account);
        askers[1] = asker_of(WORK_DEAR, orders[i].b.network, orders[i].b.account);
        askers[0].site = name(orders[i].a.site);
        askers[1].site = name(orders[i].b.site);
        askers[0].is_known = orders[i].a.is_known;
        askers[1].is_known = orders[i].b.is_known;
        expect_integer(orders[i].name, choose(askers, 2, &permit), orders[i].want);
        tear_down(NULL);
    }
}

static void one_each_while_others_wait(void **state)
{
    struct asker askers[3];
    struct permit permit;
    (void)state;
    assert_true(take(0, WORK_DEAR, "a"));
    askers[0] = asker_of(WORK_DEAR, "a", "");
    askers[1] = asker_of(WORK_DEAR, "b", "");
    askers[2] = asker_of(WORK_DEAR, "b", "");
    assert_int_equal(choose(askers, 3, &permit), 1);
    askers[1] = asker_of(WORK_DEAR, "c", "");
    assert_int_equal(choose(askers, 3, &permit), 1);
    assert_int_equal(choose(askers, 2, &permit), 2);
    assert_int_equal(choose(askers, 1, &permit), 0);
}

/* But of other classes a network may hold one, too. */
static void one_of_each_class(void **state)
{
    struct asker askers[2];
    struct permit permit;
    (void)state;
    assert_true(take(0, WORK_FILE, "a"));
    askers[0] = asker_of(WORK_DEAR, "a", "");
    askers[1] = asker_of(WORK_DEAR, "b", "");
    assert_int_equal(choose(askers, 2, &permit), 0);
}

static void the_password_of_one_account(void **state)
{
    struct asker askers[2];
    struct permit permit;
    (void)state;
    permits_set_workers(permits, 1000);
    const struct asker holder = asker_of(WORK_PASSWORD, "a", "victim@example.org");
    assert_true(permits_take(permits, 0, &holder, false, &permit));
    permits_charge(permits, &holder, SECOND);
    permits_give_of_worker(permits, 0);
    assert_true(permits_take(permits, 0, &holder, true, &permit));
    askers[0] = asker_of(WORK_PASSWORD, "b", "Victim@example.org");
    askers[1] = asker_of(WORK_PASSWORD, "c", "other@example.org");
    if (sysconf(_SC_NPROCESSORS_ONLN) >= 4)
        assert_int_equal(choose(askers, 2, &permit), 1);
    permits_give_of_worker(permits, 0);
    permits_give(permits, &permit);
    assert_int_equal(choose(askers, 2, &permit), 0);
}

static void a_request_does_not_overtake_those_that_wait(void **state)
{
    struct asker waiting = asker_of(WORK_FILE, "b", "");
    struct permit first, granted;
    (void)state;
    permits_set_workers(permits, 4);
    const struct asker asker = asker_of(WORK_FILE, "a", "");
    assert_true(permits_take(permits, 0, &asker, false, &first));
    assert_int_equal(choose(&waiting, 1, &granted), 1);
    permits_give(permits, &first);
    assert_false(take(0, WORK_FILE, "c"));
    assert_true(take(0, WORK_CHEAP, "c"));
    assert_int_equal(choose(&waiting, 1, &granted), 0);
    assert_true(permits_take_up(permits, 1, &granted));
    assert_false(take(0, WORK_FILE, "c"));
    permits_give(permits, &granted);
    assert_true(take(0, WORK_FILE, "c"));
}

static bool is_woken(void)
{
    struct pollfd event = {.fd = permits_event(permits), .events = POLLIN};
    return poll(&event, 1, 0) == 1;
}

static void the_waiter_is_woken_where_somebody_waits(void **state)
{
    struct asker waiting = asker_of(WORK_FILE, "b", "");
    const struct asker asker = asker_of(WORK_FILE, "a", "");
    struct permit permit, granted;
    (void)state;
    permits_set_workers(permits, 4);
    assert_true(permits_take(permits, 0, &asker, false, &permit));
    permits_give(permits, &permit);
    assert_false(is_woken());
    assert_true(permits_take(permits, 0, &asker, false, &permit));
    assert_int_equal(choose(&waiting, 1, &granted), 1);
    assert_int_equal(permits_look(permits, WORK_FILE).waiting, 1);
    permits_give(permits, &permit);
    assert_true(is_woken());
}

static void the_last_is_the_one_that_used_most(void **state)
{
    struct asker askers[3];
    const struct asker *waiting[] = {&askers[0], &askers[1], &askers[2]};
    (void)state;
    askers[0] = asker_of(WORK_DEAR, "a", "");
    askers[1] = asker_of(WORK_DEAR, "b", "");
    askers[2] = asker_of(WORK_DEAR, "c", "");
    assert_int_equal(permits_last(permits, waiting, 3), 2);
    permits_charge(permits, &askers[1], SECOND);
    assert_int_equal(permits_last(permits, waiting, 3), 1);
}

/* Admission ------------------------------------------------------------------------------------ */

static struct admission new_admission(size_t worker)
{
    return (struct admission){.permits = permits, .worker = worker, .may_wait = true};
}

static void begin(struct admission *admission)
{
    admission_begin(admission, "192.0.2.1");
    (void)admission_know(admission, "7", "token");
}

static void a_request_waits_and_comes_back(void **state)
{
    struct admission one = new_admission(0), other = new_admission(1);
    struct permit permit;
    (void)state;
    permits_set_workers(permits, 4);
    begin(&one);
    begin(&other);
    assert_int_equal(admission_take(&one, WORK_FILE), STATUS_OK);
    assert_int_equal(admission_take(&other, WORK_FILE), STATUS_UNAVAILABLE);
    assert_true(other.must_wait);
    const struct asker asker = other.asker;
    admission_end(&other);
    assert_int_equal(choose(&asker, 1, &permit), 1);
    admission_end(&one);
    assert_int_equal(choose(&asker, 1, &permit), 0);
    admission_resume(&other, &asker, &permit);
    begin(&other);
    assert_int_equal(admission_take(&other, WORK_FILE), STATUS_OK);
    assert_int_equal(admission_take(&other, WORK_DEAR), STATUS_OK);
    assert_int_equal(permits_look(permits, WORK_FILE).held, 1);
    admission_end(&other);
    assert_int_equal(permits_look(permits, WORK_FILE).held, 0);
}

static void a_late_request_is_refused(void **state)
{
    struct admission one = new_admission(0), other = new_admission(1);
    const struct permit none = {0};
    (void)state;
    permits_set_workers(permits, 4);
    begin(&one);
    assert_int_equal(admission_take(&one, WORK_FILE), STATUS_OK);
    const struct asker asker = asker_of(WORK_FILE, "a", "");
    admission_resume(&other, &asker, &none);
    begin(&other);
    assert_int_equal(admission_take(&other, WORK_FILE), STATUS_UNAVAILABLE);
    assert_false(other.must_wait);
    assert_int_equal(permits_look(permits, WORK_FILE).refused, 1);
}

static void without_a_waiter_there_is_no_limit(void **state)
{
    struct admission one = new_admission(0), other = new_admission(1);
    (void)state;
    one.may_wait = other.may_wait = false;
    permits_set_workers(permits, 1);
    begin(&one);
    begin(&other);
    assert_int_equal(admission_take(&one, WORK_FILE), STATUS_OK);
    assert_int_equal(admission_take(&other, WORK_FILE), STATUS_OK);
}

static void an_account_counts_once_it_is_proven(void **state)
{
    struct admission admission = new_admission(0);
    (void)state;
    begin(&admission);
    assert_int_equal(admission.asker.account, 0);
    admission_prove(&admission, "7", "token");
    admission_end(&admission);
    begin(&admission);
    assert_int_equal(admission.asker.account, name("7"));
    admission_end(&admission);
    admission_begin(&admission, "192.0.2.1");
    assert_false(admission_know(&admission, "7", "another"));
    assert_int_equal(admission.asker.account, 0);
    assert_false(admission_know(&admission, "8", "token"));
    assert_true(admission_know(&admission, "7", "token"));
    assert_int_equal(admission.asker.account, name("7"));
}

static void hashing_ends_before_the_request(void **state)
{
    struct admission one = new_admission(0), other = new_admission(1);
    (void)state;
    permits_set_workers(permits, 4);
    begin(&one);
    begin(&other);
    assert_int_equal(admission_take_password(&one, "a@example.org", false), STATUS_OK);
    assert_int_equal(admission_take_password(&other, "b@example.org", false), STATUS_UNAVAILABLE);
    admission_end(&other);
    admission_end_password(&one);
    begin(&other);
    assert_int_equal(admission_take_password(&other, "b@example.org", true), STATUS_OK);
    assert_int_equal(permits_look(permits, WORK_WRITE).held, 1);
    admission_end(&one);
    admission_end(&other);
    assert_int_equal(permits_look(permits, WORK_WRITE).held, 0);
    assert_true(permits_look(permits, WORK_PASSWORD).seconds > 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_class_has_a_share),
        TEST(hashing_leaves_half_of_the_processors),
        TEST(three_quarters_together),
        TEST(half_for_the_writes_of_an_account),
        TEST(a_change_of_class_makes_room),
        TEST(a_permit_is_given_back_once),
        TEST(the_death_of_a_process_blocks_nobody),
        cmocka_unit_test(the_least_used_is_next),
        TEST(one_each_while_others_wait),
        TEST(one_of_each_class),
        TEST(the_password_of_one_account),
        TEST(a_request_does_not_overtake_those_that_wait),
        TEST(the_waiter_is_woken_where_somebody_waits),
        TEST(the_last_is_the_one_that_used_most),
        TEST(a_request_waits_and_comes_back),
        TEST(a_late_request_is_refused),
        TEST(without_a_waiter_there_is_no_limit),
        TEST(an_account_counts_once_it_is_proven),
        TEST(hashing_ends_before_the_request),
    };
    return RUN_TESTS(tests);
}
