#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "ctl/probe.h"
#include "ctl/visit.h"
#include "db/conninfo.h"

/* The service ---------------------------------------------------------------------------------- */

#define RESTART "sudo systemctl restart mapdiary.socket mapdiary.service"
#define REMOTE_DATABASE MAPDIARY_EXAMPLES_DIRECTORY "/remote-database.conf"
#define SEE_THE_JOURNAL "; if that does not help: sudo journalctl -u mapdiary says why"

static const char *advise_unwell(const struct visit *visit)
{
    struct arena *arena = visit->run->arena;
    const char *host = db_conninfo_value(visit->config.database, "host", arena);
    bool is_tcp = (host != NULL && *host != '/') ||
                  db_conninfo_value(visit->config.database, "hostaddr", arena) != NULL;
    if (!visit->has_database || !visit->has_schema)
        return "mend what is named above; the service takes up its work by itself";
    if (is_tcp)
        return "its unit lets the service use no TCP, not even on this machine: sudo install -D "
               "-m 644 -t /etc/systemd/system/mapdiary.service.d " REMOTE_DATABASE
               " && sudo install -D -m 644 -t /etc/systemd/system/mapdiary-sweep.service.d " REMOTE_DATABASE
               " && sudo systemctl daemon-reload "
               "&& " RESTART;
    return RESTART SEE_THE_JOURNAL;
}

static const char *advise_service(const struct visit *visit, enum probe_outcome outcome)
{
    switch (outcome) {
    case PROBE_UNWELL:
        return advise_unwell(visit);
    case PROBE_FORBIDDEN:
        return "sudo mapdiaryctl doctor";
    case PROBE_OTHER:
        return visit_advise(visit, "let 'listen' in %s be the address on which the service listens",
                            visit->run->config_path);
    case PROBE_GOOD:
    case PROBE_NOBODY:
    case PROBE_SILENT:
        break;
    }
    return RESTART SEE_THE_JOURNAL;
}

/* A unit's sandbox has its own view of the folder, from when it was started. */
static const char *advise_sandbox(const struct visit *visit)
{
#define DROP_INS                                          \
    "/etc/systemd/system/mapdiary.service.d/photos.conf " \
    "/etc/systemd/system/mapdiary-sweep.service.d/photos.conf"
    return visit_advise(visit,
                        "the service writes only into the folders of its unit: "
                        "sudo mkdir -p /etc/systemd/system/mapdiary.service.d "
                        "/etc/systemd/system/mapdiary-sweep.service.d && "
                        "echo '[Service]' | sudo tee " DROP_INS " && "
                        "echo ReadWritePaths=-%s | sudo tee -a " DROP_INS " && "
                        "sudo systemctl daemon-reload && sudo systemctl restart mapdiary",
                        visit->config.photo_directory);
}

static enum probe_outcome check_service(struct visit *visit)
{
    char reason[PROBE_REASON_SIZE] = "";
    const char *listen = visit->config.listen;
    int64_t began_at = clock_milliseconds();
    enum probe_outcome outcome;
    do
        outcome = probe_service(listen, reason);
    while ((outcome != PROBE_GOOD || *reason != '\0') && visit_wait(visit, began_at));
    visit_find(visit, "service", outcome == PROBE_GOOD, advise_service(visit, outcome), "%s: %s%s",
               listen, outcome == PROBE_NOBODY ? "it does not run: " : "",
               outcome == PROBE_GOOD ? "connected to the database" : reason);
    if (outcome == PROBE_GOOD && visit->has_photos && *reason != '\0')
        visit_find(visit, "photos", false, advise_sandbox(visit), "the service says of %s: %s",
                   visit->config.photo_directory, reason);
    return outcome;
}

/* The web server ------------------------------------------------------------------------------- */

/* What is known of one that was asked. */
struct answer {
    enum probe_outcome outcome;
    const char *url;
    bool is_apache;
    char reason[PROBE_REASON_SIZE];
};

/* Keeps the answer that tells the most; of two that tell as much, the first. */
static bool ask(const char *url, struct answer *best)
{
    static const int worth[] = {[PROBE_GOOD] = 3,      [PROBE_UNWELL] = 2, [PROBE_OTHER] = 1,
                                [PROBE_FORBIDDEN] = 1, [PROBE_SILENT] = 1, [PROBE_NOBODY] = 0};
    struct answer answer = {.url = url};
    answer.outcome = probe_web(url, &answer.is_apache, answer.reason);
    if (best->url == NULL || worth[answer.outcome] > worth[best->outcome])
        *best = answer;
    return answer.outcome == PROBE_GOOD;
}

