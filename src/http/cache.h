/*
 * Caching of reads: Cache-Control, ETag and If-None-Match (RFC 9110, section 8.8.3 and 13.1.2; RFC
 * 9111).
 */
#ifndef MAPDIARY_HTTP_CACHE_H
#define MAPDIARY_HTTP_CACHE_H

#include <stdint.h>

#include "http/request.h"
#include "http/response.h"

/**
 * Completes a response to a read that succeeded. Without a Cookie header it gets a strong validator
 * and may be kept for max_age milliseconds, and becomes 304 where the client has it already. One to
 * a request with a body may be kept too, but must be asked for again each time: caches know it by
 * its address, and that does not say what was in the body. So must one whose max_age is negative.
 */
void cache_allow(struct response *response, const struct request *request, int64_t max_age);

/**
 * To be called before the read: where its response is so long that it is sent before it is whole,
 * and so without a validator, it may still be kept for max_age milliseconds, but not with cookies
 * nor a body.
 */
void cache_allow_unfinished(struct response *response, const struct request *request,
                            int64_t max_age);

/** The response must not be kept by anybody. */
void cache_forbid(struct response *response);

/** True where a field value of If-None-Match has this tag (with its quotes) in it, or is "*". */
bool cache_matches(const char *if_none_match, const char *tag);

#endif
