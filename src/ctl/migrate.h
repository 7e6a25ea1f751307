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

/** Applies the pending migrations on the connection of the owner's role, or only shows them. Each
 * is a row of the list that is open. The reason of a failure is logged. */
enum status migrate_run(const struct config *config, const char *conninfo, bool only_status,
                        struct output *out) MUST_CHECK;

/** The owner of the schema, in the arena, if it is another role than that of admin_database. A
 * restore with --no-owner leaves such a schema: neither the service nor a migration can use it.
 * Any connection to the database will do. NULL if the schema belongs to that role, or if nobody
 * knows. */
const char *migrate_find_stranger(const struct config *config, const char *conninfo,
                                  struct arena *arena);
#define MIGRATE_RESTORE_AGAIN                                                                    \
    "restore the dump once more, without --no-owner and --no-acl: sudo -u postgres psql "        \
    "--dbname=mapdiary --command='DROP SCHEMA IF EXISTS mapdiary, mapdiary_closed CASCADE' and " \
    "then sudo -u postgres pg_restore --dbname=mapdiary DUMP"

#endif
