#include "document/document.h"

#include <libxml/parser.h>
#include <string.h>
#include <yajl/yajl_tree.h>

#include "unit.h"

struct part {
    int64_t id;
    const char *text;
};

struct parts {
    struct part *list;
    size_t count;
};

struct whole {
    const char *text, *decimal;
    int64_t id, integer;
    struct calendar {
        int year, month;
    } date;
    struct part part;
    struct parts parts;
};

#define WHOLE(field) offsetof(struct whole, field)

static const struct field part_shape[] = {
    {ROW("partID", ID, offsetof(struct part, id))},
    {ROW("text", TEXT, offsetof(struct part, text))},
    SHAPE_END,
};

static const struct field date_shape[] = {
    {ROW("year", PART, offsetof(struct calendar, year))},
    {ROW("month", TWO_DIGITS, offsetof(struct calendar, month))},
    SHAPE_END,
};

/* Everything there is, once always there and once optional. */
static const struct field whole_shape[] = {
    {ROW("text", TEXT, WHOLE(text))},
    {ROW("lat", DECIMAL, WHOLE(decimal))},
    {ROW("id", ID, WHOLE(id))},
    {ROW("score", INTEGER, WHOLE(integer))},
    {ROW("date", OBJECT, WHOLE(date)), .shape = date_shape},
    {ROW("part", OBJECT, WHOLE(part)), .shape = part_shape},
    {ROW("parts", LIST, WHOLE(parts)), .shape = part_shape, .item = "part",
     .size = sizeof(struct part)},
    {ROW("mayText", TEXT, WHOLE(text)), .optional = true},
    {ROW("mayID", ID, WHOLE(id)), .optional = true},
    {ROW("mayScore", INTEGER, WHOLE(integer)), .optional = true},
    {ROW("mayPart", OBJECT, WHOLE(part)), .optional = true, .shape = part_shape},
    {ROW("mayParts", LIST, WHOLE(parts)), .optional = true, .shape = part_shape, .item = "part",
     .size = sizeof(struct part)},
    SHAPE_END,
};

static const struct field stream_shape[] = {
    {ROW("text", TEXT, WHOLE(text))},
    {ROW("partList", STREAM, 0), .shape = part_shape, .item = "part"},
    {ROW("next", TEXT, WHOLE(decimal)), .optional = true},
    SHAPE_END,
};

static const struct field optional_stream_shape[] = {
    {ROW("text", TEXT, WHOLE(text))},
    {ROW("comments", STREAM, 0), .optional = true, .shape = part_shape, .item = "comment"},
    SHAPE_END,
};

#define XML_START "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<response><status>SUCCESS</status>"
#define JSON_START "{\"status\":\"SUCCESS\""

static char *text_of(struct buffer *buffer)
{
    buffer_add(buffer, "", 1);
    return buffer->data;
}

/* After what the buffer has already, which is left alone. */
static void expect_document(const struct format *format, const struct field *shape,
                            const void *output, const struct parts *streamed, const char *want)
{
    struct buffer out = {0};
    buffer_add_text(&out, "\r<!--|-->");
    struct document document = document_new(format, shape, output, &out);
    for (size_t i = 0; streamed != NULL && i < streamed->count; i++)
        document_item(&document, &streamed->list[i]);
    document_finish(&document);
    document_drop(&document);
    char *got = text_of(&out);
    assert_memory_equal(got, "\r<!--|-->", 9);
    expect_text(want, got + 9, want);
    buffer_free(&out);
}

static void empty_answers(void **state)
{
    (void)state;
    expect_document(&format_xml, NULL, NULL, NULL, XML_START "</response>\n");
    expect_document(&format_json, NULL, NULL, NULL, JSON_START "}\n");
}

static void nothing_is_set(void **state)
{
    static const struct whole none = {.decimal = "0"};
    (void)state;
    expect_document(&format_xml, whole_shape, &none, NULL,
                    XML_START "<text /><lat>0</lat><id /><score>0</score>"
                              "<date><year>0</year><month>00</month></date>"
                              "<part><partID /><text /></part><parts></parts></response>\n");
    expect_document(&format_json, whole_shape, &none, NULL,
                    JSON_START ",\"text\":\"\",\"lat\":0,\"id\":null,\"score\":0,"
                               "\"date\":{\"year\":0,\"month\":0},"
                               "\"part\":{\"partID\":null,\"text\":\"\"},\"parts\":[]}\n");
}

