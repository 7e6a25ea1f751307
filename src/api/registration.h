/*
 * The operations by which an account comes about: their parameters and handlers.
 */
#ifndef MAPDIARY_API_REGISTRATION_H
#define MAPDIARY_API_REGISTRATION_H

#include "api/operation.h"

struct register_fields {
    const char *email;
    const char *password;
    const char *name;
    const char *invitation;
    const char *language;
};
/* Of struct register_fields. */
extern const struct param_spec register_params[];

/** STATUS_REGISTRATION_CLOSED where the configuration lets nobody register. */
enum status registration_gate(const struct config *config) MUST_CHECK;

handler_function handle_register, handle_confirm_email;

#endif
