/*
 * The options of a connection, and its counters.
 */
#ifndef MAPDIARY_DB_OPTIONS_H
#define MAPDIARY_DB_OPTIONS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "db/statement.h"

/* Events on a connection since the start, for monitoring. One process writes. */
struct db_counters {
    atomic_ulong connections;        /* made, the first among them */
    atomic_ulong failed_connections; /* attempts that came to nothing */
    atomic_ulong lost_connections;   /* that had been made */
    atomic_ulong errors;             /* batches that failed, and not for their input */
    atomic_ulong repeats;            /* batches sent once more */
    atomic_ulong cancels;            /* batches that ran past the time allowed */
    atomic_ulong by_primary;         /* batches that succeeded */
    atomic_ulong by_standby;
    atomic_ulong diverted; /* batches meant for a replica that the primary answered */
};

/* A setting of PostgreSQL, or one with a name of the schema's own. */
struct db_setting {
    const char *name, *value;
};

/* Takes a notification that came: the words that go with it, which may be empty. */
typedef void db_notified(void *context, const char *words);

struct db_options {
    const char *conninfo; /* of libpq: PostgreSQL manual, 34.1.1 */
    const char *name;     /* for application_name, where conninfo has none; NULL: mapdiary */
    const char *schema;   /* where statements find their tables; NULL: mapdiary */
    const char *timezone; /* IANA name, in which current_date and casts to date are meant */
    const struct db_setting *settings; /* of each session; ended by a NULL name; NULL: none */
    int64_t timeout;  /* milliseconds that the batches of a request may take; 0: no limit */
    int64_t patience; /* milliseconds that somebody waits for a connection that is being made */
    bool quiet;       /* who asks says by itself why there is no connection: db_reason() */
    bool trace;       /* application_name tells the request; one more statement a batch */
    bool unprepared;  /* statements go with each batch, as most of the registry is never run */
    /* Tables of statements, ended by NULL; NULL where none are run. */
    const struct db_statement *const *registry;
    enum db_use use;              /* which of their statements are */
    struct db_counters *counters; /* NULL: they are not counted */
    db_notified *notified;        /* NULL: notifications only wake the process */
    void *context;                /* of notified */
};

/** Adds one to a counter of the options, if anybody watches. */
#define db_count(options, field)                                                             \
    do {                                                                                     \
        if ((options)->counters != NULL)                                                     \
            atomic_fetch_add_explicit(&(options)->counters->field, 1, memory_order_relaxed); \
    } while (0)

#endif
