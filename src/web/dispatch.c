#include "web/dispatch.h"

#include <string.h>

#include "auth/origin.h"
#include "auth/signature.h"
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
    struct signature_check signature;
    struct call call;
    bool repeated; /* the reply is that of the same request before */
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

/* Who sends a cookie may have written, and sees it: what asks about a session is on the primary
 * anyway. A key that was revoked is so at once there. */
static struct db *choose_database(const struct passage *passage)
{
    struct route *route = passage->service->route;
    bool anywhere = !is_write(passage) && passage->request.cookies == NULL &&
                    form_find(&passage->form, "sig") == NULL;
    return anywhere ? route_read(route) : route_primary(route);
}

static enum status check_signature(struct passage *passage)
{
    struct service *service = passage->service;
    struct call *call = &passage->call;
    call->batch = db_batch_new(choose_database(passage), call->arena);
    return signature_begin(&passage->signature, service->config, &service->master_key,
                           passage->form.parameters, passage->form.count, call->arena, call->batch,
                           &call->refused);
}

/* A signed write is done once. What a session did is held open until its answer is recorded. */
static void claim_signature(struct passage *passage)
{
    struct call *call = &passage->call;
    struct signature_claim *claim = &passage->signature.claim;
    if (!passage->signature.is_signed || !is_write(passage))
        return;
    if (call->access.claimed) {
        claim->token_hash = call->access.claim.token_hash;
        db_batch_hold(call->batch);
    }
    signature_claim_add(call->batch, claim);
}

/* A logout claims its signature before its session is looked at: sent again, it has none any more.
 */
static enum status check_access(struct passage *passage)
{
    struct call *call = &passage->call;
    const char *cookies = passage->request.cookies;
    enum access access = passage->operation->access;
    enum status status =
        access_begin(&call->access, access, cookie_find(cookies, "id", call->arena),
                     cookie_find(cookies, "idrand", call->arena));
    if (status != STATUS_OK)
        return status;
    if (access == ACCESS_LOGOUT)
        claim_signature(passage);
    access_add(&call->access, call->batch);
    if (access != ACCESS_LOGOUT)
        claim_signature(passage);
    return STATUS_OK;
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

/* No operation succeeds without having run its batch, as nobody would have checked who asks. */
static enum status carry_out(struct passage *passage)
{
    enum status status = bind_and_handle(passage);
    if (status != STATUS_OK || db_batch_has_run(passage->call.batch))
        return status;
    log_error("%s: its handler has run no batch", passage->operation->func);
    return STATUS_INTERNAL;
}

typedef enum status step_function(struct passage *passage);

/* The order is what a client meets: each step may rely on those before it. */
static step_function *const steps[] = {
    decode_form, find_operation, check_method_and_origin, check_signature, check_access, carry_out,
};

static enum status first_error_of(struct passage *passage)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < sizeof steps / sizeof *steps && status == STATUS_OK; i++)
        status = steps[i](passage);
    return status;
}

/* A key or a session that must be there is asked for in the batch, which has not run. */
static bool has_open_checks(const struct passage *passage)
{
    const struct call *call = &passage->call;
    bool has_session = access_is_required(call->access.access) && call->access.claimed;
    return call->batch != NULL && !db_batch_has_run(call->batch) &&
           (passage->signature.is_signed || has_session);
}

/* The answer that the same session got to the same request before. */
static enum status repeat_answer(struct passage *passage)
{
    struct reply *reply = &passage->service->reply;
    struct signature_answer answer;
    enum status status = signature_find(passage->call.batch, &passage->signature.claim, &answer);
    if (status != STATUS_OK)
        return status;
    reply_discard(reply);
    buffer_add_text(&reply->headers, answer.headers);
    buffer_add_text(&reply->body, answer.document);
    passage->repeated = true;
    return STATUS_OK;
}

/* Who must sign or log in hears that first: where something else was refused before the batch ran,
 * the checks in it are run on their own. */
static enum status run_steps(struct passage *passage)
{
    enum status status = first_error_of(passage);
    if (status != STATUS_OK && has_open_checks(passage)) {
        enum status checks = db_batch_run(passage->call.batch);
        status = checks != STATUS_OK ? checks : status;
    }
    return status == STATUS_REQUEST_REPLAYED ? repeat_answer(passage) : status;
}

