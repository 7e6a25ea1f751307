/*
 * The spool: unnamed files in one folder, for what is too large for memory. They are gone with
 * their last descriptor, whoever ends how; and what they hold together is counted in memory that
 * all processes share.
 */
#ifndef MAPDIARY_FCGI_SPOOL_H
#define MAPDIARY_FCGI_SPOOL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/status.h"

/* Counts are in bytes. */
struct spool {
    const char *directory;
    atomic_llong *most; /* that all files may hold together */
    atomic_llong *all;  /* that they hold */
    atomic_llong *own;  /* that this process holds of them, for when it dies */
    atomic_bool *full;  /* somebody had no room since anybody went */
};

/* Zeros are no file, whose descriptor counts for nothing. */
struct spool_file {
    bool is_open;
    int descriptor;
    off_t length;
};

/** True where a file can be made in the folder; else errno says why not. */
bool spool_check(const char *directory);

/** True where the slowest must go, so that others can go on; once for each who had no room. */
bool spool_wants_room(const struct spool *spool);

/** Adds bytes at the end of a file, which is made with the first. STATUS_UNAVAILABLE, with the
 * reason logged, where the folder or its disk will not, or the spool is full. */
enum status spool_add(const struct spool *spool, struct spool_file *file, const void *bytes,
                      size_t length) MUST_CHECK;

/** Takes all bytes out of the file, which stays. False where the system will not. */
bool spool_empty(const struct spool *spool, struct spool_file *file);

/** The file has another process now, that says spool_receive(): this one has no part in it. */
void spool_send(const struct spool *spool, struct spool_file *file);
void spool_receive(const struct spool *spool, const struct spool_file *file);

/** The file, if there was one, was lost on the way between the two. */
void spool_lose(const struct spool *spool, const struct spool_file *file);

/** Closes the file, if there is one. */
void spool_drop(const struct spool *spool, struct spool_file *file);

/** A process has died that held so much, as it had counted. */
void spool_forget(atomic_llong *all, atomic_llong *own);

#endif
