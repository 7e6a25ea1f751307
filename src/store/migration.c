#include "store/migration.h"

#include <string.h>

#include "base/log.h"
#include "store/statements.h"

const struct db_statement *const migration_registry[] = {migration_statements, NULL};

/* The number of the lock is "mapdiary" in hexadecimal ASCII. */
static const char prepare[] =
    "SELECT pg_advisory_lock(x'6d61706469617279'::bigint);"
    "DO $$ BEGIN"
    " IF current_setting('server_encoding') <> 'UTF8' THEN"
    "  RAISE EXCEPTION 'the database must have the encoding UTF8'; END IF; END $$;"
    "CREATE SCHEMA IF NOT EXISTS mapdiary;"
    "CREATE TABLE IF NOT EXISTS mapdiary.migration (number integer PRIMARY KEY,"
    " name text NOT NULL, checksum text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())";

enum status migration_prepare(struct db *db)
{
    return db_script(db, prepare);
}

enum status migration_list(struct db_batch *batch, struct arena *arena,
                           struct migrations *migrations)
{
    const struct db_rows *rows = db_batch_add(batch, SQL_MIGRATION_LIST, NULL, 0);
    enum status status = db_batch_run(batch);
    if (status != STATUS_OK)
        return status;
    migrations->count = db_rows_count(rows);
    migrations->list = arena_take_array(arena, migrations->count, sizeof *migrations->list);
    for (size_t i = 0; i < migrations->count; i++) {
        struct db_row row = db_row(rows, i);
        migrations->list[i].number = db_read_integer(&row);
        migrations->list[i].name = db_read_text(&row);
        migrations->list[i].checksum = db_read_text(&row);
        migrations->list[i].applied_at = db_read_epoch(&row);
    }
    return STATUS_OK;
}

static void add_record(struct buffer *script, const struct migration *migration)
{
    buffer_add_format(script,
                      "\n;INSERT INTO mapdiary.migration (number, name, checksum)"
                      " VALUES (%lld, '%s', '%s')",
                      (long long)migration->number, migration->name, migration->checksum);
}

/* Together ------------------------------------------------------------------------------------- */

enum status migration_begin(struct db *db)
{
    return db_script(db, "BEGIN; SET LOCAL search_path = mapdiary;"
                         "SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = '1s'");
}

enum status migration_apply(struct db *db, const struct migration *migration,
                            const struct buffer *sql)
{
    struct buffer script = {0};
    buffer_add(&script, sql->data, sql->length);
    add_record(&script, migration);
    enum status status = db_continue(db, script.data);
    buffer_free(&script);
    return status;
}

enum status migration_commit(struct db *db)
{
    return db_continue(db, "COMMIT");
}

/* If the rollback fails, the connection is lost, and the transaction with it. */
void migration_roll_back(struct db *db)
{
    if (db_script(db, "ROLLBACK") != STATUS_OK)
        db_reset(db);
}

/* One by one ----------------------------------------------------------------------------------- */

bool migration_is_one_by_one(const struct buffer *sql)
{
    static const char one_by_one[] = "-- one by one\n";
    return sql->length >= sizeof one_by_one - 1 &&
           memcmp(sql->data, one_by_one, sizeof one_by_one - 1) == 0;
}

static enum status record(struct db *db, const struct migration *migration)
{
    struct buffer script = {0};
    add_record(&script, migration);
    enum status status = db_script_with_patience(db, script.data);
    buffer_free(&script);
    return status;
}

/* Tables that have been parted take no such index. */
static enum status run_one(struct db *db, char *sql)
{
    static const char word[] = " CONCURRENTLY";
    enum status status = db_script_with_patience(db, sql);
    char *at = strstr(sql, word);
    if (status != STATUS_INTERNAL || at == NULL)
        return status;
    log_notice("once more, without%s", word);
    memset(at, ' ', sizeof word - 1);
    return db_script_with_patience(db, sql);
}

enum status migration_apply_one_by_one(struct db *db, const struct migration *migration,
                                       const struct buffer *sql)
{
    static const char end[] = ";\n";
    struct buffer rest = {0};
    enum status status = db_script(db, "SET statement_timeout = 0; SET lock_timeout = 0");
    buffer_add(&rest, sql->data, sql->length);
    buffer_add(&rest, "", 1);
    for (char *at = rest.data, *next; status == STATUS_OK; at = next) {
        next = strstr(at, end);
        if (next == NULL)
            break;
        *next = '\0';
        next += sizeof end - 1;
        status = run_one(db, at);
    }
    buffer_free(&rest);
    return status == STATUS_OK ? record(db, migration) : status;
}

enum status migration_find_holders(struct db_batch *batch, const char **holders)
{
    const struct db_rows *rows = db_batch_add(batch, SQL_MIGRATION_HOLDERS, NULL, 0);
    enum status status = db_batch_run(batch);
    if (status != STATUS_OK)
        return status;
    struct db_row row = db_row(rows, 0);
    *holders = db_read_text(&row);
    return STATUS_OK;
}
