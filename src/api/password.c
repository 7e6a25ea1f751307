/*
 * How users get another password: because they want one, or as they have forgotten theirs.
 */
#include "api/password.h"

#include "api/mailing.h"
#include "api/proof.h"

const struct param_spec email_params[] = {
    {"email", {.kind = VALUE_EMAIL}, .offset = offsetof(struct email_fields, email)},
    PARAMS_END,
};

#define TAKEN(field) .offset = offsetof(struct password_fields, field)
const struct param_spec change_password_params[] = {
    {"password", {VALUE_LINE, RANGE(1, PASSWORD_MOST)}, TAKEN(password), .secret = true},
    {"newPassword", {VALUE_LINE, RANGE(1, PASSWORD_MOST)}, TAKEN(new_password), .secret = true},
    PARAMS_END,
};

/* Forgotten ------------------------------------------------------------------------------------ */

/* As much work as registering takes, whether or not there is such an account. */
static enum status request(struct call *call, struct attempt *attempt)
{
    struct account_token token;
    const struct email_fields *fields = call->input;
    enum status status = attempt_count(attempt);
    if (status == STATUS_OK)
        status = account_token_make(&token);
    if (status == STATUS_OK)
        (void)!attempt_verify(attempt, NULL, token.text);
    if (status != STATUS_OK)
        return status;
    const struct mail_text mail =
        mailing_write(call, MAIL_RESET_PASSWORD, attempt->credentials.language, token.text);
    return account_request_password(call->batch, fields->email, &token, &mail);
}

enum status handle_request_password_reset(struct call *call)
{
    const struct email_fields *fields = call->input;
    struct attempt attempt = proof_attempt(call, ATTEMPT_MAIL, fields->email);
    enum status status = mailing_check(call);
    if (status == STATUS_OK)
        status = attempt_begin(&attempt);
    if (status != STATUS_OK)
        return proof_told(call, &attempt, status);
    return proof_told(call, &attempt, request(call, &attempt));
}

/* The owner of the account hears of each new password. */
static struct mail_text notice(const struct call *call, const struct account_proof *account)
{
    return mailing_write(call, MAIL_PASSWORD_CHANGED, account->language, NULL);
}

/* The token is the proof. */
static enum status reset(struct call *call, struct attempt *attempt, const unsigned char *token,
                         const struct account_proof *account)
{
    int64_t user_id = 0;
    const char *hash = NULL;
    const struct token_fields *fields = call->input;
    enum status status = attempt_hash(attempt, fields->password, &hash);
    if (status != STATUS_OK)
        return status;
    const struct mail_text mail = notice(call, account);
    db_batch_hold(call->batch);
    status = account_reset_password(call->batch, token, hash, &mail, &user_id);
    return status == STATUS_OK ? proof_admit(call, attempt, user_id, hash) : status;
}

static enum status find_account(struct call *call, const unsigned char *token,
                                struct account_proof *account)
{
    return account_find_reset(db_batch_beside(call->batch), token, call->service->arena, account);
}

enum status handle_reset_password(struct call *call)
{
    struct account_proof account = {.user_id = 0};
    unsigned char token[CRYPTO_DIGEST_SIZE];
    const struct token_fields *fields = call->input;
    enum status status = mailing_check(call);
    if (status == STATUS_OK)
        status = proof_read_token(fields->token, token);
    if (status == STATUS_OK)
        status = proof_check_new(call, "password", fields->password);
    if (status == STATUS_OK)
        status = find_account(call, token, &account);
    if (status != STATUS_OK)
        return status;
    struct attempt attempt = proof_attempt(call, ATTEMPT_PASSWORD, account.email);
    status = attempt_enter(&attempt);
    return status == STATUS_OK ? reset(call, &attempt, token, &account) : status;
}

/* Known ---------------------------------------------------------------------------------------- */

static enum status change(struct call *call, struct proof *proof)
{
    const char *hash = NULL;
    const struct password_fields *fields = call->input;
    enum status status = attempt_hash(&proof->attempt, fields->new_password, &hash);
    if (status != STATUS_OK)
        return status;
    attempt_welcome_add(&proof->attempt, call->batch, proof->account.user_id);
    const struct mail_text mail = notice(call, &proof->account);
    return account_change_password(call->batch, &proof->account, hash, &call->access.claim, &mail);
}

enum status handle_change_password(struct call *call)
{
    struct proof proof = {.is_followed_by_hash = true};
    const struct password_fields *fields = call->input;
    enum status status = mailing_check(call);
    if (status == STATUS_OK)
        status = proof_check_new(call, "newPassword", fields->new_password);
    if (status == STATUS_OK)
        status = proof_of_asker(call, fields->password, &proof);
    return status == STATUS_OK ? change(call, &proof) : status;
}
