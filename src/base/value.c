#include "base/value.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/address.h"
#include "base/date.h"
#include "base/quantity.h"

/* Texts that are numbers, or are measured by one ----------------------------------------------- */

static bool measure_flag(const char *text, int64_t *number)
{
    *number = 1;
    return *text == '\0';
}

static bool measure_text(const char *text, int64_t *characters)
{
    *characters = (int64_t)text_characters(text);
    return true;
}

static bool measure_line(const char *text, int64_t *characters)
{
    return text[strcspn(text, "\r\n")] == '\0' && measure_text(text, characters);
}

static bool read_octal(const char *text, int64_t *number)
{
    *number = strtol(text, NULL, 8);
    return *text != '\0' && text[strspn(text, "01234567")] == '\0' && strlen(text) <= 5;
}

static bool read_duration(const char *text, int64_t *milliseconds)
{
    return quantity_read(quantity_durations, text, milliseconds);
}

static bool read_size(const char *text, int64_t *bytes)
{
    return quantity_read(quantity_sizes, text, bytes);
}

/* "T04:05:06Z" */
static bool is_time_of_day(const char *text)
{
    static const char form[] = "T29:59:59Z";
    for (size_t i = 0; i < sizeof form; i++)
        if (form[i] >= '0' && form[i] <= '9' ? text[i] < '0' || text[i] > form[i]
                                             : text[i] != form[i])
            return false;
    return text[1] < '2' || text[2] < '4';
}

static int two_digits(const char *text)
{
    return (text[0] - '0') * 10 + text[1] - '0';
}

static int64_t seconds_of(struct date date, const char *time)
{
    struct tm utc = {
        .tm_year = date.year - 1900,
        .tm_mon = date.month - 1,
        .tm_mday = date.day,
        .tm_hour = two_digits(time + 1),
        .tm_min = two_digits(time + 4),
        .tm_sec = two_digits(time + 7),
    };
    return timegm(&utc);
}

static bool read_time(const char *text, int64_t *seconds)
{
    static const int64_t last = 253402300799; /* of the year 9999 */
    const char *time = text + strlen("2026-02-03");
    struct date date;
    if (!date_from_text(text, &date))
        return text_to_integer(text, seconds) && *seconds >= 0 && *seconds <= last;
    if (!is_time_of_day(time))
        return false;
    *seconds = seconds_of(date, time);
    return true;
}

static bool read_id(const char *text, int64_t *id)
{
    return text_to_integer(text, id) && *id > 0;
}

static bool read_user(const char *text, int64_t *id)
{
    return strchr(text, '@') != NULL ? text_is_line(text, 1, INT64_MAX) : read_id(text, id);
}

/* Texts that stay what they are ---------------------------------------------------------------- */

static bool is_date(const char *text)
{
    struct date date;
    return date_from_text(text, &date) && text[strlen("2026-02-03")] == '\0';
}

static bool is_address(const char *text)
{
    struct address address;
    return address_parse(text, &address) == STATUS_OK;
}

static bool is_path(const char *text)
{
    return *text != '\0';
}

/* What is a file came as one. */
static bool is_no_text(const char *text)
{
    (void)text;
    return false;
}

/* Texts of which the type says more ------------------------------------------------------------ */

static bool read_coordinate(const struct value_type *type, const char *text,
                            struct typed_value *value)
{
    (void)value;
    return text_is_coordinate(text, type->least, type->most);
}

/* The index of the word that has these bytes; where there is none, that of the NULL. */
static int find_word(const char *const *words, const char *bytes, size_t length)
{
    int i = 0;
    while (words[i] != NULL && (strncmp(words[i], bytes, length) != 0 || words[i][length] != '\0'))
        i++;
    return i;
}

static bool read_choice(const struct value_type *type, const char *text, struct typed_value *value)
{
    value->word = find_word(type->words, text, strlen(text));
    value->number = type->least + value->word;
    value->text = type->words[value->word];
    return value->text != NULL;
}

static bool read_subject(const struct value_type *type, const char *text, struct typed_value *value)
{
    size_t length = strcspn(text, ":");
    value->word = find_word(type->words, text, length);
    return type->words[value->word] != NULL && text[length] == ':' &&
           read_id(text + length + 1, &value->number);
}

static bool read_form(const struct value_type *type, const char *text, struct typed_value *value)
{
    (void)value;
    return type->form->fits(text);
}

/* Writing -------------------------------------------------------------------------------------- */

static void print_integer(int64_t number, struct buffer *out)
{
    buffer_add_format(out, "%lld", (long long)number);
}

static void print_octal(int64_t number, struct buffer *out)
{
    buffer_add_format(out, "%04llo", (unsigned long long)number);
}

static void print_duration(int64_t milliseconds, struct buffer *out)
{
    quantity_print(quantity_durations, milliseconds, out);
}

static void print_size(int64_t bytes, struct buffer *out)
{
    quantity_print(quantity_sizes, bytes, out);
}

static void print_time(int64_t seconds, struct buffer *out)
{
    char text[DATE_TEXT_SIZE];
    buffer_add_text(out, date_moment_text(seconds, text));
}

/* The kinds ------------------------------------------------------------------------------------ */

typedef bool measure_function(const char *text, int64_t *number);
typedef bool read_function(const struct value_type *type, const char *text,
                           struct typed_value *value);
typedef void print_function(int64_t number, struct buffer *out);

