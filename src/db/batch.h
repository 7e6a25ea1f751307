/*
 * A batch: the statements of one operation, sent in one round trip (PostgreSQL manual, 34.5
 * "Pipeline Mode").
 *
 * Rows come as a promise: db_batch_add() answers the place where they will be, and db_batch_run()
 * fills it.
 *
 * A batch without a writing statement is one read-only snapshot, and is tried once more on a new
 * connection when the first was lost. A batch with one is one transaction, READ COMMITTED, that is
 * either committed as a whole or not at all. It is sent again only where PostgreSQL itself said
 * that it rolled back (deadlock, serialization failure), never when its fate is unknown.
 *
 * A function of store/ adds its statements to those that are there and runs the batch: before them
 * stands the check of the session or the key, so that nothing is written for somebody who may not.
 * Where a row is needed before the write can go on, the batch leaves its transaction open (below).
 *
 * A batch for a replica that writes after all, or that the replica has not begun to answer within a
 * second, goes to the primary.
 */
#ifndef MAPDIARY_DB_BATCH_H
#define MAPDIARY_DB_BATCH_H

#include "base/arena.h"
#include "base/status.h"
#include "db/connection.h"
#include "db/result.h"
#include "db/statement.h"

struct db_batch;

/** An empty batch in the arena. Its results are not: end with db_batch_reset(). */
struct db_batch *db_batch_new(struct db *db, struct arena *arena);

/** An empty batch beside another one that has not run, on the same connection: for what is looked
 * at first. */
struct db_batch *db_batch_beside(const struct db_batch *batch);

/** Gives what is still to be run the whole time of a request, where something else has taken long
 * that is bounded by itself. */
void db_batch_begin_time(const struct db_batch *batch);

/** Adds a statement of the registry with its parameters. The rows are there when db_batch_run()
 * says STATUS_OK. */
const struct db_rows *db_batch_add(struct db_batch *batch, const struct db_statement *statement,
                                   const struct db_value *values, size_t count);
#define DB_ADD(batch, statement, ...)                                          \
    db_batch_add((batch), (statement), (const struct db_value[]){__VA_ARGS__}, \
                 sizeof((const struct db_value[]){__VA_ARGS__}) / sizeof(struct db_value))

/**
 * As db_batch_add(), for the last statement of a batch: its rows go to the function one by one, in
 * constant memory, once all statements before have succeeded. Those statements' rows can be read in
 * the function.
 */
void db_batch_stream(struct db_batch *batch, const struct db_statement *statement,
                     const struct db_value *values, size_t count, db_row_function *function,
                     void *context);
#define DB_STREAM(batch, statement, function, context, ...)                                   \
    db_batch_stream((batch), (statement), (const struct db_value[]){__VA_ARGS__},             \
                    sizeof((const struct db_value[]){__VA_ARGS__}) / sizeof(struct db_value), \
                    (function), (context))

/**
 * Sends everything, waits for the end and, for a write, for the commit. STATUS_LOGIN_REQUIRED,
 * STATUS_CONFLICT and the like: the transaction was rolled back for that reason.
 * STATUS_UNAVAILABLE: the database is away; for a write it is unknown whether it was carried out
 * when the connection broke. STATUS_INTERNAL: PostgreSQL refused it; the log says why. Or what the
 * function of a streamed statement answered.
 */
enum status db_batch_run(struct db_batch *batch) MUST_CHECK;

/** True once the batch was run, until it is filled again. */
bool db_batch_has_run(const struct db_batch *batch);

/** db_backend() of the connection that it ran on, or would; a NULL batch has none. */
int db_batch_backend(const struct db_batch *batch);

/**
 * As db_batch_run(), but leaves the transaction of a batch that writes open, if it succeeds: for
 * statements that need its rows. The first of these forgets those rows. The next run goes on with
 * the transaction and, unless it leaves it open too, commits it.
 */
enum status db_batch_run_open(struct db_batch *batch) MUST_CHECK;
/** Has the next db_batch_run() be a db_batch_run_open(): for a run within another function. */
void db_batch_hold(struct db_batch *batch);
bool db_batch_is_open(const struct db_batch *batch);
/** Runs the statements that were added since the transaction was left open, if any, and commits. */
enum status db_batch_commit(struct db_batch *batch) MUST_CHECK;

/** Forgets statements and rows, so that the batch can be filled again, and rolls back a transaction
 * that is open. */
void db_batch_reset(struct db_batch *batch);

#endif
