#include "web/request.h"

#include <string.h>
#include <strings.h>

#include "base/crypto.h"
#include "base/text.h"

enum { IDENTIFIER_MOST = 64 };

/* Which variables are read, and where they go. */
#define FIELD(name, member)                                     \
    {                                                           \
        name, sizeof name - 1, offsetof(struct request, member) \
    }
static const struct {
    const char *name;
    size_t length, offset;
} fields[] = {
    FIELD("REQUEST_METHOD", method_name),
    FIELD("QUERY_STRING", query),
    FIELD("CONTENT_TYPE", content_type),
    FIELD("CONTENT_LENGTH", content_length),
    FIELD("REMOTE_ADDR", remote_address),
    FIELD("HTTPS", https),
    FIELD("SCRIPT_NAME", script_name),
    FIELD("REQUEST_ID", identifier), /* of nginx */
    FIELD("UNIQUE_ID", identifier),  /* of Apache's mod_unique_id */
    FIELD("HTTP_COOKIE", cookies),
    FIELD("HTTP_HOST", host),
    FIELD("HTTP_ORIGIN", origin),
    FIELD("HTTP_SEC_FETCH_SITE", sec_fetch_site),
    FIELD("HTTP_IF_NONE_MATCH", if_none_match),
};
#undef FIELD

static const struct {
    const char *name;
    enum method method;
} methods[] = {
    {"GET", METHOD_GET},
    {"HEAD", METHOD_HEAD},
    {"POST", METHOD_POST},
};

static void read_variable(struct request *request, const char *pair)
{
    size_t length = strcspn(pair, "=");
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (length == fields[i].length && memcmp(pair, fields[i].name, length) == 0) {
            const char **field = (const char **)(void *)((char *)request + fields[i].offset);
            *field = pair + length + 1;
            return;
        }
    }
}

static void read_variables(struct request *request, const struct buffer *variables)
{
    const char *at = variables->data;
    for (size_t left = variables->length; left > 0;) {
        size_t size = strlen(at) + 1;
        read_variable(request, at);
        at += size;
        left -= size;
    }
}

static enum method method_of(const char *name)
{
    for (size_t i = 0; name != NULL && i < sizeof methods / sizeof *methods; i++)
        if (strcmp(name, methods[i].name) == 0)
            return methods[i].method;
    return METHOD_OTHER;
}

/* "application/x-www-form-urlencoded", with no other parameter than a charset of UTF-8. */
static bool is_form(const char *type)
{
    static const char form[] = "application/x-www-form-urlencoded";
    if (type == NULL || strncasecmp(type, form, sizeof form - 1) != 0)
        return false;
    type += sizeof form - 1;
    type += strspn(type, " \t");
    if (*type == '\0')
        return true;
    if (*type++ != ';')
        return false;
    type += strspn(type, " \t");
    return *type == '\0' || strcasecmp(type, "charset=utf-8") == 0 ||
           strcasecmp(type, "charset=\"utf-8\"") == 0;
}

/* Anything but a short word could forge a header or a field of the log. */
static const char *identify(const char *given, struct arena *arena)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789@_.-";
    size_t length = given != NULL ? strlen(given) : 0;
    if (length > 0 && length <= IDENTIFIER_MOST && strspn(given, letters) == length)
        return given;
    char *own = arena_take(arena, CRYPTO_TOKEN_DIGITS + 1);
    crypto_token(own);
    return own;
}

static bool read_length(const char *text, int64_t *length)
{
    *length = 0;
    return text == NULL || *text == '\0' || (text_to_integer(text, length) && *length >= 0);
}

enum status request_read(const struct intake *intake, struct arena *arena, struct request *request)
{
    int64_t length = 0;
    *request = (struct request){.body = intake->body.data, .body_length = intake->body.length};
    read_variables(request, &intake->variables);
    request->identifier = identify(request->identifier, arena);
    request->method = method_of(request->method_name);
    bool has_length = read_length(request->content_length, &length);
    if (request->method == METHOD_OTHER)
        return STATUS_METHOD_NOT_ALLOWED;
    if (!has_length || (uint64_t)length != intake->body_length)
        return STATUS_MALFORMED_REQUEST;
    if (length > 0 && !is_form(request->content_type))
        return STATUS_UNSUPPORTED_MEDIA_TYPE;
    return length > REQUEST_BODY_MOST ? STATUS_REQUEST_TOO_LARGE : STATUS_OK;
}

bool request_is_secure(const struct request *request)
{
    return request->https != NULL && *request->https != '\0' &&
           strcasecmp(request->https, "off") != 0;
}
