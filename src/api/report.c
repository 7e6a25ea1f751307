#include "api/report.h"

#include "store/report.h"

/* clang-format off */
#define ID(name, thing)                                                                      \
    {(name), {VALUE_INTEGER, ID_RANGE}, .offset = offsetof(struct report, ids[thing]), .optional = true}
static const struct param_spec things[] = {
    ID("albumID", SUBJECT_ALBUM),
    ID("POIID", SUBJECT_POI),
    ID("blogID", SUBJECT_BLOG),
    ID("commentID", REPORT_COMMENT),
    ID("photoID", REPORT_PHOTO),
    PARAMS_END,
};
/* clang-format on */

const struct param_spec report_params[] = {
    {"thing", .one_of = things},
    {"reason",
     {VALUE_TEXT, RANGE(1, REPORT_REASON_MOST)},
     .offset = offsetof(struct report, reason)},
    PARAMS_END,
};

enum status handle_report(struct call *call)
{
    return report_insert(call->batch, access_asker(&call->access), call->input);
}
