/*
 * The migrations as files: schema/NNNN-name.sql.
 */
#ifndef MAPDIARY_STORE_SCHEMA_H
#define MAPDIARY_STORE_SCHEMA_H

#include <limits.h>
#include <stdbool.h>

#include "base/crypto.h"
#include "store/migration.h"

struct schema_file {
    struct migration migration; /* its texts are the file's */
    char name[NAME_MAX + 1];
    char checksum[CRYPTO_DIGEST_DIGITS + 1];
    struct buffer sql;
};

struct schema {
    struct schema_file *list; /* by number */
    size_t count;
};

/** Reads all files of a folder into the arena. STATUS_INTERNAL, logged, where that fails. End with
 * schema_free() either way. */
enum status schema_read(const char *directory, struct arena *arena,
                        struct schema *schema) MUST_CHECK;
void schema_free(struct schema *schema);

/** What was applied by that number; NULL while nothing was. */
const struct migration *schema_find(const struct migrations *applied, int64_t number);

/** How many files were not applied. */
size_t schema_pending(const struct schema *schema, const struct migrations *applied);

/** True where what was applied is what the files say; else nobody knows what the schema is. Logs
 * each difference. */
bool schema_agrees(const struct schema *schema, const struct migrations *applied);

#endif
