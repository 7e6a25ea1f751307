/*
 * The writers of answers. The input is what an answer has in it: bytes that are in no valid text
 * separate its texts, and say whether they stand in the answer itself or in items of its list. What
 * is written is a document that libxml2 or yajl takes, and has in it what went in.
 */
#include "document/document.h"

#include <libxml/parser.h>
#include <string.h>
#include <yajl/yajl_tree.h>

#include "base/text.h"
#include "fuzz.h"

enum { ITEM = 0xff, TEXT = 0xfe, ITEMS_MOST = 1000 };

struct item {
    int64_t number;
    char *text;
};

struct answer {
    const char *text;
    int64_t number;
    struct items {
        struct item *list;
        size_t count;
    } items;
};

static const struct field item_shape[] = {
    {ROW("number", INTEGER, offsetof(struct item, number))},
    {ROW("text", TEXT, offsetof(struct item, text))},
    SHAPE_END,
};

#define ANSWER_ROWS                                             \
    {ROW("text", TEXT, offsetof(struct answer, text))},         \
    {                                                           \
        ROW("number", INTEGER, offsetof(struct answer, number)) \
    }

static const struct field whole_shape[] = {
    ANSWER_ROWS,
    {ROW("items", LIST, offsetof(struct answer, items)), .shape = item_shape, .item = "item",
     .size = sizeof(struct item)},
    SHAPE_END,
};

static const struct field stream_shape[] = {
    ANSWER_ROWS,
    {ROW("items", STREAM, 0), .shape = item_shape, .item = "item"},
    SHAPE_END,
};

static char *copy(const void *bytes, size_t length)
{
    char *text = calloc(1, length + 1);
    REQUIRE(text != NULL);
    memcpy(text, bytes, length);
    return text;
}

static int64_t number_of(const void *bytes, size_t length)
{
    int64_t number = 0;
    memcpy(&number, bytes, length < sizeof number ? length : sizeof number);
    return number;
}

static void add(struct answer *answer, int kind, const uint8_t *bytes, size_t length)
{
    if (memchr(bytes, '\0', length) != NULL || !text_is_valid((const char *)bytes, length))
        return;
    if (kind == TEXT) {
        free((void *)(uintptr_t)answer->text);
        answer->text = copy(bytes, length);
        answer->number = number_of(bytes, length);
    } else if (answer->items.count < ITEMS_MOST) {
        answer->items.list[answer->items.count++] =
            (struct item){number_of(bytes, length), copy(bytes, length)};
    }
}

static void take_apart(struct answer *answer, const uint8_t *data, size_t size)
{
    for (size_t at = 0; at < size;) {
        int kind = data[at] >= TEXT ? data[at++] : TEXT;
        size_t end = at;
        while (end < size && data[end] < TEXT)
            end++;
        add(answer, kind, data + at, end - at);
        at = end;
    }
}

static struct buffer write_answer(const struct format *format, const struct answer *answer,
                                  bool streams)
{
    struct buffer out = {0};
    struct document document =
        document_new(format, streams ? stream_shape : whole_shape, answer, &out);
    for (size_t i = 0; streams && i < answer->items.count; i++)
        document_item(&document, &answer->items.list[i]);
    document_finish(&document);
    return out;
}

/* XML ------------------------------------------------------------------------------------------ */

/* The next element after one of that name and content. */
static xmlNode *require_element(xmlNode *node, const char *name, const char *want)
{
    REQUIRE(node != NULL && strcmp((const char *)node->name, name) == 0);
    REQUIRE(node->properties == NULL && node->nsDef == NULL);
    xmlChar *got = xmlNodeGetContent(node);
    REQUIRE(got != NULL && strcmp((const char *)got, want) == 0);
    xmlFree(got);
    return node->next;
}

