#include "decoder/moment.h"

#include <string.h>

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

static bool is_blank(const char *text)
{
    return text[strspn(text, " ")] == '\0';
}

/* Of one digit or two, which it skips; -1: there is none. */
static int read_number(const char **text)
{
    int number = -1;
    for (int i = 0; i < 2 && is_digit(**text); i++, (*text)++)
        number = 10 * (number < 0 ? 0 : number) + **text - '0';
    return number;
}

bool moment_read_offset(const char *text, struct camera_note *note)
{
    const char *rest = text + 1;
    if (*text != '+' && *text != '-')
        return false;
    int hours = read_number(&rest);
    if (hours < 0 || *rest++ != ':' || !is_digit(rest[0]) || !is_digit(rest[1]))
        return false;
    int minutes = read_number(&rest), seconds = hours * 3600 + minutes * 60;
    struct camera_note read = {.has_offset = minutes < 60 && is_blank(rest),
                               .offset = *text == '-' ? -seconds : seconds};
    camera_note_check(&read);
    if (!read.has_offset)
        return false;
    note->has_offset = true;
    note->offset = read.offset;
    return true;
}

/* The date with "-", and a blank behind it. */
static void unify(char *time)
{
    static const int separators[] = {4, 7};
    for (size_t i = 0; i < sizeof separators / sizeof *separators; i++)
        if (time[separators[i]] == ':' || time[separators[i]] == '/')
            time[separators[i]] = '-';
    if (time[10] == 'T')
        time[10] = ' ';
}

static const char *skip_fraction(const char *text)
{
    if ((*text != '.' && *text != ',') || !is_digit(text[1]))
        return text;
    for (text++; is_digit(*text);)
        text++;
    return text;
}

static bool read_zone(const char *text, struct camera_note *note)
{
    if (*text == 'Z' && is_blank(text + 1)) {
        note->has_offset = true;
        note->offset = 0;
        return true;
    }
    return is_blank(text) || moment_read_offset(text, note);
}

bool moment_read(const char *text, struct camera_note *note)
{
    enum { LENGTH = sizeof note->time - 1 };
    struct camera_note read = *note;
    if (strlen(text) < LENGTH)
        return false;
    memcpy(read.time, text, LENGTH);
    read.time[LENGTH] = '\0';
    unify(read.time);
    read.has_time = read_zone(skip_fraction(text + LENGTH), &read);
    camera_note_check(&read);
    if (read.has_time)
        *note = read;
    return read.has_time;
}
