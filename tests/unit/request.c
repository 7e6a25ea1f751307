#include "http/request.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fastcgi.h"
#include "unit.h"

#define BYTES(literal) literal, sizeof(literal) - 1
#define FORM "CONTENT_TYPE=application/x-www-form-urlencoded"

enum { FILE_MOST = 200000 };

static struct buffer texts;
static struct form form;
static bool has_disk = true;
static int files_made;

static int new_file(const void *context)
{
    (void)context;
    files_made += has_disk;
    return has_disk ? memfd_create("file", MFD_CLOEXEC) : -1;
}

/* The request's texts live until end(). */
static enum status read_begun(struct responder *responder, struct request *request)
{
    static const struct upload_place files = {new_file, NULL, FILE_MOST};
    const struct body_means means = {unit_arena, &texts, &files};
    form = (struct form){0};
    files_made = 0;
    return request_read(responder, &means, request, &form);
}

static enum status read_request(const struct conversation *conversation, struct request *request)
{
    return read_begun(fastcgi_begin(conversation), request);
}

static void end(void)
{
    struct taken taken = fastcgi_end();
    assert_true(taken.ended);
    buffer_free(&taken.output);
    buffer_free(&texts);
    form_close(&form);
}

static void all_variables(void **state)
{
    static const char *const variables[] = {"REQUEST_METHOD=POST",
                                            "QUERY_STRING=func=getAlbum&albumID=7",
                                            FORM,
                                            "CONTENT_LENGTH=3",
                                            "REMOTE_ADDR=192.0.2.7",
                                            "HTTPS=on",
                                            "HTTP_COOKIE=id=7; idrand=ab",
                                            "HTTP_HOST=diary.example",
                                            "HTTP_ORIGIN=https://diary.example",
                                            "HTTP_SEC_FETCH_SITE=same-origin",
                                            "HTTP_IF_NONE_MATCH=\"abc\"",
                                            "HTTP_IDEMPOTENCY_KEY=k-1",
                                            "HTTP_HOSTILE=no",
                                            "HTTP_HOS=no",
                                            NULL};
    const struct conversation conversation = {
        .variables = variables, .body = "a=1", .body_length = 3};
    struct request request;
    (void)state;
    assert_int_equal(read_request(&conversation, &request), STATUS_OK);
    assert_int_equal(request.method, METHOD_POST);
    assert_string_equal(request.query, "func=getAlbum&albumID=7");
    assert_int_equal(request.body_length, 3);
    assert_int_equal(form.status, STATUS_OK);
    assert_string_equal(form_find(&form, "albumID"), "7");
    assert_string_equal(form_find(&form, "a"), "1");
    assert_true(form_is_in_address(&form, "albumID"));
    assert_false(form_is_in_address(&form, "a"));
    assert_string_equal(request.remote_address, "192.0.2.7");
    assert_string_equal(request.cookies, "id=7; idrand=ab");
    assert_string_equal(request.host, "diary.example");
    assert_string_equal(request.origin, "https://diary.example");
    assert_string_equal(request.sec_fetch_site, "same-origin");
    assert_string_equal(request.if_none_match, "\"abc\"");
    assert_string_equal(request.idempotency_key, "k-1");
    assert_true(request_is_secure(&request));
    end();
}

static void nothing_but_a_method(void **state)
{
    static const char *const variables[] = {"REQUEST_METHOD=GET", NULL};
    const struct conversation conversation = {
        .variables = variables, .body = NULL, .body_length = 0};
    struct request request;
    (void)state;
    assert_int_equal(read_request(&conversation, &request), STATUS_OK);
    assert_int_equal(request.method, METHOD_GET);
    assert_null(request.query);
    assert_null(request.cookies);
    assert_null(request.if_none_match);
    assert_int_equal(form.count, 0);
    assert_int_equal(request.body_length, 0);
    assert_false(request_is_secure(&request));
    end();
}

static void what_is_refused_is_not_read(void **state)
{
    static const char *const variables[] = {"REQUEST_METHOD=POST", "CONTENT_TYPE=image/jpeg",
                                            "CONTENT_LENGTH=100000", "REQUEST_ID=abc", NULL};
    static const char body[100000];
    const struct conversation conversation = {
        .variables = variables, .body = body, .body_length = sizeof body};
    struct request request;
    (void)state;
    form = (struct form){0};
    assert_true(request_skip(fastcgi_begin(&conversation), unit_arena, &request));
    assert_int_equal(request.method, METHOD_POST);
    assert_string_equal(request.identifier, "abc");
    assert_int_equal(form.count, 0);
    end();
}

