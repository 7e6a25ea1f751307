#include "http/multipart.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "unit.h"

/* A literal with its length, as there are NULs in some. */
#define BYTES(literal) literal, sizeof(literal) - 1

#define PARAMETERS "; boundary=x"
#define PART(headers, content) "--x\r\n" headers "\r\n\r\n" content "\r\n"
#define NAMED(parameters) "Content-Disposition: form-data; " parameters
#define TEXT(name, content) PART(NAMED("name=\"" name "\""), content)
#define END "--x--\r\n"

/* What came, as "a=text b=[file] c=-". */
static enum status begin(void *context, const struct part *part)
{
    static const char *const opened[] = {
        [PART_TEXT] = "=", [PART_FILE] = "=[", [PART_ABSENT] = "=-"};
    struct buffer *seen = context;
    buffer_add_format(seen, "%s%s%s", seen->length > 0 ? " " : "", part->name, opened[part->kind]);
    return strcmp(part->name, "refused") == 0 ? STATUS_NOT_OWNER : STATUS_OK;
}

static enum status add(void *context, const char *bytes, size_t length)
{
    assert_true(length > 0);
    buffer_add(context, bytes, length);
    return memchr(bytes, '!', length) != NULL ? STATUS_VOTE_CLOSED : STATUS_OK;
}

static enum status end(void *context)
{
    buffer_add_text(context, ";");
    return STATUS_OK;
}

static const struct multipart_taker taker = {begin, add, end};

/* In pieces of so many bytes, each of its exact size, so that reading beyond its end is seen. */
static enum status read_pieces(const char *parameters, const char *body, size_t length, size_t most,
                               struct buffer *seen)
{
    static struct multipart multipart;
    seen->length = 0;
    enum status status = multipart_begin(&multipart, parameters, &taker, seen);
    for (size_t at = 0; at < length && status == STATUS_OK; at += most) {
        size_t part = length - at < most ? length - at : most;
        char *piece = malloc(part);
        assert_non_null(piece);
        memcpy(piece, body + at, part);
        status = multipart_take(&multipart, piece, part);
        free(piece);
    }
    return status == STATUS_OK ? multipart_end(&multipart) : status;
}

/* The same however it is cut. */
static enum status read_all(const char *parameters, const char *body, size_t length,
                            struct buffer *seen)
{
    struct buffer other = {0};
    enum status status = read_pieces(parameters, body, length, length, seen);
    for (size_t most = 1; most < length; most++) {
        expect_integer(body, read_pieces(parameters, body, length, most, &other), status);
        if (status != STATUS_OK)
            continue;
        assert_int_equal(other.length, seen->length);
        if (seen->length > 0)
            assert_memory_equal(other.data, seen->data, seen->length);
    }
    buffer_free(&other);
    return status;
}

static void expect_read(const char *parameters, const char *body, size_t length, const char *want,
                        size_t want_length)
{
    struct buffer seen = {0};
    expect_integer(body, read_all(parameters, body, length, &seen), STATUS_OK);
    expect_integer(body, seen.length, want_length);
    if (want_length > 0)
        assert_memory_equal(seen.data, want, want_length);
    buffer_free(&seen);
}

