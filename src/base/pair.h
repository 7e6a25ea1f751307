/*
 * A name and its value.
 */
#ifndef MAPDIARY_BASE_PAIR_H
#define MAPDIARY_BASE_PAIR_H

struct pair {
    const char *name;
    const char *value;
};

#endif
