#include "ops/answer.h"
#include "ops/handlers.h"

#define FIELD(name) offsetof(struct album_fields, name)

const struct param_spec album_params[ALBUM_PARAMS] = {
    {"albumID", PARAM_INTEGER, FIELD(album_id), PARAM_ID_RANGE},
    {"albumTitle", PARAM_LINE, FIELD(title), PARAM_LINE_RANGE},
    {"category", PARAM_INTEGER, FIELD(category), PARAM_RANGE(1, 16)},
    {"lat", PARAM_COORDINATE, FIELD(lat), PARAM_RANGE(-90, 90)},
    {"lng", PARAM_COORDINATE, FIELD(lng), PARAM_RANGE(-180, 180)},
};

const struct param_spec user_id_param = {"userID", PARAM_INTEGER, offsetof(struct reading, id),
                                         PARAM_ID_RANGE};

enum status handle_add_album(struct call *call)
{
    int64_t album_id = 0;
    enum status status =
        album_insert(call->batch, access_asker(&call->access), call->input, &album_id);
    if (status == STATUS_OK)
        xml_add_integer(call->answer, "albumID", album_id);
    return status;
}

enum status handle_update_album(struct call *call)
{
    return album_update(call->batch, access_asker(&call->access), call->input);
}

enum status handle_delete_album(struct call *call)
{
    const struct album_fields *fields = call->input;
    return album_delete(call->batch, access_asker(&call->access), fields->album_id);
}

enum status handle_get_album(struct call *call)
{
    const struct album_fields *fields = call->input;
    struct album album = {0};
    enum status status = album_read(call->batch, call->arena, fields->album_id, &album);
    if (status != STATUS_OK)
        return status;
    xml_add_text(call->answer, "albumTitle", album.title);
    if (album.cover_photo_id != 0)
        xml_add_integer(call->answer, "cover", album.cover_photo_id);
    else
        xml_add_text(call->answer, "cover", "");
    answer_piece(call->answer, &album.piece);
    answer_photos(call->answer, &album.photos, "photoID", "thumbnail");
    answer_comments(call->answer, &album.comments);
    return STATUS_OK;
}

enum status handle_get_user_album_list(struct call *call)
{
    const struct reading *reading = call->input;
    struct answer_list list = {call, "album", "albumID", "albumTitle", 0};
    xml_start(call->answer, "albumList");
    enum status status = album_list(call->batch, reading->id, answer_list_row, &list);
    xml_end(call->answer, "albumList");
    return status;
}
