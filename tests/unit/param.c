#include "http/param.h"

#include <string.h>

#include "base/date.h"
#include "unit.h"

struct input {
    const char *text;
    int64_t integer;
    struct date date;
};

static const char *const choices[] = {"晴空萬里", "0_8", NULL};

#define FIELD(name) .offset = offsetof(struct input, name)

static const struct param_spec line = {"p", {VALUE_LINE, LINE_RANGE}, FIELD(text)};
static const struct param_spec text = {"p", {VALUE_TEXT, RANGE(1, 3)}, FIELD(text)};
static const struct param_spec id = {"p", {VALUE_INTEGER, ID_RANGE}, FIELD(integer)};
static const struct param_spec few = {"p", {VALUE_INTEGER, RANGE(1, 5)}, FIELD(integer)};
static const struct param_spec latitude = {"p", {VALUE_COORDINATE, RANGE(-90, 90)}, FIELD(text)};
static const struct param_spec choice = {"p", {VALUE_CHOICE, .words = choices}, FIELD(text)};

static enum status bind(const struct param_spec *spec, const char *value, struct input *input)
{
    const char *refused = NULL;
    struct form form = {.count = value != NULL};
    form.parameters[0].name = "p";
    form.parameters[0].value = value;
    *input = (struct input){0};
    const struct param_spec specs[] = {*spec, PARAMS_END};
    enum status status = param_bind(specs, &form, input, &refused);
    if (status != STATUS_OK)
        assert_string_equal(refused, "p");
    return status;
}

static void single_values(void **state)
{
    static const struct {
        const struct param_spec *spec;
        const char *value;
        bool is_right;
    } rows[] = {
        {&line, "山", true},
        {&line, " ", true},
        {&line, "tab\tinside", true},
        {&line, "", false},
        {&line, "two\nlines", false},
        {&line, "two\rlines", false},
        {&text, "a", true},
        {&text, "登山記", true},
        {&text, "\r\n", true},
        {&text, "", false},
        {&text, "1234", false},
        {&text, "登山記了", false},
        {&id, "1", true},
        {&id, "0001", true},
        {&id, "9223372036854775807", true},
        {&id, "0", false},
        {&id, "-1", false},
        {&id, "+1", false},
        {&id, "9223372036854775808", false},
        {&id, "18446744073709551617", false},
        {&id, "1.0", false},
        {&id, "0x1", false},
        {&id, "1e1", false},
        {&id, " 1", false},
        {&id, "", false},
        {&few, "1", true},
        {&few, "5", true},
        {&few, "0", false},
        {&few, "6", false},
        {&latitude, "0", true},
        {&latitude, "-0", true},
        {&latitude, "25.0330", true},
        {&latitude, "-25.0330", true},
        {&latitude, "90", true},
        {&latitude, "-90", true},
        {&latitude, "90.000", true},
        {&latitude, "-90.000", true},
        {&latitude, "0090", true},
        {&latitude, "89.99999999999999999999999999999", true}, /* 32 bytes */
        {&latitude, "89.999999999999999999999999999999", false},
        {&latitude, "00000000000000000000000000000001", true},
        {&latitude, "90.0000000001", false},
        {&latitude, "-90.0000000001", false},
        {&latitude, "90.0.0", false},
        {&latitude, "91", false},
        {&latitude, "-91", false},
        {&latitude, "99999999999999999999", false},
        {&latitude, ".5", false},
        {&latitude, "5.", false},
        {&latitude, "+5", false},
        {&latitude, "5e1", false},
        {&latitude, "0x5", false},
        {&latitude, "5,5", false},
        {&latitude, "nan", false},
        {&latitude, "inf", false},
        {&latitude, " 5", false},
        {&latitude, "", false},
        {&choice, "晴空萬里", true},
        {&choice, "0_8", true},
        {&choice, "0_9", false},
        {&choice, "0_8 ", false},
        {&choice, "0_", false},
        {&choice, "", false},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct input input;
        enum status got = bind(rows[i].spec, rows[i].value, &input);
        expect_integer(rows[i].value, got, rows[i].is_right ? STATUS_OK : STATUS_PARAMETER_INVALID);
        if (got == STATUS_OK && rows[i].spec->type.kind != VALUE_INTEGER)
            expect_text(rows[i].value, input.text, rows[i].value);
    }
}

