/*
 * What the operation table refers to: for each subject the specs of its parameters, of which the
 * operations take a part of one array, and the handlers.
 */
#ifndef MAPDIARY_OPS_HANDLERS_H
#define MAPDIARY_OPS_HANDLERS_H

#include "store/album.h"
#include "store/blog.h"
#include "web/operation.h"

/* Of struct album_fields: the identifier, then the fields. */
enum { ALBUM_PARAMS = 5 };
extern const struct param_spec album_params[ALBUM_PARAMS];

/* Of struct blog_fields: the identifier, then the fields. */
enum { BLOG_PARAMS = 12 };
extern const struct param_spec blog_params[BLOG_PARAMS];

/* Of struct reading. */
struct reading {
    int64_t id; /* of a POI or a user, or a category */
};
extern const struct param_spec poi_id_param, poi_category_param, user_id_param;

/* Of struct login_fields. */
struct login_fields {
    const char *email;
    const char *password;
};
enum { LOGIN_PARAMS = 2 };
extern const struct param_spec login_params[LOGIN_PARAMS];

handler_function handle_add_album, handle_update_album, handle_delete_album, handle_get_album,
    handle_get_user_album_list;
handler_function handle_get_poi, handle_get_category_poi_list;
handler_function handle_post_blog, handle_update_blog, handle_delete_blog, handle_get_blog;
handler_function handle_login, handle_logout;

#endif
