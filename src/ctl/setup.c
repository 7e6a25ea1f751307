#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "auth/origin.h"
#include "base/log.h"
#include "base/user.h"
#include "cli/prompt.h"
#include "ctl/groups.h"
#include "ctl/migrate.h"
#include "ctl/patience.h"
#include "ctl/setting.h"
#include "db/conninfo.h"
#include "store/cluster.h"

enum { SUPERUSER, SYSTEM_USER, PUBLIC_URL, WHERE };

static const struct parameter parameters[] = {
    [SUPERUSER] = {.name = "superuser",
                   .type = {VALUE_LINE, RANGE(1, 2000)},
                   .value = "CONNECTION",
                   .meaning = "how to connect as the superuser, as keyword=value pairs of libpq "
                              "(the database postgres on the socket and port of 'database')"},
    [SYSTEM_USER] = {.name = "as",
                     .type = {VALUE_LINE, LINE_RANGE},
                     .value = "NAME",
                     .meaning = "as root, the user of the system to become (postgres)"},
    [PUBLIC_URL] = {.name = "public-url",
                    .type = {VALUE_LINE, RANGE(1, 1000)},
                    .value = "URL",
                    .meaning = "the address of the service for people, https://diary.example: "
                               "the command writes the address as the key 'public_url' of the "
                               "configuration"},
    [WHERE] = {.name = "where",
               .type = {.kind = VALUE_FLAG},
               .meaning = "only show where the database and the photos are, by the configuration"},
    PARAMETERS_END,
};

/* PostgreSQL knows its superuser by the user of the system who connects, and root is not it. */
static enum status become(const char *name)
{
    if (user_become(name))
        return STATUS_OK;
    log_error("is PostgreSQL installed here?");
    return STATUS_NOT_FOUND;
}

/* The name of the database in the configuration. Without one, libpq takes the role's. */
static const char *database_of(struct invocation *run)
{
    const char *name = db_conninfo_value(run->config.database, "dbname", run->arena);
    return name != NULL ? name : CLUSTER_DATABASE;
}

/* The role is the one of the schema's grants, and both connections lead to one database. */
static enum status check_name(struct invocation *run, const char *key, const char *conninfo,
                              const char *keyword, const char *name)
{
    const char *value = db_conninfo_value(conninfo, keyword, run->arena);
    if (value == NULL || strcmp(value, name) == 0)
        return STATUS_OK;
    log_error("%s: %s: %s=%s, but what this command sets up is %s=%s", run->config_path, key,
              keyword, value, keyword, name);
    return STATUS_PARAMETER_INVALID;
}

static enum status check_names(struct invocation *run)
{
    enum status status =
        check_name(run, "database", run->config.database, "user", CLUSTER_SERVICE_ROLE);
    return status != STATUS_OK ? status
                               : check_name(run, "admin_database", run->config.admin_database,
                                            "dbname", database_of(run));
}

struct role {
    const char *name;
    bool is_there;
    enum status (*create)(struct db *db);
};

static void show_part(struct invocation *run, const char *what, const char *name, bool was_there)
{
    migrate_show(run->out, arena_format(run->arena, "%s %s", what, name),
                 was_there ? "there already" : "created", NULL);
}

static enum status ensure_role(struct invocation *run, struct db *db, const struct role *role)
{
    enum status status = role->is_there ? STATUS_OK : role->create(db);
    if (status == STATUS_OK)
        show_part(run, "role", role->name, role->is_there);
    return status;
}

static enum status ensure_database(struct invocation *run, struct db *db, bool is_there)
{
    const char *name = database_of(run);
    enum status status = is_there ? STATUS_OK : cluster_create_database(db, name);
    if (status == STATUS_OK)
        show_part(run, "database", name, is_there);
    return status;
}

