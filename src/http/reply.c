#include "http/reply.h"

#include <string.h>

#include "base/text.h"
#include "fcgi/responder.h"

enum { KEPT_MEMORY = 65536 };

void reply_header(struct reply *reply, const char *name, const char *value)
{
    struct buffer *out = &reply->headers;
    buffer_add_text(out, name);
    buffer_add_text(out, ": ");
    buffer_add_text(out, value);
    buffer_add_text(out, "\r\n");
}

void reply_header_number(struct reply *reply, const char *name, int64_t value)
{
    char digits[TEXT_INTEGER_SIZE];
    reply_header(reply, name, text_from_integer(value, digits));
}

void reply_cache_control(struct reply *reply, int64_t max_age)
{
    char value[sizeof "public, max-age=" + TEXT_INTEGER_SIZE];
    if (max_age < 0) {
        reply_header(reply, "Cache-Control", "no-store");
        return;
    }
    text_from_integer(max_age, stpcpy(value, "public, max-age="));
    reply_header(reply, "Cache-Control", value);
}

/* Once the client is gone nothing more is sent. */
static void put(struct reply *reply, const struct buffer *bytes)
{
    if (!reply->broken)
        reply->broken = !responder_write(reply->responder, bytes->data, bytes->length);
}

/* FastCGI takes the status as CGI does: RFC 3875, section 6.3.3. */
static void add_status(struct reply *reply)
{
    struct buffer *out = &reply->headers;
    char code[TEXT_INTEGER_SIZE];
    buffer_add_text(out, "Status: ");
    buffer_add_text(out, text_from_integer(reply->http_status, code));
    buffer_add_text(out, " ");
    buffer_add_text(out, reply->reason);
    buffer_add_text(out, "\r\n");
}

/* RFC 9110, sections 15.3.5 and 15.4.5. */
static bool has_content(const struct reply *reply)
{
    return reply->http_status != 204 && reply->http_status != 304;
}

static void begin(struct reply *reply)
{
    reply->begun = true;
    add_status(reply);
    reply_header(reply, "X-Content-Type-Options", "nosniff");
    if (reply->identifier != NULL)
        reply_header(reply, "X-Request-ID", reply->identifier);
    if (reply->vary != NULL)
        reply_header(reply, "Vary", reply->vary);
    if (reply->shared != NULL)
        buffer_add_text(&reply->headers, reply->shared);
    if (has_content(reply))
        reply_header(reply, "Content-Type", reply->content_type);
    buffer_add_text(&reply->headers, "\r\n");
    put(reply, &reply->headers);
}

static void send_body(struct reply *reply)
{
    if (!reply->without_body) {
        put(reply, &reply->body);
        reply->sent += reply->broken ? 0 : reply->body.length;
    }
    reply->body.length = 0;
}

enum status reply_send_if_large(struct reply *reply)
{
    if (reply->body.length < (reply->begun ? KEPT_MEMORY : REPLY_WHOLE_MOST))
        return STATUS_OK;
    progress_enter(reply->progress, STAGE_WRITING);
    if (!reply->begun) {
        reply_cache_control(reply, reply->max_age);
        if (reply->max_age >= 0 && reply->vary == NULL)
            reply->vary = "Cookie";
        begin(reply);
    }
    send_body(reply);
    progress_enter(reply->progress, STAGE_WORKING);
    return reply->broken ? STATUS_UNAVAILABLE : STATUS_OK;
}

void reply_discard(struct reply *reply)
{
    reply->body.length = 0;
    reply->broken = reply->begun || reply->broken;
}

void reply_restart(struct reply *reply)
{
    reply_discard(reply);
    reply->headers.length = 0;
    reply->http_status = 200;
    reply->reason = "OK";
}

void reply_send(struct reply *reply)
{
    progress_enter(reply->progress, STAGE_WRITING);
    if (!reply->begun) {
        if (has_content(reply))
            reply_header_number(reply, "Content-Length", (int64_t)reply->body.length);
        begin(reply);
    }
    send_body(reply);
}

void reply_reset(struct reply *reply, struct responder *responder, struct progress *progress)
{
    struct buffer headers = reply->headers, body = reply->body;
    buffer_reset(&headers, KEPT_MEMORY);
    buffer_reset(&body, KEPT_MEMORY);
    *reply = (struct reply){.responder = responder,
                            .progress = progress,
                            .http_status = 200,
                            .reason = "OK",
                            .max_age = -1,
                            .content_type = "text/xml; charset=UTF-8",
                            .headers = headers,
                            .body = body};
}

void reply_free(struct reply *reply)
{
    buffer_free(&reply->headers);
    buffer_free(&reply->body);
}
