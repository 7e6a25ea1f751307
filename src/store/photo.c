#include "store/photo.h"

#include "store/registry.h"
#include "store/run.h"

/* Those of both kinds of pieces, by the kind. */
enum {
    READ = 0,
    LOCK = 2,
    INSERT = 4,
    DELETE = 6,
    ORDER = 8,
    SHOW = 10,
    EDIT = 12,
    LIST = 14,
    SET_COVER = 16
};

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
#define SHOWN_OF(piece, key, address)                                                    \
    "SELECT p.photo_id, p." key ", t.owner_id, p.position, p." address ", p.description" \
    " FROM " piece "_photo p JOIN " piece " t USING (" key ")"
#define SHOWN_TYPES "lllitt"
#define SHOW_OF(piece, key, address)                                                   \
    {                                                                                  \
        "photo_show_" piece,                                                           \
            SHOWN_OF(piece, key, address) " WHERE p." key " = $1 AND p.photo_id = $2", \
            SHOWN_TYPES, false, DB_ADMIN                                               \
    }
#define LIST_OF(piece, key, address)                                                               \
    {                                                                                              \
        "photo_list_" piece,                                                                       \
            SHOWN_OF(piece, key,                                                                   \
                     address) " WHERE ($1::bigint IS NULL OR t.owner_id = $1)"                     \
                              " AND p.photo_id > $2::bigint ORDER BY p.photo_id LIMIT $3::bigint", \
            SHOWN_TYPES, false, DB_ADMIN                                                           \
    }
#define EDIT_OF(piece, key, address)                                         \
    {                                                                        \
        "photo_edit_" piece,                                                 \
            "UPDATE " piece "_photo SET " address " = coalesce($3, " address \
            "), description = coalesce($4, description) WHERE " key          \
            " = $1 AND photo_id = $2 RETURNING true",                        \
            "b", true, DB_ADMIN                                              \
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
    [SHOW + SUBJECT_ALBUM] = SHOW_OF("album", "album_id", "thumbnail"),
    [SHOW + SUBJECT_POI] = SHOW_OF("poi", "poi_id", "path"),
    [EDIT + SUBJECT_ALBUM] = EDIT_OF("album", "album_id", "thumbnail"),
    [EDIT + SUBJECT_POI] = EDIT_OF("poi", "poi_id", "path"),
    [LIST + SUBJECT_ALBUM] = LIST_OF("album", "album_id", "thumbnail"),
    [LIST + SUBJECT_POI] = LIST_OF("poi", "poi_id", "path"),
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

enum status photo_edit(struct db_batch *batch, enum subject subject, int64_t id,
                       const struct photo *change)
{
    lock_add(batch, subject, id);
    const struct db_rows *rows = DB_ADD(batch, &photo_statements[EDIT + (int)subject],
                                        db_integer(id), db_integer(change->photo_id),
                                        db_text(change->address), db_text(change->description));
    return store_run(batch, rows, STATUS_NOT_FOUND);
}

enum status photo_show(struct db_batch *batch, enum subject subject, int64_t id, int64_t photo_id,
                       db_row_function *function, void *context)
{
    const struct db_rows *rows =
        DB_ADD(batch, &photo_statements[SHOW + (int)subject], db_integer(id), db_integer(photo_id));
    return store_run_row(batch, rows, STATUS_NOT_FOUND, function, context);
}

enum status photo_list(struct db_batch *batch, enum subject subject, int64_t owner,
                       const struct list_part *part, db_row_function *function, void *context)
{
    DB_STREAM(batch, &photo_statements[LIST + (int)subject], function, context, db_id(owner),
              db_integer(part->after), db_id(part->most));
    return db_batch_run(batch);
}
