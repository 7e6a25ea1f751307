/*
 * What all processes of the service have from the master, each its own copy of it. But for the
 * wording, which is that of the configuration, it does not change while the service runs.
 */
#ifndef MAPDIARY_SERVE_SHARED_H
#define MAPDIARY_SERVE_SHARED_H

#include "api/operation.h"
#include "db/statement.h"
#include "fcgi/spool.h"
#include "permit/permits.h"
#include "run/scoreboard.h"
#include "serve/channel.h"
#include "serve/listener.h"
#include "serve/state.h"
#include "settings/wording.h"

/* The children, as scoreboard->kinds has them. */
enum { KIND_WAITER, KIND_DECODER, KIND_INDEXER, KIND_WORKER, KIND_COUNT };

struct shared {
    const struct operation *operations;
    const struct db_statement *const *registry;
    const struct listener *listener;
    struct spool spool; /* but for whose it is: shared_spool() */
    struct channels channels;
    struct scoreboard *scoreboard;
    struct state *state;
    struct permits *permits;
    struct wording wording;
};

/** The spool for a process that counts here what it has in it. */
static inline struct spool shared_spool(const struct shared *shared, atomic_llong *own)
{
    struct spool spool = shared->spool;
    spool.own = own;
    return spool;
}

#endif
