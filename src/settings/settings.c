#include "settings/settings.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "auth/key.h"
#include "auth/origin.h"
#include "auth/password.h"
#include "base/log.h"
#include "db/conninfo.h"
#include "db/pooler.h"
#include "fcgi/spool.h"
#include "mail/texts.h"
#include "media/files.h"
#include "store/cluster.h"
#include "store/schema.h"
#include "store/trial.h"

/* Without asking ------------------------------------------------------------------------------- */

static enum status check_database(const struct config *config, const char *path, const char *key,
                                  const char *conninfo)
{
    char reason[256];
    enum status status = db_check_conninfo(conninfo, reason, sizeof reason);
    if (status != STATUS_OK)
        config_complain(config, path, key, reason);
    return status;
}

static enum status check_password_cost(const struct config *config, const char *path)
{
    const struct password_cost cost = {config->password_memory, config->password_operations};
    if (password_is_affordable(&cost))
        return STATUS_OK;
    config_complain(config, path, "password_operations",
                    "password_memory times password_operations is more than 2048");
    return STATUS_INTERNAL;
}

static enum status check_spool(const struct config *config, const char *path)
{
    if (spool_check(config->spool_directory))
        return STATUS_OK;
    char reason[512];
    snprintf(reason, sizeof reason, "no file can be made in %s: %s", config->spool_directory,
             strerror(errno));
    config_complain(config, path, "spool_directory", reason);
    return STATUS_INTERNAL;
}

static enum status check_origins(const struct config *config, const char *path)
{
    char reason[256];
    enum status status = origin_check_list(config->allowed_origins, reason, sizeof reason);
    if (status != STATUS_OK)
        config_complain(config, path, "allowed_origins", reason);
    return status;
}

static enum status check_public_url(const struct config *config, const char *path)
{
    char reason[320];
    enum status status = origin_check_url(config->public_url, reason, sizeof reason);
    if (status != STATUS_OK)
        config_complain(config, path, "public_url", reason);
    return status;
}

/* Without it all but photos goes on, as in an installation of before there were any. */
static enum status try_photos(const struct config *config, const char *path)
{
    struct files *files = files_open(config->photo_directory);
    if (files == NULL)
        log_warning("photo_directory: no photo can be uploaded until that is mended");
    files_close(&files);
    (void)path;
    return STATUS_OK;
}

/* Likewise. */
static enum status try_mail(const struct config *config, const char *path)
{
    struct mail_texts *texts = mail_texts_read(config->mail_directory);
    if (texts == NULL)
        log_warning("mail_directory: nobody can register or come back without a password until "
                    "that is mended");
    else if (!mail_texts_have(texts, config->mail_language))
        log_warning("mail_language: %s has no folder '%s', so mails are in '%s'",
                    config->mail_directory, config->mail_language, *mail_texts_languages(texts));
    mail_texts_free(&texts);
    (void)path;
    return STATUS_OK;
}

static enum status check_databases(const struct config *config, const char *path)
{
    enum status status = check_database(config, path, "database", config->database);
    enum status other = check_database(config, path, "read_database", config->read_database);
    return status != STATUS_OK ? status : other;
}

enum status settings_check_values(const struct config *config, const char *path)
{
    static enum status (*const checks[])(const struct config *, const char *) = {
        check_databases, check_password_cost, check_origins, check_public_url,
        check_spool,     try_photos,          try_mail};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
        enum status found = checks[i](config, path);
        status = status != STATUS_OK ? status : found;
    }
    return status;
}

enum status settings_check(const struct config *config, const char *path)
{
    enum status status = settings_check_values(config, path);
    enum status key = master_key_check(config);
    return status != STATUS_OK ? status : key;
}

enum status settings_read(struct config *config, const char *path)
{
    enum status status = config_read(config, path);
    if (status != STATUS_OK)
        return status;
    status = settings_check(config, path);
    if (status != STATUS_OK)
        config_free(config);
    return status;
}

/* Asking --------------------------------------------------------------------------------------- */

static enum settings_verdict worse(enum settings_verdict one, enum settings_verdict other)
{
    return one > other ? one : other;
}

static enum settings_verdict complain_of_timezone(const struct config *config, const char *path,
                                                  const char *conninfo)
{
    struct trial trial;
    const char *like = NULL;
    char reason[256];
    trial_open(&trial, conninfo, cluster_registry);
    if (cluster_find_timezone(trial.batch, config->timezone, &like) == STATUS_OK && like != NULL)
        snprintf(reason, sizeof reason, "PostgreSQL knows no time zone '%s'; is it %s?",
                 config->timezone, like);
    else
        snprintf(reason, sizeof reason, "PostgreSQL knows no time zone '%s'", config->timezone);
    trial_close(&trial);
    config_complain(config, path, "timezone", reason);
    return SETTINGS_FAULTY;
}