/* In memory, and in the spool; whatever libfcgi had read of it. */
static void what_is_given_back_is_begun_again(void **state)
{
    static const size_t lengths[] = {3, 100000};
    static char body[100001];
    char length[32];
    const char *const variables[] = {"REQUEST_METHOD=POST", FORM, length, NULL};
    (void)state;
    memset(body, 'x', sizeof body - 1);
    for (size_t i = 0; i < COUNT(lengths); i++) {
        const struct conversation conversation = {
            .variables = variables, .body = body, .body_length = lengths[i]};
        struct request request;
        snprintf(length, sizeof length, "CONTENT_LENGTH=%zu", lengths[i]);
        fastcgi_begin(&conversation);
        assert_int_equal(read_begun(fastcgi_begin_again(), &request), STATUS_OK);
        assert_int_equal(request.body_length, lengths[i]);
        assert_int_equal(strlen(form.parameters[0].name), lengths[i]);
        end();
    }
}

static void checks(void **state)
{
    static const struct {
        const char *method, *type, *length, *body;
        enum status want;
    } rows[] = {
        {"GET", NULL, NULL, "", STATUS_OK},
        {"HEAD", NULL, "", "", STATUS_OK},
        {"GET", "text/plain", "0", "", STATUS_OK},
        {"POST", "application/x-www-form-urlencoded", "3", "a=1", STATUS_OK},
        {"GET", "application/x-www-form-urlencoded", "3", "a=1", STATUS_OK},
        {"POST", "Application/X-WWW-Form-URLEncoded", "3", "a=1", STATUS_OK},
        {"POST", "application/x-www-form-urlencoded;charset=utf-8", "3", "a=1", STATUS_OK},
        {"POST", "application/x-www-form-urlencoded ; charset=UTF-8", "3", "a=1", STATUS_OK},
        {"POST", "application/x-www-form-urlencoded; charset=\"utf-8\"", "3", "a=1", STATUS_OK},
        {"POST", "application/x-www-form-urlencoded;", "3", "a=1", STATUS_OK},
        {"POST", "application/x-www-form-urlencoded; charset=UTF-8;", "3", "a=1", STATUS_OK},
        {"POST", "application/x-www-form-urlencoded; charset=utf8", "3", "a=1", STATUS_OK},
        {"POST", "application/x-www-form-urlencoded; CharSet=\"UTF8\" ; ", "3", "a=1", STATUS_OK},

        {"PUT", NULL, NULL, "", STATUS_METHOD_NOT_ALLOWED},
        {"get", NULL, NULL, "", STATUS_METHOD_NOT_ALLOWED},
        {"GETS", NULL, NULL, "", STATUS_METHOD_NOT_ALLOWED},
        {"", NULL, NULL, "", STATUS_METHOD_NOT_ALLOWED},
        {"PUT", "text/plain", "9", "short", STATUS_METHOD_NOT_ALLOWED}, /* comes first */

        {"POST", NULL, "3", "a=1", STATUS_UNSUPPORTED_MEDIA_TYPE},
        {"POST", "", "3", "a=1", STATUS_UNSUPPORTED_MEDIA_TYPE},
        {"POST", "text/plain", "3", "a=1", STATUS_UNSUPPORTED_MEDIA_TYPE},
        {"POST", "multipart/mixed; boundary=x", "3", "a=1", STATUS_UNSUPPORTED_MEDIA_TYPE},
        {"POST", "image/", "3", "a=1", STATUS_UNSUPPORTED_MEDIA_TYPE},
        {"POST", "image/png, x", "3", "a=1", STATUS_UNSUPPORTED_MEDIA_TYPE},
        {"POST", "image", "3", "a=1", STATUS_UNSUPPORTED_MEDIA_TYPE},
        {"POST", "application/x-www-form-urlencodedx", "3", "a=1", STATUS_UNSUPPORTED_MEDIA_TYPE},
        {"POST", "application/x-www-form-urlencoded; charset=big5", "3", "a=1",
         STATUS_UNSUPPORTED_MEDIA_TYPE},
        {"POST", "application/x-www-form-urlencoded; charset=utf", "3", "a=1",
         STATUS_UNSUPPORTED_MEDIA_TYPE},
        {"POST", "application/x-www-form-urlencoded; charset=utf-88", "3", "a=1",
         STATUS_UNSUPPORTED_MEDIA_TYPE},
        {"POST", "application/x-www-form-urlencoded; charset", "3", "a=1",
         STATUS_UNSUPPORTED_MEDIA_TYPE},
        {"POST", "application/x-www-form-urlencoded; x=utf-8", "3", "a=1",
         STATUS_UNSUPPORTED_MEDIA_TYPE},
        {"POST", "application/x-www-form-urlencoded; charset=utf8; charset=utf8", "3", "a=1",
         STATUS_UNSUPPORTED_MEDIA_TYPE},
        {"POST", "application/x-www-form-urlencoded charset=utf-8", "3", "a=1",
         STATUS_UNSUPPORTED_MEDIA_TYPE},

        {"POST", "application/x-www-form-urlencoded", "4", "a=1", STATUS_MALFORMED_REQUEST},
        {"POST", "application/x-www-form-urlencoded", "2", "a=1", STATUS_MALFORMED_REQUEST},
        {"POST", "application/x-www-form-urlencoded", NULL, "a=1", STATUS_MALFORMED_REQUEST},
        {"POST", "application/x-www-form-urlencoded", "-3", "a=1", STATUS_MALFORMED_REQUEST},
        {"POST", "application/x-www-form-urlencoded", "abc", "a=1", STATUS_MALFORMED_REQUEST},
        {"POST", "application/x-www-form-urlencoded", "3x", "a=1", STATUS_MALFORMED_REQUEST},
        {"POST", "application/x-www-form-urlencoded", "9223372036854775807", "a=1",
         STATUS_MALFORMED_REQUEST},
        {"POST", "application/x-www-form-urlencoded", "99999999999999999999", "a=1",
         STATUS_MALFORMED_REQUEST},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const char *variables[4] = {arena_format(unit_arena, "REQUEST_METHOD=%s", rows[i].method)};
        size_t count = 1;
        struct request request;
        if (rows[i].type != NULL)
            variables[count++] = arena_format(unit_arena, "CONTENT_TYPE=%s", rows[i].type);
        if (rows[i].length != NULL)
            variables[count++] = arena_format(unit_arena, "CONTENT_LENGTH=%s", rows[i].length);
        const struct conversation conversation = {
            .variables = variables, .body = rows[i].body, .body_length = strlen(rows[i].body)};
        expect_integer(
            arena_format(unit_arena, "%s, %s, %s", rows[i].method, rows[i].type, rows[i].length),
            read_request(&conversation, &request), rows[i].want);
        end();
    }
}

