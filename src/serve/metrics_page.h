/*
 * The page /metrics, in the text format of Prometheus, version 0.0.4:
 * https://prometheus.io/docs/instrumenting/exposition_formats/
 */
#ifndef MAPDIARY_SERVE_METRICS_PAGE_H
#define MAPDIARY_SERVE_METRICS_PAGE_H

#include "http/response.h"

/** As struct page has it; the context is a struct shared. */
void metrics_page_write(const void *context, struct response *response);

#endif
