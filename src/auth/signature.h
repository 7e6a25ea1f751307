/*
 * Signed requests: an application's key, a time, and the HMAC of all parameters.
 *
 * Signing says which application sent a request, and that nobody changed it on the way. It is no
 * login: who asks is still the session's business. A signed write is carried out once: its
 * signature is claimed (store/claim.h).
 */
#ifndef MAPDIARY_AUTH_SIGNATURE_H
#define MAPDIARY_AUTH_SIGNATURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "auth/key.h"
#include "base/arena.h"
#include "base/config.h"
#include "base/pair.h"
#include "store/claim.h"

/* The check of one request; it must live until the batch has run. */
struct signature_check {
    bool is_signed; /* and somebody looks at it */
    unsigned char key_id[KEY_ID_SIZE];
    struct claim claim;
};

/**
 * The canonical string of a request's parameters, in the arena: all but those that are left out (up
 * to NULL), each name and value percent-encoded (RFC 3986, section 2.1: all but unreserved
 * characters, upper-case digits), as name=value, by the bytes of the encoded name, joined by "&".
 */
const char *signature_canonical(const struct pair *parameters, size_t count,
                                const char *const *left_out, struct arena *arena);

/* What a signature is not computed over: itself. */
extern const char *const signature_left_out[];

/**
 * Checks the signature of a request as the mode asks for, and adds the check of its key to the
 * batch, which then ends with STATUS_KEY_UNKNOWN or STATUS_TIMESTAMP_EXPIRED. A wrong signature
 * runs the batch at once, as an unknown key comes first: STATUS_KEY_UNKNOWN,
 * STATUS_SIGNATURE_INVALID. STATUS_SIGNATURE_REQUIRED; STATUS_PARAMETER_MISSING and
 * STATUS_PARAMETER_INVALID, of the parameter in *refused. The master key is read when it is first
 * needed.
 */
enum status signature_begin(struct signature_check *check, const struct config *config,
                            struct master_key *master, const struct pair *parameters, size_t count,
                            struct arena *arena, struct db_batch *batch,
                            const char **refused) MUST_CHECK;

#endif
