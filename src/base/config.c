#include "base/config.h"

#include <errno.h>
#include <ini.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/address.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/quantity.h"
#include "base/text.h"

enum kind {
    KIND_TEXT,
    KIND_ADDRESS,
    KIND_INTEGER,
    KIND_OCTAL,
    KIND_DURATION,
    KIND_SIZE,
    KIND_LEVEL,
    KIND_SWITCH,
    KIND_SIGNATURES
};

struct word {
    const char *text;
    int64_t value;
};

struct key {
    const char *name;
    enum kind kind;
    size_t offset;
    const char *initial;
    int64_t least, most;
    const char *meaning;
};

static const struct word levels[] = {
    {"error", LOG_LEVEL_ERROR}, {"warning", LOG_LEVEL_WARNING}, {"notice", LOG_LEVEL_NOTICE},
    {"info", LOG_LEVEL_INFO},   {"debug", LOG_LEVEL_DEBUG},     {NULL, 0},
};

static const struct word off_on[] = {{"off", 0}, {"on", 1}, {NULL, 0}};

static const struct word signature_modes[] = {
    {"ignore", SIGNATURES_IGNORE},
    {"verify", SIGNATURES_VERIFY},
    {"require", SIGNATURES_REQUIRE},
    {NULL, 0},
};

static const struct word *const words[] = {
    [KIND_LEVEL] = levels, [KIND_SWITCH] = off_on, [KIND_SIGNATURES] = signature_modes};

#define AT(field) offsetof(struct config, field)

/* The order is that of the output of "mapdiaryd -T". */
static const struct key keys[] = {
    {"listen", KIND_ADDRESS, AT(listen), "unix:/run/mapdiary/mapdiary.sock", 1, 0,
     "where the web server reaches the workers: unix:PATH, or ADDRESS:PORT on the loopback; a "
     "socket that systemd hands over comes first"},
    {"listen_mode", KIND_OCTAL, AT(listen_mode), "0660", 0, 0777,
     "permissions of the unix socket; who can connect speaks for the web server, so its group alone"},
    {"listen_group", KIND_TEXT, AT(listen_group), "", 0, 0,
     "group of the unix socket; empty leaves it as it is"},
    {"workers", KIND_INTEGER, AT(workers), "8", 1, 1000,
     "worker processes, each with one connection to the database"},
    {"max_requests", KIND_INTEGER, AT(max_requests), "0", 0, 1000000000,
     "requests after which a worker is replaced at the latest, the first ones at half of it; 0 never"},
    {"io_timeout", KIND_DURATION, AT(io_timeout), "10s", 100, 3600 * 1000,
     "how long a web server may stall within a request or an answer"},
    {"request_timeout", KIND_DURATION, AT(request_timeout), "10s", 100, 3600 * 1000,
     "how long the database may take for a request; then it is cancelled and answered 503"},
    {"drain_timeout", KIND_DURATION, AT(drain_timeout), "30s", 0, 3600 * 1000,
     "how long requests in flight may take when the service stops; then their workers are killed"},
    {"spool_directory", KIND_TEXT, AT(spool_directory), MAPDIARY_SPOOL_DIRECTORY, 1, 0,
     "where requests and answers are that are large and slow, in files without a name; changed by a "
     "restart alone"},
    {"spool_size", KIND_SIZE, AT(spool_size), "2GiB", 1 << 20, 1LL << 50,
     "what all of these may take together; the slowest are cut where it is too little"},
    {"database", KIND_TEXT, AT(database), "dbname=mapdiary user=mapdiary", 1, 0,
     "libpq connection string of the service's role, which reads and writes rows"},
    {"read_database", KIND_TEXT, AT(read_database), "", 0, 0,
     "the same for replicas, from which requests without cookies and signatures read; empty: all "
     "use database"},
    {"max_replica_lag", KIND_DURATION, AT(max_replica_lag), "1m", 1000, 86400000,
     "a replica that is not known to be less behind is not read from; longer than a failover takes, "
     "so that reads go on meanwhile"},
    {"read_your_writes", KIND_DURATION, AT(read_your_writes), "10s", 0, 86400000,
     "with read_database: a write also sets a cookie for this long, so that its client reads what it "
     "wrote even where its session has ended; 0 sets none"},
    {"admin_database", KIND_TEXT, AT(admin_database), "dbname=mapdiary user=mapdiary_owner", 1, 0,
     "the same for the role that owns the tables; only mapdiaryctl migrate uses it"},
    {"schema_directory", KIND_TEXT, AT(schema_directory), MAPDIARY_SCHEMA_DIRECTORY, 1, 0,
     "where mapdiaryctl migrate finds the numbered migrations"},
    {"trace_database", KIND_SWITCH, AT(trace_database), "off", 0, 0,
     "on: application_name, which PostgreSQL can log (%a), tells the request; one more statement each"},
    {"timezone", KIND_TEXT, AT(timezone), "UTC", 1, 0,
     "IANA time zone in which a day begins: of the day's reward, of future blogs, of updateDate"},
    {"cache_max_age", KIND_DURATION, AT(cache_max_age), "1s", 0, 3600 * 1000,
     "how long caches may keep a read that carried no cookies"},
    {"reward_per_blog", KIND_INTEGER, AT(reward_per_blog), "10", 0, 1000000,
     "points credited to the author of a blog"},
    {"reward_daily_limit", KIND_INTEGER, AT(reward_daily_limit), "5", 0, 1000000,
     "rewarded blogs of a user a day"},
    {"session_lifetime", KIND_DURATION, AT(session_lifetime), "30d", 1000, 3650 * 86400000LL,
     "how long a login lasts"},
    {"allowed_origins", KIND_TEXT, AT(allowed_origins), "", 0, 0,
     "other sites whose pages may do what those of this one may, as origins with a space between: "
     "https://app.example"},
    {"signatures", KIND_SIGNATURES, AT(signatures), "verify", 0, 0,
     "signed requests: ignore looks at no signature, verify checks those that are there, require "
     "refuses what has none"},
    {"master_key_file", KIND_TEXT, AT(master_key_file), MAPDIARY_MASTER_KEY_FILE, 1, 0,
     "the master key that the secrets of application keys derive from (mapdiaryctl key init); "
     "readable by the service's user alone"},
    {"login_failures_per_account", KIND_INTEGER, AT(login_failures_per_account), "10", 0, 1000000,
     "failed logins of an account before it must wait; 0 never throttles"},
    {"login_failures_per_address", KIND_INTEGER, AT(login_failures_per_address), "100", 0, 1000000,
     "failed logins from an address before it must wait; 0 never throttles"},
    {"login_throttle_max", KIND_DURATION, AT(login_throttle_max), "15m", 1000, 86400000,
     "the longest wait; the first is 1 s and each failure doubles it"},
    {"password_memory", KIND_INTEGER, AT(password_memory), "64", 1, 1024,
     "MiB of memory that hashing a password takes (Argon2id)"},
    {"password_operations", KIND_INTEGER, AT(password_operations), "2", 1, 20,
     "passes over that memory; the two multiplied are 2048 at most"},
    {"log_level", KIND_LEVEL, AT(log_level), "info", 0, 0,
     "the least urgent lines that are logged: error, warning, notice, info (each request), debug"},
    {"slow_request", KIND_DURATION, AT(slow_request), "1s", 0, 3600 * 1000,
     "a request that took this long is logged as a warning"},
};

