/*
 * The servers of a connection string that names several (PostgreSQL manual, 34.1.1.3 "Specifying
 * Multiple Hosts"), one after the other.
 *
 * libpq could go through them by itself, but not as is needed here: it leaves a server that hangs
 * to whoever polls, in version 15 it has one order for everybody, and it believes what a pooler
 * remembers of a server's role. So it is given one server at a time, and the role is asked for.
 */
#ifndef MAPDIARY_DB_HOSTS_H
#define MAPDIARY_DB_HOSTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hosts;

struct hosts_server {
    const char *host, *hostaddr, *port; /* as libpq takes them; NULL where not given */
    const char *name;                   /* for people */
};

/* What target_session_attrs asks for. Where a standby is only preferred, it is required here: then
 * its place is taken by another connection. */
enum hosts_role { HOSTS_ANY, HOSTS_WRITABLE, HOSTS_PRIMARY, HOSTS_STANDBY };

/** Of a connection string or URI, in an order by chance. One that names no server has one, whose
 * place libpq knows. */
struct hosts *hosts_new(const char *conninfo);
void hosts_free(struct hosts **hosts);

/** Goes on to the next that is not skipped; to the next of all where every one is. */
struct hosts_server hosts_next(struct hosts *hosts, int64_t now);
/** The one that it is at. */
struct hosts_server hosts_current(const struct hosts *hosts);
/** True where it is reached by TCP, not by a unix socket. */
bool hosts_is_tcp(const struct hosts_server *server);
/** How many of hosts_next() lead through all of them. */
size_t hosts_count(const struct hosts *hosts, int64_t now);

/** Passes over the current one until then (of clock_milliseconds()). */
void hosts_skip(struct hosts *hosts, int64_t until);
/** When one of them is not skipped, at the earliest: in the past where that is so now. */
int64_t hosts_ready_at(const struct hosts *hosts);

/** Notes why the current one failed; true where that is news. */
bool hosts_failed(struct hosts *hosts, const char *reason);
/** One of them is good: what is said of any from here on is news. */
void hosts_good(struct hosts *hosts);

enum hosts_role hosts_role(const struct hosts *hosts);
/** The connect_timeout of the connection string in milliseconds, for one server; 0: none. */
int64_t hosts_connect_timeout(const struct hosts *hosts);

#endif
