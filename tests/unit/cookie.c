#include "http/cookie.h"

#include "unit.h"

static void cookies(void **state)
{
    static const struct {
        const char *header, *want;
    } rows[] = {
        {NULL, NULL},
        {"", NULL},
        {"id=7", "7"},
        {"id=7; idrand=ab", "7"},
        {"idrand=ab; id=7", "7"},
        {"a=1;id=7;b=2", "7"},
        {"a=1;   id=7  ; b=2", "7"},
        {"\tid=7\t", "7"},
        {"id=\"7\"", "7"},
        {"id=\"\"", ""},
        {"id=", ""},
        {"id=;b=1", ""},
        {"id=a=b", "a=b"},
        {"id=\"7", "\"7"},
        {"id=\"", "\""},
        {"id=7\"", "7\""},
        {"id=a b", "a b"},
        {"; ;;id=7", "7"},
        {"id=7;", "7"},

        {"xid=7", NULL},
        {"idx=7", NULL},
        {"ID=7", NULL},
        {"id", NULL},
        {"id; a=1", NULL},
        {"a=id=7", NULL},
        {"a=\"id=7\"", NULL},
        {"i", NULL},
        /* Nobody can say which was meant. */
        {"id=7; id=8", NULL},
        {"id=7; id=7", NULL},
        {"id=7; a=1; id=", NULL},
    };
    struct arena *arena = arena_new();
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        expect_text(rows[i].header, cookie_find(rows[i].header, "id", arena), rows[i].want);
    arena_free(&arena);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {cmocka_unit_test(cookies)};
    return RUN_TESTS(tests);
}
