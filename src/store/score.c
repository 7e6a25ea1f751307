#include "store/score.h"

#include "store/registry.h"
#include "store/run.h"
#include "store/shown.h"

enum {
    SET = 0,
    LOCK = SUBJECT_COUNT,
    RECOMMEND = 2 * SUBJECT_COUNT,
    TAKE_BACK = 3 * SUBJECT_COUNT,
    READ = 4 * SUBJECT_COUNT
};

#define SET_OF(piece, key)                                                                        \
    {                                                                                             \
        "score_set_" piece, "UPDATE " piece " SET score = $2 WHERE " key " = $1 RETURNING score", \
            "i", true, DB_ADMIN                                                                   \
    }
/* The piece is locked before all else, by whoever recommends it: its score is written. */
#define LOCK_OF(piece, key, owner, may_see)                       \
    {                                                             \
        "score_lock_" piece,                                      \
            "SELECT " owner " = $2 FROM " piece " t WHERE " key   \
            " = $1 AND " may_see("t", "$2") " FOR NO KEY UPDATE", \
            "b", true, DB_ALL                                     \
    }
#define RECOMMEND_OF(piece, key, owner, may_see)                                           \
    {                                                                                      \
        "score_recommend_" piece,                                                          \
            "INSERT INTO recommendation (" key ", user_id) SELECT " key ", $2 FROM " piece \
            " t WHERE " key " = $1 AND " owner                                             \
            " <> $2 AND " may_see("t", "$2") " ON CONFLICT DO NOTHING",                    \
            "", true, DB_ALL                                                               \
    }
#define TAKE_BACK_OF(piece, key, owner, may_see)                                                  \
    {                                                                                             \
        "score_take_back_" piece,                                                                 \
            "DELETE FROM recommendation r USING " piece " t WHERE r." key " = $1"                 \
            " AND r.user_id = $2 AND t." key " = $1 AND " owner " <> $2 AND " may_see("t", "$2"), \
            "", true, DB_SERVICE                                                                  \
    }
/* Once the trigger has counted. */
#define READ_OF(piece, key)                                                                       \
    {                                                                                             \
        "score_read_" piece, "SELECT score FROM " piece " WHERE " key " = $1", "i", false, DB_ALL \
    }

const struct db_statement score_statements[] = {
    [SET + SUBJECT_ALBUM] = SET_OF("album", "album_id"),
    [SET + SUBJECT_POI] = SET_OF("poi", "poi_id"),
    [SET + SUBJECT_BLOG] = SET_OF("blog", "blog_id"),
    [LOCK + SUBJECT_ALBUM] = LOCK_OF("album", "album_id", "owner_id", MAY_SEE_ALBUM),
    [LOCK + SUBJECT_POI] = LOCK_OF("poi", "poi_id", "owner_id", MAY_SEE_POI),
    [LOCK + SUBJECT_BLOG] = LOCK_OF("blog", "blog_id", "author_id", MAY_SEE_BLOG),
    [RECOMMEND + SUBJECT_ALBUM] = RECOMMEND_OF("album", "album_id", "owner_id", MAY_SEE_ALBUM),
    [RECOMMEND + SUBJECT_POI] = RECOMMEND_OF("poi", "poi_id", "owner_id", MAY_SEE_POI),
    [RECOMMEND + SUBJECT_BLOG] = RECOMMEND_OF("blog", "blog_id", "author_id", MAY_SEE_BLOG),
    [TAKE_BACK + SUBJECT_ALBUM] = TAKE_BACK_OF("album", "album_id", "owner_id", MAY_SEE_ALBUM),
    [TAKE_BACK + SUBJECT_POI] = TAKE_BACK_OF("poi", "poi_id", "owner_id", MAY_SEE_POI),
    [TAKE_BACK + SUBJECT_BLOG] = TAKE_BACK_OF("blog", "blog_id", "author_id", MAY_SEE_BLOG),
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

static enum status change(struct db_batch *batch, int change, struct piece_name piece,
                          int64_t user_id, int64_t *score)
{
    const struct db_statement *statements = &score_statements[piece.subject];
    const struct db_rows *locked =
        DB_ADD(batch, &statements[LOCK], db_integer(piece.id), db_integer(user_id));
    DB_ADD(batch, &statements[change], db_integer(piece.id), db_integer(user_id));
    const struct db_rows *scores = DB_ADD(batch, &statements[READ], db_integer(piece.id));
    enum status status = store_run(batch, locked, subject_absent(piece.subject));
    if (status != STATUS_OK)
        return status;
    struct db_row row = db_row(locked, 0), read = db_row(scores, 0);
    *score = db_read_integer(&read);
    return db_read_boolean(&row) ? STATUS_OWN_PIECE : STATUS_OK;
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
