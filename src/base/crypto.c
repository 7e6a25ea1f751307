#include "base/crypto.h"

#include <sodium.h>
#include <string.h>

_Static_assert(CRYPTO_DIGEST_SIZE == crypto_generichash_BYTES, "BLAKE2b-256");
_Static_assert(CRYPTO_DIGEST_SIZE == crypto_hash_sha256_BYTES, "SHA-256");
_Static_assert(CRYPTO_MAC_SIZE == crypto_auth_hmacsha256_BYTES, "HMAC-SHA256");
_Static_assert(sizeof(struct crypto_sha256) >= sizeof(crypto_hash_sha256_state), "it has room");
_Static_assert(_Alignof(struct crypto_sha256) >= _Alignof(crypto_hash_sha256_state), "as it lies");

enum status crypto_open(void)
{
    return sodium_init() < 0 ? STATUS_INTERNAL : STATUS_OK;
}

void crypto_digest(const void *bytes, size_t length, unsigned char hash[static CRYPTO_DIGEST_SIZE])
{
    crypto_generichash(hash, CRYPTO_DIGEST_SIZE, bytes, length, NULL, 0);
}

void crypto_sha256_begin(struct crypto_sha256 *hash)
{
    crypto_hash_sha256_init((crypto_hash_sha256_state *)hash->state);
}

void crypto_sha256_add(struct crypto_sha256 *hash, const void *bytes, size_t length)
{
    crypto_hash_sha256_update((crypto_hash_sha256_state *)hash->state, bytes, length);
}

void crypto_sha256_end(struct crypto_sha256 *hash, unsigned char digest[static CRYPTO_DIGEST_SIZE])
{
    crypto_hash_sha256_final((crypto_hash_sha256_state *)hash->state, digest);
}

void crypto_mac(const void *key, size_t key_length, const void *bytes, size_t length,
                unsigned char mac[static CRYPTO_MAC_SIZE])
{
    crypto_auth_hmacsha256_state state;
    crypto_auth_hmacsha256_init(&state, key, key_length);
    crypto_auth_hmacsha256_update(&state, bytes, length);
    crypto_auth_hmacsha256_final(&state, mac);
    sodium_memzero(&state, sizeof state);
}

bool crypto_is_equal(const void *one, const void *other, size_t length)
{
    return sodium_memcmp(one, other, length) == 0;
}

void crypto_random(void *bytes, size_t length)
{
    randombytes_buf(bytes, length);
}

void crypto_to_hex(const unsigned char *bytes, size_t count, char *hex)
{
    sodium_bin2hex(hex, 2 * count + 1, bytes, count);
}

bool crypto_from_hex(const char *hex, unsigned char *bytes, size_t count)
{
    /* Without an end pointer a character that is no digit fails the whole. */
    return strlen(hex) == 2 * count &&
           sodium_hex2bin(bytes, count, hex, 2 * count, NULL, NULL, NULL) == 0;
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
    if (!crypto_from_hex(token, raw, sizeof raw))
        return STATUS_LOGIN_REQUIRED;
    crypto_digest(raw, sizeof raw, hash);
    return STATUS_OK;
}
