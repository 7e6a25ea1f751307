#include "store/own_photo.h"

#include "store/addresses.h"
#include "store/original_bytes.h"
#include "store/piece.h"
#include "store/published.h"
#include "store/registry.h"
#include "store/run.h"
#include "store/shown.h"
#include "store/user.h"

/* The first ones by their piece. */
enum { MAY_ADD = 0, INSERT = 2, HOLD_ITS = 4, OWNER = 6, PLACE = 8, FIND, EDIT, COVER, DROP, READ };

/* While the piece is held, nobody else takes a position, or shows what is about to go. */
#define HOLD_ITS_OF(piece, key)                                                                \
    "SELECT owner FROM hold_" piece "((SELECT " key " FROM photo WHERE photo_id = $1), $2) AS" \
    " owner WHERE owner IS NOT NULL"
#define HAS_ROOM(bytes, quota) \
    "(" quota "::bigint = 0 OR " quota " >= " bytes "::bigint + " ORIGINAL_BYTES("$2") ")"
#define MAY_ADD_TO(piece, key)                                                \
    "SELECT " HAS_ROOM("$4", "$5") " FROM " SHOWN(piece, "t") " WHERE t." key \
                                                              " = $1 AND t.owner_id = reader.id"
/* $2 is the asker, whose row is locked, and $13 the quota. */
#define INSERT_INTO(piece, key)                                                         \
    "INSERT INTO photo AS p (" key ", position, description, name, original_sha256,"    \
    " original_bytes, large_sha256, small_sha256, format, width, height, taken_at)"     \
    " SELECT " key ", (SELECT coalesce(max(position), 0) + 1 FROM photo WHERE " key     \
    " = $1), $3, $4, $5, $6::bigint, $7, $8, $9::smallint, $10::integer, $11::integer," \
    " $12::timestamptz FROM visible_" piece "($2) WHERE " key " = $1 AND owner_id = $2" \
    " AND " HAS_ROOM("$6", "$13") " RETURNING photo_id, " PHOTO_ADDRESS(                \
        "p", "small") ", " PHOTO_ADDRESS("p", "large") ", taken_at"

/* clang-format off */
const struct db_statement own_photo_statements[] = {
    [MAY_ADD + SUBJECT_ALBUM] = {"photo_may_add_to_album",
        MAY_ADD_TO("album", "album_id"), "b", false, DB_SERVICE},
    [MAY_ADD + SUBJECT_POI] = {"photo_may_add_to_poi",
        MAY_ADD_TO("poi", "poi_id"), "b", false, DB_SERVICE},
    [INSERT + SUBJECT_ALBUM] = {"photo_upload_to_album",
        INSERT_INTO("album", "album_id"), "lttz", true, DB_ALL},
    [INSERT + SUBJECT_POI] = {"photo_upload_to_poi",
        INSERT_INTO("poi", "poi_id"), "lttz", true, DB_ALL},
    [HOLD_ITS + SUBJECT_ALBUM] = {"photo_hold_its_album",
        HOLD_ITS_OF("album", "album_id"), "l", true, DB_SERVICE},
    [HOLD_ITS + SUBJECT_POI] = {"photo_hold_its_poi",
        HOLD_ITS_OF("poi", "poi_id"), "l", true, DB_SERVICE},
    [OWNER + SUBJECT_ALBUM] = {"photo_owner_of_album",
        "SELECT owner_id FROM album WHERE album_id = $1", "l", false, DB_ADMIN},
    [OWNER + SUBJECT_POI] = {"photo_owner_of_poi",
        "SELECT owner_id FROM poi WHERE poi_id = $1", "l", false, DB_ADMIN},
    /* Of a photo by its number or its name; all of its piece are counted anew from 1. */
    [PLACE] = {"photo_place",
               "WITH moved AS (SELECT photo_id, album_id, poi_id FROM photo"
               " WHERE photo_id = $1 OR name = $2),"
               " others AS (SELECT p.photo_id, row_number() OVER (ORDER BY p.position) AS place"
               " FROM photo p, moved m WHERE p.photo_id <> m.photo_id"
               " AND (p.album_id = m.album_id OR p.poi_id = m.poi_id)),"
               " placed AS (SELECT photo_id, place + CASE WHEN place < $3::bigint THEN 0 ELSE 1 END"
               " AS place FROM others UNION ALL SELECT photo_id,"
               " least($3, (SELECT count(*) + 1 FROM others)) FROM moved)"
               " UPDATE photo p SET position = o.place FROM placed o"
               " WHERE p.photo_id = o.photo_id AND p.position <> o.place",
               "", true, DB_ALL},
    [FIND] = {"photo_find", "SELECT album_id IS NOT NULL FROM photo WHERE photo_id = $1", "b",
              false, DB_SERVICE},
    [EDIT] = {"photo_describe", "UPDATE photo SET description = $2 WHERE photo_id = $1", "", true,
              DB_SERVICE},
    [COVER] = {"photo_cover",
               "UPDATE own_album SET cover_photo_id = $1, updated_at = now()"
               " WHERE album_id = (SELECT album_id FROM photo WHERE photo_id = $1)",
               "", true, DB_SERVICE},
    [DROP] = {"photo_drop", "DELETE FROM photo WHERE photo_id = $1", "", true, DB_SERVICE},
    [READ] =
        {"photo_read",
         "SELECT p.photo_id, p.album_id, p.poi_id, " PHOTO_ADDRESS("p", "small") ", " PHOTO_ADDRESS("p", "large") ", p.width, p.height, p.description, u.user_id, u.name, " ICON_ADDRESS(
             "u") ", CASE WHEN p.taken_at IS NOT NULL AND u.user_id = reader.id THEN p.taken_at END"
                  " FROM (SELECT " READER " AS id) reader, photo p"
                  " LEFT JOIN LATERAL visible_album(reader.id) a USING (album_id)"
                  " LEFT JOIN LATERAL visible_poi(reader.id) o USING (poi_id)"
                  " JOIN user_account u ON u.user_id = coalesce(a.owner_id, o.owner_id)"
                  " WHERE p.photo_id = $1 AND may_see_photo(u.user_id, p.hidden, reader.id)",
         "lllttiitlttz", false, DB_SERVICE},
    DB_STATEMENTS_END,
};
/* clang-format on */

