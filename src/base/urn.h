/*
 * Names of things that never change: URNs of UUIDs of version 5 (RFC 4122, section 4.3; RFC 8141).
 */
#ifndef MAPDIARY_BASE_URN_H
#define MAPDIARY_BASE_URN_H

#include <stdbool.h>

enum { URN_SIZE = sizeof "urn:uuid:01234567-89ab-cdef-0123-456789abcdef" };

/** Writes that of a name in a name space, which is a UUID itself. False where it is none. */
bool urn_of_name(const char *space, const char *name, char urn[static URN_SIZE]);

#endif
