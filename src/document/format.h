/*
 * A format of answers: how a document is written. Each is a file of its own; a request names the
 * one that it wants (`responseFormat`).
 */
#ifndef MAPDIARY_DOCUMENT_FORMAT_H
#define MAPDIARY_DOCUMENT_FORMAT_H

#include "base/buffer.h"
#include "document/shape.h"

/* The state of a format that writes a document. */
struct writing {
    struct buffer *out;
    const struct field *by_item; /* the list that goes to the buffer item by item; NULL: none */
    void *root;                  /* NULL before begin(), and after end() or drop() */
    void *here;
    void *next;
    void *mark;
};

/* Fields come in the order of their shape. Each object and list that is opened is closed. */
struct format {
    const char *name; /* of responseFormat */
    const char *content_type;
    bool is_bare;                  /* it says neither status nor info, and so cannot refuse */
    const struct format *refusals; /* how is refused instead; NULL: as itself */
    bool refuses_by_status;        /* by the status of HTTP, too: 400 and 404 */
    void (*begin)(struct writing *writing);
    /** A field of a kind that has a text (shape.h). */
    void (*leaf)(struct writing *writing, const struct field *field, const void *base);
    /** An object: the field itself at position 0, else the item of a list at that position. */
    void (*open_object)(struct writing *writing, const struct field *field, size_t position);
    void (*close_object)(struct writing *writing);
    void (*open_list)(struct writing *writing, const struct field *field);
    void (*close_list)(struct writing *writing, size_t count);
    /** An item of a list of texts. */
    void (*item)(struct writing *writing, const struct field *field, size_t position,
                 const char *text);
    /** An item of the list by_item is complete, and goes to the buffer. NULL where all is there as
     * soon as it is written. */
    void (*flush)(struct writing *writing);
    /** All goes to the buffer. */
    void (*end)(struct writing *writing);
    /** Frees what begin() made, where it will come to no end. */
    void (*drop)(struct writing *writing);
};

extern const struct format format_xml, format_json, format_geojson, format_atom;

/** The format of that name; NULL where there is none. */
const struct format *format_named(const char *name);

/** The format of refusals of requests that ask for that format. */
const struct format *format_of_refusals(const struct format *format);

#endif
