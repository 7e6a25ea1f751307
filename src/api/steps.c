/*
 * The checks of a request, one after the other, and its operation.
 */
#include "api/steps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "auth/origin.h"
#include "base/clock.h"
#include "base/log.h"
#include "http/cache.h"
#include "http/cookie.h"
#include "http/cors.h"

enum { NAME_SIZE = 64 };

static const char *format_asked_for(const struct exchange *exchange, bool is_read)
{
    static const char name[] = "responseFormat";
    const char *query = exchange->request.query;
    if (is_read)
        return form_find(&exchange->form, name);
    return query != NULL ? form_look(query, name, exchange->service->arena) : NULL;
}

void exchange_choose_format(struct exchange *exchange, bool is_read)
{
    const char *name = format_asked_for(exchange, is_read);
    const struct format *format = name != NULL ? format_named(name) : NULL;
    exchange->format = format != NULL ? format : &format_xml;
    exchange->service->response.content_type = exchange->format->content_type;
}

/* What was decoded as the request was read. */
static enum status check_form(struct exchange *exchange)
{
    const struct form *form = &exchange->form;
    exchange->call.refused = form->refused;
    exchange_choose_format(exchange, form_is_open(form));
    return form->status;
}

static enum status refuse_parameter(struct exchange *exchange, const char *name, enum status status)
{
    exchange->call.refused = name;
    return status;
}

bool exchange_is_write(const struct exchange *exchange)
{
    return exchange->operation != NULL && exchange->operation->kind == OPERATION_WRITE;
}

void exchange_admit_origin(struct exchange *exchange)
{
    const struct call *call = &exchange->call;
    bool is_read = exchange->operation != NULL && !exchange_is_write(exchange);
    bool is_open = is_read && call->request->cookies == NULL;
    cors_admit(&call->service->response, call->request, call->service->config, is_open,
               call->service->arena);
}

static bool has_form(const struct operation *operation, const struct format *format)
{
    if (format == &format_geojson)
        return operation->has_geojson;
    return format == &format_atom ? operation->feed != NULL : format != NULL;
}

static enum status find_operation(struct exchange *exchange)
{
    const char *func = form_find(&exchange->form, "func");
    const char *format = form_find(&exchange->form, "responseFormat");
    if (func == NULL)
        return refuse_parameter(exchange, "func", STATUS_PARAMETER_MISSING);
    exchange->operation = operation_find(exchange->service->operations, &exchange->form, func);
    if (exchange->operation == NULL)
        return STATUS_UNKNOWN_FUNC;
    exchange->call.operation = exchange->operation;
    exchange_admit_origin(exchange);
    if (format == NULL || has_form(exchange->operation, format_named(format)))
        return STATUS_OK;
    exchange->format = &format_xml;
    return refuse_parameter(exchange, "responseFormat", STATUS_PARAMETER_INVALID);
}

/* A body that is a file is the operation's. */
static enum status name_file(struct exchange *exchange)
{
    struct form *form = &exchange->form;
    const struct param_spec *spec = param_file(exchange->operation->params, NULL);
    if (form->unnamed == NULL)
        return STATUS_OK;
    if (spec == NULL)
        return STATUS_UNSUPPORTED_MEDIA_TYPE;
    form_name_upload(form, spec->name, exchange->service->arena);
    exchange->call.refused = form->refused;
    return form->status;
}

/* Nobody hears what is wrong with a request that is not taken anyway. */
static enum status check_gate(struct exchange *exchange)
{
    const struct operation *operation = exchange->operation;
    return operation->gate != NULL ? operation->gate(exchange->service->config) : STATUS_OK;
}

static enum status check_method_and_origin(struct exchange *exchange)
{
    const struct request *request = &exchange->request;
    const struct origin_headers headers = {.sec_fetch_site = request->sec_fetch_site,
                                           .origin = request->origin,
                                           .host = request->host};
    if (!exchange_is_write(exchange))
        return STATUS_OK;
    if (request->method != METHOD_POST)
        return STATUS_METHOD_NOT_ALLOWED;
    return origin_is_foreign(&headers, exchange->service->config->allowed_origins)
               ? STATUS_CROSS_SITE
               : STATUS_OK;
}

/* Who sends a cookie may have written, and sees it: what asks about a session is on the primary
 * anyway. A key that was revoked is so at once there. */