#define OTHER_NAME "; if the web server answers at another address: --url"

static const char *advise_nginx(enum probe_outcome outcome)
{
    if (outcome == PROBE_NOBODY)
        return "sudo systemctl restart nginx; if that does not help: sudo nginx -t says why";
    if (access("/etc/nginx/snippets/mapdiary.conf", F_OK) == 0)
        return "put the line 'include snippets/mapdiary.conf;' into a server { } of nginx "
               "(/etc/nginx/sites-enabled/default), then: sudo systemctl reload nginx" OTHER_NAME;
    return "sudo cp " MAPDIARY_DATA_DIRECTORY "/nginx/mapdiary-http.conf " MAPDIARY_DATA_DIRECTORY
           "/nginx/mapdiary-upstream.conf /etc/nginx/conf.d/, put the "
           "line 'include " MAPDIARY_DATA_DIRECTORY "/nginx/mapdiary.conf;' into a server { } of "
           "nginx (/etc/nginx/sites-enabled/default), then: sudo systemctl reload nginx" OTHER_NAME;
}

static const char *advise_apache(void)
{
    if (access("/etc/apache2/conf-available/mapdiary.conf", F_OK) == 0)
        return "sudo a2enmod asis headers proxy_fcgi && sudo a2enconf mapdiary && "
               "sudo systemctl restart apache2" OTHER_NAME;
    return "sudo cp " MAPDIARY_DATA_DIRECTORY "/apache/mapdiary.conf "
           "/etc/apache2/conf-available/ && sudo a2enmod asis headers proxy_fcgi && "
           "sudo a2enconf mapdiary && sudo systemctl restart apache2" OTHER_NAME;
}

static const char *advise_web(const struct visit *visit, const struct answer *answer)
{
    if (answer->outcome == PROBE_UNWELL)
        return visit_advise(visit,
                            "let the web server lead to %s (nginx: mapdiary-upstream.conf; "
                            "Apache: MAPDIARY_BACKEND), and its user have the group of that "
                            "socket; the error.log of the web server names the reason",
                            visit->config.listen);
    if (answer->is_apache || access("/etc/apache2/conf-enabled/mapdiary.conf", F_OK) == 0)
        return advise_apache();
    if (access("/usr/sbin/nginx", X_OK) == 0)
        return advise_nginx(answer->outcome);
    if (access("/usr/sbin/apache2", X_OK) == 0 || access("/usr/sbin/httpd", X_OK) == 0)
        return advise_apache();
    return "let nginx or Apache have the configuration that ships: for nginx, sudo apt install "
           "nginx, and sudo mapdiaryctl doctor once more" OTHER_NAME;
}

/* At localhost, too, as a machine may not reach its own public_url. */
static struct answer ask_web(const struct visit *visit, const char *url)
{
    const char *const urls[] = {visit_advise(visit, "%s/API.php", visit->config.public_url),
                                "http://localhost/API.php", "https://localhost/API.php"};
    struct answer best = {.url = NULL};
    if (url != NULL)
        (void)ask(url, &best);
    for (size_t i = 0; url == NULL && i < sizeof urls / sizeof *urls; i++)
        if (ask(urls[i], &best))
            break;
    return best;
}

/* The URL at which it reaches the service; NULL: nowhere. */
static const char *check_web_server(struct visit *visit, const char *url)
{
    int64_t began_at = clock_milliseconds();
    struct answer answer;
    do
        answer = ask_web(visit, url);
    while (answer.outcome != PROBE_GOOD && visit_wait(visit, began_at));
    bool is_good = answer.outcome == PROBE_GOOD;
    bool is_nowhere = url == NULL && !is_good && answer.outcome != PROBE_UNWELL;
    visit_find(visit, "web server", is_good, advise_web(visit, &answer), "%s%s: %s",
               is_nowhere ? "the map diary answers neither at public_url nor at localhost; " : "",
               answer.url, is_good ? "the service answers" : answer.reason);
    return is_good ? answer.url : NULL;
}

/* Before a service that does not answer, it could only say so; and of a photo one that is not well
 * says nothing else. */
void visit_servers(struct visit *visit, const char *url)
{
    enum probe_outcome outcome = check_service(visit);
    bool is_there = outcome == PROBE_GOOD || outcome == PROBE_UNWELL;
    const char *answered_at = is_there ? check_web_server(visit, url) : NULL;
    if (answered_at != NULL)
        visit_certificate(visit, answered_at);
    if (answered_at != NULL)
        visit_map(visit, answered_at);
    if (answered_at != NULL && outcome == PROBE_GOOD)
        visit_addresses(visit, url, answered_at);
}
