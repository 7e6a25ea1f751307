#include "store/poi.h"

#include "store/statements.h"

enum { READ, PHOTOS, LIST };

const struct db_statement poi_statements[] = {
    [READ] =
        {"poi_read",
         "SELECT p.name, " PIECE_COLUMNS(
             "p") " FROM poi p JOIN user_account u ON u.user_id = p.owner_id WHERE p.poi_id = $1",
         "t" PIECE_TYPES, false},
    [PHOTOS] = {"poi_photos",
                "SELECT photo_id, path, description FROM poi_photo"
                " WHERE poi_id = $1 ORDER BY position",
                "ltt", false},
    [LIST] = {"poi_list", "SELECT poi_id, name FROM poi WHERE category = $1 ORDER BY poi_id", "lt",
              false},
    DB_STATEMENTS_END,
};

enum status poi_read(struct db_batch *batch, struct arena *arena, int64_t poi_id, struct poi *poi)
{
    const struct db_rows *pois = DB_ADD(batch, &poi_statements[READ], db_integer(poi_id));
    const struct db_rows *photos = DB_ADD(batch, &poi_statements[PHOTOS], db_integer(poi_id));
    const struct db_rows *comments = comments_add(batch, COMMENT_ON_POI, poi_id);
    enum status status = db_batch_run(batch);
    if (status != STATUS_OK)
        return status;
    if (db_rows_count(pois) == 0)
        return STATUS_POI_NOT_FOUND;
    struct db_row row = db_row(pois, 0);
    poi->name = db_read_text(&row);
    poi->piece = piece_read(&row);
    poi->photos = photos_read(photos, arena);
    poi->comments = comments_read(comments, arena);
    return STATUS_OK;
}

enum status poi_list(struct db_batch *batch, int64_t category, struct entry_sink *sink)
{
    DB_STREAM(batch, &poi_statements[LIST], entry_take_row, sink, db_integer(category));
    return db_batch_run(batch);
}
