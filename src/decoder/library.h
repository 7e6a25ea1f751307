/*
 * libvips, as strangers may use it: the loaders and savers of a list, and no other.
 */
#ifndef MAPDIARY_DECODER_LIBRARY_H
#define MAPDIARY_DECODER_LIBRARY_H

#include <stdbool.h>

/** Starts it; false, with the reason logged, where that failed. It starts no thread, so that
 * processes can be forked which decode: one that has decoded itself cannot do that. */
bool library_open(const char *program);

/** True for the name of a class of loaders that is in the list. */
bool library_may_load(const char *loader);

#endif
