#include "api/poi.h"

#include "api/entries.h"
#include "api/shapes.h"
#include "store/poi.h"

const struct param_spec poi_id_params[] = {
    {"POIID", {VALUE_INTEGER, ID_RANGE}, .offset = offsetof(struct reading, id)}, PARAMS_END};
const struct param_spec poi_list_params[] = {
    {"category",
     {VALUE_INTEGER, RANGE(1, POI_CATEGORIES)},
     .offset = offsetof(struct entry_reading, id)},
    ENTRY_PAGING_PARAMS(struct entry_reading, paging),
    PARAMS_END,
};

#define GIVEN(field) offsetof(struct poi, field)

static const struct field photo_shape[] = {
    {ROW("photoPath", TEXT, offsetof(struct photo, address))},
    {ROW("description", TEXT, offsetof(struct photo, description))},
    SHAPE_END,
};

const struct field poi_shape[] = {
    {ROW("name", TEXT, GIVEN(name))},
    PIECE_ROWS(GIVEN(piece)),
    {ROW("photos", LIST, GIVEN(photos)), .optional = true, .shape = photo_shape, .item = "photo",
     .size = sizeof(struct photo)},
    COMMENTS_ROW,
    SHAPE_END,
};

static const struct field entry_shape[] = {
    {ROW("POIID", ID, offsetof(struct entry, id))},
    {ROW("name", TEXT, offsetof(struct entry, title))},
    SHAPE_END,
};

const struct field poi_list_shape[] = {
    {ROW("POIList", STREAM, 0), .shape = entry_shape, .item = "POI"},
    {ROW("next", TEXT, offsetof(struct page_shown, next)), .optional = true},
    SHAPE_END,
};

enum status handle_get_poi(struct call *call)
{
    const struct reading *reading = call->input;
    return poi_read(call->batch, call->service->arena, reading->id, access_reader(&call->access),
                    call->output, &(struct entry_sink){call_item, call});
}

enum status handle_get_category_poi_list(struct call *call)
{
    return entries_answer(call, poi_list);
}
