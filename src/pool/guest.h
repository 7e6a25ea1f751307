/*
 * A guest: a connection whose request has not come yet, or not all of it, and its way from one
 * process to another.
 */
#ifndef MAPDIARY_POOL_GUEST_H
#define MAPDIARY_POOL_GUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "web/intake.h"

struct guest {
    int connection;
    int64_t until; /* clock_milliseconds() */
    struct intake intake;
};

/**
 * Sends a guest over a socket of socketpair(2), AF_UNIX and SOCK_SEQPACKET: its connection and a
 * file with its intake, by SCM_RIGHTS (unix(7)). The flags are those of sendmsg(2). The guest stays
 * with the caller, too. False where nobody will receive it; the reason is logged.
 */
bool guest_send(int socket, const struct guest *guest, int flags);

enum guest_arrival {
    GUEST_NONE,   /* now */
    GUEST_CAME,   /* and is the caller's */
    GUEST_NO_MORE /* ever: nobody has the other end any more */
};

/** Receives what guest_send() sent, with flags of recvmsg(2), into a guest whose intake is freed
 * before. */
enum guest_arrival guest_receive(int socket, struct guest *guest, int flags);

/** Closes the connection and frees the intake. */
void guest_dismiss(struct guest *guest);

#endif
