#include "api/rendition.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "media/decoder.h"
#include "media/files.h"

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

static enum status put_all(const struct files *files, const struct upload *upload,
                           const struct decoder_job *job, struct renditions *made)
{
    enum status status = put(files, job->large, made->large);
    if (status == STATUS_OK && job->small >= 0)
        status = put(files, job->small, made->small);
    if (status == STATUS_OK && job->kind == PICTURE_PHOTO)
        status = files_put(files, FILES_ORIGINALS, upload->descriptor, upload->digest);
    return status;
}

/* The watchdog knows the stage, and the database how long the rest may take. */
static enum status decode(struct call *call, const struct decoder_job *job, struct picture *picture)
{
    progress_enter(call->progress, STAGE_DECODING);
    enum status status = decoder_run(call->decoder, job, picture);
    progress_enter(call->progress, STAGE_WORKING);
    db_batch_begin_time(call->batch);
    return status;
}

static void close_file(int descriptor)
{
    if (descriptor >= 0)
        close(descriptor);
}

enum status renditions_make(struct call *call, const struct upload *upload, enum picture_kind kind,
                            struct renditions *made)
{
    bool is_photo = kind == PICTURE_PHOTO;
    if (call->files == NULL)
        return STATUS_UNAVAILABLE;
    const struct decoder_job job = {.kind = kind,
                                    .input = upload->descriptor,
                                    .large = files_new(call->files),
                                    .small = is_photo ? files_new(call->files) : -1};
    enum status status = STATUS_UNAVAILABLE;
    if (job.large >= 0 && (job.small >= 0 || !is_photo))
        status = decode(call, &job, &made->picture);
    if (status == STATUS_OK)
        status = put_all(call->files, upload, &job, made);
    close_file(job.large);
    close_file(job.small);
    return status;
}
