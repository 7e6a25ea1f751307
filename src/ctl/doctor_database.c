#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "auth/key.h"
#include "base/clock.h"
#include "base/user.h"
#include "ctl/migrate.h"
#include "ctl/visit.h"
#include "db/conninfo.h"
#include "settings/settings.h"
#include "store/cluster.h"
#include "store/indexer.h"
#include "store/registry.h"
#include "store/schema.h"
#include "store/trial.h"

#define AS_SETUP "dbname=" CLUSTER_DATABASE " user=" CLUSTER_SERVICE_ROLE

/* The connection ------------------------------------------------------------------------------- */

static const char *advise_away(const struct visit *visit)
{
    const char *host = db_conninfo_value(visit->config.database, "host", visit->run->arena);
    if (host != NULL && *host != '/')
        return visit_advise(visit,
                            "let PostgreSQL run on %s, and take connections there "
                            "(listen_addresses of postgresql.conf, and firewalls)",
                            host);
    return host == NULL ? visit_advise_cluster(visit) : "sudo systemctl restart postgresql";
}

static bool has_other_role(const struct visit *visit)
{
    const char *role = db_conninfo_value(visit->config.database, "user", visit->run->arena);
    return role != NULL && strcmp(role, CLUSTER_SERVICE_ROLE) != 0;
}

/* The service's user is the owner of its spool, who is also whom root has become. */
static bool is_service(const struct visit *visit)
{
    return geteuid() != getuid() || euidaccess(visit->config.spool_directory, W_OK) == 0;
}

static const char *advise_refused(const struct visit *visit)
{
    const char *path = visit->run->config_path;
    if (db_conninfo_value(visit->config.database, "password", visit->run->arena) != NULL)
        return visit_advise(visit,
                            "let 'database' in %s have the role and the password that "
                            "PostgreSQL has, then: sudo systemctl restart mapdiary; "
                            "if PostgreSQL has no such role or database, there: "
                            "sudo mapdiaryctl setup",
                            path);
    if (!is_service(visit))
        return "sudo mapdiaryctl doctor";
    if (has_other_role(visit))
        return visit_advise(visit,
                            "let 'database' in %s say " AS_SETUP ", as setup makes them, then: "
                            "sudo mapdiaryctl setup && sudo systemctl restart mapdiary",
                            path);
    return "sudo mapdiaryctl setup";
}

static const char *advise_workers(const struct visit *visit, long long workers)
{
    return visit_advise(visit,
                        "let 'workers' in %s be %lld, or let PostgreSQL have more connections "
                        "(max_connections of postgresql.conf), then: "
                        "sudo systemctl restart mapdiary",
                        visit->run->config_path, workers);
}

/* Only a connection could tell how many connections there are. */
static const char *advise_full(const struct visit *visit)
{
    enum { USUAL = 8 };
    long long workers = visit->config.workers;
    return advise_workers(visit, workers > USUAL ? USUAL : (workers + 1) / 2);
}

static const char *advise(const struct visit *visit, enum db_failure failure)
{
    switch (failure) {
    case DB_FAILURE_AWAY:
    case DB_FAILURE_NO_TCP:
        return advise_away(visit);
    case DB_FAILURE_FULL:
        return advise_full(visit);
    case DB_FAILURE_REFUSED:
        return advise_refused(visit);
    case DB_FAILURE_POOLER:
        return "set PgBouncer's pool_mode = session";
    case DB_FAILURE_NONE:
    case DB_FAILURE_TIMEZONE:
    case DB_FAILURE_SCHEMA:
        break;
    }
    return NULL; /* these have checks of their own */
}

/* What is asked of the other side, on one connection. */
struct asking {
    enum db_failure failure; /* of a connection as a worker has it */
    struct trial trial;
    struct cluster_session session;
};

static bool try_connection(const struct visit *visit, struct asking *asking,
                           char reason[static TRIAL_REASON_SIZE])
{
    const char *conninfo = visit->config.database;
    asking->failure = trial_connect(&visit->config, conninfo, TRIAL_PATIENCE, reason);
    if (advise(visit, asking->failure) != NULL)
        return false;
    trial_open(&asking->trial, conninfo, cluster_registry);
    if (cluster_look_at_session(asking->trial.batch, &asking->session) == STATUS_OK)
        return true;
    trial_close(&asking->trial);
    asking->failure = DB_FAILURE_AWAY;
    snprintf(reason, TRIAL_REASON_SIZE, "the connection was lost");
    return false;
}

