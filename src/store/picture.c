#include "store/picture.h"

#include "store/addresses.h"
#include "store/registry.h"
#include "store/run.h"
#include "store/shown.h"

/* Those of each owner. */
enum { FIND = 0, HOLD = PICTURE_OWNERS, ANY = 2 * PICTURE_OWNERS };

#define FIND_OF(piece, key)                                                                             \
    {                                                                                                   \
        "picture_of_" piece,                                                                            \
            "SELECT p.hidden IS NULL AND EXISTS (SELECT FROM visible_" piece "(NULL) n"                 \
            " WHERE n." key " = $1), encode(CASE WHEN $6::integer = 1 THEN p.large_sha256"              \
            " ELSE p.small_sha256 END, 'hex') FROM " SHOWN(                                             \
                piece,                                                                                  \
                "t") " JOIN photo p"                                                                    \
                     " USING (" key ") WHERE t." key " = $1 AND p.name = decode($4::text, 'hex')"       \
                     " AND p.format = $5::smallint AND may_see_photo(t.owner_id, p.hidden, reader.id)", \
            "bt", false, DB_SERVICE                                                                     \
    }
/* Who waits would keep a worker; it is only put off. */
#define HOLD_OF(piece)                                                                          \
    {                                                                                           \
        "picture_hold_" piece, "SELECT true FROM keep_" piece "_public($1) AS kept WHERE kept", \
            "b", true, DB_SERVICE                                                               \
    }

const struct db_statement picture_statements[] = {
    [FIND + PICTURE_OF_ALBUM] = FIND_OF("album", "album_id"),
    [FIND + PICTURE_OF_POI] = FIND_OF("poi", "poi_id"),
    [FIND + PICTURE_OF_USER] = {"picture_of_user",
                                "SELECT true, encode(icon_sha256, 'hex')"
                                " FROM user_account WHERE user_id = $1"
                                " AND icon_name = decode($2::text, 'hex')"
                                " AND icon_format = $3::smallint AND $4::integer = 1",
                                "bt", false, DB_SERVICE},
    [HOLD + PICTURE_OF_ALBUM] = HOLD_OF("album"),
    [HOLD + PICTURE_OF_POI] = HOLD_OF("poi"),
    [HOLD + PICTURE_OF_USER] = {"picture_hold_user",
                                "SELECT true FROM user_account WHERE user_id = $1"
                                " FOR SHARE SKIP LOCKED",
                                "b", true, DB_SERVICE},
    [ANY] = {"picture_any_public",
             "SELECT " PHOTO_ADDRESS(
                 "p", "small") " FROM photo p LEFT JOIN visible_album(NULL) a USING (album_id)"
                               " LEFT JOIN visible_poi(NULL) o USING (poi_id)"
                               " WHERE p.name IS NOT NULL AND p.hidden IS NULL"
                               " AND num_nonnulls(a.owner_id, o.owner_id) = 1 LIMIT 1",
             "t", false, DB_ADMIN},
    DB_STATEMENTS_END,
};

const struct db_rows *picture_find_add(struct db_batch *batch, const struct picture_name *name,
                                       const struct session_claim *reader)
{
    const struct db_statement *statement = &picture_statements[FIND + (int)name->owner];
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
