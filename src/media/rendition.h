/*
 * From what was sent to what is kept of it: the files, and what the row of a photo or of a user is
 * to say of them.
 */
#ifndef MAPDIARY_MEDIA_RENDITION_H
#define MAPDIARY_MEDIA_RENDITION_H

#include "base/arena.h"
#include "media/files.h"
#include "media/picture.h"
#include "model/photo.h"
#include "model/user.h"

/* A file of files_new(), as it was sent. */
struct original {
    int descriptor;
    int64_t length;
    const unsigned char *digest;
};

/* A file that was made, without a name. */
struct rendition {
    int descriptor; /* -1: there is none */
    unsigned char digest[CRYPTO_DIGEST_SIZE];
};

struct renditions {
    struct picture picture;
    struct rendition large, small; /* or the icon, and none */
    int64_t bytes;                 /* of both */
};

#define RENDITIONS_NONE {.large = {.descriptor = -1}, .small = {.descriptor = -1}}

/**
 * Has the decoder, by the channel to it, make what is published, and writes that and what was sent
 * to the disk. It takes long: no transaction is to be open meanwhile. The statuses of
 * decoder_run(); STATUS_UNAVAILABLE, too, where there are no files (NULL) or the disk will not.
 */
enum status renditions_make(const struct files *files, int decoder, enum picture_kind kind,
                            const struct original *original, struct renditions *made) MUST_CHECK;

/** Puts what was made where photos lie, and of a photo also what was sent. The caller's transaction
 * names the files, and keeps them from being deleted (store/photo_file.h). STATUS_UNAVAILABLE, with
 * the reason logged, where the disk will not. */
enum status renditions_put(const struct files *files, const struct original *original,
                           const struct renditions *made) MUST_CHECK;

void renditions_close(struct renditions *made);

/** What the row says of them, with a name of its own. A photo's description is empty and its
 * position the last. */
struct photo_upload renditions_photo(const struct renditions *made, const struct original *original,
                                     struct arena *arena);
struct user_icon renditions_icon(const struct renditions *made);

#endif
