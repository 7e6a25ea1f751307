#include "store/album.h"

#include "store/comment.h"
#include "store/photo.h"
#include "store/photo_file.h"
#include "store/run.h"
#include "store/shown.h"
#include "store/statements.h"
#include "store/user.h"

enum status album_insert(struct db_batch *batch, int64_t owner, const struct album_fields *fields,
                         int64_t *album_id)
{
    const struct db_rows *rows =
        DB_ADD(batch, SQL_ALBUM_INSERT, db_integer(owner), db_text(fields->title),
               db_integer(fields->category), db_text(fields->place.lat), db_text(fields->place.lng),
               db_text(fields->visibility));
    return store_run_integer(batch, rows, STATUS_INTERNAL, album_id);
}

static const struct db_rows *hold_add(struct db_batch *batch, int64_t album_id, int64_t asker)
{
    return piece_hold_add(batch, (struct piece_name){SUBJECT_ALBUM, album_id}, asker);
}

enum status album_update(struct db_batch *batch, int64_t asker, const struct album_fields *fields,
                         const struct db_rows **published)
{
    const struct db_rows *held = hold_add(batch, fields->album_id, asker);
    *published = published_of_piece_add(batch, SUBJECT_ALBUM, fields->album_id, asker);
    DB_ADD(batch, SQL_ALBUM_UPDATE, db_integer(fields->album_id), db_integer(asker),
           db_text(fields->title), db_integer(fields->category), db_text(fields->place.lat),
           db_text(fields->place.lng), db_text(fields->visibility), db_id(fields->base_version));
    int64_t version = fields->base_version;
    return piece_run_held(batch, held, asker, STATUS_ALBUM_NOT_FOUND, &version);
}

enum status album_delete(struct db_batch *batch, int64_t asker, const struct album_fields *fields,
                         const struct db_rows **published)
{
    const struct db_rows *held = hold_add(batch, fields->album_id, asker);
    *published = published_of_piece_add(batch, SUBJECT_ALBUM, fields->album_id, asker);
    DB_ADD(batch, SQL_ALBUM_DELETE, db_integer(fields->album_id), db_integer(asker),
           db_id(fields->base_version));
    int64_t version = fields->base_version;
    return piece_run_held(batch, held, asker, STATUS_ALBUM_NOT_FOUND, &version);
}

struct reading {
    const struct db_rows *albums, *photos;
    struct arena *arena;
    struct album *album;
};

static void read_album(void *context)
{
    struct reading *reading = context;
    struct album *album = reading->album;
    struct db_row row = db_row(reading->albums, 0);
    album->title = db_read_text(&row);
    album->cover_photo_id = db_read_integer(&row);
    album->piece = piece_read(&row);
    album->photos = photos_read(reading->photos, reading->arena);
}

enum status album_read(struct db_batch *batch, struct arena *arena, int64_t album_id,
                       const struct session_claim *reader, struct album *album,
                       struct entry_sink *comments)
{
    struct reading reading = {.arena = arena, .album = album};
    reading.albums = shown_add(batch, SQL_ALBUM_READ, album_id, reader);
    reading.photos = photos_of_add(batch, SUBJECT_ALBUM, album_id, reader);
    struct comment_stream stream = {read_album, &reading, comments, false};
    comments_stream(batch, (struct piece_name){SUBJECT_ALBUM, album_id}, reader, &stream);
    enum status status = store_run(batch, reading.albums, STATUS_ALBUM_NOT_FOUND);
    if (status == STATUS_OK)
        comments_begin(&stream);
    return status;
}

enum status album_list(struct db_batch *batch, int64_t user_id, const struct session_claim *reader,
                       struct entry_page *page)
{
    const struct db_rows *users = user_exists_add(batch, user_id);
    if (page->limit == 0)
        shown_stream(batch, SQL_ALBUM_LIST, user_id, reader, entry_take_row, page);
    else
        DB_STREAM(batch, SQL_ALBUM_PAGE, entry_take_row, page, SHOWN_VALUES(user_id, reader),
                  db_integer(page->last), db_integer(page->limit + 1));
    return store_run(batch, users, STATUS_USER_NOT_FOUND);
}

enum status album_show(struct db_batch *batch, int64_t album_id, struct piece_rows *rows)
{
    *rows = (struct piece_rows){
        .piece = DB_ADD(batch, SQL_ALBUM_SHOW, db_integer(album_id)),
        .photos = photos_show_add(batch, SUBJECT_ALBUM, album_id),
        .comments = comments_show_add(batch, SUBJECT_ALBUM, album_id),
    };
    return store_run(batch, rows->piece, STATUS_ALBUM_NOT_FOUND);
}

enum status album_edit(struct db_batch *batch, int64_t owner, struct album_fields *fields,
                       const struct db_rows **published)
{
    const struct db_rows *held = hold_add(batch, fields->album_id, 0);
    *published = published_of_piece_add(batch, SUBJECT_ALBUM, fields->album_id, 0);
    DB_ADD(batch, SQL_ALBUM_EDIT, db_integer(fields->album_id), db_id(owner),
           db_text(fields->title), db_id(fields->category), db_text(fields->place.lat),
           db_text(fields->place.lng), db_text(fields->visibility), db_id(fields->base_version));
    return piece_run_held(batch, held, 0, STATUS_ALBUM_NOT_FOUND, &fields->base_version);
}

enum status album_remove(struct db_batch *batch, int64_t album_id, const struct db_rows **published)
{
    hold_add(batch, album_id, 0);
    *published = published_of_piece_add(batch, SUBJECT_ALBUM, album_id, 0);
    return store_run(batch, DB_ADD(batch, SQL_ALBUM_REMOVE, db_integer(album_id)),
                     STATUS_ALBUM_NOT_FOUND);
}

enum status album_list_all(struct db_batch *batch, int64_t owner, const struct list_part *part,
                           db_row_function *function, void *context)
{
    DB_STREAM(batch, SQL_ALBUM_LIST_ALL, function, context, db_id(owner), db_integer(part->after),
              db_id(part->most));
    return db_batch_run(batch);
}
