/*
 * Asks the servers how far their logs have come, beside all else, and chooses by that.
 */
#include "db/route.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "db/probe.h"

enum {
    PROBE_EVERY = 1000,  /* milliseconds */
    REPLICA_MOST = 1000, /* for an answer */
    PRIMARY_MOST = 5000,
    STAY_LEAST = 30000, /* with one replica, so that those that come back get their share */
    STAY_SPREAD = 30000,
};

struct route {
    const struct route_options *options;
    struct db *primary;
    struct db *replica;                       /* NULL: none */
    unsigned long primary_made, replica_made; /* the connections that the following is about */
    char position[32];   /* of the primary's log, that the replica has to reach; empty: none */
    int64_t position_at; /* when the primary was asked for it */
    int64_t fresh_at;    /* the replica has all that was committed by then; 0: unknown */
    int64_t next_probe;
    int64_t stay_until;
};

enum { POSITION, REPLAYED };

/* What has been committed is in the log up to POSITION, which a standby refuses to tell. A replica
 * that is none takes no load off the primary. */
static const struct db_statement probes[] = {
    [POSITION] = {"route_position", "SELECT pg_current_wal_lsn()::text", false, DB_ALL},
    [REPLAYED] = {"route_replayed",
                  "SELECT CASE WHEN NOT pg_is_in_recovery() THEN 'primary'"
                  " WHEN pg_last_wal_replay_lsn() >= $1::pg_lsn THEN 'fresh' ELSE 'behind' END",
                  false, DB_ALL},
};

struct route *route_new(const struct route_options *options)
{
    struct route *route = memory_zeroed(1, sizeof *route);
    route->options = options;
    route->primary = db_new(&options->primary);
    if (options->replica.conninfo != NULL)
        route->replica = db_new_replica(&options->replica, route->primary);
    return route;
}

void route_free(struct route **route)
{
    if (*route == NULL)
        return;
    db_free(&(*route)->replica);
    db_free(&(*route)->primary);
    free(*route);
    *route = NULL;
}

void route_start_request(struct route *route, const char *identifier)
{
    db_start_request(route->primary, identifier);
    if (route->replica != NULL)
        db_start_request(route->replica, identifier);
}

struct db *route_primary(struct route *route)
{
    return route->primary;
}

/* Is the replica fit? ------------------------------------------------------------------------- */

/* What was learnt of one server means nothing for the next. */
static void forget_old_connections(struct route *route, int64_t now)
{
    if (db_made(route->primary) != route->primary_made)
        route->position[0] = '\0';
    if (db_made(route->replica) != route->replica_made) {
        route->fresh_at = 0;
        route->next_probe = now;
        route->stay_until = now + STAY_LEAST + randombytes_uniform(STAY_SPREAD);
    }
    route->primary_made = db_made(route->primary);
    route->replica_made = db_made(route->replica);
}

static int64_t interval(const struct route *route)
{
    int64_t quarter = route->options->lag_most / 4;
    return quarter < PROBE_EVERY ? quarter : PROBE_EVERY;
}

/* The second check is for idle workers: a request would find a silent primary by itself, and wait.
 */
static void take_primary(struct route *route)
{
    struct db *primary = route->primary;
    const char *answer = db_probe_answer(primary);
    if (answer == NULL && db_probe_is_overdue(primary, PRIMARY_MOST))
        db_leave(primary, "it does not answer");
    if (answer == NULL || *answer == '\0')
        return;
    snprintf(route->position, sizeof route->position, "%s", answer);
    route->position_at = db_probe_sent_at(primary);
    db_probe_send(route->replica, &probes[REPLAYED], route->position);
}

static void take_replica(struct route *route, int64_t now)
{
    struct db *replica = route->replica;
    const char *answer = db_probe_answer(replica);
    if (answer == NULL && db_probe_is_overdue(replica, REPLICA_MOST))
        db_leave(replica, "it does not answer");
    if (answer == NULL)
        return;
    if (strcmp(answer, "fresh") == 0) {
        route->fresh_at = route->position_at;
        route->position[0] = '\0';
    } else if (strcmp(answer, "behind") != 0) {
        db_leave(replica, "it is not a standby");
    } else if (now - route->position_at > route->options->lag_most) {
        db_leave(replica, "it is too far behind the primary");
        route->position[0] = '\0';
    }
}

/* One probe at a time: where the log is, then whether the replica is there. */
static void probe(struct route *route, int64_t now)
{
    if (now < route->next_probe)
        return;
    route->next_probe = now + interval(route);
    if (route->position[0] == '\0')
        db_probe_send(route->primary, &probes[POSITION], NULL);
    else
        db_probe_send(route->replica, &probes[REPLAYED], route->position);
}

void route_advance(struct route *route)
{
    int64_t now = clock_milliseconds();
    db_advance(route->primary);
    if (route->replica == NULL)
        return;
    db_advance(route->replica);
    forget_old_connections(route, now);
    take_primary(route);
    take_replica(route, now);
    if (db_is_ready(route->replica) && now >= route->stay_until)
        db_reset(route->replica);
    probe(route, now);
}

bool route_has_replica(const struct route *route)
{
    return route->replica != NULL && db_is_ready(route->replica) && route->fresh_at != 0 &&
           db_made(route->replica) == route->replica_made &&
           clock_milliseconds() - route->fresh_at <= route->options->lag_most;
}

struct db *route_read(struct route *route)
{
    if (route->replica == NULL)
        return route->primary;
    route_advance(route);
    if (route_has_replica(route))
        return route->replica;
    db_count(&route->options->primary, diverted);
    return route->primary;
}

static int64_t sooner(int64_t one, int64_t other)
{
    if (one < 0 || other < 0)
        return one < 0 ? other : one;
    return one < other ? one : other;
}

int64_t route_wants(const struct route *route, struct pollfd servers[static ROUTE_SERVERS])
{
    int64_t wait = db_wants(route->primary, &servers[0]);
    servers[1] = (struct pollfd){.fd = -1};
    if (route->replica == NULL)
        return wait;
    int64_t probe = route->next_probe - clock_milliseconds();
    wait = sooner(wait, db_wants(route->replica, &servers[1]));
    return sooner(wait, probe > 0 ? probe : 0);
}

bool route_is_ready(const struct route *route)
{
    return db_is_ready(route->primary) || route_has_replica(route);
}
