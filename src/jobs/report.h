/*
 * A report for the operator, by mail.
 */
#ifndef MAPDIARY_JOBS_REPORT_H
#define MAPDIARY_JOBS_REPORT_H

#include "base/config.h"

/**
 * Hands standard input in at the mail server at once, as a mail to doctor_mail, without the
 * database. Fields that tabs part become lines. Without doctor_mail the text goes to the log. The
 * answer is an exit status: EX_TEMPFAIL if the mail server has not taken the mail, and EX_NOINPUT
 * if nothing was to be read.
 */
int report_send(const struct config *config);

#endif
