#include "settings/settings.h"

#include <errno.h>
#include <grp.h>
#include <regex.h>
#include <stdio.h>
#include <string.h>

#include "auth/key.h"
#include "auth/origin.h"
#include "auth/password.h"
#include "base/box.h"
#include "base/log.h"
#include "base/pair.h"
#include "base/text.h"
#include "db/conninfo.h"
#include "db/pooler.h"
#include "fcgi/spool.h"
#include "mail/server.h"
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

static enum status check_databases(const struct config *config, const char *path)
{
    const struct pair databases[] = {{"database", config->database},
                                     {"read_database", config->read_database},
                                     {"mail_database", config->mail_database},
                                     {"admin_database", config->admin_database}};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < sizeof databases / sizeof *databases; i++)
        if (check_database(config, path, databases[i].name, databases[i].value) != STATUS_OK)
            status = STATUS_INTERNAL;
    return status;
}

static bool is_contact(const char *contact)
{
    return *contact == '\0' || text_is_email(contact) || text_is_http(contact);
}

static bool is_address_of_tiles(const char *tiles)
{
    return *tiles == '\0' || (text_is_http(tiles) && strstr(tiles, "{z}") != NULL &&
                              strstr(tiles, "{x}") != NULL && strstr(tiles, "{y}") != NULL);
}

static bool matches(const char *text, const char *form)
{
    regex_t compiled;
    if (regcomp(&compiled, form, REG_EXTENDED | REG_NOSUB) != 0)
        return false;
    bool fits = regexec(&compiled, text, 0, NULL, 0) == 0;
    regfree(&compiled);
    return fits;
}

bool settings_is_tile_file(const char *name)
{
    return matches(name, "^tiles/[A-Za-z0-9_-][A-Za-z0-9._-]*[.]pmtiles$");
}

static bool is_map(const char *tiles)
{
    return is_address_of_tiles(tiles) || settings_is_tile_file(tiles);
}

static bool is_start(const char *start)
{
    struct box box;
    return *start == '\0' || box_read(start, &box);
}

static bool is_group(const char *name)
{
    return *name == '\0' || getgrnam(name) != NULL;
}

/* The names of IANA's tz database that have no area. */
static const char *const zones_without_area[] = {
    "CET",       "CST6CDT",  "Cuba",    "EET",    "EST",       "EST5EDT", "Egypt",     "Eire",
    "GB",        "GB-Eire",  "GMT",     "GMT+0",  "GMT-0",     "GMT0",    "Greenwich", "HST",
    "Hongkong",  "Iceland",  "Iran",    "Israel", "Jamaica",   "Japan",   "Kwajalein", "Libya",
    "MET",       "MST",      "MST7MDT", "NZ",     "NZ-CHAT",   "Navajo",  "PRC",       "PST8PDT",
    "Poland",    "Portugal", "ROC",     "ROK",    "Singapore", "Turkey",  "UCT",       "UTC",
    "Universal", "W-SU",     "WET",     "Zulu",
};

static bool is_zone_without_area(const char *name)
{
    size_t count = sizeof zones_without_area / sizeof *zones_without_area;
    for (size_t i = 0; i < count; i++)
        if (strcmp(name, zones_without_area[i]) == 0)
            return true;
    return false;
}

/* An area and a place in it, or a fixed distance from UTC. */
static bool is_zone_of_area(const char *name)
{
    return matches(name, "^(Etc/GMT([+-]?0|[+-][1-9]|[+-]1[0-2]|-1[34])|"
                         "[A-Z][A-Za-z_-]*(/[A-Z][A-Za-z_-]*){1,2})$");
}

/* A name as IANA's tz database has them. PostgreSQL takes other names, too, that clients may not
 * know: it reads CST-8 by the rules of POSIX, and PST as an abbreviation. PostgreSQL says which of
 * the names exist, since the tz database of this machine may be older, or missing. */
static bool is_timezone(const char *name)
{
    return is_zone_without_area(name) || is_zone_of_area(name);
}

/* Keys whose values have a form that the table of keys does not know. */
static enum status check_forms(const struct config *config, const char *path)
{
    static const char of_tiles[] = "not like https://tiles.example/{z}/{x}/{y}.png";
    const struct {
        const char *key, *value;
        bool (*fits)(const char *value);
        const char *form;
    } forms[] = {
        {"mail_server", config->mail_server, server_is_address, SERVER_FORM},
        {"contact", config->contact, is_contact, "neither an email address nor that of a page"},
        {"map_tiles", config->map_tiles, is_map,
         "neither like https://tiles.example/{z}/{x}/{y}.png nor like tiles/taiwan.pmtiles"},
        {"map_satellite_tiles", config->map_satellite_tiles, is_address_of_tiles, of_tiles},
        {"map_start", config->map_start, is_start,
         "not like 119.3 21.8 122.1 25.4: west, south, east, north, in degrees"},
        {"listen_group", config->listen_group, is_group, "no such group"},
        {"timezone", config->timezone, is_timezone,
         "neither UTC nor the IANA name of a time zone, such as Asia/Taipei"},
    };
    enum status status = STATUS_OK;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (!forms[i].fits(forms[i].value)) {
            config_complain(config, path, forms[i].key, forms[i].form);
            status = STATUS_INTERNAL;
        }
    return status;
}

enum status settings_check_values(const struct config *config, const char *path)
{
    static enum status (*const checks[])(const struct config *, const char *) = {
        check_databases,  check_password_cost, check_origins,
        check_public_url, check_spool,         check_forms};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
        enum status found = checks[i](config, path);
        status = status != STATUS_OK ? status : found;
    }
    return status;
}

enum status settings_read_wording(const struct config *config, const char *path,
                                  struct wording *wording)
{
    struct files *files = files_open(config->photo_directory);
    if (files == NULL)
        config_complain(config, path, "photo_directory", "no photo can be uploaded there");
    bool has_photos = files != NULL;
    files_close(&files);
    return wording_read(config, path, wording) && has_photos ? STATUS_OK : STATUS_INTERNAL;
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
        snprintf(reason, sizeof reason,
                 "PostgreSQL knows no time zone '%s'; " SETTINGS_OLD_TIMEZONES, config->timezone);
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

/* Of the indexer, mapdiary-mail and mapdiaryctl. */
enum { BESIDE_WORKERS = 3 };

static enum settings_verdict judge_room(const struct config *config, const char *path,
                                        const struct cluster_room *room)
{
    char reason[256];
    int64_t wanted = config->workers + BESIDE_WORKERS;
    if (wanted > room->most) {
        snprintf(
            reason, sizeof reason,
            "with the indexer, mapdiary-mail and mapdiaryctl they take %lld connections, of which PostgreSQL has %lld "
            "(max_connections less superuser_reserved_connections)",
            (long long)wanted, (long long)room->most);
        config_complain(config, path, "workers", reason);
        return SETTINGS_FAULTY;
    }
    if (wanted > room->most - room->others)
        log_warning(
            "workers: with the indexer, mapdiary-mail and mapdiaryctl they take %lld connections, and of PostgreSQL's "
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
