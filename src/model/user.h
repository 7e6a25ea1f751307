/*
 * User accounts.
 */
#ifndef MAPDIARY_MODEL_USER_H
#define MAPDIARY_MODEL_USER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/crypto.h"

/* At least one character. */
enum { PASSWORD_MOST = 1024 };

struct user_fields {
    const char *email; /* compared without regard to case */
    const char *name;
    const char *icon; /* may be empty */
    const char *password_hash;
};

/* As random bytes, of its address. */
enum { ICON_NAME_SIZE = 16 };

/* An icon that was uploaded. */
struct user_icon {
    unsigned char name[ICON_NAME_SIZE];
    unsigned char digest[CRYPTO_DIGEST_SIZE]; /* of its file */
    int64_t format;                           /* enum picture_format */
};

/* What users change of themselves. */
struct user_change {
    const char *name; /* NULL: unchanged */
    bool changes_icon;
    const struct user_icon *icon; /* NULL: none from then on */
};

#endif