static void a_line_has_up_to_255_characters(void **state)
{
    char value[2 * 256 + 1] = "";
    struct input input;
    (void)state;
    for (int i = 0; i < 255; i++)
        strcat(value, "é");
    assert_int_equal(bind(&line, value, &input), STATUS_OK);
    strcat(value, "é");
    assert_int_equal(bind(&line, value, &input), STATUS_PARAMETER_INVALID);
}

static void integers_are_stored(void **state)
{
    struct input input;
    (void)state;
    assert_int_equal(bind(&id, "9223372036854775807", &input), STATUS_OK);
    assert_true(input.integer == INT64_MAX);
    assert_int_equal(bind(&few, "0003", &input), STATUS_OK);
    assert_int_equal(input.integer, 3);
}

static void absent_values(void **state)
{
    static const struct param_spec optional = {
        "p", {VALUE_INTEGER, ID_RANGE}, FIELD(integer), .optional = true};
    static const struct param_spec fallback = {
        "p", {VALUE_INTEGER, RANGE(0, 21)}, FIELD(integer), .fallback = "14"};
    static const struct {
        const struct param_spec *spec;
        const char *value;
        enum status want;
        int64_t integer;
    } rows[] = {
        {&id, NULL, STATUS_PARAMETER_MISSING, 0},
        {&optional, NULL, STATUS_OK, 0},
        {&optional, "7", STATUS_OK, 7},
        {&optional, "", STATUS_PARAMETER_INVALID, 0}, /* an empty value is not an absent one */
        {&fallback, NULL, STATUS_OK, 14},
        {&fallback, "0", STATUS_OK, 0},
        {&fallback, "", STATUS_PARAMETER_INVALID, 0},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct input input;
        expect_integer(rows[i].value, bind(rows[i].spec, rows[i].value, &input), rows[i].want);
        expect_integer(rows[i].value, input.integer, rows[i].integer);
    }
}

static void dates(void **state)
{
    static const struct param_spec specs[] = {{"date", {.kind = VALUE_DATE}, FIELD(date)},
                                              PARAMS_END};
    static const struct {
        const char *year, *month, *day;
        enum status want;
        const char *refused;
    } rows[] = {
        {"2024", "2", "29", STATUS_OK, NULL},
        {"2024", "02", "09", STATUS_OK, NULL},
        {"1", "1", "1", STATUS_OK, NULL},
        {"9999", "12", "31", STATUS_OK, NULL},
        {"2023", "2", "29", STATUS_PARAMETER_INVALID, "day"},
        {"2023", "4", "31", STATUS_PARAMETER_INVALID, "day"},
        {"2023", "1", "32", STATUS_PARAMETER_INVALID, "day"},
        {"2023", "1", "0", STATUS_PARAMETER_INVALID, "day"},
        {"2023", "1", "x", STATUS_PARAMETER_INVALID, "day"},
        {"2023", "13", "1", STATUS_PARAMETER_INVALID, "month"},
        {"2023", "0", "1", STATUS_PARAMETER_INVALID, "month"},
        {"0", "1", "1", STATUS_PARAMETER_INVALID, "year"},
        {"10000", "1", "1", STATUS_PARAMETER_INVALID, "year"},
        {"4294968320", "1", "1", STATUS_PARAMETER_INVALID, "year"}, /* 1024, were it cut */
        {"x", "0", "0", STATUS_PARAMETER_INVALID, "year"},
        {NULL, "1", "1", STATUS_PARAMETER_MISSING, "year"},
        {"2023", NULL, "1", STATUS_PARAMETER_MISSING, "month"},
        {"2023", "1", NULL, STATUS_PARAMETER_MISSING, "day"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const char *const names[] = {"year", "month", "day"};
        const char *const values[] = {rows[i].year, rows[i].month, rows[i].day};
        struct form form = {0};
        struct input input = {0};
        const char *refused = NULL;
        for (size_t k = 0; k < COUNT(names); k++) {
            form.parameters[form.count].name = names[k];
            form.parameters[form.count].value = values[k];
            form.count += values[k] != NULL;
        }
        enum status got = param_bind(specs, &form, &input, &refused);
        expect_integer(rows[i].year, got, rows[i].want);
        if (rows[i].refused != NULL)
            expect_text(rows[i].year, refused, rows[i].refused);
        else
            assert_true(date_exists(input.date));
    }
}

static void the_first_at_fault_is_named(void **state)
{
    static const struct param_spec specs[] = {
        {"one", {VALUE_INTEGER, ID_RANGE}, FIELD(integer)},
        {"two", {VALUE_LINE, LINE_RANGE}, FIELD(text)},
        {"date", {.kind = VALUE_DATE}, FIELD(date)},
        PARAMS_END,
    };
    static const struct {
        const char *one, *two, *refused;
    } rows[] = {{"x", "", "one"}, {"1", "", "two"}, {"1", "ok", "year"}};
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct form form = {.parameters = {{"two", rows[i].two}, {"one", rows[i].one}}, .count = 2};
        struct input input = {0};
        const char *refused = NULL;
        assert_int_not_equal(param_bind(specs, &form, &input, &refused), STATUS_OK);
        expect_text(rows[i].refused, refused, rows[i].refused);
    }
}