static void everything_is_set(void **state)
{
    static struct part items[] = {{INT64_MAX, "a"}, {1, ""}};
    static const struct whole all = {.text = "t",
                                     .decimal = "-25.0330",
                                     .id = 7,
                                     .integer = INT64_MIN,
                                     .date = {2001, 2},
                                     .part = {0, "p"},
                                     .parts = {items, 2}};
    (void)state;
    expect_document(
        &format_xml, whole_shape, &all, NULL,
        XML_START
        "<text>t</text><lat>-25.0330</lat><id>7</id><score>-9223372036854775808</score>"
        "<date><year>2001</year><month>02</month></date>"
        "<part><partID /><text>p</text></part><parts><part1><partID>9223372036854775807</partID>"
        "<text>a</text></part1><part2><partID>1</partID><text /></part2></parts>"
        "<mayText>t</mayText><mayID>7</mayID><mayScore>-9223372036854775808</mayScore>"
        "<mayPart><partID /><text>p</text></mayPart>"
        "<mayParts><part1><partID>9223372036854775807</partID><text>a</text></part1>"
        "<part2><partID>1</partID><text /></part2></mayParts></response>\n");
    expect_document(&format_json, whole_shape, &all, NULL,
                    JSON_START
                    ",\"text\":\"t\",\"lat\":-25.0330,\"id\":7,\"score\":-9223372036854775808,"
                    "\"date\":{\"year\":2001,\"month\":2},"
                    "\"part\":{\"partID\":null,\"text\":\"p\"},"
                    "\"parts\":[{\"partID\":9223372036854775807,\"text\":\"a\"},"
                    "{\"partID\":1,\"text\":\"\"}],"
                    "\"mayText\":\"t\",\"mayID\":7,\"mayScore\":-9223372036854775808,"
                    "\"mayPart\":{\"partID\":null,\"text\":\"p\"},"
                    "\"mayParts\":[{\"partID\":9223372036854775807,\"text\":\"a\"},"
                    "{\"partID\":1,\"text\":\"\"}]}\n");
}

static void streams(void **state)
{
    static struct part items[11] = {{1, "a\r"}, {2, "<!--|-->"}, {3, ""}};
    static const struct whole whole = {.text = "\r<!--|-->", .decimal = "n"};
    static const struct whole last = {.text = ""};
    (void)state;
    expect_document(&format_xml, stream_shape, &last, NULL,
                    XML_START "<text /><partList></partList></response>\n");
    expect_document(&format_json, stream_shape, &last, NULL,
                    JSON_START ",\"text\":\"\",\"partList\":[]}\n");
    expect_document(&format_xml, optional_stream_shape, &last, NULL,
                    XML_START "<text /></response>\n");
    expect_document(&format_json, optional_stream_shape, &last, NULL,
                    JSON_START ",\"text\":\"\"}\n");
    expect_document(&format_xml, optional_stream_shape, &last, &(struct parts){items + 2, 1},
                    XML_START "<text /><comments><comment1><partID>3</partID><text /></comment1>"
                              "</comments></response>\n");
    expect_document(&format_xml, stream_shape, &whole, &(struct parts){items, 2},
                    XML_START
                    "<text>&#13;&lt;!--|--&gt;</text><partList><part1><partID>1</partID>"
                    "<text>a&#13;</text></part1><part2><partID>2</partID>"
                    "<text>&lt;!--|--&gt;</text></part2></partList><next>n</next></response>\n");
    expect_document(&format_json, stream_shape, &(struct whole){.text = "x"},
                    &(struct parts){items, 3},
                    JSON_START ",\"text\":\"x\",\"partList\":[{\"partID\":1,\"text\":\"a\\r\"},"
                               "{\"partID\":2,\"text\":\"<!--|-->\"},{\"partID\":3,\"text\":\"\"}]}"
                               "\n");
}

