/*
 * The output of a request: its answer's records on their way to the web server, none of which ever
 * waits. What the connection does not take at once goes into a file of the spool, and from there
 * when it does; another process can go on with that.
 */
#ifndef MAPDIARY_FCGI_OUTPUT_H
#define MAPDIARY_FCGI_OUTPUT_H

#include <stddef.h>

#include "fcgi/spool.h"

struct output {
    int connection;
    struct spool_file file;
    off_t taken; /* bytes of the file that the web server has, or the system for it */
    int queued;  /* of those that the system had, when output_has_moved() looked */
};

/** Sends these bytes, after all before them. STATUS_UNAVAILABLE where the web server is gone, or,
 * with the reason logged, what it does not take yet cannot be spooled. */
enum status output_add(struct output *output, const struct spool *spool, const char *bytes,
                       size_t length) MUST_CHECK;

/** Sends some of what is in the file. STATUS_UNAVAILABLE where the web server is gone. */
enum status output_send(struct output *output, const struct spool *spool) MUST_CHECK;

/** Bytes in the file that are not sent yet. */
off_t output_left(const struct output *output);

/** True where the web server has taken something since the last time, if only from the system. */
bool output_has_moved(struct output *output);

/** Closes the connection, and the file. */
void output_close(struct output *output, const struct spool *spool);

/** The same, so that nobody takes what was sent for the whole answer. */
void output_break(struct output *output, const struct spool *spool);

#endif
