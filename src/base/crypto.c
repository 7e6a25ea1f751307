#include "base/crypto.h"

#include <sodium.h>
#include <string.h>

_Static_assert(CRYPTO_DIGEST_SIZE == crypto_generichash_BYTES, "BLAKE2b-256");

enum status crypto_open(void)
{
    return sodium_init() < 0 ? STATUS_INTERNAL : STATUS_OK;
}

void crypto_digest(const void *bytes, size_t length, unsigned char hash[static CRYPTO_DIGEST_SIZE])
{
    crypto_generichash(hash, CRYPTO_DIGEST_SIZE, bytes, length, NULL, 0);
}

void crypto_to_hex(const unsigned char *bytes, size_t count, char *hex)
{
    sodium_bin2hex(hex, 2 * count + 1, bytes, count);
}

void crypto_token(char token[static CRYPTO_TOKEN_DIGITS + 1])
{
    unsigned char random[CRYPTO_TOKEN_SIZE];
    randombytes_buf(random, sizeof random);
    crypto_to_hex(random, sizeof random, token);
    sodium_memzero(random, sizeof random);
}

enum status crypto_token_hash(const char *token, unsigned char hash[static CRYPTO_DIGEST_SIZE])
{
    unsigned char raw[CRYPTO_TOKEN_SIZE];
    /* Without an end pointer a character that is no digit fails the whole. */
    if (strlen(token) != CRYPTO_TOKEN_DIGITS ||
        sodium_hex2bin(raw, sizeof raw, token, CRYPTO_TOKEN_DIGITS, NULL, NULL, NULL) != 0)
        return STATUS_LOGIN_REQUIRED;
    crypto_digest(raw, sizeof raw, hash);
    return STATUS_OK;
}
