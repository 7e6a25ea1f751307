/*
 * The operations that change a password: their parameters and handlers.
 */
#ifndef MAPDIARY_API_PASSWORD_H
#define MAPDIARY_API_PASSWORD_H

#include "api/operation.h"

struct email_fields {
    const char *email;
};
/* Of struct email_fields. */
extern const struct param_spec email_params[];

struct password_fields {
    const char *password;
    const char *new_password;
};
/* Of struct password_fields. */
extern const struct param_spec change_password_params[];

handler_function handle_request_password_reset, handle_reset_password, handle_change_password;

#endif
