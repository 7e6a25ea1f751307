/*
 * A mail as it goes to a mail server: RFC 5322, with its subject by RFC 2047 and its text by RFC
 * 2045. Whatever it is given, its header has the lines that are written here and no others.
 */
#ifndef MAPDIARY_MAIL_MESSAGE_H
#define MAPDIARY_MAIL_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "model/mail.h"

struct message {
    const char *from_name; /* the display name of the sender: a line of text; none if empty */
    const char *from;      /* the sender and the recipient: text_is_email() */
    const char *to;
    const char *id; /* letters, digits and hyphens */
    int64_t date;   /* seconds since the epoch */
    struct mail_text text;
};

/** False, and nothing written, where one of the addresses is none that a mail can have. */
bool message_write(const struct message *message, struct buffer *out);

#endif
