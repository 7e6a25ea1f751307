/*
 * The pages: /healthz and /metrics for whoever watches the service, /openapi.json, and /photos.
 */
#ifndef MAPDIARY_SERVE_PAGES_H
#define MAPDIARY_SERVE_PAGES_H

#include "api/page.h"

/** Ended by a row without a name. Their context is a struct shared. */
extern const struct page service_pages[];

#endif
