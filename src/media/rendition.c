#include "media/rendition.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "media/decoder.h"

/* The digest of all that a file has. */
static enum status digest_file(int descriptor, unsigned char *digest)
{
    struct crypto_sha256 hash;
    char piece[16384];
    off_t at = 0;
    ssize_t got;
    crypto_sha256_begin(&hash);
    while ((got = pread(descriptor, piece, sizeof piece, at)) > 0) {
        crypto_sha256_add(&hash, piece, (size_t)got);
        at += got;
    }
    crypto_sha256_end(&hash, digest);
    if (got == 0)
        return STATUS_OK;
    log_error("a picture cannot be read: %s", strerror(errno));
    return STATUS_UNAVAILABLE;
}

static enum status put(const struct files *files, int descriptor, unsigned char *digest)
{
    enum status status = digest_file(descriptor, digest);
    return status == STATUS_OK ? files_put(files, FILES_PICTURES, descriptor, digest) : status;
}

static enum status put_all(const struct files *files, const struct original *original,
                           const struct decoder_job *job, struct renditions *made)
{
    enum status status = put(files, job->large, made->large);
    if (status == STATUS_OK && job->small >= 0)
        status = put(files, job->small, made->small);
    if (status == STATUS_OK && job->kind == PICTURE_PHOTO)
        status = files_put(files, FILES_ORIGINALS, original->descriptor, original->digest);
    return status;
}

static void close_file(int descriptor)
{
    if (descriptor >= 0)
        close(descriptor);
}

enum status renditions_make(const struct files *files, int decoder, enum picture_kind kind,
                            const struct original *original, struct renditions *made)
{
    bool is_photo = kind == PICTURE_PHOTO;
    if (files == NULL)
        return STATUS_UNAVAILABLE;
    const struct decoder_job job = {.kind = kind,
                                    .input = original->descriptor,
                                    .large = files_new(files),
                                    .small = is_photo ? files_new(files) : -1};
    enum status status = STATUS_UNAVAILABLE;
    if (job.large >= 0 && (job.small >= 0 || !is_photo))
        status = decoder_run(decoder, &job, &made->picture);
    if (status == STATUS_OK)
        status = put_all(files, original, &job, made);
    close_file(job.large);
    close_file(job.small);
    return status;
}

/* "2026-11-22 08:15:12+08:00:00", or without its end, which is the service's time zone then. */
static const char *name_moment(const struct camera_note *note, struct arena *arena)
{
    int offset = abs(note->offset);
    if (!note->has_time)
        return NULL;
    if (!note->has_offset)
        return arena_copy(arena, note->time, strlen(note->time));
    return arena_format(arena, "%s%c%02d:%02d:%02d", note->time, note->offset < 0 ? '-' : '+',
                        offset / 3600, offset / 60 % 60, offset % 60);
}

struct photo_upload renditions_photo(const struct renditions *made, const struct original *original,
                                     struct arena *arena)
{
    const struct picture *picture = &made->picture;
    struct photo_upload upload = {.description = "",
                                  .original_bytes = original->length,
                                  .format = picture->format,
                                  .width = picture->width,
                                  .height = picture->height,
                                  .taken = name_moment(&picture->note, arena)};
    crypto_random(upload.name, sizeof upload.name);
    memcpy(upload.original, original->digest, sizeof upload.original);
    memcpy(upload.large, made->large, sizeof upload.large);
    memcpy(upload.small, made->small, sizeof upload.small);
    return upload;
}

struct user_icon renditions_icon(const struct renditions *made)
{
    struct user_icon icon = {.format = made->picture.format};
    crypto_random(icon.name, sizeof icon.name);
    memcpy(icon.digest, made->large, sizeof icon.digest);
    return icon;
}
