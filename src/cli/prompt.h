/*
 * A password from whoever sits there.
 */
#ifndef MAPDIARY_CLI_PROMPT_H
#define MAPDIARY_CLI_PROMPT_H

#include "auth/password.h"
#include "base/config.h"

/**
 * Reads a password, twice and without echo where standard input is a terminal, else as one line of
 * it, and hashes it at the configured cost. STATUS_PARAMETER_INVALID, logged, where it is none.
 */
enum status prompt_password_hash(const struct config *config,
                                 char hash[static PASSWORD_HASH_SIZE]) MUST_CHECK;

#endif
