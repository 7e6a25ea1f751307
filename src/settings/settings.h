/*
 * Whether the service can work with a configuration: what the table of keys cannot tell by itself.
 */
#ifndef MAPDIARY_SETTINGS_SETTINGS_H
#define MAPDIARY_SETTINGS_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/config.h"
#include "settings/wording.h"

/** For a time zone that PostgreSQL does not know, such as US/Pacific on Debian 13. */
#define SETTINGS_OLD_TIMEZONES "Debian keeps old names of time zones in the package tzdata-legacy"

/** Without asking anybody. STATUS_INTERNAL where a value is wrong; all that is, is logged by
 * config_complain(). */
enum status settings_check(const struct config *config, const char *path) MUST_CHECK;

/** The same, without looking at the master key. */
enum status settings_check_values(const struct config *config, const char *path) MUST_CHECK;

/** Reads a file and checks it, as above. Where that fails, config is freed. */
enum status settings_read(struct config *config, const char *path) MUST_CHECK;

/** Reads the wording, and tries the folder of photos. STATUS_INTERNAL, logged, where one of them
 * cannot be used: a service that starts goes without it, and one that runs keeps what it has. */
enum status settings_read_wording(const struct config *config, const char *path,
                                  struct wording *wording) MUST_CHECK;

/** True if that value of map_tiles names a file beside the page, and not a server. */
bool settings_is_tile_file(const char *name);

enum settings_verdict {
    SETTINGS_GOOD,
    SETTINGS_UNKNOWN, /* PostgreSQL is away, so that nobody can tell */
    SETTINGS_FAULTY,
};

/**
 * Asks PostgreSQL, in seconds: whether it lets the service in and has its schema, knows the time
 * zone, and has connections for all workers. What is wrong, or may be, is logged.
 */
enum settings_verdict settings_ask(const struct config *config, const char *path);

/** SETTINGS_FAULTY, logged, only for what does not get better while the service waits for its
 * database: a time zone that PostgreSQL does not know, and a pooler that shares out its sessions.
 */
enum settings_verdict settings_ask_before_start(const struct config *config, const char *path);

/** True where a worker with this configuration would have its database within so many milliseconds;
 * the reason is logged where not. */
bool settings_have_database(const struct config *config, int64_t patience);

#endif
