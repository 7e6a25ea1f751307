#include "serve/admit.h"

#include "http/body.h"
#include "http/cookie.h"

/* The first pair that is known to be a session. */
static void know(struct admission *admission, const struct session_cookies *cookies)
{
    bool is_known = false;
    for (size_t i = 0; i < cookies->tokens.count; i++)
        for (size_t k = 0; k < cookies->ids.count && !is_known; k++)
            is_known = admission_know(admission, cookies->ids.values[k], cookies->tokens.values[i]);
}

enum status admit_request(struct admission *admission, const struct responder *responder,
                          struct arena *arena)
{
    const char *address = responder_variable(responder, "REMOTE_ADDR");
    struct session_cookies cookies;
    admission_begin(admission, address != NULL ? address : "");
    cookie_read(request_cookies(responder, arena), arena, &cookies);
    know(admission, &cookies);
    bool has_files =
        responder->body_length > 0 && body_has_files(responder_variable(responder, "CONTENT_TYPE"));
    return has_files ? admission_take(admission, WORK_FILE) : STATUS_OK;
}
