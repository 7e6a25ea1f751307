#include "store/cluster.h"

enum { LOOK, SESSION, ROOM, TIMEZONE };

#define ROLE_IS_THERE(name) "EXISTS (SELECT FROM pg_roles WHERE rolname = '" name "')"
#define DATABASE_IS_THERE "EXISTS (SELECT FROM pg_database WHERE datname = '" CLUSTER_DATABASE "'"

static const struct db_statement statements[] = {
    /* clang-format off */
    [LOOK] = {"cluster_look",
              "SELECT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user), "
              ROLE_IS_THERE(CLUSTER_OWNER_ROLE) ", " ROLE_IS_THERE(CLUSTER_SERVICE_ROLE) ","
              " EXISTS (SELECT FROM pg_auth_members WHERE"
              " roleid = to_regrole('" CLUSTER_VISITOR_ROLE "')"
              " AND member = to_regrole('" CLUSTER_SERVICE_ROLE "')), "
              ROLE_IS_THERE(CLUSTER_MAIL_ROLE) ", "
              DATABASE_IS_THERE "), " DATABASE_IS_THERE " AND encoding = 6 AND"
              " datdba = (SELECT oid FROM pg_roles WHERE rolname = '" CLUSTER_OWNER_ROLE "'))",
              "bbbbbbb", false, DB_ADMIN},
    /* clang-format on */
    /* Without the schema, its name is NULL, and so is what may be done with it. */
    [SESSION] = {"cluster_session",
                 "SELECT current_user::text, current_setting('server_version'),"
                 " (SELECT rolsuper FROM pg_roles WHERE rolname = current_user),"
                 " to_regnamespace('mapdiary') IS NOT NULL,"
                 " coalesce(has_schema_privilege(to_regnamespace('mapdiary'), 'CREATE'), false),"
                 " coalesce(pg_has_role(to_regrole('" CLUSTER_VISITOR_ROLE "'), 'MEMBER'), false),"
                 " clock_timestamp()",
                 "ttbbbbz", false, DB_ADMIN},
    /* Anybody may see whose a session is; processes of the server itself have no user. */
    [ROOM] = {"cluster_room",
              "SELECT least(current_setting('max_connections')::bigint"
              " - current_setting('superuser_reserved_connections')::bigint"
              " - coalesce(current_setting('reserved_connections', true)::bigint, 0),"
              " (SELECT nullif(rolconnlimit, -1) FROM pg_roles WHERE rolname = session_user),"
              " (SELECT nullif(datconnlimit, -1) FROM pg_database"
              "  WHERE datname = current_database())),"
              " (SELECT count(*) FROM pg_stat_activity"
              "  WHERE usesysid IS NOT NULL AND datid IS NOT NULL AND (usename <> session_user"
              "  OR client_addr IS DISTINCT FROM inet_client_addr()))",
              "ll", false, DB_ADMIN},
    [TIMEZONE] = {"cluster_timezone",
                  "SELECT name FROM pg_timezone_names"
                  " WHERE strpos(lower(name), replace(lower($1), ' ', '_')) > 0"
                  " ORDER BY length(name), name LIMIT 1",
                  "t", false, DB_ADMIN},
    DB_STATEMENTS_END,
};

const struct db_statement *const cluster_registry[] = {statements, NULL};

enum status cluster_look(struct db_batch *batch, struct cluster *cluster)
{
    const struct db_rows *rows = db_batch_add(batch, &statements[LOOK], NULL, 0);
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
enum status cluster_create_database(struct db *db)
{
    return db_script(db, "CREATE DATABASE " CLUSTER_DATABASE " OWNER " CLUSTER_OWNER_ROLE
                         " TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C.UTF-8'");
}

/* To CLUSTER_SERVICE_ROLE; and what the schema itself knows. */
static const char grants[] =
    "BEGIN;"
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
    return db_script_with_patience(db, grants);
}

enum status cluster_look_at_session(struct db_batch *batch, struct cluster_session *session)
{
    const struct db_rows *rows = db_batch_add(batch, &statements[SESSION], NULL, 0);
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
    const struct db_rows *rows = db_batch_add(batch, &statements[ROOM], NULL, 0);
    enum status status = db_batch_run(batch);
    if (status != STATUS_OK)
        return status;
    struct db_row row = db_row(rows, 0);
    room->most = db_read_integer(&row);
    room->others = db_read_integer(&row);
    return STATUS_OK;
}

enum status cluster_find_timezone(struct db_batch *batch, const char *like, const char **name)
{
    const struct db_rows *rows = DB_ADD(batch, &statements[TIMEZONE], db_text(like));
    enum status status = db_batch_run(batch);
    *name = NULL;
    if (status == STATUS_OK && db_rows_count(rows) > 0) {
        struct db_row row = db_row(rows, 0);
        *name = db_read_text(&row);
    }
    return status;
}
