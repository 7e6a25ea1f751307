/*
 * Looks whether an idle connection was closed before anything is sent on it.
 */
#include "db/live.h"

#include "base/log.h"
#include "db/internal.h"

PGconn *db_live(struct db *db)
{
    if (db->phase == DB_READY)
        db_advance(db);
    return db_connect(db) == STATUS_OK ? db->connection : NULL;
}

PGconn *db_transaction(struct db *db)
{
    if (db->phase == DB_READY)
        db_advance(db);
    if (db->phase == DB_READY && PQtransactionStatus(db->connection) != PQTRANS_IDLE)
        return db->connection;
    log_error("database: the connection was lost, and so was its transaction");
    return NULL;
}
