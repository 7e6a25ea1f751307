#include "cli/caller.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/user.h"
#include "db/conninfo.h"

void caller_explain_config(const char *path)
{
    if (euidaccess(path, R_OK) != 0 && errno == EACCES)
        log_error("%s may not read it; root may: sudo mapdiaryctl ...", user_name());
}

void caller_explain_refusal(const struct db *db, const char *conninfo, struct arena *arena)
{
    const char *role = db_conninfo_value(conninfo, "user", arena), *user = user_name();
    bool is_known_by_user = db_failure(db) == DB_FAILURE_REFUSED && db_conninfo_is_local(conninfo);
    if (is_known_by_user && role != NULL && strcmp(role, user) != 0)
        log_error("PostgreSQL knows the role %s by the user of that name, and this is %s; root "
                  "becomes that user: sudo mapdiaryctl ...",
                  role, user);
}
