#include "decoder/container.h"

#include <string.h>

#include "decoder/boxes.h"
#include "decoder/gif.h"

/* What is replaced is found by a reader that changes nothing. */
struct container {
    unsigned char *bytes;
    struct bytes file, meta;
};

static void replace(const struct container *container, const unsigned char *at, uint32_t number,
                    size_t size)
{
    unsigned char *place = container->bytes + (at - container->file.at);
    for (size_t i = 0; i < size; i++)
        place[i] = (unsigned char)(number >> 8 * (size - 1 - i));
}

/* Brands: ISO/IEC 14496-12, section 4.3 -------------------------------------------------------- */

enum { BRAND = 4, BRANDS_OTHERS = 8 };

/* By which libvips tells that a file is one of these. */
static bool is_known(struct bytes brand)
{
    static const char *const known[] = {"avif", "heic", "heix", "mif1", "hevc",
                                        "heim", "heis", "hevm", "hevs", "msf1"};
    bool is = false;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        is = is || bytes_begin_with(brand, known[i], BRAND);
    return is;
}

/* Moving pictures have a first one, as others have theirs. */
static void name_still(const struct container *container, struct bytes brands)
{
    for (; brands.length >= BRAND; bytes_skip(&brands, BRAND))
        if (bytes_begin_with(brands, "avis", BRAND))
            replace(container, brands.at, BOX_TYPE("avif"), BRAND);
}

static void adapt_brand(const struct container *container)
{
    struct bytes brands = boxes_find(container->file, BOX_TYPE("ftyp"));
    name_still(container, brands);
    struct bytes others = bytes_part(brands, BRANDS_OTHERS, brands.length);
    while (others.length >= BRAND && !is_known(others))
        bytes_skip(&others, BRAND);
    if (others.length >= BRAND && !is_known(brands))
        replace(container, brands.at, (uint32_t)bytes_number(others, 0, BRAND), BRAND);
}

/* What an item is described by: ISO/IEC 23008-12, section 9.3 ---------------------------------- */

static bool is_alpha(const struct box *property)
{
    static const char *const names[] = {"urn:mpeg:mpegB:cicp:systems:auxiliary:alpha",
                                        "urn:mpeg:hevc:2015:auxid:1", "urn:mpeg:avc:2015:auxid:1"};
    struct bytes name = bytes_part(property->content, BOX_HEAD, property->content.length);
    bool is = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        is = is || bytes_begin_with(name, names[i], strlen(names[i]) + 1);
    return is && property->type == BOX_TYPE("auxC");
}

/* It counts from one. */
static bool is_alpha_property(struct bytes properties, uint64_t number)
{
    struct bytes boxes = boxes_find(properties, BOX_TYPE("ipco"));
    struct box box;
    while (number > 0 && boxes_next(&boxes, &box))
        if (--number == 0)
            return is_alpha(&box);
    return false;
}

/* By one box of associations, which are of one byte each or of two, whose first bit is another
 * matter. */
static bool associates_alpha(struct bytes properties, struct bytes associations, uint32_t item)
{
    uint64_t head = bytes_take(&associations, BOX_HEAD), count = bytes_take(&associations, 4);
    size_t number_size = head >> 24 == 0 ? 2 : 4, size = (head & 1) != 0 ? 2 : 1;
    bool is = false;
    for (uint64_t i = 0; i < count && associations.length > 0 && !is; i++) {
        bool is_this = bytes_take(&associations, number_size) == item;
        for (uint64_t left = bytes_take(&associations, 1); left > 0; left--) {
            uint64_t number = bytes_take(&associations, size) & (size == 1 ? 0x7f : 0x7fff);
            is = is || (is_this && is_alpha_property(properties, number));
        }
    }
    return is;
}

static bool is_transparency(struct bytes meta, uint32_t item)
{
    struct bytes properties = boxes_find(meta, BOX_TYPE("iprp")), boxes = properties;
    struct box box;
    while (boxes_next(&boxes, &box))
        if (box.type == BOX_TYPE("ipma") && associates_alpha(properties, box.content, item))
            return true;
    return false;
}

