/*
 * Reads the servers of a connection string, and remembers what became of each.
 */
#include "db/hosts.h"

#include <libpq-fe.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/text.h"

struct entry {
    char *host, *hostaddr, *port, *name;
    char *failure; /* what was last said of it; NULL: nothing */
    int64_t skipped_until;
};

struct hosts {
    struct entry *entries;
    size_t count;
    size_t current;
    enum hosts_role role;
    int64_t patience;
};

/* PostgreSQL manual, 34.1.2 "Parameter Key Words". */
static const struct {
    const char *text;
    enum hosts_role role;
} roles[] = {{"read-write", HOSTS_WRITABLE},
             {"primary", HOSTS_PRIMARY},
             {"standby", HOSTS_STANDBY},
             {"read-only", HOSTS_STANDBY},
             {"prefer-standby", HOSTS_STANDBY}};

static const char *find(const PQconninfoOption *options, const char *keyword)
{
    for (; options->keyword != NULL; options++)
        if (strcmp(options->keyword, keyword) == 0)
            return options->val;
    return NULL;
}

static size_t count_words(const char *list)
{
    size_t count = list != NULL;
    for (; list != NULL && *list != '\0'; list++)
        count += *list == ',';
    return count;
}

/* A single word stands for every server, as libpq has it for ports. */
static char *copy_word(const char *list, size_t index)
{
    if (list == NULL)
        return NULL;
    for (; index > 0 && strchr(list, ',') != NULL; index--)
        list = strchr(list, ',') + 1;
    char *word = memory_copy_text(list);
    word[strcspn(word, ",")] = '\0';
    return word;
}

static char *make_name(const struct entry *entry)
{
    struct buffer name = {0};
    const char *host = entry->host != NULL && *entry->host != '\0' ? entry->host : entry->hostaddr;
    buffer_add_text(&name, host != NULL && *host != '\0' ? host : "the local server");
    if (entry->port != NULL && *entry->port != '\0')
        buffer_add_format(&name, " port %s", entry->port);
    buffer_add(&name, "", 1);
    return name.data;
}

static void read_servers(struct hosts *hosts, const PQconninfoOption *options)
{
    const char *names = find(options, "host"), *addresses = find(options, "hostaddr");
    size_t count = count_words(names), more = count_words(addresses);
    hosts->count = count > more ? count : more;
    if (hosts->count == 0)
        hosts->count = 1;
    hosts->entries = memory_zeroed(hosts->count, sizeof *hosts->entries);
    for (size_t i = 0; i < hosts->count; i++) {
        struct entry *entry = &hosts->entries[i];
        entry->host = copy_word(names, i);
        entry->hostaddr = copy_word(addresses, i);
        entry->port = copy_word(find(options, "port"), i);
        entry->name = make_name(entry);
    }
}

static void read_settings(struct hosts *hosts, const PQconninfoOption *options)
{
    const char *wanted = find(options, "target_session_attrs");
    const char *timeout = find(options, "connect_timeout");
    int64_t seconds = 0;
    for (size_t i = 0; wanted != NULL && i < sizeof roles / sizeof *roles; i++)
        if (strcmp(wanted, roles[i].text) == 0)
            hosts->role = roles[i].role;
    if (timeout != NULL && text_to_integer(timeout, &seconds) && seconds > 0 && seconds < 3600)
        hosts->patience = seconds * 1000;
}

/* Fisher and Yates. */
static void shuffle(struct hosts *hosts)
{
    for (size_t i = hosts->count; i > 1; i--) {
        size_t other = randombytes_uniform((uint32_t)i);
        struct entry entry = hosts->entries[i - 1];
        hosts->entries[i - 1] = hosts->entries[other];
        hosts->entries[other] = entry;
    }
}

/* What is no connection string names no server: libpq will say what is wrong with it. */
struct hosts *hosts_new(const char *conninfo)
{
    static const PQconninfoOption none[] = {{.keyword = NULL}};
    struct hosts *hosts = memory_zeroed(1, sizeof *hosts);
    PQconninfoOption *options = PQconninfoParse(conninfo, NULL);
    read_servers(hosts, options != NULL ? options : none);
    read_settings(hosts, options != NULL ? options : none);
    shuffle(hosts);
    PQconninfoFree(options);
    return hosts;
}

void hosts_free(struct hosts **hosts)
{
    if (*hosts == NULL)
        return;
    for (size_t i = 0; i < (*hosts)->count; i++) {
        struct entry *entry = &(*hosts)->entries[i];
        free(entry->host);
        free(entry->hostaddr);
        free(entry->port);
        free(entry->name);
        free(entry->failure);
    }
    free((*hosts)->entries);
    free(*hosts);
    *hosts = NULL;
}

struct hosts_server hosts_current(const struct hosts *hosts)
{
    const struct entry *entry = &hosts->entries[hosts->current];
    return (struct hosts_server){entry->host, entry->hostaddr, entry->port, entry->name};
}

/* A host that starts with a slash, or an @ of Linux, is a unix socket, as is none at all. */
bool hosts_is_tcp(const struct hosts_server *server)
{
    bool is_host = server->host != NULL && *server->host != '\0' && *server->host != '/' &&
                   *server->host != '@';
    return is_host || (server->hostaddr != NULL && *server->hostaddr != '\0');
}

struct hosts_server hosts_next(struct hosts *hosts, int64_t now)
{
    bool all = hosts_ready_at(hosts) > now;
    do
        hosts->current = (hosts->current + 1) % hosts->count;
    while (!all && hosts->entries[hosts->current].skipped_until > now);
    return hosts_current(hosts);
}

size_t hosts_count(const struct hosts *hosts, int64_t now)
{
    size_t count = 0;
    for (size_t i = 0; i < hosts->count; i++)
        count += hosts->entries[i].skipped_until <= now;
    return count > 0 ? count : hosts->count;
}

void hosts_skip(struct hosts *hosts, int64_t until)
{
    hosts->entries[hosts->current].skipped_until = until;
}

int64_t hosts_ready_at(const struct hosts *hosts)
{
    int64_t next = INT64_MAX;
    for (size_t i = 0; i < hosts->count; i++)
        if (hosts->entries[i].skipped_until < next)
            next = hosts->entries[i].skipped_until;
    return next;
}

static void set_failure(struct entry *entry, const char *reason)
{
    free(entry->failure);
    entry->failure = reason != NULL ? memory_copy_text(reason) : NULL;
}

bool hosts_failed(struct hosts *hosts, const char *reason)
{
    struct entry *entry = &hosts->entries[hosts->current];
    if (entry->failure != NULL && strcmp(entry->failure, reason) == 0)
        return false;
    set_failure(entry, reason);
    return true;
}

void hosts_good(struct hosts *hosts)
{
    for (size_t i = 0; i < hosts->count; i++)
        set_failure(&hosts->entries[i], NULL);
}

enum hosts_role hosts_role(const struct hosts *hosts)
{
    return hosts->role;
}

int64_t hosts_connect_timeout(const struct hosts *hosts)
{
    return hosts->patience;
}
