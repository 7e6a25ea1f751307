#include "serve/photos.h"

#include "base/log.h"

void photos_look(struct service *service, atomic_int *found)
{
    struct disk *disk = &service->photos;
    struct db *db = route_primary(service->route);
    if (!route_is_ready(service->route) || !disk_is_due(disk))
        return;
    db_start_request(db, "photos");
    disk_look(disk, db_batch_new(db, service->arena));
    if (disk->state != DISK_UNKNOWN)
        atomic_store(found, (int)disk->state);
}

int photos_new_file(const void *context)
{
    const struct service *service = context;
    const struct disk *disk = &service->photos;
    if (disk->files != NULL)
        return files_new(disk->files);
    log_error("photo_directory %s: it %s", disk->directory, disk_words(disk->state));
    return -1;
}