/* Connections of those before a restart may not have ended, or those of now end just then. */
static bool check_connection(struct visit *visit, struct asking *asking)
{
    char reason[TRIAL_REASON_SIZE];
    int64_t began_at = clock_milliseconds();
    bool is_there;
    do
        is_there = try_connection(visit, asking, reason);
    while (asking->failure == DB_FAILURE_FULL && visit_wait(visit, began_at));
    if (is_there)
        visit_find(visit, "database", true, NULL, "PostgreSQL %s as %s", asking->session.version,
                   asking->session.role);
    else
        visit_find(visit, "database", false, advise(visit, asking->failure), "%s", reason);
    return is_there;
}

/* What is on the other side -------------------------------------------------------------------- */

static void check_timezone(struct visit *visit, struct trial *trial, bool is_known)
{
    const char *like = NULL, *name = visit->config.timezone;
    if (!is_known && cluster_find_timezone(trial->batch, name, &like) != STATUS_OK)
        like = NULL;
    visit_find(visit, "time zone", is_known,
               visit_advise(visit,
                            "let 'timezone' in %s be one that PostgreSQL knows, such as %s, then: "
                            "sudo systemctl restart mapdiary",
                            visit->run->config_path, like != NULL ? like : "Asia/Taipei"),
               "%s%s", name,
               is_known ? "" : ": PostgreSQL knows no such time zone; " SETTINGS_OLD_TIMEZONES);
}

static const char *advise_other_role(const struct visit *visit)
{
    bool is_local = db_conninfo_is_local(visit->config.database);
    return visit_advise(visit, "let 'database' in %s %s, then: sudo systemctl restart mapdiary",
                        visit->run->config_path,
                        is_local ? "say " AS_SETUP
                                 : "name the role " CLUSTER_SERVICE_ROLE
                                   ", which only reads and writes rows");
}

static const char *advise_visitor(const struct visit *visit)
{
    return db_conninfo_is_local(visit->config.database)
               ? "sudo mapdiaryctl setup"
               : "as the superuser of PostgreSQL: CREATE ROLE " CLUSTER_VISITOR_ROLE
                 "; GRANT " CLUSTER_VISITOR_ROLE " TO " CLUSTER_SERVICE_ROLE;
}

static void check_roles(struct visit *visit, const struct cluster_session *session)
{
    bool is_too_much = session->superuser || session->owns;
    visit_find(visit, "roles", !is_too_much && session->visits,
               is_too_much ? advise_other_role(visit) : advise_visitor(visit), "%s %s",
               session->role,
               session->superuser ? "is a superuser"
               : session->owns    ? "may change the schema"
               : !session->visits ? "is not a member of " CLUSTER_VISITOR_ROLE
                                  : "reads and writes rows, and no more");
}

static void check_clock(struct visit *visit, const struct cluster_session *session)
{
    enum { SECONDS_MOST = 5 };
    long long apart = llabs((long long)time(NULL) - (long long)session->time);
    visit_find(visit, "clock", apart <= SECONDS_MOST,
               "let both machines keep time by NTP: signed requests are good for 300 s",
               "%lld s from that of the database", apart);
}

static void check_room(struct visit *visit, struct trial *trial)
{
    struct cluster_room room;
    if (cluster_look_at_room(trial->batch, &room) != STATUS_OK)
        return;
    long long workers = visit->config.workers, most = room.most, left = most - room.others;
    visit_find(visit, "connections", workers + 1 <= left,
               advise_workers(visit, left > 2 ? left * 9 / 10 : 1),
               "%lld workers and mapdiaryctl, of %lld that PostgreSQL has and others leave",
               workers, left);
}

static void check_other_side(struct visit *visit, struct asking *asking)
{
    struct trial *trial = &asking->trial;
    check_roles(visit, &asking->session);
    check_clock(visit, &asking->session);
    db_batch_reset(trial->batch);
    check_timezone(visit, trial, asking->failure != DB_FAILURE_TIMEZONE);
    db_batch_reset(trial->batch);
    check_room(visit, trial);
    trial_close(trial);
}

/* Schema --------------------------------------------------------------------------------------- */

static void report_schema(struct visit *visit, const struct schema *schema,
                          const struct migrations *applied, bool is_prepared)
{
    size_t pending = schema_pending(schema, applied);
    bool agrees = schema_agrees(schema, applied);
    visit->has_schema = agrees && pending == 0 && is_prepared;
    if (!agrees)
        visit_find(visit, "schema", false,
                   "install the release of mapdiary that made this database, or a newer one",
                   "not that of the files in %s", visit->config.schema_directory);
    else
        visit_find(visit, "schema", visit->has_schema,
                   pending > 0 ? "sudo mapdiaryctl migrate; if the database is on another "
                                 "machine, with an 'admin_database' that leads there"
                               : "sudo mapdiaryctl setup",
                   "%zu migrations applied, %zu pending%s", applied->count, pending,
                   pending == 0 && !is_prepared ? "; the service may not use it" : "");
}

