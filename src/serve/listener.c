#include "serve/listener.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include "base/address.h"
#include "base/log.h"

static enum status refuse(const char *what, const char *why)
{
    log_error("listen: %s: %s", what, why);
    return STATUS_INTERNAL;
}

static int new_socket(const struct address *address)
{
    int descriptor =
        socket(address->socket.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (descriptor < 0)
        log_error("listen: socket(): %s", strerror(errno));
    return descriptor;
}

static enum status find_server(const struct address *address, bool *served)
{
    int probe = new_socket(address);
    if (probe < 0)
        return STATUS_INTERNAL;
    *served = connect(probe, (const void *)&address->socket, address->length) == 0 ||
              errno != ECONNREFUSED;
    close(probe);
    return STATUS_OK;
}

/* A path that is in the way: a socket without a server goes, anything else stays. */
static enum status clear_path(const struct address *address)
{
    const char *path = address_path(address);
    struct stat found;
    if (lstat(path, &found) != 0)
        return errno == ENOENT ? STATUS_OK : refuse(path, strerror(errno));
    if (!S_ISSOCK(found.st_mode))
        return refuse(path, "there is something that is no socket");
    bool served;
    enum status status = find_server(address, &served);
    if (status != STATUS_OK)
        return status;
    if (served)
        return refuse(path, "another process serves this socket");
    log_notice("listen: replacing %s, which nobody serves", path);
    return unlink(path) == 0 ? STATUS_OK : refuse(path, strerror(errno));
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

static enum status bind_unix(const struct config *config, const struct address *address,
                             struct listener *listener)
{
    enum status status = clear_path(address);
    if (status != STATUS_OK)
        return status;
    /* Nobody may connect before the permissions are as configured. */
    mode_t mask = umask(0177);
    bool bound = bind(listener->descriptor, (const void *)&address->socket, address->length) == 0;
    int error = errno;
    umask(mask);
    if (!bound)
        return refuse(config->listen, strerror(error));
    snprintf(listener->path, sizeof listener->path, "%s", address_path(address));
    return set_permissions(config, listener->path);
}

static enum status bind_tcp(const struct config *config, const struct address *address,
                            struct listener *listener)
{
    const int yes = 1;
    if (!address_is_local(address))
        log_warning(
            "listen: other machines can reach %s, and each program that connects there speaks for "
            "the web server",
            config->listen);
    setsockopt(listener->descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(listener->descriptor, (const void *)&address->socket, address->length) != 0)
        return refuse(config->listen, strerror(errno));
    return STATUS_OK;
}

static enum status open_own(const struct config *config, struct listener *listener)
{
    struct address address;
    if (address_parse(config->listen, &address) != STATUS_OK)
        return refuse(config->listen, "neither unix:PATH nor ADDRESS:PORT");
    snprintf(listener->name, sizeof listener->name, "%s", config->listen);
    listener->descriptor = new_socket(&address);
    if (listener->descriptor < 0)
        return STATUS_INTERNAL;
    enum status status = address_path(&address) != NULL ? bind_unix(config, &address, listener)
                                                        : bind_tcp(config, &address, listener);
    if (status == STATUS_OK && listen(listener->descriptor, SOMAXCONN) != 0)
        status = refuse(config->listen, strerror(errno));
    return status;
}

static enum status take_from_systemd(int count, struct listener *listener)
{
    if (count != 1)
        return refuse("systemd", "exactly one socket is wanted");
    *listener = (struct listener){
        .descriptor = SD_LISTEN_FDS_START, .name = "the socket of systemd", .handed_over = true};
    int flags = fcntl(listener->descriptor, F_GETFL);
    if (flags < 0 || fcntl(listener->descriptor, F_SETFL, flags | O_NONBLOCK) != 0)
        return refuse("systemd", strerror(errno));
    return STATUS_OK;
}

enum status listener_open(const struct config *config, struct listener *listener)
{
    int count = sd_listen_fds(1);
    *listener = (struct listener){.descriptor = -1};
    return count > 0 ? take_from_systemd(count, listener) : open_own(config, listener);
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
