#include "store/picture.h"

#include "store/addresses.h"
#include "store/registry.h"
#include "store/run.h"

/* Those of each owner. */
enum { FIND = 0, HOLD = PICTURE_OWNERS, ANY = 2 * PICTURE_OWNERS };

#define DIGEST \
    "encode(CASE WHEN $4::integer = 1 THEN p.large_sha256 ELSE p.small_sha256 END, 'hex')"
#define NAMED "p.name = decode($2::text, 'hex') AND p.format = $3::smallint"
/* Who waits would keep a worker; it is only put off. */
#define AS_IT_IS " FOR SHARE SKIP LOCKED"

const struct db_statement picture_statements[] = {
    [FIND + PICTURE_OF_ALBUM] = {"picture_of_album",
                                 "SELECT a.owner_id, a.visibility = 'public', " DIGEST
                                 " FROM photo p JOIN album a USING (album_id)"
                                 " WHERE p.album_id = $1 AND " NAMED,
                                 "lbt", false, DB_SERVICE},
    [FIND + PICTURE_OF_POI] = {"picture_of_poi",
                               "SELECT o.owner_id, true, " DIGEST
                               " FROM photo p JOIN poi o USING (poi_id)"
                               " WHERE p.poi_id = $1 AND " NAMED,
                               "lbt", false, DB_SERVICE},
    [FIND + PICTURE_OF_USER] = {"picture_of_user",
                                "SELECT user_id, true, encode(icon_sha256, 'hex')"
                                " FROM user_account WHERE user_id = $1"
                                " AND icon_name = decode($2::text, 'hex')"
                                " AND icon_format = $3::smallint AND $4::integer = 1",
                                "lbt", false, DB_SERVICE},
    [HOLD + PICTURE_OF_ALBUM] = {"picture_hold_album",
                                 "SELECT true FROM album"
                                 " WHERE album_id = $1 AND visibility = 'public'" AS_IT_IS,
                                 "b", true, DB_SERVICE},
    [HOLD + PICTURE_OF_POI] = {"picture_hold_poi",
                               "SELECT true FROM poi WHERE poi_id = $1" AS_IT_IS, "b", true,
                               DB_SERVICE},
    [HOLD + PICTURE_OF_USER] = {"picture_hold_user",
                                "SELECT true FROM user_account WHERE user_id = $1" AS_IT_IS, "b",
                                true, DB_SERVICE},
    [ANY] =
        {"picture_any_public",
         "SELECT " PHOTO_ADDRESS(
             "p",
             "small") " FROM photo p LEFT JOIN album a USING (album_id)"
                      " WHERE p.name IS NOT NULL AND (a.album_id IS NULL OR a.visibility = 'public')"
                      " LIMIT 1",
         "t", false, DB_ADMIN},
    DB_STATEMENTS_END,
};

const struct db_rows *picture_find_add(struct db_batch *batch, const struct picture_name *name)
{
    return DB_ADD(batch, &picture_statements[FIND + (int)name->owner], db_integer(name->id),
                  db_text(name->name), db_integer(name->format), db_integer(name->is_large));
}

bool picture_read(const struct db_rows *rows, struct picture_found *found)
{
    if (db_rows_count(rows) == 0)
        return false;
    struct db_row row = db_row(rows, 0);
    found->user_id = db_read_integer(&row);
    found->is_public = db_read_boolean(&row);
    return crypto_from_hex(db_read_text(&row), found->digest, sizeof found->digest);
}

const struct db_rows *picture_hold_public_add(struct db_batch *batch,
                                              const struct picture_name *name)
{
    return DB_ADD(batch, &picture_statements[HOLD + (int)name->owner], db_integer(name->id));
}

static enum status take_path(void *context, struct db_row *row)
{
    *(const char **)context = db_read_text(row);
    return STATUS_OK;
}

enum status picture_any_public(struct db_batch *batch, const char **path)
{
    const struct db_rows *rows = db_batch_add(batch, &picture_statements[ANY], NULL, 0);
    return store_run_row(batch, rows, STATUS_NOT_FOUND, take_path, path);
}
