#include "base/arena.h"

#include <stdalign.h>
#include <string.h>

#include "unit.h"

static struct arena *arena;

static int make(void **state)
{
    (void)state;
    arena = arena_new();
    return 0;
}

static int drop(void **state)
{
    (void)state;
    arena_free(&arena);
    return arena == NULL ? 0 : -1;
}

static bool is_zero(const unsigned char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (bytes[i] != 0)
            return false;
    return true;
}

/* Fills all that it gets, so that overlapping pieces, and those not cleared, show. */
static void takes_pieces_of_any_size(void)
{
    static const size_t sizes[] = {0, 1, 15, 16, 17, 1000, 16383, 16384, 16385, 100000, 1, 7};
    unsigned char *pieces[COUNT(sizes)];
    for (size_t i = 0; i < COUNT(sizes); i++) {
        pieces[i] = arena_take(arena, sizes[i]);
        assert_int_equal((uintptr_t)pieces[i] % alignof(max_align_t), 0);
        assert_true(is_zero(pieces[i], sizes[i]));
        memset(pieces[i], (int)i + 1, sizes[i]);
    }
    for (size_t i = 0; i < COUNT(sizes); i++)
        for (size_t k = 0; k < sizes[i]; k++)
            assert_int_equal(pieces[i][k], i + 1);
}

static void pieces_are_aligned_zeroed_and_apart(void **state)
{
    (void)state;
    takes_pieces_of_any_size();
}

static void after_a_reset_all_is_as_new(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        takes_pieces_of_any_size();
        arena_reset(arena);
    }
}

/* The block that is kept: what was taken last before the reset lies where the next begins. */
static void a_reset_gives_the_memory_out_again(void **state)
{
    (void)state;
    void *first = arena_take(arena, 100);
    arena_take(arena, 100000);
    arena_reset(arena);
    assert_ptr_equal(arena_take(arena, 100), first);
}

static void many_small_pieces(void **state)
{
    int *numbers[10000];
    (void)state;
    for (int i = 0; i < 10000; i++) {
        numbers[i] = arena_take(arena, sizeof *numbers[i]);
        *numbers[i] = i;
    }
    for (int i = 0; i < 10000; i++)
        assert_int_equal(*numbers[i], i);
}

static void arrays(void **state)
{
    (void)state;
    uint64_t *numbers = arena_take_array(arena, 3000, sizeof *numbers);
    assert_true(is_zero((unsigned char *)numbers, 3000 * sizeof *numbers));
    memset(numbers, 1, 3000 * sizeof *numbers);
    assert_non_null(arena_take_array(arena, 0, 8));
    assert_non_null(arena_take_array(arena, 8, 0));
}

static void copies(void **state)
{
    (void)state;
    char bytes[] = "one\0two";
    char *copy = arena_copy(arena, bytes, sizeof bytes - 1);
    bytes[0] = '!';
    assert_memory_equal(copy, "one\0two", sizeof bytes);
    assert_string_equal(arena_copy(arena, "cut here", 3), "cut");
    assert_string_equal(arena_copy(arena, NULL, 0), "");
}

static void formats(void **state)
{
    char wide[20001];
    (void)state;
    memset(wide, 'x', sizeof wide - 1);
    wide[sizeof wide - 1] = '\0';
    assert_string_equal(arena_format(arena, "%d %s", 7, "日"), "7 日");
    assert_string_equal(arena_format(arena, "%s", ""), "");
    assert_string_equal(arena_format(arena, "%s", wide), wide);
}

static void freeing_nothing(void **state)
{
    struct arena *none = NULL;
    (void)state;
    arena_free(&none);
    assert_null(none);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(pieces_are_aligned_zeroed_and_apart, make, drop),
        cmocka_unit_test_setup_teardown(after_a_reset_all_is_as_new, make, drop),
        cmocka_unit_test_setup_teardown(a_reset_gives_the_memory_out_again, make, drop),
        cmocka_unit_test_setup_teardown(many_small_pieces, make, drop),
        cmocka_unit_test_setup_teardown(arrays, make, drop),
        cmocka_unit_test_setup_teardown(copies, make, drop),
        cmocka_unit_test_setup_teardown(formats, make, drop),
        cmocka_unit_test(freeing_nothing),
    };
    return RUN_TESTS(tests);
}
