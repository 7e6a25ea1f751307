#include "auth/password.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"

_Static_assert(PASSWORD_HASH_SIZE == crypto_pwhash_STRBYTES, "libsodium's string form");

static size_t memory_bytes(const struct password_cost *cost)
{
    return (size_t)cost->memory << 20;
}

enum status password_hash(const char *password, const struct password_cost *cost,
                          char hash[static PASSWORD_HASH_SIZE])
{
    if (crypto_pwhash_str(hash, password, strlen(password), (unsigned long long)cost->operations,
                          memory_bytes(cost)) == 0)
        return STATUS_OK;
    log_error("password: not enough memory to hash one (password_memory)");
    return STATUS_UNAVAILABLE;
}

/* A hash that no password has: all zeros where Argon2's output would be. */
static void decoy(const struct password_cost *cost, char hash[static PASSWORD_HASH_SIZE])
{
    memset(hash, 0, PASSWORD_HASH_SIZE);
    snprintf(hash, PASSWORD_HASH_SIZE, "$argon2id$v=19$m=%lld,t=%lld,p=1$%.22s$%.43s",
             (long long)cost->memory * 1024, (long long)cost->operations, "AAAAAAAAAAAAAAAAAAAAAA",
             "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA");
}

bool password_is_affordable(const struct password_cost *cost)
{
    return cost->memory <= PASSWORD_MEMORY_MOST && cost->operations <= PASSWORD_WORK_MOST &&
           cost->memory * cost->operations <= PASSWORD_WORK_MOST;
}

/* The cost stands in a hash as "$m=KiB,t=PASSES," (the Argon2 reference's string form). */
static bool is_affordable(const char *hash)
{
    unsigned long kibibytes = 0, passes = 0;
    const char *at = strstr(hash, "$m=");
    if (at == NULL || sscanf(at, "$m=%10lu,t=%10lu,", &kibibytes, &passes) != 2)
        return false;
    const struct password_cost cost = {(int64_t)((kibibytes + 1023) / 1024), (int64_t)passes};
    return password_is_affordable(&cost);
}

enum status password_verify(const char *hash, const char *password,
                            const struct password_cost *cost)
{
    char nobody[PASSWORD_HASH_SIZE];
    decoy(cost, nobody);
    if (hash != NULL && !is_affordable(hash)) {
        log_error("password: an account's hash would cost too much to verify; set a new password");
        hash = NULL;
    }
    bool right =
        crypto_pwhash_str_verify(hash != NULL ? hash : nobody, password, strlen(password)) == 0;
    return right && hash != NULL ? STATUS_OK : STATUS_PASSWORD_INCORRECT;
}

bool password_is_hash(const char *text)
{
    return strlen(text) < PASSWORD_HASH_SIZE &&
           crypto_pwhash_str_needs_rehash(text, crypto_pwhash_OPSLIMIT_MIN,
                                          crypto_pwhash_MEMLIMIT_MIN) >= 0 &&
           is_affordable(text);
}

bool password_is_outdated(const char *hash, const struct password_cost *cost)
{
    return crypto_pwhash_str_needs_rehash(hash, (unsigned long long)cost->operations,
                                          memory_bytes(cost)) != 0;
}
