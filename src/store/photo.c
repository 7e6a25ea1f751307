#include "store/photo.h"

#include "store/photo_file.h"
#include "store/piece.h"
#include "store/run.h"
#include "store/shown.h"
#include "store/statements.h"
#include "store/user.h"

const struct db_rows *photos_show_add(struct db_batch *batch, enum subject subject, int64_t id)
{
    return DB_ADD(batch, SQL_PHOTO_SHOW_ALL_ALBUM + (int)subject, db_integer(id));
}

const struct db_rows *photos_of_add(struct db_batch *batch, enum subject subject, int64_t id,
                                    const struct session_claim *reader)
{
    return shown_add(batch, SQL_PHOTO_OF_ALBUM + (int)subject, id, reader);
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
    const struct db_rows *rows = DB_ADD(batch, SQL_PHOTO_INSERT_ALBUM + (int)subject,
                                        db_integer(id), db_text(address), db_text(description));
    return store_run_integer(batch, rows, subject_absent(subject), photo_id);
}

enum status photo_delete(struct db_batch *batch, enum subject subject, int64_t id, int64_t photo_id,
                         const struct db_rows **published)
{
    hold_add(batch, subject, id);
    *published = published_photo_add(batch, photo_id);
    return store_run(
        batch,
        DB_ADD(batch, SQL_PHOTO_DELETE_ALBUM + (int)subject, db_integer(id), db_integer(photo_id)),
        STATUS_NOT_FOUND);
}

enum status photo_order(struct db_batch *batch, enum subject subject, int64_t id,
                        const char *photos)
{
    hold_add(batch, subject, id);
    return store_run(
        batch, DB_ADD(batch, SQL_PHOTO_ORDER_ALBUM + (int)subject, db_integer(id), db_text(photos)),
        STATUS_NOT_FOUND);
}

enum status photo_set_cover(struct db_batch *batch, int64_t album_id, int64_t photo_id)
{
    return store_run(batch,
                     DB_ADD(batch, SQL_PHOTO_SET_COVER, db_integer(album_id), db_id(photo_id)),
                     STATUS_NOT_FOUND);
}

enum status photo_edit(struct db_batch *batch, enum subject subject, int64_t id,
                       const struct photo *change)
{
    hold_add(batch, subject, id);
    const struct db_rows *rows = DB_ADD(batch, SQL_PHOTO_EDIT_ALBUM + (int)subject, db_integer(id),
                                        db_integer(change->photo_id), db_text(change->address),
                                        db_text(change->description));
    return store_run(batch, rows, STATUS_NOT_FOUND);
}

enum status photo_show(struct db_batch *batch, enum subject subject, int64_t id, int64_t photo_id,
                       db_row_function *function, void *context)
{
    const struct db_rows *rows =
        DB_ADD(batch, SQL_PHOTO_SHOW_ALBUM + (int)subject, db_integer(id), db_integer(photo_id));
    return store_run_row(batch, rows, STATUS_NOT_FOUND, function, context);
}

enum status photo_list(struct db_batch *batch, enum subject subject, int64_t owner,
                       const struct list_part *part, db_row_function *function, void *context)
{
    DB_STREAM(batch, SQL_PHOTO_LIST_ALBUM + (int)subject, function, context, db_id(owner),
              db_integer(part->after), db_id(part->most));
    return db_batch_run(batch);
}

/* Of users ------------------------------------------------------------------------------------- */

enum status photo_may_add(struct db_batch *batch, enum subject subject, int64_t id,
                          const struct session_claim *claim, int64_t bytes, int64_t quota)
{
    const struct db_rows *rows =
        DB_ADD(batch, SQL_PHOTO_MAY_ADD_TO_ALBUM + (int)subject, db_integer(id),
               db_integer(claim->user_id), db_bytes(claim->token_hash, sizeof claim->token_hash),
               db_integer(bytes), db_integer(quota));
    enum status status = store_run(batch, rows, STATUS_NOT_FOUND);
    if (status != STATUS_OK)
        return status;
    struct db_row row = db_row(rows, 0);
    if (!db_read_boolean(&row))
        return STATUS_QUOTA_EXCEEDED;
    return db_read_boolean(&row) ? STATUS_OK : STATUS_TOO_MUCH_TODAY;
}

