#include "http/request.h"

#include <string.h>
#include <strings.h>

#include "base/crypto.h"
#include "base/text.h"
#include "fcgi/responder.h"
#include "http/body.h"

enum { IDENTIFIER_MOST = 64 };

/* Which variables are read, and where they go. */
#define FIELD(name, member) {name, offsetof(struct request, member)}
static const struct {
    const char *name;
    size_t offset;
} fields[] = {
    FIELD("REQUEST_METHOD", method_name),
    FIELD("QUERY_STRING", query),
    FIELD("CONTENT_TYPE", content_type),
    FIELD("CONTENT_LENGTH", content_length),
    FIELD("REMOTE_ADDR", remote_address),
    FIELD("HTTPS", https),
    FIELD("SCRIPT_NAME", script_name),
    FIELD("PATH_INFO", path_info),
    FIELD("MAPDIARY_SENDFILE", sendfile),
    FIELD("MAPDIARY_TOO_LARGE", kept_back),
    FIELD("REQUEST_ID", identifier), /* of nginx */
    FIELD("UNIQUE_ID", identifier),  /* of Apache's mod_unique_id */
    FIELD("HTTP_CONTENT_ENCODING", content_encoding),
    FIELD("HTTP_HOST", host),
    FIELD("HTTP_ORIGIN", origin),
    FIELD("HTTP_SEC_FETCH_SITE", sec_fetch_site),
    FIELD("HTTP_IF_NONE_MATCH", if_none_match),
    FIELD("HTTP_IDEMPOTENCY_KEY", idempotency_key),
};
#undef FIELD

static const struct {
    const char *name;
    enum method method;
} methods[] = {
    {"GET", METHOD_GET},
    {"HEAD", METHOD_HEAD},
    {"POST", METHOD_POST},
    {"OPTIONS", METHOD_OPTIONS},
};

/* nginx passes a header that was sent twice as two variables. */
static void read_variables(struct request *request, const struct responder *responder)
{
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        const char *value = responder_variable(responder, fields[i].name);
        const char **field = (const char **)(void *)((char *)request + fields[i].offset);
        if (value != NULL)
            *field = value;
    }
    if (responder_has_again(responder, "HTTP_IDEMPOTENCY_KEY"))
        request->idempotency_key = "";
}

static enum method method_of(const char *name)
{
    for (size_t i = 0; name != NULL && i < sizeof methods / sizeof *methods; i++)
        if (strcmp(name, methods[i].name) == 0)
            return methods[i].method;
    return METHOD_OTHER;
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

/* The waiter may have kept less of it than this process would take, after a change of the
 * configuration. */
static bool is_too_large(const struct request *request, const struct responder *responder,
                         const struct body_kind *kind, int64_t file_most)
{
    return request->kept_back != NULL || responder->body_is_cut ||
           responder->body_length > body_kind_most(kind, file_most);
}

static enum status say_too_large(const struct body_kind *kind, size_t length)
{
    bool is_told = kind->has_file && length <= body_kind_most(kind, BODY_FILE_TOLD);
    return is_told ? STATUS_PHOTO_TOO_LARGE : STATUS_REQUEST_TOO_LARGE;
}

/* No body is decompressed: RFC 9110, section 8.4. */
static bool is_encoded(const struct request *request)
{
    const char *encoding = request->content_encoding;
    return encoding != NULL && *encoding != '\0' && strcasecmp(encoding, "identity") != 0;
}

static enum status check(const struct request *request, const struct responder *responder,
                         const struct body_kind *kind, int64_t file_most)
{
    int64_t length = 0;
    bool has_length = read_length(request->content_length, &length);
    if (request->method == METHOD_OTHER)
        return STATUS_METHOD_NOT_ALLOWED;
    bool is_kept_back = request->kept_back != NULL;
    if (!has_length || (!is_kept_back && (uint64_t)length != responder->body_length))
        return STATUS_MALFORMED_REQUEST;
    if (length == 0 && !is_kept_back)
        return STATUS_OK;
    if (kind == NULL || is_encoded(request))
        return STATUS_UNSUPPORTED_MEDIA_TYPE;
    bool fits = !is_too_large(request, responder, kind, file_most);
    return fits ? STATUS_OK : say_too_large(kind, (size_t)length);
}

/* "/API.php/getAlbum" says func=getAlbum. Whatever else stands there is the name of no operation.
 */
static void add_path(struct form *form, const char *path)
{
    if (path != NULL && *path == '/')
        path++;
    if (path != NULL && *path != '\0')
        form->parameters[form->count++] = (struct pair){"func", path};
}

static void read_address(const struct request *request, struct form *form, struct arena *arena)
{
    add_path(form, request->path_info);
    if (request->query != NULL)
        form_decode(form, request->query, strlen(request->query), arena);
    form->in_address = form->count;
}

const char *request_cookies(const struct responder *responder, struct arena *arena)
{
    return responder_joined(responder, "HTTP_COOKIE", "; ", arena);
}

static void begin(struct request *request, const struct responder *responder, struct arena *arena)
{
    *request = (struct request){.body_length = responder->body_length};
    read_variables(request, responder);
    request->cookies = request_cookies(responder, arena);
    request->identifier = identify(request->identifier, arena);
    request->method = method_of(request->method_name);
}

bool request_skip(struct responder *responder, struct arena *arena, struct request *request)
{
    begin(request, responder, arena);
    return responder_turn(responder);
}

enum status request_read(struct responder *responder, const struct body_means *means,
                         struct request *request, struct form *form)
{
    begin(request, responder, means->arena);
    read_address(request, form, means->arena);
    const struct body_kind *kind = body_kind_find(request->content_type);
    enum status status = check(request, responder, kind, means->files->most);
    if (status == STATUS_OK && request->body_length > 0)
        body_read(kind, responder, request->content_type, means, form);
    return responder_turn(responder) ? status : STATUS_INTERNAL;
}

bool request_is_secure(const struct request *request)
{
    return request->https != NULL && *request->https != '\0' &&
           strcasecmp(request->https, "off") != 0;
}
