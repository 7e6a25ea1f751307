#include "db/connection.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "db.h"
#include "unit.h"

enum { SETTINGS, SETTINGS_OF_WRITE };

#define ALL_SETTINGS                                                             \
    "SELECT current_setting('search_path'), current_setting('TimeZone'),"        \
    " current_setting('statement_timeout'), current_setting('client_encoding')," \
    " current_setting('application_name'), current_setting('transaction_isolation')"

static const struct db_statement statements[] = {
    [SETTINGS] = {"settings", ALL_SETTINGS, false, DB_SERVICE},
    [SETTINGS_OF_WRITE] = {"settings_of_write", ALL_SETTINGS, true, DB_SERVICE},
    DB_STATEMENTS_END,
};

static const struct db_statement later_statements[] = {
    {"of_later", "SELECT id FROM not_there_yet", false, DB_SERVICE},
    DB_STATEMENTS_END,
};

static const struct db_statement *const registry[] = {statements, NULL};
static const struct db_statement *const later_registry[] = {later_statements, NULL};

/* Options for the database, which a test changes. */
static struct db_options options;
static struct db_counters counters;
static struct db *own;

static int begin(void **state)
{
    (void)state;
    counters = (struct db_counters){0};
    options = (struct db_options){.conninfo = getenv("MAPDIARY_TEST_DATABASE"),
                                  .timezone = "UTC",
                                  .patience = 5000,
                                  .registry = registry,
                                  .use = DB_SERVICE,
                                  .counters = &counters};
    own = db_new(&options);
    return 0;
}

static int end(void **state)
{
    (void)state;
    db_free(&own);
    return own == NULL ? 0 : -1;
}

/* The servers of a connection string are read once. */
static void aim(const char *conninfo)
{
    options.conninfo = conninfo;
    db_free(&own);
    own = db_new(&options);
}

/* The log of an attempt, and whether there is a connection now. */
static char *log_of_connecting(bool *connected)
{
    unit_log_begin();
    *connected = db_connect(own) == STATUS_OK;
    return unit_log_end();
}

static bool connects_quietly(void)
{
    bool connected;
    free(log_of_connecting(&connected));
    return connected;
}

/* Goes on without ever waiting in db/, as a worker does between two requests. */
static void advance_until(bool ready)
{
    int64_t deadline = clock_milliseconds() + 10000;
    while (db_is_ready(own) != ready && clock_milliseconds() < deadline) {
        struct pollfd server;
        int64_t wait = db_wants(own, &server);
        poll(&server, 1, wait < 0 || wait > 1000 ? 1000 : (int)wait);
        db_advance(own);
    }
    expect_integer("ready", db_is_ready(own), ready);
}

static void expect_settings(int statement, const char *application_name, const char *isolation)
{
    /* PostgreSQL's own limit is a second more: our cancelling comes first. */
    const char *const want[] = {"mapdiary", "Asia/Taipei",    "12234ms",
                                "UTF8",     application_name, isolation};
    struct arena *own_arena = arena_new();
    struct db_batch *own_batch = db_batch_new(own, own_arena);
    const struct db_rows *rows = db_batch_add(own_batch, &statements[statement], NULL, 0);
    db_start_request(own, "request 7");
    assert_int_equal(db_batch_run(own_batch), STATUS_OK);
    struct db_row row = db_row(rows, 0);
    for (size_t i = 0; i < COUNT(want); i++)
        expect_text(want[i], db_read_text(&row), want[i]);
    db_batch_reset(own_batch);
    arena_free(&own_arena);
}

/* Traced, PostgreSQL's log and pg_stat_activity say which request a statement is of. */
static void settings(void **state)
{
    static const struct {
        bool trace;
        const char *name;
    } rows[] = {{false, "mapdiary"}, {true, "mapdiary request 7"}};
    (void)state;
    options.timezone = "Asia/Taipei";
    options.timeout = 11234;
    for (size_t i = 0; i < COUNT(rows); i++) {
        options.trace = rows[i].trace;
        expect_settings(SETTINGS, rows[i].name, "repeatable read");
        expect_settings(SETTINGS_OF_WRITE, rows[i].name, "read committed");
    }
}

static void connecting_at_once(void **state)
{
    (void)state;
    assert_false(db_is_ready(own));
    assert_int_equal(db_backend(own), 0);
    assert_int_equal(db_connect(own), STATUS_OK);
    assert_true(db_is_ready(own));
    assert_true(db_backend(own) > 0);
    assert_string_equal(db_reason(own), "");
    assert_int_equal(db_connect(own), STATUS_OK);
    assert_int_equal(counters.connections, 1);
    assert_int_equal(counters.failed_connections, 0);
}

static void connecting_step_by_step(void **state)
{
    (void)state;
    advance_until(true);
    assert_int_equal(counters.connections, 1);
    assert_int_equal(db_connect(own), STATUS_OK);
    assert_int_equal(counters.connections, 1);
}

