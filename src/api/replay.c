#include "api/replay.h"

#include "auth/idempotency.h"

/* Where an answer is kept in each of the formats that a write has. */
static const struct {
    const struct format *format;
    size_t offset;
} places[] = {
    {&format_xml, offsetof(struct claim_answer, xml)},
    {&format_json, offsetof(struct claim_answer, json)},
};

static const char **place(struct claim_answer *answer, size_t i)
{
    return (const char **)(void *)((char *)answer + places[i].offset);
}

/* Without a session the header says nothing. */
static const char *key_of(const struct call *call)
{
    return call->access.claimed ? call->request->idempotency_key : NULL;
}

bool replay_has_good_key(const struct call *call)
{
    const char *key = key_of(call);
    return key == NULL || idempotency_is_key(key);
}

void replay_take_signature(struct replay *replay, const struct call *call,
                           const struct signature_check *signature)
{
    struct claim claim = signature->claim;
    if (!signature->is_signed)
        return;
    claim.token_hash = call->access.claimed ? call->access.claim.token_hash : NULL;
    replay->claims[replay->count++] = claim;
}

/* The record goes with its user, but for that of the request by which the user may go. */
void replay_take_key(struct replay *replay, const struct call *call, const struct form *form)
{
    const char *key = key_of(call);
    if (key == NULL)
        return;
    struct claim claim = idempotency_claim(key, &call->access.claim, form->parameters, form->count,
                                           call->service->arena);
    if (access_may_end(call->access.access))
        claim.owner = 0;
    replay->claims[replay->count++] = claim;
}

static const struct db_rows *find_add(struct claim *claim, const struct call *call,
                                      const struct session_claim *session, struct db_batch *batch)
{
    if (claim->by_key)
        idempotency_claim_for(claim, call->request->idempotency_key, session, call->service->arena);
    else
        claim->token_hash = session->token_hash;
    return claim_find_add(batch, claim);
}

/* Looks at as many candidates as a batch takes, from this one on. */
static enum status find_owner_among(const struct claim *claim, const struct call *call,
                                    size_t first, const struct candidate **owner)
{
    const struct candidate *pairs = call->access.candidates.pairs + first;
    size_t left = call->access.candidates.count - first;
    size_t count = left < DB_BATCH_MOST ? left : DB_BATCH_MOST;
    struct claim claims[DB_BATCH_MOST];
    const struct db_rows *rows[DB_BATCH_MOST] = {NULL};
    struct claim_answer answer;
    struct db_batch *batch = db_batch_beside(call->batch);
    for (size_t i = 0; i < count; i++) {
        claims[i] = *claim;
        rows[i] = find_add(&claims[i], call, &pairs[i].claim, batch);
    }
    enum status status = db_batch_run(batch);
    for (size_t i = count; i-- > 0 && status == STATUS_OK;)
        if (claim_read(rows[i], &answer) == STATUS_OK)
            *owner = &pairs[i];
    db_batch_reset(batch);
    return status;
}

/* The first candidate to whom the answer of the claim belongs; NULL where it is nobody's. */
static enum status find_owner(const struct claim *claim, const struct call *call,
                              const struct candidate **owner)
{
    enum status status = STATUS_OK;
    *owner = NULL;
    for (size_t first = 0;
         first < call->access.candidates.count && *owner == NULL && status == STATUS_OK;
         first += DB_BATCH_MOST)
        status = find_owner_among(claim, call, first, owner);
    return status;
}

/* The key, if there is one, tells users apart, and a signature sessions alone. */
enum status replay_find_ended(struct call *call, const struct signature_check *signature,
                              const struct form *form)
{
    struct access_check *access = &call->access;
    const struct candidate *owner;
    struct replay replay = {.count = 0};
    if (!access_may_end(access->access) || access->candidates.count < 2)
        return STATUS_LOGIN_REQUIRED;
    access_claim(access, &access->candidates.pairs[0]);
    replay_take_signature(&replay, call, signature);
    if (replay_has_good_key(call))
        replay_take_key(&replay, call, form);
    access->claimed = false;
    if (replay.count == 0)
        return STATUS_LOGIN_REQUIRED;
    enum status status = find_owner(&replay.claims[replay.count - 1], call, &owner);
    if (status != STATUS_OK || owner == NULL)
        return status != STATUS_OK ? status : STATUS_LOGIN_REQUIRED;
    access_claim(access, owner);
    access->candidates.pairs[0] = *owner;
    access->candidates.count = 1;
    return STATUS_OK;
}

