/*
 * An exchange: from a request to its reply. The only place that checks access, and that turns a
 * status into HTTP and `info`.
 */
#ifndef MAPDIARY_API_EXCHANGE_H
#define MAPDIARY_API_EXCHANGE_H

#include "api/metrics.h"
#include "api/operation.h"
#include "api/page.h"
#include "auth/key.h"
#include "db/route.h"
#include "run/progress.h"

/* What a worker serves with, from its first request to its last. */
struct service {
    const struct config *config;
    const struct operation *operations;
    const struct page *pages;
    const void *pages_context;
    struct metrics *metrics;
    struct progress *progress;
    struct route *route;
    struct arena *arena;
    struct buffer body; /* of the request */
    struct reply reply;
    struct hashing hashing;
    struct master_key master_key; /* read when the first signed request comes */
};

/**
 * Answers one request, which was not read yet, and logs it. False where the reply could not be
 * completed: then the responder must be broken off before it is ended, so that the client sees it.
 */
bool exchange_run(struct service *service, struct responder *responder);

#endif
