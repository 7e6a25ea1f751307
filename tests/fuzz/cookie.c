/* Cookies: a value that is found stands in the header, alone, and a second one makes it unknown. */
#include "http/cookie.h"

#include <string.h>

#include "fuzz.h"

static void require_alone(const char *header, const char *name, const char *value,
                          struct arena *arena)
{
    REQUIRE(strstr(header, value) != NULL);
    REQUIRE(strstr(header, arena_format(arena, "%s=", name)) != NULL);
    REQUIRE(strchr(value, ';') == NULL);
    REQUIRE(cookie_find(arena_format(arena, "%s; %s=x", header, name), name, arena) == NULL);
    const char *other = cookie_find(arena_format(arena, "other=1; %s", header), name, arena);
    REQUIRE(other != NULL && strcmp(other, value) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"id", "idrand"};
    struct arena *arena = arena_new();
    const char *header = arena_copy(arena, data, size);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = cookie_find(header, names[i], arena);
        if (value != NULL)
            require_alone(header, names[i], value, arena);
    }
    arena_free(&arena);
    return 0;
}
