#include "store/photo_file.h"

#include "base/crypto.h"
#include "base/memory.h"
#include "store/run.h"
#include "store/shown.h"
#include "store/statements.h"

const struct db_statement *const photo_owner_registry[] = {photo_owner_statements, NULL};

enum status photo_file_mark(struct db_batch *batch, const char *digests, int64_t seconds,
                            const struct db_rows **rows)
{
    *rows = DB_ADD(batch, SQL_PHOTO_FILE_MARK, db_text(digests), db_integer(seconds));
    return db_batch_run(batch);
}

enum status photo_file_forget(struct db_batch *batch, const char *digests)
{
    DB_ADD(batch, SQL_PHOTO_FILE_FORGET, db_text(digests));
    return db_batch_run(batch);
}

enum status photo_file_ask_public(struct db_batch *batch, const char *addresses,
                                  const struct db_rows **rows)
{
    *rows = DB_ADD(batch, SQL_PHOTO_FILE_ASK_PUBLIC, db_text(addresses));
    return db_batch_run(batch);
}

enum status photo_file_list(struct db_batch *batch, db_row_function *function, void *context)
{
    db_batch_stream(batch, SQL_PHOTO_FILE_LIST, NULL, 0, function, context);
    return db_batch_run(batch);
}

enum status photo_file_owner(struct db_batch *batch, struct photo_file_owner *owner)
{
    const struct db_rows *rows = db_batch_add(batch, SQL_PHOTO_FILE_OWNER, NULL, 0);
    enum status status = db_batch_run(batch);
    if (status != STATUS_OK)
        return status;
    struct db_row row = db_row(rows, 0);
    owner->whose = db_read_text(&row);
    owner->has_photos = db_read_boolean(&row);
    return STATUS_OK;
}

enum status photo_file_whose(struct db_batch *batch, const char **whose)
{
    struct photo_file_owner owner = {.whose = *whose};
    enum status status = photo_file_owner(batch, &owner);
    *whose = owner.whose;
    return status;
}

enum status photo_file_gone(struct db_batch *batch, int64_t most, char **names, char **digests)
{
    db_batch_hold(batch);
    const struct db_rows *rows = DB_ADD(batch, SQL_PHOTO_FILE_GONE, db_integer(most));
    enum status status = store_run(batch, rows, STATUS_NOT_FOUND);
    if (status != STATUS_OK)
        return status;
    struct db_row row = db_row(rows, 0);
    *names = memory_copy_text(db_read_text(&row));
    *digests = memory_copy_text(db_read_text(&row));
    return STATUS_OK;
}

enum status photo_file_unnamed(struct db_batch *batch, const char *digests,
                               const struct db_rows **rows)
{
    db_batch_hold(batch);
    *rows = DB_ADD(batch, SQL_PHOTO_FILE_UNNAMED, db_text(digests));
    return db_batch_run(batch);
}

enum status photo_file_forget_gone(struct db_batch *batch, const char *names)
{
    DB_ADD(batch, SQL_PHOTO_FILE_FORGET_GONE, db_text(names));
    return db_batch_run(batch);
}

enum status photo_file_hold(struct db_batch *batch)
{
    db_batch_add(batch, SQL_PHOTO_FILE_HOLD, NULL, 0);
    enum status status = db_batch_run(batch);
    db_batch_reset(batch);
    return status;
}

static struct db_value digest_value(const unsigned char *digest)
{
    return digest != NULL ? db_bytes(digest, CRYPTO_DIGEST_SIZE) : db_text(NULL);
}

void photo_file_lock_add(struct db_batch *batch, const unsigned char *one,
                         const unsigned char *second, const unsigned char *third)
{
    DB_ADD(batch, SQL_PHOTO_FILE_LOCK, digest_value(one), digest_value(second),
           digest_value(third));
}

enum status photo_file_unmeasured(struct db_batch *batch, int64_t most, const struct db_rows **rows)
{
    *rows = DB_ADD(batch, SQL_PHOTO_FILE_UNMEASURED, db_integer(most));
    return db_batch_run(batch);
}

enum status photo_file_measured(struct db_batch *batch, const char *photos, const char *bytes)
{
    DB_ADD(batch, SQL_PHOTO_FILE_MEASURED, db_text(photos), db_text(bytes));
    return db_batch_run(batch);
}

/* By their addresses --------------------------------------------------------------------------- */

const struct db_rows *picture_find_add(struct db_batch *batch, const struct picture_name *name,
                                       const struct session_claim *reader)
{
    const struct db_statement *statement = SQL_PICTURE_OF_ALBUM + (int)name->owner;
    const struct db_value file[] = {db_text(name->name), db_integer(name->format),
                                    db_integer(name->is_large)};
    if (name->owner == PICTURE_OF_USER)
        return DB_ADD(batch, statement, db_integer(name->id), file[0], file[1], file[2]);
    return DB_ADD(batch, statement, SHOWN_VALUES(name->id, reader), file[0], file[1], file[2]);
}

bool picture_read(const struct db_rows *rows, struct picture_found *found)
{
    if (db_rows_count(rows) == 0)
        return false;
    struct db_row row = db_row(rows, 0);
    found->is_public = db_read_boolean(&row);
    return crypto_from_hex(db_read_text(&row), found->digest, sizeof found->digest);
}

const struct db_rows *picture_hold_public_add(struct db_batch *batch,
                                              const struct picture_name *name)
{
    return DB_ADD(batch, SQL_PICTURE_HOLD_ALBUM + (int)name->owner, db_integer(name->id));
}

static enum status take_path(void *context, struct db_row *row)
{
    *(const char **)context = db_read_text(row);
    return STATUS_OK;
}

enum status picture_any_public(struct db_batch *batch, const char **path)
{
    const struct db_rows *rows = db_batch_add(batch, SQL_PICTURE_ANY_PUBLIC, NULL, 0);
    return store_run_row(batch, rows, STATUS_NOT_FOUND, take_path, path);
}

/* To be withdrawn ------------------------------------------------------------------------------ */

const struct db_rows *published_of_piece_add(struct db_batch *batch, enum subject subject,
                                             int64_t id, int64_t asker)
{
    return DB_ADD(batch, SQL_PUBLISHED_ALBUM + (int)subject, db_integer(id), db_id(asker));
}

const struct db_rows *published_photo_add(struct db_batch *batch, int64_t photo_id)
{
    return DB_ADD(batch, SQL_PUBLISHED_PHOTO, db_integer(photo_id));
}

const struct db_rows *published_icon_add(struct db_batch *batch, int64_t user_id)
{
    return DB_ADD(batch, SQL_PUBLISHED_ICON, db_integer(user_id));
}

const struct db_rows *published_of_user_add(struct db_batch *batch, int64_t user_id)
{
    return DB_ADD(batch, SQL_PUBLISHED_USER, db_integer(user_id));
}

struct published published_read(const struct db_rows *rows, size_t index)
{
    struct db_row row = db_row(rows, index);
    struct published published = {.owner = (enum picture_owner)db_read_integer(&row)};
    published.id = db_read_integer(&row);
    published.name = db_read_text(&row);
    return published;
}
