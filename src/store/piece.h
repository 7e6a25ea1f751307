/*
 * Albums, points of interest and blogs as pieces: their common columns, and the rule who may change
 * one.
 */
#ifndef MAPDIARY_STORE_PIECE_H
#define MAPDIARY_STORE_PIECE_H

#include <stdint.h>

#include "base/status.h"
#include "db/batch.h"
#include "model/piece.h"
#include "model/subject.h"
#include "store/session.h"

/** Reads category, place, owner, day of the last change and score. */
struct piece piece_read(struct db_row *row);

/** Adds the query that has a row where the piece is there for the reader, NULL for nobody. */
const struct db_rows *piece_shown_add(struct db_batch *batch, struct piece_name piece,
                                      const struct session_claim *reader);

/** STATUS_ALBUM_NOT_FOUND and so on, also of what is not for the reader, NULL for nobody. */
enum status piece_summarize(struct db_batch *batch, struct piece_name piece,
                            const struct session_claim *reader,
                            struct piece_summary *summary) MUST_CHECK;

/* A piece as an administrator sees it: with every identifier that the commands take. Rows that
 * live until db_batch_reset(). */
struct piece_rows {
    const struct db_rows *piece;  /* one */
    const struct db_rows *photos; /* NULL of a blog */
    const struct db_rows *vote;   /* none or one; NULL of what is no blog, as the next */
    const struct db_rows *choices;
    const struct db_rows *comments;
};

/**
 * Adds that nobody else changes the piece, or what hangs by it, until the transaction ends. The row
 * is what piece_ownership() takes; there is none where the asker may not see the piece, who is 0
 * for an administrator, from whom nothing is hidden. The second only keeps it from going, and is
 * for users alone.
 */
const struct db_rows *piece_hold_add(struct db_batch *batch, struct piece_name piece,
                                     int64_t asker);
const struct db_rows *piece_keep_add(struct db_batch *batch, struct piece_name piece,
                                     int64_t asker);

/** Adds, before a text is written, that the text is held back until an administrator has decided:
 * it has this word of the operator's list. */
void piece_hold_back_add(struct db_batch *batch, const char *word);

/** Whether the asker may change what was held: STATUS_OK, STATUS_NOT_OWNER, or without a row the
 * status given. */
enum status piece_ownership(const struct db_rows *held, int64_t asker,
                            enum status absent) MUST_CHECK;

/** Runs the batch that writes the held piece. Answers what piece_ownership() does, then
 * STATUS_CHANGED_MEANWHILE if the piece had another version than *base_version (0: any), which
 * becomes the version that it had. */
enum status piece_run_held(struct db_batch *batch, const struct db_rows *held, int64_t asker,
                           enum status absent, int64_t *base_version) MUST_CHECK;

#endif
