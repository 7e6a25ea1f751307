#include "media/picture.h"

#include <stdlib.h>
#include <string.h>

#include "base/date.h"

const char *const picture_media_types[PICTURE_FORMATS] = {
    [PICTURE_JPEG] = "image/jpeg", [PICTURE_WEBP] = "image/webp"};

enum { OFFSET_MOST = 14 * 3600 }; /* seconds: Kiribati's */

/* "2026-11-22 08:15:12": the form of each byte. */
static bool has_form(const char *time, size_t size)
{
    static const char form[] = "dddd-dd-dd dd:dd:dd";
    if (strnlen(time, size) != sizeof form - 1)
        return false;
    for (size_t i = 0; form[i] != '\0'; i++)
        if (form[i] == 'd' ? time[i] < '0' || time[i] > '9' : time[i] != form[i])
            return false;
    return true;
}

static int two_digits(const char *text)
{
    return 10 * (text[0] - '0') + text[1] - '0';
}

static bool is_time(const char *time, size_t size)
{
    struct date date;
    return has_form(time, size) && date_from_text(time, &date) && two_digits(time + 11) < 24 &&
           two_digits(time + 14) < 60 && two_digits(time + 17) < 60;
}

/* What is no number is in no range. */
static bool is_within(double degrees, double most)
{
    return degrees >= -most && degrees <= most;
}

/* What cameras write that do not know where they are. */
static bool is_nowhere(const struct camera_note *note)
{
    return note->lat == 0 && note->lng == 0;
}

void camera_note_check(struct camera_note *note)
{
    note->has_place = note->has_place && is_within(note->lat, 90) && is_within(note->lng, 180) &&
                      !is_nowhere(note);
    note->has_time = note->has_time && is_time(note->time, sizeof note->time);
    note->has_offset = note->has_offset && abs(note->offset) <= OFFSET_MOST;
}
