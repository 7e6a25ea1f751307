/*
 * What became of something that can fail. One value each for every `info` of the interface, and a
 * few that stay inside; STATUS_OK alone is zero.
 */
#ifndef MAPDIARY_BASE_STATUS_H
#define MAPDIARY_BASE_STATUS_H

#include <stdbool.h>

#define MUST_CHECK __attribute__((warn_unused_result))

enum status {
    STATUS_OK = 0,

    /* The request is refused for what it is, before any operation runs. */
    STATUS_MALFORMED_REQUEST,  /* not a form: a broken escape, an empty name, a body cut short */
    STATUS_METHOD_NOT_ALLOWED, /* not a method of HTTP that we know, or not one of this operation's
                                */
    STATUS_REQUEST_TOO_LARGE,  /* the body, or the number of parameters */
    STATUS_UNSUPPORTED_MEDIA_TYPE, /* a body that is no form */
    STATUS_UNKNOWN_FUNC,           /* no such operation */
    STATUS_CROSS_SITE,             /* a browser says that another site sent this write */

    /* A parameter is refused. Whoever returns one of these names the parameter beside it. */
    STATUS_PARAMETER_MISSING,
    STATUS_PARAMETER_INVALID,
    STATUS_PARAMETER_DUPLICATE,

    /* Who is asking. */
    STATUS_LOGIN_REQUIRED,      /* no session: missing, malformed, unknown, expired, revoked */
    STATUS_PASSWORD_INCORRECT,  /* or no such account: nobody is told which */
    STATUS_USER_BLOCKED,        /* the password is right, and an operator lets nobody in */
    STATUS_TOO_MANY_ATTEMPTS,   /* logins of this account or this address, writes of this user */
    STATUS_TOO_MUCH_TODAY,      /* comments, reports, a new account's things; the same text */
    STATUS_REGISTRATION_CLOSED, /* nobody can register by himself */
    STATUS_TOKEN_INVALID,       /* no such token or invitation: wrong, used up, or too old */
    STATUS_PASSWORD_TOO_WEAK,   /* a new one, short or common */
    STATUS_KEY_UNKNOWN,         /* no such application key, or it was revoked */
    STATUS_SIGNATURE_REQUIRED,  /* there is none, and this service wants one */
    STATUS_SIGNATURE_INVALID,   /* it is not that of these parameters */
    STATUS_TIMESTAMP_EXPIRED,   /* signed too long ago, or too far ahead */
    STATUS_REQUEST_REPLAYED,    /* this signed write was carried out already */

    /* What is asked for. */
    STATUS_ALBUM_NOT_FOUND,
    STATUS_POI_NOT_FOUND,
    STATUS_BLOG_NOT_FOUND,
    STATUS_USER_NOT_FOUND,
    STATUS_NOT_OWNER,         /* it exists, and is somebody else's */
    STATUS_CHANGED_MEANWHILE, /* it has another version than the one that its writer has seen */

    /* Photos. */
    STATUS_PHOTO_NOT_FOUND,
    STATUS_PHOTO_NOT_READABLE, /* no picture of a format that is taken, or not all of one */
    STATUS_PHOTO_TOO_LARGE,    /* in bytes */
    STATUS_PICTURE_TOO_LARGE,  /* in pixels, or in what decoding it takes; the same text */
    STATUS_QUOTA_EXCEEDED,     /* the user's photos take as much as they may */

    /* Comments, recommendations, votes. */
    STATUS_COMMENT_NOT_FOUND,
    STATUS_VOTE_NOT_FOUND,
    STATUS_ALREADY_VOTED, /* for another choice */
    STATUS_VOTE_CLOSED,
    STATUS_ADVERTISEMENT_NOT_FOUND, /* or it does not run today */
    STATUS_OWN_PIECE,               /* which its owner does not recommend */

    /* The service itself. */
    STATUS_NOT_FOUND,   /* any other thing (administrator's tool only, as the next) */
    STATUS_CONFLICT,    /* it exists already */
    STATUS_UNAVAILABLE, /* the database is away or too busy: try again later */
    STATUS_INTERNAL,    /* a fault of ours: its cause is in the log */
    STATUS_COUNT
};

/* What a client hears of a status. */
struct outcome {
    const char *text; /* the `info`, upper case, without the parameter's name */
    bool names_parameter;
    int http_status;    /* RFC 9110, section 15 */
    const char *reason; /* of the HTTP status */
    int retry_after;    /* seconds; 0: no such header */
    bool inside;        /* no client hears of it */
    bool absent;        /* there is no such thing, or not for whoever asks */
};

/** Never NULL. */
const struct outcome *status_outcome(enum status status) __attribute__((returns_nonnull));

/** Its text alone. */
const char *status_text(enum status status);

#endif