enum status photo_may_add(struct db_batch *batch, enum subject subject, int64_t id,
                          const struct session_claim *claim, int64_t bytes, int64_t quota)
{
    const struct db_rows *rows =
        DB_ADD(batch, &own_photo_statements[MAY_ADD + (int)subject], db_integer(id),
               db_integer(claim->user_id), db_bytes(claim->token_hash, sizeof claim->token_hash),
               db_integer(bytes), db_integer(quota));
    enum status status = store_run(batch, rows, STATUS_NOT_FOUND);
    if (status != STATUS_OK)
        return status;
    struct db_row row = db_row(rows, 0);
    return db_read_boolean(&row) ? STATUS_OK : STATUS_QUOTA_EXCEEDED;
}

/* The user first, as whoever deletes one does. */
enum status photo_claim_piece(struct db_batch *batch, enum subject subject, int64_t id,
                              int64_t asker)
{
    db_batch_hold(batch);
    user_lock_add(batch, asker);
    const struct db_rows *held = piece_hold_add(batch, (struct piece_name){subject, id}, asker);
    enum status status = db_batch_run(batch);
    return status != STATUS_OK ? status : piece_ownership(held, asker, subject_absent(subject));
}

#define DIGEST(bytes) db_bytes((bytes), CRYPTO_DIGEST_SIZE)

static const struct db_rows *insert_add(struct db_batch *batch, enum subject subject, int64_t id,
                                        int64_t asker, int64_t quota,
                                        const struct photo_upload *upload)
{
    return DB_ADD(batch, &own_photo_statements[INSERT + (int)subject], db_integer(id),
                  db_integer(asker), db_text(upload->description),
                  db_bytes(upload->name, sizeof upload->name), DIGEST(upload->original),
                  db_integer(upload->original_bytes), DIGEST(upload->large), DIGEST(upload->small),
                  db_integer(upload->format), db_integer(upload->width), db_integer(upload->height),
                  db_text(upload->taken), db_integer(quota));
}

enum status photo_upload(struct db_batch *batch, enum subject subject, int64_t id, int64_t asker,
                         int64_t quota, const struct photo_upload *upload,
                         struct photo_added *added)
{
    db_batch_continue(batch);
    db_batch_hold(batch);
    const struct db_rows *rows = insert_add(batch, subject, id, asker, quota, upload);
    if (upload->position > 0)
        DB_ADD(batch, &own_photo_statements[PLACE], db_id(0),
               db_bytes(upload->name, sizeof upload->name), db_integer(upload->position));
    enum status status = store_run(batch, rows, STATUS_QUOTA_EXCEEDED);
    if (status != STATUS_OK)
        return status;
    struct db_row row = db_row(rows, 0);
    added->photo_id = db_read_integer(&row);
    added->thumbnail = db_read_text(&row);
    added->photo_path = db_read_text(&row);
    added->taken = db_read_epoch(&row);
    added->width = upload->width;
    added->height = upload->height;
    return STATUS_OK;
}

