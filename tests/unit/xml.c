#include "xml/xml.h"

#include <libxml/parser.h>
#include <string.h>

#include "unit.h"

static char *text_of(struct buffer *buffer)
{
    buffer_add(buffer, "", 1);
    return buffer->data;
}

static void elements(void **state)
{
    struct buffer out = {0};
    (void)state;
    xml_start(&out, "response");
    xml_add_text(&out, "status", "SUCCESS");
    xml_add_text(&out, "cover", "");
    xml_add_text(&out, "icon", NULL);
    xml_add_integer(&out, "least", INT64_MIN);
    xml_add_integer(&out, "most", INT64_MAX);
    xml_add_two_digits(&out, "month", 2);
    xml_add_two_digits(&out, "none", 0);
    xml_add_two_digits(&out, "day", 31);
    xml_add_two_digits(&out, "many", 100);
    xml_end(&out, "response");
    assert_string_equal(text_of(&out),
                        "<response><status>SUCCESS</status><cover /><icon />"
                        "<least>-9223372036854775808</least><most>9223372036854775807</most>"
                        "<month>02</month><none>00</none><day>31</day><many>100</many></response>");
    buffer_free(&out);
}

static void items_of_a_list(void **state)
{
    struct buffer out = {0};
    (void)state;
    xml_start(&out, "albumList");
    for (size_t i = 9; i <= 10; i++) {
        xml_start_item(&out, "album", i);
        xml_add_integer(&out, "albumID", (int64_t)i * 10);
        xml_end_item(&out, "album", i);
    }
    xml_end(&out, "albumList");
    assert_string_equal(text_of(&out), "<albumList><album9><albumID>90</albumID></album9>"
                                       "<album10><albumID>100</albumID></album10></albumList>");
    buffer_free(&out);
}

static void escapes(void **state)
{
    static const struct {
        const char *text, *want;
    } rows[] = {
        {"<b>&amp;</b>", "<t>&lt;b&gt;&amp;amp;&lt;/b&gt;</t>"},
        {"\r\n", "<t>&#13;\n</t>"},
        {"\r", "<t>&#13;</t>"},
        {"\r\r\ra\r", "<t>&#13;&#13;&#13;a&#13;</t>"},
        {"&#13;", "<t>&amp;#13;</t>"},
        {"a \"b\" 'c'\n", "<t>a &quot;b&quot; 'c'\n</t>"},
        {"no end\n", "<t>no end\n</t>"},
        {"登山 \xf0\xa0\x80\x8b", "<t>登山 \xf0\xa0\x80\x8b</t>"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct buffer out = {0};
        xml_add_text(&out, "t", rows[i].text);
        expect_text(rows[i].text, text_of(&out), rows[i].want);
        buffer_free(&out);
    }
}

/* Writes after what the buffer holds already, and leaves a CR in that alone. */
static void appends(void **state)
{
    struct buffer out = {0};
    (void)state;
    buffer_add_text(&out, "\rbefore");
    xml_add_text(&out, "t", "\r");
    assert_string_equal(text_of(&out), "\rbefore<t>&#13;</t>");
    buffer_free(&out);
}

/* What a conforming parser reads of an element with this text. */
static void expect_read_back(const char *text)
{
    struct buffer out = {0};
    buffer_add_text(&out, xml_declaration);
    xml_start(&out, "response");
    xml_add_text(&out, "t", text);
    xml_add_text(&out, "u", text);
    xml_end(&out, "response");
    xmlDocPtr document =
        xmlReadMemory(out.data, (int)out.length, NULL, NULL, XML_PARSE_NONET | XML_PARSE_HUGE);
    assert_non_null(document);
    xmlNodePtr response = xmlDocGetRootElement(document);
    assert_string_equal((const char *)response->name, "response");
    /* Two children and no white space between them. */
    assert_int_equal(xmlChildElementCount(response), 2);
    for (xmlNodePtr child = response->children; child != NULL; child = child->next) {
        assert_int_equal(child->type, XML_ELEMENT_NODE);
        xmlChar *got = xmlNodeGetContent(child);
        expect_text(text, (const char *)got, text);
        xmlFree(got);
    }
    xmlFreeDoc(document);
    buffer_free(&out);
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
        "<?xml version=\"1.0\"?>",
        "&amp;&lt;&#13;&nbsp;",
        "\"quotes\" and 'quotes'",
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

/* Every length around the room that is first made for a text, with text that grows when it is
 * escaped. */
static void documents_of_any_size(void **state)
{
    enum { MOST = 12000 };
    static char text[MOST + 1];
    static const char pieces[] = "ab\r<&c\n]";
    (void)state;
    for (size_t i = 0; i < MOST; i++)
        text[i] = pieces[i % (sizeof pieces - 1)];
    for (size_t length = 0; length <= MOST; length += length < 1500 ? 1 : 37) {
        char cut = text[length];
        text[length] = '\0';
        expect_read_back(text);
        text[length] = cut;
    }
}

/* The longest content there is, all of it CR, and deep enough a document. */
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
        cmocka_unit_test(elements),
        cmocka_unit_test(items_of_a_list),
        cmocka_unit_test(escapes),
        cmocka_unit_test(appends),
        cmocka_unit_test(what_goes_in_comes_out),
        cmocka_unit_test(documents_of_any_size),
        cmocka_unit_test(the_longest_content),
    };
    int failed = RUN_TESTS(tests);
    xmlCleanupParser();
    return failed;
}
