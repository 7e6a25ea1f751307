#include "auth/login.h"

#include "api/handlers.h"
#include "api/proof.h"
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
    const char *address = call->request->remote_address;
    const struct login_request request = {.email = fields->email,
                                          .password = fields->password,
                                          .address = address != NULL ? address : ""};
    struct login_answer login = {0};
    enum status status =
        login_run(call->batch, call->arena, call->config, call->hashing, &request, &login);
    if (status == STATUS_TOO_MANY_ATTEMPTS)
        response_header_number(call->response, "Retry-After", (login.wait + 999) / 1000);
    if (status != STATUS_OK)
        return status;
    proof_answer_session(call, login.user_id, login.token);
    return STATUS_OK;
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
