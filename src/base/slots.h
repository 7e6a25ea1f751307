/*
 * Slots that several processes share, so that only so many of them do something at a time. A slot
 * is a record lock (fcntl(2)) on a byte of a file that has no name: the kernel gives it back when
 * the process ends that has it, however it ends.
 */
#ifndef MAPDIARY_BASE_SLOTS_H
#define MAPDIARY_BASE_SLOTS_H

#include <stdbool.h>

/** The descriptor that processes share who are forked after this. A process must not close it while
 * it has a slot. -1, logged, where the system gives none. */
int slots_open(void);

/** Takes one of count slots, of which the first has that number. The number of the slot, or -1
 * where all are taken. */
int slots_take(int descriptor, int first, int count);

/** Takes a slot, and waits until it is free. */
void slots_enter(int descriptor, int slot);

/** True where another process has that slot. */
bool slots_is_taken(int descriptor, int slot);

void slots_leave(int descriptor, int slot);

/** All that this process has. */
void slots_leave_all(int descriptor);

#endif
