/*
 * Bringing the schema up to date.
 */
#ifndef MAPDIARY_CTL_MIGRATE_H
#define MAPDIARY_CTL_MIGRATE_H

#include "cli/command.h"
#include "store/migration.h"

/** Adds (name, state, moment) to the list that is open; known may be NULL. */
void migrate_show(struct output *out, const char *name, const char *state,
                  const struct migration *known);

/** Applies what is pending on the connection of the owner's role, or only shows what is; either way
 * into the list that is open. The reason of a failure is logged. */
enum status migrate_run(const struct config *config, const char *conninfo, bool only_status,
                        struct output *out) MUST_CHECK;

#endif
