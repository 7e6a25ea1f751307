/*
 * The doctor's look at the addresses of photos: as people reach them, so from without.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/user.h"
#include "ctl/probe.h"
#include "ctl/visit.h"
#include "store/photo_file.h"
#include "store/registry.h"
#include "store/trial.h"

/* That no photo has, so it is for the service to say that it is not there. */
static const char nobodys[] = "/photos/a1/00000000000000000000000000000000/small.jpg";

/* Of a photo that anybody may see; NULL where there is none. */
static const char *find_path(const struct visit *visit)
{
    struct trial trial;
    const char *path = NULL;
    trial_open(&trial, visit->config.database, store_registry);
    if (visit->has_database && picture_any_public(trial.batch, &path) == STATUS_OK)
        path = visit_advise(visit, "%s", path);
    trial_close(&trial);
    return path;
}

/* What the web server is known by, where somebody said it. */
static const char *known_address(const struct visit *visit, const char *url)
{
    const char *path = url != NULL ? strstr(url, "/API.php") : NULL;
    return path == NULL ? "https://diary.example"
                        : visit_advise(visit, "%.*s", (int)(path - url), url);
}

/* The first folder on the way to the photos that the web server's user cannot enter. */
static const char *find_closed(const struct visit *visit)
{
    struct stat found;
    const char *path = visit->config.photo_directory;
    for (const char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        const char *folder = visit_advise(visit, "%.*s", (int)(slash - path), path);
        user_return();
        bool is_closed = stat(folder, &found) == 0 && (found.st_mode & S_IXOTH) == 0;
        user_resume();
        if (is_closed)
            return folder;
    }
    return path;
}

/* The web server has answered at public_url: that is right, then, and its configuration is not. */
static const char *advise_configuration(const struct visit *visit)
{
    bool is_apache = access("/etc/apache2/conf-enabled/mapdiary.conf", F_OK) == 0;
    return visit_advise(visit,
                        "sudo systemctl reload %s; if that does not help, let the server of %s "
                        "have the configuration that ships, of this version, and lead to %s (%s)",
                        is_apache ? "apache2" : "nginx", visit->config.public_url,
                        visit->config.photo_directory,
                        is_apache ? "MAPDIARY_PHOTOS" : "$mapdiary_photos");
}

/* The URL is that of the endpoint at public_url. */
static bool is_public(const struct visit *visit, const char *url)
{
    const char *public_url = visit->config.public_url;
    size_t length = strlen(public_url);
    return strncmp(url, public_url, length) == 0 && strcmp(url + length, "/API.php") == 0;
}

#define SET_UP "sudo mapdiaryctl setup --public-url %s && sudo systemctl restart mapdiary"

static const char *advise(const struct visit *visit, enum probe_outcome outcome, const char *url)
{
    const char *known = known_address(visit, url);
    switch (outcome) {
    case PROBE_FORBIDDEN:
        return visit_advise(visit, "sudo chmod o+x %s", find_closed(visit));
    case PROBE_NOBODY:
    case PROBE_SILENT:
        return visit_advise(visit,
                            SET_UP "; if public_url is right, let that name lead to the web "
                                   "server from this machine, too (/etc/hosts)",
                            known);
    case PROBE_GOOD:
    case PROBE_UNWELL:
    case PROBE_OTHER:
        break;
    }
    return visit_advise(visit,
                        SET_UP "; if public_url is right, let the server of that name have the "
                               "configuration that ships (nginx: 'include snippets/mapdiary.conf;' "
                               "in its server { }, Apache: sudo a2enconf mapdiary), and lead to %s "
                               "and to %s ($mapdiary_photos, MAPDIARY_PHOTOS)",
                        known, visit->config.listen, visit->config.photo_directory);
}

static const char *say_what_is_good(const struct visit *visit, bool is_photo)
{
    bool is_here_alone = strstr(visit->config.public_url, "://localhost") != NULL;
    return visit_advise(visit, "%s%s",
                        is_photo ? "a photo comes from there"
                                 : "the service answers for photos, of which there are none yet",
                        is_here_alone ? "; for others than this machine: sudo mapdiaryctl setup "
                                        "--public-url https://diary.example"
                                      : "");
}

void visit_addresses(struct visit *visit, const char *url, const char *answered_at)
{
    char reason[PROBE_REASON_SIZE] = "";
    const char *path = find_path(visit);
    const char *address =
        visit_advise(visit, "%s%s", visit->config.public_url, path != NULL ? path : nobodys);
    int64_t began_at = clock_milliseconds();
    enum probe_outcome outcome;
    do
        outcome = probe_photo(address, path != NULL, reason);
    while (outcome != PROBE_GOOD && visit_wait(visit, began_at));
    bool is_good = outcome == PROBE_GOOD;
    bool is_unread = outcome == PROBE_OTHER && is_public(visit, answered_at);
    visit_find(visit, "photo addresses", is_good,
               is_unread ? advise_configuration(visit) : advise(visit, outcome, url), "%s: %s",
               visit->config.public_url, is_good ? say_what_is_good(visit, path != NULL) : reason);
}
