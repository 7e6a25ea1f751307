#include "store/piece.h"

#include "store/registry.h"
#include "store/run.h"
#include "store/shown.h"

/* By their subject. */
enum {
    SHOWN_PIECE = 0,
    SUMMARY = SUBJECT_COUNT,
    HOLD = 2 * SUBJECT_COUNT,
    KEEP = 3 * SUBJECT_COUNT,
    LOCK = 4 * SUBJECT_COUNT
};

#define SHOWN_OF(piece, key)                                                                      \
    {                                                                                             \
        "piece_shown_" piece, "SELECT true FROM " SHOWN(piece, "t") " WHERE t." key " = $1", "b", \
            false, DB_SERVICE                                                                     \
    }
/* The owner is told what an operator has hidden; not what waits for a look. */
#define SUMMARY_OF(piece, key, owner, title, visibility, vote)                              \
    {                                                                                       \
        "piece_summary_" piece,                                                             \
            "SELECT t." owner ", t." title ", (SELECT count(*) FROM comment c WHERE c." key \
            " = $1 AND may_see_comment(c.commenter_id, c.hidden, reader.id)),"              \
            " CASE WHEN t." owner " = reader.id THEN " visibility " END,"                   \
            " CASE WHEN reader.id IS NOT NULL THEN (EXISTS (SELECT FROM recommendation r"   \
            " WHERE r." key " = $1 AND r.user_id = reader.id))::text END, " vote            \
            ", CASE WHEN t.hidden = 'hidden' THEN 'true' END,"                              \
            " CASE WHEN t.hidden = 'hidden' THEN hidden_reason('" piece ":' || t." key      \
            ") END FROM " SHOWN(piece, "t") " WHERE t." key " = $1",                        \
            "ltlttsttt", false, DB_SERVICE                                                  \
    }
#define OWNER_BY(how, piece) \
    "SELECT owner FROM " how "_" piece "($1, $2) AS owner WHERE owner IS NOT NULL"
#define HOLD_OF(piece)                                                  \
    {                                                                   \
        "piece_hold_" piece, OWNER_BY("hold", piece), "l", true, DB_ALL \
    }
#define KEEP_OF(piece)                                                  \
    {                                                                   \
        "piece_keep_" piece, OWNER_BY("keep", piece), "l", true, DB_ALL \
    }
#define LOCK_OF(piece, key, owner)                                                             \
    {                                                                                          \
        "piece_lock_" piece,                                                                   \
            "SELECT " owner " FROM " piece " WHERE " key " = $1 FOR NO KEY UPDATE", "l", true, \
            DB_ADMIN                                                                           \
    }
#define NO_VOTE "NULL::smallint, NULL"
#define VOTE                                                                            \
    "(SELECT b.position FROM ballot b WHERE b.blog_id = $1 AND b.user_id = reader.id)," \
    " (SELECT 'true' FROM vote v WHERE v.blog_id = $1 AND v.closed_at IS NOT NULL)"

const struct db_statement piece_statements[] = {
    [SHOWN_PIECE + SUBJECT_ALBUM] = SHOWN_OF("album", "album_id"),
    [SHOWN_PIECE + SUBJECT_POI] = SHOWN_OF("poi", "poi_id"),
    [SHOWN_PIECE + SUBJECT_BLOG] = SHOWN_OF("blog", "blog_id"),
    [SUMMARY + SUBJECT_ALBUM] =
        SUMMARY_OF("album", "album_id", "owner_id", "title", "t.visibility::text", NO_VOTE),
    [SUMMARY + SUBJECT_POI] =
        SUMMARY_OF("poi", "poi_id", "owner_id", "name", "NULL::text", NO_VOTE),
    [SUMMARY + SUBJECT_BLOG] =
        SUMMARY_OF("blog", "blog_id", "author_id", "title", "t.visibility::text", VOTE),
    [HOLD + SUBJECT_ALBUM] = HOLD_OF("album"),
    [HOLD + SUBJECT_POI] = HOLD_OF("poi"),
    [HOLD + SUBJECT_BLOG] = HOLD_OF("blog"),
    [KEEP + SUBJECT_ALBUM] = KEEP_OF("album"),
    [KEEP + SUBJECT_POI] = KEEP_OF("poi"),
    [KEEP + SUBJECT_BLOG] = KEEP_OF("blog"),
    [LOCK + SUBJECT_ALBUM] = LOCK_OF("album", "album_id", "owner_id"),
    [LOCK + SUBJECT_POI] = LOCK_OF("poi", "poi_id", "owner_id"),
    [LOCK + SUBJECT_BLOG] = LOCK_OF("blog", "blog_id", "author_id"),
    DB_STATEMENTS_END,
};

const struct db_rows *piece_shown_add(struct db_batch *batch, struct piece_name piece,
                                      const struct session_claim *reader)
{
    return shown_add(batch, &piece_statements[SHOWN_PIECE + (int)piece.subject], piece.id, reader);
}

enum status piece_summarize(struct db_batch *batch, struct piece_name piece,
                            const struct session_claim *reader, struct piece_summary *summary)
{
    const struct db_rows *rows =
        shown_add(batch, &piece_statements[SUMMARY + (int)piece.subject], piece.id, reader);
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
    const struct db_statement *statements = &piece_statements[piece.subject];
    if (asker == 0)
        return DB_ADD(batch, &statements[LOCK], db_integer(piece.id));
    return DB_ADD(batch, &statements[HOLD], db_integer(piece.id), db_integer(asker));
}

const struct db_rows *piece_keep_add(struct db_batch *batch, struct piece_name piece, int64_t asker)
{
    return DB_ADD(batch, &piece_statements[KEEP + (int)piece.subject], db_integer(piece.id),
                  db_integer(asker));
}

enum status piece_ownership(const struct db_rows *held, int64_t asker, enum status absent)
{
    if (db_rows_count(held) == 0)
        return absent;
    struct db_row row = db_row(held, 0);
    return asker == 0 || db_read_integer(&row) == asker ? STATUS_OK : STATUS_NOT_OWNER;
}
