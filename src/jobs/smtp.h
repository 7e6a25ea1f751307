/*
 * Hands one mail in at the mail server (RFC 5321), or asks whether the server would take one.
 */
#ifndef MAPDIARY_JOBS_SMTP_H
#define MAPDIARY_JOBS_SMTP_H

#include <stdbool.h>

#include "base/buffer.h"
#include "base/config.h"

struct smtp_account {
    const char *user; /* NULL: it takes none */
    const char *password;
};

enum smtp_outcome {
    SMTP_SENT,
    SMTP_LATER, /* not now: 4xx for this mail, or cut in its middle */
    SMTP_NEVER, /* 5xx for this mail, or for its recipient */
    SMTP_AWAY   /* nothing that has to do with this mail: no server, no TLS, no login */
};

enum { SMTP_REPLY_SIZE = 500 };

/** Before and after all else, in a process. False, logged, where libcurl cannot. */
bool smtp_open(void);
void smtp_close(void);

/**
 * The reply is a line of text: what the server said last, or why it said nothing. Waits minutes at
 * most, during which alive() is called about each second.
 */
enum smtp_outcome smtp_send(const struct config *config, const struct smtp_account *account,
                            const char *to, const struct buffer *message, void (*alive)(void),
                            char reply[static SMTP_REPLY_SIZE]);

/** As smtp_send(), without a mail: SMTP_SENT if the server lets mapdiary in. Waits seconds. */
enum smtp_outcome smtp_try(const struct config *config, const struct smtp_account *account,
                           void (*alive)(void), char reply[static SMTP_REPLY_SIZE]);

#endif
