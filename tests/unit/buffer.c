#include "base/buffer.h"

#include <string.h>

#include "unit.h"

static void adds(void **state)
{
    struct buffer buffer = {0};
    (void)state;
    buffer_add(&buffer, "a\0b", 3);
    buffer_add(&buffer, NULL, 0);
    buffer_add_text(&buffer, "登山");
    buffer_add_text(&buffer, "");
    buffer_add_format(&buffer, "%d%%", 7);
    buffer_add_format(&buffer, "%s", "");
    static const char want[] = "a\0b登山7%";
    assert_int_equal(buffer.length, sizeof want - 1);
    assert_memory_equal(buffer.data, want, sizeof want - 1);
    buffer_free(&buffer);
}

/* Every length up to well beyond the first doublings, in both ways of adding. */
static void grows(void **state)
{
    struct buffer buffer = {0};
    size_t want = 0;
    char piece[200];
    (void)state;
    memset(piece, 'p', sizeof piece);
    for (size_t length = 0; length < sizeof piece; length++) {
        buffer_add(&buffer, piece, length);
        buffer_add_format(&buffer, "%.*s", (int)length, piece);
        want += 2 * length;
        assert_int_equal(buffer.length, want);
        assert_true(buffer.capacity >= buffer.length);
    }
    for (size_t i = 0; i < buffer.length; i++)
        assert_int_equal(buffer.data[i], 'p');
    buffer_free(&buffer);
}

static void makes_room(void **state)
{
    struct buffer buffer = {0};
    (void)state;
    buffer_add_text(&buffer, "ab");
    memset(buffer_room(&buffer, 5000), 'x', 5000);
    assert_int_equal(buffer.length, 2);
    assert_true(buffer.capacity >= 5002);
    memcpy(buffer_room(&buffer, 1), "c", 1);
    buffer.length++;
    assert_memory_equal(buffer.data, "abc", 3);
    buffer_free(&buffer);
}

static void a_reset_keeps_a_little(void **state)
{
    struct buffer buffer = {0};
    (void)state;
    buffer_add_text(&buffer, "little");
    size_t capacity = buffer.capacity;
    buffer_reset(&buffer, capacity);
    assert_int_equal(buffer.length, 0);
    assert_int_equal(buffer.capacity, capacity);
    buffer_reset(&buffer, capacity - 1);
    assert_int_equal(buffer.capacity, 0);
    assert_null(buffer.data);
}

static void freeing_twice(void **state)
{
    struct buffer buffer = {0};
    (void)state;
    buffer_free(&buffer);
    buffer_add_text(&buffer, "again");
    buffer_free(&buffer);
    assert_null(buffer.data);
    buffer_free(&buffer);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(adds),          cmocka_unit_test(grows),
        cmocka_unit_test(makes_room),    cmocka_unit_test(a_reset_keeps_a_little),
        cmocka_unit_test(freeing_twice),
    };
    return RUN_TESTS(tests);
}
