#include "http/form.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

/* From memory of its exact size, so that reading beyond the end is seen. */
static enum status decode(struct form *form, const char *encoded, size_t length)
{
    char *exact = malloc(length > 0 ? length : 1);
    assert_non_null(exact);
    memcpy(exact, encoded, length);
    form_decode(form, exact, length, unit_arena);
    free(exact);
    return form->status;
}

/* "a=1;b=2" */
static const char *listed(const struct form *form)
{
    const char *list = "";
    for (size_t i = 0; i < form->count; i++)
        list = arena_format(unit_arena, "%s%s%s=%s", list, i == 0 ? "" : ";",
                            form->parameters[i].name, form->parameters[i].value);
    return list;
}

static void forms(void **state)
{
    static const struct {
        const char *encoded, *want;
    } rows[] = {
        {"", ""},
        {"a=1", "a=1"},
        {"a=1&b=2", "a=1;b=2"},
        {"&&a=1&&b=2&&", "a=1;b=2"},
        {"a", "a="},
        {"a=", "a="},
        {"a=b=c", "a=b=c"},
        {"a==", "a=="},
        {"a+b=c+d", "a b=c d"},
        {"a=%2B+%26%3d%25", "a=+ &=%"},
        {"%61%3D=1", "a==1"},
        {"a=%e5%B1%b1", "a=山"},
        {"a=山", "a=山"},
        {"a=%F0%A0%80%8B", "a=\xf0\xa0\x80\x8b"},
        {"a=%0D%0A%09", "a=\r\n\t"},
        {"a=1;b=2", "a=1;b=2"},
        {"A=1&a=2", "A=1;a=2"},
        {"a=\"<'>", "a=\"<'>"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct form form = {0};
        expect_integer(rows[i].encoded, decode(&form, rows[i].encoded, strlen(rows[i].encoded)),
                       STATUS_OK);
        expect_text(rows[i].encoded, listed(&form), rows[i].want);
    }
}

#define BYTES(literal) literal, sizeof(literal) - 1

static void refusals(void **state)
{
    static const struct {
        const char *encoded;
        size_t length;
        enum status want;
        const char *refused;
    } rows[] = {
        {BYTES("a=%zz"), STATUS_MALFORMED_REQUEST, NULL},
        {BYTES("a=%"), STATUS_MALFORMED_REQUEST, NULL},
        {BYTES("a=%&b=1"), STATUS_MALFORMED_REQUEST, NULL},
        {BYTES("a=%4"), STATUS_MALFORMED_REQUEST, NULL},
        {BYTES("a=%4&b=1"), STATUS_MALFORMED_REQUEST, NULL},
        {BYTES("a=%4g"), STATUS_MALFORMED_REQUEST, NULL},
        {BYTES("a=%g4"), STATUS_MALFORMED_REQUEST, NULL},
        {BYTES("a=%%41"), STATUS_MALFORMED_REQUEST, NULL},
        {BYTES("a=% 41"), STATUS_MALFORMED_REQUEST, NULL},
        {BYTES("a=%+1"), STATUS_MALFORMED_REQUEST, NULL},
        {BYTES("a=%-1"), STATUS_MALFORMED_REQUEST, NULL},
        {BYTES("a=%u5c71"), STATUS_MALFORMED_REQUEST, NULL},
        {BYTES("a%=1"), STATUS_MALFORMED_REQUEST, NULL},
        {BYTES("%zz=1"), STATUS_MALFORMED_REQUEST, NULL},
        {BYTES("=x"), STATUS_MALFORMED_REQUEST, NULL},
        {BYTES("="), STATUS_MALFORMED_REQUEST, NULL},
        {BYTES("a=1&="), STATUS_MALFORMED_REQUEST, NULL},
        {BYTES("%00=1"), STATUS_MALFORMED_REQUEST, NULL},
        {BYTES("a%00b=1"), STATUS_MALFORMED_REQUEST, NULL},
        {BYTES("%ff=1"), STATUS_MALFORMED_REQUEST, NULL},
        {BYTES("%ff=%ff"), STATUS_MALFORMED_REQUEST, NULL},
        {BYTES("\xc3=1"), STATUS_MALFORMED_REQUEST, NULL},
        {BYTES("a=%00"), STATUS_PARAMETER_INVALID, "a"},
        {BYTES("a=x\0y"), STATUS_PARAMETER_INVALID, "a"},
        {BYTES("a=%01"), STATUS_PARAMETER_INVALID, "a"},
        {BYTES("a=%1f"), STATUS_PARAMETER_INVALID, "a"},
        {BYTES("a=%C0%80"), STATUS_PARAMETER_INVALID, "a"},
        {BYTES("a=%ED%A0%80"), STATUS_PARAMETER_INVALID, "a"},
        {BYTES("a=%EF%BF%BE"), STATUS_PARAMETER_INVALID, "a"},
        {BYTES("b=1&a=%E5%B1"), STATUS_PARAMETER_INVALID, "a"},
        {BYTES("a=%E5%B1&b=%B1"), STATUS_PARAMETER_INVALID, "a"},
        {BYTES("a=1&b=2&a=1"), STATUS_PARAMETER_DUPLICATE, "a"},
        {BYTES("a&a"), STATUS_PARAMETER_DUPLICATE, "a"},
        {BYTES("a=1&%61=2"), STATUS_PARAMETER_DUPLICATE, "a"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct form form = {0};
        enum status got = decode(&form, rows[i].encoded, rows[i].length);
        expect_integer(rows[i].encoded, got, rows[i].want);
        if (rows[i].refused != NULL)
            expect_text(rows[i].encoded, form.refused, rows[i].refused);
    }
}

static void every_escape(void **state)
{
    (void)state;
    for (unsigned int byte = 0; byte < 256; byte++) {
        struct form form = {0};
        char encoded[8];
        char want[2] = {(char)byte, '\0'};
        bool is_text =
            byte == '\t' || byte == '\n' || byte == '\r' || (byte >= 0x20 && byte < 0x80);
        snprintf(encoded, sizeof encoded, byte % 2 == 0 ? "a=%%%02x" : "a=%%%02X", byte);
        expect_integer(encoded, decode(&form, encoded, strlen(encoded)),
                       is_text ? STATUS_OK : STATUS_PARAMETER_INVALID);
        expect_text(encoded, form_find(&form, "a"), is_text ? want : NULL);
    }
}

static void query_and_body_are_one_form(void **state)
{
    struct form form = {0};
    (void)state;
    assert_int_equal(decode(&form, "a=1", 3), STATUS_OK);
    assert_int_equal(decode(&form, "b=2", 3), STATUS_OK);
    assert_string_equal(listed(&form), "a=1;b=2");
    assert_int_equal(decode(&form, "a=3", 3), STATUS_PARAMETER_DUPLICATE);
    assert_string_equal(form.refused, "a");
    assert_string_equal(form_find(&form, "a"), "1");
    assert_null(form_find(&form, "c"));
    assert_null(form_find(&form, ""));
}

/* A later one may say in which form that is to be told. */
static void after_a_value_that_is_no_text(void **state)
{
    struct form form = {0};
    (void)state;
    assert_int_equal(decode(&form, BYTES("a=%ff&b=1&c=%ff&b=2&d=4")), STATUS_PARAMETER_INVALID);
    assert_int_equal(decode(&form, BYTES("e=5&f=%zz")), STATUS_PARAMETER_INVALID);
    assert_string_equal(form.refused, "a");
    assert_string_equal(listed(&form), "b=1;d=4;e=5");
}

static void after_any_other_error(void **state)
{
    struct form form = {0};
    (void)state;
    assert_int_equal(decode(&form, BYTES("a=1&b=%zz&c=3")), STATUS_MALFORMED_REQUEST);
    assert_int_equal(decode(&form, BYTES("d=4")), STATUS_MALFORMED_REQUEST);
    assert_string_equal(listed(&form), "a=1");
}

static void up_to_64_parameters(void **state)
{
    struct form form = {0};
    char encoded[8];
    (void)state;
    for (int i = 0; i < FORM_PARAMETERS_MOST; i++) {
        snprintf(encoded, sizeof encoded, "p%d=%d", i, i);
        assert_int_equal(decode(&form, encoded, strlen(encoded)), STATUS_OK);
    }
    assert_int_equal(form.count, 64);
    assert_string_equal(form_find(&form, "p63"), "63");
    assert_int_equal(decode(&form, "&&", 2), STATUS_OK);
    assert_int_equal(decode(&form, "q=1", 3), STATUS_REQUEST_TOO_LARGE);
    assert_int_equal(decode(&form, "p1=1", 4), STATUS_REQUEST_TOO_LARGE);
    assert_int_equal(form.count, 64);
}

static enum status added(struct form *form, const char *name, const char *value, size_t length)
{
    form_add(form, name, value, length, unit_arena);
    return form->status;
}

static void texts_as_they_are(void **state)
{
    struct form form = {0};
    (void)state;
    assert_int_equal(added(&form, "a", BYTES("%41+&=")), STATUS_OK);
    assert_int_equal(added(&form, "b", BYTES("")), STATUS_OK);
    assert_string_equal(listed(&form), "a=%41+&=;b=");
    assert_int_equal(added(&form, "c", BYTES("x\0y")), STATUS_PARAMETER_INVALID);
    assert_int_equal(added(&form, "d", BYTES("1")), STATUS_PARAMETER_INVALID);
    assert_string_equal(form.refused, "c");
    assert_string_equal(listed(&form), "a=%41+&=;b=;d=1");
    form = (struct form){0};
    assert_int_equal(added(&form, "", BYTES("1")), STATUS_MALFORMED_REQUEST);
    form = (struct form){0};
    assert_int_equal(added(&form, "\xff", BYTES("1")), STATUS_MALFORMED_REQUEST);
    form = (struct form){0};
    assert_int_equal(added(&form, "a", BYTES("1")), STATUS_OK);
    assert_int_equal(added(&form, "a", BYTES("1")), STATUS_PARAMETER_DUPLICATE);
    assert_string_equal(form.refused, "a");
}

static void files_are_parameters(void **state)
{
    struct form form = {0};
    const struct upload upload = {.descriptor = open("/dev/null", O_RDONLY), .digest_hex = "ab"};
    struct upload other = {.descriptor = open("/dev/null", O_RDONLY), .digest_hex = "cd"};
    (void)state;
    assert_int_equal(decode(&form, BYTES("a=1")), STATUS_OK);
    assert_true(form_add_upload(&form, "f", &upload, unit_arena));
    assert_string_equal(listed(&form), "a=1;f=ab");
    assert_string_equal(form_upload(&form, "f")->name, "f");
    assert_int_equal(form_upload(&form, "f")->descriptor, upload.descriptor);
    assert_null(form_upload(&form, "a"));
    assert_null(form_upload(&form, "x"));
    assert_false(form_add_upload(&form, "a", &other, unit_arena));
    assert_int_equal(form.status, STATUS_PARAMETER_DUPLICATE);
    form_close(&form);
    assert_int_equal(fcntl(upload.descriptor, F_GETFD), -1);
    upload_close(&other);
}

static void a_file_that_is_named_later(void **state)
{
    const struct upload upload = {.descriptor = open("/dev/null", O_RDONLY), .digest_hex = "ab"};
    struct form form = {0};
    (void)state;
    form_name_upload(&form, "f", unit_arena);
    assert_int_equal(form.count, 0);
    assert_int_equal(decode(&form, BYTES("g=1")), STATUS_OK);
    form_take_unnamed(&form, &upload, unit_arena);
    form_name_upload(&form, "g", unit_arena);
    assert_int_equal(form.status, STATUS_PARAMETER_DUPLICATE);
    assert_int_equal(fcntl(upload.descriptor, F_GETFD) >= 0, 1);
    form_close(&form);
    assert_int_equal(fcntl(upload.descriptor, F_GETFD), -1);
}

static void a_look(void **state)
{
    static const struct {
        const char *query, *want;
    } rows[] = {
        {"", NULL},
        {"a=1", NULL},
        {"f=JSON", "JSON"},
        {"a=1&f=J%53ON&b", "JSON"},
        {"%66=JSON", "JSON"},
        {"&&f=JSON&&", "JSON"},
        {"f", ""},
        {"F=JSON", NULL},
        /* What is refused for something else. */
        {"a=1&a=1&f=JSON", "JSON"},
        {"a=%FF&f=JSON", "JSON"},
        {"f=JSON&f=JSON", "JSON"},
        {"f=JSON&f=XML", NULL},
        {"f=JSON&a=%", NULL},
        {"a=%4&f=JSON", NULL},
        {"=1&f=JSON", NULL},
        {"f=JSON&%FF=1", NULL},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        expect_text(rows[i].query, form_look(rows[i].query, "f", unit_arena), rows[i].want);
    char many[8192] = "";
    for (int i = 0; i < 2 * FORM_PARAMETERS_MOST; i++)
        snprintf(many + strlen(many), sizeof many - strlen(many), "p%d=1&", i);
    strcat(many, "f=JSON");
    expect_text("many", form_look(many, "f", unit_arena), "JSON");
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_look, unit_arena_begin, unit_arena_end),
        cmocka_unit_test_setup_teardown(forms, unit_arena_begin, unit_arena_end),
        cmocka_unit_test_setup_teardown(refusals, unit_arena_begin, unit_arena_end),
        cmocka_unit_test_setup_teardown(every_escape, unit_arena_begin, unit_arena_end),
        cmocka_unit_test_setup_teardown(query_and_body_are_one_form, unit_arena_begin,
                                        unit_arena_end),
        cmocka_unit_test_setup_teardown(after_a_value_that_is_no_text, unit_arena_begin,
                                        unit_arena_end),
        cmocka_unit_test_setup_teardown(after_any_other_error, unit_arena_begin, unit_arena_end),
        cmocka_unit_test_setup_teardown(up_to_64_parameters, unit_arena_begin, unit_arena_end),
        cmocka_unit_test_setup_teardown(texts_as_they_are, unit_arena_begin, unit_arena_end),
        cmocka_unit_test_setup_teardown(files_are_parameters, unit_arena_begin, unit_arena_end),
        cmocka_unit_test_setup_teardown(a_file_that_is_named_later, unit_arena_begin,
                                        unit_arena_end),
    };
    return RUN_TESTS(tests);
}