static struct db *choose_database(const struct exchange *exchange)
{
    struct route *route = exchange->service->route;
    bool anywhere = !exchange_is_write(exchange) && exchange->request.cookies == NULL &&
                    form_find(&exchange->form, "sig") == NULL;
    return anywhere ? route_read(route) : route_primary(route);
}

static enum status check_signature(struct exchange *exchange)
{
    struct service *service = exchange->service;
    struct call *call = &exchange->call;
    call->batch = db_batch_new(choose_database(exchange), call->service->arena);
    return signature_begin(&exchange->signature, service->config, &service->master_key,
                           exchange->form.parameters, exchange->form.count, call->service->arena,
                           call->batch, &call->refused);
}

static enum status bind_parameters(struct exchange *exchange)
{
    struct call *call = &exchange->call;
    void *input = arena_take(call->service->arena, exchange->operation->input_size);
    call->input = input;
    return param_bind(exchange->operation->params, &exchange->form, input, &call->refused);
}

/*
 * What is refused before the operation runs leaves a key free for the request as it was meant. A
 * signature is of this very request.
 */
static enum status bind_and_claim(struct exchange *exchange)
{
    struct call *call = &exchange->call;
    if (!exchange_is_write(exchange))
        return bind_parameters(exchange);
    if (!replay_has_good_key(call))
        return STATUS_MALFORMED_REQUEST;
    replay_take_signature(&exchange->replay, call, &exchange->signature);
    enum status status = bind_parameters(exchange);
    if (status == STATUS_OK)
        replay_take_key(&exchange->replay, call, &exchange->form);
    return status;
}

/* What ends a session is claimed before that is looked at: sent again, it has none any more. */
static void add_checks(struct exchange *exchange)
{
    struct call *call = &exchange->call;
    bool may_end = access_may_end(call->access.access);
    if (may_end)
        replay_add(&exchange->replay, call);
    access_add(&call->access, call->batch);
    if (!may_end)
        replay_add(&exchange->replay, call);
}

/* What is refused here is so only when the batch has checked who asks: exchange_run_steps(). */
static enum status check_call(struct exchange *exchange)
{
    struct call *call = &exchange->call;
    struct session_cookies cookies;
    cookie_read(exchange->request.cookies, call->service->arena, &cookies);
    enum status status =
        access_begin(&call->access, exchange->operation->access, &cookies, call->batch);
    if (status == STATUS_LOGIN_REQUIRED)
        status = replay_find_ended(call, &exchange->signature, &exchange->form);
    if (status != STATUS_OK)
        return status;
    status = bind_and_claim(exchange);
    if (status != STATUS_OK)
        access_keep_session(&call->access);
    add_checks(exchange);
    return status;
}

/* The name of what the operation reads: the number that is its first parameter. 0 is none. */
static uint64_t name_subject(const struct exchange *exchange)
{
    const struct operation *operation = exchange->operation;
    const char *first = operation->params != NULL ? operation->params[0].name : NULL;
    const char *value = first != NULL ? form_find(&exchange->form, first) : NULL;
    char name[NAME_SIZE];
    if (value == NULL)
        return 0;
    snprintf(name, sizeof name, "%s %lld", operation->func, strtoll(value, NULL, 10));
    return permits_name(exchange->service->admission->permits, name);
}

/* Before the database is asked. A cheap read is dear where its answer was long before. An operation
 * that hashes a password takes its permit when the client is known not to be throttled:
 * auth/attempt.h. */
static enum status take_permit(struct exchange *exchange)
{
    struct admission *admission = exchange->service->admission;
    enum work_class class = exchange->operation->class;
    if (class == WORK_PASSWORD)
        class = WORK_CHEAP;
    else if (class == WORK_CHEAP) {
        exchange->subject = name_subject(exchange);
        class = permits_remembers(admission->permits, exchange->subject) ? WORK_DEAR : WORK_CHEAP;
    }
    return admission_take(admission, class);
}

/* What takes a password or a token is counted before its batch runs: sent again, it is not. */
static enum status check_replay(struct exchange *exchange)
{
    bool counts = param_has_secret(exchange->operation->params) && exchange->replay.count > 0;
    return counts ? replay_look(&exchange->replay, &exchange->call) : STATUS_OK;
}

/* A stranger who has made up the cookies is not told how much their user writes. */
static enum status refuse_rate(const struct exchange *exchange, int64_t wait)
{
    const struct call *call = &exchange->call;
    struct db_batch *batch = db_batch_beside(call->batch);
    session_check_add(batch, &call->access.claim);
    enum status status = db_batch_run(batch);
    db_batch_reset(batch);
    if (status != STATUS_OK)
        return status;
    response_header_number(&call->service->response, "Retry-After", (wait + 999) / 1000);
    return STATUS_TOO_MANY_ATTEMPTS;
}

