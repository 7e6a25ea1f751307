#include "store/user.h"
#include "api/handlers.h"
#include "media/withdrawal.h"

/* clang-format off */
const struct param_spec user_params[] = {
    {"name", {VALUE_LINE, LINE_RANGE}, .offset = offsetof(struct user_written, name), .optional = true},
    {"icon", {.kind = VALUE_FILE}, .offset = offsetof(struct user_written, icon), .optional = true,
     .may_be_empty = true},
    PARAMS_END,
};
/* clang-format on */

/* A session first, as with a photo: handle_add_photo(). */
static enum status make_icon(struct call *call, const struct upload *upload, struct user_icon *icon)
{
    struct renditions made = {0};
    struct db_batch *look = db_batch_beside(call->batch);
    const struct db_rows *found = session_find_add(look, &call->access.claim);
    enum status status = db_batch_run(look);
    if (status == STATUS_OK)
        status = db_rows_count(found) > 0 ? STATUS_OK : STATUS_LOGIN_REQUIRED;
    db_batch_reset(look);
    if (status == STATUS_OK)
        status = call_renditions(call, upload, PICTURE_ICON, &made);
    *icon = renditions_icon(&made);
    return status;
}

enum status handle_update_user(struct call *call)
{
    const struct user_written *fields = call->input;
    const struct db_rows *published = NULL;
    struct user_icon icon;
    bool has_icon = fields->icon != NULL && fields->icon != &param_no_upload;
    struct user_change change = {.name = fields->name, .changes_icon = fields->icon != NULL};
    enum status made = has_icon ? make_icon(call, fields->icon, &icon) : STATUS_OK;
    if (made == STATUS_UNAVAILABLE)
        return made;
    change.icon = has_icon ? &icon : NULL;
    db_batch_hold(call->batch);
    if (made != STATUS_OK) {
        enum status checked = db_batch_run(call->batch);
        return checked != STATUS_OK ? checked : made;
    }
    enum status status = user_change(call->batch, access_asker(&call->access), &change, &published);
    return status == STATUS_OK && change.changes_icon ? withdraw_all(call->files, published)
                                                      : status;
}
