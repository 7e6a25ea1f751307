/*
 * The operation table: one row for each `func`. The exchange enforces what its row says (the
 * method, the access, the parameters) before it calls the handler.
 */
#ifndef MAPDIARY_API_OPERATION_H
#define MAPDIARY_API_OPERATION_H

#include "api/service.h"
#include "auth/access.h"
#include "db/batch.h"
#include "document/document.h"
#include "http/param.h"
#include "http/request.h"
#include "media/rendition.h"

/* A request as its handler sees it. */
struct call {
    struct service *service;
    const struct operation *operation;
    const struct request *request;
    const struct form *form; /* all parameters, as they were sent */
    /* Holds the check of the session; the handler's store adds to it and runs it. A transaction
     * that is left open is committed when the answer is made. */
    struct db_batch *batch;
    struct access_check access; /* access_asker() answers the user */
    const void *input;          /* the parameters, in the struct that the specs are of */
    void *output;               /* the struct that the shape is of, zeroed; the handler fills it */
    struct document document;   /* is made from the output; call_item() streams a list into it */
    const char *refused;        /* the parameter, with a status that names one */
    bool leaves_files;          /* the deleted rows had files, to be deleted after the answer */
};

typedef enum status handler_function(struct call *call);

/** Answers with the next item of the list that the operation streams; the context is the call.
 * STATUS_UNAVAILABLE if the client is gone. */
enum status call_item(void *call, const void *item) MUST_CHECK;

/* An upload as the struct original of media/rendition.h. */
#define UPLOADED(upload) {(upload)->descriptor, (upload)->length, (upload)->digest}

/** renditions_make() of an upload: the watchdog knows of it, and the request has its whole time
 * after it. */
enum status call_renditions(struct call *call, const struct upload *upload, enum picture_kind kind,
                            struct renditions *made) MUST_CHECK;

/** withdraw_all() of what goes or becomes private. */
enum status call_withdraw(struct call *call, const struct db_rows *published) MUST_CHECK;

/* Reads are GET, HEAD or POST and may be cached; writes are POST alone, and never from another
 * site. */
enum operation_kind { OPERATION_READ, OPERATION_WRITE };

struct operation {
    const char *func;
    const char *
        variant; /* NULL, or a parameter that must have the value "true" for this row to be meant */
    const char *summary; /* what it does, in a line, for its description */
    const char *tag;     /* the group of operations that its description lists it in */
    enum operation_kind kind;
    enum work_class class; /* of its cost */
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
    bool is_unmetered; /* writes_per_minute does not concern it: it ends or takes back something */
};

/* The input of an operation on one thing that only its identifier names. */
struct reading {
    int64_t id;
};

/** The row for a func, the first whose variant is met; NULL where there is none. The table ends
 * with a row without func. */
const struct operation *operation_find(const struct operation *table, const struct form *form,
                                       const char *func);

#endif
