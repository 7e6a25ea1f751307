/*
 * The statements of the service and of mapdiaryctl: those of the .sql files beside this one, a
 * table for each file. The name line of each statement says which of the two prepare it.
 */
#ifndef MAPDIARY_STORE_REGISTRY_H
#define MAPDIARY_STORE_REGISTRY_H

#include "db/statement.h"

/** All of them, ended by NULL. */
extern const struct db_statement *const store_registry[];

#endif
