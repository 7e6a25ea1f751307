#include "serve/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"
#include "fcgi/responder.h"
#include "http/body.h"
#include "media/decoder_protocol.h"
#include "media/files.h"
#include "run/child.h"
#include "serve/admit.h"
#include "serve/pages.h"
#include "serve/passing.h"
#include "serve/photos.h"
#include "serve/wakeup.h"

enum {
    PATIENCE = 250,        /* milliseconds that a request waits for a database that was lost */
    FIRST_PATIENCE = 2000, /* that a new worker does, before one of another generation goes */
    FIRST_WAIT = 1,        /* millisecond for the next piece of a request */
    ADMISSION_MOST = 20,   /* milliseconds for all of them, before it must wait elsewhere */
    LAST_CALL = 1000,      /* milliseconds for what waits on the socket when the service ends */
};

struct worker {
    struct route_options databases;
    struct service service;
    const struct listener *listener;
    struct channels *channels;
    const struct scoreboard *scoreboard;
    struct scoreboard_slot *slot;
    struct worker_state *state;
    atomic_int *photos;          /* as found last, for all workers */
    unsigned long requests_most; /* 0: no limit */
    struct wakeup wakeup;
    bool must_stop;
    struct spool spool;
    struct passing passing;
    struct input_options input_options;
    struct input input;
    struct admission admission;
    struct responder responder;
};

int64_t worker_limit(const struct config *config, enum stage stage)
{
    switch (stage) {
    case STAGE_READING:
    case STAGE_WRITING:
        return config->io_timeout;
    case STAGE_WORKING: /* which bounds itself in all it does */
        return config->request_timeout + config->io_timeout;
    case STAGE_DECODING: /* which bounds itself, too */
        return (int64_t)DECODER_PATIENCE * 1000 + config->io_timeout;
    case STAGE_NONE:
    case STAGE_STARTING:
    case STAGE_IDLE:
    case STAGE_COUNT:
        break;
    }
    return -1;
}

/*
 * After responder_open(), which puts handlers of its own on SIGTERM, SIGUSR1 and SIGPIPE: its
 * SIGTERM cuts a request short. Nobody waits for the children that cancel. A worker whose master
 * died has nobody to stop it.
 */
static void set_signals(void)
{
    static const int ignored[] = {SIGPIPE, SIGINT, SIGHUP, SIGUSR1, SIGCHLD};
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        signal(ignored[i], SIG_IGN);
    prctl(PR_SET_PDEATHSIG, CHILD_STOP);
}

/* Waiting for work ----------------------------------------------------------------------------- */

/* So that /healthz can tell from the scoreboard alone. */
static void show_database(struct worker *worker)
{
    struct route *route = worker->service.route;
    bool ready = route_is_ready(route);
    if (!ready)
        snprintf(worker->state->reason, sizeof worker->state->reason, "%s",
                 db_reason(route_primary(route)));
    atomic_store(&worker->state->connected, ready);
    atomic_store(&worker->state->has_replica, route_has_replica(route));
}

/* A connection, or -1 where there is none after all: another worker took it. */
static int accept_connection(const struct worker *worker)
{
    int connection = accept4(worker->listener->descriptor, NULL, NULL, SOCK_CLOEXEC);
    if (connection < 0 &&
        (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)) {
        log_error("accept: %s", strerror(errno));
        poll(NULL, 0, 100);
    }
    return connection;
}

/* A web server sends as soon as it has connected: who does so need not go to the waiter. */
static bool is_readable(int connection)
{
    struct pollfd waited = {.fd = connection, .events = POLLIN};
    return poll(&waited, 1, FIRST_WAIT) > 0;
}

/* Takes in what has come of a request: all of it, from a web server that sends it as soon as it has
 * connected. Answers the connection then, else -1. */
static int admit(struct worker *worker, int connection)
{
    struct input *input = &worker->input;
    input_reset(input, &worker->spool);
    int64_t end = clock_milliseconds() + ADMISSION_MOST;
    do {
        if (input_read(input, connection, &worker->input_options) != STATUS_OK) {
            input_reset(input, &worker->spool);
            close(connection);
            return -1;
        }
    } while (!input_is_whole(input) && clock_milliseconds() < end && is_readable(connection));
    if (input_is_whole(input))
        return connection;
    pass_request(&worker->passing, connection, input);
    return -1;
}

static int accept_request(struct worker *worker)
{
    int connection = accept_connection(worker);
    return connection < 0 ? -1 : admit(worker, connection);
}

