#include "ctl/patience.h"

#include <time.h>

#include "base/clock.h"
#include "base/log.h"
#include "store/migration.h"

/* Another program keeps a table locked, as pg_dump does until the dump is written. */
static void complain_of_locks(const struct command_db *db, const char *command)
{
    const char *holders = NULL;
    db_batch_reset(db->batch);
    if (migration_find_holders(db->batch, &holders) == STATUS_OK && holders != NULL)
        log_error("nothing was changed, because others keep tables locked: %s; once they have "
                  "ended: %s",
                  holders, command);
    else
        log_error("nothing was changed, because the database did not let it; try again: %s",
                  command);
}

enum status patience_try(const struct command_db *db, patience_attempt *attempt, void *context,
                         const char *command)
{
    enum { PATIENCE = 60000 }; /* milliseconds */
    static const struct timespec pause = {.tv_sec = 1, .tv_nsec = 500000000};
    int64_t until = clock_milliseconds() + PATIENCE;
    enum status status;
    while ((status = attempt(context)) == STATUS_UNAVAILABLE && clock_milliseconds() < until)
        (void)nanosleep(&pause, NULL);
    if (status == STATUS_UNAVAILABLE)
        complain_of_locks(db, command);
    return status;
}
