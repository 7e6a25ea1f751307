/*
 * What every unit test starts from: cmocka, and assertions that say for which row of a table they
 * failed.
 */
#ifndef MAPDIARY_TESTS_UNIT_H
#define MAPDIARY_TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"

#define COUNT(table) (sizeof(table) / sizeof *(table))

/* The end of main(): a cmocka test for each function named. */
#define RUN_TESTS(tests) cmocka_run_group_tests((tests), NULL, NULL)

/* The input is what a failure is reported with; texts may be NULL. */
#define expect_integer(input, got, want) \
    unit_expect_integer(__FILE__, __LINE__, (input), (long long)(got), (long long)(want))
#define expect_text(input, got, want) unit_expect_text(__FILE__, __LINE__, (input), (got), (want))

void unit_expect_integer(const char *file, int line, const char *input, long long got,
                         long long want);
void unit_expect_text(const char *file, int line, const char *input, const char *got,
                      const char *want);

/* An arena for whatever lives as long as a test, with its setup and teardown. */
extern struct arena *unit_arena;
int unit_arena_begin(void **state);
int unit_arena_end(void **state);

/** Catches what is written to standard error, the log, until unit_log_end(). No assertion between
 * the two. */
void unit_log_begin(void);
/** What was written; the caller frees it. */
char *unit_log_end(void);

enum { UNIT_SKIPPED = 77 }; /* exit status, as automake has it */
/** True where MAPDIARY_TEST_DATABASE is set; else says that the program is skipped. */
bool unit_has_database(void);

#endif
