#include "auth/signature.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static const char *find(const struct pair *parameters, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(parameters[i].name, name) == 0)
            return parameters[i].value;
    return NULL;
}

/* RFC 3986, section 2.3; without isalnum(), which asks the locale. */
static bool is_unreserved(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
           (c != '\0' && strchr("-._~", c) != NULL);
}

/* Writes the encoded text, of three bytes for each of its own at most, and answers its end. */
static char *encode(const char *text, char *out)
{
    static const char digits[] = "0123456789ABCDEF";
    for (; *text != '\0'; text++) {
        unsigned char byte = (unsigned char)*text;
        if (is_unreserved(*text)) {
            *out++ = *text;
        } else {
            *out++ = '%';
            *out++ = digits[byte >> 4];
            *out++ = digits[byte & 15];
        }
    }
    *out = '\0';
    return out;
}

/* A NUL stands between the name and the value, so that names are compared as if they were alone. */
static struct pair encode_pair(const struct pair *parameter, struct arena *arena)
{
    size_t most = 3 * (strlen(parameter->name) + strlen(parameter->value)) + 2;
    char *name = arena_take(arena, most);
    char *value = encode(parameter->name, name) + 1;
    encode(parameter->value, value);
    return (struct pair){name, value};
}

static int compare_names(const void *one, const void *other)
{
    return strcmp(((const struct pair *)one)->name, ((const struct pair *)other)->name);
}

static const char *join(const struct pair *pairs, size_t count, struct arena *arena)
{
    size_t length = 1;
    for (size_t i = 0; i < count; i++)
        length += strlen(pairs[i].name) + strlen(pairs[i].value) + 2;
    char *joined = arena_take(arena, length), *out = joined;
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            *out++ = '&';
        out = stpcpy(out, pairs[i].name);
        *out++ = '=';
        out = stpcpy(out, pairs[i].value);
    }
    return joined;
}

const char *const signature_left_out[] = {"sig", NULL};

static bool is_one_of(const char *const *names, const char *name)
{
    while (*names != NULL && strcmp(*names, name) != 0)
        names++;
    return *names != NULL;
}

const char *signature_canonical(const struct pair *parameters, size_t count,
                                const char *const *left_out, struct arena *arena)
{
    struct pair *encoded = arena_take_array(arena, count, sizeof *encoded);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (!is_one_of(left_out, parameters[i].name))
            encoded[kept++] = encode_pair(&parameters[i], arena);
    qsort(encoded, kept, sizeof *encoded, compare_names);
    return join(encoded, kept, arena);
}

/* What a signature needs beside itself. */
static enum status read_claim(struct signature_check *check, const struct pair *parameters,
                              size_t count, const char **refused)
{
    const char *key = find(parameters, count, *refused = "key");
    if (key == NULL)
        return STATUS_PARAMETER_MISSING;
    if (!crypto_from_hex(key, check->key_id, sizeof check->key_id))
        return STATUS_KEY_UNKNOWN;
    const char *time = find(parameters, count, *refused = "ts");
    if (time == NULL)
        return STATUS_PARAMETER_MISSING;
    return text_to_integer(time, &check->claim.time) ? STATUS_OK : STATUS_PARAMETER_INVALID;
}

/* Of two signatures, only the one in lower-case digits is as the interface says. */
static bool is_right(struct signature_check *check, const struct master_key *master,
                     const char *canonical, const char *sent)
{
    char digits[CRYPTO_MAC_DIGITS + 1];
    struct key_secret secret = key_secret_of(master, check->key_id);
    crypto_mac(secret.digits, CRYPTO_MAC_DIGITS, canonical, strlen(canonical), check->claim.id);
    crypto_to_hex(check->claim.id, CRYPTO_MAC_SIZE, digits);
    explicit_bzero(&secret, sizeof secret);
    return strlen(sent) == CRYPTO_MAC_DIGITS && crypto_is_equal(sent, digits, CRYPTO_MAC_DIGITS);
}

static enum status refuse_signature(struct db_batch *batch, const struct signature_check *check)
{
    application_require_add(batch, check->key_id);
    enum status status = db_batch_run(batch);
    return status == STATUS_OK ? STATUS_SIGNATURE_INVALID : status;
}

enum status signature_begin(struct signature_check *check, const struct config *config,
                            struct master_key *master, const struct pair *parameters, size_t count,
                            struct arena *arena, struct db_batch *batch, const char **refused)
{
    const char *sent = find(parameters, count, "sig");
    *check = (struct signature_check){0};
    if (config->signatures == SIGNATURES_IGNORE)
        return STATUS_OK;
    if (sent == NULL)
        return config->signatures == SIGNATURES_REQUIRE ? STATUS_SIGNATURE_REQUIRED : STATUS_OK;
    enum status status = read_claim(check, parameters, count, refused);
    if (status == STATUS_OK && !master->is_read)
        status = master_key_read(config->master_key_file, master);
    if (status != STATUS_OK)
        return status;
    if (!is_right(check, master, signature_canonical(parameters, count, signature_left_out, arena),
                  sent))
        return refuse_signature(batch, check);
    check->is_signed = true;
    application_require_timely_add(batch, check->key_id, check->claim.time);
    return STATUS_OK;
}
