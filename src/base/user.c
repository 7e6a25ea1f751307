#include "base/user.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"

static struct {
    bool acts; /* as these */
    uid_t user;
    gid_t group;
} self;

bool user_is_root(void)
{
    return geteuid() == 0;
}

const char *user_name(void)
{
    const struct passwd *user = getpwuid(geteuid());
    return user != NULL ? user->pw_name : "?";
}

/* The caller is root, who may be anybody again: that fails for want of memory alone. */
static void act_as(uid_t user, gid_t group)
{
    int error = errno;
    if (seteuid(0) != 0 || setegid(group) != 0 || seteuid(user) != 0)
        abort();
    errno = error;
}

static bool become(const struct passwd *user)
{
    if (initgroups(user->pw_name, user->pw_gid) != 0) {
        log_error("%s: %s", user->pw_name, strerror(errno));
        return false;
    }
    setenv("HOME", user->pw_dir, 1); /* where libpq looks for files of its user */
    self.acts = true;
    self.user = user->pw_uid;
    self.group = user->pw_gid;
    user_resume();
#ifdef __SANITIZE_ADDRESS__
    atexit(user_return); /* LeakSanitizer traces the process then, which takes root */
#endif
    return true;
}

bool user_become(const char *name)
{
    if (!user_is_root())
        return true;
    const struct passwd *user = getpwnam(name);
    if (user != NULL)
        return become(user);
    log_error("%s: no such user", name);
    return false;
}

bool user_become_owner(const char *folder)
{
    struct stat found;
    if (!user_is_root() || stat(folder, &found) != 0 || found.st_uid == 0)
        return true;
    const struct passwd *user = getpwuid(found.st_uid);
    if (user != NULL)
        return become(user);
    log_error("%s: its owner has no name", folder);
    return false;
}

void user_return(void)
{
    if (self.acts)
        act_as(0, 0);
}

void user_resume(void)
{
    if (self.acts)
        act_as(self.user, self.group);
}
