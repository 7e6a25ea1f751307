#include "store/import.h"

#include <stdio.h>

/* Sorting and hashing a million rows in memory; the rest is as for any query of the service. */
static const char begin[] = "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL work_mem = '64MB';"
                            " SET LOCAL synchronous_commit = on; SET LOCAL plan_cache_mode = auto";

enum status import_begin(struct db *db, enum import_kind kind)
{
    enum status status = db_script(db, begin);
    if (status == STATUS_OK)
        status = db_continue(db, import_statements[kind].staging);
    return status != STATUS_OK ? status : db_copy_begin(db, import_statements[kind].copy);
}

enum status import_check(struct db *db, enum import_kind kind, db_line_function *function,
                         void *context)
{
    const struct import_statements *statements = &import_statements[kind];
    enum status status = db_copy_end(db, NULL);
    if (status == STATUS_OK)
        status = db_continue(db, "ANALYZE staging");
    for (const char *const *check = statements->checks; *check != NULL && status == STATUS_OK;
         check++)
        status = db_continue(db, *check);
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

enum status import_finish(struct db *db, enum import_kind kind, struct import_counts *counts)
{
    enum status status = STATUS_OK;
    for (const char *const *merge = import_statements[kind].merges;
         *merge != NULL && status == STATUS_OK; merge++)
        status = db_copy_out(db, *merge, add_counts, counts);
    return status != STATUS_OK ? status : db_continue(db, "COMMIT");
}

enum status import_abandon(struct db *db)
{
    return db_continue(db, "ROLLBACK");
}
