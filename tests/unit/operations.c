#include "api/operations.h"

#include <string.h>

#include "unit.h"

/* The parameters by name; a date is "date", "?" follows what may be absent, and "|" stands between
 * those of which one has to be there. */
#define ALBUM "albumTitle category lat lng visibility?"
#define BLOG                                                                   \
    "type lat lng blogTitle blogContent date weather replyBlogID? zoomLevel? " \
    "mapType? userCategory? visibility? publish?"
static const char piece[] = "albumID|POIID|blogID";

static const struct {
    const char *func;
    bool deletes;
    enum operation_kind kind;
    enum access access;
    const char *id, *params;
} rows[] = {
    {"addAlbum", false, OPERATION_WRITE, ACCESS_SESSION, NULL, ALBUM},
    {"updateAlbum", false, OPERATION_WRITE, ACCESS_SESSION, "albumID", ALBUM " baseVersion?"},
    {"updateAlbum", true, OPERATION_WRITE, ACCESS_SESSION, "albumID", "baseVersion?"},
    {"getAlbum", false, OPERATION_READ, ACCESS_READER, "albumID", NULL},
    {"getUserAlbumList", false, OPERATION_READ, ACCESS_READER, "userID", "limit? after?"},
    {"getCategoryPOIList", false, OPERATION_READ, ACCESS_READER, "category", "limit? after?"},
    {"getPOI", false, OPERATION_READ, ACCESS_READER, "POIID", NULL},
    {"postBlog", false, OPERATION_WRITE, ACCESS_SESSION, NULL, BLOG},
    {"updateBlog", false, OPERATION_WRITE, ACCESS_SESSION, "blogID", BLOG " baseVersion?"},
    {"updateBlog", true, OPERATION_WRITE, ACCESS_SESSION, "blogID", "baseVersion?"},
    {"getBlog", false, OPERATION_READ, ACCESS_READER, "blogID", NULL},
    {"addPhoto", false, OPERATION_WRITE, ACCESS_SESSION, NULL,
     "albumID|POIID photo description? position?"},
    {"updatePhoto", false, OPERATION_WRITE, ACCESS_SESSION, "photoID",
     "description? position? cover?"},
    {"updatePhoto", true, OPERATION_WRITE, ACCESS_SESSION, "photoID", NULL},
    {"getPhoto", false, OPERATION_READ, ACCESS_READER, "photoID", NULL},
    {"updateUser", false, OPERATION_WRITE, ACCESS_SESSION, NULL, "name? icon?"},
    {"getPiece", false, OPERATION_READ, ACCESS_READER, NULL, piece},
    {"getComments", false, OPERATION_READ, ACCESS_READER, NULL,
     "albumID|POIID|blogID limit? after?"},
    {"addComment", false, OPERATION_WRITE, ACCESS_SESSION, NULL, "albumID|POIID|blogID comment"},
    {"updateComment", true, OPERATION_WRITE, ACCESS_SESSION, "commentID", "delete"},
    {"replyComment", false, OPERATION_WRITE, ACCESS_SESSION, "commentID", "reply"},
    {"replyComment", true, OPERATION_WRITE, ACCESS_SESSION, "commentID", NULL},
    {"recommend", false, OPERATION_WRITE, ACCESS_SESSION, NULL, piece},
    {"recommend", true, OPERATION_WRITE, ACCESS_SESSION, NULL, piece},
    {"report", false, OPERATION_WRITE, ACCESS_SESSION, NULL,
     "albumID|POIID|blogID|commentID|photoID reason"},
    {"addVote", false, OPERATION_WRITE, ACCESS_SESSION, "blogID",
     "description choice1 choice2 choice3? choice4? choice5? choice6? choice7? choice8? choice9? choice10?"},
    {"castVote", false, OPERATION_WRITE, ACCESS_SESSION, "blogID", "choice"},
    {"closeVote", false, OPERATION_WRITE, ACCESS_SESSION, "blogID", NULL},
    {"register", false, OPERATION_WRITE, ACCESS_ANYONE, NULL,
     "email password name invitation? language?"},
    {"confirmEmail", false, OPERATION_WRITE, ACCESS_ANYONE, NULL, "token password"},
    {"requestPasswordReset", false, OPERATION_WRITE, ACCESS_ANYONE, NULL, "email"},
    {"resetPassword", false, OPERATION_WRITE, ACCESS_ANYONE, NULL, "token password"},
    {"changePassword", false, OPERATION_WRITE, ACCESS_SESSION, NULL, "password newPassword"},
    {"changeEmail", false, OPERATION_WRITE, ACCESS_SESSION, NULL, "password email"},
    {"getUser", false, OPERATION_READ, ACCESS_READER, "userID", NULL},
    {"getMe", false, OPERATION_READ, ACCESS_KNOWN, NULL, NULL},
    {"deleteUser", false, OPERATION_WRITE, ACCESS_LEAVING, NULL, "password"},
    {"getNearby", false, OPERATION_READ, ACCESS_READER, NULL,
     "lat lng radius? kind? category? type? limit? after?"},
    {"getMap", false, OPERATION_READ, ACCESS_READER, NULL,
     "west south east north zoomLevel kind? category? type?"},
    {"search", false, OPERATION_READ, ACCESS_READER, NULL, "q kind? lat? lng? limit? after?"},
    {"getBlogList", false, OPERATION_READ, ACCESS_READER, NULL, "userID? type? limit? after?"},
    {"getDiary", false, OPERATION_READ, ACCESS_READER, NULL, "userID from? to? limit? after?"},
    {"getAdvertisement", false, OPERATION_READ, ACCESS_ANYONE, NULL, "lat lng"},
    {"clickAdvertisement", false, OPERATION_WRITE, ACCESS_ANYONE, "advertisementID", NULL},
    {"getSite", false, OPERATION_READ, ACCESS_ANYONE, NULL, NULL},
    {"getStart", false, OPERATION_READ, ACCESS_ANYONE, NULL, NULL},
    {"login", false, OPERATION_WRITE, ACCESS_ANYONE, NULL, "email password"},
    {"logout", false, OPERATION_WRITE, ACCESS_LOGOUT, NULL, NULL},
};

