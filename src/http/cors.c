#include "http/cors.h"

#include "auth/origin.h"
#include "http/cache.h"

#define EXPOSED "Access-Control-Expose-Headers: ETag, Retry-After, X-Request-ID\r\n"
#define TO_ALL "Access-Control-Allow-Origin: *\r\n"
#define TO_LISTED "Access-Control-Allow-Origin: %s\r\nAccess-Control-Allow-Credentials: true\r\n"

static bool is_listed(const struct request *request, const struct config *config)
{
    return origin_is_listed(request->origin, config->allowed_origins);
}

/* Where origins are told apart, no cache may give one's answer to another. */
static void tell_apart(struct response *response, const struct config *config)
{
    if (*config->allowed_origins != '\0')
        response->vary = "Cookie, Origin";
}

void cors_admit(struct response *response, const struct request *request,
                const struct config *config, bool is_open, struct arena *arena)
{
    tell_apart(response, config);
    if (is_listed(request, config))
        response->shared = arena_format(arena, TO_LISTED EXPOSED, request->origin);
    else
        response->shared = is_open ? TO_ALL EXPOSED : NULL;
}

void cors_answer_preflight(struct response *response, const struct request *request,
                           const struct config *config, struct arena *arena)
{
    bool listed = is_listed(request, config);
    tell_apart(response, config);
    response->http_status = 204;
    response->reason = "No Content";
    response->shared = listed ? arena_format(arena, TO_LISTED, request->origin) : TO_ALL;
    response_header(response, "Access-Control-Allow-Methods",
                    listed ? "GET, HEAD, POST" : "GET, HEAD");
    response_header(response, "Access-Control-Allow-Headers",
                    "Content-Type, Idempotency-Key, If-None-Match");
    cache_forbid(response);
    response_send(response);
}
