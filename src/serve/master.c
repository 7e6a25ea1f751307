#include "serve/master.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "base/memory.h"
#include "http/body.h"
#include "media/decoder.h"
#include "run/child.h"
#include "run/supervisor.h"
#include "serve/indexer.h"
#include "serve/shared.h"
#include "serve/waiter.h"
#include "serve/worker.h"
#include "settings/settings.h"

enum {
    TRY_PATIENCE = 2000, /* milliseconds that a new configuration may take to have its database */
    TRY_MOST = 5,        /* seconds, with the look-up of a name */
    DECODERS_MOST = 2,   /* that fail before nobody waits for the next */
};

struct master {
    const struct master_options *options;
    struct shared shared;
    int failed_decoders; /* that ended before they did anything, one after the other */
};

/* The children --------------------------------------------------------------------------------- */

static size_t workers_wanted(const struct config *config)
{
    return (size_t)config->workers;
}

static int run_worker(void *context, const struct config *config, struct scoreboard_slot *slot,
                      size_t number)
{
    struct master *master = context;
    return worker_run(&master->shared, config, slot, number);
}

static void worker_ended(void *context, size_t number, bool has_worked)
{
    const struct master *master = context;
    (void)has_worked;
    struct worker_state *worker = &master->shared.state->workers[number];
    spool_forget(&master->shared.state->spooled, &worker->spooled);
    permits_give_of_worker(master->shared.permits, number);
    atomic_store(&worker->connected, false);
}

static size_t one(const struct config *config)
{
    (void)config;
    return 1;
}

static int run_waiter(void *context, const struct config *config, struct scoreboard_slot *slot,
                      size_t number)
{
    struct master *master = context;
    (void)config, (void)number;
    return waiter_run(&master->shared, slot);
}

static void waiter_ended(void *context, size_t number, bool has_worked)
{
    const struct master *master = context;
    (void)number, (void)has_worked;
    spool_forget(&master->shared.state->spooled, &master->shared.state->waiter.spooled);
}

/*
 * Another program, which knows of no scoreboard: so it counts as ready before it is, and says by
 * CHILD_ALIVE that it goes on. It ends as the
 * waiter does, when no process is left that could ask it, as requests that are being finished do.
 */
static int run_decoder(void *context, const struct config *config, struct scoreboard_slot *slot,
                       size_t number)
{
    struct master *master = context;
    (void)number;
    channels_keep_decoder(&master->shared.channels);
    child_is_ready(slot);
    decoder_become(master->shared.channels.to_decoder.out, (enum log_level)config->log_level);
    return EXIT_FAILURE;
}

/* What waits for a decoder is for the next one. Where that does not start, as a library is missing,
 * it would wait in vain. */
static void decoder_ended(void *context, size_t number, bool has_worked)
{
    struct master *master = context;
    int channel = master->shared.channels.to_decoder.out;
    (void)number;
    master->failed_decoders = has_worked ? 0 : master->failed_decoders + 1;
    if (master->failed_decoders < DECODERS_MOST || channel < 0)
        return;
    decoder_refuse_all(channel);
    if (master->failed_decoders == DECODERS_MOST)
        log_error("mapdiary-decoder does not start, so photos are refused until it does; "
                  "'mapdiary-decoder --version' may say why");
}

static int64_t beat_limit(const struct config *config, enum stage stage)
{
    (void)config;
    return stage == STAGE_IDLE ? CHILD_MISSED : -1;
}

static int run_indexer(void *context, const struct config *config, struct scoreboard_slot *slot,
                       size_t number)
{
    struct master *master = context;
    (void)number;
    return indexer_run(&master->shared, config, slot);
}

static const struct child_kind kinds[] = {
    [KIND_WAITER] = {.name = "waiter",
                     .most = 1,
                     .wanted = one,
                     .run = run_waiter,
                     .ended = waiter_ended,
                     .limit = beat_limit,
                     .reload = CHILD_STAYS},
    [KIND_DECODER] = {.name = "decoder",
                      .most = 1,
                      .wanted = one,
                      .run = run_decoder,
                      .ended = decoder_ended,
                      .limit = beat_limit,
                      .reload = CHILD_STAYS},
    [KIND_INDEXER] = {.name = "indexer",
                      .most = 1,
                      .wanted = one,
                      .run = run_indexer,
                      .limit = indexer_limit,
                      .reload = CHILD_REPLACED},
    [KIND_WORKER] = {.name = "worker",
                     .most = STATE_WORKERS,
                     .wanted = workers_wanted,
                     .run = run_worker,
                     .ended = worker_ended,
                     .limit = worker_limit,
                     .reload = CHILD_REPLACED,
                     .feeds_watchdog = true},
    [KIND_COUNT] = {.name = NULL},
};

/* The supervisor's questions ------------------------------------------------------------------- */

static void warn_of_what_stays(const struct master *master, const struct config *config)
{
    if (strcmp(config->listen, master->options->config->listen) != 0)
        log_warning("listen is changed by a restart alone; the old socket stays");
    if (strcmp(config->spool_directory, master->shared.spool.directory) != 0)
        log_warning("spool_directory is changed by a restart alone; the old folder stays");
}

