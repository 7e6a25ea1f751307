/*
 * Which of two connections a request works on: the one to the primary, or one to a replica, for
 * reads that may be a little behind. Without a replica in the configuration, all go to the primary.
 *
 * A replica is read from only while it is known to have all that was committed a while ago: about
 * every second the primary is asked how far its log has come, and then the replica whether it has
 * replayed that. The clocks of the servers do not matter, nor whether anything is written.
 */
#ifndef MAPDIARY_DB_ROUTE_H
#define MAPDIARY_DB_ROUTE_H

#include "db/connection.h"

enum { ROUTE_SERVERS = 2 };

struct route_options {
    struct db_options primary;
    struct db_options replica; /* conninfo NULL: none */
    int64_t lag_most;          /* milliseconds that a replica that is read from may be behind */
};

struct route;

/** Does not connect yet. The options must outlive it. */
struct route *route_new(const struct route_options *options);
/** Closes and sets the pointer to NULL; a NULL inside is fine. */
void route_free(struct route **route);

/** db_start_request() for both. */
void route_start_request(struct route *route, const char *identifier);

struct db *route_primary(struct route *route);
/** The replica where there is one that is fit, else the primary. */
struct db *route_read(struct route *route);

/** As db_advance() and db_wants(), for both. */
void route_advance(struct route *route);
int64_t route_wants(const struct route *route, struct pollfd servers[static ROUTE_SERVERS]);

/** True where at least reads can be answered, as far as anybody knows. */
bool route_is_ready(const struct route *route);
/** True where reads go to a replica. */
bool route_has_replica(const struct route *route);

#endif