static void bodies_of_any_size(void **state)
{
    static const struct {
        size_t length;
        enum status want;
    } rows[] = {
        {1, STATUS_OK},
        {8191, STATUS_OK},
        {8192, STATUS_OK},
        {65536, STATUS_OK},
        {1048575, STATUS_OK},
        {1048576, STATUS_OK},
        {1048577, STATUS_REQUEST_TOO_LARGE},
        {1052672, STATUS_REQUEST_TOO_LARGE}, /* 4096 more */
        {3000000, STATUS_REQUEST_TOO_LARGE},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        char *body = malloc(rows[i].length);
        struct request request;
        assert_non_null(body);
        for (size_t k = 0; k < rows[i].length; k++)
            body[k] = (char)('a' + k % 26);
        const char *const variables[] = {
            "REQUEST_METHOD=POST", FORM,
            arena_format(unit_arena, "CONTENT_LENGTH=%zu", rows[i].length), NULL};
        const struct conversation conversation = {
            .variables = variables, .body = body, .body_length = rows[i].length};
        expect_integer(variables[2], read_request(&conversation, &request), rows[i].want);
        if (rows[i].want == STATUS_OK) {
            assert_int_equal(form.count, 1);
            assert_int_equal(strlen(form.parameters[0].name), rows[i].length);
            assert_memory_equal(form.parameters[0].name, body, rows[i].length);
        }
        assert_int_equal(request.body_length, rows[i].length);
        end();
        free(body);
        arena_reset(unit_arena);
    }
}

/* Bodies with files -----------------------------------------------------------------------------
 */

