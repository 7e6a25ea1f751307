#include "api/photo.h"

#include <string.h>

#include "api/shapes.h"
#include "store/photo.h"

/* What they take ------------------------------------------------------------------------------- */

/* clang-format off */
#define ID(name, field)                                                                     \
    {(name), {VALUE_INTEGER, ID_RANGE}, .offset = offsetof(struct new_photo, field), .optional = true}
static const struct param_spec pieces[] = {
    ID("albumID", album_id),
    ID("POIID", poi_id),
    {"blogID", .is_elsewhere = true},
    PARAMS_END,
};

#define DESCRIPTION(type, field) \
    {"description", {VALUE_TEXT, NOTE_RANGE}, .offset = offsetof(type, field), .optional = true}
#define POSITION(type, field)                                                             \
    {"position", {VALUE_INTEGER, RANGE(1, INT64_MAX)}, .offset = offsetof(type, field), \
     .optional = true}

const struct param_spec new_photo_params[] = {
    {"piece", .one_of = pieces},
    {"photo", {.kind = VALUE_FILE}, .offset = offsetof(struct new_photo, file)},
    DESCRIPTION(struct new_photo, description),
    POSITION(struct new_photo, position),
    PARAMS_END,
};

#define PHOTO_ID \
    {"photoID", {VALUE_INTEGER, ID_RANGE}, .offset = offsetof(struct photo_fields, photo_id)}
const struct param_spec photo_id_params[] = {PHOTO_ID, PARAMS_END};
const struct param_spec photo_params[] = {
    PHOTO_ID,
    DESCRIPTION(struct photo_fields, description),
    POSITION(struct photo_fields, position),
    {"cover", {VALUE_TEXT, NOTE_RANGE}, .offset = offsetof(struct photo_fields, cover), .optional = true},
    PARAMS_END,
};
/* clang-format on */

/* What they answer ----------------------------------------------------------------------------- */

#define GIVEN(field) offsetof(struct photo_added, field)

const struct field new_photo_shape[] = {
    {ROW("photoID", ID, GIVEN(photo_id))},
    {ROW("thumbnail", TEXT, GIVEN(thumbnail))},
    {ROW("photoPath", TEXT, GIVEN(photo_path))},
    {ROW("width", INTEGER, GIVEN(width))},
    {ROW("height", INTEGER, GIVEN(height))},
    {ROW("takenTime", TIME, GIVEN(taken)), .optional = true},
    {ROW("Location", OBJECT, GIVEN(place)), .optional = true, .shape = place_shape},
    SHAPE_END,
};

#define SHOWN(field) offsetof(struct photo_shown, field)

const struct field one_photo_shape[] = {
    {ROW("photoID", ID, SHOWN(photo_id))},
    {ROW("albumID", ID, SHOWN(album_id)), .optional = true},
    {ROW("POIID", ID, SHOWN(poi_id)), .optional = true},
    {ROW("thumbnail", TEXT, SHOWN(thumbnail))},
    {ROW("photoPath", TEXT, SHOWN(photo_path))},
    {ROW("width", INTEGER, SHOWN(width)), .optional = true},
    {ROW("height", INTEGER, SHOWN(height)), .optional = true},
    {ROW("description", TEXT, SHOWN(description))},
    {ROW("ownerID", ID, SHOWN(owner_id))},
    {ROW("ownerName", TEXT, SHOWN(owner_name))},
    {ROW("ownerIcon", TEXT, SHOWN(owner_icon))},
    {ROW("takenTime", TIME, SHOWN(taken)), .optional = true},
    SHAPE_END,
};

/* What they do --------------------------------------------------------------------------------- */

static struct place place_of(const struct camera_note *note, struct arena *arena)
{
    if (!note->has_place)
        return (struct place){0};
    return (struct place){arena_format(arena, "%.6f", note->lat),
                          arena_format(arena, "%.6f", note->lng)};
}

/* STATUS_NOT_FOUND where nobody may add it: the transaction says why. */
static enum status prepare(struct call *call, enum subject subject, int64_t id,
                           struct renditions *made)
{
    const struct new_photo *fields = call->input;
    struct db_batch *look = db_batch_beside(call->batch);
    enum status status = photo_may_add(look, subject, id, &call->access.claim, fields->file->length,
                                       call->service->config->photo_quota);
    db_batch_reset(look);
    return status == STATUS_OK ? call_renditions(call, fields->file, PICTURE_PHOTO, made) : status;
}

/*
 * It is decoded before the transaction begins, as nobody is to wait for what that locks; whether it
 * may be added at all has been looked at by then, and is looked at again. What refuses the picture
 * is told behind that, and so is remembered with the claims of the request. Its files are put when
 * nothing can refuse it any more.
 */
static enum status add_photo(struct call *call, struct renditions *made)
{
    const struct new_photo *fields = call->input;
    const struct original original = UPLOADED(fields->file);
    struct photo_added *added = call->output;
    enum subject subject = fields->album_id != 0 ? SUBJECT_ALBUM : SUBJECT_POI;
    int64_t id = fields->album_id + fields->poi_id, asker = access_asker(&call->access);
    enum status prepared = prepare(call, subject, id, made);
    if (prepared == STATUS_UNAVAILABLE)
        return prepared;
    enum status status = photo_claim_piece(call->batch, subject, id, asker);
    if (status == STATUS_OK)
        status = prepared == STATUS_NOT_FOUND ? STATUS_UNAVAILABLE : prepared;
    if (status != STATUS_OK)
        return status;
    struct photo_upload upload = renditions_photo(made, &original, call->service->arena);
    upload.description = fields->description != NULL ? fields->description : "";
    upload.position = fields->position;
    added->place = place_of(&made->picture.note, call->service->arena);
    status = photo_upload(call->batch, subject, id, asker, call->service->config->photo_quota,
                          &upload, added);
    return status == STATUS_OK ? renditions_put(call->service->photos.files, &original, made)
                               : status;
}

enum status handle_add_photo(struct call *call)
{
    struct renditions made = RENDITIONS_NONE;
    enum status status = add_photo(call, &made);
    renditions_close(&made);
    return status;
}

enum status handle_update_photo(struct call *call)
{
    struct photo_fields fields = *(const struct photo_fields *)call->input;
    struct photo_held held;
    if (fields.cover != NULL && strcmp(fields.cover, "true") != 0)
        fields.cover = NULL;
    enum status status =
        photo_hold(call->batch, fields.photo_id, access_asker(&call->access), &held);
    if (status != STATUS_OK)
        return status;
    if (fields.cover != NULL && !held.is_of_album) {
        call->refused = "cover";
        return STATUS_PARAMETER_INVALID;
    }
    return photo_change(call->batch, &fields);
}

enum status handle_delete_photo(struct call *call)
{
    const struct photo_fields *fields = call->input;
    struct photo_held held;
    enum status status =
        photo_hold(call->batch, fields->photo_id, access_asker(&call->access), &held);
    if (status == STATUS_OK)
        status = call_withdraw(call, held.published);
    return status == STATUS_OK ? photo_drop(call->batch, fields->photo_id) : status;
}

enum status handle_get_photo(struct call *call)
{
    const struct photo_fields *fields = call->input;
    return photo_read(call->batch, fields->photo_id, access_reader(&call->access), call->output);
}
