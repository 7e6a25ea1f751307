#include "auth/candidate.h"

#include <string.h>

#include "base/text.h"

#define DECIMAL "0123456789"

/* Without isdigit() and isxdigit(), which ask the locale. */
static const struct {
    const char *name, *digits;
    size_t least, most;
    size_t offset;
} kinds[] = {
    {"id", DECIMAL, 1, 19, offsetof(struct session_cookies, ids)},
    {"idrand", DECIMAL "abcdefABCDEF", CRYPTO_TOKEN_DIGITS, CRYPTO_TOKEN_DIGITS,
     offsetof(struct session_cookies, tokens)},
};

static bool has_form(size_t kind, const char *value, size_t length)
{
    if (length < kinds[kind].least || length > kinds[kind].most)
        return false;
    for (size_t i = 0; i < length; i++)
        if (value[i] == '\0' || strchr(kinds[kind].digits, value[i]) == NULL)
            return false;
    return true;
}

static bool is_there(const struct candidate_texts *texts, const char *value, size_t length)
{
    for (size_t i = 0; i < texts->count; i++)
        if (strlen(texts->values[i]) == length && memcmp(texts->values[i], value, length) == 0)
            return true;
    return false;
}

static void add_text(struct candidate_texts *texts, const char *value, size_t length,
                     struct arena *arena)
{
    if (texts->count < CANDIDATE_TEXTS_MOST && !is_there(texts, value, length))
        texts->values[texts->count++] = arena_copy(arena, value, length);
}

void session_cookies_add(struct session_cookies *cookies, const char *name, size_t name_length,
                         const char *value, size_t value_length, struct arena *arena)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strlen(kinds[i].name) == name_length && memcmp(kinds[i].name, name, name_length) == 0 &&
            has_form(i, value, value_length))
            add_text((void *)((char *)cookies + kinds[i].offset), value, value_length, arena);
}

/* An identifier may be written with zeros before it, and a token in capitals. */
static bool has_claim(const struct candidates *candidates, const struct session_claim *claim)
{
    for (size_t i = 0; i < candidates->count; i++) {
        const struct session_claim *other = &candidates->pairs[i].claim;
        if (other->user_id == claim->user_id &&
            memcmp(other->token_hash, claim->token_hash, sizeof claim->token_hash) == 0)
            return true;
    }
    return false;
}

static void add_pairs(const struct candidate_texts *ids, struct candidate *pair,
                      struct candidates *candidates)
{
    for (size_t i = 0; i < ids->count; i++) {
        pair->id = ids->values[i];
        if (text_to_integer(pair->id, &pair->claim.user_id) && pair->claim.user_id > 0 &&
            !has_claim(candidates, &pair->claim))
            candidates->pairs[candidates->count++] = *pair;
    }
}

void candidates_of(const struct session_cookies *cookies, struct candidates *candidates)
{
    candidates->count = 0;
    for (size_t i = 0; i < cookies->tokens.count; i++) {
        struct candidate pair = {.token = cookies->tokens.values[i]};
        if (crypto_token_hash(pair.token, pair.claim.token_hash) == STATUS_OK)
            add_pairs(&cookies->ids, &pair, candidates);
    }
}
