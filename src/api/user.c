#include "api/user.h"

#include "store/user.h"

/* clang-format off */
const struct param_spec user_params[] = {
    {"name", {VALUE_LINE, LINE_RANGE, .seen = true}, .offset = offsetof(struct user_written, name),
     .optional = true},
    {"icon", {.kind = VALUE_FILE}, .offset = offsetof(struct user_written, icon), .optional = true,
     .may_be_empty = true},
    PARAMS_END,
};
/* clang-format on */

/* A session first, as with a photo: handle_add_photo(). */
static enum status make_icon(struct call *call, const struct upload *upload,
                             struct renditions *made)
{
    struct db_batch *look = db_batch_beside(call->batch);
    const struct db_rows *found = session_find_add(look, &call->access.claim);
    enum status status = db_batch_run(look);
    if (status == STATUS_OK)
        status = db_rows_count(found) > 0 ? STATUS_OK : STATUS_LOGIN_REQUIRED;
    db_batch_reset(look);
    return status == STATUS_OK ? call_renditions(call, upload, PICTURE_ICON, made) : status;
}

/* Without an icon, what was made is nothing. */
static enum status change_user(struct call *call, const struct upload *icon_file,
                               const struct renditions *made)
{
    const struct user_written *fields = call->input;
    const struct db_rows *published = NULL;
    const struct user_icon icon = renditions_icon(made);
    const struct user_change change = {.name = fields->name,
                                       .changes_icon = fields->icon != NULL,
                                       .icon = icon_file != NULL ? &icon : NULL};
    enum status status = user_change(call->batch, access_asker(&call->access), &change, &published);
    if (status == STATUS_OK && change.changes_icon)
        status = call_withdraw(call, published);
    if (status != STATUS_OK || icon_file == NULL)
        return status;
    return renditions_put(call->service->photos.files, &(struct original)UPLOADED(icon_file), made);
}

static enum status update_user(struct call *call, struct renditions *made)
{
    const struct user_written *fields = call->input;
    const struct upload *icon_file = fields->icon != &param_no_upload ? fields->icon : NULL;
    enum status prepared = icon_file != NULL ? make_icon(call, icon_file, made) : STATUS_OK;
    if (prepared == STATUS_UNAVAILABLE)
        return prepared;
    db_batch_hold(call->batch);
    if (prepared == STATUS_OK)
        return change_user(call, icon_file, made);
    enum status checked = db_batch_run(call->batch);
    return checked != STATUS_OK ? checked : prepared;
}

enum status handle_update_user(struct call *call)
{
    struct renditions made = RENDITIONS_NONE;
    enum status status = update_user(call, &made);
    renditions_close(&made);
    return status;
}
