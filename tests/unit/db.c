#include "db.h"

#include <stdlib.h>

#include "unit.h"

struct db_counters test_db_counters;

struct db *test_db_open(const struct db_statement *statements, int64_t timeout)
{
    static const struct db_statement *registry[2];
    static struct db_options options;
    registry[0] = statements;
    options = (struct db_options){.conninfo = getenv("MAPDIARY_TEST_DATABASE"),
                                  .timezone = "Asia/Taipei",
                                  .timeout = timeout,
                                  .patience = 5000,
                                  .registry = registry,
                                  .counters = &test_db_counters};
    struct db *db = db_new(&options);
    assert_int_equal(db_connect(db), STATUS_OK);
    return db;
}

void test_db_script(const char *sql)
{
    const struct db_options options = {.conninfo = getenv("MAPDIARY_TEST_DATABASE"),
                                       .patience = 5000};
    struct db *db = db_new(&options);
    enum status status = db_script(db, sql);
    db_free(&db);
    expect_integer(sql, status, STATUS_OK);
}

int64_t test_db_integer(struct db *db, const struct db_statement *statement)
{
    struct arena *arena = arena_new();
    struct db_batch *batch = db_batch_new(db, arena);
    const struct db_rows *rows = db_batch_add(batch, statement, NULL, 0);
    db_start_request(db, "test");
    expect_integer(statement->name, db_batch_run(batch), STATUS_OK);
    expect_integer(statement->name, (long long)db_rows_count(rows), 1);
    struct db_row row = db_row(rows, 0);
    int64_t value = db_read_integer(&row);
    db_batch_reset(batch);
    arena_free(&arena);
    return value;
}