/* Without a session, as with a login, nothing is kept. */
void replay_add(const struct replay *replay, struct call *call)
{
    if (replay->count > 0 && call->access.claimed)
        db_batch_hold(call->batch);
    for (size_t i = 0; i < replay->count; i++)
        claim_add(call->batch, &replay->claims[i]);
}

bool replay_is_open(const struct call *call)
{
    return call->batch != NULL && db_batch_is_open(call->batch) &&
           call->service->response.http_status == 200;
}

/* The answer once more, as another format has it. */
static const char *write_answer(const struct call *call, const struct format *format,
                                const char *info)
{
    struct buffer out = {0};
    if (info != NULL) {
        document_refuse(format, info, &out);
    } else {
        struct document document =
            document_new(format, call->document.shape, call->document.output, &out);
        document_finish(&document);
    }
    const char *written = arena_copy(call->service->arena, out.data, out.length);
    buffer_free(&out);
    return written;
}

enum status replay_keep(const struct replay *replay, struct call *call, const char *info)
{
    const struct buffer *headers = &call->service->response.headers;
    struct claim_answer answer = {
        .headers = arena_copy(call->service->arena, headers->data, headers->length)};
    for (size_t i = 0; i < sizeof places / sizeof *places && replay->count > 0; i++)
        *place(&answer, i) = write_answer(call, places[i].format, info);
    for (size_t i = 0; i < replay->count; i++)
        claim_keep_add(call->batch, &replay->claims[i], &answer);
    return db_batch_commit(call->batch);
}

static enum status look_for(const struct replay *replay, struct db_batch *batch,
                            const struct db_rows **rows)
{
    for (size_t i = 0; i < replay->count; i++)
        rows[i] = claim_find_add(batch, &replay->claims[i]);
    return db_batch_run(batch);
}

enum status replay_look(const struct replay *replay, const struct call *call)
{
    const struct db_rows *rows[REPLAY_CLAIMS_MOST];
    struct db_batch *batch = db_batch_beside(call->batch);
    enum status status = look_for(replay, batch, rows);
    for (size_t i = 0; i < replay->count && status == STATUS_OK; i++)
        if (db_rows_count(rows[i]) > 0)
            status = STATUS_REQUEST_REPLAYED;
    db_batch_reset(batch);
    return status;
}

/* Of the claims only the one that stands in the way has a record; of two, the first is told. */
static enum status find(const struct replay *replay, struct db_batch *batch,
                        struct claim_answer *answer)
{
    const struct db_rows *rows[REPLAY_CLAIMS_MOST];
    db_batch_reset(batch);
    enum status status = look_for(replay, batch, rows), found = STATUS_NOT_FOUND;
    for (size_t i = 0; i < replay->count && status == STATUS_OK && found == STATUS_NOT_FOUND; i++)
        found = claim_read(rows[i], answer);
    if (status != STATUS_OK)
        return status;
    return found == STATUS_NOT_FOUND ? STATUS_REQUEST_REPLAYED : found;
}

static void make_response(struct response *response, const struct claim_answer *answer,
                          const char *document)
{
    response_discard(response);
    buffer_add_text(&response->headers, answer->headers);
    buffer_add_text(&response->body, document);
}

enum status replay_repeat(const struct replay *replay, struct call *call,
                          const struct format *format)
{
    struct claim_answer answer;
    enum status status = find(replay, call->batch, &answer);
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (places[i].format == format)
            make_response(&call->service->response, &answer, *place(&answer, i));
    return STATUS_OK;
}
