/*
 * XML, and Atom which is one of its kinds, by Mini-XML: a document is a tree of its nodes, which is
 * saved at its end. One list is saved item by item: what there is with the first item is saved up
 * to a mark in the tree behind it, and goes; what comes after the list is saved at the end. One
 * item's nodes serve for all, as making them takes half of the time.
 *
 * There is no white space between elements, but for a line feed after the declaration and at the
 * end. A CR in a text becomes a character reference, as an XML
 * parser would otherwise read a line feed (XML 1.0, section 2.11).
 */
#include <mxml.h>
#include <string.h>

#include "base/memory.h"
#include "document/format.h"

/* Mini-XML writes the name of an element as it is, and no end of one that begins so. */
static const char declaration[] = "?xml version=\"1.0\" encoding=\"UTF-8\"?";
static const char mark[] = "!--|--", saved_mark[] = "<!--|-->";

enum { USUAL_SIZE = 4096, NAME_SIZE = 64 };

static mxml_node_t *add_element(mxml_node_t *parent, const char *name)
{
    return memory_required(mxmlNewElement(parent, name));
}

/* Without a child an element is written as empty, in one tag. */
static void add_text(mxml_node_t *element, const char *text)
{
    (void)memory_required(mxmlNewOpaque(element, text));
}

/* Saving ----------------------------------------------------------------------------------------
 */

/* No markup has a CR, so each stands in a text. */
static void refer_to_returns(struct buffer *out, size_t start)
{
    static const char reference[] = "&#13;";
    enum { MORE = sizeof reference - 2 };
    size_t count = 0;
    for (const char *at = out->data + start, *end = out->data + out->length;
         (at = memchr(at, '\r', (size_t)(end - at))) != NULL; at++)
        count++;
    char *to = buffer_room(out, count * MORE) + count * MORE;
    const char *from = out->data + out->length;
    out->length += count * MORE;
    while (to != from)
        if (*--from == '\r')
            to = memcpy(to - sizeof reference + 1, reference, sizeof reference - 1);
        else
            *--to = *from;
}

/* Answers where it was put. */
static size_t save(struct buffer *out, mxml_node_t *node)
{
    size_t start = out->length, size = USUAL_SIZE;
    do {
        char *room = buffer_room(out, size);
        int length = mxmlSaveString(node, room, (int)(out->capacity - start), MXML_NO_CALLBACK);
        (void)memory_required(length >= 0 ? room : NULL);
        size = (size_t)length + 1;
    } while (size > out->capacity - start);
    out->length += size - 1;
    refer_to_returns(out, start);
    return start;
}

/* Up to the mark of the list that is streamed. */
static void save_head(struct writing *writing)
{
    struct buffer *out = writing->out;
    size_t start = save(out, writing->root);
    char *at = memmem(out->data + start, out->length - start, saved_mark, sizeof saved_mark - 1);
    out->length = (size_t)(at - out->data);
}

static void save_tail(struct writing *writing)
{
    struct buffer *out = writing->out;
    size_t start = save(out, writing->root);
    char *at = memmem(out->data + start, out->length - start, saved_mark, sizeof saved_mark - 1);
    const char *tail = at + sizeof saved_mark - 1;
    size_t length = out->length - (size_t)(tail - out->data);
    memmove(out->data + start, tail, length);
    out->length = start + length;
}

/* The line feed that Mini-XML ends with is for documents. */
static void save_item(struct writing *writing, mxml_node_t *item)
{
    save(writing->out, item);
    writing->out->length--;
}

/* Elements --------------------------------------------------------------------------------------
 */

/* Those of an item before that this one does not have. */
static void drop_until(struct writing *writing, const mxml_node_t *end)
{
    for (mxml_node_t *next; writing->next != end; writing->next = next) {
        next = mxmlGetNextSibling(writing->next);
        mxmlDelete(writing->next);
    }
}

static bool is_named(mxml_node_t *node, const char *name)
{
    const char *element = mxmlGetElement(node);
    return element != NULL && strcmp(element, name) == 0;
}

