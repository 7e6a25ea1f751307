#include "decoder/exif.h"

#include <math.h>
#include <string.h>

#include "decoder/moment.h"

/* The block: TIFF 6.0, section 2 --------------------------------------------------------------- */

enum { TIFF_HEADER = 8, TIFF_DIRECTORY = 4, HEAD_MOST = 64, ENTRY = 12, ENTRY_VALUE = 8 };

enum { TYPE_ASCII = 2, TYPE_SHORT, TYPE_LONG, TYPE_RATIONAL, TYPE_SIGNED_RATIONAL = 10 };
enum { TYPE_DIRECTORY = 13, TYPE_UTF_8 = 129 };

struct tiff {
    struct bytes bytes;
    bool is_little;
};

struct value {
    uint32_t type, count;
    struct bytes bytes;
};

bool exif_begins_in(struct bytes *block)
{
    for (size_t i = 0; i < HEAD_MOST; i++) {
        struct bytes rest = bytes_part(*block, i, block->length);
        if (bytes_begin_with(rest, "II*\0", 4) || bytes_begin_with(rest, "MM\0*", 4)) {
            *block = rest;
            return true;
        }
    }
    return false;
}

static uint32_t number(const struct tiff *tiff, struct bytes bytes, size_t from, size_t size)
{
    uint32_t big = (uint32_t)bytes_number(bytes, from, size), little = 0;
    if (!tiff->is_little)
        return big;
    for (size_t i = 0; i < size; i++)
        little |= (big >> 8 * i & 0xff) << 8 * (size - 1 - i);
    return little;
}

static size_t size_of(uint32_t type)
{
    switch (type) {
    case TYPE_ASCII:
    case TYPE_UTF_8:
        return 1;
    case TYPE_SHORT:
        return 2;
    case TYPE_LONG:
    case TYPE_DIRECTORY:
        return 4;
    case TYPE_RATIONAL:
    case TYPE_SIGNED_RATIONAL:
        return 8;
    }
    return 0; /* nothing that is looked for */
}

/* Up to four bytes are in the entry itself. */
static struct bytes value_bytes(const struct tiff *tiff, struct bytes entry, uint64_t size)
{
    size_t from = number(tiff, entry, ENTRY_VALUE, 4);
    if (size <= 4)
        return bytes_part(entry, ENTRY_VALUE, (size_t)size);
    return bytes_part(tiff->bytes, from, (size_t)size);
}

static bool read_value(const struct tiff *tiff, struct bytes entry, struct value *value)
{
    value->type = number(tiff, entry, 2, 2);
    value->count = number(tiff, entry, 4, 4);
    uint64_t size = (uint64_t)value->count * size_of(value->type);
    value->bytes = value_bytes(tiff, entry, size);
    return size > 0 && value->bytes.length == size;
}

/* In the directory that begins there; zero: there is none. */
static bool find(const struct tiff *tiff, uint32_t directory, uint32_t tag, struct value *value)
{
    struct bytes rest = bytes_part(tiff->bytes, directory, tiff->bytes.length);
    uint32_t count = directory >= TIFF_HEADER ? number(tiff, rest, 0, 2) : 0;
    for (uint32_t i = 0; i < count; i++) {
        struct bytes entry = bytes_part(rest, 2 + (size_t)i * ENTRY, ENTRY);
        if (entry.length < ENTRY)
            return false;
        if (number(tiff, entry, 0, 2) == tag)
            return read_value(tiff, entry, value);
    }
    return false;
}

static uint32_t find_directory(const struct tiff *tiff, uint32_t tag)
{
    uint32_t first = number(tiff, tiff->bytes, TIFF_DIRECTORY, 4);
    struct value value;
    bool is_there = find(tiff, first, tag, &value) && value.count == 1 &&
                    (value.type == TYPE_LONG || value.type == TYPE_DIRECTORY);
    return is_there ? number(tiff, value.bytes, 0, 4) : 0;
}

/* False where it does not fit. */
static bool find_text(const struct tiff *tiff, uint32_t directory, uint32_t tag, char *text,
                      size_t size)
{
    struct value value;
    if (!find(tiff, directory, tag, &value) ||
        (value.type != TYPE_ASCII && value.type != TYPE_UTF_8))
        return false;
    size_t length = strnlen((const char *)value.bytes.at, value.bytes.length);
    if (length >= size)
        return false;
    memcpy(text, value.bytes.at, length);
    text[length] = '\0';
    return true;
}

