#include "decoder/boxes.h"

enum { SHORT_HEADER = 8, LONG_HEADER = 16, NAME = 4 };

/* Zero: it goes on to the end. One: a longer size is behind the name. */
bool boxes_next(struct bytes *boxes, struct box *box)
{
    uint64_t size = bytes_number(*boxes, 0, NAME);
    size_t header = size == 1 ? LONG_HEADER : SHORT_HEADER;
    if (boxes->length < header)
        return false;
    if (size == 1)
        size = bytes_number(*boxes, SHORT_HEADER, 8);
    if (size == 0 || size > boxes->length)
        size = boxes->length;
    if (size < header)
        return false;
    *box = (struct box){(uint32_t)bytes_number(*boxes, NAME, 4), boxes->at + NAME,
                        bytes_part(*boxes, header, (size_t)size - header)};
    return bytes_skip(boxes, (size_t)size);
}

struct bytes boxes_find(struct bytes boxes, uint32_t type)
{
    struct box box;
    while (boxes_next(&boxes, &box))
        if (box.type == type)
            return box.content;
    return (struct bytes){boxes.at, 0};
}

struct bytes boxes_meta(struct bytes file)
{
    struct bytes meta = boxes_find(file, BOX_TYPE("meta"));
    return bytes_part(meta, BOX_HEAD, meta.length);
}

/* The version is the first byte. */
static size_t id_size(struct bytes full_box)
{
    return bytes_number(full_box, 0, 1) == 0 ? 2 : 4;
}

uint32_t boxes_primary(struct bytes meta, struct bytes *number)
{
    struct bytes primary = boxes_find(meta, BOX_TYPE("pitm"));
    *number = bytes_part(primary, BOX_HEAD, id_size(primary));
    return (uint32_t)bytes_number(*number, 0, id_size(primary));
}

/* Items ---------------------------------------------------------------------------------------- */

/* Behind the version and their count. */
struct bytes items_of(struct bytes meta)
{
    struct bytes all = boxes_find(meta, BOX_TYPE("iinf"));
    return bytes_part(all, BOX_HEAD + (bytes_number(all, 0, 1) == 0 ? 2 : 4), all.length);
}

bool items_next(struct bytes *items, struct item *item)
{
    enum { PROTECTION = 2 };
    struct box box;
    if (!boxes_next(items, &box))
        return false;
    uint64_t version = bytes_number(box.content, 0, 1);
    size_t size = version < 3 ? 2 : 4;
    item->number = (uint32_t)bytes_number(box.content, BOX_HEAD, size);
    item->type = version < 2 || box.type != BOX_TYPE("infe")
                     ? 0
                     : (uint32_t)bytes_number(box.content, BOX_HEAD + size + PROTECTION, 4);
    return true;
}

static bool is_tone_map(struct bytes meta, uint32_t number)
{
    struct bytes items = items_of(meta);
    struct item item;
    while (items_next(&items, &item))
        if (item.number == number)
            return item.type == BOX_TYPE("tmap");
    return false;
}

uint32_t boxes_base(struct bytes meta, uint32_t item)
{
    struct references references = references_of(meta);
    struct reference reference;
    if (!is_tone_map(meta, item))
        return item;
    while (references_next(&references, &reference))
        if (reference.box.type == BOX_TYPE("dimg") && reference.from == item && reference.count > 0)
            return reference_to(&reference, 0);
    return item;
}

/* References ----------------------------------------------------------------------------------- */

struct references references_of(struct bytes meta)
{
    struct bytes all = boxes_find(meta, BOX_TYPE("iref"));
    return (struct references){bytes_part(all, BOX_HEAD, all.length), id_size(all)};
}

bool references_next(struct references *references, struct reference *reference)
{
    struct box box;
    if (!boxes_next(&references->boxes, &box))
        return false;
    struct bytes rest = box.content;
    size_t size = references->id_size;
    uint32_t from = (uint32_t)bytes_take(&rest, size), count = (uint32_t)bytes_take(&rest, 2);
    count = count <= rest.length / size ? count : (uint32_t)(rest.length / size);
    *reference = (struct reference){box, from, count, rest, size};
    return true;
}

uint32_t reference_to(const struct reference *reference, uint32_t i)
{
    return (uint32_t)bytes_number(reference->to, i * reference->id_size, reference->id_size);
}
