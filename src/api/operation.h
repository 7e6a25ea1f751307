/*
 * The operation table: one row for each `func`. What a row says, the exchange holds: the method,
 * who may ask, the parameters; the handler finds all of it done.
 */
#ifndef MAPDIARY_API_OPERATION_H
#define MAPDIARY_API_OPERATION_H

#include "auth/access.h"
#include "auth/hashing.h"
#include "base/arena.h"
#include "base/config.h"
#include "db/batch.h"
#include "document/document.h"
#include "http/param.h"
#include "http/request.h"
#include "http/response.h"
#include "mail/texts.h"
#include "media/rendition.h"
#include "run/progress.h"

struct operation;
struct page_key;
struct tally;

/* What a handler works with. */
struct call {
    const struct operation *operation;
    const struct request *request;
    const struct form *form; /* all parameters, as they were sent */
    const struct config *config;
    const struct hashing *hashing;       /* who may hash a password now */
    int decoder;                         /* the channel to it: media/decoder.h */
    const struct files *files;           /* of photos; NULL: they could not be opened */
    const struct mail_texts *mail_texts; /* NULL: they could not be read */
    struct page_key *page_key;           /* that pages are told by; read when it is first needed */
    struct progress *progress;           /* that a picture is decoded */
    struct metrics *metrics;             /* what came of that */
    struct tally *tally;                 /* of advertisements */
    struct arena *arena;                 /* for whatever lives as long as the request */
    struct db_batch
        *batch; /* holds the check of the session; the handler's store adds to it and runs it. A
                 * transaction that is left open is committed when the answer is made */
    struct access_check access; /* access_asker() says who asks */
    const void *input;          /* the parameters, in the struct that the specs are of */
    void *output;               /* the struct that the shape is of, zeroed; the handler fills it */
    struct document document;   /* which is made of that; a list is streamed by call_item() */
    struct response *response;  /* for headers */
    const char *refused;        /* the parameter, with a status that names one */
};

typedef enum status handler_function(struct call *call);

/** Answers with the next item of the list that the operation streams; the context is the call.
 * STATUS_UNAVAILABLE where the client is gone. */
enum status call_item(void *call, const void *item) MUST_CHECK;

/* An upload as the struct original of media/rendition.h. */
#define UPLOADED(upload)                                         \
    {                                                            \
        (upload)->descriptor, (upload)->length, (upload)->digest \
    }

/** renditions_make() of an upload: the watchdog knows of it, and the request has its whole time
 * after it. */
enum status call_renditions(struct call *call, const struct upload *upload, enum picture_kind kind,
                            struct renditions *made) MUST_CHECK;

/* Reads are GET, HEAD or POST and may be cached; writes are POST alone, and never from another
 * site. */
enum operation_kind { OPERATION_READ, OPERATION_WRITE };

struct operation {
    const char *func;
    const char *
        variant; /* NULL, or a parameter that must have the value "true" for this row to be meant */
    const char *summary; /* what it does, in a line, for its description */
    enum operation_kind kind;
    enum access access;
    enum status (*gate)(const struct config *config); /* refuses before all else; NULL: never */
    const struct param_spec *params;                  /* what it takes; NULL: nothing */
    size_t input_size;
    const struct field *shape; /* what it answers after its status; NULL: nothing */
    const struct field *feed;  /* the same as Atom; NULL: it has no such form */
    bool has_geojson;
    bool is_each_another; /* caches ask for each answer anew */
    size_t output_size;
    handler_function *handler;
};

/** The row for a func, the first whose variant is met; NULL where there is none. The table ends
 * with a row without func. */
const struct operation *operation_find(const struct operation *table, const struct form *form,
                                       const char *func);

#endif
