#include "serve/keeper.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/log.h"
#include "media/remains.h"
#include "run/child.h"
#include "serve/keeper_counts.h"
#include "store/keeper.h"

enum {
    REST = 1,               /* second between two looks at what there is to do */
    LOOK_EVERY = 5000,      /* milliseconds, at what operators watch */
    COUNTS_MOST = 10000,    /* at a time, a third of a second */
    WORDS_MOST = 1000,      /* at a time */
    PATIENCE = 2000,        /* milliseconds for a connection */
    MOST_TIME = 600 * 1000, /* milliseconds for what is done at a time: the first look at ten
                               million pieces takes minutes */
    PRESSURE_MOST = 3,      /* times as long as it has worked */
    GIVE_WAY_MOST = 10000,  /* milliseconds */
    GIVE_WAY_STEP = 50,     /* milliseconds between two looks at whether they still want it */
    REMAINS_MOST = 1000,    /* milliseconds for files of photos that have gone */
    LAST_REST = 20,         /* milliseconds between two looks, when it has been told to end */
    LAST_CALL = 5,          /* seconds to write what is counted when it is told to end */
};

struct keeper {
    struct db_options options;
    struct db *db;
    struct arena *arena;
    struct db_batch *batch;
    int64_t looked_at;
    int64_t singly;     /* so many things' words are taken one by one, as some failed */
    bool must_postpone; /* the next of them has failed by itself */
    struct tally *tally;
    struct keeper_figures *figures;
    struct progress *progress;
    const struct scoreboard *scoreboard;
    const char *photo_directory;
    atomic_bool *remains;
};

int64_t keeper_limit(const struct config *config, enum stage stage)
{
    (void)config;
    return stage == STAGE_WORKING ? MOST_TIME + CHILD_BEAT : CHILD_MISSED;
}

static volatile sig_atomic_t is_told;

static void hear(int signal)
{
    (void)signal;
    is_told = 1;
    alarm(LAST_CALL);
}

static void leave(int signal)
{
    (void)signal;
    _exit(EXIT_SUCCESS);
}

static void unblock(int signal, void (*handler)(int))
{
    const struct sigaction action = {.sa_handler = handler};
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, signal);
    sigaction(signal, &action, NULL);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
}

/* What is counted is written before; but PostgreSQL may take long to answer, and takes back what is
 * not committed. */
static void leave_when_told(void)
{
    unblock(SIGALRM, leave);
    unblock(CHILD_STOP, hear);
}

static void begin(struct keeper *keeper)
{
    progress_enter(keeper->progress, STAGE_WORKING); /* a limit for each statement */
    db_batch_reset(keeper->batch);
    db_start_request(keeper->db, "keeper");
}

static void look_at_reports(struct keeper *keeper)
{
    int64_t open = 0, oldest = 0;
    if (clock_milliseconds() < keeper->looked_at + LOOK_EVERY)
        return;
    keeper->looked_at = clock_milliseconds();
    begin(keeper);
    if (keeper_reports(keeper->batch, &open, &oldest) != STATUS_OK)
        return;
    atomic_store(&keeper->figures->reports, open);
    atomic_store(&keeper->figures->oldest_report, oldest);
}

/* True where there may be more. */
static bool count(struct keeper *keeper)
{
    int64_t counted = 0;
    begin(keeper);
    return keeper_counts(keeper->batch, COUNTS_MOST, &counted) == STATUS_OK &&
           counted >= COUNTS_MOST;
}

/* How many times as long as it works it rests: the longer the fewer workers are idle. It works all
 * of the time where nobody asks for anything, and a quarter of it where eight of eight, or more,
 * are at a request: then there is still time to find new pieces within a minute. */
static int64_t pressure(const struct keeper *keeper)
{
    struct scoreboard_stages at = scoreboard_count(&keeper->scoreboard->kinds[KIND_WORKER]);
    int64_t times = (int64_t)(4 * at.counts[STAGE_WORKING] / (at.counts[STAGE_IDLE] + 1));
    return times < PRESSURE_MOST ? times : PRESSURE_MOST;
}

static bool postpone(struct keeper *keeper)
{
    const char *thing = NULL;
    int64_t minutes = 0;
    begin(keeper);
    enum status status = keeper_postpone(keeper->batch, &thing, &minutes);
    if (status == STATUS_OK)
        log_warning("search: %s cannot be indexed; the others come first, and it is tried again in "
                    "%lld min",
                    thing, (long long)minutes);
    return status == STATUS_OK || status == STATUS_NOT_FOUND;
}

/* Where one of several things fails, each is taken by itself, and the one that fails again comes
 * behind the others. Nothing is tried again at once. */
