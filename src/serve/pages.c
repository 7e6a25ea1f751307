#include "serve/pages.h"

#include <stddef.h>

#include "openapi/openapi.h"

/* The format: https://prometheus.io/docs/instrumenting/exposition_formats/ (text, 0.0.4). */
static const char prometheus[] = "text/plain; version=0.0.4; charset=utf-8";

static void write_health(const void *context, struct reply *reply)
{
    const struct pages_context *pages = context;
    struct scoreboard_summary summary = scoreboard_summarize(pages->scoreboard);
    if (summary.connected > 0) {
        buffer_add_text(&reply->body, "ok\n");
        return;
    }
    reply->http_status = 503;
    reply->reason = "Service Unavailable";
    reply_header(reply, "Retry-After", "1");
    buffer_add_format(&reply->body, "no worker has its database: %s\n",
                      summary.reason != NULL ? summary.reason : "not connected yet");
}

/* Metrics -------------------------------------------------------------------------------------- */

static void write_head(struct buffer *out, const char *name, const char *type, const char *help)
{
    buffer_add_format(out, "# HELP mapdiary_%s %s\n# TYPE mapdiary_%s %s\n", name, help, name,
                      type);
}

/* The counter at this offset of a slot, over all slots: those of ended workers count on. */
static unsigned long sum(const struct scoreboard *scoreboard, size_t offset)
{
    unsigned long total = 0;
    for (size_t i = 0; i < atomic_load(&scoreboard->slot_count); i++) {
        const char *slot = (const char *)&scoreboard->slots[i];
        total += atomic_load((const atomic_ulong *)(const void *)(slot + offset));
    }
    return total;
}

#define METRIC(field) offsetof(struct scoreboard_slot, metrics.field)
#define DATABASE(field) offsetof(struct scoreboard_slot, database.field)

static size_t request_offset(size_t operation, enum status status)
{
    return METRIC(requests) + (operation * STATUS_COUNT + status) * sizeof(atomic_ulong);
}

/* A func that is two rows, by a parameter, has two series. */
static void write_requests_of(struct buffer *out, const struct pages_context *pages,
                              size_t operation, const char *func, const char *variant)
{
    for (int status = 0; status < STATUS_COUNT; status++) {
        unsigned long count =
            sum(pages->scoreboard, request_offset(operation, (enum status)status));
        if (count > 0)
            buffer_add_format(
                out, "mapdiary_requests_total{func=\"%s\",variant=\"%s\",outcome=\"%s\"} %lu\n",
                func, variant, status_text((enum status)status), count);
    }
}

static void write_requests(struct buffer *out, const struct pages_context *pages)
{
    write_head(out, "requests_total", "counter", "Requests answered, by operation and outcome.");
    for (size_t i = 0; i < METRICS_NO_OPERATION && pages->operations[i].func != NULL; i++) {
        const struct operation *operation = &pages->operations[i];
        write_requests_of(out, pages, i, operation->func,
                          operation->variant != NULL ? operation->variant : "");
    }
    write_requests_of(out, pages, METRICS_NO_OPERATION, "", "");
}

static void write_durations(struct buffer *out, const struct scoreboard *scoreboard)
{
    unsigned long count = 0;
    write_head(out, "request_duration_seconds", "histogram",
               "From the request's arrival at a worker to the end of its answer.");
    for (size_t i = 0; i <= METRICS_BOUNDS; i++) {
        count += sum(scoreboard, METRIC(durations) + i * sizeof(atomic_ulong));
        if (i < METRICS_BOUNDS)
            buffer_add_format(out, "mapdiary_request_duration_seconds_bucket{le=\"%g\"} %lu\n",
                              (double)metrics_bounds[i] / 1e6, count);
    }
    buffer_add_format(out,
                      "mapdiary_request_duration_seconds_bucket{le=\"+Inf\"} %lu\n"
                      "mapdiary_request_duration_seconds_sum %.6f\n"
                      "mapdiary_request_duration_seconds_count %lu\n",
                      count, (double)sum(scoreboard, METRIC(microseconds)) / 1e6, count);
}

static const struct {
    const char *name;
    size_t offset;
    const char *help;
} counters[] = {
    {"request_bytes_total", METRIC(bytes_received), "Bytes of request bodies."},
    {"response_bytes_total", METRIC(bytes_sent), "Bytes of response bodies."},
    {"database_connections_total", DATABASE(connections), "Connections made to the database."},
    {"database_connection_failures_total", DATABASE(failed_connections),
     "Attempts to connect that came to nothing."},
    {"database_connections_lost_total", DATABASE(lost_connections),
     "Connections to the database that broke or were given up."},
    {"database_errors_total", DATABASE(errors), "Batches that failed, and not for their input."},
    {"database_repeats_total", DATABASE(repeats), "Batches that were sent once more."},
    {"database_cancels_total", DATABASE(cancels), "Batches cancelled as they took too long."},
    {"reads_diverted_total", DATABASE(diverted),
     "Reads for a replica that the primary had to answer."},
};

static void write_counters(struct buffer *out, const struct scoreboard *scoreboard)
{
    for (size_t i = 0; i < sizeof counters / sizeof *counters; i++) {
        write_head(out, counters[i].name, "counter", counters[i].help);
        buffer_add_format(out, "mapdiary_%s %lu\n", counters[i].name,
                          sum(scoreboard, counters[i].offset));
    }
}

