/*
 * The pages: /healthz and /metrics for whoever watches the service, and /openapi.json.
 */
#ifndef MAPDIARY_SERVE_PAGES_H
#define MAPDIARY_SERVE_PAGES_H

#include "api/operation.h"
#include "api/page.h"
#include "run/scoreboard.h"

/** Ended by a row without a name. Their context is a struct pages_context. */
extern const struct page pool_pages[];

struct pages_context {
    const struct scoreboard *scoreboard;
    const struct operation *operations; /* that are counted, and described */
};

#endif
