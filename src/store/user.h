/*
 * User accounts.
 */
#ifndef MAPDIARY_STORE_USER_H
#define MAPDIARY_STORE_USER_H

#include "base/status.h"
#include "db/batch.h"
#include "model/account.h"
#include "model/list_part.h"
#include "model/user.h"
#include "store/session.h"

/** STATUS_CONFLICT where the email address has an account already. */
enum status user_insert(struct db_batch *batch, const struct user_fields *fields,
                        int64_t *user_id) MUST_CHECK;

/**
 * Sets another password hash and ends the user's sessions, which were begun with the old password.
 * A login that has verified the old one and starts its session at the same moment fails.
 * STATUS_USER_NOT_FOUND.
 */
enum status user_set_password(struct db_batch *batch, int64_t user_id,
                              const char *password_hash) MUST_CHECK;

/** Adds that a hash of the same password takes the place of another, if that is still there. */
void user_renew_hash_add(struct db_batch *batch, int64_t user_id, const char *password_hash,
                         const char *renewed);

/** Adds a query that has one row where the user exists. */
const struct db_rows *user_exists_add(struct db_batch *batch, int64_t user_id);

/** Adds a lock on the user's row until the end of the transaction. */
void user_lock_add(struct db_batch *batch, int64_t user_id);
/** The same of the user's albums and places, too. */
void user_lock_all_add(struct db_batch *batch, int64_t user_id);

/* What a login needs to know of an account. */
struct credentials {
    int64_t user_id;           /* 0: no such account, or it is disabled */
    const char *password_hash; /* in the arena, as the next one */
    const char *language;      /* of mails; NULL: the user has said none */
    bool is_blocked;           /* by an operator */
};

/** Adds the query for the credentials of an email address. */
const struct db_rows *credentials_add(struct db_batch *batch, const char *email);
struct credentials credentials_read(const struct db_rows *rows, struct arena *arena);

/** The identifier of the account that has this identifier, or where that is 0, this email address.
 * STATUS_USER_NOT_FOUND. */
enum status user_find(struct db_batch *batch, int64_t user_id, const char *email,
                      int64_t *found) MUST_CHECK;

/** The email address of an account, until db_batch_reset(). STATUS_USER_NOT_FOUND. */
enum status user_email(struct db_batch *batch, int64_t user_id, const char **email) MUST_CHECK;

/** All about an account, as one row for the function. STATUS_USER_NOT_FOUND without one. */
enum status user_show(struct db_batch *batch, int64_t user_id, db_row_function *function,
                      void *context) MUST_CHECK;

/** Streams accounts: all, or those whose name or email address has the text in it. */
enum status user_list(struct db_batch *batch, const char *text, const struct list_part *part,
                      db_row_function *function, void *context) MUST_CHECK;

/* Each answers STATUS_USER_NOT_FOUND where there is no such user. */
/* Rows for published_read() are answered of an icon that is replaced, and of all that goes. */
/** Changes all but the password; NULL leaves what is there. Sessions go on; with another email
 * address, tokens end. STATUS_CONFLICT where another account has the address. */
enum status user_edit(struct db_batch *batch, int64_t user_id, const struct user_fields *fields,
                      const struct db_rows **published) MUST_CHECK;
/** What users change of themselves; the account is there. */
enum status user_change(struct db_batch *batch, int64_t user_id, const struct user_change *change,
                        const struct db_rows **published) MUST_CHECK;
/** A disabled account cannot log in, its sessions and tokens end, and it gets no mail. */
enum status user_set_disabled(struct db_batch *batch, int64_t user_id, bool disabled) MUST_CHECK;
/** With everything that the user owns or wrote. */
enum status user_delete(struct db_batch *batch, int64_t user_id,
                        const struct db_rows **published) MUST_CHECK;

/** A user for a reader, NULL for nobody. Counts and score are of the pieces that the reader may
 * see. STATUS_USER_NOT_FOUND. */
enum status profile_read(struct db_batch *batch, int64_t user_id,
                         const struct session_claim *reader, struct account *account) MUST_CHECK;

/** The own account of a user, without the quota. */
enum status profile_read_own(struct db_batch *batch, int64_t user_id,
                             struct own_account *account) MUST_CHECK;

#endif
