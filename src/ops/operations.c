#include "ops/operations.h"

#include "ops/handlers.h"

/*
 * Parameters: the first N of an array, or those after the identifier that it starts with.
 * clang-format would fold the rows.
 */
#define FIRST(array, count, type) array, count, sizeof(type)
#define AFTER_ID(array, count, type) array + 1, count - 1, sizeof(type)
#define ONE(spec) &spec, 1, sizeof(struct reading)
#define NOTHING NULL, 0, 0
#define READ OPERATION_READ
#define WRITE OPERATION_WRITE

/* clang-format off */
const struct operation operations[] = {
    {"addAlbum",           NULL,     WRITE, ACCESS_SESSION, AFTER_ID(album_params, ALBUM_PARAMS, struct album_fields), handle_add_album},
    {"updateAlbum",        "delete", WRITE, ACCESS_SESSION, FIRST(album_params, 1, struct album_fields),               handle_delete_album},
    {"updateAlbum",        NULL,     WRITE, ACCESS_SESSION, FIRST(album_params, ALBUM_PARAMS, struct album_fields),    handle_update_album},
    {"getAlbum",           NULL,     READ,  ACCESS_ANYONE,  FIRST(album_params, 1, struct album_fields),               handle_get_album},
    {"getUserAlbumList",   NULL,     READ,  ACCESS_ANYONE,  ONE(user_id_param),                                        handle_get_user_album_list},
    {"getCategoryPOIList", NULL,     READ,  ACCESS_ANYONE,  ONE(poi_category_param),                                   handle_get_category_poi_list},
    {"getPOI",             NULL,     READ,  ACCESS_ANYONE,  ONE(poi_id_param),                                         handle_get_poi},
    {"postBlog",           NULL,     WRITE, ACCESS_SESSION, AFTER_ID(blog_params, BLOG_PARAMS, struct blog_fields),    handle_post_blog},
    {"updateBlog",         "delete", WRITE, ACCESS_SESSION, FIRST(blog_params, 1, struct blog_fields),                 handle_delete_blog},
    {"updateBlog",         NULL,     WRITE, ACCESS_SESSION, FIRST(blog_params, BLOG_PARAMS, struct blog_fields),       handle_update_blog},
    {"getBlog",            NULL,     READ,  ACCESS_READER,  FIRST(blog_params, 1, struct blog_fields),                 handle_get_blog},
    {"login",              NULL,     WRITE, ACCESS_ANYONE,  FIRST(login_params, LOGIN_PARAMS, struct login_fields),    handle_login},
    {"logout",             NULL,     WRITE, ACCESS_LOGOUT,  NOTHING,                                                   handle_logout},
    {.func = NULL},
};
/* clang-format on */