/* The user is locked first, as in a transaction that deletes the user. */
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
    return DB_ADD(batch, SQL_PHOTO_UPLOAD_TO_ALBUM + (int)subject, db_integer(id),
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
    db_batch_hold(batch);
    photo_file_lock_add(batch, upload->original, upload->large, upload->small);
    const struct db_rows *rows = insert_add(batch, subject, id, asker, quota, upload);
    DB_ADD(batch, SQL_PHOTO_MEASURE, db_bytes(upload->name, sizeof upload->name),
           db_integer(upload->made_bytes));
    if (upload->position > 0)
        DB_ADD(batch, SQL_PHOTO_PLACE, db_id(0), db_bytes(upload->name, sizeof upload->name),
               db_integer(upload->position));
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
        DB_ADD(batch, SQL_PHOTO_OWNER_OF_ALBUM + (int)subject, db_integer(id));
    enum status status = store_run_integer(batch, rows, subject_absent(subject), &owner);
    db_batch_reset(batch);
    if (status == STATUS_OK)
        status = photo_claim_piece(batch, subject, id, owner);
    if (status == STATUS_OK)
        status = photo_upload(batch, subject, id, owner, 0, upload, &added);
    if (status != STATUS_OK)
        return status;
    *photo_id = added.photo_id;
    return db_batch_commit(batch);
}

static const struct db_rows *hold_its_add(struct db_batch *batch, enum subject subject,
                                          int64_t photo_id, int64_t asker)
{
    return DB_ADD(batch, SQL_PHOTO_HOLD_ITS_ALBUM + (int)subject, db_integer(photo_id),
                  db_integer(asker));
}

/* The photo is looked for once more behind the lock: a transaction that had the lock before may
 * have deleted it. */
enum status photo_hold(struct db_batch *batch, int64_t photo_id, int64_t asker,
                       struct photo_held *held)
{
    db_batch_hold(batch);
    const struct db_rows *album = hold_its_add(batch, SUBJECT_ALBUM, photo_id, asker);
    const struct db_rows *poi = hold_its_add(batch, SUBJECT_POI, photo_id, asker);
    const struct db_rows *found = DB_ADD(batch, SQL_PHOTO_FIND, db_integer(photo_id));
    held->published = published_photo_add(batch, photo_id);
    enum status status = store_run(batch, found, STATUS_PHOTO_NOT_FOUND);
    if (status != STATUS_OK)
        return status;
    held->is_of_album = db_rows_count(album) > 0;
    return piece_ownership(held->is_of_album ? album : poi, asker, STATUS_PHOTO_NOT_FOUND);
}

enum status photo_change(struct db_batch *batch, const struct photo_fields *fields)
{
    db_batch_hold(batch);
    if (fields->description != NULL)
        DB_ADD(batch, SQL_PHOTO_DESCRIBE, db_integer(fields->photo_id),
               db_text(fields->description));
    if (fields->position > 0)
        DB_ADD(batch, SQL_PHOTO_PLACE, db_integer(fields->photo_id), db_text(NULL),
               db_integer(fields->position));
    if (fields->cover != NULL)
        DB_ADD(batch, SQL_PHOTO_COVER, db_integer(fields->photo_id));
    return db_batch_run(batch);
}

/* The rows of photo_hold() stay, for the withdrawal of the files. */
enum status photo_drop(struct db_batch *batch, int64_t photo_id)
{
    db_batch_hold(batch);
    DB_ADD(batch, SQL_PHOTO_DROP, db_integer(photo_id));
    return db_batch_run(batch);
}

enum status photo_read(struct db_batch *batch, int64_t photo_id, const struct session_claim *reader,
                       struct photo_shown *photo)
{
    const struct db_rows *rows = shown_add(batch, SQL_PHOTO_READ, photo_id, reader);
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
