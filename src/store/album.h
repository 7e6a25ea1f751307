/*
 * Albums.
 */
#ifndef MAPDIARY_STORE_ALBUM_H
#define MAPDIARY_STORE_ALBUM_H

#include "model/album.h"
#include "model/list_part.h"
#include "store/entry.h"
#include "store/piece.h"
#include "store/session.h"

enum status album_insert(struct db_batch *batch, int64_t owner, const struct album_fields *fields,
                         int64_t *album_id) MUST_CHECK;
/* Of what becomes private or is deleted rows for published_read() are answered, which live as
 * long as the batch has its statements. */

/** STATUS_ALBUM_NOT_FOUND, STATUS_NOT_OWNER, STATUS_CHANGED_MEANWHILE. */
enum status album_update(struct db_batch *batch, int64_t asker, const struct album_fields *fields,
                         const struct db_rows **published) MUST_CHECK;
/** With its photos and comments. Of the fields, the album and the version count. Errors as above.
 */
enum status album_delete(struct db_batch *batch, int64_t asker, const struct album_fields *fields,
                         const struct db_rows **published) MUST_CHECK;
/** A private one is there for a reader whose session is its owner's; NULL is nobody.
 * Gives a struct comment for each of its comments, by time; when the first comes, all else is read.
 * STATUS_ALBUM_NOT_FOUND. Lists are in the arena. */
enum status album_read(struct db_batch *batch, struct arena *arena, int64_t album_id,
                       const struct session_claim *reader, struct album *album,
                       struct entry_sink *comments) MUST_CHECK;
/** Gives a struct entry for each of a user's albums that the reader may see, by identifier.
 * STATUS_USER_NOT_FOUND. */
enum status album_list(struct db_batch *batch, int64_t user_id, const struct session_claim *reader,
                       struct entry_page *page) MUST_CHECK;
/** As an administrator sees it. STATUS_ALBUM_NOT_FOUND. */
enum status album_show(struct db_batch *batch, int64_t album_id,
                       struct piece_rows *rows) MUST_CHECK;

/* What an administrator does to anybody's. */

/** Changes what is given: 0 and NULL leave what is there, so the owner. STATUS_ALBUM_NOT_FOUND,
 * STATUS_CHANGED_MEANWHILE; base_version becomes the version that the album had. */
enum status album_edit(struct db_batch *batch, int64_t owner, struct album_fields *fields,
                       const struct db_rows **published) MUST_CHECK;
/** With its photos and comments. STATUS_ALBUM_NOT_FOUND. */
enum status album_remove(struct db_batch *batch, int64_t album_id,
                         const struct db_rows **published) MUST_CHECK;
/** Streams those of one owner, or with 0 of all. */
enum status album_list_all(struct db_batch *batch, int64_t owner, const struct list_part *part,
                           db_row_function *function, void *context) MUST_CHECK;

#endif
