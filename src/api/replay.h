/*
 * Writes that are carried out once: a write that is signed, or has a key, claims that in its own
 * transaction, which is held open until its answer is recorded beside the claim. Sent again, it
 * gets that answer.
 */
#ifndef MAPDIARY_API_REPLAY_H
#define MAPDIARY_API_REPLAY_H

#include "api/operation.h"
#include "auth/signature.h"
#include "http/form.h"

enum { REPLAY_CLAIMS_MOST = 2 }; /* a signature and a key */

/* The claims of a request, all zeros where it has none. */
struct replay {
    struct claim claims[REPLAY_CLAIMS_MOST];
    size_t count;
};

/** False where a write of a session has the header Idempotency-Key, and no key in it. */
bool replay_has_good_key(const struct call *call);

/** Take up a claim of a write, where it has the one or the other: first the signature. */
void replay_take_signature(struct replay *replay, const struct call *call,
                           const struct signature_check *signature);
void replay_take_key(struct replay *replay, const struct call *call, const struct form *form);

/**
 * Has the session claimed which this very request has ended before, where several pairs of cookies
 * were sent and none of them is a session any more. STATUS_LOGIN_REQUIRED where there is none.
 */
enum status replay_find_ended(struct call *call, const struct signature_check *signature,
                              const struct form *form) MUST_CHECK;

/** Adds the claims to the batch of the call. They must outlive its run. */
void replay_add(const struct replay *replay, struct call *call);

/** Looks beside the batch of the call, before it has run, whether a claim stands in the way
 * already: STATUS_REQUEST_REPLAYED. Only the batch makes sure. */
enum status replay_look(const struct replay *replay, const struct call *call) MUST_CHECK;

/** True where the transaction is open still: the answer, a whole response, is to be recorded, or
 * what the handler did is to be committed. */
bool replay_is_open(const struct call *call);

/** Commits a write together with its answer, where it has claims, in every format: SUCCESS, or
 * where info is not NULL, FAILED for that. */
enum status replay_keep(const struct replay *replay, struct call *call,
                        const char *info) MUST_CHECK;

/** Makes the response the answer that was given before to the same request, in the format that is
 * asked for now. The status of claim_read() where there is none for it. */
enum status replay_repeat(const struct replay *replay, struct call *call,
                          const struct format *format) MUST_CHECK;

#endif
