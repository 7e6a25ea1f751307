#include "media/rendition.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "media/decoder.h"

/* The digest of all that a file has, whose length is added. */
static enum status digest_file(struct rendition *made, int64_t *length)
{
    struct crypto_sha256 hash;
    char piece[16384];
    off_t at = 0;
    ssize_t got;
    crypto_sha256_begin(&hash);
    while ((got = pread(made->descriptor, piece, sizeof piece, at)) > 0) {
        crypto_sha256_add(&hash, piece, (size_t)got);
        at += got;
    }
    crypto_sha256_end(&hash, made->digest);
    *length += at;
    if (got == 0 && fsync(made->descriptor) == 0)
        return STATUS_OK;
    log_error("a picture cannot be read or written: %s", strerror(errno));
    return STATUS_UNAVAILABLE;
}

/* Nobody else waits for the disk then while renditions_put() does. */
static enum status write_out(int descriptor)
{
    if (fsync(descriptor) == 0)
        return STATUS_OK;
    log_error("a file of a request: %s", strerror(errno));
    return STATUS_UNAVAILABLE;
}

static bool open_outputs(const struct files *files, enum picture_kind kind, struct renditions *made)
{
    made->large.descriptor = files_new(files);
    if (kind == PICTURE_PHOTO)
        made->small.descriptor = files_new(files);
    return made->large.descriptor >= 0 && (kind == PICTURE_ICON || made->small.descriptor >= 0);
}

enum status renditions_make(const struct files *files, int decoder, enum picture_kind kind,
                            const struct original *original, struct renditions *made)
{
    *made = (struct renditions)RENDITIONS_NONE;
    if (files == NULL || !open_outputs(files, kind, made))
        return STATUS_UNAVAILABLE;
    const struct decoder_job job = {.kind = kind,
                                    .input = original->descriptor,
                                    .large = made->large.descriptor,
                                    .small = made->small.descriptor};
    enum status status = decoder_run(decoder, &job, &made->picture);
    if (status == STATUS_OK)
        status = digest_file(&made->large, &made->bytes);
    if (status == STATUS_OK && kind == PICTURE_PHOTO)
        status = digest_file(&made->small, &made->bytes);
    return status == STATUS_OK && kind == PICTURE_PHOTO ? write_out(original->descriptor) : status;
}

static enum status put(const struct files *files, const struct rendition *made)
{
    return files_put(files, FILES_PICTURES, made->descriptor, made->digest);
}

enum status renditions_put(const struct files *files, const struct original *original,
                           const struct renditions *made)
{
    bool is_photo = made->small.descriptor >= 0;
    enum status status = put(files, &made->large);
    if (status == STATUS_OK && is_photo)
        status = put(files, &made->small);
    if (status == STATUS_OK && is_photo)
        status = files_put(files, FILES_ORIGINALS, original->descriptor, original->digest);
    return status;
}

static void close_file(struct rendition *made)
{
    if (made->descriptor >= 0)
        close(made->descriptor);
    made->descriptor = -1;
}

void renditions_close(struct renditions *made)
{
    close_file(&made->large);
    close_file(&made->small);
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
                                  .made_bytes = made->bytes,
                                  .format = picture->format,
                                  .width = picture->width,
                                  .height = picture->height,
                                  .taken = name_moment(&picture->note, arena)};
    crypto_random(upload.name, sizeof upload.name);
    memcpy(upload.original, original->digest, sizeof upload.original);
    memcpy(upload.large, made->large.digest, sizeof upload.large);
    memcpy(upload.small, made->small.digest, sizeof upload.small);
    return upload;
}

struct user_icon renditions_icon(const struct renditions *made)
{
    struct user_icon icon = {.format = made->picture.format};
    crypto_random(icon.name, sizeof icon.name);
    memcpy(icon.digest, made->large.digest, sizeof icon.digest);
    return icon;
}
