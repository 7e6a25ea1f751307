/*
 * Poolers between the service and PostgreSQL, such as PgBouncer.
 */
#ifndef MAPDIARY_DB_POOLER_H
#define MAPDIARY_DB_POOLER_H

#include <stddef.h>

#include "base/status.h"

/**
 * STATUS_INTERNAL, with the reason, where a pooler leads one connection to several sessions of
 * PostgreSQL (PgBouncer: pool_mode = transaction or statement): settings and prepared statements
 * would be those of others. STATUS_OK also where nobody answers. Waits for a connection.
 */
enum status db_check_pooler(const char *conninfo, char *reason, size_t size) MUST_CHECK;

#endif
