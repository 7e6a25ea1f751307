/*
 * The doctor's look at Debian's PostgreSQL on this machine, without a connection to it.
 */
#include <glob.h>
#include <string.h>
#include <sys/statvfs.h>

#include "base/user.h"
#include "ctl/visit.h"
#include "db/conninfo.h"

/* The newest PostgreSQL that is installed here, such as "17"; NULL: none is. */
static const char *installed_version(const struct visit *visit)
{
    static const char folder[] = "/usr/lib/postgresql/";
    const char *version = NULL;
    glob_t found;
    if (glob("/usr/lib/postgresql/*/bin/postgres", 0, NULL, &found) != 0)
        return NULL;
    const char *newest = found.gl_pathv[found.gl_pathc - 1] + strlen(folder);
    version = visit_advise(visit, "%.*s", (int)strcspn(newest, "/"), newest);
    globfree(&found);
    return version;
}

/* Debian's PostgreSQL may be installed without a database cluster. */
static bool has_cluster(void)
{
    glob_t found;
    bool has = glob("/etc/postgresql/*/*/postgresql.conf", 0, NULL, &found) == 0;
    if (has)
        globfree(&found);
    return has;
}

const char *visit_advise_cluster(const struct visit *visit)
{
    const char *version = installed_version(visit);
    if (version == NULL)
        return "sudo apt install postgresql && sudo mapdiaryctl setup";
    if (!has_cluster())
        return visit_advise(
            visit, "sudo pg_createcluster %s main --start && sudo mapdiaryctl setup", version);
    return "sudo systemctl restart postgresql";
}

/* What clusters write. The write-ahead log and tablespaces may be on disks of their own. */
static const char *const written[] = {
    "/var/lib/postgresql/*/*",
    "/var/lib/postgresql/*/*/pg_wal",
    "/var/lib/postgresql/*/*/pg_tblspc/*",
};

/* A file system counts no files if it has room for any number. */
struct room {
    const char *path;
    int64_t bytes, files;
};

static struct room room_at(const struct visit *visit, const char *path)
{
    struct statvfs system;
    if (statvfs(path, &system) != 0)
        return (struct room){.path = NULL};
    return (struct room){
        .path = visit_advise(visit, "%s", path),
        .bytes = (int64_t)(system.f_bavail * system.f_frsize),
        .files = system.f_files > 0 ? (int64_t)system.f_favail : INT64_MAX,
    };
}

enum { BYTES_LEAST = 1 << 30, FILES_LEAST = 10000 };

static bool is_enough(struct room room)
{
    return room.bytes >= BYTES_LEAST && room.files >= FILES_LEAST;
}

/* The first folder of Debian's clusters that has too little room, else the one with the fewest
 * bytes. There is no path if this machine has no cluster. */
static struct room least_room(const struct visit *visit)
{
    struct room least = {.path = NULL};
    glob_t found;
    int flags = 0;
    for (size_t i = 0; i < sizeof written / sizeof *written; i++) {
        glob(written[i], flags, NULL, &found);
        flags = GLOB_APPEND;
    }
    for (size_t i = 0; i < found.gl_pathc && (least.path == NULL || is_enough(least)); i++) {
        struct room room = room_at(visit, found.gl_pathv[i]);
        if (room.path != NULL &&
            (least.path == NULL || !is_enough(room) || room.bytes < least.bytes))
            least = room;
    }
    globfree(&found);
    return least;
}

/* PostgreSQL that has no room refuses writes alone, so all else looks well. Root looks as root:
 * only PostgreSQL's user and root may look into a cluster. */
void visit_clusters(struct visit *visit)
{
    if (db_conninfo_value(visit->config.database, "host", visit->run->arena) != NULL)
        return;
    user_return();
    struct room room = least_room(visit);
    user_resume();
    if (room.path == NULL)
        return;
    if (room.files < FILES_LEAST)
        visit_find(visit, "room", false,
                   "make room for files there: df --inodes shows it; or move PostgreSQL to another "
                   "disk; without room, writes are answered 503",
                   "%s: its file system has room for %lld files more", room.path,
                   (long long)room.files);
    else
        visit_find(visit, "room", is_enough(room),
                   "make room there, or move PostgreSQL to a larger disk; without room, writes "
                   "are answered 503",
                   "%s: %lld MiB free", room.path, (long long)(room.bytes >> 20));
}
