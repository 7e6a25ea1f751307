/*
 * How an account comes about: somebody registers, and proves that the address is his.
 */
#include "api/registration.h"

#include "api/mailing.h"
#include "api/proof.h"

#define TAKEN(field) .offset = offsetof(struct register_fields, field)
const struct param_spec register_params[] = {
    {"email", {.kind = VALUE_EMAIL}, TAKEN(email)},
    {"password", {VALUE_LINE, RANGE(1, PASSWORD_MOST)}, TAKEN(password), .secret = true},
    {"name", {VALUE_LINE, LINE_RANGE, .seen = true}, TAKEN(name)},
    {"invitation", {VALUE_LINE, LINE_RANGE}, TAKEN(invitation), .optional = true},
    {"language", {VALUE_LINE, LINE_RANGE}, TAKEN(language), .optional = true},
    PARAMS_END,
};

enum status registration_gate(const struct config *config)
{
    return config->registration == REGISTRATION_CLOSED ? STATUS_REGISTRATION_CLOSED : STATUS_OK;
}

/* Registering ---------------------------------------------------------------------------------- */

static enum status check_language(struct call *call, const char *language)
{
    enum status status = mailing_check(call);
    if (status != STATUS_OK || language == NULL)
        return status;
    call->refused = "language";
    return mail_texts_have(call->service->mail_texts, language) ? STATUS_OK
                                                                : STATUS_PARAMETER_INVALID;
}

/* The hash of an invitation that there is, where it takes one. */
static enum status check_invitation(struct call *call, const char *text,
                                    unsigned char hash[static CRYPTO_DIGEST_SIZE])
{
    call->refused = "invitation";
    if (text == NULL)
        return STATUS_PARAMETER_MISSING;
    enum status status = proof_read_token(text, hash);
    struct db_batch *look = db_batch_beside(call->batch);
    if (status == STATUS_OK)
        status = account_find_invitation(look, hash);
    db_batch_reset(look);
    return status;
}

static enum status check_fields(struct call *call, struct registration *registration,
                                unsigned char invitation[static CRYPTO_DIGEST_SIZE])
{
    const struct register_fields *fields = call->input;
    enum status status = STATUS_OK;
    if (call->service->config->registration == REGISTRATION_INVITED) {
        registration->invitation = invitation;
        status = check_invitation(call, fields->invitation, invitation);
    }
    if (status == STATUS_OK)
        status = check_language(call, fields->language);
    return status == STATUS_OK ? proof_check_new(call, "password", fields->password) : status;
}

/* The mail to an address that has an account says so, in the language of its owner. */
static struct mail_text write_mail(const struct call *call, const struct credentials *owner,
                                   const char *language, const struct account_token *token)
{
    if (owner->user_id != 0)
        return mailing_write(call, MAIL_ACCOUNT_EXISTS, owner->language, NULL);
    return mailing_write(call, MAIL_CONFIRM_ACCOUNT, language, token->text);
}

static enum status keep(struct call *call, struct attempt *attempt,
                        struct registration *registration)
{
    struct account_token token;
    const struct register_fields *fields = call->input;
    enum status status = attempt_count(attempt);
    if (status == STATUS_OK)
        status = attempt_hash(attempt, fields->password, &registration->password_hash);
    if (status == STATUS_OK)
        status = account_token_make(&token);
    if (status != STATUS_OK)
        return status;
    const struct mail_text mail = write_mail(call, &attempt->credentials, fields->language, &token);
    return account_register(call->batch, registration, &token, &mail);
}

enum status handle_register(struct call *call)
{
    unsigned char invitation[CRYPTO_DIGEST_SIZE];
    const struct register_fields *fields = call->input;
    struct registration registration = {
        .email = fields->email, .name = fields->name, .language = fields->language};
    struct attempt attempt = proof_attempt(call, ATTEMPT_MAIL, fields->email);
    enum status status = check_fields(call, &registration, invitation);
    if (status == STATUS_OK)
        status = attempt_begin(&attempt);
    if (status != STATUS_OK)
        return proof_told(call, &attempt, status);
    return proof_told(call, &attempt, keep(call, &attempt, &registration));
}

/* Proving -------------------------------------------------------------------------------------- */

static enum status confirm(struct call *call, const struct proof *proof, const unsigned char *token)
{
    int64_t user_id = 0;
    db_batch_hold(call->batch);
    enum status status = account_confirm(call->batch, token, &user_id);
    if (status != STATUS_OK)
        return status;
    return proof_admit(call, &proof->attempt, user_id, proof->account.password_hash);
}

/* By the password, so that nobody can be made to confirm what a stranger has registered. */
enum status handle_confirm_email(struct call *call)
{
    struct proof proof = {.account = {.user_id = 0}};
    unsigned char token[CRYPTO_DIGEST_SIZE];
    const struct token_fields *fields = call->input;
    enum status status = proof_read_token(fields->token, token);
    if (status == STATUS_OK)
        status = proof_of_token(call, token, fields->password, &proof);
    if (status != STATUS_OK)
        return status;
    return confirm(call, &proof, token);
}
