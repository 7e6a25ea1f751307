/*
 * The means by which a worker serves requests.
 */
#ifndef MAPDIARY_API_SERVICE_H
#define MAPDIARY_API_SERVICE_H

#include "api/metrics.h"
#include "api/rate.h"
#include "auth/key.h"
#include "base/config.h"
#include "db/route.h"
#include "http/response.h"
#include "http/upload.h"
#include "mail/texts.h"
#include "media/disk.h"
#include "permit/admission.h"
#include "run/progress.h"
#include "store/page_key.h"

struct word_list;
struct operation;
struct page;
struct tally;

/* From its first request to its last. */
struct service {
    const struct config *config;
    const struct operation *operations;
    const struct page *pages;
    const void *pages_context;
    struct metrics *metrics;
    struct tally *tally; /* of advertisements */
    struct rate *rate;
    atomic_bool *remains; /* files of photos that have gone are left to the indexer */
    struct progress *progress;
    struct route *route;
    struct disk photos;                 /* the folder of their files */
    struct mail_texts *mail_texts;      /* NULL: they could not be read */
    const struct word_list *held_words; /* NULL: no word holds anything back */
    struct arena *arena;
    struct upload_place uploads; /* of requests */
    struct buffer texts;         /* of a request's body */
    struct response response;
    struct admission *admission;
    int decoder;                  /* the channel to it: media/decoder.h */
    struct master_key master_key; /* read when the first signed request comes */
    struct page_key page_key;     /* read when the first list in pages is asked for */
};

#endif
