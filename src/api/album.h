/*
 * The operations on albums: their parameters, answers and handlers.
 */
#ifndef MAPDIARY_API_ALBUM_H
#define MAPDIARY_API_ALBUM_H

#include "api/operation.h"
#include "model/album.h"

/* Of struct album_fields, and of struct entry_reading. */
extern const struct param_spec new_album_params[], album_params[], deleted_album_params[],
    album_id_params[];
extern const struct param_spec album_list_params[];

struct album_created {
    int64_t album_id;
};

/* Of struct album_created, struct album and struct page_shown. */
extern const struct field new_album_shape[], album_shape[], album_list_shape[];

handler_function handle_add_album, handle_update_album, handle_delete_album, handle_get_album,
    handle_get_user_album_list;

#endif
