#include "base/box.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "unit.h"

/* Reading -------------------------------------------------------------------------------------- */

static void boxes_are_four_decimals(void **state)
{
    static const struct {
        const char *text;
        bool fits;
    } rows[] = {
        {"119.3 21.8 122.1 25.4", true},
        {"-180 -90 180 90", true},
        {"170 -50 -170 -30", true},
        {"1  2  3  4", true},
        {"", false},
        {"1 2 3", false},
        {"1 2 3 4 5", false},
        {"1 2 3 four", false},
        {"1 4 3 2", false},
        {"1 2 1 4", false},
        {"1 2 3 2", false},
        {"181 2 3 4", false},
        {"1 -91 3 4", false},
        {"1,2,3,4", false},
        {" 1 2 3 4", false},
        {"1e1 2 3 4", false},
        {"nan 2 3 4", false},
        {"1.000000000000000000000000000000000000000000000000 2 3 4", false},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct box box;
        expect_integer(rows[i].text, box_read(rows[i].text, &box), rows[i].fits);
    }
    struct box box;
    assert_true(box_read("170 -50.5 -170 -30", &box));
    assert_true(box.west == 170 && box.south == -50.5 && box.east == -170 && box.north == -30);
}

/* Most ----------------------------------------------------------------------------------------- */

/* So many degrees east of a meridian. */
static double east_of(double meridian, double lng)
{
    double degrees = lng - meridian;
    return degrees < 0 ? degrees + 360 : degrees >= 360 ? degrees - 360 : degrees;
}

static double wide(const struct box *box)
{
    return east_of(box->west, box->east);
}

static bool is_within(const struct box *box, const struct spot *spot)
{
    double east = east_of(box->west, spot->lng);
    return spot->lat >= box->south && spot->lat <= box->north &&
           (east <= wide(box) || east > 360 - 1e-9);
}

static size_t count_within(const struct box *box, const struct spot *spots, size_t count)
{
    size_t within = 0;
    for (size_t i = 0; i < count; i++)
        within += is_within(box, &spots[i]);
    return within;
}

/* The most of all boxes that begin at the meridian of one place and at the parallel of another. */
static size_t most_of_all(const struct spot *spots, size_t count)
{
    size_t most = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++) {
            const struct box box = {spots[i].lng, spots[j].lat, spots[i].lng + BOX_SIDE_MOST,
                                    spots[j].lat + BOX_SIDE_MOST};
            size_t within = count_within(&box, spots, count);
            most = within > most ? within : most;
        }
    return most;
}

static int compare(const void *one, const void *other)
{
    const struct spot *left = one, *right = other;
    return (left->lat > right->lat) - (left->lat < right->lat);
}

/* Numbers of quarters of a degree, so that sums are exact. */
static double quarter(double least, double most)
{
    return least + 0.25 * (rand() % (int)((most - least) * 4 + 1));
}

static void a_box_holds_the_most(void **state)
{
    (void)state;
    srand(26);
    for (int round = 0; round < 300; round++) {
        struct spot spots[60];
        size_t count = 1 + (size_t)rand() % COUNT(spots);
        double reach = round % 2 == 0 ? 180 : 20;
        for (size_t i = 0; i < count; i++) {
            double lng = 180 + quarter(-reach, reach);
            spots[i] = (struct spot){quarter(-90, 90) * (round % 3 == 0 ? 0.125 : 1),
                                     lng > 180 ? lng - 360 : lng};
        }
        qsort(spots, count, sizeof *spots, compare);
        struct box box = box_of_most(spots, count);
        char input[40];
        snprintf(input, sizeof input, "round %d", round);
        expect_integer(input, count_within(&box, spots, count), most_of_all(spots, count));
        double high = box.north - box.south;
        expect_integer(input, wide(&box) >= 0.0999 && wide(&box) <= BOX_SIDE_MOST + 1e-9, true);
        expect_integer(input, high >= 0.0499 && high <= BOX_SIDE_MOST, true);
        expect_integer(input, fabs(box.west) <= 180 && fabs(box.east) <= 180, true);
        expect_integer(input, box.south >= -90 && box.north <= 90, true);
    }
}

static void few_places(void **state)
{
    static const struct spot one = {25, 121}, pole = {90, 180};
    (void)state;
    struct box box = box_of_most(NULL, 0);
    assert_memory_equal(&box, &box_world, sizeof box);
    box = box_of_most(&one, 1);
    assert_true(fabs(box.west - 120.95) < 1e-9 && fabs(box.north - 25.05) < 1e-9);
    box = box_of_most(&pole, 1);
    assert_true(box.north <= 90 && fabs(box.west - 179.95) < 1e-9 &&
                fabs(box.east + 179.95) < 1e-9);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_are_four_decimals),
        cmocka_unit_test(a_box_holds_the_most),
        cmocka_unit_test(few_places),
    };
    return RUN_TESTS(tests);
}
