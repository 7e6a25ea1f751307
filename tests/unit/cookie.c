#include "http/cookie.h"

#include "unit.h"

#define T1 "000102030405060708090a0b0c0d0e0f"
#define T2 "ffffffffffffffffffffffffffffffff"

static const char *joined(const struct candidate_texts *texts)
{
    struct buffer out = {0};
    for (size_t i = 0; i < texts->count; i++)
        buffer_add_format(&out, "%s%s", i > 0 ? " " : "", texts->values[i]);
    *buffer_room(&out, 1) = '\0';
    const char *copy = arena_copy(unit_arena, out.data, out.length);
    buffer_free(&out);
    return copy;
}

/* Which texts of `id` count. */
static void identifiers(void **state)
{
    static const struct {
        const char *header, *want;
    } rows[] = {
        {NULL, ""},
        {"", ""},
        {"id=7", "7"},
        {"id=7; idrand=ab", "7"},
        {"idrand=ab; id=7", "7"},
        {"a=1;id=7;b=2", "7"},
        {"a=1;   id=7  ; b=2", "7"},
        {"\tid=7\t", "7"},
        {"id=\"7\"", "7"},
        {"; ;;id=7", "7"},
        {"id=7;", "7"},
        {"id=9999999999999999999", "9999999999999999999"},
        {"id=007", "007"},

        {"xid=7", ""},
        {"idx=7", ""},
        {"ID=7", ""},
        {"id", ""},
        {"id; a=1", ""},
        {"a=id=7", ""},
        {"a=\"id=7\"", ""},
        {"i", ""},

        /* What others have put there. */
        {"id=", ""},
        {"id=\"\"", ""},
        {"id=;b=1", ""},
        {"id=a=b", ""},
        {"id=\"7", ""},
        {"id=\"", ""},
        {"id=7\"", ""},
        {"id=7 8", ""},
        {"id=\" 7\"", ""},
        {"id=-7", ""},
        {"id=+7", ""},
        {"id=0x7", ""},
        {"id=%37", ""},
        {"id=7x", ""},
        {"id=12345678901234567890", ""},
        {"id=abc; id=1", "1"},
        {"id=1; id=abc", "1"},

        /* Several lines. */
        {"id=7, a=1", "7"},
        {"a=1, id=7", "7"},
        {"a=1,\tid=7", "7"},
        {"id=7,", "7"},
        {"id=7, ", "7"},
        {"id=7,; a=1", "7"},
        {"a=1, id=7; id=8", "7 8"},
        {"a=1,id=7", ""},
        {"a=x,y; id=7", "7"},
        {"a=x,y, id=7", "7"},
        {"a={\"id\":1,\"id\":2}; id=7", "7"},
        {"id=7,8; id=9", "9"},

        /* Each text once, and the first four. */
        {"id=7; id=8", "7 8"},
        {"id=8; id=7", "8 7"},
        {"id=7; id=7", "7"},
        {"id=7; id=\"7\"; id=07", "7 07"},
        {"id=1; id=2; id=3; id=4; id=5", "1 2 3 4"},
        {"id=1; id=x; id=2; id=1; id=3; id=; id=4; id=5", "1 2 3 4"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct session_cookies cookies;
        cookie_read(rows[i].header, unit_arena, &cookies);
        expect_text(rows[i].header, joined(&cookies.ids), rows[i].want);
    }
}

static void tokens(void **state)
{
    static const struct {
        const char *header, *want;
    } rows[] = {
        {"idrand=" T1, T1},
        {"idrand=" T1 "; idrand=" T2, T1 " " T2},
        {"idrand=" T2 ", idrand=" T1, T2 " " T1},
        {"idrand=" T1 "; idrand=" T1, T1},
        {"idrand=FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF", "FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF"},
        {"idrand=x; idrand=; idrand=" T1 "0; idrand=7; idrand=" T1, T1},
        {"idrand=000102030405060708090a0b0c0d0e0g", ""},
        {"id=" T1, ""},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct session_cookies cookies;
        cookie_read(rows[i].header, unit_arena, &cookies);
        expect_text(rows[i].header, joined(&cookies.tokens), rows[i].want);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(identifiers, unit_arena_begin, unit_arena_end),
        cmocka_unit_test_setup_teardown(tokens, unit_arena_begin, unit_arena_end),
    };
    return RUN_TESTS(tests);
}
