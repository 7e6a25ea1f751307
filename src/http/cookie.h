/*
 * The Cookie header: RFC 6265, section 4.2.
 */
#ifndef MAPDIARY_HTTP_COOKIE_H
#define MAPDIARY_HTTP_COOKIE_H

#include <stdint.h>

#include "auth/candidate.h"
#include "base/arena.h"
#include "base/config.h"
#include "http/request.h"
#include "http/response.h"

/** Reads what counts of the header, which may be NULL: the cookies of a session (auth/candidate.h),
 * without the double quotes that may be around their values, as copies in the arena. */
void cookie_read(const char *header, struct arena *arena, struct session_cookies *cookies);

/** Adds the header that sets a cookie for so many milliseconds; 0 takes it back. Where other
 * origins are allowed their pages send it, too, which browsers grant to HTTPS alone. */
void cookie_set(struct response *response, const struct request *request,
                const struct config *config, const char *name, const char *value, int64_t lifetime);

#endif
