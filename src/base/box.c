#include "base/box.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

const struct box box_world = {-180, -90, 180, 90};

enum { PARTS = 4, PART_SIZE = TEXT_COORDINATE_BYTES_MOST + 1 };

static bool read_part(const char **text, int64_t most, double *degrees)
{
    char part[PART_SIZE];
    size_t size = strcspn(*text, " ");
    if (size >= sizeof part)
        return false;
    memcpy(part, *text, size);
    part[size] = '\0';
    *text += size;
    *text += strspn(*text, " ");
    *degrees = strtod(part, NULL);
    return text_is_coordinate(part, -most, most);
}

bool box_read(const char *text, struct box *box)
{
    double *parts[PARTS] = {&box->west, &box->south, &box->east, &box->north};
    for (size_t i = 0; i < PARTS; i++)
        if (!read_part(&text, i % 2 == 0 ? 180 : 90, parts[i]))
            return false;
    return *text == '\0' && box->south < box->north && box->west != box->east;
}

/* The box of most ------------------------------------------------------------------------------ */

static double least_of(double one, double other)
{
    return one < other ? one : other;
}

static double most_of(double one, double other)
{
    return one > other ? one : other;
}

/* So many degrees east of the meridian, below 360. */
static double east_of(double meridian, double lng)
{
    double degrees = lng - meridian;
    return degrees < 0 ? degrees + 360 : degrees >= 360 ? degrees - 360 : degrees;
}

static double longitude(double degrees)
{
    return degrees < -180 ? degrees + 360 : degrees > 180 ? degrees - 360 : degrees;
}

/* The places of a strip: those up to BOX_SIDE_MOST east of its meridian. */
struct strip {
    double meridian;
    const struct spot *spots;
    size_t count;
};

static bool has(const struct strip *strip, size_t i)
{
    return east_of(strip->meridian, strip->spots[i].lng) <= BOX_SIDE_MOST;
}

/* A run of a strip: places of it among those from first to last. */
struct run {
    size_t first, last, count;
};

/* The longest run that is no higher than BOX_SIDE_MOST. */
static struct run longest(const struct strip *strip)
{
    struct run run = {0}, best = {0};
    for (size_t i = 0; i < strip->count; i++) {
        if (!has(strip, i))
            continue;
        run.count++;
        run.last = i;
        for (; strip->spots[i].lat - strip->spots[run.first].lat > BOX_SIDE_MOST; run.first++)
            if (has(strip, run.first))
                run.count--;
        if (run.count > best.count)
            best = run;
    }
    return best;
}

/* At least BOX_SIDE_LEAST from low to high. */
static void widen(double *low, double *high)
{
    double more = (BOX_SIDE_LEAST - (*high - *low)) / 2;
    if (more > 0) {
        *low -= more;
        *high += more;
    }
}

static struct box box_around(const struct strip *strip, const struct run *run)
{
    struct box box = {.west = BOX_SIDE_MOST, .south = 90, .east = 0, .north = -90};
    for (size_t i = run->first; i <= run->last; i++) {
        if (!has(strip, i))
            continue;
        double east = east_of(strip->meridian, strip->spots[i].lng);
        box.west = least_of(box.west, east);
        box.east = most_of(box.east, east);
        box.south = least_of(box.south, strip->spots[i].lat);
        box.north = most_of(box.north, strip->spots[i].lat);
    }
    widen(&box.west, &box.east);
    widen(&box.south, &box.north);
    return (struct box){longitude(strip->meridian + box.west), most_of(box.south, -90),
                        longitude(strip->meridian + box.east), least_of(box.north, 90)};
}

struct box box_of_most(const struct spot *spots, size_t count)
{
    struct box box = box_world;
    size_t most = 0;
    for (size_t i = 0; i < count; i++) {
        struct strip strip = {spots[i].lng, spots, count};
        struct run run = longest(&strip);
        if (run.count > most) {
            most = run.count;
            box = box_around(&strip, &run);
        }
    }
    return box;
}
