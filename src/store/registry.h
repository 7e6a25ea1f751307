/*
 * Every statement that the service sends. A worker prepares them all when it connects, and a test
 * prepares each against the schema.
 */
#ifndef MAPDIARY_STORE_REGISTRY_H
#define MAPDIARY_STORE_REGISTRY_H

#include "db/statement.h"

/** Tables of statements, ended by NULL. */
extern const struct db_statement *const store_registry[];

#endif
