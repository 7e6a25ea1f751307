/*
 * The doctor's look at Debian's PostgreSQL on this machine, without a connection to it.
 */
#include <glob.h>
#include <string.h>
#include <sys/statvfs.h>

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

/* The room of Debian's clusters on this machine: the least of them in bytes, and -1 where there is
 * none. */
static int64_t free_of_clusters(void)
{
    int64_t least = -1;
    glob_t found;
    if (glob("/var/lib/postgresql/*/*", 0, NULL, &found) != 0)
        return least;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        struct statvfs system;
        if (statvfs(found.gl_pathv[i], &system) != 0)
            continue;
        int64_t bytes = (int64_t)(system.f_bavail * system.f_frsize);
        if (least < 0 || bytes < least)
            least = bytes;
    }
    globfree(&found);
    return least;
}

/* PostgreSQL that has no room refuses writes alone, so all else looks well. */
void visit_clusters(struct visit *visit)
{
    enum { LEAST = 1 << 30 };
    bool is_elsewhere =
        db_conninfo_value(visit->config.database, "host", visit->run->arena) != NULL;
    int64_t free = is_elsewhere ? -1 : free_of_clusters();
    if (free >= 0)
        visit_find(visit, "room", free >= LEAST,
                   "make room there, or move PostgreSQL to a larger disk; without room, writes "
                   "are answered 503",
                   "/var/lib/postgresql: %lld MiB free", (long long)(free >> 20));
}
