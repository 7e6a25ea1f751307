#include "auth/idempotency.h"

#include <string.h>

#include "auth/signature.h"

enum { KEY_MOST = 64 };

bool idempotency_is_key(const char *value)
{
    size_t length = 0;
    while (value[length] > ' ' && value[length] <= '~')
        length++;
    return length > 0 && length <= KEY_MOST && value[length] == '\0';
}

struct claim idempotency_claim(const char *key, const struct session_claim *session,
                               const struct pair *parameters, size_t count, struct arena *arena)
{
    static const char *const left_out[] = {"key", "ts", "sig", "responseFormat", NULL};
    const char *name = arena_format(arena, "%lld %s", (long long)session->user_id, key);
    const char *request = signature_canonical(parameters, count, left_out, arena);
    struct claim claim = {.by_key = true,
                          .asker = session->user_id,
                          .owner = session->user_id,
                          .token_hash = session->token_hash};
    crypto_digest(name, strlen(name), claim.id);
    crypto_digest(request, strlen(request), claim.request);
    return claim;
}
