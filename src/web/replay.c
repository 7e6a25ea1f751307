#include "web/replay.h"

void replay_claim(struct call *call, struct signature_check *signature)
{
    struct signature_claim *claim = &signature->claim;
    if (call->access.claimed) {
        claim->token_hash = call->access.claim.token_hash;
        db_batch_hold(call->batch);
    }
    signature_claim_add(call->batch, claim);
}

bool replay_is_open(const struct call *call)
{
    return call->batch != NULL && db_batch_is_open(call->batch) && call->reply->http_status == 200;
}

enum status replay_keep(struct call *call, const struct signature_check *signature)
{
    const struct reply *reply = call->reply;
    const struct signature_answer answer = {
        .headers = arena_copy(call->arena, reply->headers.data, reply->headers.length),
        .document = arena_copy(call->arena, reply->body.data, reply->body.length)};
    return signature_keep(call->batch, &signature->claim, &answer);
}

enum status replay_repeat(struct call *call, const struct signature_check *signature)
{
    struct reply *reply = call->reply;
    struct signature_answer answer;
    enum status status = signature_find(call->batch, &signature->claim, &answer);
    if (status != STATUS_OK)
        return status;
    reply_discard(reply);
    buffer_add_text(&reply->headers, answer.headers);
    buffer_add_text(&reply->body, answer.document);
    return STATUS_OK;
}
