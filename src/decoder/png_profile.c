#include "decoder/png_profile.h"

#include <stdlib.h>
#include <string.h>

#define ZLIB_CONST
#include <zlib.h>

enum { TEXT_MOST = 8 << 20 }; /* bytes; Exif in JPEG has 64 KiB at most */

/* The text: ISO/IEC 15948, section 11.3.4 ------------------------------------------------------ */

/* Behind the next byte that is zero; false where none is. */
static bool skip_text(struct bytes *rest)
{
    const unsigned char *end = rest->length > 0 ? memchr(rest->at, 0, rest->length) : NULL;
    return end != NULL && bytes_skip(rest, (size_t)(end - rest->at) + 1);
}

static bool is_named(struct bytes *rest)
{
    static const char *const names[] = {"Raw profile type exif", "Raw profile type APP1"};
    bool is = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        is = is || bytes_begin_with(*rest, names[i], strlen(names[i]) + 1);
    return is && skip_text(rest);
}

/* To the text; sets whether it is packed. */
static bool skip_head(uint32_t type, struct bytes *rest, bool *is_packed)
{
    *is_packed = type != 0x74455874 /* tEXt */;
    if (type == 0x7a545874 /* zTXt */)
        return bytes_skip(rest, 1);
    if (type == 0x69545874 /* iTXt */) {
        *is_packed = bytes_number(*rest, 0, 1) == 1;
        return bytes_skip(rest, 2) && skip_text(rest) && skip_text(rest);
    }
    return !*is_packed;
}

/* All of it, or nothing. */
static unsigned char *unpack(struct bytes packed, size_t *length)
{
    unsigned char *text = malloc(TEXT_MOST);
    z_stream stream = {.next_in = packed.at,
                       .avail_in = (uInt)packed.length,
                       .next_out = text,
                       .avail_out = TEXT_MOST};
    if (text == NULL || inflateInit(&stream) != Z_OK)
        return free(text), NULL;
    bool is_whole = inflate(&stream, Z_FINISH) == Z_STREAM_END;
    *length = TEXT_MOST - stream.avail_out;
    inflateEnd(&stream);
    return is_whole ? text : (free(text), NULL);
}

/* The profile: a line with its name, one with its length, and its bytes -------------------------
 */

static bool skip_line(struct bytes *rest)
{
    const unsigned char *end = rest->length > 0 ? memchr(rest->at, '\n', rest->length) : NULL;
    return end != NULL && bytes_skip(rest, (size_t)(end - rest->at) + 1);
}

static int figure(unsigned char byte)
{
    return byte >= '0' && byte <= '9'   ? byte - '0'
           : byte >= 'a' && byte <= 'f' ? byte - 'a' + 10
           : byte >= 'A' && byte <= 'F' ? byte - 'A' + 10
                                        : -1;
}

/* Half as many bytes as figures, at most. */
static unsigned char *read_figures(struct bytes text, size_t *length)
{
    unsigned char *bytes = calloc(1, text.length / 2 + 1);
    size_t figures = 0;
    for (size_t i = 0; bytes != NULL && i < text.length; i++) {
        int value = figure(text.at[i]);
        if (value < 0)
            continue;
        bytes[figures / 2] = (unsigned char)(bytes[figures / 2] << 4 | value);
        figures++;
    }
    *length = figures / 2;
    return bytes;
}

static unsigned char *read_profile(struct bytes text, size_t *length)
{
    bool has_head = skip_line(&text) && skip_line(&text) && skip_line(&text);
    return has_head ? read_figures(text, length) : NULL;
}

unsigned char *png_profile_read(uint32_t type, struct bytes chunk, size_t *length)
{
    bool is_packed;
    if (!is_named(&chunk) || !skip_head(type, &chunk, &is_packed))
        return NULL;
    if (!is_packed)
        return read_profile(chunk, length);
    size_t unpacked = 0;
    unsigned char *text = unpack(chunk, &unpacked);
    unsigned char *profile =
        text != NULL ? read_profile((struct bytes){text, unpacked}, length) : NULL;
    free(text);
    return profile;
}
