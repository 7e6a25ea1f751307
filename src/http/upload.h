/*
 * A file that came with a request, in a file without a name.
 */
#ifndef MAPDIARY_HTTP_UPLOAD_H
#define MAPDIARY_HTTP_UPLOAD_H

#include <stdint.h>

#include "base/crypto.h"

struct upload {
    const char *name; /* of its parameter */
    int descriptor;   /* on the file system of photo_directory, for reading and writing; whoever
                       * reads it gives offsets (pread(2)) */
    int64_t length;   /* in bytes */
    unsigned char digest[CRYPTO_DIGEST_SIZE];    /* SHA-256 */
    char digest_hex[2 * CRYPTO_DIGEST_SIZE + 1]; /* what the parameter counts as in a signature */
};

#endif
