#include "base/config.h"

#include <errno.h>
#include <ini.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/value.h"

struct key {
    const char *name;
    size_t offset;
    struct value_type type;
    const char *initial;
    const char *meaning;
};

/* From LOG_LEVEL_ERROR on. */
static const char *const levels[] = {"error", "warning", "notice", "info", "debug", NULL};
static const char *const off_on[] = {"off", "on", NULL};
const char *const config_registration_modes[] = {"closed", "open", "invited", NULL};
/* As enum mail_tls. */
static const char *const mail_tls_modes[] = {"auto", "always", "never", NULL};
/* As enum signature_mode. */
static const char *const signature_modes[] = {"ignore", "verify", "require", NULL};

#define KEY(field) #field, offsetof(struct config, field)
#define OF(value_kind) {.kind = (value_kind)}
#define WITHIN(value_kind, lowest, highest) {.kind = (value_kind), RANGE(lowest, highest)}
#define ONE_OF(choices, first) {.kind = VALUE_CHOICE, .least = (first), .words = (choices)}

static const struct key keys[] = {
    {KEY(listen), OF(VALUE_ADDRESS), "unix:/run/mapdiary/mapdiary.sock",
     "the address on which the web server reaches the workers: unix:PATH, or ADDRESS:PORT on the "
     "loopback; a socket from systemd comes first"},
    {KEY(listen_mode), WITHIN(VALUE_OCTAL, 0, 0777), "0660",
     "permissions of the unix socket; a program that can connect speaks for the web server, so "
     "permit only its group"},
    {KEY(listen_group), WITHIN(VALUE_LINE, 0, INT64_MAX), "",
     "group of the unix socket; if empty, the group stays"},
    {KEY(workers), WITHIN(VALUE_INTEGER, 1, 1000), "8",
     "worker processes, each with one connection to the database"},
    {KEY(max_requests), WITHIN(VALUE_INTEGER, 0, 1000000000), "0",
     "most requests of a worker before its replacement; the first workers end at half of this "
     "number; 0 never replaces a worker"},
    {KEY(io_timeout), WITHIN(VALUE_DURATION, 100, 3600 * 1000), "10s",
     "longest pause of a web server within a request or an answer"},
    {KEY(request_timeout), WITHIN(VALUE_DURATION, 100, 3600 * 1000), "10s",
     "longest time of the database for a request; then the service cancels the request and "
     "answers 503"},
    {KEY(drain_timeout), WITHIN(VALUE_DURATION, 0, 3600 * 1000), "30s",
     "longest time for running requests when the service stops; then the service kills their "
     "workers"},
    {KEY(spool_directory), OF(VALUE_PATH), MAPDIARY_SPOOL_DIRECTORY,
     "folder for large and slow requests and answers, in unnamed files; a change takes a restart"},
    {KEY(spool_size), WITHIN(VALUE_SIZE, 1 << 20, 1LL << 50), "2GiB",
     "most bytes of all these files together; above this limit, the slowest connections are "
     "closed"},
    {KEY(public_url), WITHIN(VALUE_LINE, 1, 1000), "http://localhost",
     "address of the service for people, https://diary.example; addresses of photos and links in "
     "mails and feeds begin with this address"},
    {KEY(site_name), WITHIN(VALUE_LINE, 0, 255), "",
     "name of the site; if empty, pages use a name of their own"},
    {KEY(contact), WITHIN(VALUE_LINE, 0, 255), "",
     "contact of the operator for all people, with or without an account: an email address, or "
     "the address of a page; if empty, mails name mail_from"},
    {KEY(map_tiles), WITHIN(VALUE_LINE, 0, 1000), "",
     "address of the tiles for the map of pages, https://tiles.example/{z}/{x}/{y}.png, or a file "
     "of vector tiles, tiles/taiwan.pmtiles for /var/lib/mapdiary/tiles/taiwan.pmtiles; if empty, "
     "pages draw a map themselves"},
    {KEY(map_satellite_tiles), WITHIN(VALUE_LINE, 0, 1000), "",
     "the same for satellite pictures; if empty, pages offer none"},
    {KEY(map_attribution), WITHIN(VALUE_LINE, 0, 1000), "",
     "source of the tiles, in the words that their terms require on the map"},
    {KEY(map_start), WITHIN(VALUE_LINE, 0, 200), "",
     "first view of the map, in degrees: WEST SOUTH EAST NORTH; if empty, pages begin with the "
     "region of most new albums and blogs"},
    {KEY(photo_directory), OF(VALUE_PATH), MAPDIARY_PHOTO_DIRECTORY,
     "folder of photos, on a disk of this machine; in a cluster, only one machine has photos"},
    {KEY(photo_size), WITHIN(VALUE_SIZE, 1 << 10, 1 << 30), "20MiB",
     "most bytes of a photo, as sent"},
    {KEY(photo_quota), WITHIN(VALUE_SIZE, 0, 1LL << 50), "5GiB",
     "most bytes on disk of all photos of a user, as sent and as made; 0 is no limit"},
    {KEY(database), WITHIN(VALUE_LINE, 1, INT64_MAX), "dbname=mapdiary user=mapdiary",
     "libpq connection string of the service's role, which reads and writes rows"},
    {KEY(read_database), WITHIN(VALUE_LINE, 0, INT64_MAX), "",
     "the same for replicas, for reads without cookies and signatures; if empty, all requests "
     "use database"},
    {KEY(max_replica_lag), WITHIN(VALUE_DURATION, 1000, 86400000), "1m",
     "the service reads from no replica that is further behind, or has not reported for this "
     "time; choose more than a failover takes, so that reads go on meanwhile"},
    {KEY(read_your_writes), WITHIN(VALUE_DURATION, 0, 86400000), "10s",
     "with read_database: lifetime of the cookie that a write sets, so that the client reads "
     "its own writes after the session has ended; 0 sets no cookie"},
    {KEY(admin_database), WITHIN(VALUE_LINE, 0, INT64_MAX), "",
     "the same for the role that owns the tables, for mapdiaryctl migrate; if empty, database with "
     "the role mapdiary_owner"},
    {KEY(schema_directory), OF(VALUE_PATH), MAPDIARY_SCHEMA_DIRECTORY,
     "folder of the numbered migrations for mapdiaryctl migrate"},
    {KEY(trace_database), ONE_OF(off_on, 0), "off",
     "on: application_name, which PostgreSQL can log (%a), names the request; this costs one "
     "more statement a request"},
    {KEY(timezone), WITHIN(VALUE_LINE, 1, INT64_MAX), "UTC",
     "IANA time zone of the site's day: for rewards, future blogs and updateDate"},
    {KEY(cache_max_age), WITHIN(VALUE_DURATION, 0, 3600 * 1000), "1s",
     "lifetime in caches of the answer to a read without cookies"},
    {KEY(reward_per_blog), WITHIN(VALUE_INTEGER, 0, 1000000), "10",
     "points credited to the author of a blog"},
    {KEY(reward_daily_limit), WITHIN(VALUE_INTEGER, 0, 1000000), "5",
     "rewarded blogs of a user a day"},
    {KEY(session_lifetime), WITHIN(VALUE_DURATION, 1000, 3650 * 86400000LL), "30d",
     "lifetime of a session, from the login"},
    {KEY(allowed_origins), WITHIN(VALUE_LINE, 0, INT64_MAX), "",
     "other sites with the rights of this site's pages, as origins with a space between: "
     "https://app.example"},
    {KEY(signatures), ONE_OF(signature_modes, 0), "verify",
     "signed requests: ignore checks no signature, verify checks each given signature, require "
     "also refuses requests without one"},
    {KEY(master_key_file), OF(VALUE_PATH), MAPDIARY_MASTER_KEY_FILE,
     "master key, from which the secrets of application keys derive (mapdiaryctl key init); only "
     "the service's user may read this file"},
    {KEY(login_failures_per_account), WITHIN(VALUE_INTEGER, 0, 1000000), "10",
     "failed logins of an account from an address before this address must wait; after ten times "
     "as many from anywhere, every address must wait that the account has not logged in from; 0 "
     "never throttles"},
    {KEY(login_failures_per_address), WITHIN(VALUE_INTEGER, 0, 1000000), "100",
     "failed logins from an address, of any accounts, before this address must wait; 0 never "
     "throttles"},
    {KEY(login_throttle_max), WITHIN(VALUE_DURATION, 1000, 86400000), "15m",
     "longest wait; the first wait is 1 s, and each failure doubles the wait"},
    {KEY(logins_per_account), WITHIN(VALUE_INTEGER, 0, 1000000), "60",
     "logins of an account in an hour, possibly all at once; 0 is no limit"},
    {KEY(writes_per_minute), WITHIN(VALUE_INTEGER, 0, 1000000), "300",
     "writes of a user in a minute; 0 is no limit"},
    {KEY(first_week_pieces), WITHIN(VALUE_INTEGER, 0, 1000000), "0",
     "albums and blogs of an account in a day, during its first week; 0 is no limit"},
    {KEY(first_week_comments), WITHIN(VALUE_INTEGER, 0, 1000000), "0", "the same for comments"},
    {KEY(first_week_photos), WITHIN(VALUE_INTEGER, 0, 1000000), "0", "the same for photos"},
    {KEY(held_words), WITHIN(VALUE_LINE, 0, 4000), "",
     "file of words, one on each line; an album, a blog or a comment with such a word is held "
     "back until an operator decides (mapdiaryctl report list); if empty, nothing is held back"},
    {KEY(password_memory), WITHIN(VALUE_INTEGER, 1, 1024), "64",
     "MiB of memory for hashing a password (Argon2id)"},
    {KEY(password_operations), WITHIN(VALUE_INTEGER, 1, 20), "2",
     "passes over that memory; both keys multiplied are at most 2048"},
    {KEY(registration), ONE_OF(config_registration_modes, 0), "closed",
     "people who may sign up: closed permits none, open permits every person who confirms an "
     "email address, invited permits every such person with an invitation (mapdiaryctl user "
     "invite)"},
    {KEY(mail_directory), OF(VALUE_PATH), MAPDIARY_MAIL_DIRECTORY,
     "texts of mails, a folder for each language"},
    {KEY(mail_language), WITHIN(VALUE_LINE, 1, 35), "en",
     "language of mails to users who have chosen none"},
    {KEY(mail_from), OF(VALUE_EMAIL), "mapdiary@localhost",
     "sender of mails, and recipient of undeliverable mails"},
    {KEY(mail_server), WITHIN(VALUE_LINE, 1, 300), "smtp://localhost",
     "mail server for mapdiary-mail: smtp://HOST, smtp://HOST:587, or smtps://HOST"},
    {KEY(mail_tls), ONE_OF(mail_tls_modes, 0), "auto",
     "with smtp://: auto refuses a server without TLS (STARTTLS) unless the server is on this "
     "machine, always refuses any such server, never uses no TLS; certificates are checked"},
    {KEY(mail_ca_file), WITHIN(VALUE_LINE, 0, 4000), "",
     "file of the certificate authorities for the mail server; if empty, the authorities of the "
     "system"},
    {KEY(mail_credentials), WITHIN(VALUE_LINE, 0, 4000), "",
     "file with the user's name at the mail server in the first line, and the password in the "
     "second; if empty, the credential 'mail' of systemd, if there is one"},
    {KEY(mail_database), WITHIN(VALUE_LINE, 0, INT64_MAX), "",
     "libpq connection string of the role that sees only mails, for mapdiary-mail; if empty, "
     "database with the role mapdiary_mail"},
    {KEY(doctor_mail), WITHIN(VALUE_LINE, 0, 255), "",
     "email address of the operator; once a day this address gets the faults that mapdiaryctl "
     "doctor finds; if empty, only the journal gets the faults"},
    {KEY(mail_retry), WITHIN(VALUE_DURATION, 10, 3600 * 1000), "1m",
     "first wait after a temporary refusal of a mail by the mail server; each refusal doubles "
     "the wait, up to 240 times this time"},
    {KEY(mail_metrics), WITHIN(VALUE_LINE, 0, 4000), "",
     "file for counts of mails in the format of Prometheus, written by mapdiary-mail; if empty, "
     "no file"},
    {KEY(mails_per_address), WITHIN(VALUE_INTEGER, 0, 1000000), "3",
     "mails to an email address that a client may cause before the client must wait, and ten "
     "times as many from anywhere, as with failed logins; 0 never throttles"},
    {KEY(log_level), ONE_OF(levels, LOG_LEVEL_ERROR), "info",
     "least urgent lines of the log; info has one line for each request"},
    {KEY(slow_request), WITHIN(VALUE_DURATION, 0, 3600 * 1000), "1s",
     "a request that takes this long is logged as a warning"},
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

static bool is_text(const struct key *key)
{
    return !value_is_number(&key->type) && key->type.kind != VALUE_CHOICE;
}

/* Sets a key from its text; false where the value is not of its type. */
static bool set(struct config *config, const struct key *key, const char *text)
{
    struct typed_value value;
    if (value_read_bytes(&key->type, text, &value) != STATUS_OK)
        return false;
    if (is_text(key)) {
        free(*text_field(config, key));
        *text_field(config, key) = memory_copy_text(text);
    } else {
        *number_field(config, key) = value.number;
    }
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

/* A text may be a secret. */
static void complain_of_value(struct reading *reading, const struct key *key, const char *value)
{
    struct buffer reason = {0};
    complain(reading, key->name, value_refusal(&key->type, is_text(key) ? NULL : value, &reason));
    buffer_free(&reason);
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
        complain_of_value(reading, key, value);
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

static void set_site(struct config *config)
{
    config->site = memory_copy_text(config->public_url);
    size_t length = strlen(config->site);
    while (length > 0 && config->site[length - 1] == '/')
        config->site[--length] = '\0';
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
    set_site(config);
    if (is_right)
        return STATUS_OK;
    config_free(config);
    return STATUS_INTERNAL;
}

int config_line(const struct config *config, const char *name)
{
    const struct key *key = key_find(name);
    return key != NULL ? config->lines[key - keys] : 0;
}

void config_complain(const struct config *config, const char *path, const char *name,
                     const char *reason)
{
    log_error("%s:%d: %s: %s", path, config_line(config, name), name, reason);
}

const char *config_path(const char *argument)
{
    if (argument != NULL)
        return argument;
    const char *environment = getenv("MAPDIARY_CONF");
    return environment != NULL && *environment != '\0' ? environment : MAPDIARY_CONFIG_FILE;
}

/* Texts say no more of themselves than their meaning does. */
static void add_key(struct config *config, const struct key *key, struct buffer *out)
{
    buffer_add_format(out, "# %s\n", key->meaning);
    if (is_text(key)) {
        buffer_add_format(out, "%s = %s\n", key->name, *text_field(config, key));
        return;
    }
    buffer_add_text(out, "# ");
    value_describe(&key->type, out);
    buffer_add_format(out, "\n%s = ", key->name);
    value_print(&key->type, *number_field(config, key), out);
    buffer_add_text(out, "\n");
}

void config_print(const struct config *config, FILE *out)
{
    struct config shown = *config;
    struct buffer text = {0};
    for (size_t i = 0; i < KEY_COUNT; i++) {
        buffer_add_text(&text, i == 0 ? "" : "\n");
        add_key(&shown, &keys[i], &text);
    }
    fwrite(text.data, 1, text.length, out);
    buffer_free(&text);
}

void config_free(struct config *config)
{
    for (size_t i = 0; i < KEY_COUNT; i++)
        if (is_text(&keys[i]))
            free(*text_field(config, &keys[i]));
    free(config->site);
    *config = (struct config){0};
}
