#include "http/upload.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"

enum status upload_begin(struct upload_writer *writer, const struct upload_place *place)
{
    writer->upload = (struct upload){.descriptor = place->new_file(place->context)};
    writer->most = place->most;
    writer->waiting = 0;
    crypto_sha256_begin(&writer->hash);
    return writer->upload.descriptor >= 0 ? STATUS_OK : STATUS_UNAVAILABLE;
}

static enum status write_all(int descriptor, const char *bytes, size_t length)
{
    for (size_t at = 0; at < length;) {
        ssize_t wrote = write(descriptor, bytes + at, length - at);
        if (wrote < 0 && errno != EINTR) {
            log_error("a file of a request: %s", strerror(errno));
            return STATUS_UNAVAILABLE;
        }
        at += wrote > 0 ? (size_t)wrote : 0;
    }
    return STATUS_OK;
}

static enum status write_piece(struct upload_writer *writer)
{
    size_t length = writer->waiting;
    writer->waiting = 0;
    crypto_sha256_add(&writer->hash, writer->piece, length);
    return write_all(writer->upload.descriptor, writer->piece, length);
}

/* A parser may hand over a few bytes at a time. */
enum status upload_add(struct upload_writer *writer, const void *bytes, size_t length)
{
    enum status status = STATUS_OK;
    if (length > (uint64_t)(writer->most - writer->upload.length))
        return STATUS_PHOTO_TOO_LARGE;
    writer->upload.length += (int64_t)length;
    for (const char *from = bytes; length > 0 && status == STATUS_OK;) {
        size_t room = UPLOAD_PIECE - writer->waiting, part = length < room ? length : room;
        memcpy(writer->piece + writer->waiting, from, part);
        writer->waiting += part;
        from += part;
        length -= part;
        if (writer->waiting == UPLOAD_PIECE)
            status = write_piece(writer);
    }
    return status;
}

enum status upload_end(struct upload_writer *writer)
{
    struct upload *upload = &writer->upload;
    enum status status = write_piece(writer);
    crypto_sha256_end(&writer->hash, upload->digest);
    crypto_to_hex(upload->digest, sizeof upload->digest, upload->digest_hex);
    return status;
}

void upload_close(struct upload *upload)
{
    if (upload->descriptor >= 0)
        close(upload->descriptor);
    upload->descriptor = -1;
}
