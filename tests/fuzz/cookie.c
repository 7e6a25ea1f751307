/* Cookies: what counts stands in the header, in its form, once each, and whatever is sent beside it
 * takes nothing away. */
#include "http/cookie.h"

#include <string.h>

#include "fuzz.h"

static void require_good(const char *header, const struct candidate_texts *texts,
                         const char *digits)
{
    REQUIRE(texts->count <= CANDIDATE_TEXTS_MOST);
    for (size_t i = 0; i < texts->count; i++) {
        const char *value = texts->values[i];
        REQUIRE(strstr(header, value) != NULL);
        REQUIRE(*value != '\0' && strspn(value, digits) == strlen(value));
        for (size_t k = 0; k < i; k++)
            REQUIRE(strcmp(value, texts->values[k]) != 0);
    }
}

static void require_same(const struct candidate_texts *one, const struct candidate_texts *other)
{
    REQUIRE(one->count == other->count);
    for (size_t i = 0; i < one->count; i++)
        REQUIRE(strcmp(one->values[i], other->values[i]) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const between[] = {"id=x; %s", "a=1, %s", "%s; idrand=", "id=, %s"};
    struct session_cookies cookies, others;
    struct arena *arena = arena_new();
    const char *header = arena_copy(arena, data, size);
    cookie_read(header, arena, &cookies);
    require_good(header, &cookies.ids, "0123456789");
    require_good(header, &cookies.tokens, "0123456789abcdefABCDEF");
    for (size_t i = 0; i < sizeof between / sizeof *between; i++) {
        size_t length = strlen(between[i]) - 2;
        char *beside = arena_take(arena, strlen(header) + length + 1);
        const char *place = strstr(between[i], "%s");
        strcpy(stpcpy(stpncpy(beside, between[i], (size_t)(place - between[i])), header),
               place + 2);
        cookie_read(beside, arena, &others);
        require_same(&cookies.ids, &others.ids);
        require_same(&cookies.tokens, &others.tokens);
    }
    arena_free(&arena);
    return 0;
}
