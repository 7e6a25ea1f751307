#include "serve/metrics_page.h"

#include <stddef.h>
#include <string.h>
#include <time.h>

#include "media/disk.h"
#include "run/child_kind.h"
#include "serve/shared.h"

static void write_head(struct buffer *out, const char *name, const char *type, const char *help)
{
    buffer_add_format(out, "# HELP mapdiary_%s %s\n# TYPE mapdiary_%s %s\n", name, help, name,
                      type);
}

static const struct scoreboard_kind *workers_of(const struct shared *shared)
{
    return &shared->scoreboard->kinds[KIND_WORKER];
}

/* The counter at this offset of a worker's, over all: those of ended workers count on. */
static unsigned long sum(const struct shared *shared, size_t offset)
{
    unsigned long total = 0;
    for (size_t i = 0; i < atomic_load(&workers_of(shared)->board->used); i++) {
        const char *worker = (const char *)&shared->state->workers[i];
        total += atomic_load((const atomic_ulong *)(const void *)(worker + offset));
    }
    return total;
}

#define METRIC(field) offsetof(struct worker_state, metrics.field)
#define DATABASE(field) offsetof(struct worker_state, database.field)

static size_t request_offset(size_t operation, enum status status)
{
    return METRIC(requests) + (operation * STATUS_COUNT + status) * sizeof(atomic_ulong);
}

/* A func that is two rows, by a parameter, has two series. */
static void write_requests_of(struct buffer *out, const struct shared *shared, size_t operation,
                              const char *func, const char *variant)
{
    for (int status = 0; status < STATUS_COUNT; status++) {
        unsigned long count = sum(shared, request_offset(operation, (enum status)status));
        if (count > 0)
            buffer_add_format(
                out, "mapdiary_requests_total{func=\"%s\",variant=\"%s\",outcome=\"%s\"} %lu\n",
                func, variant, status_text((enum status)status), count);
    }
}

static void write_requests(struct buffer *out, const struct shared *shared)
{
    write_head(out, "requests_total", "counter", "Requests answered, by operation and outcome.");
    for (size_t i = 0; i < METRICS_PAGES && shared->operations[i].func != NULL; i++) {
        const struct operation *operation = &shared->operations[i];
        write_requests_of(out, shared, i, operation->func,
                          operation->variant != NULL ? operation->variant : "");
    }
    write_requests_of(out, shared, METRICS_PAGES, "/photos", "");
    write_requests_of(out, shared, METRICS_NO_OPERATION, "", "");
}

static void write_durations(struct buffer *out, const struct shared *shared)
{
    unsigned long count = 0;
    write_head(out, "request_duration_seconds", "histogram",
               "From the request's arrival at a worker to the end of its answer.");
    for (size_t i = 0; i <= METRICS_BOUNDS; i++) {
        count += sum(shared, METRIC(durations) + i * sizeof(atomic_ulong));
        if (i < METRICS_BOUNDS)
            buffer_add_format(out, "mapdiary_request_duration_seconds_bucket{le=\"%g\"} %lu\n",
                              (double)metrics_bounds[i] / 1e6, count);
    }
    buffer_add_format(out,
                      "mapdiary_request_duration_seconds_bucket{le=\"+Inf\"} %lu\n"
                      "mapdiary_request_duration_seconds_sum %.6f\n"
                      "mapdiary_request_duration_seconds_count %lu\n",
                      count, (double)sum(shared, METRIC(microseconds)) / 1e6, count);
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
    {"database_errors_total", DATABASE(errors),
     "Batches that failed without a fault of the input."},
    {"database_repeats_total", DATABASE(repeats), "Batches that were sent once more."},
    {"database_cancels_total", DATABASE(cancels), "Batches cancelled because of their time."},
    {"reads_diverted_total", DATABASE(diverted),
     "Reads for a replica that the primary had to answer."},
};

static void write_counters(struct buffer *out, const struct shared *shared)
{
    for (size_t i = 0; i < sizeof counters / sizeof *counters; i++) {
        write_head(out, counters[i].name, "counter", counters[i].help);
        buffer_add_format(out, "mapdiary_%s %lu\n", counters[i].name,
                          sum(shared, counters[i].offset));
    }
}

