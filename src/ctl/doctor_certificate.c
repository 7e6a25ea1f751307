/*
 * The doctor's look at the certificate of the web server.
 */
#include <string.h>
#include <time.h>

#include "ctl/probe.h"
#include "ctl/visit.h"

enum { DAY = 86400, LEAST_DAYS = 14 };

static bool is_https(const char *url)
{
    return strncmp(url, "https://", strlen("https://")) == 0;
}

/* Debian's certbot renews by itself; its timer may be off. */
#define RENEW "renew it (sudo certbot renew), then: sudo systemctl reload %s"

void visit_certificate(struct visit *visit, const char *url)
{
    char reason[PROBE_REASON_SIZE] = "", date[sizeof "2026-01-31"] = "";
    const char *address = is_https(url) ? url : visit->config.public_url;
    bool is_apache = false;
    int64_t ends_at = 0;
    if (!is_https(address))
        return;
    if (!probe_certificate(address, &ends_at, &is_apache, reason)) {
        visit_find(visit, "certificate", false,
                   "let the web server answer at public_url, from this machine, too (/etc/hosts)",
                   "%s: %s", address, reason);
        return;
    }
    time_t seconds = (time_t)ends_at;
    struct tm parts;
    strftime(date, sizeof date, "%Y-%m-%d", gmtime_r(&seconds, &parts));
    visit_find(visit, "certificate", ends_at - (int64_t)time(NULL) > (int64_t)LEAST_DAYS * DAY,
               visit_advise(visit, RENEW, is_apache ? "apache2" : "nginx"), "%s: good until %s",
               address, date);
}
