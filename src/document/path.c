#include "document/path.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"

struct path_place {
    const char *lng, *lat;
};

void path_add(struct path *path, const char *lng, const char *lat)
{
    if (path->count == path->room) {
        path->room = path->room == 0 ? 64 : 2 * path->room;
        path->places =
            memory_required(reallocarray(path->places, path->room, sizeof *path->places));
    }
    path->places[path->count++] = (struct path_place){lng, lat};
}

void path_free(struct path *path)
{
    free(path->places);
    *path = (struct path){0};
}

/* The shorter way between two places leads across the antimeridian. */
static bool crosses(const struct path_place *from, const struct path_place *to)
{
    return fabs(strtod(from->lng, NULL) - strtod(to->lng, NULL)) > 180;
}

static void write_position(struct json *json, const char *lng, const char *lat)
{
    json_array(json, NULL);
    json_literal(json, NULL, lng);
    json_literal(json, NULL, lat);
    json_end_array(json);
}

/* One line ends at the antimeridian, and another one begins on its other side. */
static void cut(struct json *json, const struct path_place *from, const struct path_place *to)
{
    double west = strtod(from->lng, NULL), east = strtod(to->lng, NULL);
    double south = strtod(from->lat, NULL), north = strtod(to->lat, NULL);
    double side = west > 0 ? 180 : -180;
    double way = east + 2 * side - west;
    double part = way != 0 ? (side - west) / way : 0;
    char lat[32];
    snprintf(lat, sizeof lat, "%.6f", south + part * (north - south));
    write_position(json, west > 0 ? "180" : "-180", lat);
    json_end_array(json);
    json_array(json, NULL);
    write_position(json, west > 0 ? "-180" : "180", lat);
}

static bool is_cut(const struct path *path)
{
    for (size_t i = 1; i < path->count; i++)
        if (crosses(&path->places[i], &path->places[i - 1]))
            return true;
    return false;
}

static void write_lines(const struct path *path, struct json *json)
{
    for (size_t i = path->count; i-- > 0;) {
        const struct path_place *place = &path->places[i];
        if (i + 1 < path->count && crosses(place + 1, place))
            cut(json, place + 1, place);
        write_position(json, place->lng, place->lat);
    }
}

void path_write(const struct path *path, struct json *json)
{
    if (path->count < 2)
        return;
    bool has_parts = is_cut(path);
    json_object(json, NULL);
    json_text(json, "type", "Feature");
    json_object(json, "properties");
    json_end_object(json);
    json_object(json, "geometry");
    json_text(json, "type", has_parts ? "MultiLineString" : "LineString");
    json_array(json, "coordinates");
    if (has_parts)
        json_array(json, NULL);
    write_lines(path, json);
    if (has_parts)
        json_end_array(json);
    json_end_array(json);
    json_end_object(json);
    json_end_object(json);
}