#define MULTIPART "multipart/form-data; boundary=x"
#define PART(parameters, content) \
    "--x\r\nContent-Disposition: form-data; " parameters "\r\n\r\n" content "\r\n"
#define END "--x--\r\n"

static enum status post(const char *type, const char *query, const char *body, size_t length)
{
    struct request request;
    const char *const variables[] = {"REQUEST_METHOD=POST",
                                     arena_format(unit_arena, "QUERY_STRING=%s", query),
                                     arena_format(unit_arena, "CONTENT_TYPE=%s", type),
                                     arena_format(unit_arena, "CONTENT_LENGTH=%zu", length), NULL};
    const struct conversation conversation = {
        .variables = variables, .body = body, .body_length = length};
    enum status status = read_request(&conversation, &request);
    assert_int_equal(request.body_length, length);
    return status;
}

/* As "a=1 b=[3 bytes]", and the file without a name. */
static const char *listed(void)
{
    const char *list = "";
    for (size_t i = 0; i < form.count; i++) {
        const struct upload *upload = form.uploads[i];
        const char *value = form.parameters[i].value;
        if (upload != NULL) {
            assert_string_equal(value, upload->digest_hex);
            assert_string_equal(form.parameters[i].name, upload->name);
            assert_int_equal(lseek(upload->descriptor, 0, SEEK_END), upload->length);
            value = arena_format(unit_arena, "[%lld bytes]", (long long)upload->length);
        }
        list = arena_format(unit_arena, "%s%s%s=%s", list, i == 0 ? "" : " ",
                            form.parameters[i].name, value);
    }
    if (form.unnamed != NULL)
        list = arena_format(unit_arena, "%s [%lld bytes]", list, (long long)form.unnamed->length);
    return list;
}

static void forms_and_files(void **state)
{
    static const struct {
        const char *type, *query, *body;
        enum status want; /* of the form */
        const char *listed;
    } rows[] = {
        {MULTIPART, "q=0", PART("name=a", "1") PART("name=b", "2") END, STATUS_OK, "q=0 a=1 b=2"},
        {"Multipart/Form-Data;boundary=\"x\"", "", PART("name=a", "1") END, STATUS_OK, "a=1"},
        {MULTIPART, "", PART("name=a; filename=f", "abc") PART("name=b", "2") END, STATUS_OK,
         "a=[3 bytes] b=2"},
        {MULTIPART, "", PART("name=a; filename=f", "") END, STATUS_OK, "a=[0 bytes]"},
        {MULTIPART, "", PART("name=a; filename=\"\"", "x") PART("name=a", "2") END, STATUS_OK,
         "a=2"},
        {MULTIPART, "", PART("name=a", "山+%41&b=") END, STATUS_OK, "a=山+%41&b="},
        {MULTIPART, "", END, STATUS_OK, ""},
        {"image/jpeg", "a=1", "abc", STATUS_OK, "a=1 [3 bytes]"},
        {"IMAGE/x.y+z; q=1", "", "abcd", STATUS_OK, " [4 bytes]"},
        {"application/octet-stream", "a=1", "abc", STATUS_OK, "a=1 [3 bytes]"},

        {MULTIPART, "", PART("name=a", "\xff") PART("name=b", "2") END, STATUS_PARAMETER_INVALID,
         "b=2"},
        {MULTIPART, "a=1", PART("name=a", "1") END, STATUS_PARAMETER_DUPLICATE, "a=1"},
        {MULTIPART, "a=1", PART("name=a; filename=f", "1") END, STATUS_PARAMETER_DUPLICATE, "a=1"},
        {MULTIPART, "", PART("name=a; filename=f", "1") PART("name=a", "2") END,
         STATUS_PARAMETER_DUPLICATE, "a=[1 bytes]"},
        {MULTIPART, "", PART("name=a; filename=f", "1") PART("name=a; filename=g", "1") END,
         STATUS_PARAMETER_DUPLICATE, "a=[1 bytes]"},
        {MULTIPART, "", PART("name=\"\"", "1") END, STATUS_MALFORMED_REQUEST, ""},
        {MULTIPART, "", PART("name=\"\xff\"", "1") END, STATUS_MALFORMED_REQUEST, ""},
        {MULTIPART, "", PART("name=\"\xff\"; filename=f", "1") END, STATUS_MALFORMED_REQUEST, ""},
        {MULTIPART, "", PART("name=a; filename=f", "1"), STATUS_MALFORMED_REQUEST, ""},
        {MULTIPART, "", PART("name=a; filename=f", "1") "--x", STATUS_MALFORMED_REQUEST,
         "a=[1 bytes]"},
        {MULTIPART, "", "--x\r\nContent-Disposition: form-data; name=a; filename=f\r\n\r\n1",
         STATUS_MALFORMED_REQUEST, ""},
        {MULTIPART, "%", PART("name=a; filename=f", "1") END, STATUS_MALFORMED_REQUEST, ""},
        {MULTIPART, "", "a=1", STATUS_MALFORMED_REQUEST, ""},
        {"multipart/form-data", "", END, STATUS_MALFORMED_REQUEST, ""},
        {"image/jpeg", "%", "abc", STATUS_MALFORMED_REQUEST, ""},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        expect_integer(rows[i].body,
                       post(rows[i].type, rows[i].query, rows[i].body, strlen(rows[i].body)),
                       STATUS_OK);
        expect_integer(rows[i].body, form.status, rows[i].want);
        expect_text(rows[i].body, listed(), rows[i].listed);
        end();
        arena_reset(unit_arena);
    }
}