static void a_stream_reads_as_a_list(void **state)
{
    enum { MOST = 20 };
    static const struct field list_shape[] = {
        {ROW("text", TEXT, offsetof(struct whole, text))},
        {ROW("partList", LIST, offsetof(struct whole, parts)), .shape = part_shape, .item = "part",
         .size = sizeof(struct part)},
        {ROW("next", TEXT, offsetof(struct whole, decimal)), .optional = true},
        SHAPE_END,
    };
    static const struct format *const formats[] = {&format_xml, &format_json};
    struct part items[MOST];
    (void)state;
    for (size_t i = 0; i < MOST; i++)
        items[i] = (struct part){.id = (int64_t)i,
                                 .text = i % 3 == 0   ? ""
                                         : i % 3 == 1 ? "\r"
                                                      : "b"};
    for (size_t count = 0; count <= MOST; count++) {
        struct whole whole = {.text = "t", .decimal = "n", .parts = {items, count}};
        for (size_t i = 0; i < COUNT(formats); i++) {
            struct buffer want = {0};
            struct document document = document_new(formats[i], list_shape, &whole, &want);
            document_finish(&document);
            expect_document(formats[i], stream_shape, &whole, &whole.parts, text_of(&want));
            buffer_free(&want);
        }
    }
}

/* What an item has, by the bits of a number. */
enum { HAS_TEXT = 1, HAS_PART = 2, HAS_TAG = 4, HAS_TAGS = 8, HAS_END = 16, ITEM_KINDS = 32 };

struct varied {
    const char *text, *end;
    struct part part;
    struct {
        const char *const *list;
        size_t count;
    } tags;
};

struct varied_list {
    struct varied *list;
    size_t count;
};

static struct varied varied(unsigned has)
{
    static const char *const tags[] = {"u", "v"};
    return (struct varied){.text = (has & HAS_TEXT) != 0 ? "t" : NULL,
                           .part = {(has & HAS_PART) != 0 ? 3 : 0, NULL},
                           .tags = {tags, (has & HAS_TAGS) != 0  ? 2
                                          : (has & HAS_TAG) != 0 ? 1
                                                                 : 0},
                           .end = (has & HAS_END) != 0 ? "e" : NULL};
}

static void add_varied(struct buffer *out, size_t position, unsigned has)
{
    buffer_add_format(out, "<item%zu>", position);
    buffer_add_text(out, (has & HAS_TEXT) != 0 ? "<text>t</text>" : "");
    buffer_add_text(out, (has & HAS_PART) != 0 ? "<part><partID>3</partID><text /></part>" : "");
    buffer_add_text(out, (has & HAS_TAGS) != 0  ? "<tags><tag1>u</tag1><tag2>v</tag2></tags>"
                         : (has & HAS_TAG) != 0 ? "<tags><tag1>u</tag1></tags>"
                                                : "<tags></tags>");
    buffer_add_text(out, (has & HAS_END) != 0 ? "<end>e</end>" : "");
    buffer_add_format(out, "</item%zu>", position);
}

/* No item has anything of those before it, in neither of two lists. */
static void items_that_differ(void **state)
{
    static const struct field item_shape[] = {
        {ROW("text", TEXT, offsetof(struct varied, text)), .optional = true},
        {ROW("part", OBJECT, offsetof(struct varied, part)), .optional = true, .shape = part_shape},
        {ROW("tags", LIST, offsetof(struct varied, tags)), .item = "tag"},
        {ROW("end", TEXT, offsetof(struct varied, end)), .optional = true},
        SHAPE_END,
    };
    static const struct field lists_shape[] = {
        {ROW("first", LIST, 0), .shape = item_shape, .item = "item", .size = sizeof(struct varied)},
        {ROW("second", LIST, 0), .shape = item_shape, .item = "item",
         .size = sizeof(struct varied)},
        SHAPE_END,
    };
    (void)state;
    for (unsigned pair = 0; pair < ITEM_KINDS * ITEM_KINDS; pair++) {
        unsigned has[] = {pair % ITEM_KINDS, pair / ITEM_KINDS};
        struct varied items[] = {varied(has[0]), varied(has[1])};
        struct buffer want = {0};
        buffer_add_text(&want, XML_START);
        for (size_t list = 0; list < 2; list++) {
            buffer_add_text(&want, list == 0 ? "<first>" : "<second>");
            add_varied(&want, 1, has[0]);
            add_varied(&want, 2, has[1]);
            buffer_add_text(&want, list == 0 ? "</first>" : "</second>");
        }
        buffer_add_text(&want, "</response>\n");
        expect_document(&format_xml, lists_shape, &(struct varied_list){items, 2}, NULL,
                        text_of(&want));
        buffer_free(&want);
    }
}

