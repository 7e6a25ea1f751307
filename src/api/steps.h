/*
 * The steps of an exchange: from a request that was read to what came of its operation.
 */
#ifndef MAPDIARY_API_STEPS_H
#define MAPDIARY_API_STEPS_H

#include "api/replay.h"
#include "api/service.h"

/* One request on its way through the checks. */
struct exchange {
    struct service *service;
    struct request request;
    struct form form;
    const struct operation *operation;
    const struct page *page;     /* that is asked for instead; NULL: none */
    const struct format *format; /* of the answer */
    struct signature_check signature;
    struct replay replay;
    struct call call;
    uint64_t subject; /* the name of what a cheap read reads; 0: none */
    bool counted;     /* as a write of its user, within that minute (api/rate.h) */
    int64_t minute;
    const char *info; /* why it FAILED; NULL: it did not */
    bool repeated;    /* the response is that of the same request before */
};

/** True once the operation is known, and is a write. */
bool exchange_is_write(const struct exchange *exchange);

/** Chooses the format of the answer: that which the parameters name, or of a request that was not
 * read to its end the query string; else XML. */
void exchange_choose_format(struct exchange *exchange, bool is_read);

/** What everybody may read, pages of any site may; to be told anew once the operation is known. */
void exchange_admit_origin(struct exchange *exchange);

/** Milliseconds for which caches may keep the answer to a read; negative: not at all. */
int64_t exchange_max_age(const struct exchange *exchange);

/** Carries the steps out up to the first that refuses. STATUS_OK also for an answer that is
 * repeated: then the response is made. */
enum status exchange_run_steps(struct exchange *exchange) MUST_CHECK;

#endif