static enum settings_verdict ask_database(const struct config *config, const char *path,
                                          const char *key, const char *conninfo)
{
    char reason[TRIAL_REASON_SIZE];
    enum db_failure failure = trial_connect(config, conninfo, TRIAL_PATIENCE, reason);
    switch (failure) {
    case DB_FAILURE_NONE:
        return SETTINGS_GOOD;
    case DB_FAILURE_AWAY:
    case DB_FAILURE_FULL:
        log_warning("%s: PostgreSQL cannot be asked: %s", key, reason);
        return SETTINGS_UNKNOWN;
    case DB_FAILURE_TIMEZONE:
        return complain_of_timezone(config, path, conninfo);
    case DB_FAILURE_NO_TCP:
    case DB_FAILURE_REFUSED:
    case DB_FAILURE_POOLER:
    case DB_FAILURE_SCHEMA:
        break;
    }
    config_complain(config, path, key, reason);
    return SETTINGS_FAULTY;
}

/* Without an answer nobody knows, and that is no fault. */
static enum settings_verdict ask_pooler(const struct config *config, const char *path,
                                        const char *key, const char *conninfo)
{
    char reason[128];
    if (db_check_pooler(conninfo, reason, sizeof reason) == STATUS_OK)
        return SETTINGS_GOOD;
    config_complain(config, path, key, reason);
    return SETTINGS_FAULTY;
}

/* Of the keeper, mapdiary-mail and mapdiaryctl. */
enum { BESIDE_WORKERS = 3 };

static enum settings_verdict judge_room(const struct config *config, const char *path,
                                        const struct cluster_room *room)
{
    char reason[256];
    int64_t wanted = config->workers + BESIDE_WORKERS;
    if (wanted > room->most) {
        snprintf(
            reason, sizeof reason,
            "with the keeper, mapdiary-mail and mapdiaryctl they take %lld connections, of which PostgreSQL has %lld "
            "(max_connections less superuser_reserved_connections)",
            (long long)wanted, (long long)room->most);
        config_complain(config, path, "workers", reason);
        return SETTINGS_FAULTY;
    }
    if (wanted > room->most - room->others)
        log_warning(
            "workers: with the keeper, mapdiary-mail and mapdiaryctl they take %lld connections, and of PostgreSQL's "
            "%lld others have %lld now",
            (long long)wanted, (long long)room->most, (long long)room->others);
    return SETTINGS_GOOD;
}

static enum settings_verdict ask_for_room(const struct config *config, const char *path)
{
    struct trial trial;
    struct cluster_room room;
    trial_open(&trial, config->database, cluster_registry);
    bool is_known = cluster_look_at_room(trial.batch, &room) == STATUS_OK;
    trial_close(&trial);
    return is_known ? judge_room(config, path, &room) : SETTINGS_GOOD;
}

/* The statements could be prepared, so another version of the schema is worth a word, no more. */
static void ask_for_schema(const struct config *config)
{
    struct trial trial;
    struct schema schema = {0};
    struct migrations applied;
    trial_open(&trial, config->database, migration_registry);
    if (schema_read(config->schema_directory, trial.arena, &schema) == STATUS_OK &&
        migration_list(trial.batch, trial.arena, &applied) == STATUS_OK) {
        size_t pending = schema_pending(&schema, &applied);
        if (pending > 0)
            log_warning("schema: %zu migrations are pending: mapdiaryctl migrate", pending);
        if (!schema_agrees(&schema, &applied))
            log_warning("schema: not that of the files in %s", config->schema_directory);
    }
    schema_free(&schema);
    trial_close(&trial);
}

/* A replica that is away is none that would be needed. */
static enum settings_verdict ask_replicas(const struct config *config, const char *path)
{
    if (*config->read_database == '\0')
        return SETTINGS_GOOD;
    enum settings_verdict verdict =
        ask_database(config, path, "read_database", config->read_database);
    if (verdict == SETTINGS_GOOD)
        verdict = ask_pooler(config, path, "read_database", config->read_database);
    return verdict == SETTINGS_UNKNOWN ? SETTINGS_GOOD : verdict;
}

enum settings_verdict settings_ask(const struct config *config, const char *path)
{
    enum settings_verdict verdict = ask_database(config, path, "database", config->database);
    if (verdict == SETTINGS_GOOD)
        verdict = ask_pooler(config, path, "database", config->database);
    if (verdict == SETTINGS_GOOD) {
        verdict = ask_for_room(config, path);
        ask_for_schema(config);
    }
    return worse(verdict, ask_replicas(config, path));
}

enum settings_verdict settings_ask_before_start(const struct config *config, const char *path)
{
    enum { PATIENCE = 2000 };
    char reason[TRIAL_REASON_SIZE];
    enum settings_verdict verdict = SETTINGS_GOOD;
    enum db_failure failure = trial_connect(config, config->database, PATIENCE, reason);
    if (failure == DB_FAILURE_TIMEZONE)
        return complain_of_timezone(config, path, config->database);
    if (failure != DB_FAILURE_AWAY && failure != DB_FAILURE_FULL)
        verdict = ask_pooler(config, path, "database", config->database);
    if (*config->read_database != '\0')
        verdict = worse(verdict, ask_pooler(config, path, "read_database", config->read_database));
    return verdict;
}

bool settings_have_database(const struct config *config, int64_t patience)
{
    char reason[TRIAL_REASON_SIZE];
    enum db_failure failure = trial_connect(config, config->database, patience, reason);
    if (failure != DB_FAILURE_NONE)
        log_error("database: %s", reason);
    return failure == DB_FAILURE_NONE;
}
