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

void idempotency_claim_for(struct claim *claim, const char *key,
                           const struct session_claim *session, struct arena *arena)
{
    const char *name = arena_format(arena, "%lld %s", (long long)session->user_id, key);
    claim->asker = claim->owner = session->user_id;
    claim->token_hash = session->token_hash;
    crypto_digest(name, strlen(name), claim->id);
}

struct claim idempotency_claim(const char *key, const struct session_claim *session,
                               const struct pair *parameters, size_t count, struct arena *arena)
{
    static const char *const left_out[] = {"key", "ts", "sig", "responseFormat", NULL};
    const char *request = signature_canonical(parameters, count, left_out, arena);
    struct claim claim = {.by_key = true};
    idempotency_claim_for(&claim, key, session, arena);
    crypto_digest(request, strlen(request), claim.request);
    return claim;
}
