/*
 * Writes that are safe to send again: the header Idempotency-Key (draft-ietf-httpapi-idempotency-
 * key-header, the key as it stands). A user's key names one request for a day.
 */
#ifndef MAPDIARY_AUTH_IDEMPOTENCY_H
#define MAPDIARY_AUTH_IDEMPOTENCY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/pair.h"
#include "store/claim.h"
#include "store/session.h"

/** True where the header's value is a key: 1 to 64 visible ASCII characters. */
bool idempotency_is_key(const char *value);

/**
 * The claim of a key by a session for a request with these parameters. Two requests are the same
 * where their canonical strings are, without what may change when one is sent again: who signed it
 * and when, and the format of the answer.
 */
struct claim idempotency_claim(const char *key, const struct session_claim *session,
                               const struct pair *parameters, size_t count, struct arena *arena);

/** Makes a claim of the key that of another session, for the same request. */
void idempotency_claim_for(struct claim *claim, const char *key,
                           const struct session_claim *session, struct arena *arena);

#endif
