/* What is read of a picture's file beside its pixels. Where and when it was taken: of any bytes,
 * what a camera can have meant. Its container: what is made fit for the library stays so. */
#include "decoder/container.h"

#include <math.h>
#include <string.h>

#include "decoder/note.h"
#include "decoder/whole.h"
#include "fuzz.h"

static void require_place(const struct camera_note *note)
{
    REQUIRE(fabs(note->lat) <= 90 && fabs(note->lng) <= 180);
    REQUIRE(note->lat != 0 || note->lng != 0);
    REQUIRE(!(note->lat == 0 && signbit(note->lat)) && !(note->lng == 0 && signbit(note->lng)));
}

static void require_time(const struct camera_note *note)
{
    REQUIRE(memchr(note->time, '\0', sizeof note->time) == note->time + sizeof note->time - 1);
    REQUIRE(strspn(note->time, "0123456789-: ") == sizeof note->time - 1);
}

static void require_note(const struct camera_note *note)
{
    if (note->has_place)
        require_place(note);
    if (note->has_time)
        require_time(note);
    REQUIRE(!note->has_offset || abs(note->offset) <= 14 * 3600);
}

/* In memory of its exact size, so that writing beyond the end is seen. */
static unsigned char *copy_of(const uint8_t *data, size_t size)
{
    unsigned char *copy = malloc(size > 0 ? size : 1);
    REQUIRE(copy != NULL);
    if (size > 0)
        memcpy(copy, data, size);
    return copy;
}

static void adapt(const uint8_t *data, size_t size)
{
    unsigned char *once = copy_of(data, size);
    size_t left = container_adapt(once, size);
    REQUIRE(left <= size);
    unsigned char *twice = copy_of(once, left);
    REQUIRE(container_adapt(twice, left) == left);
    REQUIRE(left == 0 || memcmp(once, twice, left) == 0);
    free(once);
    free(twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct camera_note note = note_read(data, size);
    size_t scans;
    require_note(&note);
    (void)whole_is(data, size, &scans);
    REQUIRE(scans <= size);
    adapt(data, size);
    return 0;
}
