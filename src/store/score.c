#include "store/score.h"

#include "store/piece.h"
#include "store/run.h"
#include "store/statements.h"

enum status score_set(struct db_batch *batch, enum subject subject, int64_t id, int64_t score)
{
    const struct db_rows *rows =
        DB_ADD(batch, SQL_SCORE_SET_ALBUM + (int)subject, db_integer(id), db_integer(score));
    return store_run(batch, rows, subject_absent(subject));
}

/* The piece is held before all else, by whoever recommends it: its score is written. */
static enum status change(struct db_batch *batch, const struct db_statement *statement,
                          struct piece_name piece, int64_t user_id, int64_t *score)
{
    const struct db_rows *held = piece_hold_add(batch, piece, user_id);
    DB_ADD(batch, statement + (int)piece.subject, db_integer(piece.id), db_integer(user_id));
    const struct db_rows *scores = DB_ADD(batch, SQL_SCORE_READ_ALBUM + (int)piece.subject,
                                          db_integer(piece.id), db_integer(user_id));
    enum status absent = subject_absent(piece.subject), status = store_run(batch, held, absent);
    if (status != STATUS_OK)
        return status;
    struct db_row row = db_row(scores, 0);
    *score = db_read_integer(&row);
    return piece_ownership(held, user_id, absent) == STATUS_OK ? STATUS_OWN_PIECE : STATUS_OK;
}

enum status score_recommend(struct db_batch *batch, struct piece_name piece, int64_t user_id,
                            int64_t *score)
{
    return change(batch, SQL_SCORE_RECOMMEND_ALBUM, piece, user_id, score);
}

enum status score_take_back(struct db_batch *batch, struct piece_name piece, int64_t user_id,
                            int64_t *score)
{
    return change(batch, SQL_SCORE_TAKE_BACK_ALBUM, piece, user_id, score);
}