static bool names_parameter(enum status status)
{
    return status == STATUS_PARAMETER_MISSING || status == STATUS_PARAMETER_INVALID ||
           status == STATUS_PARAMETER_DUPLICATE;
}

/* So that this client goes on to read from the primary for a while, logged in or not, whichever
 * machine answers it. */
static void mark_writer(struct passage *passage)
{
    const struct config *config = passage->service->config;
    if (*config->read_database != '\0' && config->read_your_writes > 0)
        cookie_set(&passage->service->reply, &passage->request, "written", "1",
                   config->read_your_writes);
}

static void write_success(struct passage *passage)
{
    struct reply *reply = &passage->service->reply;
    if (is_write(passage))
        mark_writer(passage);
    end_document(&reply->body);
    if (reply->begun)
        return;
    /* The address of a signed read is not used again; kept, it would outlive its key. */
    int64_t max_age = passage->signature.is_signed ? -1 : passage->service->config->cache_max_age;
    if (passage->operation->kind == OPERATION_READ)
        cache_allow(reply, &passage->request, max_age);
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
        reply_header_number(reply, "Retry-After", outcomes[status].retry_after);
    if (status == STATUS_METHOD_NOT_ALLOWED)
        reply_header(reply, "Allow", is_write(passage) ? "POST" : "GET, HEAD, POST");
    cache_forbid(reply);
}

/* Commits a signed write together with its answer. */
static enum status keep_answer(struct passage *passage)
{
    struct reply *reply = &passage->service->reply;
    struct arena *arena = passage->service->arena;
    const struct signature_answer answer = {
        .headers = arena_copy(arena, reply->headers.data, reply->headers.length),
        .document = arena_copy(arena, reply->body.data, reply->body.length)};
    return signature_keep(passage->call.batch, &passage->signature.claim, &answer);
}

/* Writes the reply to what came of a request; answers what came of it in the end. */
static enum status write_reply(struct passage *passage, enum status status)
{
    struct reply *reply = &passage->service->reply;
    if (passage->repeated)
        return status;
    if (status == STATUS_OK)
        write_success(passage);
    else
        write_failure(passage, status);
    struct db_batch *batch = passage->call.batch;
    if (batch == NULL || !db_batch_is_open(batch) || reply->http_status != 200)
        return status;
    enum status kept = keep_answer(passage);
    if (kept == STATUS_OK)
        return status;
    reply_restart(reply);
    write_failure(passage, kept);
    return kept;
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
              db_batch_backend(call->batch));
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

/* No operation has an answer for a unique key that stands in its way: that is a fault of ours. */
static enum status without_conflict(const struct passage *passage, enum status status)
{
    if (status != STATUS_CONFLICT)
        return status;
    log_error("%s: a unique key exists already", passage->operation->func);
    return STATUS_INTERNAL;
}

static void answer(struct passage *passage, enum status status, int64_t started)
{
    struct service *service = passage->service;
    route_start_request(service->route, passage->request.identifier);
    service->reply.without_body = passage->request.method == METHOD_HEAD;
    if (status == STATUS_OK)
        status = without_conflict(passage, run_steps(passage));
    status = write_reply(passage, status);
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

bool dispatch(struct service *service, const struct intake *intake, FCGX_Stream *out)
{
    int64_t started = clock_microseconds();
    struct passage passage = {.service = service};
    passage.call = (struct call){.request = &passage.request,
                                 .config = service->config,
                                 .hashing = &service->hashing,
                                 .arena = service->arena,
                                 .answer = &service->reply.body,
                                 .reply = &service->reply};
    reply_reset(&service->reply, out, service->progress);
    enum status status = request_read(intake, service->arena, &passage.request);
    const struct page *page = page_find(service->pages, passage.request.script_name);
    progress_enter(service->progress, STAGE_WORKING);
    service->reply.identifier = passage.request.identifier;
    if (page != NULL && status == STATUS_OK)
        answer_page(service, &passage.request, page);
    else
        answer(&passage, status, started);
    bool complete = !service->reply.broken;
    release(&passage);
    return complete;
}
