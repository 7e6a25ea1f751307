#include "api/album.h"

#include <string.h>

#include "api/entries.h"
#include "api/held.h"
#include "api/piece.h"
#include "api/shapes.h"
#include "store/album.h"

/* What they take ------------------------------------------------------------------------------- */

#define TAKEN(field) .offset = offsetof(struct album_fields, field)
/* clang-format off */
#define ALBUM_ID {"albumID", {VALUE_INTEGER, ID_RANGE}, TAKEN(album_id)}
#define ALBUM_FIELDS                                               \
    {"albumTitle", {VALUE_LINE, LINE_RANGE}, TAKEN(title)},        \
    {"category", {VALUE_INTEGER, RANGE(1, ALBUM_CATEGORIES)}, TAKEN(category)},  \
    {"lat", {VALUE_COORDINATE, LATITUDE_RANGE}, TAKEN(place.lat)}, \
    {"lng", {VALUE_COORDINATE, LONGITUDE_RANGE}, TAKEN(place.lng)}, \
    {"visibility", {VALUE_CHOICE, .words = piece_visibilities}, TAKEN(visibility), .optional = true}
/* clang-format on */

const struct param_spec new_album_params[] = {ALBUM_FIELDS, PARAMS_END};
const struct param_spec album_params[] = {ALBUM_ID, ALBUM_FIELDS,
                                          BASE_VERSION_PARAM(struct album_fields), PARAMS_END};
const struct param_spec deleted_album_params[] = {ALBUM_ID, BASE_VERSION_PARAM(struct album_fields),
                                                  PARAMS_END};
const struct param_spec album_id_params[] = {ALBUM_ID, PARAMS_END};
const struct param_spec album_list_params[] = {
    {"userID", {VALUE_INTEGER, ID_RANGE}, .offset = offsetof(struct entry_reading, id)},
    ENTRY_PAGING_PARAMS(struct entry_reading, paging),
    PARAMS_END,
};

/* What they answer ----------------------------------------------------------------------------- */

#define GIVEN(field) offsetof(struct album, field)

const struct field new_album_shape[] = {
    {ROW("albumID", ID, offsetof(struct album_created, album_id))},
    SHAPE_END,
};

static const struct field photo_shape[] = {
    {ROW("photoID", ID, offsetof(struct photo, photo_id))},
    {ROW("thumbnail", TEXT, offsetof(struct photo, address))},
    {ROW("description", TEXT, offsetof(struct photo, description))},
    SHAPE_END,
};

const struct field album_shape[] = {
    {ROW("albumTitle", TEXT, GIVEN(title))},
    {ROW("cover", ID, GIVEN(cover_photo_id)), .nullable = true},
    PIECE_ROWS(GIVEN(piece)),
    {ROW("photos", LIST, GIVEN(photos)), .optional = true, .shape = photo_shape, .item = "photo",
     .size = sizeof(struct photo)},
    COMMENTS_ROW,
    SHAPE_END,
};

static const struct field entry_shape[] = {
    {ROW("albumID", ID, offsetof(struct entry, id))},
    {ROW("albumTitle", TEXT, offsetof(struct entry, title))},
    SHAPE_END,
};

const struct field album_list_shape[] = {
    {ROW("albumList", STREAM, 0), .shape = entry_shape, .item = "album"},
    {ROW("next", TEXT, offsetof(struct page_shown, next)), .optional = true},
    SHAPE_END,
};

/* What they do --------------------------------------------------------------------------------- */

enum status handle_add_album(struct call *call)
{
    const struct album_fields *fields = call->input;
    struct album_created *created = call->output;
    (void)HELD_BACK(call, {fields->title, false});
    return album_insert(call->batch, access_asker(&call->access), fields, &created->album_id);
}

enum status handle_update_album(struct call *call)
{
    const struct album_fields *fields = call->input;
    const struct db_rows *published = NULL;
    bool hides = (fields->visibility != NULL && strcmp(fields->visibility, PIECE_PRIVATE) == 0);
    hides = HELD_BACK(call, {fields->title, false}) || hides;
    if (hides)
        db_batch_hold(call->batch);
    enum status status = album_update(call->batch, access_asker(&call->access), fields, &published);
    return status == STATUS_OK && hides ? call_withdraw(call, published) : status;
}

enum status handle_delete_album(struct call *call)
{
    const struct album_fields *fields = call->input;
    const struct db_rows *published = NULL;
    db_batch_hold(call->batch);
    enum status status = album_delete(call->batch, access_asker(&call->access), fields, &published);
    return status == STATUS_OK ? call_withdraw(call, published) : status;
}

enum status handle_get_album(struct call *call)
{
    const struct album_fields *fields = call->input;
    return album_read(call->batch, call->service->arena, fields->album_id,
                      access_reader(&call->access), call->output,
                      &(struct entry_sink){call_item, call});
}

enum status handle_get_user_album_list(struct call *call)
{
    return entries_answer(call, album_list);
}
