/*
 * The operations of the interface. Each file of this folder has the specs and the handlers of one
 * subject; the table in operations.c says what each operation demands.
 */
#ifndef MAPDIARY_API_OPERATIONS_H
#define MAPDIARY_API_OPERATIONS_H

#include "api/operation.h"

/** Ended by a row without func. */
extern const struct operation operations[];

#endif
