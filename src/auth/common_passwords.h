/*
 * The passwords that people choose most: those of 8 bytes and more among the 10,000 most common.
 */
#ifndef MAPDIARY_AUTH_COMMON_PASSWORDS_H
#define MAPDIARY_AUTH_COMMON_PASSWORDS_H

#include <stddef.h>

/* In lower case, in the order of their bytes. */
extern const char *const common_passwords[];
extern const size_t common_passwords_count;

#endif