static void write_roles(struct buffer *out, const struct scoreboard *scoreboard)
{
    write_head(out, "database_batches_total", "counter",
               "Batches that succeeded, by the role of the server.");
    buffer_add_format(out,
                      "mapdiary_database_batches_total{role=\"primary\"} %lu\n"
                      "mapdiary_database_batches_total{role=\"standby\"} %lu\n",
                      sum(scoreboard, DATABASE(by_primary)), sum(scoreboard, DATABASE(by_standby)));
}

static unsigned long refused_for(const struct pages_context *pages, enum status status)
{
    unsigned long count = 0;
    for (size_t i = 0; i < METRICS_OPERATIONS; i++)
        count += sum(pages->scoreboard, request_offset(i, status));
    return count;
}

static void write_refused_logins(struct buffer *out, const struct pages_context *pages)
{
    write_head(out, "logins_refused_total", "counter", "Logins refused, by reason.");
    buffer_add_format(out,
                      "mapdiary_logins_refused_total{reason=\"password\"} %lu\n"
                      "mapdiary_logins_refused_total{reason=\"throttled\"} %lu\n",
                      refused_for(pages, STATUS_PASSWORD_INCORRECT),
                      refused_for(pages, STATUS_TOO_MANY_ATTEMPTS));
}

static void write_workers(struct buffer *out, const struct scoreboard *scoreboard)
{
    static const char *const stages[STAGE_COUNT] = {"missing", "starting", "idle",
                                                    "reading", "working",  "writing"};
    static const char *const restarts[RESTART_COUNT] = {"died", "stuck", "recycled", "reloaded"};
    struct scoreboard_summary summary = scoreboard_summarize(scoreboard);
    write_head(out, "workers", "gauge", "Workers by what they are at.");
    for (int i = 0; i < STAGE_COUNT; i++)
        buffer_add_format(out, "mapdiary_workers{state=\"%s\"} %zu\n", stages[i],
                          summary.stages[i]);
    write_head(out, "workers_connected", "gauge", "Workers that have their database.");
    buffer_add_format(out, "mapdiary_workers_connected %zu\n", summary.connected);
    write_head(out, "workers_with_replica", "gauge", "Workers whose reads go to a replica.");
    buffer_add_format(out, "mapdiary_workers_with_replica %zu\n", summary.with_replica);
    write_head(out, "waiting_connections", "gauge",
               "Connections whose request has not come to its end.");
    buffer_add_format(out, "mapdiary_waiting_connections %zu\n", atomic_load(&scoreboard->guests));
    write_head(out, "waiting_answers", "gauge",
               "Answers whose end the web server has not taken yet.");
    buffer_add_format(out, "mapdiary_waiting_answers %zu\n", atomic_load(&scoreboard->answers));
    write_head(out, "spool_bytes", "gauge", "Bytes of requests and answers in files.");
    buffer_add_format(out, "mapdiary_spool_bytes %lld\n",
                      (long long)atomic_load(&scoreboard->spooled));
    write_head(out, "worker_restarts_total", "counter",
               "Workers that ended, by reason; the reception counts as one.");
    for (int i = 0; i < RESTART_COUNT; i++)
        buffer_add_format(out, "mapdiary_worker_restarts_total{reason=\"%s\"} %lu\n", restarts[i],
                          atomic_load(&scoreboard->restarts[i]));
}

static void write_service(struct buffer *out, const struct scoreboard *scoreboard)
{
    write_head(out, "reloads_total", "counter", "Reloads of the configuration, by outcome.");
    buffer_add_format(out,
                      "mapdiary_reloads_total{outcome=\"applied\"} %lu\n"
                      "mapdiary_reloads_total{outcome=\"refused\"} %lu\n",
                      atomic_load(&scoreboard->reloads), atomic_load(&scoreboard->failed_reloads));
    write_head(out, "start_time_seconds", "gauge",
               "When the service was started, since the epoch.");
    buffer_add_format(out, "mapdiary_start_time_seconds %lld\n", (long long)scoreboard->started_at);
    write_head(out, "build_info", "gauge", "The version, as a label; always 1.");
    buffer_add_format(out, "mapdiary_build_info{version=\"%s\"} 1\n", PACKAGE_VERSION);
}

static void write_metrics(const void *context, struct reply *reply)
{
    const struct pages_context *pages = context;
    struct buffer *out = &reply->body;
    write_requests(out, pages);
    write_durations(out, pages->scoreboard);
    write_counters(out, pages->scoreboard);
    write_roles(out, pages->scoreboard);
    write_refused_logins(out, pages);
    write_workers(out, pages->scoreboard);
    write_service(out, pages->scoreboard);
}

/* Of the interface ----------------------------------------------------------------------------- */

static void write_description(const void *context, struct reply *reply)
{
    const struct pages_context *pages = context;
    openapi_write(pages->operations, &reply->body);
}

const struct page pool_pages[] = {
    {"/healthz", "text/plain; charset=utf-8", write_health, .is_public = false},
    {"/metrics", prometheus, write_metrics, .is_public = false},
    {"/openapi.json", "application/json", write_description, .is_public = true},
    {.script_name = NULL},
};
