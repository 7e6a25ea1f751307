#include "api/operations.h"

#include "api/handlers.h"
#include "api/metrics.h"

#define READS .kind = OPERATION_READ
#define WRITES .kind = OPERATION_WRITE
#define TAKES(type, specs) .params = (specs), .input_size = sizeof(type)
#define GIVES(type, rows) .shape = (rows), .output_size = sizeof(type)
#define LISTS(rows) .shape = (rows)

/* clang-format off */
const struct operation operations[] = {
    {.func = "addAlbum",
     .summary = "Makes an album.",
     WRITES, .access = ACCESS_SESSION, .handler = handle_add_album,
     TAKES(struct album_fields, new_album_params), GIVES(struct album_created, new_album_shape)},
    {.func = "updateAlbum", .variant = "delete",
     .summary = "Deletes an album with its photos and comments.",
     WRITES, .access = ACCESS_SESSION, .handler = handle_delete_album,
     TAKES(struct album_fields, album_id_params)},
    {.func = "updateAlbum",
     .summary = "Changes an album.",
     WRITES, .access = ACCESS_SESSION, .handler = handle_update_album,
     TAKES(struct album_fields, album_params)},
    {.func = "getAlbum",
     .summary = "An album with its photos and comments.",
     READS, .access = ACCESS_READER, .handler = handle_get_album,
     TAKES(struct album_fields, album_id_params), GIVES(struct album, album_shape)},
    {.func = "getUserAlbumList",
     .summary = "The albums of a user.",
     READS, .access = ACCESS_READER, .handler = handle_get_user_album_list,
     TAKES(struct reading, user_id_params), LISTS(album_list_shape)},
    {.func = "getCategoryPOIList",
     .summary = "The points of interest of a category.",
     READS, .access = ACCESS_ANYONE, .handler = handle_get_category_poi_list,
     TAKES(struct reading, poi_category_params), LISTS(poi_list_shape)},
    {.func = "getPOI",
     .summary = "A point of interest with its photos and comments.",
     READS, .access = ACCESS_ANYONE, .handler = handle_get_poi,
     TAKES(struct reading, poi_id_params), GIVES(struct poi, poi_shape)},
    {.func = "postBlog",
     .summary = "Posts a blog, and credits its author with a reward.",
     WRITES, .access = ACCESS_SESSION, .handler = handle_post_blog,
     TAKES(struct blog_fields, new_blog_params), GIVES(struct blog_posted, new_blog_shape)},
    {.func = "updateBlog", .variant = "delete",
     .summary = "Deletes a blog with its vote and comments.",
     WRITES, .access = ACCESS_SESSION, .handler = handle_delete_blog,
     TAKES(struct blog_fields, blog_id_params)},
    {.func = "updateBlog",
     .summary = "Changes a blog.",
     WRITES, .access = ACCESS_SESSION, .handler = handle_update_blog,
     TAKES(struct blog_fields, blog_params)},
    {.func = "getBlog",
     .summary = "A blog with its vote and comments; one dated in the future is for its author alone.",
     READS, .access = ACCESS_READER, .handler = handle_get_blog,
     TAKES(struct blog_fields, blog_id_params), GIVES(struct blog, blog_shape)},
    {.func = "addPhoto",
     .summary = "Adds a photo to an album or a point of interest.",
     WRITES, .access = ACCESS_SESSION, .handler = handle_add_photo,
     TAKES(struct new_photo, new_photo_params), GIVES(struct photo_added, new_photo_shape)},
    {.func = "updatePhoto", .variant = "delete",
     .summary = "Deletes a photo.",
     WRITES, .access = ACCESS_SESSION, .handler = handle_delete_photo,
     TAKES(struct photo_fields, photo_id_params)},
    {.func = "updatePhoto",
     .summary = "Describes, moves or chooses a photo.",
     WRITES, .access = ACCESS_SESSION, .handler = handle_update_photo,
     TAKES(struct photo_fields, photo_params)},
    {.func = "getPhoto",
     .summary = "A photo, and whose it is.",
     READS, .access = ACCESS_READER, .handler = handle_get_photo,
     TAKES(struct photo_fields, photo_id_params), GIVES(struct photo_shown, one_photo_shape)},
    {.func = "updateUser",
     .summary = "Changes the user's name or icon.",
     WRITES, .access = ACCESS_SESSION, .handler = handle_update_user,
     TAKES(struct user_written, user_params)},
    {.func = "login",
     .summary = "Begins a session; sets the cookies id and idrand, and answers them.",
     WRITES, .access = ACCESS_ANYONE, .handler = handle_login,
     TAKES(struct login_fields, login_params), GIVES(struct login_shown, login_shape)},
    {.func = "logout",
     .summary = "Ends the session.",
     WRITES, .access = ACCESS_LOGOUT, .handler = handle_logout},
    {.func = NULL},
};
/* clang-format on */

/* What is beyond would count as no operation, and nobody would see it. The row without func has the
 * place of the last. */
_Static_assert(sizeof operations / sizeof *operations <= METRICS_OPERATIONS,
               "METRICS_OPERATIONS has a place for each operation");
