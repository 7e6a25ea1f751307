#ifndef MAPDIARY_TESTS_FIND_STATEMENT_H
#define MAPDIARY_TESTS_FIND_STATEMENT_H

#include "db/statement.h"

/** The service's statement of that name; NULL where it has none. */
const struct db_statement *find_statement(const char *name);

#endif