static void check_schema(struct visit *visit, bool is_there, bool is_prepared)
{
    struct trial record;
    struct schema schema = {0};
    struct migrations applied = {0};
    const char *directory = visit->config.schema_directory;
    const char *stranger =
        is_there ? migrate_find_stranger(&visit->config, visit->config.database, visit->run->arena)
                 : NULL;
    trial_open(&record, visit->config.database, migration_registry);
    if (stranger != NULL)
        visit_find(visit, "schema", false, MIGRATE_RESTORE_AGAIN,
                   "it belongs to the role %s, as after a restore with --no-owner", stranger);
    else if (schema_read(directory, visit->run->arena, &schema) != STATUS_OK)
        visit_find(visit, "schema", false, "let 'schema_directory' name the installed migrations",
                   "no migrations in %s", directory);
    else if (is_there && migration_list(record.batch, record.arena, &applied) != STATUS_OK)
        visit_find(visit, "schema", false, "sudo mapdiaryctl setup", "cannot be read: %s",
                   db_reason(record.db));
    else
        report_schema(visit, &schema, &applied, is_prepared);
    trial_close(&record);
    schema_free(&schema);
}

/* The key file --------------------------------------------------------------------------------- */

static enum status count_row(void *context, struct db_row *row)
{
    size_t *count = context;
    (void)row;
    ++*count;
    return STATUS_OK;
}

static size_t count_applications(const struct visit *visit)
{
    struct trial trial;
    size_t count = 0;
    trial_open(&trial, visit->config.database, store_registry);
    if (visit->has_database && application_list(trial.batch, count_row, &count) != STATUS_OK)
        count = 0;
    trial_close(&trial);
    return count;
}

static void report_missing_key(struct visit *visit, const char *path)
{
    size_t count = count_applications(visit);
    bool is_needed = count > 0 || visit->config.signatures == SIGNATURES_REQUIRE;
    visit_find(visit, "key file", !is_needed,
               count > 0 ? "put back the copy of it; if there is no copy: sudo mapdiaryctl key "
                           "init, and sudo mapdiaryctl key add anew for each application"
                         : "sudo mapdiaryctl key init && sudo systemctl restart mapdiary",
               "%s: not there; %s", path,
               count > 0 ? visit_advise(visit, "%zu applications have keys", count)
                         : "nobody has a key");
}

static void check_master_key(struct visit *visit)
{
    struct master_key master;
    const char *path = visit->config.master_key_file;
    enum status status = master_key_read(path, &master);
    explicit_bzero(&master, sizeof master);
    if (status == STATUS_KEY_UNKNOWN)
        report_missing_key(visit, path);
    else
        visit_find(visit, "key file", status == STATUS_OK,
                   visit_advise(visit,
                                "sudo chown %s %s && sudo chmod 600 %s && "
                                "sudo systemctl restart mapdiary; if the file is no master key, "
                                "put back the copy of it",
                                user_name(), path, path),
                   "%s: %s", path, status == STATUS_OK ? "good" : "cannot be used, see above");
}

/* Counts ----------------------------------------------------------------------------------------
 */

/* As long as it takes, as everything is counted. */
static void check_counts(struct visit *visit)
{
    struct trial trial;
    struct indexer_state state;
    trial_open(&trial, visit->config.database, store_registry);
    trial.options.timeout = 0;
    if (indexer_look(trial.batch, &state) != STATUS_OK)
        visit_find(visit, "finding", false, "sudo mapdiaryctl migrate", "cannot be looked at: %s",
                   db_reason(trial.db));
    else
        visit_find(visit, "finding", state.wrong == 0 && state.lost == 0,
                   "sudo mapdiaryctl recount",
                   "%lld counts wrong, %lld pieces without their words, %lld waiting",
                   (long long)state.wrong, (long long)state.lost, (long long)state.waiting);
    trial_close(&trial);
}

void visit_database(struct visit *visit)
{
    struct asking asking = {.failure = DB_FAILURE_AWAY};
    visit->has_database = check_connection(visit, &asking);
    if (visit->has_database) {
        check_other_side(visit, &asking);
        check_schema(visit, asking.session.schema, asking.failure != DB_FAILURE_SCHEMA);
        if (asking.failure == DB_FAILURE_NONE)
            check_counts(visit);
    }
    visit_clusters(visit);
    check_master_key(visit);
}
