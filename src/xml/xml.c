#include "xml/xml.h"

#include <limits.h>
#include <mxml.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

const char xml_declaration[] = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";

static mxml_node_t *node_of(struct xml_element *element)
{
    return (mxml_node_t *)(void *)element;
}

static struct xml_element *element_of(mxml_node_t *node)
{
    if (node == NULL) {
        log_error("out of memory");
        abort();
    }
    return (struct xml_element *)(void *)node;
}

struct xml_element *xml_root(const char *name)
{
    return element_of(mxmlNewElement(MXML_NO_PARENT, name));
}

void xml_free(struct xml_element **root)
{
    mxmlDelete(node_of(*root));
    *root = NULL;
}

struct xml_element *xml_add(struct xml_element *parent, const char *name)
{
    return element_of(mxmlNewElement(node_of(parent), name));
}

static struct xml_element *add_item(mxml_node_t *list, const char *name, size_t position)
{
    char numbered[64];
    snprintf(numbered, sizeof numbered, "%s%zu", name, position);
    return element_of(mxmlNewElement(list, numbered));
}

struct xml_element *xml_root_item(const char *name, size_t position)
{
    return add_item(MXML_NO_PARENT, name, position);
}

struct xml_element *xml_add_item(struct xml_element *list, const char *name, size_t position)
{
    return add_item(node_of(list), name, position);
}

void xml_add_text(struct xml_element *parent, const char *name, const char *text)
{
    struct xml_element *element = xml_add(parent, name);
    if (text != NULL && *text != '\0')
        (void)element_of(mxmlNewOpaque(node_of(element), text));
}

void xml_add_integer(struct xml_element *parent, const char *name, int64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%lld", (long long)value);
    xml_add_text(parent, name, text);
}

void xml_add_two_digits(struct xml_element *parent, const char *name, int value)
{
    char text[16];
    snprintf(text, sizeof text, "%02d", value);
    xml_add_text(parent, name, text);
}

/* Mini-XML says how much room it needs; what did not fit is written again. The line feed that it
 * ends with goes. */
static void save(mxml_node_t *node, struct buffer *out)
{
    size_t room = 4096;
    for (;;) {
        char *start = buffer_room(out, room);
        int needed = mxmlSaveString(node, start, (int)room, MXML_NO_CALLBACK);
        if (needed < 0 || needed > INT_MAX / 2)
            abort();
        size_t length = (size_t)needed;
        if (length < room) {
            out->length += length > 0 && start[length - 1] == '\n' ? length - 1 : length;
            return;
        }
        room = length + 1;
    }
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

void xml_write(struct xml_element *root, struct buffer *out)
{
    size_t start = out->length;
    mxmlSetWrapMargin(0);
    save(node_of(root), out);
    refer_carriage_returns(out, start);
}

void xml_write_start(struct buffer *out, const char *name)
{
    buffer_add_format(out, "<%s>", name);
}

void xml_write_end(struct buffer *out, const char *name)
{
    buffer_add_format(out, "</%s>", name);
}
