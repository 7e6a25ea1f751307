/*
 * User accounts as an administrator looks after them.
 */
#ifndef MAPDIARY_STORE_ACCOUNT_H
#define MAPDIARY_STORE_ACCOUNT_H

#include "base/status.h"
#include "db/batch.h"

/** The identifier of the account that has this identifier, or where that is 0, this email address.
 * STATUS_USER_NOT_FOUND. */
enum status account_find(struct db_batch *batch, int64_t user_id, const char *email,
                         int64_t *found) MUST_CHECK;

/** The email address of an account, until db_batch_reset(). STATUS_USER_NOT_FOUND. */
enum status account_email(struct db_batch *batch, int64_t user_id, const char **email) MUST_CHECK;

/** All about an account, as one row for the function; its columns are named. STATUS_USER_NOT_FOUND
 * without one. */
enum status account_show(struct db_batch *batch, int64_t user_id, db_row_function *function,
                         void *context) MUST_CHECK;

/** Streams accounts by identifier, at most so many: all, or those whose name or email address has
 * the text in it. */
enum status account_list(struct db_batch *batch, const char *text, int64_t most,
                         db_row_function *function, void *context) MUST_CHECK;

/* Each answers STATUS_USER_NOT_FOUND where there is no such account. */
enum status account_rename(struct db_batch *batch, int64_t user_id, const char *name) MUST_CHECK;
enum status account_set_icon(struct db_batch *batch, int64_t user_id, const char *icon) MUST_CHECK;
/** A disabled account cannot log in, and its sessions end. */
enum status account_set_disabled(struct db_batch *batch, int64_t user_id, bool disabled) MUST_CHECK;
/** With everything that the user owns or wrote. */
enum status account_delete(struct db_batch *batch, int64_t user_id) MUST_CHECK;

#endif
