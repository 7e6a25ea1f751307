#include "store/piece.h"

#include "store/run.h"
#include "store/shown.h"
#include "store/statements.h"

const struct db_rows *piece_shown_add(struct db_batch *batch, struct piece_name piece,
                                      const struct session_claim *reader)
{
    return shown_add(batch, SQL_PIECE_SHOWN_ALBUM + (int)piece.subject, piece.id, reader);
}

enum status piece_summarize(struct db_batch *batch, struct piece_name piece,
                            const struct session_claim *reader, struct piece_summary *summary)
{
    const struct db_rows *rows =
        shown_add(batch, SQL_PIECE_SUMMARY_ALBUM + (int)piece.subject, piece.id, reader);
    enum status status = store_run(batch, rows, subject_absent(piece.subject));
    if (status != STATUS_OK)
        return status;
    struct db_row row = db_row(rows, 0);
    summary->kind = subject_kinds[piece.subject];
    summary->owner_id = db_read_integer(&row);
    summary->title = db_read_text(&row);
    summary->comment_count = db_read_integer(&row);
    summary->visibility = db_read_text(&row);
    summary->recommended = db_read_text(&row);
    summary->choice = db_read_integer(&row);
    summary->closed = db_read_text(&row);
    summary->hidden = db_read_text(&row);
    summary->hidden_reason = db_read_text(&row);
    summary->public_from = db_read_date(&row);
    summary->version = db_read_integer(&row);
    return STATUS_OK;
}

struct piece piece_read(struct db_row *row)
{
    struct piece piece = {.category = db_read_integer(row)};
    piece.place.lat = db_read_text(row);
    piece.place.lng = db_read_text(row);
    piece.owner_name = db_read_text(row);
    piece.owner_icon = db_read_text(row);
    piece.updated = db_read_date(row);
    piece.score = db_read_integer(row);
    return piece;
}

const struct db_rows *piece_hold_add(struct db_batch *batch, struct piece_name piece, int64_t asker)
{
    if (asker == 0)
        return DB_ADD(batch, SQL_PIECE_LOCK_ALBUM + (int)piece.subject, db_integer(piece.id));
    return DB_ADD(batch, SQL_PIECE_HOLD_ALBUM + (int)piece.subject, db_integer(piece.id),
                  db_integer(asker));
}

const struct db_rows *piece_keep_add(struct db_batch *batch, struct piece_name piece, int64_t asker)
{
    return DB_ADD(batch, SQL_PIECE_KEEP_ALBUM + (int)piece.subject, db_integer(piece.id),
                  db_integer(asker));
}

void piece_hold_back_add(struct db_batch *batch, const char *word)
{
    DB_ADD(batch, SQL_PIECE_HOLD_BACK, db_text(word));
}

enum status piece_ownership(const struct db_rows *held, int64_t asker, enum status absent)
{
    if (db_rows_count(held) == 0)
        return absent;
    struct db_row row = db_row(held, 0);
    return asker == 0 || db_read_integer(&row) == asker ? STATUS_OK : STATUS_NOT_OWNER;
}

enum status piece_run_held(struct db_batch *batch, const struct db_rows *held, int64_t asker,
                           enum status absent, int64_t *base_version)
{
    enum status status = db_batch_run(batch);
    if (status == STATUS_OK)
        status = piece_ownership(held, asker, absent);
    if (status != STATUS_OK)
        return status;
    struct db_row row = db_row(held, 0);
    int64_t seen = *base_version;
    (void)db_read_integer(&row);
    *base_version = db_read_integer(&row);
    return seen == 0 || seen == *base_version ? STATUS_OK : STATUS_CHANGED_MEANWHILE;
}