static void write_roles(struct buffer *out, const struct shared *shared)
{
    write_head(out, "database_batches_total", "counter",
               "Batches that succeeded, by the role of the server.");
    buffer_add_format(out,
                      "mapdiary_database_batches_total{role=\"primary\"} %lu\n"
                      "mapdiary_database_batches_total{role=\"standby\"} %lu\n",
                      sum(shared, DATABASE(by_primary)), sum(shared, DATABASE(by_standby)));
}

static unsigned long refused_for(const struct shared *shared, enum status status)
{
    unsigned long count = 0;
    for (size_t i = 0; i < METRICS_OPERATIONS; i++)
        count += sum(shared, request_offset(i, status));
    return count;
}

static void write_refused_logins(struct buffer *out, const struct shared *shared)
{
    write_head(out, "logins_refused_total", "counter", "Logins refused, by reason.");
    buffer_add_format(out,
                      "mapdiary_logins_refused_total{reason=\"password\"} %lu\n"
                      "mapdiary_logins_refused_total{reason=\"throttled\"} %lu\n",
                      refused_for(shared, STATUS_PASSWORD_INCORRECT),
                      refused_for(shared, STATUS_TOO_MANY_ATTEMPTS));
}

static const struct {
    const char *outcome;
    enum status status;
} decoded[] = {
    {"made", STATUS_OK},
    {"not readable", STATUS_PHOTO_NOT_READABLE},
    {"too large", STATUS_PICTURE_TOO_LARGE},
    {"unavailable", STATUS_UNAVAILABLE},
};

static void write_pictures(struct buffer *out, const struct shared *shared)
{
    write_head(out, "pictures_total", "counter",
               "Photos and icons given to the decoder, by outcome.");
    for (size_t i = 0; i < sizeof decoded / sizeof *decoded; i++)
        buffer_add_format(out, "mapdiary_pictures_total{outcome=\"%s\"} %lu\n", decoded[i].outcome,
                          sum(shared, METRIC(pictures) + decoded[i].status * sizeof(atomic_ulong)));
}

/* What the processes are at -------------------------------------------------------------------- */

static const char *const stages[STAGE_COUNT] = {"missing", "starting", "idle",   "reading",
                                                "working", "decoding", "writing"};
static const char *const restarts[RESTART_COUNT] = {"died", "stuck", "recycled", "reloaded"};

static void write_gauge(struct buffer *out, const char *name, const char *help, int64_t value)
{
    write_head(out, name, "gauge", help);
    buffer_add_format(out, "mapdiary_%s %lld\n", name, (long long)value);
}

static void write_workers(struct buffer *out, const struct shared *shared)
{
    struct scoreboard_stages at = scoreboard_count(workers_of(shared));
    struct state_summary summary = state_summarize(shared->state, workers_of(shared));
    write_head(out, "workers", "gauge", "Workers by their stage.");
    for (int i = 0; i < STAGE_COUNT; i++)
        buffer_add_format(out, "mapdiary_workers{state=\"%s\"} %zu\n", stages[i], at.counts[i]);
    write_gauge(out, "workers_connected", "Workers that have their database.",
                (int64_t)summary.connected);
    write_gauge(out, "workers_with_replica", "Workers whose reads go to a replica.",
                (int64_t)summary.with_replica);
    write_gauge(out, "photos_usable", "1 if photos can be uploaded into photo_directory, else 0.",
                atomic_load(&shared->state->photos) == DISK_OURS);
    write_head(out, "worker_restarts_total", "counter",
               "Workers that ended, by reason; the waiter counts as one.");
    for (int i = 0; i < RESTART_COUNT; i++)
        buffer_add_format(out, "mapdiary_worker_restarts_total{reason=\"%s\"} %lu\n", restarts[i],
                          scoreboard_restarts(shared->scoreboard, (enum restart)i));
}

static void write_waiting(struct buffer *out, const struct state *state)
{
    write_gauge(out, "waiting_connections", "Connections whose request is not whole yet.",
                (int64_t)atomic_load(&state->waiter.requests));
    write_gauge(out, "waiting_answers", "Answers whose end the web server has not taken yet.",
                (int64_t)atomic_load(&state->waiter.answers));
    write_gauge(out, "spool_bytes", "Bytes of requests and answers in files.",
                atomic_load(&state->spooled));
}

