#include "store/piece.h"

#include "store/registry.h"
#include "store/run.h"
#include "store/shown.h"

/* The first two by their subject. */
enum { SHOWN_PIECE = 0, SUMMARY = SUBJECT_COUNT, LOCK_BLOG = 2 * SUBJECT_COUNT };

#define SHOWN_OF(piece, key)                                                                      \
    {                                                                                             \
        "piece_shown_" piece, "SELECT true FROM " SHOWN(piece, "t") " WHERE t." key " = $1", "b", \
            false, DB_SERVICE                                                                     \
    }
#define SUMMARY_OF(piece, key, owner, title, visibility, vote)                              \
    {                                                                                       \
        "piece_summary_" piece,                                                             \
            "SELECT t." owner ", t." title ", (SELECT count(*) FROM comment c WHERE c." key \
            " = $1), CASE WHEN t." owner " = reader.id THEN " visibility " END,"            \
            " CASE WHEN reader.id IS NOT NULL THEN (EXISTS (SELECT FROM recommendation r"   \
            " WHERE r." key " = $1 AND r.user_id = reader.id))::text END, " vote            \
            " FROM " SHOWN(piece, "t") " WHERE t." key " = $1",                             \
            "ltlttst", false, DB_SERVICE                                                    \
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
        SUMMARY_OF("blog", "blog_id", "author_id", "title", "'public'", VOTE),
    [LOCK_BLOG] = {"piece_lock_blog",
                   "SELECT author_id, NOT may_see_blog(author_id, post_date, NULL) FROM blog"
                   " WHERE blog_id = $1 FOR NO KEY UPDATE",
                   "lb", true, DB_ALL},
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

const struct db_rows *piece_lock_blog_add(struct db_batch *batch, int64_t blog_id)
{
    return DB_ADD(batch, &piece_statements[LOCK_BLOG], db_integer(blog_id));
}

enum status piece_ownership(const struct db_rows *locked, int64_t asker, enum status absent)
{
    if (db_rows_count(locked) == 0)
        return absent;
    struct db_row row = db_row(locked, 0);
    int64_t owner = db_read_integer(&row);
    bool hidden = db_read_boolean(&row);
    if (owner == asker)
        return STATUS_OK;
    return hidden ? absent : STATUS_NOT_OWNER;
}
