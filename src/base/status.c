#include "base/status.h"

#include <stddef.h>
#include <string.h>

/* Whatever an operation answers is 200: the envelope says how it went. */
#define ANSWERED(info)                     \
    {                                      \
        (info), false, 200, "OK", 0, false \
    }
#define OF_PARAMETER(info)                \
    {                                     \
        (info), true, 200, "OK", 0, false \
    }
#define INSIDE(info)                      \
    {                                     \
        (info), false, 200, "OK", 0, true \
    }

/* clang-format off */
static const struct outcome outcomes[STATUS_COUNT] = {
    [STATUS_OK] = ANSWERED("SUCCESS"),
    [STATUS_MALFORMED_REQUEST] = ANSWERED("MALFORMED REQUEST"),
    [STATUS_METHOD_NOT_ALLOWED] = {"METHOD NOT ALLOWED", false, 405, "Method Not Allowed", 0, false},
    [STATUS_REQUEST_TOO_LARGE] = {"REQUEST TOO LARGE", false, 413, "Content Too Large", 0, false},
    [STATUS_UNSUPPORTED_MEDIA_TYPE] = {"UNSUPPORTED MEDIA TYPE", false, 415, "Unsupported Media Type", 0, false},
    [STATUS_UNKNOWN_FUNC] = ANSWERED("UNKNOWN FUNC"),
    [STATUS_CROSS_SITE] = ANSWERED("CROSS-SITE REQUEST"),
    [STATUS_PARAMETER_MISSING] = OF_PARAMETER("MISSING PARAMETER"),
    [STATUS_PARAMETER_INVALID] = OF_PARAMETER("INVALID PARAMETER"),
    [STATUS_PARAMETER_DUPLICATE] = OF_PARAMETER("DUPLICATE PARAMETER"),
    [STATUS_LOGIN_REQUIRED] = ANSWERED("LOGIN REQUIRED"),
    [STATUS_PASSWORD_INCORRECT] = ANSWERED("PASSWORD INCORRECT"),
    [STATUS_USER_BLOCKED] = ANSWERED("USER BLOCKED"),
    [STATUS_TOO_MANY_ATTEMPTS] = {"TOO MANY ATTEMPTS", false, 429, "Too Many Requests", 0, false},
    [STATUS_TOO_MUCH_TODAY] = {"TOO MANY ATTEMPTS", false, 429, "Too Many Requests", 3600, false},
    [STATUS_REGISTRATION_CLOSED] = ANSWERED("REGISTRATION CLOSED"),
    [STATUS_TOKEN_INVALID] = ANSWERED("TOKEN INVALID"),
    [STATUS_PASSWORD_TOO_WEAK] = ANSWERED("PASSWORD TOO WEAK"),
    [STATUS_KEY_UNKNOWN] = ANSWERED("KEY UNKNOWN"),
    [STATUS_SIGNATURE_REQUIRED] = ANSWERED("SIGNATURE REQUIRED"),
    [STATUS_SIGNATURE_INVALID] = ANSWERED("SIGNATURE INVALID"),
    [STATUS_TIMESTAMP_EXPIRED] = ANSWERED("TIMESTAMP EXPIRED"),
    [STATUS_REQUEST_REPLAYED] = ANSWERED("REQUEST REPLAYED"),
    [STATUS_ALBUM_NOT_FOUND] = ANSWERED("ALBUM NOT FOUND"),
    [STATUS_POI_NOT_FOUND] = ANSWERED("POI NOT FOUND"),
    [STATUS_BLOG_NOT_FOUND] = ANSWERED("BLOG NOT FOUND"),
    [STATUS_USER_NOT_FOUND] = ANSWERED("USER NOT FOUND"),
    [STATUS_NOT_OWNER] = ANSWERED("NOT OWNER"),
    [STATUS_PHOTO_NOT_FOUND] = ANSWERED("PHOTO NOT FOUND"),
    [STATUS_PHOTO_NOT_READABLE] = ANSWERED("PHOTO NOT READABLE"),
    [STATUS_PHOTO_TOO_LARGE] = {"PHOTO TOO LARGE", false, 413, "Content Too Large", 0, false},
    [STATUS_PICTURE_TOO_LARGE] = ANSWERED("PHOTO TOO LARGE"),
    [STATUS_QUOTA_EXCEEDED] = ANSWERED("QUOTA EXCEEDED"),
    [STATUS_COMMENT_NOT_FOUND] = ANSWERED("COMMENT NOT FOUND"),
    [STATUS_VOTE_NOT_FOUND] = ANSWERED("VOTE NOT FOUND"),
    [STATUS_ALREADY_VOTED] = ANSWERED("ALREADY VOTED"),
    [STATUS_VOTE_CLOSED] = ANSWERED("VOTE CLOSED"),
    [STATUS_ADVERTISEMENT_NOT_FOUND] = ANSWERED("ADVERTISEMENT NOT FOUND"),
    [STATUS_OWN_PIECE] = ANSWERED("OWN PIECE"),
    [STATUS_NOT_FOUND] = INSIDE("NOT FOUND"),
    [STATUS_CONFLICT] = INSIDE("ALREADY EXISTS"),
    [STATUS_UNAVAILABLE] = {"SERVICE UNAVAILABLE", false, 503, "Service Unavailable", 1, false},
    [STATUS_INTERNAL] = {"INTERNAL ERROR", false, 500, "Internal Server Error", 0, false},
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

bool status_is_absent(enum status status)
{
    static const char absent[] = "NOT FOUND";
    const char *text = status_text(status);
    size_t length = strlen(text);
    return length >= sizeof absent - 1 && strcmp(text + length - (sizeof absent - 1), absent) == 0;
}
