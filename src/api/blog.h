/*
 * The operations on blogs: their parameters, answers and handlers.
 */
#ifndef MAPDIARY_API_BLOG_H
#define MAPDIARY_API_BLOG_H

#include "api/operation.h"
#include "model/blog.h"

/* Of struct blog_fields. */
extern const struct param_spec new_blog_params[], blog_params[], deleted_blog_params[],
    blog_id_params[];

/* Of struct blog_posted, and of struct blog. */
extern const struct field new_blog_shape[], blog_shape[];

handler_function handle_post_blog, handle_update_blog, handle_delete_blog, handle_get_blog;

#endif
