#include "cli/value.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "auth/password.h"
#include "base/date.h"
#include "base/log.h"
#include "base/text.h"

typedef bool read_function(const struct parameter *parameter, struct arena *arena, const char *text,
                           struct value *value);

static bool in_range(const struct parameter *parameter, int64_t number)
{
    return number >= parameter->least && number <= parameter->most;
}

static bool read_text(const struct parameter *parameter, struct arena *arena, const char *text,
                      struct value *value)
{
    (void)arena;
    value->text = text;
    return text_is_valid(text, strlen(text)) && in_range(parameter, (int64_t)text_characters(text));
}

static bool read_line(const struct parameter *parameter, struct arena *arena, const char *text,
                      struct value *value)
{
    (void)arena;
    value->text = text;
    return text_is_line(text, parameter->least, parameter->most);
}

/* The line feed that ends the last line is not part of the text. */
static char *read_standard_input(struct arena *arena)
{
    struct buffer input = {0};
    size_t got = 0;
    do {
        got = fread(buffer_room(&input, 65536), 1, 65536, stdin);
        input.length += got;
    } while (got > 0);
    bool has_nul = input.length > 0 && memchr(input.data, '\0', input.length) != NULL;
    if (input.length > 0 && input.data[input.length - 1] == '\n')
        input.length--;
    char *text = has_nul ? NULL : arena_copy(arena, input.data, input.length);
    buffer_free(&input);
    return text;
}

static bool read_body(const struct parameter *parameter, struct arena *arena, const char *text,
                      struct value *value)
{
    if (strcmp(text, "-") == 0)
        text = read_standard_input(arena);
    return text != NULL && read_text(parameter, arena, text, value);
}

static bool read_integer(const struct parameter *parameter, struct arena *arena, const char *text,
                         struct value *value)
{
    (void)arena;
    value->text = text;
    return text_to_integer(text, &value->number) && in_range(parameter, value->number);
}

static bool read_coordinate(const struct parameter *parameter, struct arena *arena,
                            const char *text, struct value *value)
{
    (void)arena;
    int64_t most = parameter->kind == VALUE_LATITUDE ? 90 : 180;
    value->text = text;
    return text_is_coordinate(text, -most, most);
}

