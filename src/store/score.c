#include "store/score.h"

#include "store/registry.h"
#include "store/run.h"

enum { SET = 0, RECOMMEND = SUBJECT_COUNT };

#define SET_OF(piece, key)                                                                        \
    {                                                                                             \
        "score_set_" piece, "UPDATE " piece " SET score = $2 WHERE " key " = $1 RETURNING score", \
            "i", true, DB_ADMIN                                                                   \
    }
#define RECOMMEND_OF(piece, key)                                                            \
    {                                                                                       \
        "score_recommend_" piece,                                                           \
            "WITH new AS (INSERT INTO recommendation (" key ", user_id) SELECT " key ", $2" \
            " FROM " piece " WHERE " key " = $1 ON CONFLICT DO NOTHING RETURNING true)"     \
            " UPDATE " piece " SET score = score + (SELECT count(*) FROM new) WHERE " key   \
            " = $1 RETURNING score",                                                        \
            "i", true, DB_ADMIN                                                             \
    }

const struct db_statement score_statements[] = {
    [SET + SUBJECT_ALBUM] = SET_OF("album", "album_id"),
    [SET + SUBJECT_POI] = SET_OF("poi", "poi_id"),
    [SET + SUBJECT_BLOG] = SET_OF("blog", "blog_id"),
    [RECOMMEND + SUBJECT_ALBUM] = RECOMMEND_OF("album", "album_id"),
    [RECOMMEND + SUBJECT_POI] = RECOMMEND_OF("poi", "poi_id"),
    [RECOMMEND + SUBJECT_BLOG] = RECOMMEND_OF("blog", "blog_id"),
    DB_STATEMENTS_END,
};

enum status score_set(struct db_batch *batch, enum subject subject, int64_t id, int64_t score)
{
    const struct db_rows *rows =
        DB_ADD(batch, &score_statements[SET + (int)subject], db_integer(id), db_integer(score));
    return store_run(batch, rows, subject_absent(subject));
}

enum status score_recommend(struct db_batch *batch, enum subject subject, int64_t id,
                            int64_t user_id, int64_t *score)
{
    const struct db_rows *rows = DB_ADD(batch, &score_statements[RECOMMEND + (int)subject],
                                        db_integer(id), db_integer(user_id));
    return store_run_integer(batch, rows, subject_absent(subject), score);
}
