/*
 * Who may hash a password now. It takes a processor for a tenth of a second and much memory, on
 * purpose, so at most a quarter of the workers do it at a time, and at most half of the processors;
 * others may wait in line for their turn, up to half of the workers in all. Whoever comes then is
 * asked to come back. So a flood of logins leaves half of the workers to those who read.
 */
#ifndef MAPDIARY_AUTH_HASHING_H
#define MAPDIARY_AUTH_HASHING_H

#include <stdint.h>

#include "base/status.h"

struct hashing {
    int places;      /* of base/places.h, shared by all workers */
    int64_t workers; /* how many there are */
};

/** Waits for one's turn, up to two seconds. STATUS_UNAVAILABLE, at once, where as many wait as may,
 * or when these are over. After STATUS_OK the caller ends with hashing_leave(). */
enum status hashing_enter(const struct hashing *hashing) MUST_CHECK;
void hashing_leave(const struct hashing *hashing);

#endif
