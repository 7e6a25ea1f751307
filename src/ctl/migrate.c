#include "ctl/migrate.h"

#include "base/log.h"
#include "base/user.h"
#include "cli/caller.h"
#include "ctl/groups.h"
#include "db/conninfo.h"
#include "store/cluster.h"
#include "store/schema.h"

void migrate_show(struct output *out, const char *name, const char *state,
                  const struct migration *known)
{
    output_object(out, NULL);
    output_text(out, "name", name);
    output_text(out, "state", state);
    if (known != NULL)
        output_time(out, "applied", known->applied_at);
    else
        output_text(out, "applied", NULL);
    output_end(out);
}

static void show_all(const struct schema *schema, const struct migrations *applied,
                     struct output *out)
{
    for (size_t i = 0; i < schema->count; i++) {
        const struct migration *file = &schema->list[i].migration;
        const struct migration *known = schema_find(applied, file->number);
        migrate_show(out, file->name, known != NULL ? "applied" : "pending", known);
    }
}

static enum status apply_pending(struct db *db, const struct schema *schema,
                                 const struct migrations *applied, struct output *out)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < schema->count && status == STATUS_OK; i++) {
        const struct schema_file *file = &schema->list[i];
        if (schema_find(applied, file->migration.number) != NULL)
            continue;
        status = migration_apply(db, &file->migration, &file->sql);
        if (status == STATUS_OK)
            migrate_show(out, file->name, "now applied", NULL);
        else
            log_error("%s: not applied", file->name);
    }
    return status;
}

/* Two connections: one holds the lock, and the other has the statements, which need the table that
 * the first makes. */
static enum status migrate(const struct config *config, const char *conninfo,
                           const struct schema *schema, bool only_status, struct output *out)
{
    struct command_db lock, work;
    struct migrations applied = {0};
    command_db_open(&lock, config, conninfo, NULL);
    command_db_open(&work, config, conninfo, migration_registry);
    enum status status = migration_prepare(lock.db);
    if (status == STATUS_OK)
        status = migration_list(work.batch, work.arena, &applied);
    if (status == STATUS_OK && only_status)
        show_all(schema, &applied, out);
    if (status == STATUS_OK && !schema_agrees(schema, &applied))
        status = STATUS_INTERNAL;
    if (status == STATUS_OK && !only_status)
        status = apply_pending(work.db, schema, &applied, out);
    caller_explain_refusal(lock.db, conninfo, lock.arena);
    command_db_close(&work);
    command_db_close(&lock);
    return status;
}

enum status migrate_run(const struct config *config, const char *conninfo, bool only_status,
                        struct output *out)
{
    struct arena *arena = arena_new();
    struct schema schema = {0};
    enum status status = schema_read(config->schema_directory, arena, &schema);
    if (status == STATUS_OK)
        status = migrate(config, conninfo, &schema, only_status, out);
    schema_free(&schema);
    arena_free(&arena);
    return status;
}

enum { ONLY_STATUS };

static const struct parameter parameters[] = {
    [ONLY_STATUS] = {.name = "status",
                     .type = {.kind = VALUE_FLAG},
                     .meaning = "only show what was applied and what is pending"},
    PARAMETERS_END,
};

/* Nobody can be the owner's user of the system, but the superuser can act as that role. */
static const char *as_superuser(const char *conninfo, struct arena *arena)
{
    const char *owner = db_conninfo_value(conninfo, "user", arena);
    const char *database = db_conninfo_value(conninfo, "dbname", arena);
    const char *port = db_conninfo_value(conninfo, "port", arena);
    return arena_format(arena, "user=postgres dbname='%s' port='%s' options='-c role=%s'",
                        database != NULL ? database : CLUSTER_DATABASE, port != NULL ? port : "",
                        owner != NULL ? owner : CLUSTER_OWNER_ROLE);
}

static int run_migrate(struct invocation *run)
{
    const char *conninfo = run->config.admin_database;
    if (user_is_root() && db_conninfo_is_local(conninfo)) {
        if (!user_become("postgres"))
            return EXIT_FAILED;
        conninfo = as_superuser(conninfo, run->arena);
    }
    enum status status =
        migrate_run(&run->config, conninfo, run->values[ONLY_STATUS].text != NULL, run->out);
    return (int)exit_status_of(status);
}

const struct command migrate_commands[] = {
    {.summary = "bring the schema of the database up to date",
     .details = "Applies what is pending of schema_directory, as the role of admin_database. One\n"
                "migrates at a time; each migration is one transaction. On the machine of\n"
                "PostgreSQL, root acts as that role by way of its superuser, as setup does.",
     .parameters = parameters,
     .shows = SHOWS_LIST,
     .has_own_user = true,
     .run = run_migrate},
    COMMANDS_END,
};
