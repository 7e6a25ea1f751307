#include "http/multipart.h"

#include <stdbool.h>
#include <string.h>

#include "http/field.h"

/* The boundary ----------------------------------------------------------------------------------
 */

static bool is_boundary(const char *text, size_t length)
{
    static const char characters[] =
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'()+_,-./:=? ";
    return length > 0 && length <= MULTIPART_BOUNDARY_MOST && strspn(text, characters) >= length &&
           text[length - 1] != ' ';
}

static enum status find_boundary(const char *parameters, struct field_parameter *boundary)
{
    struct field_parameter parameter;
    enum status status;
    *boundary = (struct field_parameter){0};
    while ((status = field_next(&parameters, &parameter)) == STATUS_OK) {
        if (!field_is(&parameter, "boundary"))
            continue;
        if (boundary->value != NULL)
            return STATUS_MALFORMED_REQUEST;
        *boundary = parameter;
    }
    bool is_there = status == STATUS_NOT_FOUND && boundary->value != NULL &&
                    is_boundary(boundary->value, boundary->value_length);
    return is_there ? STATUS_OK : STATUS_MALFORMED_REQUEST;
}

/* A delimiter begins with the line break before it, which is none of the content. Where a line
 * begins anyway, at the start of the body and of a content, that may be missing. */
static void begin_line(struct multipart *multipart)
{
    multipart->matched = strlen("\r\n");
    multipart->held = 0;
}

enum status multipart_begin(struct multipart *multipart, const char *parameters,
                            const struct multipart_taker *taker, void *context)
{
    struct field_parameter boundary;
    enum status status = find_boundary(parameters, &boundary);
    multipart->taker = taker;
    multipart->context = context;
    multipart->state = MULTIPART_PREAMBLE;
    multipart->headers_length = 0;
    begin_line(multipart);
    if (status != STATUS_OK)
        return status;
    char *end = stpcpy(multipart->delimiter, "\r\n--");
    memcpy(end, boundary.value, boundary.value_length);
    end[boundary.value_length] = '\0';
    multipart->delimiter_length = strlen(multipart->delimiter);
    return STATUS_OK;
}

/* Up to a delimiter -----------------------------------------------------------------------------
 */

static enum status pass(struct multipart *multipart, const char *bytes, size_t length)
{
    bool is_content = multipart->state == MULTIPART_CONTENT && length > 0;
    return is_content ? multipart->taker->add(multipart->context, bytes, length) : STATUS_OK;
}

static enum status pass_line(struct multipart *multipart, const char **at, const char *end)
{
    const char *from = *at, *stop = memchr(from, '\r', (size_t)(end - from));
    *at = stop != NULL ? stop : end;
    return pass(multipart, from, (size_t)(*at - from));
}

static enum status reach_delimiter(struct multipart *multipart)
{
    bool ends_part = multipart->state == MULTIPART_CONTENT;
    multipart->state = MULTIPART_DELIMITED;
    multipart->headers_length = 0;
    return ends_part ? multipart->taker->end(multipart->context) : STATUS_OK;
}

/* A delimiter has a CR at its start and nowhere else: what was held in vain has no other in it. */
static enum status pass_held(struct multipart *multipart)
{
    const char *held = multipart->delimiter + multipart->matched - multipart->held;
    size_t length = multipart->held;
    multipart->matched = multipart->held = 0;
    return pass(multipart, held, length);
}

static enum status search(struct multipart *multipart, const char **at, const char *end)
{
    if (multipart->matched == 0 && **at != '\r')
        return pass_line(multipart, at, end);
    if (**at != multipart->delimiter[multipart->matched])
        return pass_held(multipart);
    (*at)++;
    multipart->matched++;
    multipart->held++;
    return multipart->matched == multipart->delimiter_length ? reach_delimiter(multipart)
                                                             : STATUS_OK;
}

/* Headers ---------------------------------------------------------------------------------------
 */

static enum status add_to_headers(struct multipart *multipart, char byte)
{
    if (multipart->headers_length == MULTIPART_HEADERS_MOST)
        return STATUS_MALFORMED_REQUEST;
    multipart->headers[multipart->headers_length++] = byte;
    return STATUS_OK;
}

static enum status add_to_line(struct multipart *multipart, const char **at, const char *end)
{
    char byte = *(*at)++;
    (void)end;
    if (byte == '\0' || byte == '\n')
        return STATUS_MALFORMED_REQUEST;
    multipart->state = byte == '\r' ? MULTIPART_LINE_CR : MULTIPART_LINE;
    return add_to_headers(multipart, byte == '\r' ? '\0' : byte);
}

