/*
 * What a client has to know of this site before anybody logs in.
 */
#include <stddef.h>

#include "api/handlers.h"

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
    SHAPE_END,
};

enum status handle_get_site(struct call *call)
{
    static const char *const languages[] = {"en", "zh-Hant"};
    const struct config *config = call->config;
    struct site_shown *shown = call->output;
    *shown = (struct site_shown){
        .name = config->site_name,
        .registration = "closed",
        .map = config->tiles_map,
        .satellite = config->tiles_satellite,
        .attribution = config->tiles_attribution,
        .photo_size = config->photo_size,
        .languages = {languages, sizeof languages / sizeof *languages},
    };
    return db_batch_run(call->batch);
}
