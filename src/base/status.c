#include "base/status.h"

#include <stddef.h>

/* Whatever an operation answers is 200: the envelope says how it went. */
#define ANSWERED(info) .text = (info), .http_status = 200, .reason = "OK"
#define REFUSED(info, number, phrase) .text = (info), .http_status = (number), .reason = (phrase)

/* clang-format off */
static const struct outcome outcomes[STATUS_COUNT] = {
    [STATUS_OK] = {ANSWERED("SUCCESS")},
    [STATUS_MALFORMED_REQUEST] = {ANSWERED("MALFORMED REQUEST")},
    [STATUS_METHOD_NOT_ALLOWED] = {REFUSED("METHOD NOT ALLOWED", 405, "Method Not Allowed")},
    [STATUS_REQUEST_TOO_LARGE] = {REFUSED("REQUEST TOO LARGE", 413, "Content Too Large")},
    [STATUS_UNSUPPORTED_MEDIA_TYPE] = {REFUSED("UNSUPPORTED MEDIA TYPE", 415, "Unsupported Media Type")},
    [STATUS_UNKNOWN_FUNC] = {ANSWERED("UNKNOWN FUNC")},
    [STATUS_CROSS_SITE] = {ANSWERED("CROSS-SITE REQUEST")},
    [STATUS_PARAMETER_MISSING] = {ANSWERED("MISSING PARAMETER"), .names_parameter = true},
    [STATUS_PARAMETER_INVALID] = {ANSWERED("INVALID PARAMETER"), .names_parameter = true},
    [STATUS_PARAMETER_DUPLICATE] = {ANSWERED("DUPLICATE PARAMETER"), .names_parameter = true},
    [STATUS_LOGIN_REQUIRED] = {ANSWERED("LOGIN REQUIRED")},
    [STATUS_PASSWORD_INCORRECT] = {ANSWERED("PASSWORD INCORRECT")},
    [STATUS_USER_BLOCKED] = {ANSWERED("USER BLOCKED")},
    [STATUS_TOO_MANY_ATTEMPTS] = {REFUSED("TOO MANY ATTEMPTS", 429, "Too Many Requests")},
    [STATUS_TOO_MUCH_TODAY] = {REFUSED("TOO MANY ATTEMPTS", 429, "Too Many Requests"), .retry_after = 3600},
    [STATUS_REGISTRATION_CLOSED] = {ANSWERED("REGISTRATION CLOSED")},
    [STATUS_TOKEN_INVALID] = {ANSWERED("TOKEN INVALID")},
    [STATUS_PASSWORD_TOO_WEAK] = {ANSWERED("PASSWORD TOO WEAK")},
    [STATUS_KEY_UNKNOWN] = {ANSWERED("KEY UNKNOWN")},
    [STATUS_SIGNATURE_REQUIRED] = {ANSWERED("SIGNATURE REQUIRED")},
    [STATUS_SIGNATURE_INVALID] = {ANSWERED("SIGNATURE INVALID")},
    [STATUS_TIMESTAMP_EXPIRED] = {ANSWERED("TIMESTAMP EXPIRED")},
    [STATUS_REQUEST_REPLAYED] = {ANSWERED("REQUEST REPLAYED")},
    [STATUS_ALBUM_NOT_FOUND] = {ANSWERED("ALBUM NOT FOUND"), .absent = true},
    [STATUS_POI_NOT_FOUND] = {ANSWERED("POI NOT FOUND"), .absent = true},
    [STATUS_BLOG_NOT_FOUND] = {ANSWERED("BLOG NOT FOUND"), .absent = true},
    [STATUS_USER_NOT_FOUND] = {ANSWERED("USER NOT FOUND"), .absent = true},
    [STATUS_NOT_OWNER] = {ANSWERED("NOT OWNER")},
    [STATUS_CHANGED_MEANWHILE] = {ANSWERED("CHANGED MEANWHILE")},
    [STATUS_PHOTO_NOT_FOUND] = {ANSWERED("PHOTO NOT FOUND"), .absent = true},
    [STATUS_PHOTO_NOT_READABLE] = {ANSWERED("PHOTO NOT READABLE")},
    [STATUS_PHOTO_TOO_LARGE] = {REFUSED("PHOTO TOO LARGE", 413, "Content Too Large")},
    [STATUS_PICTURE_TOO_LARGE] = {ANSWERED("PHOTO TOO LARGE")},
    [STATUS_QUOTA_EXCEEDED] = {ANSWERED("QUOTA EXCEEDED")},
    [STATUS_COMMENT_NOT_FOUND] = {ANSWERED("COMMENT NOT FOUND"), .absent = true},
    [STATUS_VOTE_NOT_FOUND] = {ANSWERED("VOTE NOT FOUND"), .absent = true},
    [STATUS_ALREADY_VOTED] = {ANSWERED("ALREADY VOTED")},
    [STATUS_VOTE_CLOSED] = {ANSWERED("VOTE CLOSED")},
    [STATUS_ADVERTISEMENT_NOT_FOUND] = {ANSWERED("ADVERTISEMENT NOT FOUND"), .absent = true},
    [STATUS_OWN_PIECE] = {ANSWERED("OWN PIECE")},
    [STATUS_NOT_FOUND] = {ANSWERED("NOT FOUND"), .absent = true, .inside = true},
    [STATUS_CONFLICT] = {ANSWERED("ALREADY EXISTS"), .inside = true},
    [STATUS_UNAVAILABLE] = {REFUSED("SERVICE UNAVAILABLE", 503, "Service Unavailable"), .retry_after = 1},
    [STATUS_INTERNAL] = {REFUSED("INTERNAL ERROR", 500, "Internal Server Error")},
};
/* clang-format on */

const struct outcome *status_outcome(enum status status)
{
    return &outcomes[(size_t)status < STATUS_COUNT ? status : STATUS_INTERNAL];
}

const char *status_text(enum status status)
{
    return status_outcome(status)->text;
}
