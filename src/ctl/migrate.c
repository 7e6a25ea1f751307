#include "ctl/migrate.h"

#include <string.h>

#include "base/log.h"
#include "base/user.h"
#include "cli/caller.h"
#include "ctl/groups.h"
#include "ctl/patience.h"
#include "db/conninfo.h"
#include "store/cluster.h"
#include "store/schema.h"
#include "store/trial.h"

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

/* What is to be done on the second connection. */
struct upgrade {
    struct command_db *work;
    const struct schema *schema;
    const struct migrations *applied;
    struct output *out;
};

typedef enum status apply_function(struct db *db, const struct migration *migration,
                                   const struct buffer *sql);

static bool is_pending(const struct upgrade *upgrade, const struct schema_file *file)
{
    return schema_find(upgrade->applied, file->migration.number) == NULL;
}

/* Applies the pending files of one sort, in their order. */
static enum status apply_each(const struct upgrade *upgrade, bool one_by_one, apply_function *apply)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < upgrade->schema->count && status == STATUS_OK; i++) {
        const struct schema_file *file = &upgrade->schema->list[i];
        if (!is_pending(upgrade, file) || migration_is_one_by_one(&file->sql) != one_by_one)
            continue;
        status = apply(upgrade->work->db, &file->migration, &file->sql);
        if (status == STATUS_INTERNAL)
            log_error("%s: not applied", file->name);
    }
    return status;
}

static enum status apply_together(void *context)
{
    const struct upgrade *upgrade = context;
    enum status status = migration_begin(upgrade->work->db);
    if (status == STATUS_OK)
        status = apply_each(upgrade, false, migration_apply);
    if (status == STATUS_OK)
        status = migration_commit(upgrade->work->db);
    if (status != STATUS_OK)
        migration_roll_back(upgrade->work->db);
    return status;
}

static void show_applied(const struct upgrade *upgrade, bool one_by_one)
{
    for (size_t i = 0; i < upgrade->schema->count; i++) {
        const struct schema_file *file = &upgrade->schema->list[i];
        if (is_pending(upgrade, file) && migration_is_one_by_one(&file->sql) == one_by_one)
            migrate_show(upgrade->out, file->name, "now applied", NULL);
    }
}

static enum status apply_pending(struct upgrade *upgrade)
{
    if (schema_pending(upgrade->schema, upgrade->applied) == 0)
        return STATUS_OK;
    enum status status =
        patience_try(upgrade->work, apply_together, upgrade, "mapdiaryctl migrate");
    if (status == STATUS_OK) {
        show_applied(upgrade, false);
        status = apply_each(upgrade, true, migration_apply_one_by_one);
    }
    if (status == STATUS_OK)
        show_applied(upgrade, true);
    return status;
}

const char *migrate_find_stranger(const struct config *config, const char *conninfo,
                                  struct arena *arena)
{
    struct trial trial;
    const char *role = NULL, *found = NULL;
    const char *owner = db_conninfo_value(config->admin_database, "user", arena);
    trial_open(&trial, conninfo, cluster_registry);
    if (cluster_find_schema_owner(trial.batch, &role) == STATUS_OK && role != NULL &&
        strcmp(role, owner != NULL ? owner : CLUSTER_OWNER_ROLE) != 0)
        found = arena_copy(arena, role, strlen(role));
    trial_close(&trial);
    return found;
}

static void complain_of_stranger(const struct config *config, const char *conninfo,
                                 struct arena *arena)
{
    const char *stranger = migrate_find_stranger(config, conninfo, arena);
    if (stranger != NULL)
        log_error("the schema belongs to the role %s; " MIGRATE_RESTORE_AGAIN, stranger);
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
        status = apply_pending(&(struct upgrade){&work, schema, &applied, out});
    caller_explain_refusal(lock.db, conninfo, lock.arena);
    if (status == STATUS_INTERNAL)
        complain_of_stranger(config, conninfo, lock.arena);
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
                     .meaning = "only show the applied and the pending migrations"},
    PARAMETERS_END,
};

/* How the owner's role reaches the database. */
static const char *find_owner(struct invocation *run)
{
    const struct config *config = &run->config;
    return *config->admin_database != '\0'
               ? config->admin_database
               : db_conninfo_for_role(config->database, CLUSTER_OWNER_ROLE, run->arena);
}

static bool reaches_as_superuser(const struct config *config)
{
    return *config->admin_database != '\0' ? db_conninfo_is_local(config->admin_database)
                                           : db_conninfo_is_here(config->database);
}

/* Nobody can be the owner's user of the system, but the superuser can act as that role. */
static const char *as_superuser(const char *conninfo, struct arena *arena)
{
    const char *owner = db_conninfo_value(conninfo, "user", arena);
    return arena_format(arena, "%s options='-c role=%s'",
                        db_conninfo_for_role(conninfo, "postgres", arena),
                        owner != NULL ? owner : CLUSTER_OWNER_ROLE);
}

static int run_migrate(struct invocation *run)
{
    const char *conninfo = find_owner(run);
    if (user_is_root() && reaches_as_superuser(&run->config)) {
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
     .details =
         "Applies the pending files of schema_directory, as the role of admin_database. All\n"
         "files are one transaction; files with \"-- one by one\" come after that transaction.\n"
         "One process migrates at a time. If other programs keep a table locked for a minute,\n"
         "migrate names them and changes nothing. On the machine of PostgreSQL, root acts as\n"
         "that role by way of its superuser, as setup does.",
     .parameters = parameters,
     .shows = SHOWS_LIST,
     .has_own_user = true,
     .run = run_migrate},
    COMMANDS_END,
};
