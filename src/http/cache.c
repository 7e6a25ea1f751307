#include "http/cache.h"

#include <string.h>
#include <xxhash.h>

#include "base/crypto.h"

enum { TAG_SIZE = 2 * sizeof(XXH128_canonical_t) + sizeof "\"\"" };

void cache_forbid(struct response *response)
{
    response_cache_control(response, -1);
}

/* The tags of the list are compared weakly: a leading W/ makes no difference. */
bool cache_matches(const char *if_none_match, const char *tag)
{
    const char *at = if_none_match + strspn(if_none_match, " \t");
    if (*at == '*')
        return true;
    while (*at != '\0') {
        at += strspn(at, " \t,");
        if (strncmp(at, "W/", 2) == 0)
            at += 2;
        if (*at != '"')
            return false;
        size_t length = 1 + strcspn(at + 1, "\"") + 1;
        if (strncmp(at, tag, length) == 0 && tag[length] == '\0')
            return true;
        if (strnlen(at, length) < length)
            return false;
        at += length;
    }
    return false;
}

/* Of XXH3, which tells bodies apart that differ by chance, and not what somebody has made to look
 * the same: that costs ten times as much, and who may write both has nothing to win. */
static void make_tag(const struct buffer *body, char tag[static TAG_SIZE])
{
    XXH128_canonical_t sum;
    XXH128_canonicalFromHash(&sum, XXH3_128bits(body->data, body->length));
    tag[0] = '"';
    crypto_to_hex(sum.digest, sizeof sum.digest, tag + 1);
    strcpy(tag + TAG_SIZE - 2, "\"");
}

/* A cache knows an answer by its address, and that does not say what was in a body. */
void cache_allow_unfinished(struct response *response, const struct request *request,
                            int64_t max_age)
{
    if (request->cookies == NULL && request->body_length == 0 && max_age >= 0)
        response->max_age = max_age / 1000;
}

void cache_allow(struct response *response, const struct request *request, int64_t max_age)
{
    char tag[TAG_SIZE];
    if (request->cookies != NULL) {
        cache_forbid(response);
        return;
    }
    make_tag(&response->body, tag);
    response_header(response, "ETag", tag);
    if (response->vary == NULL)
        response->vary = "Cookie";
    if (request->body_length > 0 || max_age < 0)
        response_header(response, "Cache-Control", "no-cache");
    else
        response_cache_control(response, max_age / 1000);
    bool conditional = request->method == METHOD_GET || request->method == METHOD_HEAD;
    if (conditional && request->if_none_match != NULL &&
        cache_matches(request->if_none_match, tag)) {
        response->http_status = 304;
        response->reason = "Not Modified";
        response->without_body = true;
    }
}
