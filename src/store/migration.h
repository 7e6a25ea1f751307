/*
 * The record of the migrations that were applied.
 */
#ifndef MAPDIARY_STORE_MIGRATION_H
#define MAPDIARY_STORE_MIGRATION_H

#include "base/buffer.h"
#include "db/batch.h"

struct migration {
    int64_t number;
    const char *name;     /* "0001-types": digits, lower-case letters and hyphens */
    const char *checksum; /* hexadecimal */
    int64_t applied_at;   /* seconds since the epoch */
};

struct migrations {
    struct migration *list;
    size_t count;
};

/** Statements for the owner's connection, ended by NULL. They need what migration_prepare() made.
 */
extern const struct db_statement *const migration_registry[];

/**
 * Takes the lock under which one process migrates at a time, held until the connection ends, and
 * makes the schema and the record's table where they are missing. On a connection without a
 * registry.
 */
enum status migration_prepare(struct db *db) MUST_CHECK;

/** All that were applied, by number, in the arena; their texts live until db_batch_reset(). */
enum status migration_list(struct db_batch *batch, struct arena *arena,
                           struct migrations *migrations) MUST_CHECK;

/**
 * The migrations of an upgrade are one transaction, so the schema is the old one or the new one. A
 * statement waits for a lock for a second at most, because all later readers of the table queue
 * behind it. STATUS_UNAVAILABLE if the lock was not free, after a deadlock, and if the connection
 * was lost: then migration_roll_back() is due, and migration_begin() may be tried again.
 */
enum status migration_begin(struct db *db) MUST_CHECK;
/** Runs the SQL of a migration and records the migration. */
enum status migration_apply(struct db *db, const struct migration *migration,
                            const struct buffer *sql) MUST_CHECK;
enum status migration_commit(struct db *db) MUST_CHECK;
void migration_roll_back(struct db *db);

/** True for a file whose first line is "-- one by one". Each statement of such a file is a
 * transaction of its own, as CREATE INDEX CONCURRENTLY must be. The file comes behind all others.
 */
bool migration_is_one_by_one(const struct buffer *sql);
/** Runs such a file and records the migration. An interrupted file is run from its beginning again,
 * so each statement must be safe to repeat. */
enum status migration_apply_one_by_one(struct db *db, const struct migration *migration,
                                       const struct buffer *sql) MUST_CHECK;

/** The other sessions that hold locks on the tables, as a text for people that lives until
 * db_batch_reset(); NULL if there are none. */
enum status migration_find_holders(struct db_batch *batch, const char **holders) MUST_CHECK;

#endif
