#include "pool/listener.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include "base/log.h"

static const char unix_prefix[] = "unix:";

static const char *unix_path(const struct config *config)
{
    size_t length = sizeof unix_prefix - 1;
    return strncmp(config->listen, unix_prefix, length) == 0 ? config->listen + length : NULL;
}

static enum status refuse(const char *what, const char *why)
{
    log_error("listen: %s: %s", what, why);
    return STATUS_INTERNAL;
}

static int new_socket(int family)
{
    return socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
}

/* A path that is in the way: a socket without a server goes, anything else stays. */
static enum status clear_path(const struct sockaddr_un *address)
{
    struct stat found;
    if (lstat(address->sun_path, &found) != 0)
        return errno == ENOENT ? STATUS_OK : refuse(address->sun_path, strerror(errno));
    if (!S_ISSOCK(found.st_mode))
        return refuse(address->sun_path, "there is something that is no socket");
    int probe = new_socket(AF_UNIX);
    bool served = connect(probe, (const struct sockaddr *)address, sizeof *address) == 0 ||
                  errno != ECONNREFUSED;
    close(probe);
    if (served)
        return refuse(address->sun_path, "another process serves this socket");
    log_notice("listen: replacing %s, which nobody serves", address->sun_path);
    return unlink(address->sun_path) == 0 ? STATUS_OK : refuse(address->sun_path, strerror(errno));
}

static enum status set_permissions(const struct config *config, const char *path)
{
    if (*config->listen_group != '\0') {
        const struct group *group = getgrnam(config->listen_group);
        if (group == NULL)
            return refuse(config->listen_group, "no such group");
        if (chown(path, (uid_t)-1, group->gr_gid) != 0)
            return refuse(path, strerror(errno));
    }
    return chmod(path, (mode_t)config->listen_mode) == 0 ? STATUS_OK
                                                         : refuse(path, strerror(errno));
}

static enum status bind_unix(const struct config *config, const char *path,
                             struct listener *listener)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path)
        return refuse(path, "the path is too long for a unix socket");
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    enum status status = clear_path(&address);
    if (status != STATUS_OK)
        return status;
    listener->descriptor = new_socket(AF_UNIX);
    /* Nobody may connect before the permissions are as configured. */
    mode_t mask = umask(0177);
    bool bound = bind(listener->descriptor, (struct sockaddr *)&address, sizeof address) == 0;
    int error = errno;
    umask(mask);
    if (!bound)
        return refuse(path, strerror(error));
    memcpy(listener->path, address.sun_path, sizeof listener->path);
    return set_permissions(config, path);
}

static bool is_loopback(const struct sockaddr *address)
{
    if (address->sa_family == AF_INET6) {
        const struct sockaddr_in6 *in6 = (const void *)address;
        return IN6_IS_ADDR_LOOPBACK(&in6->sin6_addr);
    }
    const struct sockaddr_in *in = (const void *)address;
    return ntohl(in->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
}

/* ADDRESS:PORT, where an IPv6 address is in brackets. */
static struct addrinfo *resolve(const char *text)
{
    char host[64];
    struct addrinfo *found = NULL;
    const struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE,
                                   .ai_socktype = SOCK_STREAM};
    const char *colon = strrchr(text, ':');
    bool bracketed = *text == '[' && colon != NULL && colon > text && colon[-1] == ']';
    const char *start = text + bracketed;
    const char *end = colon != NULL ? colon - bracketed : text;
    if (end <= start || (size_t)(end - start) >= sizeof host)
        return NULL;
    snprintf(host, sizeof host, "%.*s", (int)(end - start), start);
    return getaddrinfo(host, colon + 1, &hints, &found) == 0 ? found : NULL;
}

static enum status bind_tcp(const struct config *config, struct listener *listener)
{
    const int yes = 1;
    struct addrinfo *address = resolve(config->listen);
    if (address == NULL)
        return refuse(config->listen, "neither unix:PATH nor ADDRESS:PORT");
    if (!is_loopback(address->ai_addr))
        log_warning("listen: %s can be reached from other machines, and who reaches it speaks for "
                    "the web server",
                    config->listen);
    listener->descriptor = new_socket(address->ai_family);
    setsockopt(listener->descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    enum status status = STATUS_OK;
    if (bind(listener->descriptor, address->ai_addr, address->ai_addrlen) != 0)
        status = refuse(config->listen, strerror(errno));
    freeaddrinfo(address);
    return status;
}

static enum status take_from_systemd(int count, struct listener *listener)
{
    if (count != 1)
        return refuse("systemd", "exactly one socket is wanted");
    *listener = (struct listener){.descriptor = SD_LISTEN_FDS_START, .handed_over = true};
    int flags = fcntl(listener->descriptor, F_GETFL);
    if (flags < 0 || fcntl(listener->descriptor, F_SETFL, flags | O_NONBLOCK) != 0)
        return refuse("systemd", strerror(errno));
    return STATUS_OK;
}

enum status listener_open(const struct config *config, struct listener *listener)
{
    int count = sd_listen_fds(1);
    const char *path = unix_path(config);
    *listener = (struct listener){.descriptor = -1};
    if (count > 0)
        return take_from_systemd(count, listener);
    enum status status =
        path != NULL ? bind_unix(config, path, listener) : bind_tcp(config, listener);
    if (status == STATUS_OK && listen(listener->descriptor, SOMAXCONN) != 0)
        status = refuse(config->listen, strerror(errno));
    return status;
}

void listener_withdraw(struct listener *listener)
{
    if (*listener->path != '\0')
        unlink(listener->path);
    *listener->path = '\0';
}

void listener_close(struct listener *listener)
{
    listener_withdraw(listener);
    close(listener->descriptor);
    listener->descriptor = -1;
}
