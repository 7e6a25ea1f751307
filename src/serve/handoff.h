/*
 * A handoff: a connection whose request has not come yet, or not all of it, or all of it; or whose
 * answer is not sent yet, or not all of it; and its way from one process to another.
 */
#ifndef MAPDIARY_SERVE_HANDOFF_H
#define MAPDIARY_SERVE_HANDOFF_H

#include <stdbool.h>
#include <stdint.h>

#include "fcgi/input.h"
#include "fcgi/output.h"

enum handoff_kind { HANDOFF_REQUEST, HANDOFF_ANSWER, HANDOFF_KINDS };

/* Times are in milliseconds, those on the clock of clock_milliseconds(). */
struct handoff {
    int64_t since, until;
    int64_t patience; /* with a web server that takes nothing of an answer */
    int connection;
    enum handoff_kind kind;
    struct input input;   /* of a request */
    struct output output; /* of an answer */
};

/**
 * Sends it over a socket of socketpair(2), AF_UNIX and SOCK_SEQPACKET: its connection and the file
 * with its input or output, by SCM_RIGHTS (unix(7)). The flags are those of sendmsg(2). It is the
 * receiver's then, and what the caller has is empty. False, with errno set and nothing changed,
 * where nobody will receive it.
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

/** The file of the spool that it has, or would have. */
struct spool_file *handoff_file(struct handoff *handoff);

/** Closes the connection, visibly broken off where an answer is not sent, and frees the rest. */
void handoff_drop(struct handoff *handoff, const struct spool *spool);

#endif
