/*
 * The operation table for people, and for tests that hold what is written about it against it.
 */
#ifndef MAPDIARY_API_LISTING_H
#define MAPDIARY_API_LISTING_H

#include "api/operation.h"
#include "base/buffer.h"

/**
 * Adds a line for each operation: its name, "read" or "write", and who may ask. A line for each of
 * its parameters follows, two blanks further in: its name, whether it is required, and what it may
 * be.
 */
void listing_write(const struct operation *operations, struct buffer *out);

#endif
