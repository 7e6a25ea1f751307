#include "ctl/web_servers.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/user.h"

static const struct program {
    const char *name; /* of its processes */
    const char *path; /* where Debian has it */
    enum web_server server;
} programs[] = {
    {"nginx", "/usr/sbin/nginx", WEB_SERVER_NGINX},
    {"apache2", "/usr/sbin/apache2", WEB_SERVER_APACHE},
    {"httpd", "/usr/sbin/httpd", WEB_SERVER_APACHE},
};

enum { PROGRAMS = sizeof programs / sizeof *programs };

/* Sockets of processes --------------------------------------------------------------------------
 */

enum { SOCKETS_MOST = 1024 };

/* Those that the processes of web servers have open, of whatever kind. */
struct sockets {
    struct {
        unsigned long inode;
        enum web_server server;
    } list[SOCKETS_MOST];
    size_t count;
};

static enum web_server server_of(const char *pid)
{
    char path[64], name[32] = "";
    snprintf(path, sizeof path, "/proc/%.16s/comm", pid);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return WEB_SERVER_NONE;
    if (fgets(name, sizeof name, file) != NULL)
        name[strcspn(name, "\n")] = '\0';
    fclose(file);
    for (size_t i = 0; i < PROGRAMS; i++)
        if (strcmp(name, programs[i].name) == 0)
            return programs[i].server;
    return WEB_SERVER_NONE;
}

static void add_socket(struct sockets *sockets, const char *folder, const char *number,
                       enum web_server server)
{
    char path[128], target[64] = "";
    unsigned long inode;
    snprintf(path, sizeof path, "%s/%.16s", folder, number);
    if (sockets->count < SOCKETS_MOST && readlink(path, target, sizeof target - 1) > 0 &&
        sscanf(target, "socket:[%lu]", &inode) == 1) {
        sockets->list[sockets->count].inode = inode;
        sockets->list[sockets->count++].server = server;
    }
}

static void add_sockets(struct sockets *sockets, const char *pid, enum web_server server)
{
    char folder[64];
    snprintf(folder, sizeof folder, "/proc/%.16s/fd", pid);
    DIR *descriptors = opendir(folder);
    struct dirent *entry;
    while (descriptors != NULL && (entry = readdir(descriptors)) != NULL)
        add_socket(sockets, folder, entry->d_name, server);
    if (descriptors != NULL)
        closedir(descriptors);
}

static void find_sockets(struct sockets *sockets)
{
    DIR *processes = opendir("/proc");
    struct dirent *entry;
    while (processes != NULL && (entry = readdir(processes)) != NULL) {
        enum web_server server = server_of(entry->d_name);
        if (server != WEB_SERVER_NONE)
            add_sockets(sockets, entry->d_name, server);
    }
    if (processes != NULL)
        closedir(processes);
}

/* Their addresses -------------------------------------------------------------------------------
 */

static enum web_server owner_of(const struct sockets *sockets, unsigned long inode)
{
    for (size_t i = 0; i < sockets->count; i++)
        if (sockets->list[i].inode == inode)
            return sockets->list[i].server;
    return WEB_SERVER_NONE;
}

/* Who listens on all addresses listens on that of this machine. */
static void name_address(const unsigned int *words, bool is_ipv6, unsigned int port, char *name,
                         size_t size)
{
    char text[INET6_ADDRSTRLEN];
    bool is_any = words[0] == 0 && (!is_ipv6 || (words[1] | words[2] | words[3]) == 0);
    inet_ntop(is_ipv6 ? AF_INET6 : AF_INET, words, text, sizeof text);
    if (is_ipv6)
        snprintf(name, size, "[%s]:%u", is_any ? "::1" : text, port);
    else
        snprintf(name, size, "%s:%u", is_any ? "127.0.0.1" : text, port);
}

/* Of a line: address and port in hexadecimal digits, the state, and further on the inode. The
 * address is in words of the machine's byte order, whose bytes are in the network's. */
static bool read_line(const char *line, bool is_ipv6, unsigned long *inode, char *name, size_t size)
{
    enum { LISTENS = 0x0a };
    unsigned int words[4] = {0}, port = 0, state = 0;
    int got = is_ipv6 ? sscanf(line, "%*d: %8x%8x%8x%8x:%x %*[^ ] %x %*s %*s %*s %*s %*s %lu",
                               &words[0], &words[1], &words[2], &words[3], &port, &state, inode) -
                            3
                      : sscanf(line, "%*d: %8x:%x %*[^ ] %x %*s %*s %*s %*s %*s %lu", &words[0],
                               &port, &state, inode);
    name_address(words, is_ipv6, port, name, size);
    return got == 4 && state == LISTENS;
}

static size_t add_addresses(const char *path, bool is_ipv6, const struct sockets *sockets,
                            struct web_address *addresses, size_t count)
{
    char line[512];
    unsigned long inode = 0;
    FILE *file = fopen(path, "re");
    while (file != NULL && count < WEB_ADDRESSES_MOST && fgets(line, sizeof line, file) != NULL) {
        struct web_address *address = &addresses[count];
        if (!read_line(line, is_ipv6, &inode, address->name, sizeof address->name))
            continue;
        address->server = owner_of(sockets, inode);
        count += address->server != WEB_SERVER_NONE;
    }
    if (file != NULL)
        fclose(file);
    return count;
}

size_t web_servers_find(struct web_address addresses[static WEB_ADDRESSES_MOST])
{
    static struct sockets sockets;
    sockets.count = 0;
    user_return();
    find_sockets(&sockets);
    user_resume();
    size_t count = add_addresses("/proc/net/tcp", false, &sockets, addresses, 0);
    return add_addresses("/proc/net/tcp6", true, &sockets, addresses, count);
}

enum web_server web_servers_installed(void)
{
    if (access("/etc/apache2/conf-enabled/mapdiary.conf", F_OK) == 0)
        return WEB_SERVER_APACHE;
    for (size_t i = 0; i < PROGRAMS; i++)
        if (access(programs[i].path, X_OK) == 0)
            return programs[i].server;
    return WEB_SERVER_NONE;
}
