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

/** The folder of photos, and the room there. */
void visit_photos(struct visit *visit);

/** The texts of mails, and whether those that wait are sent. */
void visit_mail(struct visit *visit);

/** The service itself, which knows its sandbox best, and the web server, at this URL or, where it
 * is NULL, wherever one listens. Waits some seconds for what is on its way, but not where something
 * else is wrong. */
void visit_servers(struct visit *visit, const char *url);

/** The addresses of photos, where the service is good, and the web server, which is at this URL if
 * it is not NULL. */
void visit_addresses(struct visit *visit, const char *url);

#endif
