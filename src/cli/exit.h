/*
 * The exit statuses of mapdiaryctl, for scripts: the numbers are those of sysexits.h where it has a
 * fitting one. They do not change: scripts rely on them.
 */
#ifndef MAPDIARY_CLI_EXIT_H
#define MAPDIARY_CLI_EXIT_H

#include "base/status.h"

enum exit_status {
    EXIT_DONE = 0,
    EXIT_FAILED = 1,
    EXIT_USAGE = 64,
    EXIT_DATA = 65,
    EXIT_ABSENT = 66,
    EXIT_AWAY = 69,
    EXIT_EXISTS = 73,
    EXIT_REFUSED = 76,
    EXIT_UNCONFIRMED = 77,
    EXIT_CONFIGURATION = 78
};

struct exit_meaning {
    enum exit_status status;
    const char *meaning;
};

/** For --help and the manual page; ended by a row without meaning. */
extern const struct exit_meaning exit_meanings[];

/** The exit status of a command whose work ended so. */
enum exit_status exit_status_of(enum status status);

#endif
