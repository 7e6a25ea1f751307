/*
 * The reply writer. The input is a document: bytes that are in no valid text separate what its
 * elements hold, and say what kind they are. What is written is one that libxml2 takes, and has in
 * it what went in.
 */
#include "xml/xml.h"

#include <libxml/parser.h>
#include <string.h>

#include "base/text.h"
#include "fuzz.h"

enum { LIST = 0xff, TEXT = 0xfe, NUMBER = 0xfd, TEXTS_MOST = 1000 };

struct document {
    struct buffer out;
    char *texts[TEXTS_MOST];
    size_t count;
};

static char *copy(const void *bytes, size_t length)
{
    char *text = calloc(1, length + 1);
    REQUIRE(text != NULL);
    memcpy(text, bytes, length);
    return text;
}

static void add(struct document *document, int kind, const uint8_t *bytes, size_t length)
{
    if (document->count == TEXTS_MOST || memchr(bytes, '\0', length) != NULL ||
        !text_is_valid((const char *)bytes, length))
        return;
    char *text = copy(bytes, length);
    if (kind == NUMBER) {
        char number[TEXT_INTEGER_SIZE];
        int64_t value = 0;
        memcpy(&value, text, length < sizeof value ? length : sizeof value);
        xml_add_integer(&document->out, "text", value);
        free(text);
        text = strdup(text_from_integer(value, number));
    } else {
        if (kind == LIST)
            xml_start_item(&document->out, "item", document->count + 1);
        xml_add_text(&document->out, "text", text);
        if (kind == LIST)
            xml_end_item(&document->out, "item", document->count + 1);
    }
    document->texts[document->count++] = text;
}

static void write_document(struct document *document, const uint8_t *data, size_t size)
{
    buffer_add_text(&document->out, xml_declaration);
    xml_start(&document->out, "response");
    for (size_t at = 0; at < size;) {
        int kind = data[at] >= NUMBER ? data[at++] : TEXT;
        size_t end = at;
        while (end < size && data[end] < NUMBER)
            end++;
        add(document, kind, data + at, end - at);
        at = end;
    }
    xml_end(&document->out, "response");
}

/* Of an element "text", or of one in an item. */
static void require_text(xmlNode *node, const char *want)
{
    if (strncmp((const char *)node->name, "item", 4) == 0)
        node = node->children;
    REQUIRE(node != NULL && strcmp((const char *)node->name, "text") == 0);
    REQUIRE(node->properties == NULL && node->nsDef == NULL);
    xmlChar *got = xmlNodeGetContent(node);
    REQUIRE(got != NULL && strcmp((const char *)got, want) == 0);
    xmlFree(got);
}

static void require_all(const struct document *document)
{
    xmlDoc *read = xmlReadMemory(document->out.data, (int)document->out.length, NULL, NULL,
                                 XML_PARSE_NONET | XML_PARSE_HUGE);
    REQUIRE(read != NULL);
    xmlNode *node = xmlDocGetRootElement(read)->children;
    for (size_t i = 0; i < document->count; i++, node = node->next) {
        REQUIRE(node != NULL);
        require_text(node, document->texts[i]);
    }
    REQUIRE(node == NULL);
    REQUIRE(memchr(document->out.data, '\r', document->out.length) == NULL);
    xmlFreeDoc(read);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct document document = {0};
    write_document(&document, data, size);
    require_all(&document);
    for (size_t i = 0; i < document.count; i++)
        free(document.texts[i]);
    buffer_free(&document.out);
    return 0;
}
