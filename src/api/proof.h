/*
 * Whoever asks proves by a password that it is he, or causes a mail: counted and throttled as
 * logins are. That is done beside the batch of the call, before it has run, so that what it writes
 * is written with its claims, or not at all.
 */
#ifndef MAPDIARY_API_PROOF_H
#define MAPDIARY_API_PROOF_H

#include "api/operation.h"
#include "auth/attempt.h"
#include "store/account.h"

struct proof {
    struct attempt attempt;
    struct account_proof account; /* whose password it is */
    bool is_followed_by_hash;     /* the caller hashes another password after this one */
};

/** An attempt of the client, beside the batch of the call. */
struct attempt proof_attempt(const struct call *call, enum attempt_kind kind, const char *email);

/** The status of an attempt, after the header that goes with STATUS_TOO_MANY_ATTEMPTS. */
enum status proof_told(const struct call *call, const struct attempt *attempt, enum status status);

/** Verifies the password of the session's user, or that of the account whose address the token
 * confirms. */
enum status proof_of_asker(struct call *call, const char *password, struct proof *proof) MUST_CHECK;
enum status proof_of_token(struct call *call, const unsigned char *token, const char *password,
                           struct proof *proof) MUST_CHECK;

/** Reads a token. STATUS_TOKEN_INVALID. */
enum status proof_read_token(const char *text,
                             unsigned char hash[static CRYPTO_DIGEST_SIZE]) MUST_CHECK;

/** Whether a password may be chosen, which is the parameter of that name. */
enum status proof_check_new(struct call *call, const char *name, const char *password) MUST_CHECK;

/** Begins a session for a user whose password hash is this one, in the transaction that is open,
 * and answers it, as a login does. */
enum status proof_admit(struct call *call, const struct attempt *attempt, int64_t user_id,
                        const char *password_hash) MUST_CHECK;

/* What an operation takes of whoever has a token. */
struct token_fields {
    const char *token;
    const char *password;
};
/* Of struct token_fields. */
extern const struct param_spec token_params[];

/* The answer of an operation that logs in. */
struct login_shown {
    int64_t id;
    const char *idrand;
};

/** Sets the cookies of a session, and answers it. */
void proof_answer_session(struct call *call, int64_t user_id, const char *token);
/** Takes them back. */
void proof_drop_session(const struct call *call);

#endif
