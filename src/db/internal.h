/*
 * A connection from inside, for the files that make it (connection, connect, setup) and those that
 * use it (wire, probe, live, run, copy). Each part belongs to the files that its comment names. All
 * others have functions.
 *
 *         next_at has come         connected            all is acknowledged
 *    AWAY --------------> CONNECTING ------> PREPARING ---------------------> READY
 *     ^                    ^     |               |                              |
 *     |                    |     v               v                              |
 *     |    the next server +--- it failed, is silent or not what is wanted      |
 *     |                          |                                              |
 *     |  none is left: back off  |                lost, or given up: db_drop()  |
 *     +<-------------------------+<---------------------------------------------+
 */
#ifndef MAPDIARY_DB_INTERNAL_H
#define MAPDIARY_DB_INTERNAL_H

#include <libpq-fe.h>

#include "db/failure.h"
#include "db/hosts.h"
#include "db/options.h"

enum db_phase {
    DB_AWAY,       /* none; the next attempt is at attempt.next_at */
    DB_CONNECTING, /* PQconnectPoll() has more to do */
    DB_PREPARING,  /* settings and statements were sent, and not all are acknowledged */
    DB_READY
};

/* connect, connection: an attempt to connect, to one server after the other. */
struct db_attempt {
    PostgresPollingStatusType polling; /* DB_CONNECTING: what PQconnectPoll() waits for */
    size_t untried;                    /* servers that were not tried yet */
    int64_t began_at;
    int64_t server_began_at; /* to try the server that it is at */
    int64_t next_at;         /* no other is made before */
    int64_t backoff;         /* 0: the last attempt succeeded */
    enum db_failure failure; /* of the servers tried so far */
};

/* setup: what the server is sent and says when it is connected to. */
struct db_setup {
    int unacknowledged;  /* results that are still to come */
    bool knows_role;     /* which the first of them tells */
    bool is_standby;     /* as it said */
    bool is_synchronous; /* the same: a commit waits for a standby */
    enum db_failure failure;
};

/* wire: how long to wait, and what for. */
struct db_waiting {
    int64_t deadline;  /* of the request; 0: none */
    int64_t first_by;  /* when the first result must be there; 0: no matter */
    bool committing;   /* the batch is not to be cancelled */
    bool unreplicated; /* a commit was not waited for until a standby had it */
};

enum db_probe_state { DB_PROBE_NONE, DB_PROBE_SENT, DB_PROBE_ANSWERED };

/* probe */
struct db_probe {
    enum db_probe_state state;
    int64_t sent_at;
    char answer[64];
};

struct db {
    const struct db_options *options;
    struct hosts *hosts;
    /* The connection that answers if this one does not, or NULL. A connection that has one is to
     * a replica: it only reads, and is given up if it hesitates. */
    struct db *fallback;
    PGconn *connection;
    enum db_phase phase;
    unsigned long made; /* connections, this one among them */
    struct db_attempt attempt;
    struct db_setup setup;
    struct db_waiting waiting;
    struct db_probe probe;
    char identifier[80]; /* of the request, as application_name shows it */
    char reason[256];    /* why it is not ready */
};

#endif
