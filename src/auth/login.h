/*
 * Logging in with a password: throttled, in the same time for every wrong answer.
 */
#ifndef MAPDIARY_AUTH_LOGIN_H
#define MAPDIARY_AUTH_LOGIN_H

#include "auth/attempt.h"
#include "base/crypto.h"

struct login_answer {
    int64_t user_id;
    char token[CRYPTO_TOKEN_DIGITS + 1];
};

/**
 * Makes the attempt, whose batch is to begin the session.
 * STATUS_PASSWORD_INCORRECT for a wrong password and an unknown email address alike;
 * STATUS_USER_BLOCKED for a right one, where an operator lets nobody in;
 * STATUS_TOO_MANY_ATTEMPTS before either is looked at, and STATUS_UNAVAILABLE after that, where too
 * many log in at a time; both have written nothing. A success takes three round trips: one that
 * only looks, one that counts the attempt, and, once the password is verified, one that begins the
 * session; there a hash of another cost than the configured one is renewed.
 */
enum status login_run(struct attempt *attempt, const char *password,
                      struct login_answer *answer) MUST_CHECK;

/**
 * A new session for a user. With the password hash that was verified, or NULL: see
 * session_insert(). The batch may hold other statements already.
 */
enum status login_start_session(struct db_batch *batch, int64_t user_id, int64_t lifetime,
                                const char *password_hash, struct login_answer *answer) MUST_CHECK;

#endif