enum { KEY_COUNT = sizeof keys / sizeof *keys };

_Static_assert(sizeof keys / sizeof *keys <= CONFIG_KEYS_MOST, "more keys than lines");

static char **text_field(struct config *config, const struct key *key)
{
    return (char **)(void *)((char *)config + key->offset);
}

static int64_t *number_field(struct config *config, const struct key *key)
{
    return (int64_t *)(void *)((char *)config + key->offset);
}

enum status config_duration(const char *text, int64_t *milliseconds)
{
    bool is_right = quantity_read(quantity_durations, text, milliseconds);
    return is_right ? STATUS_OK : STATUS_PARAMETER_INVALID;
}

static bool read_octal(const char *text, int64_t *value)
{
    if (*text == '\0' || text[strspn(text, "01234567")] != '\0' || strlen(text) > 5)
        return false;
    *value = strtol(text, NULL, 8);
    return true;
}

static bool read_word(const struct word *word, const char *text, int64_t *value)
{
    while (word->text != NULL && strcmp(word->text, text) != 0)
        word++;
    *value = word->value;
    return word->text != NULL;
}

static const char *word_for(const struct word *word, int64_t value)
{
    while (word->value != value)
        word++;
    return word->text;
}

static bool in_range(const struct key *key, int64_t value)
{
    return value >= key->least && value <= key->most;
}

static bool is_address(const char *text)
{
    struct address address;
    return address_parse(text, &address) == STATUS_OK;
}

static bool is_text(const struct key *key)
{
    return key->kind == KIND_TEXT || key->kind == KIND_ADDRESS;
}

/* Sets a key from its text; false where the value is not one of its kind and range. */
static bool set(struct config *config, const struct key *key, const char *text)
{
    int64_t value = 0;
    switch (key->kind) {
    case KIND_ADDRESS:
    case KIND_TEXT:
        if ((key->least > 0 && *text == '\0') || (key->kind == KIND_ADDRESS && !is_address(text)))
            return false;
        free(*text_field(config, key));
        *text_field(config, key) = memory_copy_text(text);
        return true;
    case KIND_INTEGER:
        if (!text_to_integer(text, &value) || !in_range(key, value))
            return false;
        break;
    case KIND_OCTAL:
        if (!read_octal(text, &value) || !in_range(key, value))
            return false;
        break;
    case KIND_DURATION:
        if (!quantity_read(quantity_durations, text, &value) || !in_range(key, value))
            return false;
        break;
    case KIND_SIZE:
        if (!quantity_read(quantity_sizes, text, &value) || !in_range(key, value))
            return false;
        break;
    case KIND_LEVEL:
    case KIND_SWITCH:
    case KIND_SIGNATURES:
        if (!read_word(words[key->kind], text, &value))
            return false;
        break;
    }
    *number_field(config, key) = value;
    return true;
}