/* A file for a file, a text for a text; a file that nobody asked for comes last. */
static void files(void **state)
{
    struct file_input {
        const struct upload *file;
        const char *text;
    };
    static const struct param_spec specs[] = {
        {"file", {.kind = VALUE_FILE}, .offset = offsetof(struct file_input, file)},
        {"more",
         {.kind = VALUE_FILE},
         .offset = offsetof(struct file_input, file),
         .optional = true},
        {"text",
         {VALUE_LINE, LINE_RANGE},
         .offset = offsetof(struct file_input, text),
         .optional = true},
        PARAMS_END,
    };
    static const struct {
        const char *names, *files; /* a letter each, and whether that one is a file */
        enum status want;
        const char *refused;
    } rows[] = {
        {"f", "+", STATUS_OK, NULL},
        {"ft", "+-", STATUS_OK, NULL},
        {"fx", "+-", STATUS_OK, NULL},
        {"", "", STATUS_PARAMETER_MISSING, "file"},
        {"f", "-", STATUS_PARAMETER_INVALID, "file"},
        {"fm", "+-", STATUS_PARAMETER_INVALID, "more"},
        {"ft", "++", STATUS_PARAMETER_INVALID, "text"},
        {"xf", "++", STATUS_PARAMETER_INVALID, "other"},
        {"xtf", "+++", STATUS_PARAMETER_INVALID, "text"},
        {"x", "+", STATUS_PARAMETER_MISSING, "file"},
    };
    static const struct {
        char letter;
        const char *name;
    } names[] = {{'f', "file"}, {'m', "more"}, {'t', "text"}, {'x', "other"}};
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct upload upload = {.descriptor = -1, .digest_hex = "0123"};
        struct form form = {.count = strlen(rows[i].names)};
        struct file_input input = {0};
        const char *refused = NULL;
        for (size_t k = 0; k < form.count; k++) {
            for (size_t n = 0; n < COUNT(names); n++)
                if (names[n].letter == rows[i].names[k])
                    form.parameters[k] = (struct pair){names[n].name, upload.digest_hex};
            form.uploads[k] = rows[i].files[k] == '+' ? &upload : NULL;
        }
        expect_integer(rows[i].names, param_bind(specs, &form, &input, &refused), rows[i].want);
        if (rows[i].refused != NULL)
            expect_text(rows[i].names, refused, rows[i].refused);
        else
            assert_ptr_equal(input.file, &upload);
    }
}

static void no_specs_take_a_file(void **state)
{
    struct upload upload = {.descriptor = -1};
    struct form form = {
        .parameters = {{"a", "1"}, {"b", ""}}, .uploads = {NULL, &upload}, .count = 2};
    const char *refused = NULL;
    (void)state;
    assert_int_equal(param_bind(NULL, &form, NULL, &refused), STATUS_PARAMETER_INVALID);
    assert_string_equal(refused, "b");
}

