/*
 * The votes of blogs.
 */
#ifndef MAPDIARY_STORE_VOTE_H
#define MAPDIARY_STORE_VOTE_H

#include "base/status.h"
#include "db/batch.h"
#include "model/vote.h"
#include "store/session.h"

/** Adds the query for the vote of a blog to a batch, for this reader, NULL for nobody; vote_read()
 * takes its rows once that has run. */
const struct db_rows *vote_add(struct db_batch *batch, int64_t blog_id,
                               const struct session_claim *reader);
struct vote vote_read(const struct db_rows *rows, struct arena *arena);

/** Add the queries for a vote (none or one) and its choices as an administrator sees them. */
const struct db_rows *vote_show_add(struct db_batch *batch, int64_t blog_id);
const struct db_rows *vote_show_choices_add(struct db_batch *batch, int64_t blog_id);

/* Below, an asker of 0 is an administrator, for whom everything is one's own; a vote that is not
 * NULL is as it reads then, with lists in the arena. */

/** The choices are lines of one text. STATUS_BLOG_NOT_FOUND, STATUS_NOT_OWNER; STATUS_CONFLICT
 * where the blog has a vote already. */
enum status vote_create(struct db_batch *batch, int64_t asker, int64_t blog_id,
                        const char *description, const char *choices) MUST_CHECK;
/** Choices count from 1; the same one again changes nothing. STATUS_BLOG_NOT_FOUND, also where the
 * user may not see it; STATUS_VOTE_NOT_FOUND, STATUS_VOTE_CLOSED; STATUS_NOT_FOUND without such a
 * choice; STATUS_ALREADY_VOTED. */
enum status vote_cast(struct db_batch *batch, struct arena *arena, int64_t user_id, int64_t blog_id,
                      int64_t choice, struct vote *vote) MUST_CHECK;
/** What is closed stays so. STATUS_BLOG_NOT_FOUND, STATUS_NOT_OWNER, STATUS_VOTE_NOT_FOUND. */
enum status vote_close(struct db_batch *batch, struct arena *arena, int64_t asker, int64_t blog_id,
                       struct vote *vote) MUST_CHECK;

#endif
