#include "ctl/photo_files.h"

#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "media/disk.h"
#include "store/photo_file.h"

static enum disk_state find(const struct config *config)
{
    struct command_db database;
    char marked[MARK_SIZE];
    command_db_open(&database, config, config->database, photo_owner_registry);
    enum disk_state state = disk_find(config->photo_directory, database.batch, marked);
    int error = errno;
    command_db_close(&database);
    errno = error;
    return state;
}

static void complain(const struct config *config, enum disk_state state)
{
    bool has_reason = state == DISK_MISSING || state == DISK_UNREADABLE;
    const char *reason = has_reason ? strerror(errno) : "";
    const char *cure =
        state == DISK_EMPTY || state == DISK_OTHERS
            ? "; if its disk is there, and the folder belongs to this database from now on: "
              "mapdiaryctl photo sweep --adopt"
            : "";
    log_error("photo_directory %s: it %s%s%s%s", config->photo_directory, disk_words(state),
              has_reason ? ": " : "", reason, cure);
}

int photo_files_check(const struct config *config)
{
    enum disk_state state = find(config);
    if (state == DISK_UNKNOWN)
        return command_end(STATUS_UNAVAILABLE, "%s", config->photo_directory);
    if (state == DISK_OURS || state == DISK_OTHERS)
        return EXIT_DONE;
    complain(config, state);
    return EXIT_FAILED;
}

struct files *photo_files_open(const struct config *config)
{
    enum disk_state state = find(config);
    if (state == DISK_OURS)
        return files_open(config->photo_directory);
    complain(config, state);
    return NULL;
}
