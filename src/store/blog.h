/*
 * Blogs, and the reward for writing them.
 */
#ifndef MAPDIARY_STORE_BLOG_H
#define MAPDIARY_STORE_BLOG_H

#include "model/blog.h"
#include "model/list_part.h"
#include "store/entry.h"
#include "store/piece.h"
#include "store/session.h"

/** Inserts a blog and credits the reward. STATUS_BLOG_NOT_FOUND if the blog that it replies to
 * is not there for this author, STATUS_PARAMETER_INVALID if its date has begun nowhere on earth and
 * it was to be published now: then nothing was written. */
enum status blog_insert(struct db_batch *batch, int64_t author, const struct blog_fields *fields,
                        const struct reward_rule *rule, struct blog_posted *blog) MUST_CHECK;
/** STATUS_BLOG_NOT_FOUND (also of the one that it replies to), STATUS_NOT_OWNER,
 * STATUS_CHANGED_MEANWHILE, STATUS_PARAMETER_INVALID as blog_insert(). */
enum status blog_update(struct db_batch *batch, int64_t asker,
                        const struct blog_fields *fields) MUST_CHECK;
/** With its vote and comments; blogs that reply to it stay. Of the fields, the blog and the version
 * count. STATUS_BLOG_NOT_FOUND, STATUS_NOT_OWNER, STATUS_CHANGED_MEANWHILE. */
enum status blog_delete(struct db_batch *batch, int64_t asker,
                        const struct blog_fields *fields) MUST_CHECK;
/** For the reader with this claim, NULL for nobody. Gives a struct comment for each of its
 * comments, by time; when the first comes, all else is read. STATUS_BLOG_NOT_FOUND, of a hidden one
 * too. Lists are in the arena. */
enum status blog_read(struct db_batch *batch, struct arena *arena, int64_t blog_id,
                      const struct session_claim *reader, struct blog *blog,
                      struct entry_sink *comments) MUST_CHECK;
/** As an administrator sees it, those of the future too. STATUS_BLOG_NOT_FOUND. */
enum status blog_show(struct db_batch *batch, int64_t blog_id, struct piece_rows *rows) MUST_CHECK;
/** Streams those of one user, or with 0 of all. */
enum status blog_list(struct db_batch *batch, int64_t user_id, const struct list_part *part,
                      db_row_function *function, void *context) MUST_CHECK;
/** Changes anybody's. STATUS_BLOG_NOT_FOUND, also of the one that it is to reply to,
 * STATUS_CHANGED_MEANWHILE; base_version becomes the version that the blog had. */
enum status blog_edit(struct db_batch *batch, int64_t blog_id,
                      struct blog_change *change) MUST_CHECK;
/** Removes anybody's with its vote and comments; blogs that reply to it stay, and so does the
 * author's reward. STATUS_BLOG_NOT_FOUND. */
enum status blog_remove(struct db_batch *batch, int64_t blog_id) MUST_CHECK;

#endif
