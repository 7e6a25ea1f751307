#include "http/response.h"

#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "fcgi/responder.h"

enum { KEPT_MEMORY = 65536 };

void response_header(struct response *response, const char *name, const char *value)
{
    struct buffer *out = &response->headers;
    buffer_add_text(out, name);
    buffer_add_text(out, ": ");
    buffer_add_text(out, value);
    buffer_add_text(out, "\r\n");
}

void response_header_number(struct response *response, const char *name, int64_t value)
{
    char digits[TEXT_INTEGER_SIZE];
    response_header(response, name, text_from_integer(value, digits));
}

void response_cache_control(struct response *response, int64_t max_age)
{
    char value[sizeof "public, max-age=" + TEXT_INTEGER_SIZE];
    if (max_age < 0) {
        response_header(response, "Cache-Control", "no-store");
        return;
    }
    text_from_integer(max_age, stpcpy(value, "public, max-age="));
    response_header(response, "Cache-Control", value);
}

/* Once the client is gone nothing more is sent. */
static void put(struct response *response, const struct buffer *bytes)
{
    if (!response->broken)
        response->broken = !responder_write(response->responder, bytes->data, bytes->length);
}

/* FastCGI takes the status as CGI does: RFC 3875, section 6.3.3. */
static void add_status(struct response *response)
{
    struct buffer *out = &response->headers;
    char code[TEXT_INTEGER_SIZE];
    buffer_add_text(out, "Status: ");
    buffer_add_text(out, text_from_integer(response->http_status, code));
    buffer_add_text(out, " ");
    buffer_add_text(out, response->reason);
    buffer_add_text(out, "\r\n");
}

/* RFC 9110, sections 15.3.5 and 15.4.5. */
static bool has_content(const struct response *response)
{
    return response->http_status != 204 && response->http_status != 304;
}

static void begin(struct response *response)
{
    response->begun = true;
    add_status(response);
    response_header(response, "X-Content-Type-Options", "nosniff");
    buffer_add_text(&response->headers, response->policy);
    if (response->identifier != NULL)
        response_header(response, "X-Request-ID", response->identifier);
    if (response->vary != NULL)
        response_header(response, "Vary", response->vary);
    if (response->shared != NULL)
        buffer_add_text(&response->headers, response->shared);
    if (has_content(response))
        response_header(response, "Content-Type", response->content_type);
    buffer_add_text(&response->headers, "\r\n");
    put(response, &response->headers);
}

static void send_body(struct response *response)
{
    if (!response->without_body) {
        put(response, &response->body);
        response->sent += response->broken ? 0 : response->body.length;
    }
    response->body.length = 0;
}

enum status response_send_if_large(struct response *response)
{
    if (response->body.length < (response->begun ? KEPT_MEMORY : RESPONSE_WHOLE_MOST))
        return STATUS_OK;
    progress_enter(response->progress, STAGE_WRITING);
    if (!response->begun) {
        response_cache_control(response, response->max_age);
        if (response->max_age >= 0 && response->vary == NULL)
            response->vary = "Cookie";
        begin(response);
    }
    send_body(response);
    progress_enter(response->progress, STAGE_WORKING);
    return response->broken ? STATUS_UNAVAILABLE : STATUS_OK;
}

void response_discard(struct response *response)
{
    response->body.length = 0;
    response->broken = response->begun || response->broken;
}

void response_restart(struct response *response)
{
    response_discard(response);
    response->headers.length = 0;
    response->http_status = 200;
    response->reason = "OK";
}

void response_send(struct response *response)
{
    progress_enter(response->progress, STAGE_WRITING);
    if (!response->begun) {
        if (has_content(response))
            response_header_number(response, "Content-Length", (int64_t)response->body.length);
        begin(response);
    }
    send_body(response);
}

/* Some bytes of a file; false where there are none left. */
static bool send_part(struct response *response, int descriptor, int64_t left)
{
    size_t most = left < KEPT_MEMORY ? (size_t)left : KEPT_MEMORY;
    ssize_t got = read(descriptor, buffer_room(&response->body, most), most);
    response->body.length = got > 0 ? (size_t)got : 0;
    send_body(response);
    return got > 0;
}

void response_send_file(struct response *response, int descriptor, int64_t length)
{
    progress_enter(response->progress, STAGE_WRITING);
    response_header_number(response, "Content-Length", length);
    begin(response);
    size_t already = response->sent;
    while (!response->without_body && !response->broken) {
        int64_t left = length - (int64_t)(response->sent - already);
        if (left == 0)
            return;
        response->broken = !send_part(response, descriptor, left) || response->broken;
    }
}

void response_reset(struct response *response, struct responder *responder,
                    struct progress *progress)
{
    struct buffer headers = response->headers, body = response->body;
    buffer_reset(&headers, KEPT_MEMORY);
    buffer_reset(&body, KEPT_MEMORY);
    *response = (struct response){.responder = responder,
                                  .progress = progress,
                                  .http_status = 200,
                                  .reason = "OK",
                                  .max_age = -1,
                                  .content_type = "text/xml; charset=UTF-8",
                                  .policy = RESPONSE_POLICY,
                                  .headers = headers,
                                  .body = body};
}

void response_free(struct response *response)
{
    buffer_free(&response->headers);
    buffer_free(&response->body);
}
