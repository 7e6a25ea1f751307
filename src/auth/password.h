/*
 * Passwords: Argon2id (RFC 9106) in libsodium's string form, which carries salt and cost.
 */
#ifndef MAPDIARY_AUTH_PASSWORD_H
#define MAPDIARY_AUTH_PASSWORD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

enum { PASSWORD_HASH_SIZE = 128 };

struct password_cost {
    int64_t memory; /* MiB */
    int64_t operations;
};

/* What one password may take of a worker, whoever chose the cost: MiB of memory, and that times the
 * passes over it. Some two seconds of a processor. */
enum { PASSWORD_MEMORY_MOST = 1024, PASSWORD_WORK_MOST = 2048 };

/** True where hashing at this cost is not too dear. */
bool password_is_affordable(const struct password_cost *cost);

/** STATUS_UNAVAILABLE where the memory cannot be had. */
enum status password_hash(const char *password, const struct password_cost *cost,
                          char hash[static PASSWORD_HASH_SIZE]) MUST_CHECK;

/**
 * STATUS_OK or STATUS_PASSWORD_INCORRECT. The hash may be NULL, of an account that does not exist:
 * that is incorrect too, after the same work at this cost. So is a hash that is not
 * affordable, which is logged.
 */
enum status password_verify(const char *hash, const char *password,
                            const struct password_cost *cost) MUST_CHECK;

/** True where a text is a hash that password_verify() can use, and affordable. */
bool password_is_hash(const char *text);

/** True where the hash was made at another cost, so that a new one should take its place. */
bool password_is_outdated(const char *hash, const struct password_cost *cost);

#endif
