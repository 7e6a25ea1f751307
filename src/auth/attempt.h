/*
 * An attempt at an operation that hashes a password: logging in, proving one's identity again, or
 * having a mail sent. It is counted before its work is done, so that concurrent attempts all count.
 * It takes a permit for hashing (permit/admission.h).
 *
 *     attempt_begin     one round trip that only looks; a throttled client takes no permit
 *     attempt_count     one that counts, and fetches the account
 *     attempt_verify    and attempt_hash: the last of them ends the hashing, so that others hash
 *                       while this request writes
 *
 * The batch is in its first transaction until attempt_count() has run, which commits it: for what
 * is to be written once, or not at all, another batch beside it is right (db_batch_beside()).
 */
#ifndef MAPDIARY_AUTH_ATTEMPT_H
#define MAPDIARY_AUTH_ATTEMPT_H

#include "auth/password.h"
#include "base/config.h"
#include "db/batch.h"
#include "permit/admission.h"
#include "permit/network.h"
#include "store/throttle.h"
#include "store/user.h"

/* Mails that somebody causes count for themselves, of the address that they are for and of the
 * client: nobody is kept from logging in by them. */
enum attempt_kind { ATTEMPT_PASSWORD, ATTEMPT_MAIL };

struct attempt {
    struct db_batch *batch;
    struct arena *arena;
    const struct config *config;
    struct admission *admission;
    const char *email;
    const char *address; /* of the client */
    enum attempt_kind kind;
    int hashings; /* that are still to come */

    char network[NETWORK_SIZE];
    struct throttle_subject subject;
    struct throttle_rule rule;
    bool is_counted;
    struct credentials credentials; /* of the email address, once the attempt is counted */
    int64_t wait;                   /* milliseconds, with STATUS_TOO_MANY_ATTEMPTS */
};

/** STATUS_TOO_MANY_ATTEMPTS before anything is looked at, and STATUS_UNAVAILABLE after that, where
 * there is no permit; both have written nothing, and emptied the batch. */
enum status attempt_begin(struct attempt *attempt) MUST_CHECK;

/** A permit alone, for a client whose identity is proven. */
enum status attempt_enter(struct attempt *attempt) MUST_CHECK;

/** attempt_begin() without a permit, for a second attempt within one that has it. */
enum status attempt_look(struct attempt *attempt) MUST_CHECK;

/** STATUS_TOO_MANY_ATTEMPTS where others came between, and nothing was counted. The batch is empty
 * then. */
enum status attempt_count(struct attempt *attempt) MUST_CHECK;

/** Compares the password with a hash, NULL for that of nobody; STATUS_PASSWORD_INCORRECT. */
enum status attempt_verify(struct attempt *attempt, const char *hash,
                           const char *password) MUST_CHECK;

/** True for a hash, which may be NULL, of another cost than the configured one. */
bool attempt_is_outdated(const struct attempt *attempt, const char *hash);

/** Hashes a new password, as a text in the arena. */
enum status attempt_hash(struct attempt *attempt, const char *password,
                         const char **hash) MUST_CHECK;

/** Adds to a batch that the attempt was a right one, of that user. One that was not counted, as it
 * had another proof, takes nothing from what is counted of the client. */
void attempt_welcome_add(const struct attempt *attempt, struct db_batch *batch, int64_t user_id);

/** The same of a user who is about to go: only what was counted of the client is taken back. */
enum status attempt_forgive(struct attempt *attempt) MUST_CHECK;

#endif
