/*
 * A file that came with a request, in a file without a name.
 */
#ifndef MAPDIARY_HTTP_UPLOAD_H
#define MAPDIARY_HTTP_UPLOAD_H

#include <stddef.h>
#include <stdint.h>

#include "base/crypto.h"
#include "base/status.h"

struct upload {
    const char *name; /* of its parameter */
    int descriptor;   /* on the file system of photo_directory, for reading and writing; whoever
                       * reads it gives offsets (pread(2)) */
    int64_t length;   /* in bytes */
    unsigned char digest[CRYPTO_DIGEST_SIZE];    /* SHA-256 */
    char digest_hex[2 * CRYPTO_DIGEST_SIZE + 1]; /* what the parameter counts as in a signature */
};

/* Where files are made, and how large they may be. */
struct upload_place {
    int (*new_file)(const void *context); /* a descriptor, or -1, with the reason logged */
    const void *context;
    int64_t most; /* bytes */
};

enum { UPLOAD_PIECE = 32768 }; /* bytes that are written and hashed at a time */

/* A file that is coming. */
struct upload_writer {
    struct upload upload;
    int64_t most;
    struct crypto_sha256 hash;
    size_t waiting; /* bytes of the piece that comes together */
    char piece[UPLOAD_PIECE];
};

/** Makes the file. STATUS_UNAVAILABLE where that does not work. */
enum status upload_begin(struct upload_writer *writer, const struct upload_place *place) MUST_CHECK;

/** Adds bytes. STATUS_PHOTO_TOO_LARGE where they are too many, STATUS_UNAVAILABLE, with the reason
 * logged, where the disk will not. */
enum status upload_add(struct upload_writer *writer, const void *bytes, size_t length) MUST_CHECK;

/** Completes the upload, but for its name. STATUS_UNAVAILABLE as upload_add(). */
enum status upload_end(struct upload_writer *writer) MUST_CHECK;

/** Closes its file, if that is open. */
void upload_close(struct upload *upload);

#endif