static const struct operation *find(const char *func, const char *delete)
{
    struct form form = {.parameters = {{"delete", delete}}, .count = delete != NULL};
    return operation_find(operations, &form, func);
}

static void add_one_of(const struct param_spec *one_of, char *text)
{
    for (const struct param_spec *spec = one_of; spec->name != NULL; spec++) {
        assert_true(spec->optional || spec->is_elsewhere);
        if (spec->is_elsewhere)
            continue;
        strcat(text, spec == one_of ? "" : "|");
        strcat(text, spec->name);
    }
}

static void params_text(const struct operation *operation, char text[static 512])
{
    *text = '\0';
    for (const struct param_spec *spec = operation->params; spec != NULL && spec->name != NULL;
         spec++) {
        bool can_miss = spec->optional || spec->fallback != NULL;
        strcat(text, spec == operation->params ? "" : " ");
        if (spec->one_of != NULL)
            add_one_of(spec->one_of, text);
        else
            strcat(strcat(text, spec->name), can_miss ? "?" : "");
    }
}

static void the_operations_of_the_interface(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct operation *operation = find(rows[i].func, rows[i].deletes ? "true" : NULL);
        char want[512] = "", got[512];
        assert_non_null(operation);
        expect_integer(rows[i].func, operation->kind, rows[i].kind);
        expect_integer(rows[i].func, operation->access, rows[i].access);
        strcat(want, rows[i].id != NULL ? rows[i].id : "");
        strcat(want, rows[i].id != NULL && rows[i].params != NULL ? " " : "");
        strcat(want, rows[i].params != NULL ? rows[i].params : "");
        params_text(operation, got);
        expect_text(rows[i].func, got, want);
        assert_non_null(operation->handler);
    }
}

static void no_other_operations(void **state)
{
    size_t count = 0;
    (void)state;
    while (operations[count].func != NULL)
        count++;
    assert_int_equal(count, COUNT(rows));
}

/* Every row is reached by some request: none is hidden by one before it. */
static void each_row_can_be_meant(void **state)
{
    (void)state;
    for (const struct operation *row = operations; row->func != NULL; row++)
        assert_ptr_equal(find(row->func, row->variant != NULL ? "true" : NULL), row);
}