#define MEASURED(function) .measure = (function), .is_ranged = true
#define CHARACTERS .range = " of ", .unit = " characters", .print = print_integer
#define NUMBER(function) .range = " from ", .unit = "", .print = (function), .is_number = true

/* A row has one of the first three. */
static const struct kind {
    measure_function *measure;
    bool (*fits)(const char *text);
    read_function *read;
    const char *what;
    const char *range;     /* stands between that and the range; NULL: it has none */
    const char *unit;      /* of the range */
    print_function *print; /* the number, or the ends of the range */
    bool is_ranged;        /* the number has to be within it */
    bool is_number;        /* the number says all there is */
} kinds[] = {
    [VALUE_FLAG] = {.measure = measure_flag, .what = "nothing"},
    [VALUE_TEXT] = {MEASURED(measure_text), .what = "a text", CHARACTERS},
    [VALUE_LINE] = {MEASURED(measure_line), .what = "one line", CHARACTERS},
    [VALUE_INTEGER] = {MEASURED(text_to_integer), .what = "an integer", NUMBER(print_integer)},
    [VALUE_OCTAL] = {MEASURED(read_octal), .what = "an octal number", NUMBER(print_octal)},
    [VALUE_DURATION] = {MEASURED(read_duration), .what = "a duration (ms, s, m, h, d)",
                        NUMBER(print_duration)},
    [VALUE_SIZE] = {MEASURED(read_size), .what = "a size (B, KiB, MiB, GiB, TiB)",
                    NUMBER(print_size)},
    [VALUE_COORDINATE] = {.read = read_coordinate,
                          .what = "decimal degrees",
                          .range = " from ",
                          .unit = "",
                          .print = print_integer},
    [VALUE_DATE] = {.fits = is_date, .what = "a day of the calendar, as 2026-02-03"},
    [VALUE_TIME] = {.measure = read_time,
                    .print = print_time,
                    .is_number = true,
                    .what = "a time, as 2026-02-03T04:05:06Z or in seconds since the epoch"},
    [VALUE_CHOICE] = {.read = read_choice, .what = "one of "},
    [VALUE_SUBJECT] = {.read = read_subject, .what = "a kind and an identifier: "},
    [VALUE_USER] = {.measure = read_user, .what = "the identifier of a user, or an email address"},
    [VALUE_EMAIL] = {.fits = text_is_email, .what = "one email address, in ASCII"},
    [VALUE_ADDRESS] = {.fits = is_address, .what = "unix:PATH, or ADDRESS:PORT"},
    [VALUE_PATH] = {.fits = is_path, .what = "a path"},
    [VALUE_FILE] = {.fits = is_no_text, .what = "a file"},
    [VALUE_FORM] = {.read = read_form, .what = ""},
};

static bool is_of_kind(const struct kind *kind, const struct value_type *type, const char *text,
                       struct typed_value *value)
{
    if (kind->measure != NULL)
        return kind->measure(text, &value->number);
    return kind->fits != NULL ? kind->fits(text) : kind->read(type, text, value);
}

enum status value_read(const struct value_type *type, const char *text, struct typed_value *value)
{
    const struct kind *kind = &kinds[type->kind];
    value->text = text;
    if (!is_of_kind(kind, type, text, value))
        return STATUS_PARAMETER_INVALID;
    bool is_right =
        (!kind->is_ranged || (value->number >= type->least && value->number <= type->most)) &&
        (!type->seen || text_can_be_seen(text));
    return is_right ? STATUS_OK : STATUS_PARAMETER_INVALID;
}

enum status value_read_bytes(const struct value_type *type, const char *bytes,
                             struct typed_value *value)
{
    if (type->kind != VALUE_PATH && !text_is_valid(bytes, strlen(bytes)))
        return STATUS_PARAMETER_INVALID;
    return value_read(type, bytes, value);
}

bool value_is_number(const struct value_type *type)
{
    return kinds[type->kind].is_number;
}

void value_print(const struct value_type *type, int64_t number, struct buffer *out)
{
    if (type->kind == VALUE_CHOICE)
        buffer_add_text(out, type->words[number - type->least]);
    else
        kinds[type->kind].print(number, out);
}

static void describe_range(const struct kind *kind, const struct value_type *type,
                           struct buffer *out)
{
    bool is_open = type->most == INT64_MAX;
    buffer_add_text(out, is_open ? " of at least " : kind->range);
    kind->print(type->least, out);
    if (!is_open) {
        buffer_add_text(out, " to ");
        kind->print(type->most, out);
    }
    buffer_add_text(out, kind->unit);
}

static void describe_words(const struct value_type *type, struct buffer *out)
{
    const char *tail = type->kind == VALUE_SUBJECT ? ":7" : "";
    for (size_t i = 0; type->words[i] != NULL; i++)
        buffer_add_format(out, "%s%s%s", i == 0 ? "" : ", ", type->words[i], tail);
}

void value_describe(const struct value_type *type, struct buffer *out)
{
    const struct kind *kind = &kinds[type->kind];
    buffer_add_text(out, type->form != NULL ? type->form->what : kind->what);
    if (kind->range != NULL)
        describe_range(kind, type, out);
    if (type->seen)
        buffer_add_text(out, ", one of which can be seen");
    if (type->words != NULL)
        describe_words(type, out);
}

const char *value_refusal(const struct value_type *type, const char *text, struct buffer *out)
{
    if (text != NULL)
        buffer_add_format(out, "'%.200s' is ", text);
    buffer_add_text(out, "not ");
    value_describe(type, out);
    buffer_add(out, "", 1);
    return out->data;
}
