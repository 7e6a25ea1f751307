#include "api/advertisement.h"

#include "api/shapes.h"
#include "api/tally.h"
#include "store/advertisement.h"

/* clang-format off */
const struct param_spec advertisement_place_params[] = {
    {"lat", {VALUE_COORDINATE, LATITUDE_RANGE}, .offset = offsetof(struct place, lat)},
    {"lng", {VALUE_COORDINATE, LONGITUDE_RANGE}, .offset = offsetof(struct place, lng)},
    PARAMS_END,
};
/* clang-format on */
const struct param_spec advertisement_id_params[] = {
    {"advertisementID", {VALUE_INTEGER, ID_RANGE}, .offset = offsetof(struct reading, id)},
    PARAMS_END,
};

#define GIVEN(field) offsetof(struct advertisement, field)

static const struct field advertisement_shape[] = {
    {ROW("advertisementID", ID, GIVEN(advertisement_id))},
    {ROW("title", TEXT, GIVEN(title))},
    {ROW("text", TEXT, GIVEN(text))},
    {ROW("image", TEXT, GIVEN(image)), .optional = true},
    {ROW("address", TEXT, GIVEN(address))},
    {ROW("Location", OBJECT, GIVEN(place)), .shape = place_shape},
    SHAPE_END,
};

const struct field shown_advertisement_shape[] = {
    {ROW("advertisement", OBJECT, 0), .optional = true, .shape = advertisement_shape},
    SHAPE_END,
};

enum status handle_get_advertisement(struct call *call)
{
    char turn[TALLY_TURN_SIZE];
    struct advertisement *shown = call->output;
    tally_turn(call->service->tally, turn);
    enum status status = advertisement_find(call->batch, call->input, turn, shown);
    if (status == STATUS_OK && shown->advertisement_id != 0)
        tally_count(call->service->tally, shown->advertisement_id, TALLY_SHOWN);
    return status;
}

enum status handle_click_advertisement(struct call *call)
{
    const struct reading *reading = call->input;
    enum status status = advertisement_check(call->batch, reading->id);
    if (status == STATUS_OK)
        tally_count(call->service->tally, reading->id, TALLY_CLICKED);
    return status;
}
