/*
 * The channels between the processes: pending connections are handed over by them, between the
 * workers and the process that waits, and pictures from the workers to the decoder.
 */
#ifndef MAPDIARY_SERVE_CHANNEL_H
#define MAPDIARY_SERVE_CHANNEL_H

#include <stdbool.h>

/* Two ends, of which each process closes the one that it has no use for: so who is left alone with
 * the other is told. -1: closed. */
struct channel {
    int in;
    int out;
};

/* Each process has its own copy. */
struct channels {
    struct channel to_waiter;
    struct channel to_workers; /* what is in it is for the first worker that is free */
    struct channel to_decoder; /* what is in it waits while a decoder that died is replaced */
};

/** Opens all; false, with the reason logged, where the system gives no sockets. */
bool channels_open(struct channels *channels);
void channels_close(struct channels *channels);

/** Leave a process the ends that are for it. */
void channels_keep_workers(struct channels *channels);
void channels_keep_waiters(struct channels *channels);
void channels_keep_decoder(struct channels *channels);

/** Closes one end, if it is open. */
void channel_close_end(int *end);

#endif
