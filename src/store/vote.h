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

/** The choices are lines of one text. STATUS_BLOG_NOT_FOUND; STATUS_CONFLICT where the blog has a
 * vote already. */
enum status vote_create(struct db_batch *batch, int64_t blog_id, const char *description,
                        const char *choices) MUST_CHECK;
/** Choices count from 1. STATUS_NOT_FOUND without such a vote or choice; STATUS_CONFLICT where the
 * user has voted; STATUS_CLOSED. */
enum status vote_cast(struct db_batch *batch, int64_t blog_id, int64_t user_id,
                      int64_t choice) MUST_CHECK;
/** What is closed stays so. STATUS_NOT_FOUND. */
enum status vote_close(struct db_batch *batch, int64_t blog_id) MUST_CHECK;

#endif
