/*
 * Places that several processes share, so that only so many of them do something at a time. A place
 * is a record lock (fcntl(2)) on a byte of a file that has no name: the kernel gives it back when
 * the process ends that has it, however it ends.
 */
#ifndef MAPDIARY_BASE_PLACES_H
#define MAPDIARY_BASE_PLACES_H

#include <stdbool.h>

/** The descriptor that processes share who are forked after this. A process must not close it while
 * it has a place. -1, logged, where the system gives none. */
int places_open(void);

/** Takes one of count places, of which the first has that number. The number of the place, or -1
 * where all are taken. */
int places_take(int descriptor, int first, int count);

/** Takes a place, and waits until it is free. */
void places_enter(int descriptor, int place);

/** True where another process has that place. */
bool places_is_taken(int descriptor, int place);

void places_leave(int descriptor, int place);

/** All that this process has. */
void places_leave_all(int descriptor);

#endif
