#include "serve/indexer.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/log.h"
#include "media/disk.h"
#include "media/remains.h"
#include "run/child.h"
#include "serve/indexer_counts.h"
#include "store/indexer.h"

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

struct indexer {
    struct db_options options;
    struct db *db;
    struct arena *arena;
    struct db_batch *batch;
    int64_t looked_at;
    int64_t singly;     /* so many things' words are taken one by one, as some failed */
    bool must_postpone; /* the next of them has failed by itself */
    struct tally *tally;
    struct indexer_figures *figures;
    struct progress *progress;
    const struct scoreboard *scoreboard;
    const char *photo_directory;
    atomic_bool *remains;
};

int64_t indexer_limit(const struct config *config, enum stage stage)
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

static void begin(struct indexer *indexer)
{
    progress_enter(indexer->progress, STAGE_WORKING); /* a limit for each statement */
    db_batch_reset(indexer->batch);
    db_start_request(indexer->db, "indexer");
}

static void look_at_reports(struct indexer *indexer)
{
    int64_t open = 0, oldest = 0;
    if (clock_milliseconds() < indexer->looked_at + LOOK_EVERY)
        return;
    indexer->looked_at = clock_milliseconds();
    begin(indexer);
    if (indexer_reports(indexer->batch, &open, &oldest) != STATUS_OK)
        return;
    atomic_store(&indexer->figures->reports, open);
    atomic_store(&indexer->figures->oldest_report, oldest);
}

/* True where there may be more. */
static bool count(struct indexer *indexer)
{
    int64_t counted = 0;
    begin(indexer);
    return indexer_counts(indexer->batch, COUNTS_MOST, &counted) == STATUS_OK &&
           counted >= COUNTS_MOST;
}

/* How many times as long as it works it rests: the longer the fewer workers are idle. It works all
 * of the time where nobody asks for anything, and a quarter of it where eight of eight, or more,
 * are at a request: then there is still time to find new pieces within a minute. */
static int64_t pressure(const struct indexer *indexer)
{
    struct scoreboard_stages at = scoreboard_count(&indexer->scoreboard->kinds[KIND_WORKER]);
    int64_t times = (int64_t)(4 * at.counts[STAGE_WORKING] / (at.counts[STAGE_IDLE] + 1));
    return times < PRESSURE_MOST ? times : PRESSURE_MOST;
}

static bool postpone(struct indexer *indexer)
{
    const char *thing = NULL;
    int64_t minutes = 0;
    begin(indexer);
    enum status status = indexer_postpone(indexer->batch, &thing, &minutes);
    if (status == STATUS_OK)
        log_warning("search: %s cannot be indexed; the others come first, and it is tried again in "
                    "%lld min",
                    thing, (long long)minutes);
    return status == STATUS_OK || status == STATUS_NOT_FOUND;
}

/* Where one of several things fails, each is taken by itself, and the one that fails again comes
 * behind the others. Nothing is tried again at once. */
static bool note_words(struct indexer *indexer)
{
    int64_t noted = 0, most = indexer->singly > 0 ? 1 : WORDS_MOST;
    indexer->must_postpone = indexer->must_postpone && !postpone(indexer);
    begin(indexer);
    if (indexer_words(indexer->batch, most, &noted) == STATUS_OK) {
        indexer->singly -= indexer->singly > 0;
        return noted > 0;
    }
    indexer->must_postpone = indexer->singly > 0;
    indexer->singly = WORDS_MOST;
    return false;
}

/* What a worker has left. Where it cannot be done now, it is tried again behind a rest. */
static void delete_remains(struct indexer *indexer)
{
    if (!atomic_exchange(indexer->remains, false))
        return;
    char marked[MARK_SIZE];
    begin(indexer);
    bool are_there = disk_find(indexer->photo_directory, indexer->batch, marked) == DISK_OURS;
    struct files *files = are_there ? files_open(indexer->photo_directory) : NULL;
    db_batch_reset(indexer->batch);
    if (files == NULL || !remains_delete(files, indexer->batch, REMAINS_MOST))
        atomic_store(indexer->remains, true);
    files_close(&files);
}

