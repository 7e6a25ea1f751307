#include "api/proof.h"

#include <string.h>

#include "auth/login.h"
#include "auth/strength.h"
#include "http/cookie.h"

_Static_assert((int)PASSWORD_LONGEST == (int)PASSWORD_MOST,
               "a password that may be chosen is one that may be sent");

#define TAKEN(field) .offset = offsetof(struct token_fields, field)
const struct param_spec token_params[] = {
    {"token", {VALUE_LINE, LINE_RANGE}, TAKEN(token), .secret = true},
    {"password", {VALUE_LINE, RANGE(1, PASSWORD_MOST)}, TAKEN(password), .secret = true},
    PARAMS_END,
};

struct attempt proof_attempt(const struct call *call, enum attempt_kind kind, const char *email)
{
    const char *address = call->request->remote_address;
    return (struct attempt){.batch = db_batch_beside(call->batch),
                            .arena = call->service->arena,
                            .config = call->service->config,
                            .admission = call->service->admission,
                            .email = email,
                            .address = address != NULL ? address : "",
                            .kind = kind,
                            .hashings = 1};
}

enum status proof_told(const struct call *call, const struct attempt *attempt, enum status status)
{
    if (status == STATUS_TOO_MANY_ATTEMPTS)
        response_header_number(&call->service->response, "Retry-After",
                               (attempt->wait + 999) / 1000);
    return status;
}

/* The password against the hash that was found. */
static enum status prove(struct call *call, const char *password, struct proof *proof)
{
    struct attempt *attempt = &proof->attempt;
    *attempt = proof_attempt(call, ATTEMPT_PASSWORD, proof->account.email);
    attempt->hashings += proof->is_followed_by_hash;
    enum status status = attempt_begin(attempt);
    if (status != STATUS_OK)
        return proof_told(call, attempt, status);
    status = attempt_count(attempt);
    if (status == STATUS_OK)
        status = attempt_verify(attempt, proof->account.password_hash, password);
    return proof_told(call, attempt, status);
}

enum status proof_of_asker(struct call *call, const char *password, struct proof *proof)
{
    enum status status = account_find_asker(db_batch_beside(call->batch), &call->access.claim,
                                            call->service->arena, &proof->account);
    return status == STATUS_OK ? prove(call, password, proof) : status;
}

enum status proof_of_token(struct call *call, const unsigned char *token, const char *password,
                           struct proof *proof)
{
    enum status status = account_find_token(db_batch_beside(call->batch), token,
                                            call->service->arena, &proof->account);
    return status == STATUS_OK ? prove(call, password, proof) : status;
}

enum status proof_read_token(const char *text, unsigned char hash[static CRYPTO_DIGEST_SIZE])
{
    return crypto_token_hash(text, hash) == STATUS_OK ? STATUS_OK : STATUS_TOKEN_INVALID;
}

enum status proof_check_new(struct call *call, const char *name, const char *password)
{
    call->refused = name;
    return strength_check(password);
}

enum status proof_admit(struct call *call, const struct attempt *attempt, int64_t user_id,
                        const char *password_hash)
{
    struct login_answer login = {0};
    attempt_welcome_add(attempt, call->batch, user_id);
    enum status status = login_start_session(
        call->batch, user_id, call->service->config->session_lifetime, password_hash, &login);
    if (status == STATUS_OK)
        proof_answer_session(call, user_id, login.token);
    return status == STATUS_USER_NOT_FOUND ? STATUS_UNAVAILABLE : status;
}

void proof_answer_session(struct call *call, int64_t user_id, const char *token)
{
    const char *id = arena_format(call->service->arena, "%lld", (long long)user_id);
    int64_t lifetime = call->service->config->session_lifetime;
    cookie_set(&call->service->response, call->request, call->service->config, "id", id, lifetime);
    cookie_set(&call->service->response, call->request, call->service->config, "idrand", token,
               lifetime);
    *(struct login_shown *)call->output =
        (struct login_shown){user_id, arena_copy(call->service->arena, token, strlen(token))};
}

void proof_drop_session(const struct call *call)
{
    cookie_set(&call->service->response, call->request, call->service->config, "id", "", 0);
    cookie_set(&call->service->response, call->request, call->service->config, "idrand", "", 0);
}
