#include "store/poi_edit.h"

#include "store/admin.h"

enum { INSERT, UPDATE, DELETE };

const struct db_statement poi_edit_statements[] = {
    [INSERT] = {"poi_insert",
                "INSERT INTO poi (owner_id, name, category, lat, lng) VALUES ($1, $2, $3, $4, $5)"
                " RETURNING poi_id",
                "l", true},
    [UPDATE] = {"poi_update",
                "UPDATE poi SET owner_id = coalesce($1, owner_id), name = coalesce($2, name),"
                " category = coalesce($3, category), lat = coalesce($4, lat),"
                " lng = coalesce($5, lng), updated_at = now() WHERE poi_id = $6 RETURNING poi_id",
                "l", true},
    [DELETE] = {"poi_delete", "DELETE FROM poi WHERE poi_id = $1 RETURNING poi_id", "l", true},
    DB_STATEMENTS_END,
};

#define FIELD_VALUES(fields)                                                       \
    db_id((fields)->owner_id), db_text((fields)->name), db_id((fields)->category), \
        db_text((fields)->lat), db_text((fields)->lng)

/* Runs the batch; its row has the identifier. */
static enum status run(struct db_batch *batch, const struct db_rows *rows, int64_t *poi_id)
{
    enum status status = db_batch_run(batch);
    if (status != STATUS_OK)
        return status;
    if (db_rows_count(rows) == 0)
        return STATUS_POI_NOT_FOUND;
    struct db_row row = db_row(rows, 0);
    *poi_id = db_read_integer(&row);
    return STATUS_OK;
}

enum status poi_insert(struct db_batch *batch, const struct poi_fields *fields, int64_t *poi_id)
{
    return run(batch, DB_ADD(batch, &poi_edit_statements[INSERT], FIELD_VALUES(fields)), poi_id);
}

enum status poi_update(struct db_batch *batch, int64_t poi_id, const struct poi_fields *fields)
{
    return run(
        batch,
        DB_ADD(batch, &poi_edit_statements[UPDATE], FIELD_VALUES(fields), db_integer(poi_id)),
        &poi_id);
}

enum status poi_delete(struct db_batch *batch, int64_t poi_id)
{
    return run(batch, DB_ADD(batch, &poi_edit_statements[DELETE], db_integer(poi_id)), &poi_id);
}
