/*
 * The tables of the stores, for the registry alone.
 */
#ifndef MAPDIARY_STORE_STATEMENTS_H
#define MAPDIARY_STORE_STATEMENTS_H

#include "db/statement.h"

extern const struct db_statement album_statements[];
extern const struct db_statement poi_statements[];
extern const struct db_statement blog_statements[];
extern const struct db_statement comment_statements[];
extern const struct db_statement user_statements[];
extern const struct db_statement session_statements[];
extern const struct db_statement throttle_statements[];
extern const struct db_statement key_statements[];
extern const struct db_statement claim_statements[];

#endif
