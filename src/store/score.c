#include "store/score.h"

#include "store/piece.h"
#include "store/registry.h"
#include "store/run.h"

enum {
    SET = 0,
    RECOMMEND = SUBJECT_COUNT,
    TAKE_BACK = 2 * SUBJECT_COUNT,
    READ = 3 * SUBJECT_COUNT
};

#define SET_OF(piece, key)                                                                        \
    {                                                                                             \
        "score_set_" piece, "UPDATE " piece " SET score = $2 WHERE " key " = $1 RETURNING score", \
            "i", true, DB_ADMIN                                                                   \
    }
#define RECOMMEND_OF(piece, key, owner)                                                            \
    {                                                                                              \
        "score_recommend_" piece,                                                                  \
            "INSERT INTO recommendation (" key ", user_id) SELECT " key ", $2 FROM visible_" piece \
            "($2) WHERE " key " = $1 AND " owner " <> $2"                                          \
            " ON CONFLICT DO NOTHING",                                                             \
            "", true, DB_ALL                                                                       \
    }
#define TAKE_BACK_OF(piece, key)                                                              \
    {                                                                                         \
        "score_take_back_" piece,                                                             \
            "DELETE FROM recommendation r USING visible_" piece "($2) t WHERE r." key " = $1" \
            " AND r.user_id = $2 AND t." key " = $1",                                         \
            "", true, DB_SERVICE                                                              \
    }
/* Once the trigger has counted. */
#define READ_OF(piece, key)                                                                     \
    {                                                                                           \
        "score_read_" piece, "SELECT score FROM visible_" piece "($2) WHERE " key " = $1", "i", \
            false, DB_ALL                                                                       \
    }

const struct db_statement score_statements[] = {
    [SET + SUBJECT_ALBUM] = SET_OF("album", "album_id"),
    [SET + SUBJECT_POI] = SET_OF("poi", "poi_id"),
    [SET + SUBJECT_BLOG] = SET_OF("blog", "blog_id"),
    [RECOMMEND + SUBJECT_ALBUM] = RECOMMEND_OF("album", "album_id", "owner_id"),
    [RECOMMEND + SUBJECT_POI] = RECOMMEND_OF("poi", "poi_id", "owner_id"),
    [RECOMMEND + SUBJECT_BLOG] = RECOMMEND_OF("blog", "blog_id", "author_id"),
    [TAKE_BACK + SUBJECT_ALBUM] = TAKE_BACK_OF("album", "album_id"),
    [TAKE_BACK + SUBJECT_POI] = TAKE_BACK_OF("poi", "poi_id"),
    [TAKE_BACK + SUBJECT_BLOG] = TAKE_BACK_OF("blog", "blog_id"),
    [READ + SUBJECT_ALBUM] = READ_OF("album", "album_id"),
    [READ + SUBJECT_POI] = READ_OF("poi", "poi_id"),
    [READ + SUBJECT_BLOG] = READ_OF("blog", "blog_id"),
    DB_STATEMENTS_END,
};

enum status score_set(struct db_batch *batch, enum subject subject, int64_t id, int64_t score)
{
    const struct db_rows *rows =
        DB_ADD(batch, &score_statements[SET + (int)subject], db_integer(id), db_integer(score));
    return store_run(batch, rows, subject_absent(subject));
}

/* The piece is held before all else, by whoever recommends it: its score is written. */
static enum status change(struct db_batch *batch, int change, struct piece_name piece,
                          int64_t user_id, int64_t *score)
{
    const struct db_statement *statements = &score_statements[piece.subject];
    const struct db_rows *held = piece_hold_add(batch, piece, user_id);
    DB_ADD(batch, &statements[change], db_integer(piece.id), db_integer(user_id));
    const struct db_rows *scores =
        DB_ADD(batch, &statements[READ], db_integer(piece.id), db_integer(user_id));
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
    return change(batch, RECOMMEND, piece, user_id, score);
}

enum status score_take_back(struct db_batch *batch, struct piece_name piece, int64_t user_id,
                            int64_t *score)
{
    return change(batch, TAKE_BACK, piece, user_id, score);
}
