/*
 * The operations that begin and end a session: their parameters, answers and handlers.
 */
#ifndef MAPDIARY_API_LOGIN_H
#define MAPDIARY_API_LOGIN_H

#include "api/proof.h"

struct login_fields {
    const char *email;
    const char *password;
};

/* Of struct login_fields. */
extern const struct param_spec login_params[];

/* Of struct login_shown. */
extern const struct field login_shape[];

handler_function handle_login, handle_logout;

#endif
