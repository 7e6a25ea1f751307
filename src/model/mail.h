/*
 * A mail to somebody.
 */
#ifndef MAPDIARY_MODEL_MAIL_H
#define MAPDIARY_MODEL_MAIL_H

/* What it says. The lines of its body end with LF alone. */
struct mail_text {
    const char *subject;
    const char *body;
};

#endif