/* A line that begins with a blank goes on with the one before it (RFC 5322, section 2.2.3). */
static enum status begin_header(struct multipart *multipart, const char **at, const char *end)
{
    bool is_folded = **at == ' ' || **at == '\t';
    if (**at == '\r') {
        (*at)++;
        multipart->state = MULTIPART_HEADERS_CR;
        return STATUS_OK;
    }
    if (is_folded && multipart->headers_length == 0)
        return STATUS_MALFORMED_REQUEST;
    if (is_folded)
        multipart->headers[multipart->headers_length - 1] = ' ';
    return add_to_line(multipart, at, end);
}

static enum status end_headers(struct multipart *multipart, const char **at, const char *end)
{
    struct part part;
    (void)end;
    if (*(*at)++ != '\n')
        return STATUS_MALFORMED_REQUEST;
    multipart->state = MULTIPART_CONTENT;
    begin_line(multipart);
    enum status status = part_read(multipart->headers, multipart->headers_length, &part);
    return status == STATUS_OK ? multipart->taker->begin(multipart->context, &part) : status;
}

/* Where one byte decides ------------------------------------------------------------------------
 */

static const struct {
    enum multipart_state from;
    char byte;
    enum multipart_state to;
} steps[] = {
    {MULTIPART_DELIMITED, '-', MULTIPART_DASHED},
    {MULTIPART_DELIMITED, ' ', MULTIPART_PADDED},
    {MULTIPART_DELIMITED, '\t', MULTIPART_PADDED},
    {MULTIPART_DELIMITED, '\r', MULTIPART_DELIMITED_CR},
    {MULTIPART_PADDED, ' ', MULTIPART_PADDED},
    {MULTIPART_PADDED, '\t', MULTIPART_PADDED},
    {MULTIPART_PADDED, '\r', MULTIPART_DELIMITED_CR},
    {MULTIPART_DELIMITED_CR, '\n', MULTIPART_LINE_START},
    {MULTIPART_LINE_CR, '\n', MULTIPART_LINE_START},
    {MULTIPART_DASHED, '-', MULTIPART_CLOSED},
    {MULTIPART_CLOSED, ' ', MULTIPART_CLOSED},
    {MULTIPART_CLOSED, '\t', MULTIPART_CLOSED},
    {MULTIPART_CLOSED, '\r', MULTIPART_CLOSED_CR},
    {MULTIPART_CLOSED_CR, '\n', MULTIPART_EPILOGUE},
};

static enum status step(struct multipart *multipart, const char **at, const char *end)
{
    char byte = *(*at)++;
    (void)end;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        if (steps[i].from == multipart->state && steps[i].byte == byte) {
            multipart->state = steps[i].to;
            return STATUS_OK;
        }
    }
    return STATUS_MALFORMED_REQUEST;
}

static enum status skip(struct multipart *multipart, const char **at, const char *end)
{
    (void)multipart;
    *at = end;
    return STATUS_OK;
}

/* Each takes some of the bytes, or changes the state. */
typedef enum status take_function(struct multipart *multipart, const char **at, const char *end);

static take_function *const takes[MULTIPART_STATES] = {
    [MULTIPART_PREAMBLE] = search,
    [MULTIPART_DELIMITED] = step,
    [MULTIPART_PADDED] = step,
    [MULTIPART_DELIMITED_CR] = step,
    [MULTIPART_DASHED] = step,
    [MULTIPART_LINE_START] = begin_header,
    [MULTIPART_LINE] = add_to_line,
    [MULTIPART_LINE_CR] = step,
    [MULTIPART_HEADERS_CR] = end_headers,
    [MULTIPART_CONTENT] = search,
    [MULTIPART_CLOSED] = step,
    [MULTIPART_CLOSED_CR] = step,
    [MULTIPART_EPILOGUE] = skip,
};

enum status multipart_take(struct multipart *multipart, const char *bytes, size_t length)
{
    const char *end = bytes + length;
    enum status status = STATUS_OK;
    while (bytes < end && status == STATUS_OK)
        status = takes[multipart->state](multipart, &bytes, end);
    return status;
}

enum status multipart_end(const struct multipart *multipart)
{
    bool is_closed = multipart->state == MULTIPART_CLOSED || multipart->state == MULTIPART_EPILOGUE;
    return is_closed ? STATUS_OK : STATUS_MALFORMED_REQUEST;
}
