#include "web/dispatch.h"

#include <string.h>

#include "auth/origin.h"
#include "base/clock.h"
#include "base/log.h"
#include "web/cache.h"
#include "web/cookie.h"

/* One request on its way through the checks. */
struct passage {
    struct service *service;
    struct request request;
    struct form form;
    const struct operation *operation;
    struct call call;
};

/* Whatever is not here is 200: the envelope says how it went. */
static const struct {
    int http_status;
    const char *reason;
    int retry_after; /* seconds; 0: no such header */
} outcomes[STATUS_COUNT] = {
    [STATUS_METHOD_NOT_ALLOWED] = {405, "Method Not Allowed", 0},
    [STATUS_REQUEST_TOO_LARGE] = {413, "Content Too Large", 0},
    [STATUS_UNSUPPORTED_MEDIA_TYPE] = {415, "Unsupported Media Type", 0},
    [STATUS_TOO_MANY_ATTEMPTS] = {429, "Too Many Requests", 0},
    [STATUS_CONFLICT] = {500, "Internal Server Error", 0},
    [STATUS_UNAVAILABLE] = {503, "Service Unavailable", 1},
    [STATUS_INTERNAL] = {500, "Internal Server Error", 0},
};

static enum status decode_form(struct passage *passage)
{
    const struct request *request = &passage->request;
    struct arena *arena = passage->service->arena;
    const char *query = request->query != NULL ? request->query : "";
    enum status status = form_decode(&passage->form, query, strlen(query), arena);
    if (status == STATUS_OK)
        status = form_decode(&passage->form, request->body, request->body_length, arena);
    passage->call.refused = passage->form.refused;
    return status;
}

static enum status refuse_parameter(struct passage *passage, const char *name, enum status status)
{
    passage->call.refused = name;
    return status;
}

static enum status find_operation(struct passage *passage)
{
    const char *func = form_find(&passage->form, "func");
    const char *format = form_find(&passage->form, "responseFormat");
    if (func == NULL)
        return refuse_parameter(passage, "func", STATUS_PARAMETER_MISSING);
    passage->operation = operation_find(passage->service->operations, &passage->form, func);
    if (passage->operation == NULL)
        return STATUS_UNKNOWN_FUNC;
    if (format != NULL && strcmp(format, "XML") != 0)
        return refuse_parameter(passage, "responseFormat", STATUS_PARAMETER_INVALID);
    return STATUS_OK;
}

static bool is_write(const struct passage *passage)
{
    return passage->operation != NULL && passage->operation->kind == OPERATION_WRITE;
}

static enum status check_method_and_origin(struct passage *passage)
{
    const struct request *request = &passage->request;
    const struct origin_headers headers = {.sec_fetch_site = request->sec_fetch_site,
                                           .origin = request->origin,
                                           .host = request->host};
    if (!is_write(passage))
        return STATUS_OK;
    if (request->method != METHOD_POST)
        return STATUS_METHOD_NOT_ALLOWED;
    return origin_is_foreign(&headers, passage->service->config->allowed_origins)
               ? STATUS_CROSS_SITE
               : STATUS_OK;
}

static enum status begin_access(struct passage *passage)
{
    struct call *call = &passage->call;
    const char *cookies = passage->request.cookies;
    call->batch = db_batch_new(passage->service->db, call->arena);
    return access_begin(&call->access, passage->operation->access,
                        cookie_find(cookies, "id", call->arena),
                        cookie_find(cookies, "idrand", call->arena), call->batch);
}

static void begin_document(struct buffer *out, const char *status)
{
    buffer_add_text(out, xml_declaration);
    xml_start(out, "response");
    xml_add_text(out, "status", status);
}

static void end_document(struct buffer *out)
{
    xml_end(out, "response");
    buffer_add_text(out, "\n");
}

static enum status bind_and_handle(struct passage *passage)
{
    const struct operation *operation = passage->operation;
    struct call *call = &passage->call;
    void *input = arena_take(call->arena, operation->input_size);
    enum status status = param_bind(operation->params, operation->param_count, &passage->form,
                                    input, &call->refused);
    call->input = input;
    if (status != STATUS_OK)
        return status;
    begin_document(call->answer, "SUCCESS");
    return operation->handler(call);
}

/*
 * Who must log in hears that first: where a parameter was refused before the batch ran, the session
 * is checked on its own. And no operation succeeds without having run its batch, as nobody would
 * have checked the session.
 */
static enum status carry_out(struct passage *passage)
{
    enum status status = bind_and_handle(passage);
    struct db_batch *batch = passage->call.batch;
    if (db_batch_has_run(batch))
        return status;
    if (status == STATUS_OK) {
        log_error("%s: its handler has run no batch", passage->operation->func);
        return STATUS_INTERNAL;
    }
    enum status session = STATUS_OK;
    if (access_is_required(passage->operation->access))
        session = db_batch_run(batch);
    return session != STATUS_OK ? session : status;
}

typedef enum status step_function(struct passage *passage);

/* The order is what a client meets: each step may rely on those before it. */
static step_function *const steps[] = {
    decode_form, find_operation, check_method_and_origin, begin_access, carry_out,
};

