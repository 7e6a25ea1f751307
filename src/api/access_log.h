/*
 * The line of the log about a request that was answered.
 */
#ifndef MAPDIARY_API_ACCESS_LOG_H
#define MAPDIARY_API_ACCESS_LOG_H

#include "api/metrics.h"
#include "api/operation.h"

/** Logs a request: as a warning if it took at least slow_request of the configuration. */
void access_log_write(const struct call *call, const char *func, const struct metrics_event *event);

#endif
