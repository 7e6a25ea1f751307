#include "xml/xml.h"

#include <mxml.h>
#include <string.h>

#include "base/text.h"

const char xml_declaration[] = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";

/* All that is not written as it is. */
static const char special[] = "&<>\"\r";

/* A CR would come back as a line feed (XML 1.0, section 2.11). Mini-XML, which knows how to write
 * all others, writes it as it is. */
static void add_reference(struct buffer *out, char character)
{
    const char *entity = mxmlEntityGetName((unsigned char)character);
    buffer_add_text(out, "&");
    buffer_add_text(out, entity != NULL ? entity : "#13");
    buffer_add_text(out, ";");
}

/* Building a tree of a document takes most of a request's time, so Mini-XML is asked for no more
 * than what it would write in place of a character. */
static void escape(struct buffer *out, const char *text)
{
    for (;;) {
        size_t plain = strcspn(text, special);
        buffer_add(out, text, plain);
        if (text[plain] == '\0')
            return;
        add_reference(out, text[plain]);
        text += plain + 1;
    }
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

/* An element as a whole, of a content that is written as it is. */
static void add_element(struct buffer *out, const char *name, const char *content, size_t length)
{
    size_t name_length = strlen(name), whole = 2 * name_length + length + sizeof "<></>" - 1;
    char *at = buffer_room(out, whole);
    *at++ = '<';
    at = mempcpy(at, name, name_length);
    *at++ = '>';
    at = mempcpy(at, content, length);
    *at++ = '<';
    *at++ = '/';
    at = mempcpy(at, name, name_length);
    *at = '>';
    out->length += whole;
}

void xml_add_text(struct buffer *out, const char *name, const char *text)
{
    if (text == NULL || *text == '\0') {
        add_tag(out, "<", name, " />");
        return;
    }
    size_t plain = strcspn(text, special);
    if (text[plain] == '\0') {
        add_element(out, name, text, plain);
        return;
    }
    xml_start(out, name);
    escape(out, text);
    xml_end(out, name);
}

static void add_digits(struct buffer *out, const char *name, const char *digits)
{
    add_element(out, name, digits, strlen(digits));
}

void xml_add_integer(struct buffer *out, const char *name, int64_t value)
{
    char digits[TEXT_INTEGER_SIZE];
    add_digits(out, name, text_from_integer(value, digits));
}

void xml_add_two_digits(struct buffer *out, const char *name, int value)
{
    char digits[TEXT_INTEGER_SIZE + 1] = "0";
    bool padded = value >= 0 && value < 10;
    text_from_integer(value, digits + padded);
    add_digits(out, name, digits);
}
