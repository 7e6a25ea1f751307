/*
 * The operations on photos: their parameters, answers and handlers.
 */
#ifndef MAPDIARY_API_PHOTO_H
#define MAPDIARY_API_PHOTO_H

#include "api/operation.h"
#include "model/photo.h"

struct new_photo {
    int64_t album_id, poi_id; /* one of them is 0 */
    const struct upload *file;
    const char *description;
    int64_t position;
};

/* Of struct new_photo, and of struct photo_fields. */
extern const struct param_spec new_photo_params[], photo_params[], photo_id_params[];

/* Of struct photo_added, and of struct photo_shown. */
extern const struct field new_photo_shape[], one_photo_shape[];

handler_function handle_add_photo, handle_update_photo, handle_delete_photo, handle_get_photo;

#endif
