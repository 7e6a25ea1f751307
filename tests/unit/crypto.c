#include "base/crypto.h"

#include <string.h>

#include "unit.h"

/* BLAKE2b-256, as "b2sum -l 256" has it. */
static void digests(void **state)
{
    static const struct {
        const char *text, *want;
    } rows[] = {
        {"", "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8"},
        {"abc", "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        unsigned char hash[CRYPTO_DIGEST_SIZE];
        char hex[CRYPTO_DIGEST_DIGITS + 1];
        crypto_digest(rows[i].text, strlen(rows[i].text), hash);
        crypto_to_hex(hash, sizeof hash, hex);
        expect_text(rows[i].text, hex, rows[i].want);
    }
}

/* FIPS 180-4's examples, however they are cut. */
static void digests_of_pieces(void **state)
{
    static const char text[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    static const char want[] = "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1";
    (void)state;
    for (size_t cut = 0; cut < sizeof text; cut++) {
        struct crypto_sha256 hash;
        unsigned char digest[CRYPTO_DIGEST_SIZE];
        char digits[CRYPTO_DIGEST_DIGITS + 1];
        crypto_sha256_begin(&hash);
        crypto_sha256_add(&hash, text, cut);
        crypto_sha256_add(&hash, text + cut, strlen(text) - cut);
        crypto_sha256_end(&hash, digest);
        crypto_to_hex(digest, sizeof digest, digits);
        expect_text("", digits, want);
    }
}

static void hexadecimal(void **state)
{
    static const unsigned char bytes[] = {0x00, 0x01, 0x7f, 0x80, 0xab, 0xff};
    char hex[2 * sizeof bytes + 1];
    (void)state;
    crypto_to_hex(bytes, sizeof bytes, hex);
    assert_string_equal(hex, "00017f80abff");
    crypto_to_hex(bytes, 0, hex);
    assert_string_equal(hex, "");
}

static void tokens(void **state)
{
    char tokens[100][CRYPTO_TOKEN_DIGITS + 1];
    unsigned char hash[CRYPTO_DIGEST_SIZE];
    (void)state;
    for (size_t i = 0; i < COUNT(tokens); i++) {
        crypto_token(tokens[i]);
        assert_int_equal(strlen(tokens[i]), CRYPTO_TOKEN_DIGITS);
        assert_int_equal(strspn(tokens[i], "0123456789abcdef"), CRYPTO_TOKEN_DIGITS);
        assert_int_equal(crypto_token_hash(tokens[i], hash), STATUS_OK);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(tokens[i], tokens[k]);
    }
}

/* The hash is of the 16 bytes, not of their digits. */
static void hashes_of_tokens(void **state)
{
    static const char hash_of_0_to_15[] =
        "c7cb5d1a1a214f1d833a21fe6c7b2420e417c2f220784cbe90072975131bc367";
    static const struct {
        const char *token, *want; /* NULL: it is none */
    } rows[] = {
        {"000102030405060708090a0b0c0d0e0f", hash_of_0_to_15},
        {"000102030405060708090A0B0C0D0E0F", hash_of_0_to_15},
        {"", NULL},
        {"000102030405060708090a0b0c0d0e0", NULL},
        {"000102030405060708090a0b0c0d0e0f0", NULL},
        {"000102030405060708090a0b0c0d0e0f00", NULL},
        {"000102030405060708090a0b0c0d0e0g", NULL},
        {"g00102030405060708090a0b0c0d0e0f", NULL},
        {"0x0102030405060708090a0b0c0d0e0f", NULL},
        {" 00102030405060708090a0b0c0d0e0f", NULL},
        {"000102030405060708090a0b0c0d0e0 ", NULL},
        {"00010203040506070809 a0b0c0d0e0f", NULL},
        {"00:01:02:03:04:05:06:07:08:09:0a", NULL},
        {"０00102030405060708090a0b0c0d0e0", NULL},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        unsigned char hash[CRYPTO_DIGEST_SIZE];
        char hex[CRYPTO_DIGEST_DIGITS + 1];
        bool is_token = crypto_token_hash(rows[i].token, hash) == STATUS_OK;
        if (is_token)
            crypto_to_hex(hash, sizeof hash, hex);
        expect_text(rows[i].token, is_token ? hex : NULL, rows[i].want);
    }
}

/* RFC 4231, sections 4.2, 4.3 and 4.7: a short key, a text, and a key longer than a block. */
static void macs(void **state)
{
    static const struct {
        const char *key;
        size_t key_length;
        const char *bytes, *want;
    } rows[] = {
        {"\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b", 20,
         "Hi There", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"},
        {"Jefe", 4, "what do ya want for nothing?",
         "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"},
        {NULL, 131, "Test Using Larger Than Block-Size Key - Hash Key First",
         "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"},
    };
    char long_key[131];
    memset(long_key, 0xaa, sizeof long_key);
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        unsigned char mac[CRYPTO_MAC_SIZE];
        char hex[CRYPTO_MAC_DIGITS + 1];
        crypto_mac(rows[i].key != NULL ? rows[i].key : long_key, rows[i].key_length, rows[i].bytes,
                   strlen(rows[i].bytes), mac);
        crypto_to_hex(mac, sizeof mac, hex);
        expect_text(rows[i].bytes, hex, rows[i].want);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(digests),          cmocka_unit_test(digests_of_pieces),
        cmocka_unit_test(hexadecimal),      cmocka_unit_test(tokens),
        cmocka_unit_test(hashes_of_tokens), cmocka_unit_test(macs),
    };
    if (crypto_open() != STATUS_OK)
        return 1;
    return RUN_TESTS(tests);
}
