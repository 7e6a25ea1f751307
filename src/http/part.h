/*
 * What the headers of a part of multipart/form-data say (RFC 7578, section 4.2), read strictly.
 */
#ifndef MAPDIARY_HTTP_PART_H
#define MAPDIARY_HTTP_PART_H

#include <stddef.h>

#include "base/status.h"

enum part_kind {
    PART_TEXT,
    PART_FILE,  /* it has a file name; which one is nobody's business */
    PART_ABSENT /* its file name is empty: a field for a file that nobody chose */
};

struct part {
    const char *name; /* decoded: any bytes but NUL, perhaps none */
    enum part_kind kind;
};

/**
 * Reads the headers, a line each with a NUL behind it, over which the name is written.
 * STATUS_MALFORMED_REQUEST where they are no headers, have no Content-Disposition of form-data, or
 * none with a name, or a Content-Transfer-Encoding that changes the bytes. Others say nothing.
 */
enum status part_read(char *headers, size_t length, struct part *part) MUST_CHECK;

#endif
