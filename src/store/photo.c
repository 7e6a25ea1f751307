#include "store/photo.h"

#include "store/addresses.h"
#include "store/piece.h"
#include "store/published.h"
#include "store/registry.h"
#include "store/run.h"
#include "store/shown.h"

/* Those of both kinds of pieces, by the kind. */
enum {
    READ = 0,
    INSERT = 2,
    DELETE = 4,
    ORDER = 6,
    SHOW = 8,
    EDIT = 10,
    LIST = 12,
    OF = 14,
    SET_COVER = 16
};

#define READ_OF(piece, key, part)                                                       \
    {                                                                                   \
        "photo_show_all_" piece,                                                        \
            "SELECT p.photo_id, " PHOTO_ADDRESS("p", part) ", p.description, p.hidden"  \
                                                           " FROM photo p WHERE p." key \
                                                           " = $1 ORDER BY p.position", \
            "lttt", false, DB_ADMIN                                                     \
    }
/* For the reader. */
#define OF_PIECE(piece, key, part)                                                                        \
    {                                                                                                     \
        "photo_of_" piece,                                                                                \
            "SELECT p.photo_id, " PHOTO_ADDRESS(                                                          \
                "p",                                                                                      \
                part) ", p.description"                                                                   \
                      " FROM " SHOWN(                                                                     \
                          piece,                                                                          \
                          "t") " JOIN photo p USING (" key ") WHERE t." key " = $1"                       \
                               " AND may_see_photo(t.owner_id, p.hidden, reader.id) ORDER BY p.position", \
            "ltt", false, DB_SERVICE                                                                      \
    }
#define INSERT_OF(piece, key)                                                               \
    {                                                                                       \
        "photo_insert_" piece,                                                              \
            "INSERT INTO photo (" key ", position, address, description)"                   \
            " SELECT " key ", (SELECT coalesce(max(position), 0) + 1 FROM photo WHERE " key \
            " = $1), $2, $3 FROM " piece " WHERE " key " = $1 RETURNING photo_id",          \
            "l", true, DB_ADMIN                                                             \
    }
#define DELETE_OF(piece, key)                                                                   \
    {                                                                                           \
        "photo_delete_" piece,                                                                  \
            "DELETE FROM photo WHERE " key " = $1 AND photo_id = $2 RETURNING true", "b", true, \
            DB_ADMIN                                                                            \
    }
#define ORDER_OF(piece, key)                                                                  \
    {                                                                                         \
        "photo_order_" piece,                                                                 \
            "UPDATE photo p SET position = o.position"                                        \
            " FROM unnest($2::bigint[]) WITH ORDINALITY AS o (photo_id, position)"            \
            " WHERE p." key " = $1 AND p.photo_id = o.photo_id AND"                           \
            " (SELECT array_agg(photo_id ORDER BY photo_id) FROM photo WHERE " key            \
            " = $1) = (SELECT array_agg(u ORDER BY u) FROM unnest($2::bigint[]) u) RETURNING" \
            " true",                                                                          \
            "b", true, DB_ADMIN                                                               \
    }
#define SHOWN_OF(piece, key, part)                                                        \
    "SELECT p.photo_id, p." key ", t.owner_id, p.position, " PHOTO_ADDRESS(               \
        "p", part) ", p.description, p.width, p.height, p.taken_at, p.original_bytes,"    \
                   " encode(p.original_sha256, 'hex'), p.hidden FROM photo p JOIN " piece \
                   " t USING (" key ")"
#define SHOWN_TYPES "lllittiizltt"
#define SHOW_OF(piece, key, part)                                                                \
    {                                                                                            \
        "photo_show_" piece,                                                                     \
            SHOWN_OF(piece, key, part) " WHERE p." key " = $1 AND p.photo_id = $2", SHOWN_TYPES, \
            false, DB_ADMIN                                                                      \
    }
