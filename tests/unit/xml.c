#include "xml/xml.h"

#include <libxml/parser.h>
#include <string.h>

#include "unit.h"

static char *text_of(struct buffer *buffer)
{
    buffer_add(buffer, "", 1);
    return buffer->data;
}

static void expect_written(struct xml_element *root, const char *want)
{
    struct buffer out = {0};
    xml_write(root, &out);
    expect_text(want, text_of(&out), want);
    buffer_free(&out);
    xml_free(&root);
    assert_null(root);
}

static void elements(void **state)
{
    struct xml_element *root = xml_root("response");
    (void)state;
    xml_add_text(root, "status", "SUCCESS");
    xml_add_text(root, "cover", "");
    xml_add_text(root, "icon", NULL);
    xml_add_integer(root, "least", INT64_MIN);
    xml_add_integer(root, "most", INT64_MAX);
    xml_add_two_digits(root, "month", 2);
    xml_add_two_digits(root, "day", 31);
    struct xml_element *list = xml_add(root, "photos");
    xml_add_text(xml_add_item(list, "photo", 1), "photoID", "7");
    xml_add_item(list, "photo", 2);
    expect_written(root, "<response><status>SUCCESS</status><cover /><icon />"
                         "<least>-9223372036854775808</least><most>9223372036854775807</most>"
                         "<month>02</month><day>31</day>"
                         "<photos><photo1><photoID>7</photoID></photo1><photo2 /></photos>"
                         "</response>");
}

static void an_empty_root(void **state)
{
    (void)state;
    expect_written(xml_root("response"), "<response />");
}

static void items_on_their_own(void **state)
{
    struct buffer out = {0};
    (void)state;
    xml_write_start(&out, "albumList");
    for (size_t i = 1; i <= 2; i++) {
        struct xml_element *item = xml_root_item("album", i);
        xml_add_integer(item, "albumID", (int64_t)i * 10);
        xml_write(item, &out);
        xml_free(&item);
    }
    xml_write_end(&out, "albumList");
    assert_string_equal(text_of(&out), "<albumList><album1><albumID>10</albumID></album1>"
                                       "<album2><albumID>20</albumID></album2></albumList>");
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
        {"登山 \xf0\xa0\x80\x8b", "<t>登山 \xf0\xa0\x80\x8b</t>"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct buffer out = {0};
        struct xml_element *root = xml_root("r");
        xml_add_text(root, "t", rows[i].text);
        xml_write(root, &out);
        char want[256] = "<r>";
        strcat(strcat(want, rows[i].want), "</r>");
        expect_text(rows[i].text, text_of(&out), want);
        buffer_free(&out);
        xml_free(&root);
    }
}

/* Writes after what the buffer holds already, and leaves a CR in that alone. */
static void appends(void **state)
{
    struct buffer out = {0};
    struct xml_element *root = xml_root("r");
    (void)state;
    buffer_add_text(&out, "\rbefore");
    xml_add_text(root, "t", "\r");
    xml_write(root, &out);
    assert_string_equal(text_of(&out), "\rbefore<r><t>&#13;</t></r>");
    buffer_free(&out);
    xml_free(&root);
}

/* What a conforming parser reads of an element with this text. */
static void expect_read_back(const char *text)
{
    struct buffer out = {0};
    struct xml_element *root = xml_root("response");
    xml_add_text(root, "t", text);
    xml_add_text(root, "u", text);
    buffer_add_text(&out, xml_declaration);
    xml_write(root, &out);
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
    xml_free(&root);
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
    for (size_t length = 0; length <= MOST; length += length > 1000 && length < 2500 ? 1 : 37) {
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

static void freeing_nothing(void **state)
{
    struct xml_element *none = NULL;
    (void)state;
    xml_free(&none);
    assert_null(none);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements),
        cmocka_unit_test(an_empty_root),
        cmocka_unit_test(items_on_their_own),
        cmocka_unit_test(escapes),
        cmocka_unit_test(appends),
        cmocka_unit_test(what_goes_in_comes_out),
        cmocka_unit_test(documents_of_any_size),
        cmocka_unit_test(the_longest_content),
        cmocka_unit_test(freeing_nothing),
    };
    int failed = RUN_TESTS(tests);
    xmlCleanupParser();
    return failed;
}
