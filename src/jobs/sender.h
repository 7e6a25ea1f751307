/*
 * Sends what is in the outbox: one mail after the other, woken when one is written. Several senders
 * share the work.
 */
#ifndef MAPDIARY_JOBS_SENDER_H
#define MAPDIARY_JOBS_SENDER_H

#include "base/config.h"

/** Reads a configuration and what belongs to it, and checks what is of mails. STATUS_INTERNAL,
 * logged, where something is wrong. */
enum status sender_read_config(struct config *config, const char *path) MUST_CHECK;

/** Runs until SIGTERM or SIGINT, which let it end the mail that it is at; SIGHUP has it read the
 * configuration anew. Answers the exit status. */
int sender_run(struct config *config, const char *path);

#endif