/* Place: section 4.6.6 ------------------------------------------------------------------------- */

enum { GPS_DIRECTORY = 0x8825, RATIONAL = 8, ANGLE_PARTS = 3 };

/* As six decimals of a degree show it. */
static const double least_degrees = 0.0000005;

struct coordinate {
    uint32_t side, angle; /* tags */
    char positive, negative;
};

/* Seconds that are not known are 0/0. */
static bool read_part(const struct tiff *tiff, const struct value *value, size_t i, double *part)
{
    uint32_t above = number(tiff, value->bytes, RATIONAL * i, 4),
             below = number(tiff, value->bytes, RATIONAL * i + 4, 4);
    bool is_unknown = above == 0 && below == 0 && i == ANGLE_PARTS - 1,
         is_negative = value->type == TYPE_SIGNED_RATIONAL && ((above | below) >> 31) != 0;
    *part = is_unknown || below == 0 ? 0 : (double)above / below;
    return (is_unknown || below != 0) && !is_negative && (i == 0 || *part < 60);
}

/* Degrees, minutes, seconds. */
static bool read_angle(const struct tiff *tiff, const struct value *value, double *degrees)
{
    static const double sizes[ANGLE_PARTS] = {1, 60, 3600};
    bool good = (value->type == TYPE_RATIONAL || value->type == TYPE_SIGNED_RATIONAL) &&
                value->count >= ANGLE_PARTS;
    *degrees = 0;
    for (size_t i = 0; i < ANGLE_PARTS && good; i++) {
        double part;
        good = read_part(tiff, value, i, &part);
        *degrees += part / sizes[i];
    }
    return good;
}

static bool read_coordinate(const struct tiff *tiff, uint32_t directory,
                            const struct coordinate *coordinate, double *degrees)
{
    struct value angle;
    char side[16];
    if (!find(tiff, directory, coordinate->angle, &angle) || !read_angle(tiff, &angle, degrees) ||
        !find_text(tiff, directory, coordinate->side, side, sizeof side))
        return false;
    if (fabs(*degrees) < least_degrees)
        *degrees = 0;
    else if (*side == coordinate->negative)
        *degrees = -*degrees;
    return *side == coordinate->positive || *side == coordinate->negative;
}

static bool read_place(const struct tiff *tiff, struct camera_note *note)
{
    static const struct coordinate latitude = {1, 2, 'N', 'S'}, longitude = {3, 4, 'E', 'W'};
    uint32_t directory = find_directory(tiff, GPS_DIRECTORY);
    return read_coordinate(tiff, directory, &latitude, &note->lat) &&
           read_coordinate(tiff, directory, &longitude, &note->lng);
}

/* Time: sections 4.6.5 C and F ----------------------------------------------------------------- */

enum { CAMERA_DIRECTORY = 0x8769, TEXT_MOST = 64 };

static const uint32_t time_tags[] = {0x9003, 0x9004}; /* of the original, of making it digital */
static const uint32_t offset_tags[] = {0x9011, 0x9012, 0x9010}; /* likewise, and of a change */

static void read_time(const struct tiff *tiff, uint32_t directory, struct camera_note *note)
{
    char text[TEXT_MOST];
    for (size_t i = 0; i < sizeof time_tags / sizeof *time_tags && !note->has_time; i++)
        if (find_text(tiff, directory, time_tags[i], text, sizeof text))
            moment_read(text, note);
}

/* What the time itself says of its offset gives way to what says nothing else. */
static void read_offset(const struct tiff *tiff, uint32_t directory, struct camera_note *note)
{
    char text[TEXT_MOST];
    bool is_there = false;
    for (size_t i = 0; i < sizeof offset_tags / sizeof *offset_tags && !is_there; i++)
        is_there = find_text(tiff, directory, offset_tags[i], text, sizeof text) &&
                   moment_read_offset(text, note);
}

/* ---------------------------------------------------------------------------------------------- */

struct camera_note exif_read(struct bytes block)
{
    const struct tiff tiff = {block, bytes_begin_with(block, "II", 2)};
    struct camera_note note = {.has_place = false};
    uint32_t directory = find_directory(&tiff, CAMERA_DIRECTORY);
    note.has_place = read_place(&tiff, &note);
    read_time(&tiff, directory, &note);
    read_offset(&tiff, directory, &note);
    camera_note_check(&note);
    return note;
}
