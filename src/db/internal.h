/*
 * What the files of db/ share and nobody else sees.
 */
#ifndef MAPDIARY_DB_INTERNAL_H
#define MAPDIARY_DB_INTERNAL_H

#include <libpq-fe.h>

#include "base/status.h"
#include "db/connection.h"
#include "db/hosts.h"

struct db_rows {
    PGresult *result;
};

/* The way to a connection that can be used. */
enum db_phase {
    DB_AWAY,       /* none; the next attempt is at next_attempt */
    DB_CONNECTING, /* PQconnectPoll() has more to do */
    DB_PREPARING,  /* settings and statements were sent, and not all are acknowledged */
    DB_READY
};

enum db_question { DB_NOTHING_ASKED, DB_ASKED, DB_ANSWERED };

struct db {
    const struct db_options *options;
    struct hosts *hosts;
    /* What answers where this one does not; NULL for none. This one is a replica then: it only
     * reads, and is given up where it hesitates. */
    struct db *fallback;
    PGconn *connection;
    enum db_phase phase;
    PostgresPollingStatusType polling; /* DB_CONNECTING: what PQconnectPoll() waits for */
    int unacknowledged;                /* DB_PREPARING: results that are still to come */
    size_t untried;                    /* servers of this attempt whose turn has not come */
    int64_t server_at;                 /* when the turn of this one came */
    int64_t attempt_at;                /* when the attempt began */
    bool is_standby;                   /* as it said on connecting */
    bool is_synchronous;               /* the same: a commit waits for a standby */
    int64_t next_attempt;              /* no other is made before */
    unsigned long made;                /* connections, this one among them */
    int64_t backoff;                   /* 0: the last attempt succeeded */
    int64_t deadline;                  /* of the request; 0: none */
    int64_t first_by;                  /* when the first result must be there; 0: no matter */
    bool unreplicated;                 /* a commit was not waited for until a standby had it */
    bool committing;                   /* and must be: the batch is not to be cancelled */
    enum db_question question;
    int64_t asked_at;
    char answer[64];
    char identifier[80]; /* of the request, as application_name shows it */
    char reason[256];
};

/** The connection, made now if there is none and the back-off allows it; else NULL. */
PGconn *db_live(struct db *db);
/** The connection that has a transaction open; NULL, logged, where that was lost. */
PGconn *db_transaction(struct db *db);
/** Drops the connection: the next db_live() makes another. */
void db_drop(struct db *db);

/**
 * Waits for the next result in pipeline mode, sending what is still to be sent meanwhile.
 * STATUS_UNAVAILABLE where the connection is lost, or the time is up: then PostgreSQL has been
 * asked to cancel. *result is NULL between the results of two statements. The caller clears the
 * result.
 */
enum status db_next_result(struct db *db, PGresult **result) MUST_CHECK;

/** True where the time of the request is up. */
bool db_is_late(const struct db *db);

/** Adds one to a counter of the options, if anybody watches. */
#define db_count(db, field)                                                                      \
    do {                                                                                         \
        if ((db)->options->counters != NULL)                                                     \
            atomic_fetch_add_explicit(&(db)->options->counters->field, 1, memory_order_relaxed); \
    } while (0)

/** Sends settings and preparations; false where the connection is lost. */
bool db_setup_send(struct db *db);
/** Takes what has come of their acknowledgements; false, with the reason, where one is a refusal.
 */
bool db_setup_take(struct db *db, char *reason, size_t size);

/** Drops the connection to a server that does not do, and tries others in its place for a while. */
void db_leave(struct db *db, const char *why);
/** Drops the connection for another, to any of the servers. */
void db_renew(struct db *db);

/**
 * Asks beside the batches, and waits for nothing: a statement that answers one text, of one
 * parameter or of none where the value is NULL; it is not prepared. False where it cannot be asked
 * now: one question at a time.
 */
bool db_ask(struct db *db, const struct db_statement *statement, const char *value);
/** Takes what has come of the answer. */
void db_hear(struct db *db);
/** The answer, once: empty where PostgreSQL refused. NULL where none has come. */
const char *db_answer(struct db *db);
/** Waits for the answer that stands before the results of what was sent after the question. */
enum status db_settle(struct db *db) MUST_CHECK;

/** Asks PostgreSQL to cancel what the connection runs; does not wait for it. */
void db_cancel(PGconn *connection);

#endif