static void expect_inside(const struct param_spec *specs, size_t input_size)
{
    static const size_t sizes[] = {
        [VALUE_LINE] = sizeof(const char *),       [VALUE_EMAIL] = sizeof(const char *),
        [VALUE_TEXT] = sizeof(const char *),       [VALUE_INTEGER] = sizeof(int64_t),
        [VALUE_COORDINATE] = sizeof(const char *), [VALUE_CHOICE] = sizeof(const char *),
        [VALUE_DATE] = sizeof(struct date),        [VALUE_FILE] = sizeof(void *),
        [VALUE_FORM] = sizeof(const char *),
    };
    for (const struct param_spec *spec = specs; spec != NULL && spec->name != NULL; spec++) {
        if (spec->one_of != NULL)
            expect_inside(spec->one_of, input_size);
        if (spec->one_of != NULL || spec->is_elsewhere)
            continue;
        assert_true(spec->type.kind < COUNT(sizes) && sizes[spec->type.kind] > 0);
        assert_true(spec->offset + sizes[spec->type.kind] <= input_size);
        for (const struct param_spec *before = specs; before < spec; before++)
            assert_true(before->one_of != NULL || spec->offset != before->offset);
    }
}

/* A parameter lands within its input struct. */
static void values_land_inside(void **state)
{
    (void)state;
    for (const struct operation *row = operations; row->func != NULL; row++)
        expect_inside(row->params, row->input_size);
}

static size_t size_of(const struct field *field)
{
    static const size_t sizes[] = {
        [FIELD_TEXT] = sizeof(const char *),
        [FIELD_ID] = sizeof(int64_t),
        [FIELD_INTEGER] = sizeof(int64_t),
        [FIELD_DECIMAL] = sizeof(const char *),
        [FIELD_PART] = sizeof(int),
        [FIELD_TWO_DIGITS] = sizeof(int),
        [FIELD_LIST] = sizeof(struct field_list),
    };
    return field->kind < COUNT(sizes) ? sizes[field->kind] : 0;
}

/* Whatever is answered comes from within its struct, and no name is there twice. */
static void expect_shape(const struct field *shape, size_t size)
{
    for (const struct field *row = shape; row != NULL && row->name != NULL; row++) {
        assert_true(row->offset + size_of(row) <= size);
        for (const struct field *before = shape; before < row; before++)
            assert_string_not_equal(row->name, before->name);
        if (row->kind == FIELD_OBJECT)
            expect_shape(row->shape, size - row->offset);
        if (row->kind == FIELD_LIST)
            expect_shape(row->shape, row->size);
        if (row->kind == FIELD_LIST || row->kind == FIELD_STREAM)
            assert_non_null(row->item);
    }
}

static void answers_come_from_inside(void **state)
{
    (void)state;
    for (const struct operation *row = operations; row->func != NULL; row++)
        expect_shape(row->shape, row->output_size);
}

/* For the description of the interface: a sentence in a line, and no two alike. */
static void each_row_is_described(void **state)
{
    (void)state;
    for (const struct operation *row = operations; row->func != NULL; row++) {
        size_t length = row->summary != NULL ? strlen(row->summary) : 0;
        assert_true(length > 0 && length < 100 && row->summary[length - 1] == '.');
        for (const struct operation *before = operations; before < row; before++)
            assert_string_not_equal(row->summary, before->summary);
    }
}

static void which_variant_is_meant(void **state)
{
    static const struct {
        const char *value;
        bool deletes;
    } values[] = {
        {NULL, false},   {"true", true},   {"false", false}, {"", false},
        {"True", false}, {"TRUE", false},  {"1", false},     {"true ", false},
        {"tru", false},  {"truee", false}, {"yes", false},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(values); i++) {
        const struct operation *album_row = find("updateAlbum", values[i].value);
        const struct operation *blog_row = find("updateBlog", values[i].value);
        expect_integer(values[i].value, album_row->variant != NULL, values[i].deletes);
        expect_integer(values[i].value, blog_row->variant != NULL, values[i].deletes);
    }
    /* It means nothing to others. */
    assert_non_null(find("getAlbum", "true"));
}

static void names_are_exact(void **state)
{
    static const char *const names[] = {"",          "getalbum", "GetAlbum",    "getAlbum ",
                                        " getAlbum", "getAlbu",  "getAlbumXML", "delete"};
    (void)state;
    for (size_t i = 0; i < COUNT(names); i++)
        assert_null(find(names[i], NULL));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_operations_of_the_interface), cmocka_unit_test(no_other_operations),
        cmocka_unit_test(each_row_can_be_meant),           cmocka_unit_test(values_land_inside),
        cmocka_unit_test(answers_come_from_inside),        cmocka_unit_test(each_row_is_described),
        cmocka_unit_test(which_variant_is_meant),          cmocka_unit_test(names_are_exact),
    };
    return RUN_TESTS(tests);
}
