#include "decoder/note.h"

#include <stdlib.h>
#include <string.h>

#include "decoder/boxes.h"
#include "decoder/exif.h"
#include "decoder/heif_item.h"
#include "decoder/jpeg.h"
#include "decoder/png_profile.h"

/* Where it is. The function of a format looks for the block, and cuts it to begin where its
 * directories do; what it had to make for that is freed behind. */
struct search {
    struct bytes file, block;
    unsigned char *made;
};

static bool take(struct search *search, struct bytes block)
{
    search->block = block;
    return exif_begins_in(&search->block);
}

static bool take_made(struct search *search, unsigned char *made, size_t length)
{
    free(search->made);
    search->made = made;
    return made != NULL && take(search, (struct bytes){made, length});
}

/* JPEG: Exif 2.32, section 4.7.2 --------------------------------------------------------------- */

enum { JPEG_APPLICATION_1 = 0xe1 };

static bool find_in_jpeg(struct search *search)
{
    struct bytes rest = search->file, content;
    unsigned char marker = 0;
    bool is_there = bytes_skip(&rest, 2);
    while (is_there && (marker = jpeg_next(&rest)) != JPEG_SCAN && marker != 0) {
        is_there = marker != JPEG_END && jpeg_skip_segment(&rest, &content);
        if (is_there && marker == JPEG_APPLICATION_1 && bytes_begin_with(content, "Exif\0", 5) &&
            take(search, content))
            return true;
    }
    return false;
}

/* PNG: the chunk of the third edition, or a text ----------------------------------------------- */

enum { PNG_SIGNATURE = 8, CHUNK_HEADER = 8, CHUNK_CHECK = 4 };

static bool take_chunk(struct search *search, uint32_t type, struct bytes content)
{
    size_t length = 0;
    if (type == BOX_TYPE("eXIf"))
        return take(search, content);
    unsigned char *profile = png_profile_read(type, content, &length);
    return profile != NULL && take_made(search, profile, length);
}

static bool find_in_png(struct search *search)
{
    struct bytes rest = search->file;
    bool is_there = bytes_skip(&rest, PNG_SIGNATURE);
    while (is_there && rest.length >= CHUNK_HEADER) {
        uint64_t length = bytes_number(rest, 0, 4);
        uint32_t type = (uint32_t)bytes_number(rest, 4, 4);
        if (take_chunk(search, type, bytes_part(rest, CHUNK_HEADER, length)))
            return true;
        is_there = bytes_skip(&rest, CHUNK_HEADER + (size_t)length + CHUNK_CHECK);
    }
    return false;
}

/* WebP: RFC 9649, sections 2.3 and 2.7.1.5 ----------------------------------------------------- */

enum { RIFF_HEADER = 12 };

static size_t little(struct bytes bytes, size_t from)
{
    uint64_t number = bytes_number(bytes, from, 4);
    return (number & 0xff) << 24 | (number & 0xff00) << 8 | (number >> 8 & 0xff00) | number >> 24;
}

static bool find_in_webp(struct search *search)
{
    struct bytes rest = search->file;
    bool is_there = bytes_skip(&rest, RIFF_HEADER);
    while (is_there && rest.length >= CHUNK_HEADER) {
        size_t length = little(rest, 4);
        if (bytes_begin_with(rest, "EXIF", 4) &&
            take(search, bytes_part(rest, CHUNK_HEADER, length)))
            return true;
        is_there = bytes_skip(&rest, CHUNK_HEADER + length + length % 2);
    }
    return false;
}

/* HEIC and AVIF: ISO/IEC 23008-12, annex A ----------------------------------------------------- */

/* Before the directories is their distance from here, which not all writers count alike: they are
 * looked for where it says, and else where the item begins. */
static bool find_in_heif(struct search *search)
{
    enum { DISTANCE = 4 };
    size_t length = 0;
    search->made = heif_item_exif(search->file, &length);
    const struct bytes item = {search->made, length};
    size_t distance = (size_t)bytes_number(item, 0, DISTANCE);
    return take(search, bytes_part(item, DISTANCE + distance, length)) || take(search, item);
}

/* ---------------------------------------------------------------------------------------------- */

static bool find(struct search *search)
{
    struct bytes file = search->file;
    if (bytes_begin_with(file, "\xff\xd8", 2))
        return find_in_jpeg(search);
    if (bytes_begin_with(file, "\x89PNG", 4))
        return find_in_png(search);
    if (bytes_begin_with(file, "RIFF", 4))
        return find_in_webp(search);
    return bytes_begin_with(bytes_part(file, 4, 4), "ftyp", 4) && find_in_heif(search);
}

struct camera_note note_read(const unsigned char *bytes, size_t length)
{
    struct search search = {.file = {bytes, length}};
    struct camera_note note = {.has_place = false};
    if (find(&search))
        note = exif_read(search.block);
    free(search.made);
    return note;
}
