#include "decoder/note.h"

#include <stdio.h>
#include <string.h>

/* As libvips has it: the value, a blank, and in parentheses what it says to people. NULL: none. */
static const char *tag(const VipsImage *image, const char *name)
{
    const char *value = NULL;
    if (vips_image_get_typeof(image, name) == 0 || vips_image_get_string(image, name, &value) != 0)
        return NULL;
    return value;
}

/* Place: section 4.6.6 ------------------------------------------------------------------------- */

/* "25/1 2/1 66/5 (...)": degrees, minutes, seconds. */
static bool read_angle(const char *text, double *degrees)
{
    enum { PARTS = 3 };
    static const double sizes[PARTS] = {1, 60, 3600};
    *degrees = 0;
    for (int i = 0; i < PARTS; i++) {
        unsigned int number, divisor;
        int length = 0;
        if (sscanf(text, "%10u/%10u%n", &number, &divisor, &length) != 2 || divisor == 0 ||
            (i > 0 && (double)number / divisor >= 60))
            return false;
        *degrees += (double)number / divisor / sizes[i];
        text += length;
    }
    return true;
}

struct coordinate {
    const char *angle, *side;
    char positive, negative;
};

static bool read_coordinate(const VipsImage *image, const struct coordinate *coordinate,
                            double *degrees)
{
    const char *angle = tag(image, coordinate->angle), *side = tag(image, coordinate->side);
    if (angle == NULL || side == NULL || !read_angle(angle, degrees))
        return false;
    if (*side == coordinate->negative)
        *degrees = -*degrees;
    return *side == coordinate->positive || *side == coordinate->negative;
}

static bool read_place(const VipsImage *image, double *lat, double *lng)
{
    static const struct coordinate latitude = {"exif-ifd3-GPSLatitude", "exif-ifd3-GPSLatitudeRef",
                                               'N', 'S'};
    static const struct coordinate longitude = {"exif-ifd3-GPSLongitude",
                                                "exif-ifd3-GPSLongitudeRef", 'E', 'W'};
    return read_coordinate(image, &latitude, lat) && read_coordinate(image, &longitude, lng);
}

/* Time: section 4.6.5 -------------------------------------------------------------------------- */

/* "2026:11:22 08:15:12 (...)" */
static bool read_time(const VipsImage *image, char *time, size_t size)
{
    const char *text = tag(image, "exif-ifd2-DateTimeOriginal");
    if (text == NULL || strlen(text) < size || text[size - 1] != ' ')
        return false;
    memcpy(time, text, size - 1);
    time[size - 1] = '\0';
    bool has_colons = time[4] == ':' && time[7] == ':';
    time[4] = time[7] = '-';
    return has_colons;
}

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

/* "+08:00 (...)" */
static bool read_offset(const VipsImage *image, int *offset)
{
    const char *text = tag(image, "exif-ifd2-OffsetTimeOriginal");
    if (text == NULL || strlen(text) < 7 || (text[0] != '+' && text[0] != '-') ||
        !is_digit(text[1]) || !is_digit(text[2]) || text[3] != ':' || !is_digit(text[4]) ||
        !is_digit(text[5]) || text[6] != ' ' || text[4] > '5')
        return false;
    int hours = 10 * (text[1] - '0') + text[2] - '0',
        minutes = 10 * (text[4] - '0') + text[5] - '0';
    *offset = (text[0] == '-' ? -1 : 1) * (hours * 3600 + minutes * 60);
    return true;
}

struct camera_note note_read(const VipsImage *image)
{
    struct camera_note note = {.has_place = false};
    note.has_place = read_place(image, &note.lat, &note.lng);
    note.has_time = read_time(image, note.time, sizeof note.time);
    note.has_offset = read_offset(image, &note.offset);
    camera_note_check(&note);
    return note;
}