static int open_descriptors(void)
{
    int count = 0;
    for (int descriptor = 0; descriptor < 1000; descriptor++)
        count += fcntl(descriptor, F_GETFD) >= 0;
    return count;
}

static void no_file_stays_open(void **state)
{
    static const char *const bodies[] = {
        PART("name=a; filename=f", "abc") END,
        PART("name=a; filename=f", "abc") PART("name=a; filename=f", "abc") END,
        PART("name=\"\"; filename=f", "abc") END,
        "--x\r\nContent-Disposition: form-data; name=a; filename=f\r\n\r\nabc",
    };
    (void)state;
    post("image/png", "", "abc", 3);
    end();
    int before = open_descriptors();
    for (size_t i = 0; i < COUNT(bodies); i++) {
        assert_int_equal(post(MULTIPART, "", bodies[i], strlen(bodies[i])), STATUS_OK);
        assert_true(files_made > 0);
        end();
        expect_integer(bodies[i], open_descriptors(), before);
    }
    post("image/png", "", "abc", 3);
    form_name_upload(&form, "photo", unit_arena);
    assert_string_equal(listed(), "photo=[3 bytes]");
    assert_null(form.unnamed);
    end();
    assert_int_equal(open_descriptors(), before);
}

/* SHA-256 of nothing, and of "abc": FIPS 180-4's examples. */
static void digests(void **state)
{
    (void)state;
    assert_int_equal(
        post(MULTIPART, "",
             BYTES(PART("name=a; filename=f", "") PART("name=b; filename=f", "abc") END)),
        STATUS_OK);
    assert_string_equal(form_find(&form, "a"),
                        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert_string_equal(form_find(&form, "b"),
                        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    end();
}

static void without_a_disk(void **state)
{
    (void)state;
    has_disk = false;
    assert_int_equal(post("image/png", "", "abc", 3), STATUS_OK);
    assert_int_equal(form.status, STATUS_UNAVAILABLE);
    end();
    assert_int_equal(post(MULTIPART, "", BYTES(PART("name=a; filename=f", "1") END)), STATUS_OK);
    assert_int_equal(form.status, STATUS_UNAVAILABLE);
    end();
    assert_int_equal(post(MULTIPART, "", BYTES(PART("name=a", "1") END)), STATUS_OK);
    assert_int_equal(form.status, STATUS_OK);
    end();
    has_disk = true;
}

/* A body with so many bytes of content. */
static void fill(struct buffer *body, const char *start, size_t length, const char *stop)
{
    buffer_add_text(body, start);
    memset(buffer_room(body, length), '\r', length);
    body->length += length;
    buffer_add_text(body, stop);
}

static void sizes(void **state)
{
    static const struct {
        const char *type, *start, *stop;
        size_t length;
        enum status want, of_form;
    } rows[] = {
        {"image/png", "", "", FILE_MOST, STATUS_OK, STATUS_OK},
        {"image/png", "", "", FILE_MOST + 1, STATUS_PHOTO_TOO_LARGE, STATUS_OK},
        {MULTIPART, PART("name=a", "1") PART("name=b; filename=f", ""), END, 0, STATUS_OK,
         STATUS_OK},
        {MULTIPART, "--x\r\nContent-Disposition: form-data; name=a; filename=f\r\n\r\n", "\r\n" END,
         FILE_MOST, STATUS_OK, STATUS_OK},
        {MULTIPART, "--x\r\nContent-Disposition: form-data; name=a; filename=f\r\n\r\n", "\r\n" END,
         FILE_MOST + 1, STATUS_OK, STATUS_PHOTO_TOO_LARGE},
        {MULTIPART, "--x\r\nContent-Disposition: form-data; name=a\r\n\r\n", "\r\n" END,
         FORM_TEXTS_MOST, STATUS_OK, STATUS_OK},
        {MULTIPART, "--x\r\nContent-Disposition: form-data; name=a\r\n\r\n", "\r\n" END,
         FORM_TEXTS_MOST + 1, STATUS_OK, STATUS_REQUEST_TOO_LARGE},
        {MULTIPART, PART("name=b", "1") "--x\r\nContent-Disposition: form-data; name=a\r\n\r\n",
         "\r\n" END, FORM_TEXTS_MOST, STATUS_OK, STATUS_REQUEST_TOO_LARGE},
        {MULTIPART, END, "", FORM_TEXTS_MOST + FILE_MOST - sizeof END + 1, STATUS_OK, STATUS_OK},
        {MULTIPART, END, "", FORM_TEXTS_MOST + FILE_MOST - sizeof END + 2, STATUS_PHOTO_TOO_LARGE,
         STATUS_OK},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct buffer body = {0};
        const char *input = arena_format(unit_arena, "row %zu", i);
        fill(&body, rows[i].start, rows[i].length, rows[i].stop);
        expect_integer(input, post(rows[i].type, "", body.data, body.length), rows[i].want);
        expect_integer(input, form.status, rows[i].of_form);
        end();
        buffer_free(&body);
    }
}

static void as_many_files_as_texts(void **state)
{
    (void)state;
    for (int count = FORM_PARAMETERS_MOST - 1; count <= FORM_PARAMETERS_MOST; count++) {
        struct buffer body = {0};
        for (int i = 0; i < count; i++)
            buffer_add_format(&body, PART("name=p%d%s", "1"), i, i % 2 == 0 ? "" : "; filename=f");
        buffer_add_text(&body, END);
        assert_int_equal(post(MULTIPART, "func=x", body.data, body.length), STATUS_OK);
        assert_int_equal(form.status,
                         count < FORM_PARAMETERS_MOST ? STATUS_OK : STATUS_REQUEST_TOO_LARGE);
        assert_int_equal(form.count, FORM_PARAMETERS_MOST);
        end();
        buffer_free(&body);
    }
}

static void secure(void **state)
{
    static const struct {
        const char *https;
        bool want;
    } rows[] = {{NULL, false}, {"", false},  {"off", false}, {"OFF", false},
                {"on", true},  {"On", true}, {"1", true}};
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct request request = {.https = rows[i].https};
        expect_integer(rows[i].https, request_is_secure(&request), rows[i].want);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(all_variables, unit_arena_begin, unit_arena_end),
        cmocka_unit_test_setup_teardown(nothing_but_a_method, unit_arena_begin, unit_arena_end),
        cmocka_unit_test_setup_teardown(what_is_refused_is_not_read, unit_arena_begin,
                                        unit_arena_end),
        cmocka_unit_test_setup_teardown(what_is_given_back_is_begun_again, unit_arena_begin,
                                        unit_arena_end),
        cmocka_unit_test_setup_teardown(checks, unit_arena_begin, unit_arena_end),
        cmocka_unit_test_setup_teardown(bodies_of_any_size, unit_arena_begin, unit_arena_end),
        cmocka_unit_test_setup_teardown(forms_and_files, unit_arena_begin, unit_arena_end),
        cmocka_unit_test_setup_teardown(no_file_stays_open, unit_arena_begin, unit_arena_end),
        cmocka_unit_test_setup_teardown(digests, unit_arena_begin, unit_arena_end),
        cmocka_unit_test_setup_teardown(without_a_disk, unit_arena_begin, unit_arena_end),
        cmocka_unit_test_setup_teardown(sizes, unit_arena_begin, unit_arena_end),
        cmocka_unit_test_setup_teardown(as_many_files_as_texts, unit_arena_begin, unit_arena_end),
        cmocka_unit_test(secure),
    };
    return RUN_TESTS(tests);
}