/* Each item is written as soon as it is there, whatever lists come before, and what was begun can
 * be dropped. */
static void a_stream_grows_item_by_item(void **state)
{
    static const struct field shape[] = {
        {ROW("parts", LIST, WHOLE(parts)), .shape = part_shape, .item = "part",
         .size = sizeof(struct part)},
        {ROW("partList", STREAM, 0), .shape = part_shape, .item = "part"},
        SHAPE_END,
    };
    static const struct format *const formats[] = {&format_xml, &format_json};
    static struct part item = {.id = 5, .text = "grows"};
    static const struct whole whole = {.parts = {&item, 1}};
    (void)state;
    for (size_t i = 0; i < COUNT(formats); i++) {
        struct buffer out = {0};
        struct document document = document_new(formats[i], shape, &whole, &out);
        for (size_t k = 1; k <= 3; k++) {
            out.length = 0; /* as if it were sent */
            document_item(&document, &item);
            assert_non_null(memmem(out.data, out.length, "grows", 5));
        }
        out.length = 0;
        document_drop(&document);
        document_drop(&document);
        assert_int_equal(out.length, 0);
        buffer_free(&out);
    }
}

static void refusals(void **state)
{
    static const struct {
        const struct format *format;
        const char *want;
    } rows[] = {
        {&format_xml,
         "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<response><status>FAILED</status>"
         "<info>INVALID PARAMETER: &lt;&quot;&#13;</info></response>\n"},
        {&format_json, "{\"status\":\"FAILED\",\"info\":\"INVALID PARAMETER: <\\\"\\r\"}\n"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct buffer out = {0};
        document_refuse(rows[i].format, "INVALID PARAMETER: <\"\r", &out);
        expect_text(rows[i].format->name, text_of(&out), rows[i].want);
        buffer_free(&out);
    }
}

static void formats_by_name(void **state)
{
    (void)state;
    assert_ptr_equal(format_named("XML"), &format_xml);
    assert_ptr_equal(format_named("JSON"), &format_json);
    assert_null(format_named("xml"));
    assert_null(format_named(""));
    assert_null(format_named("JSONP"));
}

/* Texts ---------------------------------------------------------------------------------------- */

static void escapes(void **state)
{
    static const struct {
        const char *text, *want;
    } rows[] = {
        {"<b>&amp;</b>", "&lt;b&gt;&amp;amp;&lt;/b&gt;"},
        {"\r\n", "&#13;\n"},
        {"\r", "&#13;"},
        {"\r\r\ra\r", "&#13;&#13;&#13;a&#13;"},
        {"&#13;", "&amp;#13;"},
        {"a \"b\" 'c'\n", "a &quot;b&quot; 'c'\n"},
        {"no end\n", "no end\n"},
        {"登山 \xf0\xa0\x80\x8b", "登山 \xf0\xa0\x80\x8b"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        char want[512];
        snprintf(want, sizeof want, XML_START "<text>%s</text></response>\n", rows[i].want);
        expect_document(&format_xml, optional_stream_shape, &(struct whole){.text = rows[i].text},
                        NULL, want);
    }
}

static void expect_xml(const struct buffer *out, const char *text)
{
    xmlDocPtr read =
        xmlReadMemory(out->data, (int)out->length, NULL, NULL, XML_PARSE_NONET | XML_PARSE_HUGE);
    assert_non_null(read);
    xmlNodePtr response = xmlDocGetRootElement(read);
    assert_string_equal((const char *)response->name, "response");
    /* Two children and no white space between them. */
    assert_int_equal(xmlChildElementCount(response), 2);
    assert_ptr_equal(response->children->next, response->last);
    xmlChar *got = xmlNodeGetContent(response->last);
    expect_text(text, (const char *)got, text);
    xmlFree(got);
    xmlFreeDoc(read);
}

static void expect_json(struct buffer *out, const char *text)
{
    static const char *path[] = {"text", NULL};
    char reason[128];
    yajl_val read = yajl_tree_parse(text_of(out), reason, sizeof reason);
    assert_non_null(read);
    assert_int_equal(read->u.object.len, 2);
    expect_text(text, yajl_tree_get(read, path, yajl_t_string)->u.string, text);
    yajl_tree_free(read);
}

/* What conforming parsers read. */
static void expect_read_back(const char *text)
{
    const struct whole whole = {.text = text};
    struct buffer xml = {0}, json = {0};
    struct document document = document_new(&format_xml, optional_stream_shape, &whole, &xml);
    document_finish(&document);
    expect_xml(&xml, text);
    document = document_new(&format_json, optional_stream_shape, &whole, &json);
    document_finish(&document);
    expect_json(&json, text);
    buffer_free(&xml);
    buffer_free(&json);
}

static void what_goes_in_comes_out(void **state)
{
    static const char *const rows[] = {
        "",
        "plain",
        " ",
        "  blanks around  ",
        "\n",
        "\r",
        "\t",
        "\r\n",
        "\n\r",
        "a\r\nb\rc\nd\te",
        "\r\n\r\n<p>\r\n",
        "<b>&</b>",
        "]]>",
        "<![CDATA[ ]]>",
        "<!-- -- -->",
        "<!--|-->",
        "<?xml version=\"1.0\"?>",
        "&amp;&lt;&#13;&nbsp;",
        "\"quotes\" and 'quotes'",
        "back\\slash / \\u0000 \\",
        "\x7f",
        "登山 \xf0\xa0\x80\x8b \xf0\x9f\x8f\x94\xef\xb8\x8f",
        "\xc2\x80\xc2\x85\xc2\x9f",     /* controls that XML 1.0 allows, NEL among them */
        "\xe2\x80\xa8\xe2\x80\xa9",     /* line and paragraph separators */
        "\xef\xbf\xbd\xf4\x8f\xbf\xbf", /* U+FFFD, U+10FFFF */
        "\xef\xbb\xbfwith a mark",      /* U+FEFF */
        "e\xcc\x81",                    /* not normalized */
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        expect_read_back(rows[i]);
}

/* Every length around the room that is first made for a document, with text that grows when it is
 * escaped. */
static void documents_of_any_size(void **state)
{
    enum { MOST = 12000 };
    static char text[MOST + 1];
    static const char pieces[] = "ab\r<&c\n]";
    (void)state;
    for (size_t i = 0; i < MOST; i++)
        text[i] = pieces[i % (sizeof pieces - 1)];
    for (size_t length = 0; length <= MOST; length += length < 4200 ? 1 : 37) {
        char cut = text[length];
        text[length] = '\0';
        expect_read_back(text);
        text[length] = cut;
    }
}

/* The longest content there is, all of it CR, and of the longest characters. */
static void the_longest_content(void **state)
{
    static char text[400001];
    (void)state;
    memset(text, '\r', 100000);
    expect_read_back(text);
    for (size_t i = 0; i < 100000; i++)
        memcpy(text + 4 * i, "\xf0\xa0\x80\x8b", 4);
    expect_read_back(text);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(empty_answers),
        cmocka_unit_test(nothing_is_set),
        cmocka_unit_test(everything_is_set),
        cmocka_unit_test(streams),
        cmocka_unit_test(a_stream_reads_as_a_list),
        cmocka_unit_test(items_that_differ),
        cmocka_unit_test(a_stream_grows_item_by_item),
        cmocka_unit_test(refusals),
        cmocka_unit_test(formats_by_name),
        cmocka_unit_test(escapes),
        cmocka_unit_test(what_goes_in_comes_out),
        cmocka_unit_test(documents_of_any_size),
        cmocka_unit_test(the_longest_content),
    };
    int failed = RUN_TESTS(tests);
    xmlCleanupParser();
    return failed;
}
