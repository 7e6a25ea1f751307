#include "store/poi.h"

#include "store/comment.h"
#include "store/photo.h"
#include "store/photo_file.h"
#include "store/run.h"
#include "store/shown.h"
#include "store/statements.h"

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
    reading.pois = shown_add(batch, SQL_POI_READ, poi_id, reader);
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
        shown_stream(batch, SQL_POI_LIST, category, reader, entry_take_row, page);
    else
        DB_STREAM(batch, SQL_POI_PAGE, entry_take_row, page, SHOWN_VALUES(category, reader),
                  db_integer(page->last), db_integer(page->limit + 1));
    return db_batch_run(batch);
}

enum status poi_show(struct db_batch *batch, int64_t poi_id, struct piece_rows *rows)
{
    *rows = (struct piece_rows){
        .piece = DB_ADD(batch, SQL_POI_SHOW, db_integer(poi_id)),
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
    return store_run_integer(batch, DB_ADD(batch, SQL_POI_INSERT, FIELD_VALUES(fields)),
                             STATUS_INTERNAL, poi_id);
}

enum status poi_update(struct db_batch *batch, int64_t poi_id, const struct poi_fields *fields)
{
    return store_run(batch, DB_ADD(batch, SQL_POI_UPDATE, FIELD_VALUES(fields), db_integer(poi_id)),
                     STATUS_POI_NOT_FOUND);
}

enum status poi_delete(struct db_batch *batch, int64_t poi_id, const struct db_rows **published)
{
    DB_ADD(batch, SQL_POI_LOCK, db_integer(poi_id));
    *published = published_of_piece_add(batch, SUBJECT_POI, poi_id, 0);
    return store_run(batch, DB_ADD(batch, SQL_POI_DELETE, db_integer(poi_id)),
                     STATUS_POI_NOT_FOUND);
}

enum status poi_list_all(struct db_batch *batch, int64_t owner, int64_t category,
                         const struct list_part *part, db_row_function *function, void *context)
{
    DB_STREAM(batch, SQL_POI_LIST_ALL, function, context, db_id(owner), db_id(category),
              db_integer(part->after), db_id(part->most));
    return db_batch_run(batch);
}
