/*
 * With whose name mails are handed in: the key "mail_credentials", or what systemd hands over.
 */
#ifndef MAPDIARY_JOBS_ACCOUNT_H
#define MAPDIARY_JOBS_ACCOUNT_H

#include <stdbool.h>

#include "base/config.h"
#include "jobs/smtp.h"

struct account_file {
    char text[1024]; /* two lines, cut */
    struct smtp_account account;
};

/** Reads it; without a file the account is none. False, logged, where a file cannot be read or has
 * not two lines. */
bool account_read(const struct config *config, struct account_file *file);

/** Forgets the password. */
void account_forget(struct account_file *file);

#endif