static enum status create_all(struct invocation *run, struct command_db *server)
{
    struct cluster cluster = {0};
    enum status status = cluster_look(server->batch, database_of(run), &cluster);
    bool is_refused = db_failure(server->db) == DB_FAILURE_REFUSED;
    if (is_refused || (status == STATUS_OK && !cluster.superuser)) {
        log_error("this takes the superuser of PostgreSQL: sudo mapdiaryctl setup");
        return STATUS_INTERNAL;
    }
    if (status != STATUS_OK)
        return status;
    if (cluster.database && !cluster.fits) {
        log_error("the database %s is there, but not in UTF8 or not owned by " CLUSTER_OWNER_ROLE,
                  database_of(run));
        return STATUS_CONFLICT;
    }
    const struct role roles[] = {
        {CLUSTER_OWNER_ROLE, cluster.owner_role, cluster_create_owner_role},
        {CLUSTER_SERVICE_ROLE, cluster.service_role, cluster_create_service_role},
        {CLUSTER_VISITOR_ROLE, cluster.visitor_role, cluster_create_visitor_role},
        {CLUSTER_MAIL_ROLE, cluster.mail_role, cluster_create_mail_role},
    };
    for (size_t i = 0; i < sizeof roles / sizeof *roles && status == STATUS_OK; i++)
        status = ensure_role(run, server->db, &roles[i]);
    return status == STATUS_OK ? ensure_database(run, server->db, cluster.database) : status;
}

static enum status try_to_grant(void *db)
{
    return cluster_grant(db);
}

static enum status grant(struct invocation *run, const char *owner)
{
    struct command_db schema;
    command_db_open(&schema, &run->config, owner, migration_registry);
    enum status status = patience_try(&schema, try_to_grant, schema.db, "mapdiaryctl setup");
    command_db_close(&schema);
    return status;
}

/* The schema belongs to the owner's role, as which the superuser acts from the start. */
static enum status set_up(struct invocation *run, const char *superuser)
{
    struct command_db server;
    const char *owner =
        arena_format(run->arena, "%s %s options='-c role=" CLUSTER_OWNER_ROLE "'", superuser,
                     db_conninfo_part("dbname", database_of(run), run->arena));
    command_db_open(&server, &run->config, superuser, cluster_registry);
    enum status status = create_all(run, &server);
    command_db_close(&server);
    if (status == STATUS_OK)
        status = migrate_run(&run->config, owner, false, run->out);
    return status != STATUS_OK ? status : grant(run, owner);
}

/* The address ---------------------------------------------------------------------------------- */

static enum status check_address(const char *address)
{
    char reason[320];
    enum status status =
        address != NULL ? origin_check_url(address, reason, sizeof reason) : STATUS_OK;
    if (status != STATUS_OK)
        log_error("public_url: %s", reason);
    return status;
}

