#include <errno.h>
#include <grp.h>
#include <unistd.h>

#include "base/user.h"
#include "ctl/groups.h"
#include "ctl/visit.h"
#include "settings/settings.h"

enum { URL, WRONG };

static const struct parameter parameters[] = {
    [URL] = {.name = "url",
             .type = {VALUE_LINE, RANGE(1, 1000)},
             .value = "URL",
             .meaning = "the address of the web server (public_url, or else localhost)"},
    [WRONG] = {.name = "wrong", .type = {.kind = VALUE_FLAG}, .meaning = "show only faults"},
    PARAMETERS_END,
};

static const char *own_group(void)
{
    const struct group *group = getgrgid(getegid());
    return group != NULL ? group->gr_name : "mapdiary";
}

static void report_unreadable(struct visit *visit, const char *path)
{
    const char *advice = geteuid() == getuid()
                             ? "sudo mapdiaryctl doctor"
                             : visit_advise(visit,
                                            "sudo chgrp %s %s && sudo chmod 640 %s && "
                                            "sudo systemctl restart mapdiary",
                                            own_group(), path, path);
    visit_find(visit, "configuration", false, advice, "%s: %s may not read it", path, user_name());
}

/* Reads it, and becomes who the service is. */
static bool read_configuration(struct visit *visit)
{
    const char *path = visit->run->config_path;
    bool is_read = config_read(&visit->config, path) == STATUS_OK;
    bool is_closed = !is_read && euidaccess(path, R_OK) != 0 && errno == EACCES;
    if (is_read) {
        is_read = user_become_owner(visit->config.spool_directory);
        is_closed = euidaccess(path, R_OK) != 0;
    }
    if (is_closed)
        report_unreadable(visit, path);
    else
        visit_find(visit, "configuration",
                   is_read && settings_check_values(&visit->config, path) == STATUS_OK,
                   "mend what is named above (sudo mapdiaryd -T shows all keys), then: "
                   "sudo systemctl restart mapdiary",
                   "%s", path);
    return is_read;
}

static int doctor(struct invocation *run)
{
    struct visit visit = {.run = run, .shows_all = run->values[WRONG].text == NULL};
    if (!read_configuration(&visit)) {
        config_free(&visit.config);
        return EXIT_CONFIGURATION;
    }
    visit_database(&visit);
    visit_photos(&visit);
    visit_mail(&visit);
    visit_servers(&visit, run->values[URL].text);
    config_free(&visit.config);
    return visit.is_sick ? EXIT_FAILED : EXIT_DONE;
}

const struct command doctor_commands[] = {
    {.summary =
         "check configuration, database, time zone, schema, roles, clock, connections, counts, "
         "room, key file, photos, mails, mail server, service, web server, certificate, "
         "file of streets and addresses of photos",
     .details =
         "Each fault comes with its cure, and makes the exit status 1. Root looks as the user of\n"
         "the service. The doctor waits some seconds for a change on its way, such as a service\n"
         "that starts or a web server that reloads.",
     .parameters = parameters,
     .shows = SHOWS_LIST,
     .needs_no_config = true,
     .run = doctor},
    COMMANDS_END,
};
