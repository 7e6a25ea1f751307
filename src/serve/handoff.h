/*
 * The handoff of a pending connection from one process to another.
 */
#ifndef MAPDIARY_SERVE_HANDOFF_H
#define MAPDIARY_SERVE_HANDOFF_H

#include <stdbool.h>

#include "serve/pending.h"

/**
 * Sends one over a socket of socketpair(2), AF_UNIX and SOCK_SEQPACKET: its connection, and the
 * file with its input or output by SCM_RIGHTS (unix(7)). The flags are those of sendmsg(2). It is
 * the receiver's then, and what the caller has is empty. False, with errno set and nothing changed,
 * where nobody will receive it.
 */
bool handoff_send(int socket, struct pending *pending, const struct spool *spool, int flags);

enum handoff_arrival {
    HANDOFF_NONE,   /* now */
    HANDOFF_CAME,   /* and is the caller's */
    HANDOFF_NO_MORE /* ever: nobody has the other end any more */
};

/** Receives what handoff_send() sent, with flags of recvmsg(2); what there was before is freed. */
enum handoff_arrival handoff_receive(int socket, struct pending *pending, const struct spool *spool,
                                     int flags);

#endif
