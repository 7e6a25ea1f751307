/*
 * Turns what came of a request into its response, and notes it.
 */
#include "api/exchange.h"

#include "api/access_log.h"
#include "api/page.h"
#include "api/steps.h"
#include "base/clock.h"
#include "base/log.h"
#include "http/cache.h"
#include "http/cookie.h"
#include "http/cors.h"
#include "media/remains.h"

enum {
    REMAINS_MOST = 500,  /* milliseconds; the indexer has more */
    LONG_ANSWER = 65536, /* bytes */
};

/* So that this client goes on to read from the primary for a while, logged in or not, whichever
 * machine answers it. */
static void mark_writer(struct exchange *exchange)
{
    const struct config *config = exchange->service->config;
    if (*config->read_database != '\0' && config->read_your_writes > 0)
        cookie_set(&exchange->service->response, &exchange->request, config, "written", "1",
                   config->read_your_writes);
}

static void write_success(struct exchange *exchange)
{
    struct response *response = &exchange->service->response;
    if (exchange_is_write(exchange))
        mark_writer(exchange);
    document_finish(&exchange->call.document);
    if (response->begun)
        return;
    if (exchange->operation->kind == OPERATION_READ)
        cache_allow(response, &exchange->request, exchange_max_age(exchange));
    else
        cache_forbid(response);
}

static void write_refusal(struct exchange *exchange, enum status status)
{
    const struct outcome *outcome = status_outcome(status);
    const char *info = outcome->text;
    if (outcome->names_parameter)
        info = arena_format(exchange->service->arena, "%s: %s", info, exchange->call.refused);
    exchange->info = info;
    exchange->service->response.content_type = format_of_refusals(exchange->format)->content_type;
    document_refuse(exchange->format, info, &exchange->service->response.body);
}

/* Who reads feeds looks at nothing but the status of HTTP. */
static void set_own_status(struct response *response, enum status status)
{
    bool is_absent = status_outcome(status)->absent;
    response->http_status = is_absent ? 404 : 400;
    response->reason = is_absent ? "Not Found" : "Bad Request";
}

static void write_failure(struct exchange *exchange, enum status status)
{
    struct response *response = &exchange->service->response;
    const struct outcome *outcome = status_outcome(status);
    response_discard(response);
    if (!response->broken)
        write_refusal(exchange, status);
    response->http_status = outcome->http_status;
    response->reason = outcome->reason;
    if (exchange->format->refuses_by_status && outcome->http_status == 200)
        set_own_status(response, status);
    if (outcome->retry_after != 0)
        response_header_number(response, "Retry-After", outcome->retry_after);
    if (status == STATUS_METHOD_NOT_ALLOWED)
        response_header(response, "Allow",
                        exchange_is_write(exchange) ? "POST" : "GET, HEAD, POST");
    cache_forbid(response);
}

/* Writes the response to what came of a request; answers what came of it in the end. */
static enum status write_response(struct exchange *exchange, enum status status)
{
    struct response *response = &exchange->service->response;
    if (exchange->repeated)
        return status;
    if (status == STATUS_OK)
        write_success(exchange);
    else
        write_failure(exchange, status);
    if (!replay_is_open(&exchange->call))
        return status;
    enum status kept = replay_keep(&exchange->replay, &exchange->call, exchange->info);
    if (kept == STATUS_OK)
        return status;
    response_restart(response);
    write_failure(exchange, kept);
    return kept;
}

static size_t counted_as(const struct exchange *exchange)
{
    if (exchange->operation != NULL)
        return (size_t)(exchange->operation - exchange->service->operations);
    return exchange->page != NULL ? METRICS_PAGES : METRICS_NO_OPERATION;
}

static const char *name_of(const struct exchange *exchange)
{
    if (exchange->operation != NULL)
        return exchange->operation->func;
    return exchange->page != NULL ? exchange->page->script_name : "-";
}

