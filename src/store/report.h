/*
 * Reports by readers.
 */
#ifndef MAPDIARY_STORE_REPORT_H
#define MAPDIARY_STORE_REPORT_H

#include "base/status.h"
#include "db/batch.h"
#include "model/list_part.h"
#include "model/report.h"

/** Notes one, unless the user has reported that thing already. STATUS_ALBUM_NOT_FOUND and so on,
 * also of what the user may not see; STATUS_OWN_PIECE; STATUS_TOO_MUCH_TODAY where nobody has
 * decided as many as a user may have. */
enum status report_insert(struct db_batch *batch, int64_t user_id,
                          const struct report *report) MUST_CHECK;

/** Statements of a connection that watches, ended by NULL. It is woken by each new report. */
extern const struct db_statement *const report_watching[];
/** The identifier of the newest; 0 where there is none. */
enum status report_newest(struct db_batch *batch, int64_t *report_id) MUST_CHECK;
/** Streams those behind an identifier, as report_list(). */
enum status report_watch(struct db_batch *batch, int64_t after, db_row_function *function,
                         void *context) MUST_CHECK;

/* For administrators --------------------------------------------------------------------------- */

/** Streams reports, or those of one state (NULL: all) or one reporter (0: all). */
enum status report_list(struct db_batch *batch, const char *state, int64_t reporter_id,
                        const struct list_part *part, db_row_function *function,
                        void *context) MUST_CHECK;

/** All about one: a row, and one for each decision about its thing. STATUS_NOT_FOUND. */
struct report_rows {
    const struct db_rows *report;
    const struct db_rows *decisions;
};
enum status report_show(struct db_batch *batch, int64_t report_id,
                        struct report_rows *rows) MUST_CHECK;

/** What one is about that is open, "album:7": STATUS_NOT_FOUND, and STATUS_CONFLICT where it was
 * decided. */
enum status report_thing(struct db_batch *batch, int64_t report_id, const char **thing) MUST_CHECK;

#endif
