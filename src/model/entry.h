/*
 * A piece in a list: by its name.
 */
#ifndef MAPDIARY_MODEL_ENTRY_H
#define MAPDIARY_MODEL_ENTRY_H

#include <stdint.h>

struct entry {
    int64_t id;
    const char *title;
};

#endif
