#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "ctl/probe.h"
#include "ctl/visit.h"
#include "ctl/web_servers.h"
#include "db/conninfo.h"

/* The service ---------------------------------------------------------------------------------- */

#define RESTART "sudo systemctl restart mapdiary.socket mapdiary.service"
#define REMOTE_DATABASE MAPDIARY_EXAMPLES_DIRECTORY "/remote-database.conf"
#define SEE_THE_JOURNAL "; where that does not do: sudo journalctl -u mapdiary says why"

static const char *advise_unwell(const struct visit *visit)
{
    struct arena *arena = visit->run->arena;
    const char *host = db_conninfo_value(visit->config.database, "host", arena);
    bool is_tcp = (host != NULL && *host != '/') ||
                  db_conninfo_value(visit->config.database, "hostaddr", arena) != NULL;
    if (!visit->has_database)
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
        return visit_advise(visit, "let 'listen' in %s be where the service listens",
                            visit->run->config_path);
    case PROBE_GOOD:
    case PROBE_NOBODY:
    case PROBE_SILENT:
        break;
    }
    return RESTART SEE_THE_JOURNAL;
}

static enum probe_outcome check_service(struct visit *visit)
{
    char reason[PROBE_REASON_SIZE] = "";
    const char *listen = visit->config.listen;
    int64_t began_at = clock_milliseconds();
    enum probe_outcome outcome;
    do
        outcome = probe_service(listen, reason);
    while (outcome != PROBE_GOOD && visit_wait(visit, began_at));
    visit_find(visit, "service", outcome == PROBE_GOOD, advise_service(visit, outcome), "%s: %s%s",
               listen, outcome == PROBE_NOBODY ? "it does not run: " : "",
               outcome == PROBE_GOOD ? "it has its database" : reason);
    return outcome;
}

/* The web server ------------------------------------------------------------------------------- */

/* What is known of one that was asked. */
struct answer {
    enum probe_outcome outcome;
    enum web_server server;
    const char *url;
    char reason[PROBE_REASON_SIZE];
};

/* Keeps the answer that tells the most: the better one, then the first. */
static bool ask(const char *url, enum web_server server, struct answer *best)
{
    struct answer answer = {.server = server, .url = url};
    answer.outcome = probe_web(url, answer.reason);
    bool is_better = best->url == NULL || answer.outcome == PROBE_GOOD ||
                     (answer.outcome == PROBE_UNWELL && best->outcome != PROBE_UNWELL);
    if (is_better)
        *best = answer;
    return answer.outcome == PROBE_GOOD;
}

static struct answer ask_everywhere(const struct visit *visit)
{
    struct web_address addresses[WEB_ADDRESSES_MOST];
    struct answer best = {.outcome = PROBE_NOBODY};
    size_t count = web_servers_find(addresses);
    for (size_t i = 0; i < count; i++) {
        const struct web_address *at = &addresses[i];
        if (ask(visit_advise(visit, "http://%s/API.php", at->name), at->server, &best) ||
            ask(visit_advise(visit, "https://%s/API.php", at->name), at->server, &best))
            return best;
    }
    /* What has no name goes to one server of several; README's answers by this one. */
    if (!ask("http://localhost/API.php", web_servers_installed(), &best))
        (void)ask("https://localhost/API.php", web_servers_installed(), &best);
    return best;
}

#define OTHER_NAME "; where it answers by a name of its own: --url"

static const char *advise_nginx(enum probe_outcome outcome)
{
    if (outcome == PROBE_NOBODY)
        return "sudo systemctl restart nginx; where that does not do: sudo nginx -t says why";
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
                            "let the web server lead to %s (nginx: mapdiary-upstream.conf; Apache: "
                            "MAPDIARY_BACKEND), and its user have the group of that socket; its "
                            "error.log says why it does not",
                            visit->config.listen);
    switch (answer->server) {
    case WEB_SERVER_NGINX:
        return advise_nginx(answer->outcome);
    case WEB_SERVER_APACHE:
        return advise_apache();
    case WEB_SERVER_NONE:
        break;
    }
    return "let nginx or Apache have the configuration that ships: for nginx, sudo apt install "
           "nginx, and sudo mapdiaryctl doctor once more" OTHER_NAME;
}

static struct answer ask_web(const struct visit *visit, const char *url)
{
    struct answer answer = {.url = NULL};
    if (url == NULL)
        return ask_everywhere(visit);
    (void)ask(url, web_servers_installed(), &answer);
    return answer;
}

static bool check_web_server(struct visit *visit, const char *url)
{
    static const char *const names[] = {"", "nginx at ", "Apache at "};
    int64_t began_at = clock_milliseconds();
    struct answer answer;
    do
        answer = ask_web(visit, url);
    while (answer.outcome != PROBE_GOOD && visit_wait(visit, began_at));
    bool is_good = answer.outcome == PROBE_GOOD;
    visit_find(visit, "web server", is_good, advise_web(visit, &answer), "%s%s: %s",
               url == NULL ? names[answer.server] : "", answer.url,
               is_good ? "the service answers" : answer.reason);
    return is_good;
}

/* Before a service that does not answer, it could only say so; and of a photo one that is not well
 * says nothing else. */
void visit_servers(struct visit *visit, const char *url)
{
    enum probe_outcome outcome = check_service(visit);
    if ((outcome == PROBE_GOOD || outcome == PROBE_UNWELL) && check_web_server(visit, url) &&
        outcome == PROBE_GOOD)
        visit_addresses(visit, url);
}
