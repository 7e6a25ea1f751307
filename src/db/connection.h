/*
 * A connection to PostgreSQL with its prepared statements. It is made after the fork, and made anew
 * when it was lost, without anybody having to wait for it: while the database is away, attempts
 * back off and everything else is refused at once.
 */
#ifndef MAPDIARY_DB_CONNECTION_H
#define MAPDIARY_DB_CONNECTION_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "db/failure.h"
#include "db/options.h"

struct db;

/** Does not connect yet. The options must outlive the connection; its servers are read here. */
struct db *db_new(const struct db_options *options);
/** One to a replica: it only reads, and what it does not answer at once the primary does. */
struct db *db_new_replica(const struct db_options *options, struct db *primary);
/** Closes and sets the pointer to NULL; a NULL inside is fine. */
void db_free(struct db **db);

/**
 * Starts the clock of options.timeout, which all batches until the next call share. The identifier,
 * which is copied, names the request where options.trace is set.
 */
void db_start_request(struct db *db, const char *identifier);
/** Starts the clock anew, in the middle of a request. */
void db_begin_time(struct db *db);

/**
 * Connects if that is not done, and waits for it up to options.patience, counted from the start of
 * the attempt. STATUS_UNAVAILABLE where it fails, or takes longer: db_advance() carries it on.
 */
enum status db_connect(struct db *db) MUST_CHECK;
/** The same, with milliseconds in the place of options.patience. */
enum status db_connect_within(struct db *db, int64_t patience) MUST_CHECK;

/**
 * Does what can be done without waiting: notices that an idle connection was closed, begins an
 * attempt once the back-off is over, carries it a step further. Not to be called within a batch.
 */
void db_advance(struct db *db);

/**
 * What to wait for before db_advance() has something to do again: *server is for poll(2), with the
 * descriptor -1 where there is none. Answers the milliseconds to wait at most, -1 for no limit.
 */
int64_t db_wants(const struct db *db, struct pollfd *server);

/** True where statements can be sent, as far as anybody knows. */
bool db_is_ready(const struct db *db);
/** True where a notification that it listens for came along with the results since db_advance(). */
bool db_was_notified(struct db *db);
/** Why it is not, or was not when it last failed: a line of text, empty where nothing ever did. */
const char *db_reason(const struct db *db);
/** The same in one word. */
enum db_failure db_failure(const struct db *db);
/** How many connections were made until now. */
unsigned long db_made(const struct db *db);
/** The process that serves us, as PostgreSQL's log names it (%p); 0 where there is none. */
int db_backend(const struct db *db);

/** Drops the connection to a server that does not do, and tries others in its place for a while. */
void db_leave(struct db *db, const char *why);
/** Drops the connection for another, to any of the servers. */
void db_reset(struct db *db);

/**
 * Runs SQL of several statements as the simple protocol does, outside of batches: for migrations.
 * The error is logged with its position. STATUS_INTERNAL where PostgreSQL refuses it,
 * STATUS_UNAVAILABLE if the connection is lost, was in a deadlock, or did not get a lock within
 * lock_timeout: then a ROLLBACK is due.
 */
enum status db_script(struct db *db, const char *sql) MUST_CHECK;
/**
 * As db_script(), and again after a deadlock, some times: for what changes the schema beside a
 * service, which locks tables in another order as it prepares its statements. What it runs must do
 * no harm when it runs twice.
 */
enum status db_script_with_patience(struct db *db, const char *sql) MUST_CHECK;
/**
 * As db_script(), of one command that takes no parameters, such as CREATE DATABASE: the name
 * stands, quoted, in the place of %I.
 */
enum status db_script_with_name(struct db *db, const char *sql, const char *name) MUST_CHECK;
/**
 * As db_script(), within the transaction that one began: where its connection was lost since, that
 * is STATUS_UNAVAILABLE, logged. Another connection would commit what it does not have.
 */
enum status db_continue(struct db *db, const char *sql) MUST_CHECK;

#endif
