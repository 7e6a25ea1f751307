/*
 * What every fuzzer starts from. Each is one function that takes any bytes and ends the process
 * where something does not hold. Linked with libFuzzer (./configure --enable-fuzzing CC=clang) it
 * looks for such bytes; else with replay.c, which gives it its seeds.
 */
#ifndef MAPDIARY_TESTS_FUZZ_H
#define MAPDIARY_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/** https://llvm.org/docs/LibFuzzer.html#fuzz-target */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* As assert(3), but always there. */
#define REQUIRE(condition) ((condition) ? (void)0 : fuzz_fail(__FILE__, __LINE__, #condition))

static inline void fuzz_fail(const char *file, int line, const char *condition)
{
    fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, condition);
    abort();
}

#endif
