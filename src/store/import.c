#include "store/import.h"

#include <stdio.h>
#include <stdlib.h>

/* Sorting and hashing a million rows in memory; of the staging table little has to be known for the
 * plans; what is for finding the statements note by themselves (schema/0012-finding.sql); the rest
 * is as for any query of the service. */
static const char begin[] = "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL work_mem = '64MB';"
                            " SET LOCAL synchronous_commit = on; SET LOCAL plan_cache_mode = auto;"
                            " SET LOCAL default_statistics_target = 10;"
                            " SET LOCAL mapdiary.bulk = on";

/* The rows that are made things of at a time: after low, up to high. Few enough to say how far it
 * is, and enough that the index of the staging table is worth it. */
static const char make_span[] =
    "CREATE TEMPORARY TABLE span ON COMMIT DROP AS SELECT 0::bigint AS low, 0::bigint AS high";
static const char next_span[] =
    "COPY (WITH next AS (UPDATE span SET low = high, high = high + 50000 RETURNING high)"
    " SELECT high FROM next) TO STDOUT";
static const char analyze[] = "ANALYZE staging (n, source, identifier, reason, known)";
static const char index_rows[] =
    "CREATE INDEX ON staging USING brin (n) WITH (pages_per_range = 16)";

enum status import_look(struct db *db)
{
    return db_script(db, "SELECT FROM photo WHERE false");
}

enum status import_begin(struct db *db, enum import_kind kind)
{
    enum status status = db_script(db, begin);
    if (status == STATUS_OK)
        status = db_continue(db, import_statements[kind].staging);
    if (status == STATUS_OK)
        status = db_continue(db, make_span);
    return status != STATUS_OK ? status : db_copy_begin(db, import_statements[kind].copy);
}

enum status import_check(struct db *db, enum import_kind kind, db_line_function *function,
                         void *context)
{
    const struct import_statements *statements = &import_statements[kind];
    enum status status = db_copy_end(db, NULL);
    if (status == STATUS_OK)
        status = db_continue(db, analyze);
    for (const char *const *check = statements->checks; *check != NULL && status == STATUS_OK;
         check++)
        status = db_continue(db, *check);
    /* After the checks, as the rows that they write stand behind all others. */
    if (status == STATUS_OK)
        status = db_continue(db, index_rows);
    return status != STATUS_OK ? status : db_copy_out(db, statements->rejected, function, context);
}

static enum status add_counts(void *context, const char *line, size_t length)
{
    struct import_counts *counts = context;
    long long added = 0, changed = 0;
    (void)length;
    if (sscanf(line, "%lld,%lld", &added, &changed) != 2)
        return STATUS_INTERNAL;
    counts->added += added;
    counts->changed += changed;
    return STATUS_OK;
}

static enum status read_high(void *context, const char *line, size_t length)
{
    (void)length;
    *(int64_t *)context = strtoll(line, NULL, 10);
    return STATUS_OK;
}

static enum status merge_span(struct db *db, enum import_kind kind, struct import_counts *counts)
{
    enum status status = STATUS_OK;
    for (const char *const *merge = import_statements[kind].merges;
         *merge != NULL && status == STATUS_OK; merge++)
        status = db_copy_out(db, *merge, add_counts, counts);
    return status;
}

enum status import_finish(struct db *db, enum import_kind kind, int64_t rows,
                          import_progress *progress, void *context, struct import_counts *counts)
{
    const char *last = import_statements[kind].last;
    enum status status = STATUS_OK;
    for (int64_t done = 0; done < rows && status == STATUS_OK;) {
        status = db_copy_out(db, next_span, read_high, &done);
        if (status == STATUS_OK)
            status = merge_span(db, kind, counts);
        progress(context, done < rows ? done : rows);
    }
    if (status == STATUS_OK && last != NULL)
        status = db_continue(db, last);
    return status != STATUS_OK ? status : db_continue(db, "COMMIT");
}

enum status import_abandon(struct db *db)
{
    return db_continue(db, "ROLLBACK");
}
