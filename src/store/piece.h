/*
 * What the stores of albums, points of interest and blogs have in common: columns, and the rule who
 * may change a piece.
 */
#ifndef MAPDIARY_STORE_PIECE_H
#define MAPDIARY_STORE_PIECE_H

#include <stdint.h>

#include "base/status.h"
#include "db/batch.h"
#include "model/piece.h"
#include "model/subject.h"
#include "store/addresses.h"
#include "store/session.h"

/* The columns of a struct piece, in SQL and by their letters; the owner is joined as u. */
#define PIECE_COLUMNS(alias)                       \
    alias ".category, " alias ".lat::text, " alias \
          ".lng::text, u.name, " ICON_ADDRESS("u") ", " alias ".updated_at::date, " alias ".score"
#define PIECE_TYPES "sttttdi"

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

/** Adds the lock of a blog, whose row is what piece_ownership() takes. */
const struct db_rows *piece_lock_blog_add(struct db_batch *batch, int64_t blog_id);

/**
 * Whether the asker may change what a statement locked. Its row is (owner, hidden); no row, or one
 * that is hidden from all but its owner, is absent to others: the status given. Else STATUS_OK or
 * STATUS_NOT_OWNER.
 */
enum status piece_ownership(const struct db_rows *locked, int64_t asker,
                            enum status absent) MUST_CHECK;

#endif