/* The connection of a request that the waiter is done with, and the request as the input. */
static enum handoff_arrival take_pending(struct worker *worker, int flags, int *connection)
{
    struct pending pending = {.connection = -1, .input = worker->input};
    enum handoff_arrival arrival = passing_take(&worker->passing, &pending, flags);
    worker->input = pending.input;
    if (arrival == HANDOFF_CAME && pending.kind == PENDING_PERMIT)
        admission_resume(&worker->admission, &pending.asker, &pending.permit);
    *connection = pending.connection;
    return arrival;
}

/* Waits until there may be a request, and answers its connection, or -1; meanwhile the databases
 * come and go. */
static int wait_for_request(struct worker *worker)
{
    struct route *route = worker->service.route;
    unsigned int reasons = wakeup_wait(&worker->wakeup, route);
    int connection = -1;
    worker->must_stop |= (reasons & WAKEUP_STOP) != 0;
    if (reasons & WAKEUP_DATABASE) {
        route_advance(route);
        show_database(worker);
    }
    if (reasons & WAKEUP_LISTENER)
        connection = accept_request(worker);
    if (connection < 0 && (reasons & WAKEUP_CHANNEL) && !worker->must_stop)
        (void)take_pending(worker, MSG_DONTWAIT, &connection);
    return connection;
}

/* Serving -------------------------------------------------------------------------------------- */

/* Nothing was written. The request begins again when it comes back. */
static void wait_elsewhere(struct worker *worker, int connection)
{
    const struct asker asker = worker->admission.asker;
    responder_give_back(&worker->responder);
    admission_end(&worker->admission);
    pass_waiting(&worker->passing, connection, &worker->input, &asker);
}

static void end_answer(struct worker *worker, bool is_complete)
{
    struct responder *responder = &worker->responder;
    if (!is_complete)
        responder_break(responder);
    if (!responder_end(responder))
        pass_answer(&worker->passing, &responder->output);
    atomic_fetch_add(&worker->slot->served, 1);
}

static void answer_request(struct worker *worker, int connection)
{
    struct admission *admission = &worker->admission;
    bool is_complete = false;
    if (!responder_begin(&worker->responder, &worker->input, connection)) {
        close(connection);
        return;
    }
    photos_look(&worker->service, worker->photos);
    admission->may_wait = worker->channels->to_waiter.in >= 0;
    enum status status = admit_request(admission, &worker->responder, worker->service.arena);
    if (!admission->must_wait)
        is_complete = exchange_run(&worker->service, &worker->responder, status);
    if (admission->must_wait)
        wait_elsewhere(worker, connection);
    else
        end_answer(worker, is_complete);
}

static void serve(struct worker *worker, int connection)
{
    struct progress *progress = worker->service.progress;
    progress_enter(progress, STAGE_READING);
    answer_request(worker, connection);
    admission_end(&worker->admission);
    input_reset(&worker->input, &worker->spool);
    if (atomic_load(&worker->state->connected) != route_is_ready(worker->service.route))
        show_database(worker);
    progress_enter(progress, STAGE_IDLE);
}

static bool has_served_enough(const struct worker *worker)
{
    return worker->requests_most > 0 && atomic_load(&worker->slot->served) >= worker->requests_most;
}

/* Until the waiter has ended, after all the workers came to this. */
static void serve_pending(struct worker *worker)
{
    int connection;
    pass_no_more(&worker->passing);
    while (take_pending(worker, 0, &connection) != HANDOFF_NO_MORE)
        if (connection >= 0)
            serve(worker, connection);
}

/* Who has connected by now is answered. When the service ends, its socket goes with it, and what
 * waits there is served, too, as are those whose request has begun to come. */
static void serve_last(struct worker *worker)
{
    bool socket_ends = !worker->listener->handed_over;
    int64_t end = clock_milliseconds() + LAST_CALL;
    int connection;
    while (socket_ends && clock_milliseconds() < end &&
           (connection = accept_connection(worker)) >= 0)
        if (admit(worker, connection) >= 0)
            serve(worker, connection);
    serve_pending(worker);
}

static void serve_all(struct worker *worker)
{
    while (!worker->must_stop && !has_served_enough(worker)) {
        int connection = wait_for_request(worker);
        if (connection >= 0)
            serve(worker, connection);
    }
    if (atomic_load(&worker->scoreboard->settings->draining))
        serve_last(worker);
}

