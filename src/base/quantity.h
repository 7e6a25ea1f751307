/*
 * Numbers with a unit, as people write them: "30 s", "2GiB".
 */
#ifndef MAPDIARY_BASE_QUANTITY_H
#define MAPDIARY_BASE_QUANTITY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"

/* From the smallest to the largest; ended by a row without a name. */
struct quantity_unit {
    const char *name;
    int64_t factor;
};

/** ms, s, m, h, d; in milliseconds. */
extern const struct quantity_unit quantity_durations[];
/** B, KiB, MiB, GiB, TiB; in bytes. */
extern const struct quantity_unit quantity_sizes[];

/** False where the text is none of these. */
bool quantity_read(const struct quantity_unit *unit, const char *text, int64_t *value);

/** Writes it in the largest unit of which it is a whole number. */
void quantity_print(const struct quantity_unit *units, int64_t value, struct buffer *out);

#endif
