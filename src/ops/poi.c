#include "store/poi.h"
#include "ops/answer.h"
#include "ops/handlers.h"

const struct param_spec poi_id_param = {"POIID", PARAM_INTEGER, offsetof(struct reading, id),
                                        PARAM_ID_RANGE};
const struct param_spec poi_category_param = {"category", PARAM_INTEGER,
                                              offsetof(struct reading, id), PARAM_RANGE(1, 5)};

enum status handle_get_poi(struct call *call)
{
    const struct reading *reading = call->input;
    struct poi poi = {0};
    enum status status = poi_read(call->batch, call->arena, reading->id, &poi);
    if (status != STATUS_OK)
        return status;
    xml_add_text(call->answer, "name", poi.name);
    answer_piece(call->answer, &poi.piece);
    answer_photos(call->answer, &poi.photos, NULL, "photoPath");
    answer_comments(call->answer, &poi.comments);
    return STATUS_OK;
}

enum status handle_get_category_poi_list(struct call *call)
{
    const struct reading *reading = call->input;
    struct answer_list list = {call, "POI", "POIID", "name", 0};
    xml_start(call->answer, "POIList");
    enum status status = poi_list(call->batch, reading->id, answer_list_row, &list);
    xml_end(call->answer, "POIList");
    return status;
}
