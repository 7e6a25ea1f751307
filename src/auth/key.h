/*
 * Application keys. Only their identifiers are in the database; the secret of each is computed from
 * its identifier and the master key, a file that the service's user alone may read.
 */
#ifndef MAPDIARY_AUTH_KEY_H
#define MAPDIARY_AUTH_KEY_H

#include <stdbool.h>

#include "base/config.h"
#include "base/crypto.h"
#include "base/status.h"
#include "store/application.h"

enum { MASTER_KEY_SIZE = 32 };

/* All zeros: not read yet. */
struct master_key {
    bool is_read;
    unsigned char bytes[MASTER_KEY_SIZE];
};

/** Makes a new master key file, mode 0600; root gives it to the owner of its folder.
 * STATUS_CONFLICT where there is a file, which stays; STATUS_INTERNAL with the reason in the log.
 */
enum status master_key_create(const char *path) MUST_CHECK;

/**
 * STATUS_KEY_UNKNOWN where there is no file: then no key was ever made. STATUS_INTERNAL, with the
 * reason in the log, where it cannot be read, is no master key, or others than its owner may read
 * or write it.
 */
enum status master_key_read(const char *path, struct master_key *master) MUST_CHECK;

/** Whether the service can run with this configuration: STATUS_INTERNAL, with the reason in the
 * log, where there is a master key that cannot be read, or must be one and is none. */
enum status master_key_check(const struct config *config) MUST_CHECK;

/* The text that requests are signed with, as it is: nobody decodes the digits. */
struct key_secret {
    char digits[CRYPTO_MAC_DIGITS + 1];
};

/** HMAC-SHA256 of "application key " and the identifier in lower-case hexadecimal, under the master
 * key. */
struct key_secret key_secret_of(const struct master_key *master,
                                const unsigned char id[KEY_ID_SIZE]);

#endif