#define LIST_OF(piece, key, part)                                                               \
    {                                                                                           \
        "photo_list_" piece,                                                                    \
            SHOWN_OF(piece, key,                                                                \
                     part) " WHERE ($1::bigint IS NULL OR t.owner_id = $1)"                     \
                           " AND p.photo_id > $2::bigint ORDER BY p.photo_id LIMIT $3::bigint", \
            SHOWN_TYPES, false, DB_ADMIN                                                        \
    }
#define EDIT_OF(piece, key)                                                                 \
    {                                                                                       \
        "photo_edit_" piece,                                                                \
            "UPDATE photo SET address = coalesce($3, address),"                             \
            " description = coalesce($4, description) WHERE " key " = $1 AND photo_id = $2" \
            " RETURNING true",                                                              \
            "b", true, DB_ADMIN                                                             \
    }

/* Of a statement of both kinds of pieces. */
#define BOTH(statement, of)                                  \
    [(statement) + SUBJECT_ALBUM] = of("album", "album_id"), \
                   [(statement) + SUBJECT_POI] = of("poi", "poi_id")
/* The same where an album shows its photos small. */
#define BOTH_SHOWN(statement, of)                                     \
    [(statement) + SUBJECT_ALBUM] = of("album", "album_id", "small"), \
                   [(statement) + SUBJECT_POI] = of("poi", "poi_id", "large")

const struct db_statement photo_statements[] = {
    BOTH_SHOWN(READ, READ_OF),
    BOTH_SHOWN(OF, OF_PIECE),
    BOTH(INSERT, INSERT_OF),
    BOTH(DELETE, DELETE_OF),
    BOTH(ORDER, ORDER_OF),
    BOTH_SHOWN(SHOW, SHOW_OF),
    BOTH(EDIT, EDIT_OF),
    BOTH_SHOWN(LIST, LIST_OF),
    [SET_COVER] = {"photo_set_cover",
                   "UPDATE album SET cover_photo_id = $2::bigint, updated_at = now()"
                   " WHERE album_id = $1 AND ($2::bigint IS NULL OR EXISTS"
                   " (SELECT FROM photo WHERE album_id = $1 AND photo_id = $2)) RETURNING true",
                   "b", true, DB_ADMIN},
    DB_STATEMENTS_END,
};

const struct db_rows *photos_show_add(struct db_batch *batch, enum subject subject, int64_t id)
{
    return DB_ADD(batch, &photo_statements[READ + (int)subject], db_integer(id));
}

const struct db_rows *photos_of_add(struct db_batch *batch, enum subject subject, int64_t id,
                                    const struct session_claim *reader)
{
    return shown_add(batch, &photo_statements[OF + (int)subject], id, reader);
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

/* While the piece is held, nobody else takes the next position. */
static void hold_add(struct db_batch *batch, enum subject subject, int64_t id)
{
    piece_hold_add(batch, (struct piece_name){subject, id}, 0);
}

enum status photo_insert(struct db_batch *batch, enum subject subject, int64_t id,
                         const char *address, const char *description, int64_t *photo_id)
{
    hold_add(batch, subject, id);
    const struct db_rows *rows = DB_ADD(batch, &photo_statements[INSERT + (int)subject],
                                        db_integer(id), db_text(address), db_text(description));
    return store_run_integer(batch, rows, subject_absent(subject), photo_id);
}

enum status photo_delete(struct db_batch *batch, enum subject subject, int64_t id, int64_t photo_id,
                         const struct db_rows **published)
{
    hold_add(batch, subject, id);
    *published = published_photo_add(batch, photo_id);
    return store_run(batch,
                     DB_ADD(batch, &photo_statements[DELETE + (int)subject], db_integer(id),
                            db_integer(photo_id)),
                     STATUS_NOT_FOUND);
}

enum status photo_order(struct db_batch *batch, enum subject subject, int64_t id,
                        const char *photos)
{
    hold_add(batch, subject, id);
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
    hold_add(batch, subject, id);
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
