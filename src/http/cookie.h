/*
 * The Cookie header: RFC 6265, section 4.2.
 */
#ifndef MAPDIARY_HTTP_COOKIE_H
#define MAPDIARY_HTTP_COOKIE_H

#include <stdint.h>

#include "base/arena.h"
#include "base/config.h"
#include "http/request.h"
#include "http/response.h"

/**
 * The value of a cookie, without the double quotes that may be around it, as a copy in the arena.
 * NULL where the header (which may be NULL) has no such cookie, or has it twice: nobody could say
 * which of them was meant.
 */
const char *cookie_find(const char *header, const char *name, struct arena *arena);

/** Adds the header that sets a cookie for so many milliseconds; 0 takes it back. Where other
 * origins are allowed their pages send it, too, which browsers grant to HTTPS alone. */
void cookie_set(struct response *response, const struct request *request,
                const struct config *config, const char *name, const char *value, int64_t lifetime);

#endif
