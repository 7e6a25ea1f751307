/*
 * A probe: a statement beside the batches, whose answer nobody waits for.
 */
#ifndef MAPDIARY_DB_PROBE_H
#define MAPDIARY_DB_PROBE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "db/statement.h"

struct db;

/**
 * Sends a statement that answers one text, of one parameter or of none where the value is NULL; it
 * is not prepared. False where it cannot be sent now: one probe at a time.
 */
bool db_probe_send(struct db *db, const struct db_statement *statement, const char *value);
/** Takes what has come of the answer. */
void db_probe_receive(struct db *db);
/** Waits for the answer, which comes before the results of what was sent after the probe. */
enum status db_probe_wait(struct db *db) MUST_CHECK;

/** The answer, once: empty where PostgreSQL refused. NULL where none has come. */
const char *db_probe_answer(struct db *db);
/** When the last one was sent, by clock_milliseconds(). */
int64_t db_probe_sent_at(const struct db *db);
/** True where one was sent longer ago than so many milliseconds, and is not answered. */
bool db_probe_is_overdue(const struct db *db, int64_t most);

#endif
