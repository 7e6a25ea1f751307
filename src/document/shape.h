/*
 * The shape of an answer: rows that say what is answered of a struct, in which order and under
 * which names. A format (format.h) decides how each row is written; no handler writes anything.
 */
#ifndef MAPDIARY_DOCUMENT_SHAPE_H
#define MAPDIARY_DOCUMENT_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

enum field_kind {
    FIELD_TEXT,       /* const char *: valid text; NULL is empty */
    FIELD_LINK,       /* const char *: an address, of the relation that `item` names (Atom alone) */
    FIELD_ID,         /* int64_t: an identifier; 0 is none */
    FIELD_INTEGER,    /* int64_t */
    FIELD_TIME,       /* int64_t: seconds since the epoch; TIME_NONE is none */
    FIELD_DECIMAL,    /* const char *: a decimal number with the digits that were sent */
    FIELD_PART,       /* int: a year */
    FIELD_TWO_DIGITS, /* int: a month or a day, which XML pads */
    FIELD_OBJECT,     /* what stands at the offset, of a shape of its own */
    FIELD_LIST,       /* struct field_list: items of a shape of their own */
    FIELD_STREAM      /* the same, but no part of the struct: its items come one by one */
};

struct field {
    const char *name;
    enum field_kind kind;
    size_t offset;             /* in the struct that the shape is of */
    bool optional;             /* left out where it is not set; else it is always there */
    bool nullable;             /* an identifier that may be none, and is answered all the same */
    const struct field *shape; /* of an object or an item, ended by a row without a name; NULL:
                                * the items are texts (const char *); of a link: more attributes */
    const char *item;          /* of a list: "photo" where its first item is photo1; of a link */
    size_t size;               /* of a list: that of an item */
    bool has_path;             /* of a list: GeoJSON has a line through the places of its items */
};

/* What every row says: its name, its kind (TEXT, ID and so on), and where it lies. */
#define ROW(label, of, at) .name = (label), .kind = FIELD_##of, .offset = (at)
#define SHAPE_END {.name = NULL}

/* How a list lies in a struct; one with a typed pointer in the place of items will do. */
struct field_list {
    const void *items;
    size_t count;
};

struct field_list field_list(const struct field *field, const void *base);

/** True where there is something to write: a text that is not NULL, a time, a number that is not 0,
 * a list with items, an object of which a field is set. */
bool field_is_set(const struct field *field, const void *base);

enum { FIELD_DIGITS_SIZE = TEXT_INTEGER_SIZE };
/** A field of none of the last three kinds as text, never NULL; digits has room for a number's. */
const char *field_text(const struct field *field, const void *base,
                       char digits[static FIELD_DIGITS_SIZE]);

#endif