static void parts(void **state)
{
    static const struct {
        const char *body;
        size_t length;
        const char *want;
        size_t want_length;
    } rows[] = {
        {BYTES(TEXT("a", "1") END), BYTES("a=1;")},
        {BYTES(TEXT("a", "1") TEXT("b", "2") END), BYTES("a=1; b=2;")},
        {BYTES(TEXT("a", "") END), BYTES("a=;")},
        {BYTES(END), BYTES("")},
        {BYTES("--x--"), BYTES("")},
        {BYTES(TEXT("a", "1") "--x--"), BYTES("a=1;")},
        {BYTES(TEXT("a", "1") "--x-- \t"), BYTES("a=1;")},
        {BYTES(TEXT("a", "1") END "epilogue --x"), BYTES("a=1;")},
        {BYTES(TEXT("a", "1") END "\r\n" TEXT("b", "2") END), BYTES("a=1;")},
        {BYTES("preamble\r\n" TEXT("a", "1") END), BYTES("a=1;")},
        {BYTES("\r\n" TEXT("a", "1") END), BYTES("a=1;")},
        {BYTES("preamble" TEXT("a", "1") END), BYTES("")},
        {BYTES("\r\r\n--\r\n-\r\n" TEXT("a", "1") END), BYTES("a=1;")},
        {BYTES("--x \t \r\n" NAMED("name=a") "\r\n\r\n1\r\n" END), BYTES("a=1;")},
        /* A part without a content may end with the line break of its headers. */
        {BYTES("--x\r\n" NAMED("name=a") "\r\n\r\n" END), BYTES("a=;")},
        {BYTES("--x\r\n" NAMED("name=a") "\r\n\r\n" TEXT("b", "2") END), BYTES("a=; b=2;")},

        {BYTES(TEXT("a", "\r\n") END), BYTES("a=\r\n;")},
        {BYTES(TEXT("a", "\r") END), BYTES("a=\r;")},
        {BYTES(TEXT("a", "\r\r\n\r") END), BYTES("a=\r\r\n\r;")},
        {BYTES(TEXT("a", "-") END), BYTES("a=-;")},
        {BYTES(TEXT("a", "--") END), BYTES("a=--;")},
        {BYTES(TEXT("a", "--y") END), BYTES("a=--y;")},
        {BYTES(TEXT("a", "\r\n--") END), BYTES("a=\r\n--;")},
        {BYTES(TEXT("a", "\r\n--\r\n-") END), BYTES("a=\r\n--\r\n-;")},
        {BYTES(TEXT("a", "\n--x\n") END), BYTES("a=\n--x\n;")},
        {BYTES(TEXT("a", "1--x") END), BYTES("a=1--x;")},
        {BYTES(TEXT("a", "x\0\xff\0") END), BYTES("a=x\0\xff\0;")},

        {BYTES(PART(NAMED("name=\"a\"; filename=\"f\""), "\0\1") END), BYTES("a=[\0\1;")},
        {BYTES(PART(NAMED("filename=\"f\"; name=\"a\""), "1") END), BYTES("a=[1;")},
        {BYTES(PART(NAMED("name=a; filename=f"), "1") END), BYTES("a=[1;")},
        {BYTES(PART(NAMED("name=\"a\"; filename=\"\""), "") END), BYTES("a=-;")},
        {BYTES(PART(NAMED("name=\"a\"; filename*=UTF-8''f"), "1") END), BYTES("a=[1;")},
        {BYTES(PART(NAMED("name=\"a\"; filename*=UTF-8''"), "") END), BYTES("a=-;")},
        {BYTES(PART(NAMED("name=\"a\"; filename=\"\"; filename*=UTF-8''f"), "") END),
         BYTES("a=-;")},
        {BYTES(PART(NAMED("name=\"a\"; filename=\"f\"; filename*=UTF-8''"), "") END),
         BYTES("a=[;")},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        expect_read(PARAMETERS, rows[i].body, rows[i].length, rows[i].want, rows[i].want_length);
}

static void headers(void **state)
{
    static const struct {
        const char *headers;
        const char *want; /* NULL: refused */
    } rows[] = {
        {NAMED("name=\"a\""), "a=1;"},
        {"content-disposition:form-data;name=a", "a=1;"},
        {"CONTENT-DISPOSITION: \t FORM-DATA \t ; NAME=\"a\"", "a=1;"},
        {NAMED("name=a;"), "a=1;"},
        {NAMED(";; name=a ; ;"), "a=1;"},
        {NAMED("other=1; name=a; more=\"x;y\""), "a=1;"},
        {"Content-Disposition: form-data;\r\n name=\"a\"", "a=1;"},
        {"Content-Disposition:\r\n\tform-data; name=a", "a=1;"},
        {"Content-Type: text/plain; charset=big5\r\n" NAMED("name=a"), "a=1;"},
        {NAMED("name=a") "\r\nX-Any:\r\nY: \x7f\x01", "a=1;"},
        {NAMED("name=a") "\r\nContent-Transfer-Encoding: binary", "a=1;"},
        {NAMED("name=a") "\r\nContent-Transfer-Encoding:8BIT ", "a=1;"},
        {NAMED("name=a") "\r\nContent-Transfer-Encoding: 7bit\t", "a=1;"},

        /* As browsers write names, and as curl does. */
        {NAMED("name=\"a%22b\""), "a\"b=1;"},
        {NAMED("name=\"a%0D%0Ab\""), "a\r\nb=1;"},
        {NAMED("name=\"a%0d%0ab\""), "a\r\nb=1;"},
        {NAMED("name=\"100%\""), "100%=1;"},
        {NAMED("name=\"%2\""), "%2=1;"},
        {NAMED("name=\"%41%25%\""), "%41%25%=1;"},
        {NAMED("name=\"a\\\"b\""), "a\"b=1;"},
        {NAMED("name=\"a\\\\b\""), "a\\b=1;"},
        {NAMED("name=\"a\\b\""), "a\\b=1;"},
        {NAMED("name=\"a\\\\\""), "a\\=1;"},
        {NAMED("name=\"a;b=c\""), "a;b=c=1;"},
        {NAMED("name=\"山 é\""), "山 é=1;"},
        {NAMED("name=\"\""), "=1;"},
        {NAMED("name=%22"), "%22=1;"},
        {NAMED("name=\"a\"; filename=\"x\\\"y.jpg\""), "a=[1;"},
        {NAMED("name=\"a\"; filename=\"C:\\x.jpg\""), "a=[1;"},
        {NAMED("name=\"a\"; filename=\"山.jpg\""), "a=[1;"},

        /* A file name in another way, and what is none so. */
        {NAMED("name=a; filename*=UTF-8''%E5%B1%B1.jpg"), "a=[1;"},
        {NAMED("filename*=utf-8'zh-TW'%e5%b1%b1; name=a"), "a=[1;"},
        {NAMED("name=a; FILENAME*=UTF-8''a!#$&+-.^_`|~z"), "a=[1;"},
        {NAMED("name=a; filename=f; filename*=UTF-8''g"), "a=[1;"},
        {NAMED("name=a; filename*=\"UTF-8''f\""), "a=1;"},
        {NAMED("name=a; filename*=ISO-8859-1''f"), "a=1;"},
        {NAMED("name=a; filename*=UTF-8'f"), "a=1;"},
        {NAMED("name=a; filename*=UTF-8'z_h'f"), "a=1;"},
        {NAMED("name=a; filename*=f"), "a=1;"},
        {NAMED("name=a; filename*=UTF-8''%E5%B1"), "a=1;"},
        {NAMED("name=a; filename*=UTF-8''%E5%B1%"), "a=1;"},
        {NAMED("name=a; filename*=UTF-8''%E5%B1%B"), "a=1;"},
        {NAMED("name=a; filename*=UTF-8''%G1"), "a=1;"},
        {NAMED("name=a; filename*=UTF-8''a%00"), "a=1;"},
        {NAMED("name=a; filename*=UTF-8''a/b"), "a=1;"},
        {NAMED("name=a; filename*=UTF-8''it's"), "a=1;"},
        {NAMED("name=a; filename*=UTF-8''%41*"), "a=1;"},
        {NAMED("name=a; filename*=UTF-8''f; filename*=UTF-8''f"), NULL},

        {"", NULL},
        {"Content-Type: text/plain", NULL},
        {"Content-Disposition: form-data", NULL},
        {NAMED("filename=\"f\""), NULL},
        {NAMED("name"), NULL},
        {NAMED("name="), NULL},
        {NAMED("=a"), NULL},
        {NAMED("name=\"a"), NULL},
        {NAMED("name=\"a\\\""), NULL},
        {NAMED("name=\"a\"b"), NULL},
        {NAMED("name=a b"), NULL},
        {NAMED("name=a\"b\""), NULL},
        {NAMED("name=山"), NULL},
        {NAMED("name =a"), NULL},
        {NAMED("name=a; name=b"), NULL},
        {NAMED("name=a; name=a"), NULL},
        {NAMED("name=a; filename=f; filename=f"), NULL},
        {NAMED("name=a") "\r\n" NAMED("name=a"), NULL},
        {"Content-Disposition: attachment; name=a", NULL},
        {"Content-Disposition: form-dataname=a", NULL},
        {"Content-Disposition: form-data name=a", NULL},
        {"Content-Disposition: form-data, name=a", NULL},
        {"Content-Disposition form-data; name=a", NULL},
        {"Content-Disposition : form-data; name=a", NULL},
        {" Content-Disposition: form-data; name=a", NULL},
        {NAMED("name=a") "\r\n: x", NULL},
        {NAMED("name=a") "\r\nX", NULL},
        {NAMED("name=a") "\rX: y", NULL},
        {NAMED("name=a") "\nX: y", NULL},
        {NAMED("name=a") "\r\nContent-Transfer-Encoding: base64", NULL},
        {NAMED("name=a") "\r\nContent-Transfer-Encoding: quoted-printable", NULL},
        {NAMED("name=a") "\r\nContent-Transfer-Encoding: ", NULL},
        {NAMED("name=a") "\r\nContent-Transfer-Encoding: 8bit, base64", NULL},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct buffer seen = {0};
        const char *body = arena_format(unit_arena, PART("%s", "1") END, rows[i].headers);
        enum status status = read_all(PARAMETERS, body, strlen(body), &seen);
        expect_integer(body, status, rows[i].want != NULL ? STATUS_OK : STATUS_MALFORMED_REQUEST);
        buffer_add(&seen, "", 1);
        if (rows[i].want != NULL)
            expect_text(body, seen.data, rows[i].want);
        buffer_free(&seen);
    }
}

static void broken_bodies(void **state)
{
    static const struct {
        const char *body;
        size_t length;
    } rows[] = {
        {BYTES("")},
        {BYTES("a=1&b=2")},
        {BYTES("--x")},
        {BYTES("--x-")},
        {BYTES("--x\r")},
        {BYTES("--x\r\n")},
        {BYTES(TEXT("a", "1"))},
        {BYTES(TEXT("a", "1") "--x")},
        {BYTES(TEXT("a", "1") "--x-")},
        {BYTES(TEXT("a", "1") "--x--\r")},
        {BYTES(TEXT("a", "1") "--x-- y")},
        {BYTES(TEXT("a", "1") "--x--y\r\n")},
        {BYTES(TEXT("a", "1") "--x--\r\r\n")},
        {BYTES(TEXT("a", "1") "--X--")},
        {BYTES(TEXT("a", "1") "-x--")},
        {BYTES("--x\n" NAMED("name=a") "\n\n1\n--x--\n")},
        {BYTES("--x\r\n" NAMED("name=a") "\r\n\r\n1--x--\r\n")},
        {BYTES("--x\r\n" NAMED("name=a") "\r\n\r\n1\n--x--\r\n")},
        {BYTES("--xy\r\n" NAMED("name=a") "\r\n\r\n1\r\n" END)},
        {BYTES(TEXT("a", "1\r\n--xy") END)},
        {BYTES(TEXT("a", "--x") END)},
        {BYTES("--x \r \n" NAMED("name=a") "\r\n\r\n1\r\n" END)},
        {BYTES("--x\r\n" NAMED("name=\"a\0b\"") "\r\n\r\n1\r\n" END)},
        {BYTES("--x\r\n" NAMED("name=a") "\0" NAMED("name=b") "\r\n\r\n1\r\n" END)},
        {BYTES("--x\r\n" NAMED("name=a") "\r\n\r1\r\n" END)},
        {BYTES("--x\r\n" NAMED("name=a"))},
        {BYTES("--x\r\n" NAMED("name=a") "\r\n")},
        {BYTES("--x\r\n" NAMED("name=a") "\r\n\r\n")},
        {BYTES("--x\r\n" END)},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct buffer seen = {0};
        expect_integer(rows[i].body, read_all(PARAMETERS, rows[i].body, rows[i].length, &seen),
                       STATUS_MALFORMED_REQUEST);
        buffer_free(&seen);
    }
}

#define SEVENTY "1234567890123456789012345678901234567890123456789012345678901234567890"

static void boundaries(void **state)
{
    static const struct {
        const char *parameters, *boundary; /* NULL: refused */
    } rows[] = {
        {";boundary=x", "x"},
        {"; BOUNDARY=x", "x"},
        {" ; charset=utf-8 ; boundary=\"x\" ;", "x"},
        {"; boundary=----WebKitFormBoundary7MA4YWxkTrZu0gW",
         "----WebKitFormBoundary7MA4YWxkTrZu0gW"},
        {"; boundary=\"a b\"", "a b"},
        {"; boundary=\"'()+_,-./:=?\"", "'()+_,-./:=?"},
        {"; boundary='()+_,-./:=?", "'()+_,-./:=?"},
        {"; boundary=" SEVENTY, SEVENTY},
        {"; boundary=--", "--"},
        {"", NULL},
        {";", NULL},
        {"; charset=utf-8", NULL},
        {"; boundary", NULL},
        {"; boundary=", NULL},
        {"; boundary=\"\"", NULL},
        {"; boundary=\"x", NULL},
        {"; boundary=\"x \"", NULL},
        {"; boundary=\"x\\\"\"", NULL},
        {"; boundary=x y", NULL},
        {"; boundary=x*", NULL},
        {"; boundary=山", NULL},
        {"; boundary=" SEVENTY "1", NULL},
        {"; boundary=x; boundary=x", NULL},
        {"; boundary=x; boundary=y", NULL},
        {", boundary=x", NULL},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct buffer seen = {0};
        const char *boundary = rows[i].boundary != NULL ? rows[i].boundary : "x";
        const char *body = arena_format(
            unit_arena, "--%s\r\n" NAMED("name=a") "\r\n\r\n1\r\n--%s--", boundary, boundary);
        expect_integer(rows[i].parameters, read_all(rows[i].parameters, body, strlen(body), &seen),
                       rows[i].boundary != NULL ? STATUS_OK : STATUS_MALFORMED_REQUEST);
        buffer_free(&seen);
    }
}

static void headers_have_a_bound(void **state)
{
    (void)state;
    for (size_t more = 0; more < 2; more++) {
        struct buffer body = {0}, seen = {0};
        static const char first[] = NAMED("name=a");
        size_t filler = MULTIPART_HEADERS_MOST - strlen(first) - strlen("\1X:\1") + more;
        buffer_add_format(&body, "--x\r\n%s\r\nX:%0*d\r\n\r\n1\r\n--x--", first, (int)filler, 0);
        expect_integer("headers", read_pieces(PARAMETERS, body.data, body.length, 1000, &seen),
                       more == 0 ? STATUS_OK : STATUS_MALFORMED_REQUEST);
        buffer_free(&body);
        buffer_free(&seen);
    }
}

static void what_the_taker_says(void **state)
{
    struct buffer seen = {0};
    (void)state;
    assert_int_equal(read_all(PARAMETERS, BYTES(TEXT("refused", "1") END), &seen),
                     STATUS_NOT_OWNER);
    assert_int_equal(read_all(PARAMETERS, BYTES(TEXT("a", "1!2") END), &seen), STATUS_VOTE_CLOSED);
    buffer_free(&seen);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts),
        cmocka_unit_test_setup_teardown(headers, unit_arena_begin, unit_arena_end),
        cmocka_unit_test(broken_bodies),
        cmocka_unit_test_setup_teardown(boundaries, unit_arena_begin, unit_arena_end),
        cmocka_unit_test(headers_have_a_bound),
        cmocka_unit_test(what_the_taker_says),
    };
    return RUN_TESTS(tests);
}
