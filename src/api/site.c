/*
 * What a client has to know of this site before anybody logs in.
 */
#include "api/site.h"

#include <stddef.h>
#include <string.h>

#include "api/shapes.h"
#include "base/box.h"
#include "store/finding.h"

#define GIVEN(field) offsetof(struct site_shown, field)

static const struct field tiles_shape[] = {
    {ROW("map", TEXT, GIVEN(map))},
    {ROW("satellite", TEXT, GIVEN(satellite))},
    {ROW("attribution", TEXT, GIVEN(attribution))},
    SHAPE_END,
};

const struct field site_shape[] = {
    {ROW("siteName", TEXT, GIVEN(name))},
    {ROW("registration", TEXT, GIVEN(registration))},
    {ROW("tiles", OBJECT, 0), .shape = tiles_shape},
    {ROW("photoSize", INTEGER, GIVEN(photo_size))},
    {ROW("languages", LIST, GIVEN(languages)), .item = "language"},
    {ROW("contact", TEXT, GIVEN(contact)), .optional = true},
    {ROW("timezone", TEXT, GIVEN(timezone))},
    {ROW("today", OBJECT, GIVEN(today)), .shape = date_shape},
    SHAPE_END,
};

static const char *const no_languages[] = {NULL};

enum status handle_get_site(struct call *call)
{
    const char *const *languages = call->service->mail_texts != NULL
                                       ? mail_texts_languages(call->service->mail_texts)
                                       : no_languages;
    size_t count = 0;
    while (languages[count] != NULL)
        count++;
    const struct config *config = call->service->config;
    struct site_shown *shown = call->output;
    *shown = (struct site_shown){
        .name = config->site_name,
        .contact = *config->contact != '\0' ? config->contact : NULL,
        .registration = config_registration_modes[config->registration],
        .map = config->map_tiles,
        .satellite = config->map_satellite_tiles,
        .attribution = config->map_attribution,
        .photo_size = config->photo_size,
        .languages = {languages, count},
        .timezone = config->timezone,
    };
    return finding_today(call->batch, &shown->today);
}

#define START(field) offsetof(struct start_shown, field)

const struct field start_shape[] = {
    {ROW("west", DECIMAL, START(west))},
    {ROW("south", DECIMAL, START(south))},
    {ROW("east", DECIMAL, START(east))},
    {ROW("north", DECIMAL, START(north))},
    SHAPE_END,
};

/* Whoever asks is checked either way. */
static enum status find_start(struct call *call, struct box *box)
{
    const char *named = call->service->config->map_start;
    if (*named == '\0')
        return finding_start(call->batch, call->service->arena, box);
    if (!box_read(named, box))
        return STATUS_INTERNAL;
    return db_batch_run(call->batch);
}

/* Six decimals, a tenth of a metre; without zeros at the end. */
static const char *degrees_text(struct arena *arena, double degrees)
{
    char *text = arena_format(arena, "%.6f", degrees);
    size_t length = strlen(text);
    while (text[length - 1] == '0')
        length--;
    text[text[length - 1] == '.' ? length - 1 : length] = '\0';
    return text;
}

enum status handle_get_start(struct call *call)
{
    struct arena *arena = call->service->arena;
    struct start_shown *shown = call->output;
    struct box box;
    enum status status = find_start(call, &box);
    if (status == STATUS_OK)
        *shown = (struct start_shown){
            .west = degrees_text(arena, box.west),
            .south = degrees_text(arena, box.south),
            .east = degrees_text(arena, box.east),
            .north = degrees_text(arena, box.north),
        };
    return status;
}
