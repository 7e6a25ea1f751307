#include <poll.h>
#include <stdio.h>

#include "ctl/report_watch.h"
#include "store/report.h"

enum {
    LOOK_EACH = 60000, /* milliseconds, in case nobody has woken it */
    OVERLAP = 100,     /* identifiers: one may be committed behind a later one */
};

struct watch {
    struct command_db database;
    struct output_rows rows;
    int64_t newest;
    bool seen[OVERLAP]; /* of the identifiers up to the newest, by their remainder */
    enum status written;
};

static enum status take(void *context, struct db_row *row)
{
    struct watch *watch = context;
    struct db_row ahead = *row;
    int64_t id = db_read_integer(&ahead);
    if (id <= watch->newest && watch->seen[id % OVERLAP])
        return STATUS_OK;
    for (; watch->newest < id; watch->newest++)
        watch->seen[(watch->newest + 1) % OVERLAP] = false;
    watch->seen[id % OVERLAP] = true;
    watch->written = output_row(&watch->rows, row);
    return watch->written;
}

/* Whoever reads has each at once, or is gone. */
static bool look(struct watch *watch)
{
    int64_t after = watch->newest > OVERLAP ? watch->newest - OVERLAP : 0;
    (void)!report_watch(watch->database.batch, after, take, watch);
    db_batch_reset(watch->database.batch);
    return watch->written == STATUS_OK && fflush(stdout) == 0;
}

static void wait_for_news(struct db *db)
{
    struct pollfd server = {.fd = -1};
    int64_t wait = db_wants(db, &server);
    poll(&server, 1, wait >= 0 && wait < LOOK_EACH ? (int)wait : LOOK_EACH);
    db_advance(db);
}

static enum status begin(struct watch *watch)
{
    enum status status = report_newest(watch->database.batch, &watch->newest);
    db_batch_reset(watch->database.batch);
    for (int i = 0; i < OVERLAP; i++)
        watch->seen[i] = true;
    return status;
}

int report_watch_run(struct invocation *run, const char *const *columns)
{
    struct watch watch = {.rows = {run->out, columns}};
    command_db_open(&watch.database, &run->config, run->config.database, report_watching);
    enum status status = begin(&watch);
    while (status == STATUS_OK && look(&watch))
        wait_for_news(watch.database.db);
    command_db_close(&watch.database);
    return command_end(status, "reports");
}
