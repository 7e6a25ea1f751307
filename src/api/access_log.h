/*
 * What is said of a request once it is answered: a line of the log, and the counters.
 */
#ifndef MAPDIARY_API_ACCESS_LOG_H
#define MAPDIARY_API_ACCESS_LOG_H

#include "api/metrics.h"
#include "api/operation.h"

/** Logs a request; what took at least so many milliseconds is worth a line where requests are not
 * logged otherwise. */
void access_log_write(const struct call *call, const char *func, const struct metrics_event *event,
                      int64_t slow);

#endif
