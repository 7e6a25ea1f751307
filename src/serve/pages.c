#include "serve/pages.h"

#include "api/picture.h"
#include "media/disk.h"
#include "openapi/openapi.h"
#include "serve/metrics_page.h"
#include "serve/shared.h"

/* The format: https://prometheus.io/docs/instrumenting/exposition_formats/ (text, 0.0.4). */
static const char prometheus[] = "text/plain; version=0.0.4; charset=utf-8";

/* The worker that answers has looked a moment ago. */
static void add_photos(struct response *response, enum disk_state found)
{
    if (found != DISK_OURS)
        buffer_add_format(&response->body, "photos: the folder %s\n", disk_words(found));
}

static void write_health(const void *context, struct response *response)
{
    const struct shared *shared = context;
    struct state_summary summary =
        state_summarize(shared->state, &shared->scoreboard->kinds[KIND_WORKER]);
    if (summary.connected > 0) {
        buffer_add_text(&response->body, "ok\n");
        add_photos(response, (enum disk_state)atomic_load(&shared->state->photos));
        return;
    }
    response->http_status = 503;
    response->reason = "Service Unavailable";
    response_header(response, "Retry-After", "1");
    buffer_add_format(&response->body, "no worker has its database: %s\n",
                      summary.reason != NULL ? summary.reason : "not connected yet");
}

static void write_description(const void *context, struct response *response)
{
    const struct shared *shared = context;
    openapi_write(shared->operations, &response->body);
}

const struct page service_pages[] = {
    {"/healthz", NULL, "text/plain; charset=utf-8", write_health, .is_public = false},
    {"/metrics", NULL, prometheus, metrics_page_write, .is_public = false},
    {"/openapi.json", NULL, "application/json", write_description, .is_public = true},
    {"/photos", .answer = picture_answer},
    {.script_name = NULL},
};