/* An attempt that failed is not repeated for every request, nor is its reason logged each time. */
static void nobody_listens(void **state)
{
    bool connected;
    (void)state;
    aim("host=/nonexistent");
    char *log = log_of_connecting(&connected);
    assert_false(connected);
    assert_non_null(strstr(log, "database: "));
    assert_non_null(strstr(log, "/nonexistent"));
    assert_non_null(strstr(db_reason(own), "/nonexistent"));
    assert_null(strchr(db_reason(own), '\n'));
    free(log);

    assert_false(connects_quietly());
    assert_int_equal(counters.failed_connections, 1);
    poll(NULL, 0, 150); /* the first back-off is of 50 to 100 ms */
    log = log_of_connecting(&connected);
    assert_false(connected);
    assert_string_equal(log, "");
    free(log);
    assert_int_equal(counters.failed_connections, 2);
    assert_int_equal(counters.connections, 0);
}

/* The back-off doubles, up to two seconds. */
static void attempts_become_rare(void **state)
{
    struct pollfd server;
    (void)state;
    aim("host=/nonexistent");
    unit_log_begin();
    int64_t ends = clock_milliseconds() + 1500;
    while (clock_milliseconds() < ends) {
        db_advance(own);
        int64_t wait = db_wants(own, &server);
        poll(NULL, 0, wait > 100 ? 100 : (int)wait);
    }
    free(unit_log_end());
    assert_in_range(counters.failed_connections, 3, 6);
}

/* A socket that takes connections, and a server behind it that is stuck. */
static void nobody_answers(void **state)
{
    char folder[] = "/tmp/mapdiary-stuck-XXXXXX", conninfo[64];
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(address.sun_path, sizeof address.sun_path, "%s/.s.PGSQL.5432", folder);
    snprintf(conninfo, sizeof conninfo, "host=%s port=5432 user=u dbname=d", folder);
    int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(listener, 5), 0);

    aim(conninfo);
    options.patience = 500;
    int64_t started = clock_milliseconds();
    bool connected = connects_quietly();
    int64_t first = clock_milliseconds() - started;
    connected = connects_quietly() || connected; /* the patience with this attempt is over */
    int64_t both = clock_milliseconds() - started;
    for (int i = 0; i < 1000; i++)
        db_advance(own);
    int64_t all = clock_milliseconds() - started;
    close(listener);
    unlink(address.sun_path);
    rmdir(folder);

    assert_false(connected);
    assert_in_range(first, 400, 5000);
    assert_true(both - first < 400);
    assert_true(all - both < 400);
}

/* A service that is newer than its schema does not serve, until it was migrated. */
static void statements_that_do_not_fit(void **state)
{
    bool connected;
    (void)state;
    test_db_script("CREATE SCHEMA IF NOT EXISTS mapdiary;"
                   "DROP TABLE IF EXISTS mapdiary.not_there_yet");
    options.registry = later_registry;
    free(log_of_connecting(&connected));
    assert_false(connected);
    assert_non_null(strstr(db_reason(own), "mapdiaryctl migrate"));
    assert_non_null(strstr(db_reason(own), "not_there_yet"));
    assert_int_equal(counters.failed_connections, 1);

    test_db_script("CREATE TABLE mapdiary.not_there_yet (id bigint)");
    unit_log_begin();
    advance_until(true);
    char *log = unit_log_end();
    assert_non_null(strstr(log, "connected again"));
    assert_string_equal(db_reason(own), "");
    free(log);
}

static void a_time_zone_that_is_none(void **state)
{
    (void)state;
    options.timezone = "Nowhere/Land";
    assert_false(connects_quietly());
    assert_non_null(strstr(db_reason(own), "Nowhere/Land"));
}

static void an_idle_connection_that_was_closed(void **state)
{
    (void)state;
    assert_int_equal(db_connect(own), STATUS_OK);
    test_db_kill(own);
    unit_log_begin();
    advance_until(false);
    char *log = unit_log_end();
    assert_non_null(strstr(log, "the server closed the connection"));
    free(log);
    assert_int_equal(counters.lost_connections, 1);
    unit_log_begin();
    advance_until(true);
    free(unit_log_end());
    assert_int_equal(counters.connections, 2);
    assert_int_equal(counters.failed_connections, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        TEST(settings),
        TEST(connecting_at_once),
        TEST(connecting_step_by_step),
        TEST(nobody_listens),
        TEST(attempts_become_rare),
        TEST(nobody_answers),
        TEST(statements_that_do_not_fit),
        TEST(a_time_zone_that_is_none),
        TEST(an_idle_connection_that_was_closed),
    };
    if (!unit_has_database())
        return UNIT_SKIPPED;
    return RUN_TESTS(tests);
}
