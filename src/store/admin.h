/*
 * Every statement that mapdiaryctl sends: those of the service, and those for an administrator,
 * which no worker of the service has any use for.
 */
#ifndef MAPDIARY_STORE_ADMIN_H
#define MAPDIARY_STORE_ADMIN_H

#include "db/statement.h"

/** Tables of statements, ended by NULL. */
extern const struct db_statement *const admin_registry[];

extern const struct db_statement account_statements[];
extern const struct db_statement application_statements[];
extern const struct db_statement login_statements[];
extern const struct db_statement export_statements[];
extern const struct db_statement export_file_statements[];
extern const struct db_statement overview_statements[];
extern const struct db_statement photo_statements[];
extern const struct db_statement poi_edit_statements[];
extern const struct db_statement poll_statements[];
extern const struct db_statement remark_statements[];
extern const struct db_statement score_statements[];
extern const struct db_statement statistics_statements[];

#endif
