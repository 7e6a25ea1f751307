#include "http/body.h"

#include <string.h>
#include <strings.h>

#include "fcgi/responder.h"
#include "http/field.h"

enum { PIECE = 32768, KEPT_MEMORY = 65536 }; /* bytes */

/* application/x-www-form-urlencoded -------------------------------------------------------------
 */

static const char blanks[] = " \t";

/* Not all clients know how the encoding is spelt (Encoding Standard, section 4.2). */
static bool is_utf8(const struct field_parameter *parameter)
{
    static const char *const labels[] = {"utf-8", "utf8"};
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++)
        if (strlen(labels[i]) == parameter->value_length &&
            strncasecmp(parameter->value, labels[i], parameter->value_length) == 0)
            return field_is(parameter, "charset");
    return false;
}

/* No other than one charset of UTF-8. */
static bool is_in_utf8(const char *parameters)
{
    struct field_parameter parameter;
    enum status status;
    size_t count = 0;
    while ((status = field_next(&parameters, &parameter)) == STATUS_OK)
        if (!is_utf8(&parameter) || count++ > 0)
            return false;
    return status == STATUS_NOT_FOUND;
}

static enum status read_urlencoded(struct responder *responder, const char *parameters,
                                   const struct body_means *means, struct form *form)
{
    size_t length = responder->body_length;
    char *encoded = buffer_room(means->texts, length + 1);
    (void)parameters;
    if (responder_read(responder, encoded, length) < length)
        return STATUS_INTERNAL;
    form_decode(form, encoded, length, means->arena);
    return STATUS_OK;
}

/* A body that is not kept -----------------------------------------------------------------------
 */

typedef enum status piece_function(void *context, const char *bytes, size_t length);

/* Hands it over piece by piece, up to an answer that is not STATUS_OK. */
static enum status read_pieces(struct responder *responder, piece_function *take, void *context)
{
    char piece[PIECE];
    size_t left = responder->body_length;
    enum status status = STATUS_OK;
    while (left > 0 && status == STATUS_OK) {
        size_t wanted = left < PIECE ? left : PIECE;
        if (responder_read(responder, piece, wanted) < wanted)
            return STATUS_INTERNAL;
        status = take(context, piece, wanted);
        left -= wanted;
    }
    return status;
}

static enum status take_parts(void *multipart, const char *bytes, size_t length)
{
    return multipart_take(multipart, bytes, length);
}

static enum status read_multipart(struct responder *responder, const char *parameters,
                                  const struct body_means *means, struct form *form)
{
    struct multipart multipart;
    struct multipart_form reading;
    multipart_form_begin(&reading, form, means);
    enum status status = multipart_begin(&multipart, parameters, &multipart_form_taker, &reading);
    if (status == STATUS_OK)
        status = read_pieces(responder, take_parts, &multipart);
    if (status == STATUS_OK)
        status = multipart_end(&multipart);
    multipart_form_end(&reading);
    return status;
}

static enum status take_file(void *writer, const char *bytes, size_t length)
{
    return upload_add(writer, bytes, length);
}

/* Which parameter it is, the operation says, and that is not known yet. */
static enum status read_file(struct responder *responder, const char *parameters,
                             const struct body_means *means, struct form *form)
{
    struct upload_writer writer;
    enum status status = upload_begin(&writer, means->files);
    (void)parameters;
    if (status == STATUS_OK)
        status = read_pieces(responder, take_file, &writer);
    if (status == STATUS_OK)
        status = upload_end(&writer);
    if (status == STATUS_OK)
        form_take_unnamed(form, &writer.upload, means->arena);
    else
        upload_close(&writer.upload);
    return status;
}

/* The kinds -------------------------------------------------------------------------------------
 */

static const struct body_kind kinds[] = {
    {"application/x-www-form-urlencoded", FORM_TEXTS_MOST, false, is_in_utf8, read_urlencoded},
    {"multipart/form-data", FORM_TEXTS_MOST, true, NULL, read_multipart},
    {"application/octet-stream", 0, true, NULL, read_file},
    {"image/", 0, true, NULL, read_file},
};

enum { KINDS = sizeof kinds / sizeof *kinds };

/* What follows the media type; NULL where it is another. */
static const char *parameters_of(const struct body_kind *kind, const char *content_type)
{
    size_t length = strlen(kind->media_type);
    if (strncasecmp(content_type, kind->media_type, length) != 0)
        return NULL;
    const char *rest = content_type + length;
    if (kind->media_type[length - 1] == '/') {
        size_t subtype = field_token(rest);
        if (subtype == 0)
            return NULL;
        rest += subtype;
    }
    rest += strspn(rest, blanks);
    return *rest == '\0' || *rest == ';' ? rest : NULL;
}

const struct body_kind *body_kind_find(const char *content_type)
{
    for (size_t i = 0; content_type != NULL && i < KINDS; i++) {
        const char *parameters = parameters_of(&kinds[i], content_type);
        if (parameters != NULL && (kinds[i].takes == NULL || kinds[i].takes(parameters)))
            return &kinds[i];
    }
    return NULL;
}

bool body_has_files(const char *content_type)
{
    const struct body_kind *kind = body_kind_find(content_type);
    return kind != NULL && kind->has_file;
}

size_t body_kind_most(const struct body_kind *kind, int64_t file_most)
{
    return kind->texts_most + (kind->has_file ? (size_t)file_most : 0);
}

size_t body_most(int64_t file_most)
{
    size_t most = 0;
    for (size_t i = 0; i < KINDS; i++) {
        size_t own = body_kind_most(&kinds[i], file_most);
        most = own > most ? own : most;
    }
    return most;
}

void body_read(const struct body_kind *kind, struct responder *responder, const char *content_type,
               const struct body_means *means, struct form *form)
{
    if (!form_is_open(form))
        return;
    buffer_reset(means->texts, KEPT_MEMORY);
    enum status status = kind->read(responder, parameters_of(kind, content_type), means, form);
    if (status != STATUS_OK)
        form_refuse(form, status, NULL);
}
