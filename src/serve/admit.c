#include "serve/admit.h"

#include "http/body.h"
#include "http/cookie.h"

enum status admit_request(struct admission *admission, const struct responder *responder,
                          struct arena *arena)
{
    const char *address = responder_variable(responder, "REMOTE_ADDR");
    const char *cookies = responder_variable(responder, "HTTP_COOKIE");
    admission_begin(admission, address != NULL ? address : "", cookie_find(cookies, "id", arena),
                    cookie_find(cookies, "idrand", arena));
    bool has_files =
        responder->body_length > 0 && body_has_files(responder_variable(responder, "CONTENT_TYPE"));
    return has_files ? admission_take(admission, WORK_FILE) : STATUS_OK;
}
