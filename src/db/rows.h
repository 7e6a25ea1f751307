/*
 * The rows of a statement as libpq has them: run.c puts them here, result.c reads them.
 */
#ifndef MAPDIARY_DB_ROWS_H
#define MAPDIARY_DB_ROWS_H

#include <libpq-fe.h>

struct db_rows {
    PGresult *result; /* NULL: they have not come */
};

#endif
