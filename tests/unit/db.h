/*
 * Connections for the tests that need a database: to MAPDIARY_TEST_DATABASE, as the owner of an
 * empty database.
 */
#ifndef MAPDIARY_TESTS_DB_H
#define MAPDIARY_TESTS_DB_H

#include "db/batch.h"

/** A connection with these statements, ended by DB_STATEMENTS_END; connected. One at a time. */
struct db *test_db_open(const struct db_statement *statements, int64_t timeout);
/** Runs SQL on a connection of its own, as another client would, and must succeed. */
void test_db_script(const char *sql);
/** Runs a batch of this statement alone; the first column of its only row. */
int64_t test_db_integer(struct db *db, const struct db_statement *statement);
/** What was counted on the connections of test_db_open() so far. */
extern struct db_counters test_db_counters;

#endif