/* Between half of max_requests and all of it, so that they do not end all at once. */
static unsigned long requests_most(const struct config *config, size_t slot)
{
    int64_t workers = config->workers, most = config->max_requests;
    int64_t part = (int64_t)slot % workers;
    return (unsigned long)(most - most / 2 * part / workers);
}

/* Without a database the worker serves all the same: it says so to every request until there is
 * one. */
static bool start(struct worker *worker)
{
    channels_keep_workers(worker->channels);
    if (!responder_open(&worker->responder, &worker->spool))
        return false;
    set_signals();
    if (!wakeup_open(&worker->wakeup, worker->listener->descriptor,
                     worker->channels->to_workers.out)) {
        log_error("epoll: %s", strerror(errno));
        return false;
    }
    if (db_connect_within(route_primary(worker->service.route), FIRST_PATIENCE) != STATUS_OK)
        log_warning("starting without the database");
    photos_look(&worker->service, worker->photos);
    show_database(worker);
    child_is_ready(worker->slot);
    return true;
}

static struct route_options databases_of(const struct shared *shared, const struct config *config,
                                         struct db_counters *counters)
{
    struct route_options databases = {.lag_most = config->max_replica_lag};
    databases.primary = (struct db_options){.conninfo = config->database,
                                            .timezone = config->timezone,
                                            .settings = shared->wording.settings,
                                            .timeout = config->request_timeout,
                                            .patience = PATIENCE,
                                            .trace = config->trace_database,
                                            .registry = shared->registry,
                                            .use = DB_SERVICE,
                                            .counters = counters};
    databases.replica = databases.primary;
    databases.replica.conninfo = *config->read_database != '\0' ? config->read_database : NULL;
    databases.replica.patience = 0; /* the primary answers instead */
    return databases;
}

static struct service new_service(const struct shared *shared, const struct config *config,
                                  const struct route_options *databases, struct progress *progress,
                                  struct metrics *metrics)
{
    return (struct service){.config = config,
                            .operations = shared->operations,
                            .pages = service_pages,
                            .pages_context = shared,
                            .metrics = metrics,
                            .tally = &shared->state->tally,
                            .rate = &shared->state->rate,
                            .remains = &shared->state->remains,
                            .progress = progress,
                            .route = route_new(databases),
                            .photos = {.directory = config->photo_directory},
                            .mail_texts = shared->wording.mail_texts,
                            .held_words = shared->wording.held_words,
                            .arena = arena_new(),
                            .decoder = shared->channels.to_decoder.in};
}

static void finish(struct worker *worker)
{
    responder_close(&worker->responder);
    channels_close(worker->channels);
    wakeup_close(&worker->wakeup);
    input_free(&worker->input, &worker->spool);
    buffer_free(&worker->service.texts);
    response_free(&worker->service.response);
    disk_close(&worker->service.photos);
    arena_free(&worker->service.arena);
    route_free(&worker->service.route);
}

int worker_run(struct shared *shared, const struct config *config, struct scoreboard_slot *slot,
               size_t number)
{
    /* Else each longer answer's memory is given back, and fetched from the kernel by the next one:
     * a quarter of the time that such answers take (tests/bench/finding; mallopt(3)). */
    mallopt(M_TRIM_THRESHOLD, 4 << 20);
    mallopt(M_MMAP_THRESHOLD, 1 << 20);
    struct worker_state *state = &shared->state->workers[number];
    struct worker worker = {.databases = databases_of(shared, config, &state->database),
                            .listener = shared->listener,
                            .channels = &shared->channels,
                            .scoreboard = shared->scoreboard,
                            .slot = slot,
                            .state = state,
                            .photos = &shared->state->photos,
                            .spool = shared_spool(shared, &state->spooled),
                            .admission = {.permits = shared->permits, .worker = number},
                            .requests_most = requests_most(config, number)};
    worker.service =
        new_service(shared, config, &worker.databases, &slot->progress, &state->metrics);
    worker.service.admission = &worker.admission;
    worker.service.uploads =
        (struct upload_place){photos_new_file, &worker.service, config->photo_size};
    worker.passing = (struct passing){worker.channels, &worker.spool, config->io_timeout};
    worker.input_options = (struct input_options){&worker.spool, body_most(config->photo_size)};
    bool started = start(&worker);
    if (started)
        serve_all(&worker);
    finish(&worker);
    return started ? EXIT_SUCCESS : EXIT_FAILURE;
}
