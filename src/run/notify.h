/*
 * What systemd hears of the service: sd_notify(3). Without systemd nothing of it happens.
 */
#ifndef MAPDIARY_RUN_NOTIFY_H
#define MAPDIARY_RUN_NOTIFY_H

#include <stdbool.h>

void notify_ready(void);
void notify_reloading(void);
void notify_stopping(void);

/** True where it is time for notify_status() again. */
bool notify_wants_status(void);
void notify_status(const char *status);

/** Feeds the watchdog, if there is one and it is time to. To be called only while the service does
 * what it should. */
void notify_watchdog(void);

#endif
