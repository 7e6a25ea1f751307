/*
 * The texts of mails: a folder has one for each language, named as BCP 47 has it, and in that a
 * file for each occasion, which an operator may change. A file is "Subject: ...", an empty line,
 * and the text, where {site} stands for what is put there, and {link} and {token}, or of a decision
 * {thing}, {address}, {reason}, {rule} and {contact}. The owner of a thing reads his own words in
 * place of {title}. Nothing that a stranger has typed goes into a mail; an operator's reason does.
 */
#ifndef MAPDIARY_MAIL_TEXTS_H
#define MAPDIARY_MAIL_TEXTS_H

#include <stdbool.h>

#include "base/arena.h"
#include "model/mail.h"

enum mail_occasion {
    MAIL_CONFIRM_ACCOUNT, /* somebody registers with this address */
    MAIL_ACCOUNT_EXISTS,  /* the same, or another account wants it, and it has one */
    MAIL_CONFIRM_ADDRESS, /* an account is to have this address */
    MAIL_ADDRESS_CHANGES, /* to the address that it has until then */
    MAIL_RESET_PASSWORD,
    MAIL_PASSWORD_CHANGED, /* somebody has set another password */
    MAIL_HIDDEN,           /* to its owner: something is hidden */
    MAIL_UNHIDDEN,
    MAIL_BLOCKED, /* the user is */
    MAIL_UNBLOCKED,
    MAIL_REPORT_UPHELD, /* to who reported something */
    MAIL_REPORT_DISMISSED,
    MAIL_OCCASIONS
};

struct mail_texts;

/** NULL, logged, where the folder has no language, or any of its files is missing or wrong. */
struct mail_texts *mail_texts_read(const char *directory);
/** A NULL inside is fine. */
void mail_texts_free(struct mail_texts **texts);

/** The languages, in the order of their names, ended by NULL. */
const char *const *mail_texts_languages(const struct mail_texts *texts);

bool mail_texts_have(const struct mail_texts *texts, const char *language);

/* What is put into it; what its occasion has no place for may be NULL. */
struct mail_values {
    const char *site;
    const char *link;
    const char *token;
    const char *title;   /* of the thing, to its owner alone */
    const char *thing;   /* "album:7" */
    const char *address; /* where it is */
    const char *reason;
    const char *rule;
    const char *contact; /* who answers */
};

/** The mail in the first of these languages that there is, NULL being none, else in the first of
 * all; in the arena. */
struct mail_text mail_texts_fill(const struct mail_texts *texts, enum mail_occasion occasion,
                                 const char *const languages[static 2],
                                 const struct mail_values *values, struct arena *arena);

#endif