static const struct key *key_find(const char *name)
{
    for (size_t i = 0; i < KEY_COUNT; i++)
        if (strcmp(keys[i].name, name) == 0)
            return &keys[i];
    return NULL;
}

/* What the reader and the handler of inih share: inih itself tells its handler no line number. */
struct reading {
    struct config *config;
    const char *path;
    FILE *file;
    int line;
    bool within; /* inih has taken the start of a long line, and asks for the rest */
    bool failed;
};

static char *read_line(char *line, int size, void *stream)
{
    struct reading *reading = stream;
    char *got = fgets(line, size, reading->file);
    if (got == NULL)
        return NULL;
    reading->line += !reading->within;
    reading->within = strchr(got, '\n') == NULL;
    return got;
}

static void complain(struct reading *reading, const char *name, const char *reason)
{
    log_error("%s:%d: %s: %s", reading->path, reading->line, name, reason);
    reading->failed = true;
}

static int take_pair(void *user, const char *section, const char *name, const char *value)
{
    struct reading *reading = user;
    const struct key *key = key_find(name);
    if (*section != '\0')
        complain(reading, section, "sections are not known here");
    else if (value == NULL)
        complain(reading, name, "not of the form \"key = value\"");
    else if (key == NULL)
        complain(reading, name, "no such key");
    else if (reading->config->lines[key - keys] != 0)
        complain(reading, name, "the key stands twice");
    else if (!set(reading->config, key, value))
        complain(reading, name, "not a value that this key takes (mapdiaryd -T shows all keys)");
    else
        reading->config->lines[key - keys] = reading->line;
    return 1;
}

/* Lines of any length, no continuation lines, and ';' only where a line starts, as it may stand in
 * a value. A line without '=' goes to the handler too, so that each of them is told. */
static int parse(struct reading *reading)
{
    ini_use_stack = false;
    ini_allow_realloc = true;
    ini_max_line = 65536;
    ini_allow_multiline = false;
    ini_allow_inline_comments = false;
    ini_allow_no_value = true;
    return ini_parse_stream(read_line, reading, take_pair, reading);
}

/* True where all of it could be read and was right. */
static bool read_all(struct reading *reading)
{
    int wrong_line = parse(reading);
    bool is_read = wrong_line >= 0 && !ferror(reading->file);
    if (!is_read)
        log_error("%s: %s", reading->path, strerror(errno));
    else if (wrong_line > 0)
        log_error("%s:%d: a bracket is not closed", reading->path, wrong_line);
    return is_read && wrong_line == 0 && !reading->failed;
}

enum status config_read(struct config *config, const char *path)
{
    *config = (struct config){0};
    for (size_t i = 0; i < KEY_COUNT; i++)
        if (!set(config, &keys[i], keys[i].initial))
            abort();
    struct reading reading = {.config = config, .path = path, .file = fopen(path, "re")};
    if (reading.file == NULL) {
        log_error("%s: %s", path, strerror(errno));
        config_free(config);
        return STATUS_INTERNAL;
    }
    bool is_right = read_all(&reading);
    fclose(reading.file);
    if (is_right)
        return STATUS_OK;
    config_free(config);
    return STATUS_INTERNAL;
}

void config_complain(const struct config *config, const char *path, const char *name,
                     const char *reason)
{
    const struct key *key = key_find(name);
    int line = key != NULL ? config->lines[key - keys] : 0;
    log_error("%s:%d: %s: %s", path, line, name, reason);
}

const char *config_path(const char *argument)
{
    if (argument != NULL)
        return argument;
    const char *environment = getenv("MAPDIARY_CONF");
    return environment != NULL && *environment != '\0' ? environment : MAPDIARY_CONFIG_FILE;
}

static void print_value(struct config *config, const struct key *key, FILE *out)
{
    switch (key->kind) {
    case KIND_ADDRESS:
    case KIND_TEXT:
        fputs(*text_field(config, key), out);
        break;
    case KIND_INTEGER:
        fprintf(out, "%lld", (long long)*number_field(config, key));
        break;
    case KIND_OCTAL:
        fprintf(out, "%04llo", (unsigned long long)*number_field(config, key));
        break;
    case KIND_DURATION:
        quantity_print(quantity_durations, *number_field(config, key), out);
        break;
    case KIND_SIZE:
        quantity_print(quantity_sizes, *number_field(config, key), out);
        break;
    case KIND_LEVEL:
    case KIND_SWITCH:
    case KIND_SIGNATURES:
        fputs(word_for(words[key->kind], *number_field(config, key)), out);
        break;
    }
}

void config_print(const struct config *config, FILE *out)
{
    struct config shown = *config;
    for (size_t i = 0; i < KEY_COUNT; i++) {
        fprintf(out, "%s# %s\n%s = ", i == 0 ? "" : "\n", keys[i].meaning, keys[i].name);
        print_value(&shown, &keys[i], out);
        fputc('\n', out);
    }
}

void config_free(struct config *config)
{
    for (size_t i = 0; i < KEY_COUNT; i++)
        if (is_text(&keys[i]))
            free(*text_field(config, &keys[i]));
    *config = (struct config){0};
}