static bool read_date(const struct parameter *parameter, struct arena *arena, const char *text,
                      struct value *value)
{
    struct date date;
    (void)parameter, (void)arena;
    value->text = text;
    return date_from_text(text, &date) && text[strlen("2026-02-03")] == '\0';
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

static bool read_time(const struct parameter *parameter, struct arena *arena, const char *text,
                      struct value *value)
{
    enum { LAST = 253402300799 / 1000 }; /* of the year 9999, in thousands of seconds */
    struct date date;
    char form[32];
    struct tm utc;
    (void)parameter;
    value->text = text;
    if (date_from_text(text, &date))
        return is_time_of_day(text + strlen("2026-02-03"));
    if (!text_to_integer(text, &value->number) || value->number < 0 || value->number / 1000 > LAST)
        return false;
    time_t moment = (time_t)value->number;
    gmtime_r(&moment, &utc);
    size_t length = strftime(form, sizeof form, "%Y-%m-%dT%H:%M:%SZ", &utc);
    value->text = arena_copy(arena, form, length);
    return true;
}

static bool read_duration(const struct parameter *parameter, struct arena *arena, const char *text,
                          struct value *value)
{
    (void)parameter, (void)arena;
    value->text = text;
    return config_duration(text, &value->number) == STATUS_OK && value->number > 0;
}

static bool read_user(const struct parameter *parameter, struct arena *arena, const char *text,
                      struct value *value)
{
    (void)parameter, (void)arena;
    value->text = text;
    if (strchr(text, '@') != NULL)
        return text_is_line(text, 1, TEXT_LINE_MOST);
    return text_to_integer(text, &value->number) && value->number > 0;
}

static bool read_email(const struct parameter *parameter, struct arena *arena, const char *text,
                       struct value *value)
{
    (void)parameter, (void)arena;
    value->text = text;
    return text_is_email(text);
}

static bool read_hash(const struct parameter *parameter, struct arena *arena, const char *text,
                      struct value *value)
{
    (void)parameter, (void)arena;
    value->text = text;
    return password_is_hash(text);
}

static bool read_subject(const struct parameter *parameter, struct arena *arena, const char *text,
                         struct value *value)
{
    (void)arena;
    size_t length = strcspn(text, ":");
    value->text = text;
    if (text[length] == '\0' || !text_to_integer(text + length + 1, &value->number) ||
        value->number <= 0)
        return false;
    for (size_t i = 0; parameter->words[i] != NULL; i++) {
        value->subject = (enum subject)i;
        if (strlen(subject_names[i]) == length && strncmp(text, subject_names[i], length) == 0)
            return true;
    }
    return false;
}

static bool read_choice(const struct parameter *parameter, struct arena *arena, const char *text,
                        struct value *value)
{
    (void)arena;
    for (int i = 0; parameter->words[i] != NULL; i++) {
        value->text = parameter->words[i];
        value->number = i;
        if (strcmp(text, parameter->words[i]) == 0)
            return true;
    }
    return false;
}

static bool read_file(const struct parameter *parameter, struct arena *arena, const char *text,
                      struct value *value)
{
    (void)parameter, (void)arena;
    value->text = text;
    return *text != '\0';
}

static read_function *const readers[] = {
    [VALUE_FLAG] = NULL,
    [VALUE_TEXT] = read_text,
    [VALUE_LINE] = read_line,
    [VALUE_BODY] = read_body,
    [VALUE_INTEGER] = read_integer,
    [VALUE_LATITUDE] = read_coordinate,
    [VALUE_LONGITUDE] = read_coordinate,
    [VALUE_DATE] = read_date,
    [VALUE_TIME] = read_time,
    [VALUE_DURATION] = read_duration,
    [VALUE_USER] = read_user,
    [VALUE_EMAIL] = read_email,
    [VALUE_HASH] = read_hash,
    [VALUE_SUBJECT] = read_subject,
    [VALUE_CHOICE] = read_choice,
    [VALUE_FILE] = read_file,
};

bool value_read(const struct parameter *parameter, struct arena *arena, const char *text,
                struct value *value)
{
    return readers[parameter->kind](parameter, arena, text, value);
}

static void describe_words(const struct parameter *parameter, const char *tail, struct buffer *text)
{
    for (size_t i = 0; parameter->words[i] != NULL; i++)
        buffer_add_format(text, "%s%s%s", i == 0 ? "" : ", ", parameter->words[i], tail);
}

static void describe_range(const struct parameter *parameter, const char *what, struct buffer *text)
{
    if (parameter->most == INT64_MAX)
        buffer_add_format(text, "%s of at least %lld", what, (long long)parameter->least);
    else
        buffer_add_format(text, "%s %lld to %lld", what, (long long)parameter->least,
                          (long long)parameter->most);
}

void value_describe(const struct parameter *parameter, struct buffer *text)
{
    switch (parameter->kind) {
    case VALUE_FLAG:
        buffer_add_text(text, "nothing");
        break;
    case VALUE_TEXT:
    case VALUE_BODY:
        describe_range(parameter, "text, its length in characters", text);
        break;
    case VALUE_LINE:
        describe_range(parameter, "one line, its length in characters", text);
        break;
    case VALUE_INTEGER:
        describe_range(parameter, "an integer,", text);
        break;
    case VALUE_LATITUDE:
        buffer_add_text(text, "decimal degrees, -90 to 90");
        break;
    case VALUE_LONGITUDE:
        buffer_add_text(text, "decimal degrees, -180 to 180");
        break;
    case VALUE_DATE:
        buffer_add_text(text, "a day of the calendar, as 2026-02-03");
        break;
    case VALUE_TIME:
        buffer_add_text(text, "a time, as 2026-02-03T04:05:06Z or in seconds since the epoch");
        break;
    case VALUE_DURATION:
        buffer_add_text(text, "a number with its unit: 30s, 15m, 12h, 30d");
        break;
    case VALUE_USER:
        buffer_add_text(text, "the identifier of a user, or an email address");
        break;
    case VALUE_EMAIL:
        buffer_add_text(text, "one email address, in ASCII");
        break;
    case VALUE_HASH:
        buffer_add_text(text, "a hash of a password as libsodium writes it, $argon2id$..., that "
                              "does not take too long");
        break;
    case VALUE_SUBJECT:
        buffer_add_text(text, "a kind and an identifier: ");
        describe_words(parameter, ":7", text);
        break;
    case VALUE_CHOICE:
        buffer_add_text(text, "one of ");
        describe_words(parameter, "", text);
        break;
    case VALUE_FILE:
        buffer_add_text(text, "the path of a file, or -");
        break;
    }
}