static void record(const struct exchange *exchange, enum status status, int64_t started)
{
    const struct service *service = exchange->service;
    const struct metrics_event event = {
        .operation = counted_as(exchange),
        .status = status,
        .microseconds = clock_microseconds() - started,
        .received = exchange->request.body_length,
        .sent = service->response.sent,
    };
    if (event.sent >= LONG_ANSWER)
        permits_remember(service->admission->permits, exchange->subject);
    metrics_count(service->metrics, &event);
    access_log_write(&exchange->call, name_of(exchange), &event);
}

/* No operation has an answer for a unique key that stands in its way: that is a fault of ours. */
static enum status without_conflict(const struct exchange *exchange, enum status status)
{
    if (status != STATUS_CONFLICT)
        return status;
    log_error("%s: a unique key exists already", exchange->operation->func);
    return STATUS_INTERNAL;
}

/* The answer has been sent by now. */
static void delete_remains(const struct exchange *exchange)
{
    const struct service *service = exchange->service;
    if (!remains_delete(service->photos.files, exchange->call.batch, REMAINS_MOST))
        atomic_store(service->remains, true);
}

static void answer(struct exchange *exchange, enum status status, int64_t started)
{
    struct service *service = exchange->service;
    route_start_request(service->route, exchange->request.identifier);
    service->response.without_body = exchange->request.method == METHOD_HEAD;
    exchange_admit_origin(exchange);
    if (status != STATUS_OK)
        exchange_choose_format(exchange, false);
    else
        status = without_conflict(exchange, exchange_run_steps(exchange));
    if (service->admission->must_wait)
        return;
    const struct access_check *access = &exchange->call.access;
    if (status == STATUS_OK && access->claimed && access_is_required(access->access))
        admission_prove(service->admission, access->id, access->token);
    status = write_response(exchange, status);
    response_send(&service->response);
    record(exchange, status, started);
    if (status == STATUS_OK && exchange->call.leaves_files)
        delete_remains(exchange);
}

static void answer_preflight(struct exchange *exchange, int64_t started)
{
    const struct call *call = &exchange->call;
    cors_answer_preflight(&call->service->response, call->request, call->service->config,
                          call->service->arena);
    record(exchange, STATUS_OK, started);
}

static void answer_page(struct exchange *exchange, enum status status, int64_t started)
{
    struct service *service = exchange->service;
    if (exchange->page->answer == NULL) {
        page_answer(exchange->page, service, &exchange->request);
        return;
    }
    route_start_request(service->route, exchange->request.identifier);
    record(exchange, exchange->page->answer(&exchange->call, status), started);
}

static void release(struct exchange *exchange)
{
    document_drop(&exchange->call.document);
    if (exchange->call.batch != NULL)
        db_batch_reset(exchange->call.batch);
    form_close(&exchange->form);
    arena_reset(exchange->service->arena);
}

static enum status read_request(struct exchange *exchange, struct responder *responder,
                                enum status admission)
{
    struct service *service = exchange->service;
    const struct body_means means = {service->arena, &service->texts, &service->uploads};
    if (admission == STATUS_OK)
        return request_read(responder, &means, &exchange->request, &exchange->form);
    return request_skip(responder, service->arena, &exchange->request) ? admission
                                                                       : STATUS_INTERNAL;
}

bool exchange_run(struct service *service, struct responder *responder, enum status admission)
{
    int64_t started = clock_microseconds();
    struct exchange exchange = {.service = service, .format = &format_xml};
    exchange.call =
        (struct call){.service = service, .request = &exchange.request, .form = &exchange.form};
    response_reset(&service->response, responder, service->progress);
    enum status status = read_request(&exchange, responder, admission);
    exchange.page = page_find(service->pages, exchange.request.script_name);
    progress_enter(service->progress, STAGE_WORKING);
    service->response.identifier = exchange.request.identifier;
    if (exchange.request.method == METHOD_OPTIONS)
        answer_preflight(&exchange, started);
    else if (exchange.page != NULL && (status == STATUS_OK || exchange.page->answer != NULL))
        answer_page(&exchange, status, started);
    else
        answer(&exchange, status, started);
    bool complete = !service->response.broken;
    release(&exchange);
    return complete;
}
