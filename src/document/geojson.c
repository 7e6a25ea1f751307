/*
 * GeoJSON (RFC 7946): a FeatureCollection, of which each item of the answer's lists is a Feature.
 * Its Location becomes the geometry, its kind and the identifier behind that the id; all else are
 * properties. A line through the places of a list may follow. What stands beside the lists are
 * members of the collection.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "document/format.h"
#include "document/json.h"
#include "document/path.h"

struct state {
    struct json json;
    bool has_ended;   /* the features have */
    bool is_geometry; /* within the Location */
    int depth;        /* objects around: 1 within an item */
    const char *kind, *lat, *lng;
    char id[TEXT_INTEGER_SIZE]; /* empty while there is none */
    bool has_path;              /* a line goes through the places of the list */
    struct path path;
};

static void begin(struct writing *writing)
{
    struct state *state = memory_required(calloc(1, sizeof *state));
    state->json = json_new(writing->out);
    json_object(&state->json, NULL);
    json_text(&state->json, "type", "FeatureCollection");
    json_array(&state->json, "features");
    writing->root = state;
}

static void end_features(struct state *state)
{
    if (!state->has_ended)
        json_end_array(&state->json);
    state->has_ended = true;
}

static void add_value(struct state *state, const struct field *field, const char *text)
{
    if (field->kind == FIELD_TEXT)
        json_text(&state->json, field->name, text);
    else
        json_literal(&state->json, field->name, text);
}

/* True for what the id is made of. The kind is a property, too. */
static bool is_identifier(struct state *state, const struct field *field, const char *text)
{
    if (state->depth == 1 && strcmp(field->name, "kind") == 0)
        state->kind = text;
    if (field->kind != FIELD_ID || state->kind == NULL || *state->id != '\0')
        return false;
    snprintf(state->id, sizeof state->id, "%s", text);
    return true;
}

static void leaf(struct writing *writing, const struct field *field, const void *base)
{
    struct state *state = writing->root;
    char digits[FIELD_DIGITS_SIZE];
    const char *text = field_text(field, base, digits);
    if (state->depth == 0)
        end_features(state);
    if (state->is_geometry)
        *(strcmp(field->name, "lat") == 0 ? &state->lat : &state->lng) = text;
    else if (state->depth == 0 || !is_identifier(state, field, text))
        add_value(state, field, text);
}

static void open_object(struct writing *writing, const struct field *field, size_t position)
{
    struct state *state = writing->root;
    state->depth++;
    state->is_geometry = position == 0 && strcmp(field->name, "Location") == 0;
    if (state->is_geometry)
        return;
    json_object(&state->json, position == 0 ? field->name : NULL);
    if (position == 0)
        return;
    json_text(&state->json, "type", "Feature");
    json_object(&state->json, "properties");
    state->kind = NULL;
    *state->id = '\0';
}

static void end_feature(struct state *state)
{
    json_end_object(&state->json);
    json_object(&state->json, "geometry");
    json_text(&state->json, "type", "Point");
    json_array(&state->json, "coordinates");
    json_literal(&state->json, NULL, state->lng);
    json_literal(&state->json, NULL, state->lat);
    json_end_array(&state->json);
    json_end_object(&state->json);
    if (state->has_path)
        path_add(&state->path, state->lng, state->lat);
    if (state->kind != NULL) {
        char id[32 + TEXT_INTEGER_SIZE];
        snprintf(id, sizeof id, "%.31s/%s", state->kind, state->id);
        json_text(&state->json, "id", id);
    }
}

static void close_object(struct writing *writing)
{
    struct state *state = writing->root;
    bool was_geometry = state->is_geometry;
    state->is_geometry = false;
    if (--state->depth == 0)
        end_feature(state);
    if (!was_geometry)
        json_end_object(&state->json);
}

/* All lists are one. */
static void open_list(struct writing *writing, const struct field *field)
{
    struct state *state = writing->root;
    state->has_path = field->has_path;
}

static void close_list(struct writing *writing, size_t count)
{
    (void)count;
    struct state *state = writing->root;
    path_write(&state->path, &state->json);
    path_free(&state->path);
}

static void drop(struct writing *writing)
{
    struct state *state = writing->root;
    json_free(&state->json);
    path_free(&state->path);
    free(state);
    writing->root = NULL;
}

static void end(struct writing *writing)
{
    struct state *state = writing->root;
    end_features(state);
    json_end_object(&state->json);
    buffer_add_text(writing->out, "\n");
    drop(writing);
}

const struct format format_geojson = {
    .name = "GeoJSON",
    .content_type = "application/geo+json",
    .is_bare = true,
    .refusals = &format_json,
    .begin = begin,
    .leaf = leaf,
    .open_object = open_object,
    .close_object = close_object,
    .open_list = open_list,
    .close_list = close_list,
    .end = end,
    .drop = drop,
};
