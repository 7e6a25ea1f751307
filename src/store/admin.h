/*
 * Every statement that mapdiaryctl sends: those of the service, and those for an administrator,
 * which no worker of the service has any use for.
 */
#ifndef MAPDIARY_STORE_ADMIN_H
#define MAPDIARY_STORE_ADMIN_H

#include "db/statement.h"

/** Tables of statements, ended by NULL. */
extern const struct db_statement *const admin_registry[];

extern const struct db_statement account_statements[];

#endif
