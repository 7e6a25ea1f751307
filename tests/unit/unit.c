#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SHOWN_SIZE = 320 };

/* Bytes that are not printable ASCII as \xNN, so that a failure shows what differs. */
static const char *shown(const char *text, char out[static SHOWN_SIZE])
{
    size_t used = 0;
    if (text == NULL)
        return "NULL";
    for (; *text != '\0' && used < SHOWN_SIZE - 8; text++) {
        unsigned char byte = (unsigned char)*text;
        bool plain = byte >= 0x20 && byte < 0x7f;
        used += (size_t)snprintf(out + used, SHOWN_SIZE - used, plain ? "%c" : "\\x%02x", byte);
    }
    snprintf(out + used, SHOWN_SIZE - used, "%s", *text != '\0' ? "..." : "");
    return out;
}

void unit_expect_integer(const char *file, int line, const char *input, long long got,
                         long long want)
{
    char input_shown[SHOWN_SIZE];
    if (got == want)
        return;
    print_error("%s: got %lld, want %lld\n", shown(input, input_shown), got, want);
    _fail(file, line);
}

void unit_expect_text(const char *file, int line, const char *input, const char *got,
                      const char *want)
{
    char input_shown[SHOWN_SIZE], got_shown[SHOWN_SIZE], want_shown[SHOWN_SIZE];
    if (got == want || (got != NULL && want != NULL && strcmp(got, want) == 0))
        return;
    print_error("%s: got \"%s\", want \"%s\"\n", shown(input, input_shown), shown(got, got_shown),
                shown(want, want_shown));
    _fail(file, line);
}

struct arena *unit_arena;

int unit_arena_begin(void **state)
{
    (void)state;
    unit_arena = arena_new();
    return 0;
}

int unit_arena_end(void **state)
{
    (void)state;
    arena_free(&unit_arena);
    return 0;
}

static int standard_error = -1;
static int caught = -1;

void unit_log_begin(void)
{
    fflush(stderr);
    caught = memfd_create("log", MFD_CLOEXEC);
    standard_error = dup(STDERR_FILENO);
    assert_true(caught >= 0 && standard_error >= 0);
    dup2(caught, STDERR_FILENO);
}

char *unit_log_end(void)
{
    fflush(stderr);
    dup2(standard_error, STDERR_FILENO);
    close(standard_error);
    size_t length = (size_t)lseek(caught, 0, SEEK_END);
    char *text = calloc(1, length + 1);
    assert_non_null(text);
    assert_int_equal(pread(caught, text, length, 0), length);
    close(caught);
    return text;
}

bool unit_has_database(void)
{
    if (getenv("MAPDIARY_TEST_DATABASE") != NULL)
        return true;
    puts("1..0 # SKIP no database: tests/unit/database brings one");
    return false;
}
