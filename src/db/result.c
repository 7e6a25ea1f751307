/*
 * Reads columns in PostgreSQL's binary formats.
 */
#include "db/result.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "db/rows.h"

/* PostgreSQL's own type numbers, fixed for ever: src/include/catalog/pg_type.dat. */
enum {
    OID_BOOL = 16,
    OID_INT8 = 20,
    OID_INT2 = 21,
    OID_INT4 = 23,
    OID_DATE = 1082,
    OID_TSTZ = 1184
};

size_t db_rows_count(const struct db_rows *rows)
{
    return rows->result == NULL ? 0 : (size_t)PQntuples(rows->result);
}

struct db_row db_row(const struct db_rows *rows, size_t index)
{
    return (struct db_row){.rows = rows, .row = (int)index};
}

bool db_next_is_null(const struct db_row *row)
{
    return PQgetisnull(row->rows->result, row->row, row->column);
}

static Oid column_type(const struct db_row *row)
{
    return PQftype(row->rows->result, row->column);
}

enum db_type db_next_type(const struct db_row *row)
{
    switch (column_type(row)) {
    case OID_BOOL:
        return DB_TYPE_BOOLEAN;
    case OID_INT2:
    case OID_INT4:
    case OID_INT8:
        return DB_TYPE_INTEGER;
    case OID_DATE:
        return DB_TYPE_DATE;
    case OID_TSTZ:
        return DB_TYPE_TIME;
    default:
        return DB_TYPE_TEXT;
    }
}

/* The bytes of the next column, which has this type; NULL for SQL's NULL. */
static const char *next(struct db_row *row, enum db_type type)
{
    PGresult *result = row->rows->result;
    int column = row->column;
    if (db_next_type(row) != type) {
        log_error("column %d (%s) has the type %u", column, PQfname(result, column),
                  column_type(row));
        abort();
    }
    row->column++;
    return PQgetisnull(result, row->row, column) ? NULL : PQgetvalue(result, row->row, column);
}

/* Integers come in network byte order. */
static int64_t big_endian(const char *bytes, size_t size)
{
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++)
        value = value << 8 | (unsigned char)bytes[i];
    unsigned int unused = 64 - 8 * (unsigned int)size;
    return (int64_t)(value << unused) >> unused;
}

static int64_t next_integer(struct db_row *row, enum db_type type)
{
    size_t size = (size_t)PQfsize(row->rows->result, row->column);
    const char *bytes = next(row, type);
    return bytes == NULL ? 0 : big_endian(bytes, size);
}

bool db_read_boolean(struct db_row *row)
{
    return next_integer(row, DB_TYPE_BOOLEAN) != 0;
}

int64_t db_read_integer(struct db_row *row)
{
    return next_integer(row, DB_TYPE_INTEGER);
}

/* libpq puts a NUL after every value, and no text of PostgreSQL has one inside. */
const char *db_read_text(struct db_row *row)
{
    return next(row, DB_TYPE_TEXT);
}

const char *db_read_copy(struct db_row *row, struct arena *arena)
{
    const char *text = db_read_text(row);
    return text != NULL ? arena_copy(arena, text, strlen(text)) : NULL;
}

struct date db_read_date(struct db_row *row)
{
    if (db_next_is_null(row)) {
        db_skip_column(row);
        return (struct date){0};
    }
    return date_from_postgres((int32_t)next_integer(row, DB_TYPE_DATE));
}

int64_t db_read_epoch(struct db_row *row)
{
    const char *bytes = next(row, DB_TYPE_TIME);
    if (bytes == NULL)
        return TIME_NONE;
    enum { EPOCH_TO_2000 = 946684800, MICROSECONDS = 1000000 };
    int64_t microseconds = big_endian(bytes, 8);
    int64_t seconds = microseconds / MICROSECONDS - (microseconds % MICROSECONDS < 0);
    return seconds + EPOCH_TO_2000;
}

size_t db_columns_left(const struct db_row *row)
{
    return (size_t)(PQnfields(row->rows->result) - row->column);
}

void db_skip_column(struct db_row *row)
{
    row->column++;
}
