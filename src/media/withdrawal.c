#include "media/withdrawal.h"

#include "base/log.h"
#include "media/publication.h"

static const enum publication_owner owners[] = {[PICTURE_OF_ALBUM] = PUBLICATION_ALBUM,
                                                [PICTURE_OF_POI] = PUBLICATION_POI,
                                                [PICTURE_OF_USER] = PUBLICATION_USER};

enum status withdraw_all(const struct files *files, const struct db_rows *published)
{
    enum status status = STATUS_OK;
    size_t count = db_rows_count(published);
    if (count > 0 && files == NULL) {
        log_error("photo_directory could not be opened, so no photo can be taken from it");
        return STATUS_UNAVAILABLE;
    }
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        struct published one = published_read(published, i);
        status = publication_withdraw(files, owners[one.owner], one.id, one.name);
    }
    return status;
}