static enum status first_error_of(struct passage *passage)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < sizeof steps / sizeof *steps && status == STATUS_OK; i++)
        status = steps[i](passage);
    return status;
}

static bool names_parameter(enum status status)
{
    return status == STATUS_PARAMETER_MISSING || status == STATUS_PARAMETER_INVALID ||
           status == STATUS_PARAMETER_DUPLICATE;
}

static void write_success(struct passage *passage)
{
    struct reply *reply = &passage->service->reply;
    end_document(&reply->body);
    if (reply->begun)
        return;
    if (passage->operation->kind == OPERATION_READ)
        cache_allow(reply, &passage->request, passage->service->config->cache_max_age);
    else
        cache_forbid(reply);
}

static void write_refusal(struct passage *passage, enum status status)
{
    struct buffer *out = &passage->service->reply.body;
    const char *info = status_text(status);
    if (names_parameter(status))
        info = arena_format(passage->service->arena, "%s: %s", info, passage->call.refused);
    begin_document(out, "FAILED");
    xml_add_text(out, "info", info);
    end_document(out);
}

static void write_failure(struct passage *passage, enum status status)
{
    struct reply *reply = &passage->service->reply;
    reply_discard(reply);
    if (!reply->broken)
        write_refusal(passage, status);
    if (outcomes[status].http_status != 0) {
        reply->http_status = outcomes[status].http_status;
        reply->reason = outcomes[status].reason;
    }
    if (outcomes[status].retry_after != 0)
        reply_header(reply, "Retry-After: %d", outcomes[status].retry_after);
    if (status == STATUS_METHOD_NOT_ALLOWED)
        reply_header(reply, "Allow: %s", is_write(passage) ? "POST" : "GET, HEAD, POST");
    cache_forbid(reply);
}

/* What took long is worth a line where requests are not logged otherwise. */
static void log_request(const struct passage *passage, const struct metrics_event *event)
{
    const struct call *call = &passage->call;
    const struct service *service = passage->service;
    const char *address = passage->request.remote_address;
    enum status status = event->status;
    bool slow = event->microseconds >= service->config->slow_request * 1000;
    log_write(slow ? LOG_LEVEL_WARNING : LOG_LEVEL_INFO,
              "func=%s outcome=\"%s%s%.64s\" us=%lld bytes=%zu user=%lld address=%s request=%s "
              "backend=%d",
              passage->operation != NULL ? passage->operation->func : "-", status_text(status),
              names_parameter(status) ? ": " : "", names_parameter(status) ? call->refused : "",
              (long long)event->microseconds, event->sent,
              (long long)(status == STATUS_OK ? access_asker(&call->access) : 0),
              address != NULL ? address : "-", passage->request.identifier,
              db_backend(service->db));
}

static void record(const struct passage *passage, enum status status, int64_t started)
{
    const struct service *service = passage->service;
    const struct metrics_event event = {
        .operation = passage->operation != NULL ? (size_t)(passage->operation - service->operations)
                                                : METRICS_NO_OPERATION,
        .status = status,
        .microseconds = clock_microseconds() - started,
        .received = passage->request.body_length,
        .sent = service->reply.sent,
    };
    metrics_count(service->metrics, &event);
    log_request(passage, &event);
}

static void answer(struct passage *passage, enum status status, int64_t started)
{
    struct service *service = passage->service;
    db_start_request(service->db, passage->request.identifier);
    if (status == STATUS_OK)
        status = first_error_of(passage);
    service->reply.without_body = passage->request.method == METHOD_HEAD;
    if (status == STATUS_OK)
        write_success(passage);
    else
        write_failure(passage, status);
    progress_enter(service->progress, STAGE_WRITING);
    reply_send(&service->reply);
    record(passage, status, started);
}

static void answer_page(struct service *service, const struct request *request,
                        const struct page *page)
{
    struct reply *reply = &service->reply;
    reply->content_type = page->content_type;
    reply->without_body = request->method == METHOD_HEAD;
    page->write(service->pages_context, reply);
    cache_forbid(reply);
    reply_send(reply);
}

static void release(struct passage *passage)
{
    if (passage->call.batch != NULL)
        db_batch_reset(passage->call.batch);
    arena_reset(passage->service->arena);
}

bool dispatch(struct service *service, FCGX_Request *fastcgi)
{
    int64_t started = clock_microseconds();
    struct passage passage = {.service = service};
    passage.call = (struct call){.request = &passage.request,
                                 .config = service->config,
                                 .arena = service->arena,
                                 .answer = &service->reply.body,
                                 .reply = &service->reply};
    reply_reset(&service->reply, fastcgi->out);
    enum status status = request_read(fastcgi, service->arena, &passage.request);
    const struct page *page = page_find(service->pages, passage.request.script_name);
    progress_enter(service->progress, STAGE_WORKING);
    reply_header(&service->reply, "X-Request-ID: %s", passage.request.identifier);
    if (page != NULL && status == STATUS_OK)
        answer_page(service, &passage.request, page);
    else
        answer(&passage, status, started);
    bool complete = !service->reply.broken;
    release(&passage);
    return complete;
}