static mxml_node_t *find_sibling(mxml_node_t *node, const char *name)
{
    while (node != NULL && !is_named(node, name))
        node = mxmlGetNextSibling(node);
    return node;
}

/* The next one here: that of an item before, which may have others before it. */
static mxml_node_t *next_element(struct writing *writing, const char *name)
{
    mxml_node_t *there = find_sibling(writing->next, name);
    if (there != NULL) {
        drop_until(writing, there);
        return there;
    }
    there = add_element(NULL, name);
    mxmlAdd(writing->here, writing->next != NULL ? MXML_ADD_BEFORE : MXML_ADD_AFTER, writing->next,
            there);
    return there;
}

static void set_text(mxml_node_t *element, const char *text)
{
    mxml_node_t *child = mxmlGetFirstChild(element);
    if (child == NULL && *text != '\0')
        add_text(element, text);
    else if (child != NULL && *text == '\0')
        mxmlDelete(child);
    else if (child != NULL)
        (void)memory_required(mxmlSetOpaque(child, text) == 0 ? child : NULL);
}

static void enter(struct writing *writing, mxml_node_t *element)
{
    writing->here = element;
    writing->next = mxmlGetFirstChild(element);
}

static void leave(struct writing *writing)
{
    drop_until(writing, NULL);
    writing->next = mxmlGetNextSibling(writing->here);
    writing->here = mxmlGetParent(writing->here);
}

/* The callbacks --------------------------------------------------------------------------------
 */

static void begin(struct writing *writing)
{
    mxmlSetWrapMargin(0);
    writing->root = add_element(NULL, declaration);
    add_text(writing->root, "\n");
    writing->here = add_element(writing->root, "response");
}

static void leaf(struct writing *writing, const struct field *field, const void *base)
{
    char digits[1 + FIELD_DIGITS_SIZE] = "0";
    const char *text = field_text(field, base, digits + 1);
    bool is_none = field->kind == FIELD_ID && !field_is_set(field, base);
    bool is_short = field->kind == FIELD_TWO_DIGITS && digits[2] == '\0';
    mxml_node_t *element = next_element(writing, field->name);
    set_text(element, is_none ? "" : is_short ? digits : text);
    writing->next = mxmlGetNextSibling(element);
}

/* True within the list of which an item was saved already. */
static bool is_streamed(const struct writing *writing)
{
    return writing->mark != NULL && mxmlGetParent(writing->mark) == writing->here;
}

static mxml_node_t *rename_item(struct writing *writing, const char *name)
{
    mxml_node_t *item = mxmlGetLastChild(writing->here);
    return memory_required(mxmlSetElement(item, name) == 0 ? item : NULL);
}

/* "photo1" */
static void name_item(const struct field *field, size_t position,
                      char name[static NAME_SIZE + TEXT_INTEGER_SIZE])
{
    size_t length = strnlen(field->item, NAME_SIZE);
    text_from_integer((int64_t)position, mempcpy(name, field->item, length));
}

static void item(struct writing *writing, const struct field *field, size_t position,
                 const char *text)
{
    char name[NAME_SIZE + TEXT_INTEGER_SIZE];
    name_item(field, position, name);
    mxml_node_t *element = next_element(writing, name);
    set_text(element, text);
    writing->next = mxmlGetNextSibling(element);
}

static void open_object(struct writing *writing, const struct field *field, size_t position)
{
    char name[NAME_SIZE + TEXT_INTEGER_SIZE];
    if (position > 0)
        name_item(field, position, name);
    if (is_streamed(writing))
        enter(writing, rename_item(writing, name));
    else
        enter(writing, next_element(writing, position > 0 ? name : field->name));
}

static void open_list(struct writing *writing, const struct field *field)
{
    enter(writing, next_element(writing, field->name));
}

