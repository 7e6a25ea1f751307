#include "store/photo.h"

#include "store/registry.h"
#include "store/run.h"

/* Those of both kinds of pieces, by the kind. */
enum { READ = 0, LOCK = 2, INSERT = 4, DELETE = 6, ORDER = 8, SET_COVER = 10 };

/* While the piece is locked, nobody else takes the next position. */
#define LOCK_OF(piece, key)                                                                     \
    {                                                                                           \
        "photo_lock_" piece, "SELECT true FROM " piece " WHERE " key " = $1 FOR NO KEY UPDATE", \
            "b", true, DB_ADMIN                                                                 \
    }
#define INSERT_OF(piece, key, address)                                                       \
    {                                                                                        \
        "photo_insert_" piece,                                                               \
            "INSERT INTO " piece "_photo (" key ", position, " address ", description)"      \
            " SELECT " key ", (SELECT coalesce(max(position), 0) + 1 FROM " piece            \
            "_photo WHERE " key " = $1), $2, $3 FROM " piece " WHERE " key " = $1 RETURNING" \
            " photo_id",                                                                     \
            "l", true, DB_ADMIN                                                              \
    }
#define DELETE_OF(piece, key)                                                                  \
    {                                                                                          \
        "photo_delete_" piece,                                                                 \
            "DELETE FROM " piece "_photo WHERE " key " = $1 AND photo_id = $2 RETURNING true", \
            "b", true, DB_ADMIN                                                                \
    }
#define ORDER_OF(piece, key)                                                                  \
    {                                                                                         \
        "photo_order_" piece,                                                                 \
            "UPDATE " piece "_photo p SET position = o.position"                              \
            " FROM unnest($2::bigint[]) WITH ORDINALITY AS o (photo_id, position)"            \
            " WHERE p." key " = $1 AND p.photo_id = o.photo_id AND"                           \
            " (SELECT array_agg(photo_id ORDER BY photo_id) FROM " piece "_photo WHERE " key  \
            " = $1) = (SELECT array_agg(u ORDER BY u) FROM unnest($2::bigint[]) u) RETURNING" \
            " true",                                                                          \
            "b", true, DB_ADMIN                                                               \
    }

const struct db_statement photo_statements[] = {
    [READ + SUBJECT_ALBUM] = {"photo_of_album",
                              "SELECT photo_id, thumbnail, description FROM album_photo"
                              " WHERE album_id = $1 ORDER BY position",
                              "ltt", false, DB_ALL},
    [READ + SUBJECT_POI] = {"photo_of_poi",
                            "SELECT photo_id, path, description FROM poi_photo"
                            " WHERE poi_id = $1 ORDER BY position",
                            "ltt", false, DB_ALL},
    [LOCK + SUBJECT_ALBUM] = LOCK_OF("album", "album_id"),
    [LOCK + SUBJECT_POI] = LOCK_OF("poi", "poi_id"),
    [INSERT + SUBJECT_ALBUM] = INSERT_OF("album", "album_id", "thumbnail"),
    [INSERT + SUBJECT_POI] = INSERT_OF("poi", "poi_id", "path"),
    [DELETE + SUBJECT_ALBUM] = DELETE_OF("album", "album_id"),
    [DELETE + SUBJECT_POI] = DELETE_OF("poi", "poi_id"),
    [ORDER + SUBJECT_ALBUM] = ORDER_OF("album", "album_id"),
    [ORDER + SUBJECT_POI] = ORDER_OF("poi", "poi_id"),
    [SET_COVER] =
        {"photo_set_cover",
         "UPDATE album SET cover_photo_id = $2::bigint, updated_at = now()"
         " WHERE album_id = $1 AND ($2::bigint IS NULL OR EXISTS"
         " (SELECT FROM album_photo WHERE album_id = $1 AND photo_id = $2)) RETURNING true",
         "b", true, DB_ADMIN},
    DB_STATEMENTS_END,
};

const struct db_rows *photos_add(struct db_batch *batch, enum subject subject, int64_t id)
{
    return DB_ADD(batch, &photo_statements[READ + (int)subject], db_integer(id));
}

struct photos photos_read(const struct db_rows *rows, struct arena *arena)
{
    struct photos photos = {.count = db_rows_count(rows)};
    photos.list = arena_take_array(arena, photos.count, sizeof *photos.list);
    for (size_t i = 0; i < photos.count; i++) {
        struct db_row row = db_row(rows, i);
        photos.list[i].photo_id = db_read_integer(&row);
        photos.list[i].address = db_read_text(&row);
        photos.list[i].description = db_read_text(&row);
    }
    return photos;
}

static void lock_add(struct db_batch *batch, enum subject subject, int64_t id)
{
    DB_ADD(batch, &photo_statements[LOCK + (int)subject], db_integer(id));
}

enum status photo_insert(struct db_batch *batch, enum subject subject, int64_t id,
                         const char *address, const char *description, int64_t *photo_id)
{
    lock_add(batch, subject, id);
    const struct db_rows *rows = DB_ADD(batch, &photo_statements[INSERT + (int)subject],
                                        db_integer(id), db_text(address), db_text(description));
    return store_run_integer(batch, rows, subject_absent(subject), photo_id);
}

enum status photo_delete(struct db_batch *batch, enum subject subject, int64_t id, int64_t photo_id)
{
    lock_add(batch, subject, id);
    return store_run(batch,
                     DB_ADD(batch, &photo_statements[DELETE + (int)subject], db_integer(id),
                            db_integer(photo_id)),
                     STATUS_NOT_FOUND);
}

enum status photo_order(struct db_batch *batch, enum subject subject, int64_t id,
                        const char *photos)
{
    lock_add(batch, subject, id);
    return store_run(
        batch,
        DB_ADD(batch, &photo_statements[ORDER + (int)subject], db_integer(id), db_text(photos)),
        STATUS_NOT_FOUND);
}

enum status photo_set_cover(struct db_batch *batch, int64_t album_id, int64_t photo_id)
{
    return store_run(
        batch, DB_ADD(batch, &photo_statements[SET_COVER], db_integer(album_id), db_id(photo_id)),
        STATUS_NOT_FOUND);
}