static void the_file_of_an_operation(void **state)
{
    static const struct param_spec specs[] = {
        {.name = "text", .type.kind = VALUE_LINE},
        {.name = "one", .type.kind = VALUE_FILE},
        {.name = "two", .type.kind = VALUE_FILE},
        PARAMS_END,
    };
    (void)state;
    assert_ptr_equal(param_file(specs, NULL), &specs[1]);
    assert_ptr_equal(param_file(specs, "two"), &specs[2]);
    assert_null(param_file(specs, "text"));
    assert_null(param_file(NULL, NULL));
}

/* That it is there is looked at first, then what it says. */
static void exactly_one_of_several(void **state)
{
    struct one {
        int64_t a, b;
        const char *text;
    };
    static const struct param_spec each[] = {
        {"a", {VALUE_INTEGER, ID_RANGE}, .offset = offsetof(struct one, a), .optional = true},
        {"b", {VALUE_INTEGER, ID_RANGE}, .offset = offsetof(struct one, b), .optional = true},
        {"never", .is_elsewhere = true},
        PARAMS_END,
    };
    static const struct param_spec specs[] = {
        {"thing", .one_of = each},
        {"text", {VALUE_LINE, LINE_RANGE}, .offset = offsetof(struct one, text)},
        PARAMS_END,
    };
    static const struct {
        const char *names[4];
        const char *value, *refused;
        enum status status;
    } rows[] = {
        {{"text"}, "1", "a", STATUS_PARAMETER_MISSING},
        {{"a", "text"}, "1", NULL, STATUS_OK},
        {{"text", "b"}, "1", NULL, STATUS_OK},
        {{"b", "a", "text"}, "1", "b", STATUS_PARAMETER_INVALID},
        {{"a", "never", "text"}, "1", "never", STATUS_PARAMETER_INVALID},
        {{"never", "text"}, "1", "never", STATUS_PARAMETER_INVALID},
        {{"a", "b", "text"}, "x", "a", STATUS_PARAMETER_INVALID},
        {{"b"}, "1", "text", STATUS_PARAMETER_MISSING},
        {{"thing", "text"}, "1", "a", STATUS_PARAMETER_MISSING},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct form form = {0};
        struct one input = {0};
        const char *refused = NULL;
        for (; form.count < 4 && rows[i].names[form.count] != NULL; form.count++)
            form.parameters[form.count] = (struct pair){rows[i].names[form.count], rows[i].value};
        expect_integer(rows[i].names[0], param_bind(specs, &form, &input, &refused),
                       rows[i].status);
        if (rows[i].status != STATUS_OK)
            expect_text(rows[i].names[0], refused, rows[i].refused);
        else
            expect_integer(rows[i].names[0], input.a + input.b, 1);
    }
}

static void a_file_that_is_taken_away(void **state)
{
    static const struct param_spec specs[] = {
        {"file", {.kind = VALUE_FILE}, .optional = true, .may_be_empty = true}, PARAMS_END};
    static const struct {
        const char *value;
        enum status status;
    } rows[] = {{NULL, STATUS_OK}, {"", STATUS_OK}, {" ", STATUS_PARAMETER_INVALID}};
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct form form = {.parameters = {{"file", rows[i].value}},
                            .count = rows[i].value != NULL};
        const struct upload *file = NULL;
        const char *refused = NULL;
        expect_integer("file", param_bind(specs, &form, &file, &refused), rows[i].status);
        if (rows[i].status == STATUS_OK)
            assert_ptr_equal(file, rows[i].value != NULL ? &param_no_upload : NULL);
    }
}

static void no_specs_take_anything(void **state)
{
    struct form form = {0};
    const char *refused = NULL;
    (void)state;
    assert_int_equal(param_bind(NULL, &form, NULL, &refused), STATUS_OK);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(single_values),
        cmocka_unit_test(a_line_has_up_to_255_characters),
        cmocka_unit_test(integers_are_stored),
        cmocka_unit_test(absent_values),
        cmocka_unit_test(dates),
        cmocka_unit_test(the_first_at_fault_is_named),
        cmocka_unit_test(files),
        cmocka_unit_test(no_specs_take_a_file),
        cmocka_unit_test(the_file_of_an_operation),
        cmocka_unit_test(exactly_one_of_several),
        cmocka_unit_test(a_file_that_is_taken_away),
        cmocka_unit_test(no_specs_take_anything),
    };
    return RUN_TESTS(tests);
}
