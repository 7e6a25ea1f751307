#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/user.h"
#include "ctl/visit.h"
#include "db/conninfo.h"
#include "media/disk.h"
#include "store/registry.h"
#include "store/trial.h"

enum { FREE_LEAST = 1 << 30, FILES_LEAST = 10000 }; /* bytes, files */

static const char *advise_folder(const struct visit *visit)
{
    const char *path = visit->config.photo_directory;
    if (geteuid() == getuid() && !user_is_root())
        return "sudo mapdiaryctl doctor";
    return visit_advise(visit,
                        "sudo mkdir -p %s && sudo chown -R %s: %s && sudo chmod 711 %s && "
                        "sudo systemctl restart mapdiary; if the file system there has no files "
                        "without a name (O_TMPFILE), let 'photo_directory' in %s be on another one",
                        path, user_name(), path, path, visit->run->config_path);
}

/* A photo has up to four files. */
static void report_room(struct visit *visit, int64_t free, int64_t left)
{
    const char *path = visit->config.photo_directory;
    if (left >= 0 && left < FILES_LEAST)
        visit_find(visit, "photos", false,
                   "make room for files there: df --inodes shows it; or move it to another disk",
                   "%s: its file system has room for %lld files more", path, (long long)left);
    else if (free < 0)
        visit_find(visit, "photos", true, NULL, "%s: can be written", path);
    else
        visit_find(visit, "photos", free >= FREE_LEAST,
                   "make room there, or move it to a larger disk",
                   "%s: can be written, %lld MiB free", path, (long long)(free >> 20));
}

static const char *advise_disk(const struct visit *visit, enum disk_state state)
{
    const char *path = visit->config.photo_directory;
    if (state == DISK_UNREADABLE)
        return advise_folder(visit);
    if (state == DISK_OTHERS)
        return visit_advise(visit,
                            "let 'photo_directory' in %s be the folder of this database's photos; "
                            "if the photos there are of this database from now on: "
                            "sudo mapdiaryctl photo sweep --adopt",
                            visit->run->config_path);
    return visit_advise(visit,
                        "sudo mount %s; if there is no disk of its own, bring the photos back "
                        "from a backup; if they are lost: sudo mkdir -p %s && sudo chown %s: %s && "
                        "sudo mapdiaryctl photo sweep --adopt",
                        path, path, user_name(), path);
}

/* Of a cluster, one machine has the photos. */
static bool is_in_cluster(const struct visit *visit)
{
    const char *hosts = db_conninfo_value(visit->config.database, "host", visit->run->arena);
    return hosts != NULL && strchr(hosts, ',') != NULL;
}

/* True if the database says that the folder is another's, or that its disk is not there. */
static bool report_disk(struct visit *visit)
{
    struct trial trial;
    char marked[MARK_SIZE];
    const char *path = visit->config.photo_directory;
    trial_open(&trial, visit->config.database, store_registry);
    enum disk_state state =
        visit->has_database ? disk_find(path, trial.batch, marked) : DISK_UNKNOWN;
    int error = errno;
    trial_close(&trial);
    bool is_wrong = state == DISK_UNREADABLE || state == DISK_EMPTY || state == DISK_OTHERS ||
                    (state == DISK_MISSING && error == ENOENT);
    if (is_wrong && (state == DISK_EMPTY || state == DISK_MISSING) && is_in_cluster(visit))
        visit_find(visit, "photos", true, NULL, "%s: another machine of the cluster has them",
                   path);
    else if (is_wrong)
        visit_find(visit, "photos", false, advise_disk(visit, state), "%s: %s", path,
                   state == DISK_MISSING ? "is not there, and the database has photos"
                                         : disk_words(state));
    return is_wrong;
}

void visit_photos(struct visit *visit)
{
    const char *path = visit->config.photo_directory;
    if (report_disk(visit))
        return;
    struct files *files = files_open(path);
    visit->has_photos = files != NULL;
    if (files != NULL)
        report_room(visit, disk_bytes(files), disk_files(files));
    else
        visit_find(visit, "photos", false, advise_folder(visit), "%s: cannot be used, see above",
                   path);
    files_close(&files);
}