enum status photo_upload_for_owner(struct db_batch *batch, enum subject subject, int64_t id,
                                   const struct photo_upload *upload, int64_t *photo_id)
{
    struct photo_added added = {0};
    int64_t owner = 0;
    const struct db_rows *rows =
        DB_ADD(batch, &own_photo_statements[OWNER + (int)subject], db_integer(id));
    enum status status = store_run_integer(batch, rows, subject_absent(subject), &owner);
    db_batch_reset(batch);
    if (status == STATUS_OK)
        status = photo_claim_piece(batch, subject, id, owner);
    if (status == STATUS_OK)
        status = photo_upload(batch, subject, id, owner, 0, upload, &added);
    if (status != STATUS_OK)
        return status;
    *photo_id = added.photo_id;
    db_batch_continue(batch);
    return db_batch_run(batch);
}

static const struct db_rows *hold_its_add(struct db_batch *batch, enum subject subject,
                                          int64_t photo_id, int64_t asker)
{
    return DB_ADD(batch, &own_photo_statements[HOLD_ITS + (int)subject], db_integer(photo_id),
                  db_integer(asker));
}

/* It is looked for once more behind the lock, which somebody may have had who deleted it. */
enum status photo_hold(struct db_batch *batch, int64_t photo_id, int64_t asker,
                       struct photo_held *held)
{
    db_batch_hold(batch);
    const struct db_rows *album = hold_its_add(batch, SUBJECT_ALBUM, photo_id, asker);
    const struct db_rows *poi = hold_its_add(batch, SUBJECT_POI, photo_id, asker);
    const struct db_rows *found = DB_ADD(batch, &own_photo_statements[FIND], db_integer(photo_id));
    held->published = published_photo_add(batch, photo_id);
    enum status status = store_run(batch, found, STATUS_PHOTO_NOT_FOUND);
    if (status != STATUS_OK)
        return status;
    held->is_of_album = db_rows_count(album) > 0;
    return piece_ownership(held->is_of_album ? album : poi, asker, STATUS_PHOTO_NOT_FOUND);
}

enum status photo_change(struct db_batch *batch, const struct photo_fields *fields)
{
    db_batch_continue(batch);
    db_batch_hold(batch);
    if (fields->description != NULL)
        DB_ADD(batch, &own_photo_statements[EDIT], db_integer(fields->photo_id),
               db_text(fields->description));
    if (fields->position > 0)
        DB_ADD(batch, &own_photo_statements[PLACE], db_integer(fields->photo_id), db_text(NULL),
               db_integer(fields->position));
    if (fields->cover != NULL)
        DB_ADD(batch, &own_photo_statements[COVER], db_integer(fields->photo_id));
    return db_batch_run(batch);
}

/* What the statements before have answered stays, for who withdraws it. */
enum status photo_drop(struct db_batch *batch, int64_t photo_id)
{
    db_batch_continue(batch);
    db_batch_hold(batch);
    DB_ADD(batch, &own_photo_statements[DROP], db_integer(photo_id));
    return db_batch_run(batch);
}

enum status photo_read(struct db_batch *batch, int64_t photo_id, const struct session_claim *reader,
                       struct photo_shown *photo)
{
    const struct db_rows *rows = shown_add(batch, &own_photo_statements[READ], photo_id, reader);
    enum status status = store_run(batch, rows, STATUS_PHOTO_NOT_FOUND);
    if (status != STATUS_OK)
        return status;
    struct db_row row = db_row(rows, 0);
    photo->photo_id = db_read_integer(&row);
    photo->album_id = db_read_integer(&row);
    photo->poi_id = db_read_integer(&row);
    photo->thumbnail = db_read_text(&row);
    photo->photo_path = db_read_text(&row);
    photo->width = db_read_integer(&row);
    photo->height = db_read_integer(&row);
    photo->description = db_read_text(&row);
    photo->owner_id = db_read_integer(&row);
    photo->owner_name = db_read_text(&row);
    photo->owner_icon = db_read_text(&row);
    photo->taken = db_read_epoch(&row);
    return STATUS_OK;
}
