/*
 * The mails that operations write.
 */
#ifndef MAPDIARY_API_MAILING_H
#define MAPDIARY_API_MAILING_H

#include "api/operation.h"

/** STATUS_UNAVAILABLE where there are no texts. */
enum status mailing_check(const struct call *call) MUST_CHECK;

/** A mail in a language, NULL being the configured one; the token is NULL where it has none. In the
 * arena. */
struct mail_text mailing_write(const struct call *call, enum mail_occasion occasion,
                               const char *language, const char *token);

#endif
