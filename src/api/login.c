#include "api/login.h"

#include "auth/login.h"
#include "model/user.h"

const struct param_spec login_params[] = {
    {"email", {VALUE_LINE, LINE_RANGE}, .offset = offsetof(struct login_fields, email)},
    {"password",
     {VALUE_LINE, RANGE(1, PASSWORD_MOST)},
     .offset = offsetof(struct login_fields, password),
     .secret = true},
    PARAMS_END,
};

const struct field login_shape[] = {
    {ROW("id", ID, offsetof(struct login_shown, id))},
    {ROW("idrand", TEXT, offsetof(struct login_shown, idrand))},
    SHAPE_END,
};

enum status handle_login(struct call *call)
{
    const struct login_fields *fields = call->input;
    struct attempt attempt = proof_attempt(call, ATTEMPT_PASSWORD, fields->email);
    struct login_answer login = {0};
    attempt.batch = call->batch;
    enum status status = login_run(&attempt, fields->password, &login);
    if (status == STATUS_OK)
        proof_answer_session(call, login.user_id, login.token);
    return proof_told(call, &attempt, status);
}

/* The access check of this operation has ended the session once the batch has run. */
enum status handle_logout(struct call *call)
{
    enum status status = db_batch_run(call->batch);
    if (status != STATUS_OK)
        return status;
    proof_drop_session(call);
    return STATUS_OK;
}
