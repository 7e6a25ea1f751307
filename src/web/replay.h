/*
 * Writes that are carried out once: a signed write claims its signature in its own transaction,
 * which is held open until its answer is recorded beside it. Sent again by the same session, it
 * gets that answer.
 */
#ifndef MAPDIARY_WEB_REPLAY_H
#define MAPDIARY_WEB_REPLAY_H

#include "auth/signature.h"
#include "web/operation.h"

/** Adds the claim of a signed write to the batch of its call. */
void replay_claim(struct call *call, struct signature_check *signature);

/** True where the answer, a whole reply, is still to be recorded. */
bool replay_is_open(const struct call *call);

/** Commits a signed write together with its answer. */
enum status replay_keep(struct call *call, const struct signature_check *signature) MUST_CHECK;

/** Makes the reply the answer that the same session got to the same request before.
 * STATUS_REQUEST_REPLAYED where there is none for it. */
enum status replay_repeat(struct call *call, const struct signature_check *signature) MUST_CHECK;

#endif
