/*
 * The operation on the user's name and icon: its parameters and handler.
 */
#ifndef MAPDIARY_API_USER_H
#define MAPDIARY_API_USER_H

#include "api/operation.h"

struct user_written {
    const char *name;
    const struct upload *icon;
};

/* Of struct user_written. */
extern const struct param_spec user_params[];

handler_function handle_update_user;

#endif
