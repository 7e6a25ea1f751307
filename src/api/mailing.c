#include "api/mailing.h"

#include "base/log.h"

enum status mailing_check(const struct call *call)
{
    if (call->service->mail_texts != NULL)
        return STATUS_OK;
    log_error("there are no texts of mails in %s", call->service->config->mail_directory);
    return STATUS_UNAVAILABLE;
}

/* A browser sends the part behind # to no server, so it comes into no log. */
struct mail_text mailing_write(const struct call *call, enum mail_occasion occasion,
                               const char *language, const char *token)
{
    const char *page = occasion == MAIL_RESET_PASSWORD ? "resetPassword" : "confirmEmail";
    const char *const languages[2] = {language, call->service->config->mail_language};
    struct mail_values values = {.site = call->service->config->site, .token = token};
    if (token != NULL)
        values.link = arena_format(call->service->arena, "%s/#%s=%s", values.site, page, token);
    return mail_texts_fill(call->service->mail_texts, occasion, languages, &values,
                           call->service->arena);
}
