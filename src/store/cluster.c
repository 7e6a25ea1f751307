#include "store/cluster.h"

#include <string.h>

#include "store/migration.h"
#include "store/statements.h"

const struct db_statement *const cluster_registry[] = {cluster_statements, NULL};

enum status cluster_look(struct db_batch *batch, const char *database, struct cluster *cluster)
{
    const struct db_rows *rows = DB_ADD(batch, SQL_CLUSTER_LOOK, db_text(database));
    enum status status = db_batch_run(batch);
    if (status != STATUS_OK)
        return status;
    struct db_row row = db_row(rows, 0);
    cluster->superuser = db_read_boolean(&row);
    cluster->owner_role = db_read_boolean(&row);
    cluster->service_role = db_read_boolean(&row);
    cluster->visitor_role = db_read_boolean(&row);
    cluster->mail_role = db_read_boolean(&row);
    cluster->database = db_read_boolean(&row);
    cluster->fits = db_read_boolean(&row);
    return STATUS_OK;
}

enum status cluster_create_owner_role(struct db *db)
{
    return db_script(db, "CREATE ROLE " CLUSTER_OWNER_ROLE " LOGIN");
}

enum status cluster_create_service_role(struct db *db)
{
    return db_script(db, "CREATE ROLE " CLUSTER_SERVICE_ROLE " LOGIN");
}

enum status cluster_create_mail_role(struct db *db)
{
    return db_script(db, "CREATE ROLE " CLUSTER_MAIL_ROLE " LOGIN");
}

/* Where it is there already, the service's role may be new. */
enum status cluster_create_visitor_role(struct db *db)
{
    return db_script(db, "DO $$ BEGIN IF to_regrole('" CLUSTER_VISITOR_ROLE "') IS NULL THEN"
                         " CREATE ROLE " CLUSTER_VISITOR_ROLE "; END IF; END $$;"
                         "GRANT " CLUSTER_VISITOR_ROLE " TO " CLUSTER_SERVICE_ROLE);
}

/* Code points order texts here, whatever the machine's locale, so that no upgrade of the C library
 * changes an index. */
enum status cluster_create_database(struct db *db, const char *database)
{
    return db_script_with_name(db,
                               "CREATE DATABASE %I OWNER " CLUSTER_OWNER_ROLE
                               " TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C.UTF-8'",
                               database);
}

/* To CLUSTER_SERVICE_ROLE; and what the schema itself knows. */
static const char grants[] =
    "BEGIN; SET LOCAL lock_timeout = '1s';"
    "ALTER DEFAULT PRIVILEGES IN SCHEMA mapdiary"
    " GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO mapdiary;"
    "ALTER DEFAULT PRIVILEGES IN SCHEMA mapdiary GRANT USAGE ON SEQUENCES TO mapdiary;"
    "GRANT USAGE ON SCHEMA mapdiary TO mapdiary;"
    "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA mapdiary TO mapdiary;"
    "GRANT USAGE ON ALL SEQUENCES IN SCHEMA mapdiary TO mapdiary;"
    "REVOKE INSERT, UPDATE, DELETE ON mapdiary.migration, mapdiary.service FROM mapdiary;"
    "REVOKE UPDATE, DELETE ON mapdiary.decision FROM mapdiary;"
    "CALL mapdiary.show_pieces();"
    "CALL mapdiary.show_outbox();"
    "COMMIT";

enum status cluster_grant(struct db *db)
{
    enum status status = db_script(db, grants);
    if (status != STATUS_OK)
        migration_roll_back(db);
    return status;
}

enum status cluster_look_at_session(struct db_batch *batch, struct cluster_session *session)
{
    const struct db_rows *rows = db_batch_add(batch, SQL_CLUSTER_SESSION, NULL, 0);
    enum status status = db_batch_run(batch);
    if (status != STATUS_OK)
        return status;
    struct db_row row = db_row(rows, 0);
    session->role = db_read_text(&row);
    session->version = db_read_text(&row);
    session->superuser = db_read_boolean(&row);
    session->schema = db_read_boolean(&row);
    session->owns = db_read_boolean(&row);
    session->visits = db_read_boolean(&row);
    session->time = db_read_epoch(&row);
    return STATUS_OK;
}

enum status cluster_look_at_room(struct db_batch *batch, struct cluster_room *room)
{
    const struct db_rows *rows = db_batch_add(batch, SQL_CLUSTER_ROOM, NULL, 0);
    enum status status = db_batch_run(batch);
    if (status != STATUS_OK)
        return status;
    struct db_row row = db_row(rows, 0);
    room->most = db_read_integer(&row);
    room->others = db_read_integer(&row);
    return STATUS_OK;
}

/* The text of the only row, or NULL. */
static enum status run_for_text(struct db_batch *batch, const struct db_rows *rows,
                                const char **text)
{
    enum status status = db_batch_run(batch);
    *text = NULL;
    if (status == STATUS_OK && db_rows_count(rows) > 0) {
        struct db_row row = db_row(rows, 0);
        *text = db_read_text(&row);
    }
    return status;
}

enum status cluster_find_timezone(struct db_batch *batch, const char *like, const char **name)
{
    const char *slash = strrchr(like, '/');
    const char *place = slash != NULL ? slash + 1 : like;
    return run_for_text(batch, DB_ADD(batch, SQL_CLUSTER_TIMEZONE, db_text(place)), name);
}

enum status cluster_find_schema_owner(struct db_batch *batch, const char **role)
{
    return run_for_text(batch, db_batch_add(batch, SQL_CLUSTER_SCHEMA_OWNER, NULL, 0), role);
}
