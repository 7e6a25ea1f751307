#include "auth/login.h"

#include "store/session.h"

enum status login_start_session(struct db_batch *batch, int64_t user_id, int64_t lifetime,
                                const char *password_hash, struct login_answer *answer)
{
    struct session_claim claim = {.user_id = user_id};
    crypto_token(answer->token);
    answer->user_id = user_id;
    enum status status = crypto_token_hash(answer->token, claim.token_hash);
    return status != STATUS_OK ? status : session_insert(batch, &claim, lifetime, password_hash);
}

/* The hash becomes the one that takes its place. Only a client that knows the password hears that
 * the account is blocked. */
static enum status verify(struct attempt *attempt, const char *password, const char **hash)
{
    const char *renewed = NULL;
    *hash = attempt->credentials.password_hash;
    bool is_outdated = attempt_is_outdated(attempt, *hash);
    attempt->hashings = is_outdated ? 2 : 1;
    enum status status = attempt_verify(attempt, *hash, password);
    if (status == STATUS_OK && attempt->credentials.is_blocked)
        return STATUS_USER_BLOCKED;
    if (status != STATUS_OK || !is_outdated)
        return status;
    if (attempt_hash(attempt, password, &renewed) == STATUS_OK)
        *hash = renewed;
    return STATUS_OK;
}

/* The third round trip. STATUS_USER_NOT_FOUND where the account has another hash by now. */
static enum status begin(const struct attempt *attempt, const char *hash,
                         struct login_answer *answer)
{
    const struct credentials *credentials = &attempt->credentials;
    attempt_welcome_add(attempt, attempt->batch, credentials->user_id);
    if (hash != credentials->password_hash)
        user_renew_hash_add(attempt->batch, credentials->user_id, credentials->password_hash, hash);
    return login_start_session(attempt->batch, credentials->user_id,
                               attempt->config->session_lifetime, hash, answer);
}

static enum status try_password(struct attempt *attempt, const char *password,
                                struct login_answer *answer)
{
    const char *hash = NULL;
    enum status status = attempt_count(attempt);
    if (status == STATUS_OK)
        status = verify(attempt, password, &hash);
    return status == STATUS_OK ? begin(attempt, hash, answer) : status;
}

/* A hash that another login renewed meanwhile is verified as well, without another wait. */
enum status login_run(struct attempt *attempt, const char *password, struct login_answer *answer)
{
    enum status status = attempt_begin(attempt);
    if (status != STATUS_OK)
        return status;
    status = try_password(attempt, password, answer);
    if (status != STATUS_USER_NOT_FOUND)
        return status;
    db_batch_reset(attempt->batch);
    status = attempt_enter(attempt);
    if (status == STATUS_OK)
        status = try_password(attempt, password, answer);
    return status == STATUS_USER_NOT_FOUND ? STATUS_PASSWORD_INCORRECT : status;
}
