#include "rows/json_escapes.h"

#include <stdlib.h>
#include <string.h>

static void end_pair(struct json_escapes *escapes)
{
    escapes->alone |= escapes->high;
    escapes->high = false;
}

static void take_unit(struct json_escapes *escapes)
{
    char digits[] = {escapes->text[2], escapes->text[3], escapes->text[4], escapes->text[5], '\0'};
    unsigned long unit = strtoul(digits, NULL, 16);
    bool low = unit >= 0xdc00 && unit <= 0xdfff;
    escapes->alone |= low != escapes->high;
    escapes->high = unit >= 0xd800 && unit <= 0xdbff;
}

/* Within an escape. What is no hexadecimal digit, yajl refuses. */
static void take_byte(struct json_escapes *escapes, char byte)
{
    escapes->text[escapes->length++] = byte;
    bool complete = escapes->length == sizeof escapes->text;
    if (escapes->length == 2 && byte != 'u') {
        end_pair(escapes);
        complete = true;
    } else if (complete) {
        take_unit(escapes);
    }
    if (complete)
        escapes->length = 0;
}

void json_escapes_read(struct json_escapes *escapes, const char *bytes, size_t length)
{
    const char *end = bytes + length;
    while (bytes < end) {
        if (escapes->length > 0) {
            take_byte(escapes, *bytes++);
            continue;
        }
        if (*bytes != '\\') {
            end_pair(escapes);
            bytes = memchr(bytes, '\\', (size_t)(end - bytes));
            if (bytes == NULL)
                return;
        }
        escapes->text[escapes->length++] = *bytes++;
    }
}
