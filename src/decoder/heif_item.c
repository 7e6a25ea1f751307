#include "decoder/heif_item.h"

#include <stdlib.h>
#include <string.h>

#include "decoder/boxes.h"

/* Which it is ---------------------------------------------------------------------------------- */

enum described { OF_NO_PICTURE, OF_ANOTHER, OF_THIS };

/* A picture, and what it is made of where that is another one. */
struct shown {
    uint32_t picture, base;
};

static enum described what_describes(struct bytes meta, uint32_t item, const struct shown *shown)
{
    enum described described = OF_NO_PICTURE;
    struct references references = references_of(meta);
    struct reference reference;
    while (references_next(&references, &reference)) {
        if (reference.box.type != BOX_TYPE("cdsc") || reference.from != item)
            continue;
        described = OF_ANOTHER;
        for (uint32_t i = 0; i < reference.count; i++) {
            uint32_t to = reference_to(&reference, i);
            if (to == shown->picture || to == shown->base)
                return OF_THIS;
        }
    }
    return described;
}

/* That of the picture, or else of the whole file; zero where there is none. */
static uint32_t find_exif(struct bytes meta)
{
    struct bytes number, items = items_of(meta);
    uint32_t picture = boxes_primary(meta, &number), of_all = 0;
    const struct shown shown = {picture, boxes_base(meta, picture)};
    struct item item;
    while (items_next(&items, &item)) {
        if (item.type != BOX_TYPE("Exif"))
            continue;
        enum described described = what_describes(meta, item.number, &shown);
        if (described == OF_THIS)
            return item.number;
        if (described == OF_NO_PICTURE && of_all == 0)
            of_all = item.number;
    }
    return of_all;
}

/* Where it is: 8.11.3 -------------------------------------------------------------------------- */

struct locations {
    struct bytes rest;
    uint64_t version;
    size_t offset, length, base, index; /* bytes of a number */
};

struct location {
    uint32_t item;
    uint64_t method; /* of finding its parts */
    uint64_t base;
    uint32_t count;
    struct bytes parts;
};

enum { IN_FILE, IN_BOX }; /* methods */

static struct locations locations_of(struct bytes meta, uint64_t *count)
{
    struct bytes rest = boxes_find(meta, BOX_TYPE("iloc"));
    uint64_t version = bytes_take(&rest, BOX_HEAD) >> 24, sizes = bytes_take(&rest, 2);
    *count = bytes_take(&rest, version < 2 ? 2 : 4);
    return (struct locations){rest,
                              version,
                              sizes >> 12 & 15,
                              sizes >> 8 & 15,
                              sizes >> 4 & 15,
                              version > 0 ? sizes & 15 : 0};
}

static size_t part_size(const struct locations *locations)
{
    return locations->index + locations->offset + locations->length;
}

static struct location take_location(struct locations *locations)
{
    struct bytes *rest = &locations->rest;
    struct location location = {0};
    location.item = (uint32_t)bytes_take(rest, locations->version < 2 ? 2 : 4);
    location.method = locations->version > 0 ? bytes_take(rest, 2) & 15 : IN_FILE;
    (void)bytes_take(rest, 2); /* another file's number */
    location.base = bytes_take(rest, locations->base);
    location.count = (uint32_t)bytes_take(rest, 2);
    location.parts = *rest;
    if (!bytes_skip(rest, location.count * part_size(locations)))
        rest->length = 0;
    return location;
}

/* Its parts ------------------------------------------------------------------------------------ */

/* A length of zero is all that is behind the offset. */
static struct bytes take_part(const struct locations *locations, struct location *location,
                              struct bytes source)
{
    (void)bytes_take(&location->parts, locations->index);
    uint64_t offset = location->base + bytes_take(&location->parts, locations->offset),
             length = bytes_take(&location->parts, locations->length);
    return bytes_part(source, (size_t)offset, length > 0 ? (size_t)length : source.length);
}

/* No more than there is in the file: parts may be the same ones again and again. */
static unsigned char *join(const struct locations *locations, struct location location,
                           struct bytes source, size_t *length)
{
    unsigned char *joined = malloc(source.length > 0 ? source.length : 1);
    *length = 0;
    for (uint32_t i = 0; joined != NULL && i < location.count; i++) {
        struct bytes part = take_part(locations, &location, source);
        part = bytes_part(part, 0, source.length - *length);
        memcpy(joined + *length, part.at, part.length);
        *length += part.length;
    }
    return joined;
}

unsigned char *heif_item_exif(struct bytes file, size_t *length)
{
    struct bytes meta = boxes_meta(file);
    uint32_t item = find_exif(meta);
    uint64_t count;
    struct locations locations = locations_of(meta, &count);
    for (uint64_t i = 0; item != 0 && i < count && locations.rest.length > 0; i++) {
        struct location location = take_location(&locations);
        if (location.item == item && location.method <= IN_BOX)
            return join(&locations, location,
                        location.method == IN_BOX ? boxes_find(meta, BOX_TYPE("idat")) : file,
                        length);
    }
    return NULL;
}
