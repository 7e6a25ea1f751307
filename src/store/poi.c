#include "store/poi.h"

#include "store/comment.h"
#include "store/photo.h"
#include "store/published.h"
#include "store/registry.h"
#include "store/run.h"
#include "store/shown.h"

enum { READ, LIST, PAGE, SHOW, INSERT, UPDATE, LOCK, DELETE, LIST_ALL };

const struct db_statement poi_statements[] = {
    [READ] = {"poi_read",
              "SELECT p.name, " PIECE_COLUMNS("p") " FROM " SHOWN(
                  "poi", "p") " JOIN user_account u ON u.user_id = p.owner_id WHERE p.poi_id = $1",
              "t" PIECE_TYPES, false, DB_SERVICE},
    [LIST] = {"poi_list",
              "SELECT p.poi_id, p.name FROM " SHOWN("poi",
                                                    "p") " WHERE p.category = $1 ORDER BY p.poi_id",
              "lt", false, DB_SERVICE},
    [PAGE] = {"poi_page",
              "SELECT p.poi_id, p.name FROM " SHOWN(
                  "poi", "p") " WHERE p.category = $1"
                              " AND p.poi_id > $4::bigint ORDER BY p.poi_id LIMIT $5::bigint",
              "lt", false, DB_SERVICE},
    [SHOW] = {"poi_show",
              "SELECT p.poi_id, p.name, p.category, p.lat::text, p.lng::text, u.user_id, u.name,"
              " p.updated_at, p.score, p.hidden FROM poi p"
              " JOIN user_account u ON u.user_id = p.owner_id WHERE p.poi_id = $1",
              "ltsttltzit", false, DB_ADMIN},
    [INSERT] = {"poi_insert",
                "INSERT INTO poi (owner_id, name, category, lat, lng) VALUES ($1, $2, $3, $4, $5)"
                " RETURNING poi_id",
                "l", true, DB_ADMIN},
    [UPDATE] = {"poi_update",
                "UPDATE poi SET owner_id = coalesce($1, owner_id), name = coalesce($2, name),"
                " category = coalesce($3, category), lat = coalesce($4, lat),"
                " lng = coalesce($5, lng), updated_at = now() WHERE poi_id = $6 RETURNING poi_id",
                "l", true, DB_ADMIN},
    [LOCK] = {"poi_lock", "SELECT true FROM poi WHERE poi_id = $1 FOR UPDATE", "b", true, DB_ADMIN},
    [DELETE] = {"poi_delete", "DELETE FROM poi WHERE poi_id = $1 RETURNING poi_id", "l", true,
                DB_ADMIN},
    [LIST_ALL] = {"poi_list_all",
                  "SELECT poi_id, owner_id, name, category, lat::text, lng::text, updated_at, score"
                  " FROM poi WHERE ($1::bigint IS NULL OR owner_id = $1)"
                  " AND ($2::bigint IS NULL OR category = $2)"
                  " AND poi_id > $3::bigint ORDER BY poi_id LIMIT $4::bigint",
                  "lltsttzi", false, DB_ADMIN},
    DB_STATEMENTS_END,
};

struct reading {
    const struct db_rows *pois, *photos;
    struct arena *arena;
    struct poi *poi;
};

static void read_poi(void *context)
{
    struct reading *reading = context;
    struct poi *poi = reading->poi;
    struct db_row row = db_row(reading->pois, 0);
    poi->name = db_read_text(&row);
    poi->piece = piece_read(&row);
    poi->photos = photos_read(reading->photos, reading->arena);
}

enum status poi_read(struct db_batch *batch, struct arena *arena, int64_t poi_id,
                     const struct session_claim *reader, struct poi *poi,
                     struct entry_sink *comments)
{
    struct reading reading = {.arena = arena, .poi = poi};
    reading.pois = shown_add(batch, &poi_statements[READ], poi_id, reader);
    reading.photos = photos_of_add(batch, SUBJECT_POI, poi_id, reader);
    struct comment_stream stream = {read_poi, &reading, comments, false};
    comments_stream(batch, (struct piece_name){SUBJECT_POI, poi_id}, reader, &stream);
    enum status status = store_run(batch, reading.pois, STATUS_POI_NOT_FOUND);
    if (status == STATUS_OK)
        comments_begin(&stream);
    return status;
}

enum status poi_list(struct db_batch *batch, int64_t category, const struct session_claim *reader,
                     struct entry_page *page)
{
    if (page->limit == 0)
        shown_stream(batch, &poi_statements[LIST], category, reader, entry_take_row, page);
    else
        DB_STREAM(batch, &poi_statements[PAGE], entry_take_row, page,
                  SHOWN_VALUES(category, reader), db_integer(page->last),
                  db_integer(page->limit + 1));
    return db_batch_run(batch);
}

enum status poi_show(struct db_batch *batch, int64_t poi_id, struct piece_rows *rows)
{
    *rows = (struct piece_rows){
        .piece = DB_ADD(batch, &poi_statements[SHOW], db_integer(poi_id)),
        .photos = photos_show_add(batch, SUBJECT_POI, poi_id),
        .comments = comments_show_add(batch, SUBJECT_POI, poi_id),
    };
    return store_run(batch, rows->piece, STATUS_POI_NOT_FOUND);
}

#define FIELD_VALUES(fields)                                                       \
    db_id((fields)->owner_id), db_text((fields)->name), db_id((fields)->category), \
        db_text((fields)->place.lat), db_text((fields)->place.lng)

enum status poi_insert(struct db_batch *batch, const struct poi_fields *fields, int64_t *poi_id)
{
    return store_run_integer(batch, DB_ADD(batch, &poi_statements[INSERT], FIELD_VALUES(fields)),
                             STATUS_INTERNAL, poi_id);
}

enum status poi_update(struct db_batch *batch, int64_t poi_id, const struct poi_fields *fields)
{
    return store_run(
        batch, DB_ADD(batch, &poi_statements[UPDATE], FIELD_VALUES(fields), db_integer(poi_id)),
        STATUS_POI_NOT_FOUND);
}

enum status poi_delete(struct db_batch *batch, int64_t poi_id, const struct db_rows **published)
{
    DB_ADD(batch, &poi_statements[LOCK], db_integer(poi_id));
    *published = published_of_piece_add(batch, SUBJECT_POI, poi_id, 0);
    return store_run(batch, DB_ADD(batch, &poi_statements[DELETE], db_integer(poi_id)),
                     STATUS_POI_NOT_FOUND);
}

enum status poi_list_all(struct db_batch *batch, int64_t owner, int64_t category,
                         const struct list_part *part, db_row_function *function, void *context)
{
    DB_STREAM(batch, &poi_statements[LIST_ALL], function, context, db_id(owner), db_id(category),
              db_integer(part->after), db_id(part->most));
    return db_batch_run(batch);
}
