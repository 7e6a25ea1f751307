/*
 * What became of mails, in a file for whoever watches: the key "mail_metrics". The format is that
 * of Prometheus, which node_exporter's textfile collector reads.
 */
#ifndef MAPDIARY_JOBS_METRICS_H
#define MAPDIARY_JOBS_METRICS_H

#include "jobs/delivery.h"

/** Writes the file anew, in one piece; nothing where none is configured. What goes wrong is logged.
 */
void metrics_write(const struct delivery *delivery);

#endif
