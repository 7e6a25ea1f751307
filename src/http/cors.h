/*
 * Pages of other sites: what a browser lets them see and send (Fetch Standard, section 3.2 "CORS
 * protocol"). Those of an allowed origin may do all that a page of our own may, with the cookies;
 * all others may read what everybody may.
 */
#ifndef MAPDIARY_HTTP_CORS_H
#define MAPDIARY_HTTP_CORS_H

#include "base/arena.h"
#include "base/config.h"
#include "http/request.h"
#include "http/response.h"

/** Says in the response who may see it. What is open everybody may read. */
void cors_admit(struct response *response, const struct request *request,
                const struct config *config, bool is_open, struct arena *arena);

/** Sends the response to OPTIONS: what a page may send (section 3.2.2 "CORS-preflight request").
 */
void cors_answer_preflight(struct response *response, const struct request *request,
                           const struct config *config, struct arena *arena);

#endif
