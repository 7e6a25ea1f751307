#include <unistd.h>

#include "base/user.h"
#include "ctl/visit.h"
#include "media/files.h"

enum { FREE_LEAST = 1 << 30, FILES_LEAST = 10000 }; /* bytes, files */

static const char *advise_folder(const struct visit *visit)
{
    const char *path = visit->config.photo_directory;
    if (geteuid() == getuid() && !user_is_root())
        return "sudo mapdiaryctl doctor";
    return visit_advise(visit,
                        "sudo mkdir -p %s && sudo chown -R %s: %s && sudo chmod 711 %s && "
                        "sudo systemctl restart mapdiary; where its file system has no files "
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

void visit_photos(struct visit *visit)
{
    const char *path = visit->config.photo_directory;
    struct files *files = files_open(path);
    if (files != NULL)
        report_room(visit, files_free(files), files_left(files));
    else
        visit_find(visit, "photos", false, advise_folder(visit), "%s: cannot be used, see above",
                   path);
    files_close(&files);
}
