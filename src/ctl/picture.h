/*
 * Pictures from files, as they would have been uploaded: by a decoder of the command's own.
 */
#ifndef MAPDIARY_CTL_PICTURE_H
#define MAPDIARY_CTL_PICTURE_H

#include <sys/types.h>

#include "base/config.h"
#include "media/rendition.h"

struct picture_maker {
    struct files *files;
    int decoder; /* the channel to it */
    pid_t process;
    int64_t most; /* bytes of a file */
};

/** Opens the folder of photos and starts the decoder. STATUS_UNAVAILABLE, with the reason logged;
 * to be closed either way. Whoever makes pictures calls photo_file_hold() first. */
enum status picture_maker_open(struct picture_maker *maker, const struct config *config) MUST_CHECK;
void picture_maker_close(struct picture_maker *maker);

/** Puts a file where photos lie, with what is made of it; the row is all that is left to do. The
 * statuses of renditions_make(), STATUS_PHOTO_TOO_LARGE, or STATUS_NOT_FOUND, with the reason
 * logged, where the file cannot be read. */
enum status picture_make_photo(const struct picture_maker *maker, const char *path,
                               struct arena *arena, struct photo_upload *upload) MUST_CHECK;
enum status picture_make_icon(const struct picture_maker *maker, const char *path,
                              struct user_icon *icon) MUST_CHECK;

#endif