/* Before the batch runs, so that writes side by side all count: exchange_run_steps() takes back
 * what was not the user's. What is too much is not even claimed. */
static enum status check_rate(struct exchange *exchange)
{
    const struct access_check *access = &exchange->call.access;
    int64_t most = exchange->service->config->writes_per_minute;
    if (most == 0 || !exchange_is_write(exchange) || !access->claimed ||
        exchange->operation->is_unmetered)
        return STATUS_OK;
    int64_t wait = rate_count(exchange->service->rate, access->claim.user_id, most,
                              clock_milliseconds(), &exchange->minute);
    exchange->counted = wait == 0;
    return exchange->counted ? STATUS_OK : refuse_rate(exchange, wait);
}

/* The address of a signed read is not used again; kept, it would outlive its key. */
int64_t exchange_max_age(const struct exchange *exchange)
{
    bool is_for_once = exchange->signature.is_signed || exchange->operation->is_each_another;
    return is_for_once ? -1 : exchange->service->config->cache_max_age;
}

static enum status handle(struct exchange *exchange)
{
    const struct operation *operation = exchange->operation;
    struct call *call = &exchange->call;
    if (operation->kind == OPERATION_READ)
        cache_allow_unfinished(&call->service->response, call->request, exchange_max_age(exchange));
    const struct field *shape =
        exchange->format == &format_atom ? operation->feed : operation->shape;
    call->output = arena_take(call->service->arena, operation->output_size);
    call->document =
        document_new(exchange->format, shape, call->output, &call->service->response.body);
    return operation->handler(call);
}

/* No operation succeeds without having run its batch, as nobody would have checked who asks. */
static enum status carry_out(struct exchange *exchange)
{
    enum status status = handle(exchange);
    if (status != STATUS_OK || db_batch_has_run(exchange->call.batch))
        return status;
    log_error("%s: its handler has run no batch", exchange->operation->func);
    return STATUS_INTERNAL;
}

typedef enum status step_function(struct exchange *exchange);

/* The order is what a client meets: each step may rely on those before it. */
static step_function *const steps[] = {
    check_form,   find_operation,  name_file,  check_method_and_origin,
    check_gate,   check_signature, check_call, take_permit,
    check_replay, check_rate,      carry_out,
};

static enum status first_error_of(struct exchange *exchange)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < sizeof steps / sizeof *steps && status == STATUS_OK; i++)
        status = steps[i](exchange);
    return status;
}

/* A key or a session that must be there is asked for in the batch, which has not run. */
static bool has_open_checks(const struct exchange *exchange)
{
    const struct call *call = &exchange->call;
    bool has_session = access_is_required(call->access.access) && call->access.claimed;
    return call->batch != NULL && !db_batch_has_run(call->batch) &&
           (exchange->signature.is_signed || has_session);
}

static enum status repeat_answer(struct exchange *exchange)
{
    enum status status = replay_repeat(&exchange->replay, &exchange->call, exchange->format);
    exchange->repeated = status == STATUS_OK;
    return status;
}

static bool is_of_request(enum status status)
{
    return status != STATUS_OK && status != STATUS_TOO_MANY_ATTEMPTS &&
           status != STATUS_UNAVAILABLE;
}

/* The session is none, or may not have been looked at: so the request may be somebody else's. */
static bool may_be_of_stranger(enum status status)
{
    return status == STATUS_LOGIN_REQUIRED || status == STATUS_KEY_UNKNOWN ||
           status == STATUS_UNAVAILABLE || status == STATUS_INTERNAL;
}

/* Who must sign or log in hears that first: where something else was refused before the batch ran,
 * the checks in it are run on their own. */
enum status exchange_run_steps(struct exchange *exchange)
{
    enum status status = first_error_of(exchange);
    if (is_of_request(status) && has_open_checks(exchange)) {
        enum status checks = db_batch_run(exchange->call.batch);
        status = checks != STATUS_OK ? checks : status;
    }
    if (exchange->counted && may_be_of_stranger(status))
        rate_take_back(exchange->service->rate, exchange->call.access.claim.user_id,
                       exchange->minute);
    return status == STATUS_REQUEST_REPLAYED ? repeat_answer(exchange) : status;
}