/* A name that leads here from elsewhere has a domain. */
static const char *guess_address(struct invocation *run)
{
    const struct addrinfo hints = {.ai_flags = AI_CANONNAME, .ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    char name[256] = "";
    const char *guess = run->config.public_url;
    gethostname(name, sizeof name - 1);
    if (getaddrinfo(name, NULL, &hints, &found) == 0 && found->ai_canonname != NULL &&
        strchr(found->ai_canonname, '.') != NULL)
        guess = arena_format(run->arena, "http://%s", found->ai_canonname);
    if (found != NULL)
        freeaddrinfo(found);
    return guess;
}

/* What was given, or what is answered where there is none yet; NULL leaves all as it is. */
static const char *choose_address(struct invocation *run)
{
    if (run->values[PUBLIC_URL].text != NULL || config_line(&run->config, "public_url") != 0)
        return run->values[PUBLIC_URL].text;
    const char *guess = guess_address(run);
    char *line = prompt_line(
        arena_format(run->arena, "Where people will reach the map diary [%s]: ", guess));
    if (line == NULL)
        return NULL;
    const char *address = arena_format(run->arena, "%s", *line == '\0' ? guess : line);
    free(line);
    return address;
}

static enum status set_address(struct invocation *run)
{
    const char *address = choose_address(run);
    bool is_there = config_line(&run->config, "public_url") != 0 && address != NULL &&
                    strcmp(address, run->config.public_url) == 0;
    if (address == NULL || is_there)
        return STATUS_OK;
    enum status status = check_address(address);
    if (status == STATUS_OK)
        status = setting_write(run->config_path, &run->config, "public_url", address);
    if (status == STATUS_OK)
        migrate_show(run->out, arena_format(run->arena, "public_url %s", address), "written", NULL);
    return status;
}

/* Where -------------------------------------------------------------------------------------- */

static void show_place(struct invocation *run, const char *name, const char *value)
{
    output_object(run->out, NULL);
    output_text(run->out, "name", name);
    output_text(run->out, "value", value);
    output_end(run->out);
}

/* For the scripts of the package, which delete nothing that is elsewhere. */
static void show_places(struct invocation *run)
{
    const char *database = run->config.database, *admin = run->config.admin_database;
    const char *host = db_conninfo_value(database, "host", run->arena);
    const char *admin_host = db_conninfo_value(admin, "host", run->arena);
    const char *port = db_conninfo_value(database, "port", run->arena);
    bool is_path = host != NULL && *host == '/';
    show_place(run, "database", database_of(run));
    show_place(run, "is_here", db_conninfo_is_here(database) ? "yes" : "no");
    show_place(run, "host", host);
    show_place(run, "admin_host", admin_host);
    show_place(run, "socket_directory", is_path ? host : NULL);
    show_place(run, "port", port != NULL ? port : "5432");
    show_place(run, "photo_directory", run->config.photo_directory);
}

/* The connection ----------------------------------------------------------------------------- */

static enum status find_superuser(struct invocation *run, const char **conninfo)
{
    const char *database = run->config.database;
    *conninfo = run->values[SUPERUSER].text;
    if (*conninfo == NULL && !db_conninfo_is_here(database)) {
        log_error("%s: 'database' leads to another machine: run this command there, or say how the "
                  "superuser reaches it: --superuser 'host=%s dbname=postgres user=postgres'",
                  run->config_path, db_conninfo_value(database, "host", run->arena));
        return STATUS_PARAMETER_INVALID;
    }
    if (*conninfo == NULL)
        *conninfo = arena_format(run->arena, "%s dbname=postgres",
                                 db_conninfo_for_role(database, NULL, run->arena));
    return STATUS_OK;
}

static int setup(struct invocation *run)
{
    const struct value *system_user = &run->values[SYSTEM_USER];
    const char *superuser = NULL;
    if (run->values[WHERE].text != NULL) {
        show_places(run);
        return EXIT_DONE;
    }
    enum status status = check_address(run->values[PUBLIC_URL].text);
    if (status == STATUS_OK)
        status = check_names(run);
    if (status == STATUS_OK)
        status = find_superuser(run, &superuser);
    if (status == STATUS_OK)
        status = become(system_user->text != NULL ? system_user->text : "postgres");
    if (status == STATUS_OK)
        status = set_up(run, superuser);
    if (status == STATUS_OK)
        status = set_address(run);
    return (int)exit_status_of(status);
}

const struct command setup_commands[] = {
    {.summary = "create the four roles, the database and the schema",
     .details =
         "On the machine of PostgreSQL, as its superuser: 'sudo mapdiaryctl setup', or as the\n"
         "user postgres. The key 'database' of the configuration says which server of this\n"
         "machine, and the name of the database. The command keeps what is there already, so\n"
         "that a second run is harmless. After an upgrade the command does what 'migrate' does.\n"
         "If public_url is not configured, the command asks for the address at a terminal.",
     .parameters = parameters,
     .shows = SHOWS_LIST,
     .has_own_user = true,
     .run = setup},
    COMMANDS_END,
};