static const struct {
    const char *name, *type;
    size_t offset;
    const char *help;
} permit_rows[] = {
    {"permits_held", "gauge", offsetof(struct permits_figures, held),
     "Permits that requests hold."},
    {"permits_waiting", "gauge", offsetof(struct permits_figures, waiting),
     "Requests that wait for a permit."},
    {"permits_refused_total", "counter", offsetof(struct permits_figures, refused),
     "Requests that got no permit in time."},
    {"work_seconds_total", "counter", offsetof(struct permits_figures, seconds),
     "Seconds that workers spent on requests, by their class."},
};

static void write_permits(struct buffer *out, const struct permits *permits)
{
    for (size_t row = 0; row < sizeof permit_rows / sizeof *permit_rows; row++) {
        write_head(out, permit_rows[row].name, permit_rows[row].type, permit_rows[row].help);
        for (int i = 0; i < WORK_CLASSES; i++) {
            const struct permits_figures look = permits_look(permits, (enum work_class)i);
            double value;
            memcpy(&value, (const char *)&look + permit_rows[row].offset, sizeof value);
            buffer_add_format(out, "mapdiary_%s{class=\"%s\"} %.15g\n", permit_rows[row].name,
                              look.class, value);
        }
    }
}

static void write_reports(struct buffer *out, const struct state *state)
{
    int64_t oldest = atomic_load(&state->figures.oldest_report), now = (int64_t)time(NULL);
    write_gauge(out, "reports_open", "Undecided reports by readers.",
                atomic_load(&state->figures.reports));
    write_gauge(out, "report_oldest_seconds", "How long the oldest undecided report has waited.",
                oldest > 0 && now > oldest ? now - oldest : 0);
}

static void write_processes(struct buffer *out, const struct scoreboard *scoreboard)
{
    write_head(out, "processes", "gauge", "Processes by kind and stage.");
    for (size_t i = 0; i < scoreboard->kind_count; i++) {
        struct scoreboard_stages at = scoreboard_count(&scoreboard->kinds[i]);
        for (int stage = 0; stage < STAGE_COUNT; stage++)
            buffer_add_format(out, "mapdiary_processes{kind=\"%s\",state=\"%s\"} %zu\n",
                              scoreboard->kinds[i].kind->name, stages[stage], at.counts[stage]);
    }
}

static void write_restarts(struct buffer *out, const struct scoreboard *scoreboard)
{
    write_head(out, "process_restarts_total", "counter",
               "Processes that ended, by kind and reason.");
    for (size_t i = 0; i < scoreboard->kind_count; i++)
        for (int why = 0; why < RESTART_COUNT; why++)
            buffer_add_format(out,
                              "mapdiary_process_restarts_total{kind=\"%s\",reason=\"%s\"} %lu\n",
                              scoreboard->kinds[i].kind->name, restarts[why],
                              atomic_load(&scoreboard->kinds[i].board->restarts[why]));
}

static void write_service(struct buffer *out, const struct scoreboard *scoreboard)
{
    write_head(out, "reloads_total", "counter", "Reloads of the configuration, by outcome.");
    buffer_add_format(out,
                      "mapdiary_reloads_total{outcome=\"applied\"} %lu\n"
                      "mapdiary_reloads_total{outcome=\"refused\"} %lu\n",
                      atomic_load(&scoreboard->settings->reloads),
                      atomic_load(&scoreboard->settings->failed_reloads));
    write_gauge(out, "start_time_seconds", "When the service was started, since the epoch.",
                scoreboard->started_at);
    write_head(out, "build_info", "gauge", "The version, as a label; always 1.");
    buffer_add_format(out, "mapdiary_build_info{version=\"%s\"} 1\n", PACKAGE_VERSION);
}

void metrics_page_write(const void *context, struct response *response)
{
    const struct shared *shared = context;
    struct buffer *out = &response->body;
    write_requests(out, shared);
    write_durations(out, shared);
    write_counters(out, shared);
    write_roles(out, shared);
    write_refused_logins(out, shared);
    write_pictures(out, shared);
    write_workers(out, shared);
    write_waiting(out, shared->state);
    write_permits(out, shared->permits);
    write_reports(out, shared->state);
    write_processes(out, shared->scoreboard);
    write_restarts(out, shared->scoreboard);
    write_service(out, shared->scoreboard);
}
