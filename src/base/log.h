/*
 * The log: lines on standard error. Under systemd each starts with the priority that journald reads
 * (sd-daemon(3)); elsewhere with the time. Never a password, a token or a signature in it.
 */
#ifndef MAPDIARY_BASE_LOG_H
#define MAPDIARY_BASE_LOG_H

#include <stdbool.h>

/* By meaning; the numbers are those of syslog(3). */
enum log_level {
    LOG_LEVEL_ERROR = 3,   /* an operator must do something */
    LOG_LEVEL_WARNING = 4, /* the service copes, but somebody should know */
    LOG_LEVEL_NOTICE = 5,  /* start, stop, reload */
    LOG_LEVEL_INFO = 6,    /* a line for each request */
    LOG_LEVEL_DEBUG = 7
};

/** The least urgent level that is written from now on. The default is LOG_LEVEL_INFO. */
void log_set_level(enum log_level level);

/** For a program that a person runs: each line starts with its name, instead of priority or time.
 */
void log_set_program(const char *name);

/** True where a line of this level would be written. */
bool log_wants(enum log_level level);

/**
 * Writes one line, in one write(2), so that lines of several processes do not mix. What a client
 * sent cannot forge a line, nor make journald take it for binary data: text_make_printable(). What
 * is longer than 2,000 bytes is cut.
 */
void log_write(enum log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));

#define log_error(...) log_write(LOG_LEVEL_ERROR, __VA_ARGS__)
#define log_warning(...) log_write(LOG_LEVEL_WARNING, __VA_ARGS__)
#define log_notice(...) log_write(LOG_LEVEL_NOTICE, __VA_ARGS__)
#define log_info(...) log_write(LOG_LEVEL_INFO, __VA_ARGS__)
#define log_debug(...) log_write(LOG_LEVEL_DEBUG, __VA_ARGS__)

#endif
