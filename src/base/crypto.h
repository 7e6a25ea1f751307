/*
 * The few things we need of libsodium, and nothing else of it: https://doc.libsodium.org/
 */
#ifndef MAPDIARY_BASE_CRYPTO_H
#define MAPDIARY_BASE_CRYPTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

enum {
    CRYPTO_DIGEST_SIZE = 32,  /* bytes of a hash: BLAKE2b-256, or SHA-256 */
    CRYPTO_TOKEN_SIZE = 16,   /* bytes of a session token: 128 random bits */
    CRYPTO_TOKEN_DIGITS = 32, /* the same in hexadecimal */
    CRYPTO_DIGEST_DIGITS = 64,
    CRYPTO_MAC_SIZE = 32, /* bytes of HMAC-SHA256 */
    CRYPTO_MAC_DIGITS = 64
};

/** Once in a process, before anything else here. STATUS_INTERNAL where the system gives no random
 * numbers. */
enum status crypto_open(void) MUST_CHECK;

void crypto_digest(const void *bytes, size_t length, unsigned char hash[static CRYPTO_DIGEST_SIZE]);

/* SHA-256 (FIPS 180-4) of bytes that come in pieces. */
struct crypto_sha256 {
    uint64_t state[13]; /* libsodium's */
};

void crypto_sha256_begin(struct crypto_sha256 *hash);
void crypto_sha256_add(struct crypto_sha256 *hash, const void *bytes, size_t length);
void crypto_sha256_end(struct crypto_sha256 *hash, unsigned char digest[static CRYPTO_DIGEST_SIZE]);

/** HMAC-SHA256 (RFC 2104, FIPS 180-4) of bytes, under a key of any length. */
void crypto_mac(const void *key, size_t key_length, const void *bytes, size_t length,
                unsigned char mac[static CRYPTO_MAC_SIZE]);

/** Compares in a time that does not tell where they differ. */
bool crypto_is_equal(const void *one, const void *other, size_t length);

void crypto_random(void *bytes, size_t length);

/** Writes count bytes as 2 * count lower-case hexadecimal digits and a NUL. */
void crypto_to_hex(const unsigned char *bytes, size_t count, char *hex);

/** Reads exactly 2 * count hexadecimal digits, of either case. False where the text is anything
 * else. */
bool crypto_from_hex(const char *hex, unsigned char *bytes, size_t count);

/** A new session token in hexadecimal, with a NUL. */
void crypto_token(char token[static CRYPTO_TOKEN_DIGITS + 1]);

/**
 * The hash of a session token that the database holds. STATUS_LOGIN_REQUIRED where the text is not
 * one: 32 hexadecimal digits in either case.
 */
enum status crypto_token_hash(const char *token,
                              unsigned char hash[static CRYPTO_DIGEST_SIZE]) MUST_CHECK;

#endif
