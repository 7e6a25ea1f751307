/*
 * Boxes, of which HEIC and AVIF files are made: ISO base media file format (ISO/IEC 14496-12), and
 * what ISO/IEC 23008-12 puts into them.
 */
#ifndef MAPDIARY_DECODER_BOXES_H
#define MAPDIARY_DECODER_BOXES_H

#include "decoder/bytes.h"

/** A type, of four characters. */
#define BOX_TYPE(text)                                                                  \
    ((uint32_t)(text)[0] << 24 | (uint32_t)(text)[1] << 16 | (uint32_t)(text)[2] << 8 | \
     (uint32_t)(text)[3])

enum { BOX_HEAD = 4 }; /* of a full box: the version and flags that its content begins with */

struct box {
    uint32_t type;
    const unsigned char *name; /* where the type stands */
    struct bytes content;
};

/** Takes the box that they begin with, or what is there of it; false where there is none. */
bool boxes_next(struct bytes *boxes, struct box *box);

/** The content of the first box of that type; empty where there is none. */
struct bytes boxes_find(struct bytes boxes, uint32_t type);

/** The boxes within a file's box "meta"; empty where there is none. */
struct bytes boxes_meta(struct bytes file);

/** The item that is the picture to show (14496-12, 8.11.4); zero where there is none. Sets where
 * its number stands. */
uint32_t boxes_primary(struct bytes meta, struct bytes *number);

/* Items (8.11.6): pictures, and what belongs to them. */
struct item {
    uint32_t number;
    uint32_t type; /* zero for those of older versions, which have none */
};

/** The boxes of a "meta" that say what items there are, which are then taken one by one. */
struct bytes items_of(struct bytes meta);
bool items_next(struct bytes *items, struct item *item);

/** The picture that a tone map, by which libraries may not know how to show it, is for; of another
 * item, the item itself. */
uint32_t boxes_base(struct bytes meta, uint32_t item);

/* References from one item to others (8.11.12). */
struct reference {
    struct box box; /* its type is that of the reference */
    uint32_t from, count;
    struct bytes to; /* so many items */
    size_t id_size;
};

/** The box "iref" of a "meta", whose references are then taken one by one. */
struct references {
    struct bytes boxes;
    size_t id_size; /* of an item, in bytes */
};

struct references references_of(struct bytes meta);
bool references_next(struct references *references, struct reference *reference);

/** One of those that it refers to. */
uint32_t reference_to(const struct reference *reference, uint32_t i);

#endif
