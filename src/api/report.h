/*
 * The operation by which readers report a thing: its parameters and handler.
 */
#ifndef MAPDIARY_API_REPORT_H
#define MAPDIARY_API_REPORT_H

#include "api/operation.h"
#include "model/report.h"

/* Of struct report. */
extern const struct param_spec report_params[];

handler_function handle_report;

#endif
