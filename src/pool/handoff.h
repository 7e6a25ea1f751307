/*
 * A handoff: a connection whose request has not come yet, or not all of it, or all of it, and its
 * way from one process to another.
 */
#ifndef MAPDIARY_POOL_HANDOFF_H
#define MAPDIARY_POOL_HANDOFF_H

#include <stdbool.h>
#include <stdint.h>

#include "fcgi/input.h"

struct handoff {
    int connection;
    int64_t until; /* clock_milliseconds() */
    struct input input;
};

/**
 * Sends it over a socket of socketpair(2), AF_UNIX and SOCK_SEQPACKET: its connection and the file
 * with its input, by SCM_RIGHTS (unix(7)). The flags are those of sendmsg(2). It is the receiver's
 * then, and what the caller has is empty. False, and nothing changed, where nobody will receive it;
 * the reason is logged.
 */
bool handoff_send(int socket, struct handoff *handoff, const struct spool *spool, int flags);

enum handoff_arrival {
    HANDOFF_NONE,   /* now */
    HANDOFF_CAME,   /* and is the caller's */
    HANDOFF_NO_MORE /* ever: nobody has the other end any more */
};

/** Receives what handoff_send() sent, with flags of recvmsg(2); what there was before is freed. */
enum handoff_arrival handoff_receive(int socket, struct handoff *handoff, const struct spool *spool,
                                     int flags);

/** Closes the connection and frees the input. */
void handoff_drop(struct handoff *handoff, const struct spool *spool);

#endif
