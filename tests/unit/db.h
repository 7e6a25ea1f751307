/*
 * What the tests have that need a database: MAPDIARY_TEST_DATABASE, as the owner of an empty one.
 */
#ifndef MAPDIARY_TESTS_DB_H
#define MAPDIARY_TESTS_DB_H

#include "db/batch.h"

/* Of the test that runs. The batch is empty, and its request has just begun. */
extern struct db *db;
extern struct arena *arena;
extern struct db_batch *batch;
extern struct db_counters db_counters;

/**
 * Makes the tables anew and connects with these statements, ended by DB_STATEMENTS_END. Always 0.
 *
 * The tables are thing (id, number), and later, whose unique key is only checked at the commit.
 * run(failures, how) counts its calls and fails that often: with the SQLSTATE how, or with the
 * connection where that is 'die'.
 */
int test_db_begin(const struct db_statement *statements);
/** The teardown of a test. */
int test_db_end(void **state);

/** Connects anew, with so many milliseconds for a request. */
void test_db_set_timeout(int64_t timeout);
/** Runs SQL on a connection of its own, as another client would; it must succeed. */
void test_db_script(const char *sql);
/** Ends the connection as a server that is restarted does. */
void test_db_kill(const struct db *victim);
/** Runs the batch without its complaints. */
enum status test_db_run_quietly(void);

/** How often run() was called since it was last forgotten. */
int64_t test_db_runs(void);
void test_db_forget_runs(void);
/** How many things there are. */
int64_t test_db_things(void);
/** The same as another client sees it. */
int64_t test_db_things_of_others(void);

#endif
