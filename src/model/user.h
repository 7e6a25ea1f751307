/*
 * User accounts.
 */
#ifndef MAPDIARY_MODEL_USER_H
#define MAPDIARY_MODEL_USER_H

/* At least one character. */
enum { PASSWORD_MOST = 1024 };

struct user_fields {
    const char *email; /* compared without regard to case */
    const char *name;
    const char *icon; /* may be empty */
    const char *password_hash;
};

#endif
