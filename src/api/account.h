/*
 * The operations on users and on one's own account: their parameters, answers and handlers.
 */
#ifndef MAPDIARY_API_ACCOUNT_H
#define MAPDIARY_API_ACCOUNT_H

#include "api/operation.h"
#include "model/account.h"

struct address_fields {
    const char *password;
    const char *email;
};
/* Of struct address_fields. */
extern const struct param_spec change_email_params[], password_params[];

/* Of struct reading. */
extern const struct param_spec user_id_params[];

/* Of struct account, and of struct own_account. */
extern const struct field account_shape[], own_account_shape[];

handler_function handle_get_user, handle_get_me, handle_change_email, handle_delete_user;

#endif
