#include "api/mailing.h"

#include <string.h>

#include "base/log.h"

enum status mailing_check(const struct call *call)
{
    if (call->mail_texts != NULL)
        return STATUS_OK;
    log_error("there are no texts of mails in %s", call->config->mail_directory);
    return STATUS_UNAVAILABLE;
}

static const char *site_of(const struct call *call)
{
    const char *url = call->config->public_url;
    size_t length = strlen(url);
    while (length > 0 && url[length - 1] == '/')
        length--;
    return arena_copy(call->arena, url, length);
}

/* What stands behind # goes to no server, and so into no log. */
struct mail_text mailing_write(const struct call *call, enum mail_occasion occasion,
                               const char *language, const char *token)
{
    const char *page = occasion == MAIL_RESET_PASSWORD ? "resetPassword" : "confirmEmail";
    const char *const languages[2] = {language, call->config->mail_language};
    struct mail_values values = {.site = site_of(call), .token = token};
    if (token != NULL)
        values.link = arena_format(call->arena, "%s/#%s=%s", values.site, page, token);
    return mail_texts_fill(call->mail_texts, occasion, languages, &values, call->arena);
}