/* The item that served for all is no part of the tail. An empty list has a start and an end. */
static void close_list(struct writing *writing, size_t count)
{
    if (is_streamed(writing))
        mxmlDelete(mxmlGetLastChild(writing->here));
    drop_until(writing, NULL);
    if (count == 0)
        add_text(writing->here, "");
    leave(writing);
}

static void flush_first(struct writing *writing, mxml_node_t *item)
{
    mxml_node_t *response = mxmlGetParent(writing->here);
    writing->mark = memory_required(mxmlNewElement(NULL, mark));
    mxmlAdd(writing->here, MXML_ADD_AFTER, item, writing->mark);
    save_head(writing);
    while (mxmlGetFirstChild(response) != writing->here)
        mxmlDelete(mxmlGetFirstChild(response));
    mxmlAdd(writing->here, MXML_ADD_AFTER, writing->mark, item);
}

static void flush(struct writing *writing)
{
    mxml_node_t *item = mxmlGetLastChild(writing->here);
    if (writing->mark == NULL)
        flush_first(writing, item);
    else
        save_item(writing, item);
    writing->next = NULL;
}

/* Atom ------------------------------------------------------------------------------------------
 *
 * A feed is the same kind of document with other names (RFC 4287): its entries stand in it by
 * themselves, without a list around them or numbers, and a link is an element of attributes. Places
 * are GeoRSS Simple's (OGC 17-002r1).
 */

static void begin_feed(struct writing *writing)
{
    mxmlSetWrapMargin(0);
    writing->root = add_element(NULL, declaration);
    add_text(writing->root, "\n");
    writing->here = add_element(writing->root, "feed");
    mxmlElementSetAttr(writing->here, "xmlns", "http://www.w3.org/2005/Atom");
    mxmlElementSetAttr(writing->here, "xmlns:georss", "http://www.georss.org/georss");
}

static void feed_leaf(struct writing *writing, const struct field *field, const void *base)
{
    char digits[FIELD_DIGITS_SIZE];
    const char *text = field_text(field, base, digits);
    mxml_node_t *element = add_element(writing->here, field->name);
    if (field->kind != FIELD_LINK) {
        set_text(element, text);
        return;
    }
    mxmlElementSetAttr(element, "rel", field->item);
    mxmlElementSetAttr(element, "href", text);
    for (const struct field *more = field->shape; more != NULL && more->name != NULL; more++)
        if (field_is_set(more, base))
            mxmlElementSetAttr(element, more->name, field_text(more, base, digits));
}

static void open_entry(struct writing *writing, const struct field *field, size_t position)
{
    writing->here = add_element(writing->here, position > 0 ? field->item : field->name);
}

static void close_entry(struct writing *writing)
{
    writing->here = mxmlGetParent(writing->here);
}

static void open_entries(struct writing *writing, const struct field *field)
{
    (void)writing, (void)field;
}

static void close_entries(struct writing *writing, size_t count)
{
    (void)writing, (void)count;
}

/* Both ------------------------------------------------------------------------------------------
 */

static void drop(struct writing *writing)
{
    mxmlDelete(writing->root);
    writing->root = NULL;
}

static void end(struct writing *writing)
{
    if (writing->mark != NULL)
        save_tail(writing);
    else
        save(writing->out, writing->root);
    drop(writing);
}

const struct format format_xml = {
    .name = "XML",
    .content_type = "text/xml; charset=UTF-8",
    .begin = begin,
    .leaf = leaf,
    .open_object = open_object,
    .close_object = leave,
    .open_list = open_list,
    .close_list = close_list,
    .item = item,
    .flush = flush,
    .end = end,
    .drop = drop,
};

/* A feed is saved as a whole. */
const struct format format_atom = {
    .name = "Atom",
    .content_type = "application/atom+xml; charset=UTF-8",
    .is_bare = true,
    .refusals = &format_xml,
    .refuses_by_status = true,
    .begin = begin_feed,
    .leaf = feed_leaf,
    .open_object = open_entry,
    .close_object = close_entry,
    .open_list = open_entries,
    .close_list = close_entries,
    .end = end,
    .drop = drop,
};
