#ifndef MAPDIARY_MODEL_ACCOUNT_H
#define MAPDIARY_MODEL_ACCOUNT_H

#include <stdint.h>

#include "base/date.h"

/* What others see of a user. */
struct account {
    int64_t user_id;
    const char *name;
    const char *icon;
    struct date joined;
    int64_t blog_count;
    int64_t album_count;
    int64_t score; /* of all that the reader may see */
};

/* What a user sees of himself. */
struct own_account {
    int64_t user_id;
    const char *email;
    const char *name;
    const char *icon;
    int64_t reward;
    int64_t photo_bytes;
    int64_t photo_quota;
};

/* Against what a password is held. */
struct account_proof {
    int64_t user_id; /* 0: a registration, which is no account yet */
    const char *email;
    const char *password_hash;
    const char *language; /* of mails; NULL: the configured one */
};

#endif
