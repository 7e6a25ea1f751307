/*
 * Accounts that people make and keep themselves. What is written together is a function of the
 * schema, which refuses with STATUS_TOKEN_INVALID where a token or an invitation is none.
 */
#ifndef MAPDIARY_STORE_ACCOUNT_H
#define MAPDIARY_STORE_ACCOUNT_H

#include "base/crypto.h"
#include "base/status.h"
#include "db/batch.h"
#include "model/account.h"
#include "model/mail.h"
#include "store/session.h"

/* A token of a mail, and the hash of it that is kept. */
struct account_token {
    char text[CRYPTO_TOKEN_DIGITS + 1];
    unsigned char hash[CRYPTO_DIGEST_SIZE];
};

/** A new one; STATUS_INTERNAL never happens. */
enum status account_token_make(struct account_token *token) MUST_CHECK;

struct registration {
    const char *email;
    const char *name;
    const char *password_hash;
    const char *language;            /* NULL: none was said */
    const unsigned char *invitation; /* its hash; NULL: it takes none */
};

/** Keeps a registration until its address is proven, and writes the mail that tells how. */
enum status account_register(struct db_batch *batch, const struct registration *registration,
                             const struct account_token *token,
                             const struct mail_text *mail) MUST_CHECK;

/** The same for a new password, where there is such an account, and nothing where not. */
enum status account_request_password(struct db_batch *batch, const char *email,
                                     const struct account_token *token,
                                     const struct mail_text *mail) MUST_CHECK;

/** The same for a new address of a user who has this password hash; the notice goes to the old
 * one. STATUS_UNAVAILABLE where the hash is another one by now. */
enum status account_request_address(struct db_batch *batch, const struct account_proof *proof,
                                    const char *email, const struct account_token *token,
                                    const struct mail_text *mail,
                                    const struct mail_text *notice) MUST_CHECK;

/** STATUS_TOKEN_INVALID where there is no such invitation. */
enum status account_find_invitation(struct db_batch *batch, const unsigned char *hash) MUST_CHECK;
enum status account_invite(struct db_batch *batch, const unsigned char *hash,
                           int64_t lifetime) MUST_CHECK;

/** Whose password confirms a token: the registration's, or the account's; in the arena.
 * STATUS_TOKEN_INVALID. */
enum status account_find_token(struct db_batch *batch, const unsigned char *hash,
                               struct arena *arena, struct account_proof *proof) MUST_CHECK;
/** The account that a token for a new password is of, likewise. */
enum status account_find_reset(struct db_batch *batch, const unsigned char *hash,
                               struct arena *arena, struct account_proof *proof) MUST_CHECK;
/** Who has the session; STATUS_LOGIN_REQUIRED. */
enum status account_find_asker(struct db_batch *batch, const struct session_claim *claim,
                               struct arena *arena, struct account_proof *proof) MUST_CHECK;

/** Use a token up, and answer the user whose account is made or changed by that. The new password
 * ends all sessions, and the user gets the notice. */
enum status account_confirm(struct db_batch *batch, const unsigned char *token,
                            int64_t *user_id) MUST_CHECK;
enum status account_reset_password(struct db_batch *batch, const unsigned char *token,
                                   const char *password_hash, const struct mail_text *notice,
                                   int64_t *user_id) MUST_CHECK;

/** Ends all other sessions. STATUS_UNAVAILABLE where the hash is another one by now. */
enum status account_change_password(struct db_batch *batch, const struct account_proof *proof,
                                    const char *password_hash, const struct session_claim *kept,
                                    const struct mail_text *notice) MUST_CHECK;

/** Deletes the account with all that it has, and takes back what it recommended and voted for;
 * published is as with user_delete(). STATUS_UNAVAILABLE where the hash is another one by now. */
enum status account_delete(struct db_batch *batch, const struct account_proof *proof,
                           const struct db_rows **published) MUST_CHECK;

#endif