/* Some of it. True where there may be more. What fails keeps nothing else from being done. */
static bool work(struct indexer *indexer)
{
    int64_t done = 0;
    begin(indexer);
    if (indexer_upkeep(indexer->batch, &done) == STATUS_OK && done > 0)
        return true;
    look_at_reports(indexer);
    delete_remains(indexer);
    bool has_counts = count(indexer), has_words = note_words(indexer);
    return has_counts || has_words;
}

static bool write_counts(struct indexer *indexer)
{
    begin(indexer);
    return indexer_counts_write(indexer->tally, indexer->batch);
}

static bool open_indexer(struct indexer *indexer)
{
    indexer->db = db_new(&indexer->options);
    indexer->arena = arena_new();
    return db_connect_within(indexer->db, PATIENCE) == STATUS_OK;
}

/* The service ends: something is not written yet, or workers are at a request and may count. */
static bool may_count_more(const struct indexer *indexer)
{
    size_t there = 0;
    const struct scoreboard *scoreboard = indexer->scoreboard;
    struct scoreboard_stages at = scoreboard_count(&scoreboard->kinds[KIND_WORKER]);
    for (int stage = STAGE_NONE + 1; stage < STAGE_COUNT; stage++)
        there += at.counts[stage];
    return (there > 0 || indexer_counts_are_left(indexer->tally)) &&
           atomic_load(&scoreboard->settings->draining);
}

static void rest(const struct indexer *indexer)
{
    if (!is_told)
        sleep(REST);
    else if (may_count_more(indexer))
        poll(NULL, 0, LAST_REST);
    else
        _exit(EXIT_SUCCESS);
}

/* Less where they want it no more. */
static void give_way(const struct indexer *indexer, int64_t worked)
{
    int64_t began = clock_milliseconds();
    for (int64_t rested = 0;
         !is_told && rested < GIVE_WAY_MOST && rested < worked * pressure(indexer);
         rested = clock_milliseconds() - began)
        poll(NULL, 0, GIVE_WAY_STEP);
}

/* Without a database there is nothing to do, and the workers say so. */
static void go_round(struct indexer *indexer)
{
    bool has_more = false;
    if (db_connect(indexer->db) == STATUS_OK) {
        int64_t began = clock_milliseconds();
        indexer->batch = db_batch_new(indexer->db, indexer->arena);
        has_more = write_counts(indexer);
        has_more = (!is_told && work(indexer)) || has_more;
        db_batch_reset(indexer->batch);
        arena_reset(indexer->arena);
        give_way(indexer, clock_milliseconds() - began);
    }
    progress_enter(indexer->progress, STAGE_IDLE);
    if (!has_more)
        rest(indexer);
}

int indexer_run(struct shared *shared, const struct config *config, struct scoreboard_slot *slot)
{
    struct indexer indexer = {.tally = &shared->state->tally,
                              .figures = &shared->state->figures,
                              .progress = &slot->progress,
                              .photo_directory = config->photo_directory,
                              .remains = &shared->state->remains,
                              .scoreboard = shared->scoreboard,
                              .options = {.conninfo = config->database,
                                          .name = "mapdiary-indexer",
                                          .timezone = config->timezone,
                                          .timeout = MOST_TIME,
                                          .patience = PATIENCE,
                                          .quiet = true,
                                          .registry = indexer_registry,
                                          .use = DB_SERVICE}};
    prctl(PR_SET_NAME, "mapd-indexer"); /* of 15 bytes at most */
    prctl(PR_SET_PDEATHSIG, CHILD_STOP);
    channels_close(&shared->channels);
    (void)open_indexer(&indexer);
    child_is_ready(slot);
    leave_when_told();
    for (;;)
        go_round(&indexer);
}