static bool workers_have_database(const struct master *master)
{
    const struct shared *shared = &master->shared;
    return state_summarize(shared->state, &shared->scoreboard->kinds[KIND_WORKER]).connected > 0;
}

/* In a process of its own, as the master itself talks to nobody. */
static int try_database(const struct config *config)
{
    signal(SIGALRM, SIG_DFL);
    alarm(TRY_MOST); /* the look-up of a name has no limit */
    return settings_have_database(config, TRY_PATIENCE) ? EXIT_SUCCESS : EXIT_FAILURE;
}

static bool would_have_database(const struct config *config)
{
    int status = EXIT_FAILURE;
    pid_t pid = fork();
    if (pid == 0)
        _exit(try_database(config));
    if (pid > 0)
        waitpid(pid, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS;
}

/* Workers that have their database are not changed for others that would have none. */
static bool is_no_worse(const struct master *master, const struct config *config)
{
    bool good = !workers_have_database(master) || would_have_database(config);
    if (!good)
        log_error("with the new configuration there would be no database");
    return good;
}

/* Those that processes heed who stay when the configuration changes. */
static void set_limits(const struct shared *shared, const struct config *config)
{
    struct state *state = shared->state;
    permits_set_workers(shared->permits, workers_wanted(config));
    atomic_store(&state->spool_size, config->spool_size);
    atomic_store(&state->body_most, body_most(config->photo_size));
}

static enum status reload(void *context)
{
    struct master *master = context;
    struct config config;
    enum status status = master->options->read_config(&config, master->options->config_path);
    if (status != STATUS_OK)
        return status;
    struct wording wording = {0};
    if (!is_no_worse(master, &config) ||
        settings_read_wording(&config, master->options->config_path, &wording) != STATUS_OK) {
        wording_free(&wording);
        config_free(&config);
        return STATUS_UNAVAILABLE;
    }
    warn_of_what_stays(master, &config);
    config_free(master->options->config);
    wording_free(&master->shared.wording);
    *master->options->config = config;
    master->shared.wording = wording;
    set_limits(&master->shared, &config);
    return STATUS_OK;
}

static void say_ready(const void *context)
{
    const struct master *master = context;
    log_notice("ready on %s with %zu workers", master->options->listener->name,
               workers_wanted(master->options->config));
}

static void describe(const void *context, char *status, size_t size)
{
    const struct master *master = context;
    const struct scoreboard_kind *workers = &master->shared.scoreboard->kinds[KIND_WORKER];
    struct state_summary summary = state_summarize(master->shared.state, workers);
    struct scoreboard_stages stages = scoreboard_count(workers);
    size_t all = workers_wanted(master->options->config);
    snprintf(status, size, "%zu of %zu workers, %zu idle; %lu requests; database: %s",
             all - stages.counts[STAGE_NONE], all, stages.counts[STAGE_IDLE], summary.requests,
             summary.connected > 0 || summary.reason == NULL ? "connected" : summary.reason);
}

/* The waiter and the decoder end when no process has the channels to them any more. */
static void withdraw(void *context)
{
    struct master *master = context;
    listener_withdraw(master->options->listener);
    channels_close(&master->shared.channels);
}

/* Running -------------------------------------------------------------------------------------- */

static bool open_shared(struct master *master)
{
    const struct master_options *options = master->options;
    struct shared *shared = &master->shared;
    *shared = (struct shared){.operations = options->operations,
                              .registry = options->registry,
                              .listener = options->listener,
                              .scoreboard = scoreboard_new(kinds),
                              .state = state_new(),
                              .permits = permits_new()};
    if (shared->scoreboard == NULL || shared->state == NULL || shared->permits == NULL ||
        !channels_open(&shared->channels))
        return false;
    shared->spool.directory = memory_copy_text(options->config->spool_directory);
    shared->spool.most = &shared->state->spool_size;
    shared->spool.all = &shared->state->spooled;
    shared->spool.full = &shared->state->spool_full;
    set_limits(shared, options->config);
    if (settings_read_wording(options->config, options->config_path, &shared->wording) != STATUS_OK)
        log_warning("starting without that; a reload reads it anew");
    return true;
}

static void close_shared(struct shared *shared)
{
    permits_free(&shared->permits);
    free((char *)(uintptr_t)shared->spool.directory);
    wording_free(&shared->wording);
    state_free(&shared->state);
    scoreboard_free(&shared->scoreboard);
}

int master_run(const struct master_options *options)
{
    struct master master = {.options = options};
    int status = EXIT_FAILURE;
    if (open_shared(&master)) {
        const struct supervisor_options supervisor = {.scoreboard = master.shared.scoreboard,
                                                      .config = options->config,
                                                      .context = &master,
                                                      .reload = reload,
                                                      .ready = say_ready,
                                                      .describe = describe,
                                                      .stopping = withdraw};
        status = supervisor_run(&supervisor);
    }
    close_shared(&master.shared);
    return status;
}