/* References ----------------------------------------------------------------------------------- */

static bool refers_to(const struct reference *reference, uint32_t item)
{
    bool does = false;
    for (uint32_t i = 0; i < reference->count; i++)
        does = does || reference_to(reference, i) == item;
    return does;
}

/* Of a box whose size stands before its type. */
static bool has_short_size(const struct box *box)
{
    return (size_t)(box->content.at - box->name) == sizeof(uint32_t) &&
           bytes_number((struct bytes){box->name - 4, 4}, 0, 4) == box->content.length + 8;
}

static bool find_box(struct bytes boxes, uint32_t type, struct box *box)
{
    while (boxes_next(&boxes, box))
        if (box->type == type)
            return has_short_size(box);
    return false;
}

static void grow(const struct container *container, const struct box *box, size_t by)
{
    replace(container, box->name - 4, (uint32_t)(box->content.length + 8 + by), 4);
}

/* Its other numbers go. The bytes that they leave are put behind the name of the handler, the first
 * box, where nobody looks; what is between moves. */
static void refer_to_one(const struct container *container, const struct reference *reference,
                         uint32_t item)
{
    size_t size = reference->id_size, less = (reference->count - 1) * size;
    struct box handler, all;
    if (!find_box(container->meta, BOX_TYPE("hdlr"), &handler) ||
        !find_box(container->meta, BOX_TYPE("iref"), &all) || handler.name > all.name ||
        !has_short_size(&reference->box) || reference->to.length != reference->count * size)
        return;
    const unsigned char *from = handler.content.at + handler.content.length;
    grow(container, &handler, less);
    grow(container, &all, 0 - less);
    grow(container, &reference->box, 0 - less);
    replace(container, reference->to.at - 2, 1, 2);
    replace(container, reference->to.at, item, size);
    unsigned char *begin = container->bytes + (from - container->file.at);
    memmove(begin + less, begin, (size_t)(reference->to.at + size - from));
}

/* Of a thumbnail, of a description, of an auxiliary picture: each is of one picture for the library
 * of Debian 12, and of several for the cameras of today. A thumbnail would be taken for the
 * picture where it is large enough. */
static bool is_in_the_way(const struct container *container, const struct reference *reference)
{
    uint32_t type = reference->box.type;
    return type == BOX_TYPE("thmb") || type == BOX_TYPE("cdsc") ||
           (type == BOX_TYPE("auxl") && !is_transparency(container->meta, reference->from));
}

/* What makes other pictures transparent is of no use. */
static void adapt_reference(const struct container *container, const struct reference *reference,
                            uint32_t picture)
{
    bool is_of_several = reference->box.type == BOX_TYPE("auxl") && reference->count > 1;
    if (is_in_the_way(container, reference) || (is_of_several && !refers_to(reference, picture)))
        replace(container, reference->box.name, BOX_TYPE("skip"), sizeof(uint32_t));
    else if (is_of_several)
        refer_to_one(container, reference, picture);
}

static void adapt_references(const struct container *container)
{
    struct bytes number;
    uint32_t picture = boxes_primary(container->meta, &number);
    struct references references = references_of(container->meta);
    struct reference reference;
    while (references_next(&references, &reference))
        adapt_reference(container, &reference, picture);
}

static void adapt_primary(const struct container *container)
{
    struct bytes number;
    uint32_t primary = boxes_primary(container->meta, &number);
    replace(container, number.at, boxes_base(container->meta, primary), number.length);
}

/* ---------------------------------------------------------------------------------------------- */

size_t container_adapt(unsigned char *bytes, size_t length)
{
    struct container container = {bytes, {bytes, length}, {NULL, 0}};
    if (gif_is(container.file))
        return gif_close_up(bytes, length);
    if (!bytes_begin_with(bytes_part(container.file, BRAND, BRAND), "ftyp", BRAND))
        return length;
    container.meta = boxes_meta(container.file);
    adapt_brand(&container);
    adapt_primary(&container);
    adapt_references(&container);
    return length;
}
