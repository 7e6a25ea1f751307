#include "store/import.h"

#include <stdio.h>
#include <stdlib.h>

#include "store/statements.h"

enum { CHECKS_MOST = 8, MERGES_MOST = 5 }; /* with the NULL at the end */

/* CREATE TEMPORARY TABLE staging. */
static const char *const staging[IMPORT_KIND_COUNT] = {
    [IMPORT_USERS] = import_staging_users,   [IMPORT_POIS] = import_staging_pois,
    [IMPORT_ALBUMS] = import_staging_albums, [IMPORT_BLOGS] = import_staging_blogs,
    [IMPORT_PHOTOS] = import_staging_photos, [IMPORT_COMMENTS] = import_staging_comments,
};

/* COPY staging FROM STDIN. */
static const char *const copy[IMPORT_KIND_COUNT] = {
    [IMPORT_USERS] = import_copy_users,   [IMPORT_POIS] = import_copy_pois,
    [IMPORT_ALBUMS] = import_copy_albums, [IMPORT_BLOGS] = import_copy_blogs,
    [IMPORT_PHOTOS] = import_copy_photos, [IMPORT_COMMENTS] = import_copy_comments,
};

/* Give rows that cannot be taken a reason. */
static const char *const checks[IMPORT_KIND_COUNT][CHECKS_MOST] = {
    [IMPORT_USERS] = {import_twice, import_known_users, import_check_users},
    [IMPORT_POIS] = {import_twice, import_known_pois, import_named_pois},
    [IMPORT_ALBUMS] = {import_twice, import_known_albums, import_named_albums},
    [IMPORT_BLOGS] = {import_twice, import_known_blogs, import_named_blogs, import_check_blogs},
    [IMPORT_PHOTOS] = {import_twice_photos, import_check_photos, import_resolve_album,
                       import_known_photos_of_album, import_resolve_poi,
                       import_known_photos_of_poi},
    [IMPORT_COMMENTS] = {import_twice, import_known_comments, import_named_comments,
                         import_check_comments, import_resolve_album, import_resolve_poi,
                         import_resolve_blog},
};

/* COPY of line, position, reason, identifier, source and columns of those rows, as CSV. */
static const char *const rejected[IMPORT_KIND_COUNT] = {
    [IMPORT_USERS] = import_rejected_users,   [IMPORT_POIS] = import_rejected_pois,
    [IMPORT_ALBUMS] = import_rejected_albums, [IMPORT_BLOGS] = import_rejected_blogs,
    [IMPORT_PHOTOS] = import_rejected_photos, [IMPORT_COMMENTS] = import_rejected_comments,
};

/* Make things of the rows of the span. */
static const char *const merges[IMPORT_KIND_COUNT][MERGES_MOST] = {
    [IMPORT_USERS] = {import_change_users, import_add_users},
    [IMPORT_POIS] = {import_change_pois, import_add_pois},
    [IMPORT_ALBUMS] = {import_change_albums, import_add_albums},
    [IMPORT_BLOGS] = {import_change_blogs, import_add_blogs},
    [IMPORT_PHOTOS] = {import_change_photos_of_album, import_add_photos_of_album,
                       import_change_photos_of_poi, import_add_photos_of_poi},
    [IMPORT_COMMENTS] = {import_change_comments, import_add_comments},
};

/* Run when all things are there; NULL where nothing is left to do. */
static const char *const last[IMPORT_KIND_COUNT] = {
    [IMPORT_BLOGS] = import_replies,
    [IMPORT_PHOTOS] = import_covers,
};

enum status import_look(struct db *db)
{
    return db_script(db, "SELECT FROM photo WHERE false");
}

enum status import_begin(struct db *db, enum import_kind kind)
{
    enum status status = db_script(db, import_begin_transaction);
    if (status == STATUS_OK)
        status = db_continue(db, staging[kind]);
    if (status == STATUS_OK)
        status = db_continue(db, import_make_span);
    return status != STATUS_OK ? status : db_copy_begin(db, copy[kind]);
}

enum status import_check(struct db *db, enum import_kind kind, db_line_function *function,
                         void *context)
{
    enum status status = db_copy_end(db, NULL);
    if (status == STATUS_OK)
        status = db_continue(db, import_analyze);
    for (const char *const *check = checks[kind]; *check != NULL && status == STATUS_OK; check++)
        status = db_continue(db, *check);
    /* After the checks, as the rows that they write stand behind all others. */
    if (status == STATUS_OK)
        status = db_continue(db, import_index);
    return status != STATUS_OK ? status : db_copy_out(db, rejected[kind], function, context);
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
    for (const char *const *merge = merges[kind]; *merge != NULL && status == STATUS_OK; merge++)
        status = db_copy_out(db, *merge, add_counts, counts);
    return status;
}

enum status import_finish(struct db *db, enum import_kind kind, int64_t rows,
                          import_progress *progress, void *context, struct import_counts *counts)
{
    enum status status = STATUS_OK;
    for (int64_t done = 0; done < rows && status == STATUS_OK;) {
        status = db_copy_out(db, import_next_span, read_high, &done);
        if (status == STATUS_OK)
            status = merge_span(db, kind, counts);
        progress(context, done < rows ? done : rows);
    }
    if (status == STATUS_OK && last[kind] != NULL)
        status = db_continue(db, last[kind]);
    return status != STATUS_OK ? status : db_continue(db, "COMMIT");
}

enum status import_abandon(struct db *db)
{
    return db_continue(db, "ROLLBACK");
}
