#include "ctl/picture.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "ctl/photo_files.h"
#include "media/decoder.h"

/* The decoder ------------------------------------------------------------------------------------
 */

/* It ends when its channel is closed. */
static bool start_decoder(struct picture_maker *maker, enum log_level level)
{
    enum { OURS, THEIRS };
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return false;
    maker->process = fork();
    if (maker->process == 0) {
        close(ends[OURS]);
        decoder_become(ends[THEIRS], level);
        _exit(127);
    }
    close(ends[THEIRS]);
    maker->decoder = ends[OURS];
    return maker->process > 0;
}

enum status picture_maker_open(struct picture_maker *maker, const struct config *config)
{
    *maker = (struct picture_maker){.files = photo_files_open(config),
                                    .decoder = -1,
                                    .process = -1,
                                    .most = config->photo_size};
    if (maker->files == NULL)
        return STATUS_UNAVAILABLE;
    if (start_decoder(maker, (enum log_level)config->log_level))
        return STATUS_OK;
    log_error("the decoder cannot be started: %s", strerror(errno));
    return STATUS_UNAVAILABLE;
}

void picture_maker_close(struct picture_maker *maker)
{
    if (maker->decoder >= 0)
        close(maker->decoder);
    if (maker->process > 0)
        waitpid(maker->process, NULL, 0);
    files_close(&maker->files);
}

/* The file ---------------------------------------------------------------------------------------
 */

struct copy {
    struct original original;
    unsigned char digest[CRYPTO_DIGEST_SIZE];
};

static bool write_all(int descriptor, const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t written = write(descriptor, bytes, length);
        if (written <= 0)
            return false;
        bytes += written;
        length -= (size_t)written;
    }
    return true;
}

static enum status copy_bytes(int source, int64_t most, struct copy *copy)
{
    struct crypto_sha256 hash;
    char piece[32768];
    ssize_t got;
    crypto_sha256_begin(&hash);
    while ((got = read(source, piece, sizeof piece)) > 0) {
        copy->original.length += got;
        if (copy->original.length > most)
            return STATUS_PHOTO_TOO_LARGE;
        if (!write_all(copy->original.descriptor, piece, (size_t)got))
            return STATUS_UNAVAILABLE;
        crypto_sha256_add(&hash, piece, (size_t)got);
    }
    crypto_sha256_end(&hash, copy->digest);
    return got == 0 ? STATUS_OK : STATUS_NOT_FOUND;
}

static enum status copy_file(const struct picture_maker *maker, const char *path, struct copy *copy)
{
    int source = open(path, O_RDONLY | O_CLOEXEC);
    enum status status = source >= 0 ? STATUS_OK : STATUS_NOT_FOUND;
    copy->original.digest = copy->digest;
    copy->original.descriptor = status == STATUS_OK ? files_new(maker->files) : -1;
    if (status == STATUS_OK)
        status = copy->original.descriptor >= 0 ? copy_bytes(source, maker->most, copy)
                                                : STATUS_UNAVAILABLE;
    if (status == STATUS_NOT_FOUND || status == STATUS_UNAVAILABLE)
        log_error("%s: %s", path, strerror(errno));
    if (source >= 0)
        close(source);
    return status;
}

static void drop(const struct copy *copy)
{
    if (copy->original.descriptor >= 0)
        close(copy->original.descriptor);
}

static enum status make(const struct picture_maker *maker, const char *path, enum picture_kind kind,
                        struct copy *copy, struct renditions *made)
{
    enum status status = copy_file(maker, path, copy);
    if (status == STATUS_OK)
        status = renditions_make(maker->files, maker->decoder, kind, &copy->original, made);
    if (status == STATUS_OK)
        status = renditions_put(maker->files, &copy->original, made);
    renditions_close(made);
    return status;
}

enum status picture_make_photo(const struct picture_maker *maker, const char *path,
                               struct arena *arena, struct photo_upload *upload)
{
    struct copy copy = {.original = {.descriptor = -1}};
    struct renditions made = RENDITIONS_NONE;
    enum status status = make(maker, path, PICTURE_PHOTO, &copy, &made);
    if (status == STATUS_OK)
        *upload = renditions_photo(&made, &copy.original, arena);
    drop(&copy);
    return status;
}

enum status picture_make_icon(const struct picture_maker *maker, const char *path,
                              struct user_icon *icon)
{
    struct copy copy = {.original = {.descriptor = -1}};
    struct renditions made = RENDITIONS_NONE;
    enum status status = make(maker, path, PICTURE_ICON, &copy, &made);
    if (status == STATUS_OK)
        *icon = renditions_icon(&made);
    drop(&copy);
    return status;
}
