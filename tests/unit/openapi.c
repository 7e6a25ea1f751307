#include "openapi/openapi.h"

#include <string.h>

#include "unit.h"

static const struct param_spec photo_params[] = {
    {.name = "albumID", .type = {VALUE_INTEGER, ID_RANGE}},
    {.name = "photo", .type.kind = VALUE_FILE},
    {.name = "icon", .type.kind = VALUE_FILE, .optional = true},
    {.name = "description", .type = {VALUE_TEXT, RANGE(0, 2000)}, .optional = true},
    PARAMS_END,
};

static const struct param_spec album_params[] = {
    {.name = "albumID", .type = {VALUE_INTEGER, ID_RANGE}},
    PARAMS_END,
};

static const struct operation operations[] = {
    {.func = "addPhoto", .summary = "Adds.", .kind = OPERATION_WRITE, .params = photo_params},
    {.func = "addAlbum", .summary = "Adds.", .kind = OPERATION_WRITE, .params = album_params},
    {.func = NULL},
};

#define ALBUM_ID "{\"type\":\"integer\",\"format\":\"int64\",\"minimum\":1}"
#define BINARY "{\"type\":\"string\",\"format\":\"binary\"}"
#define FORM_OF(properties, required)                                      \
    "{\"schema\":{\"title\":\"Adds.\",\"type\":\"object\",\"properties\":" \
    "{" properties "},\"required\":[" required "]}}"
#define ALBUM_FORM FORM_OF("\"albumID\":" ALBUM_ID, "\"albumID\"")
#define BODY(content) "\"requestBody\":{\"required\":true,\"content\":{" content "}}"

/* What the document has of an operation, to the end of the document. */
static const char *described(const struct buffer *document, const char *path)
{
    const char *found = strstr(document->data, path);
    assert_non_null(found);
    return found;
}

static void expect_part(const char *text, const char *want)
{
    expect_text(text, strstr(text, want) != NULL ? want : NULL, want);
}

static void a_file_comes_in_a_part_or_as_the_body(void **state)
{
    struct buffer document = {0};
    (void)state;
    openapi_write(operations, &document);
    buffer_add(&document, "", 1);
    const char *photo = described(&document, "/API.php/addPhoto");
    expect_part(photo,
                BODY("\"multipart/form-data\":" FORM_OF(
                    "\"albumID\":" ALBUM_ID ",\"photo\":" BINARY ",\"icon\":" BINARY
                    ",\"description\":{\"type\":\"string\",\"minLength\":0,\"maxLength\":2000}",
                    "\"albumID\",\"photo\"") ",\"image/*\":{\"schema\":" BINARY
                                             "},\"application/octet-stream\":{\"schema\":" BINARY
                                             "}"));
    expect_part(photo, "{\"name\":\"albumID\",\"in\":\"query\",\"schema\":" ALBUM_ID "},"
                       "{\"name\":\"description\",\"in\":\"query\",\"schema\":");
    assert_null(strstr(photo, "{\"name\":\"photo\""));
    buffer_free(&document);
}

static void a_form_may_come_in_parts(void **state)
{
    struct buffer document = {0};
    (void)state;
    openapi_write(operations, &document);
    buffer_add(&document, "", 1);
    const char *album = described(&document, "/API.php/addAlbum");
    expect_part(album, BODY("\"application/x-www-form-urlencoded\":" ALBUM_FORM
                            ",\"multipart/form-data\":" ALBUM_FORM));
    assert_null(strstr(album, "\"in\":\"query\",\"schema\":" ALBUM_ID));
    buffer_free(&document);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_comes_in_a_part_or_as_the_body),
        cmocka_unit_test(a_form_may_come_in_parts),
    };
    return RUN_TESTS(tests);
}
