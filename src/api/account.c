/*
 * Users as they are shown, and what they do with their accounts.
 */
#include "api/account.h"

#include "api/mailing.h"
#include "api/proof.h"
#include "api/shapes.h"
#include "store/user.h"

#define TAKEN(field) .offset = offsetof(struct address_fields, field)
const struct param_spec change_email_params[] = {
    {"password", {VALUE_LINE, RANGE(1, PASSWORD_MOST)}, TAKEN(password), .secret = true},
    {"email", {.kind = VALUE_EMAIL}, TAKEN(email)},
    PARAMS_END,
};
const struct param_spec password_params[] = {
    {"password", {VALUE_LINE, RANGE(1, PASSWORD_MOST)}, TAKEN(password), .secret = true},
    PARAMS_END,
};

const struct param_spec user_id_params[] = {
    {"userID", {VALUE_INTEGER, ID_RANGE}, .offset = offsetof(struct reading, id)}, PARAMS_END};

/* Showing -------------------------------------------------------------------------------------- */

#define GIVEN(field) offsetof(struct account, field)
const struct field account_shape[] = {
    {ROW("userID", ID, GIVEN(user_id))},
    {ROW("name", TEXT, GIVEN(name))},
    {ROW("icon", TEXT, GIVEN(icon))},
    {ROW("joinDate", OBJECT, GIVEN(joined)), .shape = date_shape},
    {ROW("blogCount", INTEGER, GIVEN(blog_count))},
    {ROW("albumCount", INTEGER, GIVEN(album_count))},
    {ROW("score", INTEGER, GIVEN(score))},
    SHAPE_END,
};

#define OWN(field) offsetof(struct own_account, field)
const struct field own_account_shape[] = {
    {ROW("userID", ID, OWN(user_id))},
    {ROW("email", TEXT, OWN(email))},
    {ROW("name", TEXT, OWN(name))},
    {ROW("icon", TEXT, OWN(icon))},
    {ROW("reward", INTEGER, OWN(reward))},
    {ROW("photoBytes", INTEGER, OWN(photo_bytes))},
    {ROW("photoQuota", INTEGER, OWN(photo_quota))},
    SHAPE_END,
};

enum status handle_get_user(struct call *call)
{
    const struct reading *reading = call->input;
    return profile_read(call->batch, reading->id, access_reader(&call->access), call->output);
}

enum status handle_get_me(struct call *call)
{
    struct own_account *account = call->output;
    account->photo_quota = call->service->config->photo_quota;
    return profile_read_own(call->batch, access_asker(&call->access), account);
}

/* Another address ------------------------------------------------------------------------------ */

/* Of the new address: mails to it count as those of others do. */
static enum status count_mail(struct call *call, const char *email, struct credentials *owner)
{
    struct attempt attempt = proof_attempt(call, ATTEMPT_MAIL, email);
    enum status status = attempt_look(&attempt);
    if (status == STATUS_OK)
        status = attempt_count(&attempt);
    *owner = attempt.credentials;
    return proof_told(call, &attempt, status);
}

static struct mail_text write_mail(const struct call *call, const struct proof *proof,
                                   const struct credentials *owner,
                                   const struct account_token *token)
{
    bool is_taken = owner->user_id != 0 && owner->user_id != proof->account.user_id;
    if (is_taken)
        return mailing_write(call, MAIL_ACCOUNT_EXISTS, owner->language, NULL);
    return mailing_write(call, MAIL_CONFIRM_ADDRESS, proof->attempt.credentials.language,
                         token->text);
}

static enum status request(struct call *call, const struct proof *proof)
{
    struct credentials owner;
    struct account_token token;
    const struct address_fields *fields = call->input;
    enum status status = count_mail(call, fields->email, &owner);
    if (status == STATUS_OK)
        status = account_token_make(&token);
    if (status != STATUS_OK)
        return status;
    const struct mail_text mail = write_mail(call, proof, &owner, &token);
    const struct mail_text notice =
        mailing_write(call, MAIL_ADDRESS_CHANGES, proof->attempt.credentials.language, NULL);
    attempt_welcome_add(&proof->attempt, call->batch, proof->account.user_id);
    return account_request_address(call->batch, &proof->account, fields->email, &token, &mail,
                                   &notice);
}

enum status handle_change_email(struct call *call)
{
    struct proof proof = {.account = {.user_id = 0}};
    const struct address_fields *fields = call->input;
    enum status status = mailing_check(call);
    if (status == STATUS_OK)
        status = proof_of_asker(call, fields->password, &proof);
    if (status != STATUS_OK)
        return status;
    return request(call, &proof);
}

/* Leaving -------------------------------------------------------------------------------------- */

enum status handle_delete_user(struct call *call)
{
    struct proof proof = {.account = {.user_id = 0}};
    const struct address_fields *fields = call->input;
    const struct db_rows *published = NULL;
    enum status status = proof_of_asker(call, fields->password, &proof);
    if (status != STATUS_OK)
        return status;
    status = attempt_forgive(&proof.attempt);
    if (status != STATUS_OK)
        return status;
    db_batch_hold(call->batch);
    status = account_delete(call->batch, &proof.account, &published);
    if (status == STATUS_OK)
        status = call_withdraw(call, published);
    if (status == STATUS_OK)
        proof_drop_session(call);
    return status;
}
