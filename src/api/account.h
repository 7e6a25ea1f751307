/*
 * The operations on accounts, in account.c, password.c and registration.c: their parameters,
 * answers and handlers.
 */
#ifndef MAPDIARY_API_ACCOUNT_H
#define MAPDIARY_API_ACCOUNT_H

#include "api/operation.h"
#include "model/account.h"

struct register_fields {
    const char *email;
    const char *password;
    const char *name;
    const char *invitation;
    const char *language;
};
/* Of struct register_fields. */
extern const struct param_spec register_params[];

struct token_fields {
    const char *token;
    const char *password;
};
/* Of struct token_fields. */
extern const struct param_spec token_params[];

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

/** STATUS_REGISTRATION_CLOSED where the configuration lets nobody register. */
enum status registration_gate(const struct config *config) MUST_CHECK;

handler_function handle_register, handle_confirm_email, handle_request_password_reset,
    handle_reset_password, handle_change_password, handle_change_email, handle_delete_user;
handler_function handle_get_user, handle_get_me;

#endif
