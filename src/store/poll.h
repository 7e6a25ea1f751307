/*
 * The vote of a blog: one a blog, and one vote a user.
 */
#ifndef MAPDIARY_STORE_POLL_H
#define MAPDIARY_STORE_POLL_H

#include "base/status.h"
#include "db/batch.h"

/** The choices are lines of one text. STATUS_BLOG_NOT_FOUND; STATUS_CONFLICT where the blog has a
 * vote already. */
enum status poll_create(struct db_batch *batch, int64_t blog_id, const char *description,
                        const char *choices) MUST_CHECK;
/** Choices count from 1. STATUS_NOT_FOUND without such a vote or choice; STATUS_CONFLICT where the
 * user has voted; STATUS_CLOSED. */
enum status poll_cast(struct db_batch *batch, int64_t blog_id, int64_t user_id,
                      int64_t choice) MUST_CHECK;
/** What is closed stays so. STATUS_NOT_FOUND. */
enum status poll_close(struct db_batch *batch, int64_t blog_id) MUST_CHECK;

#endif
