/*
 * Turns: how many workers handle requests with files at a time, which take long: a quarter of them,
 * and one at the least. A permit is a lock (F_OFD_SETLK, fcntl(2)) of its descriptor, so it can go
 * to another process with that, and the kernel gives it back when whoever has it ends, however that
 * is.
 */
#ifndef MAPDIARY_SERVE_TURNS_H
#define MAPDIARY_SERVE_TURNS_H

#include <stdbool.h>
#include <stddef.h>

/* All zeros is none. */
struct permit {
    bool is_there;
    int descriptor;
};

/** The descriptor of all permits, for processes that are forked after this. -1, with the reason
 * logged, where the system will not. */
int turns_open(void);

/** Takes a permit of those for so many workers, where one is free. */
bool turns_take(int turns, size_t workers, struct permit *permit);

/** Gives it back, where there is one. */
void turns_leave(struct permit *permit);

/** Another process has it now: this one has no part in it. */
void turns_send(struct permit *permit);

#endif