static bool note_words(struct keeper *keeper)
{
    int64_t noted = 0, most = keeper->singly > 0 ? 1 : WORDS_MOST;
    keeper->must_postpone = keeper->must_postpone && !postpone(keeper);
    begin(keeper);
    if (keeper_words(keeper->batch, most, &noted) == STATUS_OK) {
        keeper->singly -= keeper->singly > 0;
        return noted > 0;
    }
    keeper->must_postpone = keeper->singly > 0;
    keeper->singly = WORDS_MOST;
    return false;
}

/* What a worker has left. Where it cannot be done now, it is tried again behind a rest. */
static void delete_remains(struct keeper *keeper)
{
    if (!atomic_exchange(keeper->remains, false))
        return;
    struct files *files = files_open(keeper->photo_directory);
    begin(keeper);
    if (files == NULL || !remains_delete(files, keeper->batch, REMAINS_MOST))
        atomic_store(keeper->remains, true);
    files_close(&files);
}

/* Some of it. True where there may be more. What fails keeps nothing else from being done. */
static bool work(struct keeper *keeper)
{
    int64_t done = 0;
    begin(keeper);
    if (keeper_house(keeper->batch, &done) == STATUS_OK && done > 0)
        return true;
    look_at_reports(keeper);
    delete_remains(keeper);
    bool has_counts = count(keeper), has_words = note_words(keeper);
    return has_counts || has_words;
}

static bool write_counts(struct keeper *keeper)
{
    begin(keeper);
    return keeper_counts_write(keeper->tally, keeper->batch);
}

static bool open_keeper(struct keeper *keeper)
{
    keeper->db = db_new(&keeper->options);
    keeper->arena = arena_new();
    return db_connect_within(keeper->db, PATIENCE) == STATUS_OK;
}

/* The service ends: something is not written yet, or workers are at a request and may count. */
static bool may_count_more(const struct keeper *keeper)
{
    size_t there = 0;
    const struct scoreboard *scoreboard = keeper->scoreboard;
    struct scoreboard_stages at = scoreboard_count(&scoreboard->kinds[KIND_WORKER]);
    for (int stage = STAGE_NONE + 1; stage < STAGE_COUNT; stage++)
        there += at.counts[stage];
    return (there > 0 || keeper_counts_are_left(keeper->tally)) &&
           atomic_load(&scoreboard->settings->draining);
}

static void rest(const struct keeper *keeper)
{
    if (!is_told)
        sleep(REST);
    else if (may_count_more(keeper))
        poll(NULL, 0, LAST_REST);
    else
        _exit(EXIT_SUCCESS);
}

/* Less where they want it no more. */
static void give_way(const struct keeper *keeper, int64_t worked)
{
    int64_t began = clock_milliseconds();
    for (int64_t rested = 0;
         !is_told && rested < GIVE_WAY_MOST && rested < worked * pressure(keeper);
         rested = clock_milliseconds() - began)
        poll(NULL, 0, GIVE_WAY_STEP);
}

/* Without a database there is nothing to do, and the workers say so. */
static void keep(struct keeper *keeper)
{
    bool has_more = false;
    if (db_connect(keeper->db) == STATUS_OK) {
        int64_t began = clock_milliseconds();
        keeper->batch = db_batch_new(keeper->db, keeper->arena);
        has_more = write_counts(keeper);
        has_more = (!is_told && work(keeper)) || has_more;
        db_batch_reset(keeper->batch);
        arena_reset(keeper->arena);
        give_way(keeper, clock_milliseconds() - began);
    }
    progress_enter(keeper->progress, STAGE_IDLE);
    if (!has_more)
        rest(keeper);
}

int keeper_run(struct shared *shared, const struct config *config, struct scoreboard_slot *slot)
{
    struct keeper keeper = {.tally = &shared->state->tally,
                            .figures = &shared->state->figures,
                            .progress = &slot->progress,
                            .photo_directory = config->photo_directory,
                            .remains = &shared->state->remains,
                            .scoreboard = shared->scoreboard,
                            .options = {.conninfo = config->database,
                                        .name = "mapdiary-keeper",
                                        .timezone = config->timezone,
                                        .timeout = MOST_TIME,
                                        .patience = PATIENCE,
                                        .quiet = true,
                                        .registry = keeper_registry,
                                        .use = DB_SERVICE}};
    prctl(PR_SET_NAME, "mapd-keeper"); /* of 15 bytes at most */
    prctl(PR_SET_PDEATHSIG, CHILD_STOP);
    channels_close(&shared->channels);
    (void)open_keeper(&keeper);
    child_is_ready(slot);
    leave_when_told();
    for (;;)
        keep(&keeper);
}
