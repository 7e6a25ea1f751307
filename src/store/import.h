/*
 * Imports: rows go by COPY into a staging table, are checked there against what is in the database,
 * and become things in the same transaction. Which row of which source a thing came from is kept,
 * so that the same rows again change nothing.
 */
#ifndef MAPDIARY_STORE_IMPORT_H
#define MAPDIARY_STORE_IMPORT_H

#include "db/copy.h"

enum import_kind {
    IMPORT_USERS,
    IMPORT_POIS,
    IMPORT_ALBUMS,
    IMPORT_BLOGS,
    IMPORT_PHOTOS,
    IMPORT_COMMENTS,
    IMPORT_KIND_COUNT
};

/*
 * The staging table has, of every kind: n (counts the rows from 1), line and position (where it
 * stands in its file), source, identifier; then the columns that the kind's staging statement
 * names, which are those of a row in their order.
 */
struct import_statements {
    const char *staging; /* CREATE TEMPORARY TABLE staging */
    const char *copy;    /* COPY staging FROM STDIN */
    /* Give rows that cannot be taken a reason; ended by NULL. */
    const char *const *checks;
    /* COPY of line, position, reason, identifier and columns of those rows, as CSV. */
    const char *rejected;
    /* Make things of the others, of so many at a time as the table span says. Each is a COPY of
     * counts: added and changed; ended by NULL. */
    const char *const *merges;
    const char *last; /* what takes all things to be there; may be NULL */
};

extern const struct import_statements import_statements[IMPORT_KIND_COUNT];

/* Of all kinds, as SQL text: the columns that the staging tables begin with, how the copy names
 * them, and a reason for identifiers that stand twice. */
#define IMPORT_STAGING_COLUMNS                                                           \
    "n bigint, line bigint, position bigint, source text, identifier text, reason text," \
    " known bigint"
#define IMPORT_COPY(columns) \
    "COPY staging (n, line, position, source, identifier, " columns ") FROM STDIN"
#define IMPORT_REJECTED(columns)                                        \
    "COPY (SELECT line, position, reason, identifier, source, " columns \
    " FROM staging WHERE reason IS NOT NULL ORDER BY n) TO STDOUT (FORMAT csv)"
#define IMPORT_TWICE IMPORT_TWICE_AMONG("true")
/* The same where a source counts its things kind by kind, and an expression tells the kind. Only
 * those are compared whose hash another one has, which are few; that there are none is known in a
 * third of the time. */
#define IMPORT_TWICE_AMONG(kind)                                                                      \
    "CREATE TEMPORARY TABLE twice ON COMMIT DROP AS SELECT n, first FROM ("                           \
    " SELECT n, first_value(line) OVER alike AS first, row_number() OVER alike AS place FROM staging" \
    " WHERE (SELECT count(*) > count(DISTINCT " IMPORT_HASH ") FROM staging)"                         \
    " AND " IMPORT_HASH " IN (SELECT " IMPORT_HASH " FROM staging GROUP BY 1 HAVING count(*) > 1)"    \
    " WINDOW alike AS (PARTITION BY source, identifier, " kind " ORDER BY n)) w WHERE place > 1",     \
        "ANALYZE twice",                                                                              \
        "UPDATE staging s SET reason = 'identifier: stands in line ' || t.first || ' already'"        \
        " FROM twice t WHERE t.n = s.n"
#define IMPORT_HASH "hashtextextended(identifier, 0)"
/* Which rows are of things that are here already: those that came of such a row before, and those
 * that this service itself exported. The condition begins with AND, or is empty. */
#define IMPORT_KNOW(table, key, condition)                                         \
    "UPDATE staging s SET known = x." key " FROM " table "_source x WHERE s.known" \
    " IS NULL AND x.source = s.source AND x.identifier = s.identifier" condition
#define IMPORT_KNOW_OWN(table, key, condition)                                                  \
    "UPDATE staging s SET known = t." key " FROM " table " t WHERE s.known IS NULL"             \
    " AND s.source = (SELECT name FROM service) AND t." key " = " IMPORT_NUMBER("s.identifier") \
        condition
#define IMPORT_NUMBER(text) "CASE WHEN " text " ~ '^[0-9]{1,18}$' THEN " text "::bigint END"
/* Who is named by an email address, each as it is written, looked up once; without a user where
 * that is nobody. And rows that name nobody. */
#define IMPORT_NAME_USERS(column)                                                              \
    "CREATE TEMPORARY TABLE named ON COMMIT DROP AS SELECT w.written, u.user_id"               \
    " FROM (SELECT DISTINCT " column " AS written FROM staging) w"                             \
    " LEFT JOIN user_account u ON lower(u.email) = lower(w.written)",                          \
        "ANALYZE named",                                                                       \
        "UPDATE staging s SET reason = '" column                                               \
        ": no user has this email address' WHERE (SELECT bool_or(user_id IS NULL) FROM named)" \
        " AND reason IS NULL AND (" column " IS NULL OR " column                               \
        " IN (SELECT written FROM named WHERE user_id IS NULL))"
/* A thing that is named by an identifier of a source, or by "#" and its own. */
#define IMPORT_NAMED(name, source, table, key)                                                   \
    "CASE WHEN " name " ~ '^#[0-9]{1,18}$' THEN (SELECT t." key " FROM " table " t WHERE t." key \
    " = substr(" name ", 2)::bigint) ELSE coalesce((SELECT x." key " FROM " table                \
    "_source x WHERE x.source = " source " AND x.identifier = " name "), (SELECT t." key         \
    " FROM " table " t, service o WHERE o.name = " source " AND t." key                          \
    " = " IMPORT_NUMBER(name) ")) END"
/* The same of a column, which names one of the row's own source: its number is that of another
 * column after resolving. */
#define IMPORT_RESOLVE(column, table, key)                                                        \
    "UPDATE staging s SET " key                                                                   \
    " = " IMPORT_NAMED("s." column, "s.source", table, key) " WHERE reason IS NULL AND s." column \
                                                            " IS NOT NULL"
#define IMPORT_UNRESOLVED(column, key)                                                       \
    "UPDATE staging SET reason = '" column ": no such thing of this source' WHERE reason IS" \
    " NULL AND " column " IS NOT NULL AND " key " IS NULL"

/** Whether there is a database, for what begins much later. */
enum status import_look(struct db *db) MUST_CHECK;
/** Begins the transaction and the COPY into the staging table. */
enum status import_begin(struct db *db, enum import_kind kind) MUST_CHECK;
/** Ends the COPY and checks the rows. Rejected ones go to the function, as lines of CSV. */
enum status import_check(struct db *db, enum import_kind kind, db_line_function *function,
                         void *context) MUST_CHECK;

struct import_counts {
    int64_t added;
    int64_t changed;
};

/** Called with how many of the rows are done. */
typedef void import_progress(void *context, int64_t rows);

/** Makes things of those rows that are left, of so many that were staged, and commits. */
enum status import_finish(struct db *db, enum import_kind kind, int64_t rows,
                          import_progress *progress, void *context,
                          struct import_counts *counts) MUST_CHECK;
/** Takes everything back. */
enum status import_abandon(struct db *db) MUST_CHECK;

#endif
