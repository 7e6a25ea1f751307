/*
 * The pages: /healthz and /metrics for whoever watches the service, and /openapi.json.
 */
#ifndef MAPDIARY_POOL_PAGES_H
#define MAPDIARY_POOL_PAGES_H

#include "pool/scoreboard.h"
#include "web/operation.h"
#include "web/page.h"

/** Ended by a row without a name. Their context is a struct pages_context. */
extern const struct page pool_pages[];

struct pages_context {
    const struct scoreboard *scoreboard;
    const struct operation *operations; /* that are counted, and described */
};

#endif
