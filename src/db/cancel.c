/*
 * Cancels from a process of its own.
 */
#include "db/cancel.h"

#include <signal.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/log.h"

enum { CANCEL_MOST = 3 }; /* seconds */

/*
 * PQcancel() makes a connection of its own and waits for it as long as it takes, even where nobody
 * answers. So a child does it, whom the alarm ends. The worker, which ignores SIGCHLD, need not
 * wait.
 */
void db_cancel(PGconn *connection)
{
    PGcancel *cancel = PQgetCancel(connection);
    char error[256];
    if (cancel == NULL)
        return;
    pid_t child = fork();
    if (child == 0) {
        signal(SIGALRM, SIG_DFL);
        alarm(CANCEL_MOST);
        /* The client's connection among them, which would not end before this does. */
        close_range(STDERR_FILENO + 1, ~0U, 0);
        _exit(PQcancel(cancel, error, sizeof error) ? 0 : 1);
    }
    if (child < 0)
        log_warning("database: no process to cancel with; statement_timeout will do it");
    PQfreeCancel(cancel);
}