static void require_item(xmlNode *node, const struct item *item, size_t position)
{
    char name[32], digits[TEXT_INTEGER_SIZE];
    snprintf(name, sizeof name, "item%zu", position);
    REQUIRE(node != NULL && strcmp((const char *)node->name, name) == 0);
    xmlNode *text =
        require_element(node->children, "number", text_from_integer(item->number, digits));
    REQUIRE(require_element(text, "text", item->text) == NULL);
}

static void require_xml(const struct buffer *out, const struct answer *answer)
{
    char digits[TEXT_INTEGER_SIZE];
    REQUIRE(memchr(out->data, '\r', out->length) == NULL);
    xmlDoc *read =
        xmlReadMemory(out->data, (int)out->length, NULL, NULL, XML_PARSE_NONET | XML_PARSE_HUGE);
    REQUIRE(read != NULL);
    xmlNode *node = require_element(xmlDocGetRootElement(read)->children, "status", "SUCCESS");
    node = require_element(node, "text", answer->text != NULL ? answer->text : "");
    node = require_element(node, "number", text_from_integer(answer->number, digits));
    REQUIRE(node != NULL && strcmp((const char *)node->name, "items") == 0 && node->next == NULL);
    xmlNode *item = node->children;
    for (size_t i = 0; i < answer->items.count; i++, item = item->next)
        require_item(item, &answer->items.list[i], i + 1);
    REQUIRE(item == NULL);
    xmlFreeDoc(read);
}

/* JSON ----------------------------------------------------------------------------------------- */

static void require_member(yajl_val object, size_t i, const char *name, const char *want)
{
    REQUIRE(YAJL_IS_OBJECT(object) && i < object->u.object.len);
    REQUIRE(strcmp(object->u.object.keys[i], name) == 0);
    yajl_val value = object->u.object.values[i];
    const char *got = YAJL_IS_NUMBER(value) ? YAJL_GET_NUMBER(value) : YAJL_GET_STRING(value);
    REQUIRE(got != NULL && strcmp(got, want) == 0);
}

static void require_json(struct buffer *out, const struct answer *answer)
{
    static const char *path[] = {"items", NULL};
    char digits[TEXT_INTEGER_SIZE], reason[128];
    buffer_add(out, "", 1);
    yajl_val read = yajl_tree_parse(out->data, reason, sizeof reason);
    REQUIRE(read != NULL && YAJL_IS_OBJECT(read) && read->u.object.len == 4);
    require_member(read, 0, "status", "SUCCESS");
    require_member(read, 1, "text", answer->text != NULL ? answer->text : "");
    require_member(read, 2, "number", text_from_integer(answer->number, digits));
    yajl_val items = yajl_tree_get(read, path, yajl_t_array);
    REQUIRE(items != NULL && items->u.array.len == answer->items.count);
    for (size_t i = 0; i < answer->items.count; i++) {
        yajl_val item = items->u.array.values[i];
        require_member(item, 0, "number", text_from_integer(answer->items.list[i].number, digits));
        require_member(item, 1, "text", answer->items.list[i].text);
    }
    yajl_tree_free(read);
}

/* A list that is streamed reads as one that is not. */
static void require_both(const struct answer *answer)
{
    struct buffer whole = write_answer(&format_xml, answer, false);
    struct buffer streamed = write_answer(&format_xml, answer, true);
    REQUIRE(whole.length == streamed.length &&
            memcmp(whole.data, streamed.data, whole.length) == 0);
    require_xml(&whole, answer);
    buffer_free(&whole);
    buffer_free(&streamed);
    whole = write_answer(&format_json, answer, false);
    streamed = write_answer(&format_json, answer, true);
    REQUIRE(whole.length == streamed.length &&
            memcmp(whole.data, streamed.data, whole.length) == 0);
    require_json(&whole, answer);
    buffer_free(&whole);
    buffer_free(&streamed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct item items[ITEMS_MOST];
    struct answer answer = {.items.list = items};
    take_apart(&answer, data, size);
    require_both(&answer);
    for (size_t i = 0; i < answer.items.count; i++)
        free(items[i].text);
    free((void *)(uintptr_t)answer.text);
    return 0;
}
