#include "xml/xml.h"

#include <limits.h>
#include <mxml.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"

const char xml_declaration[] = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";

/* All that is not written as it is. */
static const char special[] = "&<>\"\r";

/* The most that Mini-XML makes of a text: six bytes of one, as &quot; has, and a line feed and a
 * NUL after all of it. */
static size_t escaped_most(const char *text)
{
    size_t length = 0, count = 0;
    for (;; length++, count++) {
        length += strcspn(text + length, special);
        if (text[length] == '\0')
            return length + 5 * count + 2;
    }
}

/* The line feed that Mini-XML ends with goes. */
static void save(mxml_node_t *node, struct buffer *out, size_t room)
{
    char *start = buffer_room(out, room);
    int length = room <= INT_MAX ? mxmlSaveString(node, start, (int)room, MXML_NO_CALLBACK) : 0;
    if (length <= 0 || (size_t)length >= room)
        abort();
    out->length += (size_t)length - (start[length - 1] == '\n');
}

/* Mini-XML writes a CR as it is, and only ever out of text: there it becomes a reference. */
static void refer_carriage_returns(struct buffer *out, size_t start)
{
    static const char reference[] = "&#13;";
    const size_t grows = sizeof reference - 2;
    size_t count = 0;
    for (size_t i = start; i < out->length; i++)
        count += out->data[i] == '\r';
    if (count == 0)
        return;
    buffer_room(out, count * grows);
    char *to = out->data + out->length + count * grows;
    for (size_t i = out->length; i-- > start;) {
        if (out->data[i] == '\r') {
            to -= sizeof reference - 1;
            memcpy(to, reference, sizeof reference - 1);
        } else {
            *--to = out->data[i];
        }
    }
    out->length += count * grows;
}

/* Building a tree of a whole document takes most of a request's time, so Mini-XML has only what
 * needs it. */
static void escape(struct buffer *out, const char *text)
{
    size_t start = out->length;
    mxml_node_t *node = mxmlNewOpaque(MXML_NO_PARENT, text);
    if (node == NULL) {
        log_error("out of memory");
        abort();
    }
    save(node, out, escaped_most(text));
    mxmlDelete(node);
    refer_carriage_returns(out, start);
}

/* A name between what stands before and after it. */
static inline void add_tag(struct buffer *out, const char *open, const char *name,
                           const char *close)
{
    size_t before = strlen(open), length = strlen(name), after = strlen(close);
    char *at = buffer_room(out, before + length + after);
    memcpy(mempcpy(mempcpy(at, open, before), name, length), close, after);
    out->length += before + length + after;
}

void xml_start(struct buffer *out, const char *name)
{
    add_tag(out, "<", name, ">");
}

void xml_end(struct buffer *out, const char *name)
{
    add_tag(out, "</", name, ">");
}

enum { ITEM_SIZE = 64 };

static const char *item_name(const char *name, size_t position, char item[static ITEM_SIZE])
{
    size_t length = strnlen(name, ITEM_SIZE - TEXT_INTEGER_SIZE);
    text_from_integer((int64_t)position, mempcpy(item, name, length));
    return item;
}

void xml_start_item(struct buffer *out, const char *name, size_t position)
{
    char item[ITEM_SIZE];
    xml_start(out, item_name(name, position, item));
}

void xml_end_item(struct buffer *out, const char *name, size_t position)
{
    char item[ITEM_SIZE];
    xml_end(out, item_name(name, position, item));
}

void xml_add_text(struct buffer *out, const char *name, const char *text)
{
    if (text == NULL || *text == '\0') {
        add_tag(out, "<", name, " />");
        return;
    }
    size_t plain = strcspn(text, special);
    xml_start(out, name);
    if (text[plain] == '\0')
        buffer_add(out, text, plain);
    else
        escape(out, text);
    xml_end(out, name);
}

void xml_add_integer(struct buffer *out, const char *name, int64_t value)
{
    char digits[TEXT_INTEGER_SIZE];
    xml_add_text(out, name, text_from_integer(value, digits));
}

void xml_add_two_digits(struct buffer *out, const char *name, int value)
{
    char digits[TEXT_INTEGER_SIZE + 1] = "0";
    bool padded = value >= 0 && value < 10;
    text_from_integer(value, digits + padded);
    xml_add_text(out, name, digits);
}
