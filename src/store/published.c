#include "store/published.h"

#include "store/registry.h"

/* Of a piece by its subject. */
enum { PIECE = 0, PHOTO = 2, ICON, USER };

/* The first column is the number of enum published_owner. */
/* Its photos are not even looked at for whom ($2) it is not there. */
#define OF_PIECE(owner, piece, key)                                                         \
    "SELECT " owner "::smallint, $1::bigint, NULL::text WHERE CASE WHEN $2::bigint IS NULL" \
    " OR EXISTS (SELECT FROM visible_" piece "($2) t WHERE t." key " = $1) THEN EXISTS"     \
    " (SELECT FROM photo WHERE " key " = $1 AND name IS NOT NULL) END"
#define ALL_OF(owner, piece, key)                                           \
    "SELECT " owner "::smallint, t." key ", NULL::text FROM visible_" piece \
    "($1) t WHERE t.owner_id"                                               \
    " = $1 AND EXISTS (SELECT FROM photo p WHERE p." key " = t." key " AND p.name IS NOT NULL)"
#define THE_ICON                                                                            \
    "SELECT 2::smallint, user_id, encode(icon_name, 'hex') FROM user_account WHERE user_id" \
    " = $1 AND icon_name IS NOT NULL"

const struct db_statement published_statements[] = {
    [PIECE + SUBJECT_ALBUM] = {"published_album", OF_PIECE("0", "album", "album_id"), "slt", false,
                               DB_ALL},
    [PIECE + SUBJECT_POI] = {"published_poi", OF_PIECE("1", "poi", "poi_id"), "slt", false, DB_ALL},
    [PHOTO] = {"published_photo",
               "SELECT CASE WHEN album_id IS NULL THEN 1 ELSE 0 END::smallint,"
               " coalesce(album_id, poi_id), encode(name, 'hex') FROM photo"
               " WHERE photo_id = $1 AND name IS NOT NULL",
               "slt", false, DB_ALL},
    [ICON] = {"published_icon", THE_ICON, "slt", false, DB_ALL},
    [USER] = {"published_user",
              ALL_OF("0", "album",
                     "album_id") " UNION ALL " ALL_OF("1", "poi", "poi_id") " UNION ALL " THE_ICON,
              "slt", false, DB_ALL},
    DB_STATEMENTS_END,
};

const struct db_rows *published_of_piece_add(struct db_batch *batch, enum subject subject,
                                             int64_t id, int64_t asker)
{
    return DB_ADD(batch, &published_statements[PIECE + (int)subject], db_integer(id), db_id(asker));
}

const struct db_rows *published_photo_add(struct db_batch *batch, int64_t photo_id)
{
    return DB_ADD(batch, &published_statements[PHOTO], db_integer(photo_id));
}

const struct db_rows *published_icon_add(struct db_batch *batch, int64_t user_id)
{
    return DB_ADD(batch, &published_statements[ICON], db_integer(user_id));
}

const struct db_rows *published_of_user_add(struct db_batch *batch, int64_t user_id)
{
    return DB_ADD(batch, &published_statements[USER], db_integer(user_id));
}

struct published published_read(const struct db_rows *rows, size_t index)
{
    struct db_row row = db_row(rows, index);
    struct published published = {.owner = (enum published_owner)db_read_integer(&row)};
    published.id = db_read_integer(&row);
    published.name = db_read_text(&row);
    return published;
}
