/*
 * What systemd hears of the service: sd_notify(3). Without systemd nothing of it happens.
 */
#ifndef MAPDIARY_RUN_NOTIFY_H
#define MAPDIARY_RUN_NOTIFY_H

#include "run/scoreboard.h"

void notify_ready(void);
void notify_reloading(void);
void notify_stopping(void);

/** Tells the status line, if it is time to. */
void notify_status(const struct scoreboard *scoreboard);

/** Feeds the watchdog, if there is one and it is time to. To be called only while the workers do
 * what they should. */
void notify_watchdog(void);

#endif
