/*
 * A statement of the registry: constant SQL, prepared once under its name on every connection that
 * has a use for it, unless the connection is short (db_options.unprepared). Each store keeps a
 * table of its own; store/registry.h gathers them.
 */
#ifndef MAPDIARY_DB_STATEMENT_H
#define MAPDIARY_DB_STATEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whose connections have a statement prepared; or, with DB_OPENING, carry it out once, before those
 * that come after it in the registry are prepared. */
enum db_use { DB_SERVICE = 1, DB_ADMIN = 2, DB_ALL = DB_SERVICE | DB_ADMIN, DB_OPENING = 4 };

/* So many go into a batch; one more is a fault of the program, which ends. */
enum { DB_BATCH_MOST = 8 };

struct db_statement {
    const char *name;
    const char *sql;
    /* It changes or locks rows: the batch becomes one transaction that is never sent twice. */
    bool writes;
    unsigned use; /* enum db_use */
};

/* The end of a table of statements. */
#define DB_STATEMENTS_END {.name = NULL}

/* A parameter. The bytes that it points at must outlive the batch's run. */
struct db_value {
    enum { DB_VALUE_NULL, DB_VALUE_INTEGER, DB_VALUE_TEXT, DB_VALUE_BYTES } kind;
    int64_t integer;
    const void *bytes;
    size_t length;
};

static inline struct db_value db_integer(int64_t value)
{
    return (struct db_value){.kind = DB_VALUE_INTEGER, .integer = value};
}

/** NULL is SQL's NULL. */
static inline struct db_value db_text(const char *text)
{
    return (struct db_value){.kind = text == NULL ? DB_VALUE_NULL : DB_VALUE_TEXT, .bytes = text};
}

static inline struct db_value db_bytes(const void *bytes, size_t length)
{
    return (struct db_value){.kind = DB_VALUE_BYTES, .bytes = bytes, .length = length};
}

/** An identifier; 0, which is none, is SQL's NULL. */
static inline struct db_value db_id(int64_t id)
{
    struct db_value none = {.kind = DB_VALUE_NULL};
    return id == 0 ? none : db_integer(id);
}

#endif
