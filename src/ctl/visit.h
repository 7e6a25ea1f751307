/*
 * The visit of the doctor: one look at all that has to fit together. Each finding that is not good
 * comes with what mends it, as commands where commands do.
 */
#ifndef MAPDIARY_CTL_VISIT_H
#define MAPDIARY_CTL_VISIT_H

#include "cli/command.h"

/* What is known so far. */
struct visit {
    struct invocation *run;
    struct config config;
    bool has_database; /* as the service's role */
    bool has_schema;   /* that of this release */
    bool has_photos;   /* as the doctor sees the folder */
    bool shows_all;    /* what is good, too */
    bool is_sick;
};

/** Shows a finding. The advice is only for what is not good. */
void visit_find(struct visit *visit, const char *check, bool is_good, const char *advice,
                const char *format, ...) __attribute__((format(printf, 5, 6)));

/** An advice, in the memory of the command. */
const char *visit_advise(const struct visit *visit, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** For what may be on its way, such as a start or a reload, and began to be looked for at that
 * clock_milliseconds(): waits a moment, or answers false where it is not worth to look again. */
bool visit_wait(const struct visit *visit, int64_t began_at);

/** Database, roles, clock, time zone, connections and schema, the later ones where there are the
 * earlier ones; then the key file. */
void visit_database(struct visit *visit);

/** A command that starts Debian's PostgreSQL on this machine, for a service that does not reach it.
 * It is never NULL. */
const char *visit_advise_cluster(const struct visit *visit);

/** The room for PostgreSQL, where it is Debian's on this machine. */
void visit_clusters(struct visit *visit);

/** The folder of photos, and the room there. */
void visit_photos(struct visit *visit);

/** The texts of mails, and whether those that wait are sent. */
void visit_mail(struct visit *visit);

/** The service itself, with the folder of photos as the service sees it in its sandbox, and the web
 * server, at this URL or, if that is NULL, at public_url or localhost. Waits some seconds for what
 * is on its way, but not where something else is wrong. */
void visit_servers(struct visit *visit, const char *url);

/** The certificate of the web server, if people reach it by HTTPS, and how long it is good. */
void visit_certificate(struct visit *visit, const char *url);

/** The addresses of photos, where service and web server are good. The URL is that of the command,
 * or NULL; the web server has answered at the other one. */
void visit_addresses(struct visit *visit, const char *url, const char *answered_at);

/** The file beside the page that map_tiles names, if that key names one, as the web server gives it
 * that has answered at this URL of the endpoint. */
void visit_map(struct visit *visit, const char *answered_at);

#endif
