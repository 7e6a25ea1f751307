#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "auth/key.h"
#include "ctl/groups.h"
#include "ctl/probe.h"
#include "store/cluster.h"
#include "store/schema.h"

enum { URL };

static const struct parameter parameters[] = {
    [URL] = {.name = "url",
             .type = {VALUE_LINE, RANGE(1, 1000)},
             .value = "URL",
             .meaning = "where the web server answers (http://localhost/API.php)"},
    PARAMETERS_END,
};

/* What is known so far. */
struct visit {
    struct invocation *run;
    struct config config;
    struct cluster_session session;
    struct command_db service;
    bool sick;
};

static void find(struct visit *visit, const char *check, bool good, const char *advice,
                 const char *format, ...) __attribute__((format(printf, 5, 6)));

/* The advice is only for what is not good. */
static void find(struct visit *visit, const char *check, bool good, const char *advice,
                 const char *format, ...)
{
    char finding[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(finding, sizeof finding, format, arguments);
    va_end(arguments);
    struct output *out = visit->run->out;
    output_object(out, NULL);
    output_text(out, "check", check);
    output_text(out, "state", good ? "ok" : "FAILED");
    output_text(out, "finding", finding);
    output_text(out, "advice", good ? NULL : advice);
    output_end(out);
    visit->sick = visit->sick || !good;
}

static bool check_database(struct visit *visit)
{
    bool good = cluster_look_at_session(visit->service.batch, &visit->session) == STATUS_OK;
    if (good)
        find(visit, "database", true, NULL, "PostgreSQL %s as %s", visit->session.version,
             visit->session.role);
    else
        find(visit, "database", false,
             "see that PostgreSQL runs and lets that role in (pg_hba.conf); where it is new: "
             "sudo mapdiaryctl setup",
             "no connection to: %s", visit->config.database);
    return good;
}

static void check_roles(struct visit *visit)
{
    const struct cluster_session *session = &visit->session;
    find(visit, "roles", !session->superuser && !session->owns,
         "let 'database' name the role " CLUSTER_SERVICE_ROLE
         ", which only reads and writes rows, and 'admin_database' the one that owns the tables",
         "%s %s", session->role,
         session->superuser ? "is a superuser"
         : session->owns    ? "may change the schema"
                            : "reads and writes rows, and no more");
}

static void check_clock(struct visit *visit)
{
    enum { SECONDS_MOST = 5 };
    long long apart = llabs((long long)time(NULL) - (long long)visit->session.time);
    find(visit, "clock", apart <= SECONDS_MOST,
         "let both machines keep time by NTP: signed requests are good for 300 s",
         "%lld s from that of the database", apart);
}

static void report_schema(struct visit *visit, const struct schema *schema,
                          const struct migrations *applied)
{
    static const char advice[] = "mapdiaryctl migrate (on PostgreSQL's machine: sudo mapdiaryctl "
                                 "setup)";
    size_t pending = schema_pending(schema, applied);
    if (!schema_agrees(schema, applied))
        find(visit, "schema", false, "install the release that made this database, or a newer one",
             "not that of the files in %s", visit->config.schema_directory);
    else
        find(visit, "schema", pending == 0, advice, "%zu migrations applied, %zu pending",
             applied->count, pending);
}

static void check_schema(struct visit *visit)
{
    struct command_db record;
    struct schema schema = {0};
    struct migrations applied = {0};
    struct arena *arena = visit->run->arena;
    bool there = visit->session.schema;
    command_db_open(&record, &visit->config, visit->config.database, migration_registry);
    if (schema_read(visit->config.schema_directory, arena, &schema) != STATUS_OK)
        find(visit, "schema", false, "let 'schema_directory' name the installed migrations",
             "no migrations in %s", visit->config.schema_directory);
    else if (there && migration_list(record.batch, arena, &applied) != STATUS_OK)
        find(visit, "schema", false, "look at the log of PostgreSQL", "cannot be read");
    else
        report_schema(visit, &schema, &applied);
    command_db_close(&record);
    schema_free(&schema);
}

static void check_master_key(struct visit *visit)
{
    struct master_key master;
    const char *path = visit->config.master_key_file;
    enum status status = master_key_read(path, &master);
    explicit_bzero(&master, sizeof master);
    bool needed = visit->config.signatures == SIGNATURES_REQUIRE;
    find(visit, "key file", status == STATUS_OK || (status == STATUS_KEY_UNKNOWN && !needed),
         "mapdiaryctl key init makes it; it must have mode 0600 and belong to the service's user",
         "%s: %s", path,
         status == STATUS_OK            ? "good"
         : status == STATUS_KEY_UNKNOWN ? "not there; nobody has a key"
                                        : "cannot be used, see above");
}

static void check_socket(struct visit *visit)
{
    char reason[PROBE_REASON_SIZE] = "accepts connections";
    bool good = probe_socket(visit->config.listen, reason);
    find(visit, "socket", good,
         "start the service (systemctl start mapdiary), or run this as a user who may connect",
         "%s: %s", visit->config.listen, reason);
}

static void check_web_server(struct visit *visit)
{
    const char *url = visit->run->values[URL].text;
    char reason[PROBE_REASON_SIZE] = "the service answers";
    url = url != NULL ? url : "http://localhost/API.php";
    bool good = probe_service(url, reason);
    find(visit, "web server", good,
         "include the shipped nginx/mapdiary.conf in a server block, or say --url", "%s: %s", url,
         reason);
}

static void check_all(struct visit *visit)
{
    command_db_open(&visit->service, &visit->config, visit->config.database, cluster_registry);
    if (check_database(visit)) {
        check_roles(visit);
        check_clock(visit);
        check_schema(visit);
    }
    command_db_close(&visit->service);
    check_master_key(visit);
    check_socket(visit);
    check_web_server(visit);
}

static int doctor(struct invocation *run)
{
    struct visit visit = {.run = run};
    bool readable = config_read(&visit.config, run->config_path) == STATUS_OK;
    find(&visit, "configuration", readable,
         "mend the lines named above (mapdiaryd -T shows all keys)", "%s", run->config_path);
    if (readable)
        check_all(&visit);
    config_free(&visit.config);
    if (!readable)
        return EXIT_CONFIGURATION;
    return visit.sick ? EXIT_FAILED : EXIT_DONE;
}

const struct command doctor_commands[] = {
    {.summary =
         "check configuration, database, schema, roles, clock, key file, socket and web server",
     .details = "Each finding that is not good comes with what to do about it, and makes the exit\n"
                "status 1.",
     .parameters = parameters,
     .shows = SHOWS_LIST,
     .needs_no_config = true,
     .run = doctor},
    COMMANDS_END,
};
