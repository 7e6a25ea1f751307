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

/** Runs the SQL of a migration and records it, in one transaction. */
enum status migration_apply(struct db *db, const struct migration *migration,
                            const struct buffer *sql) MUST_CHECK;

#endif
