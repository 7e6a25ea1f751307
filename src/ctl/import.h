/*
 * An import: what its options say, and how far it is.
 */
#ifndef MAPDIARY_CTL_IMPORT_H
#define MAPDIARY_CTL_IMPORT_H

#include <stdio.h>

#include "cli/progress.h"
#include "ctl/import_files.h"
#include "rows/rejects.h"
#include "rows/row.h"
#include "store/import.h"

/* The options and the operand; the same of every kind of thing. */
enum {
    IMPORT_FILE,
    IMPORT_FORMAT,
    IMPORT_SOURCE,
    IMPORT_OWNER,
    IMPORT_MAPPING,
    IMPORT_REJECTS,
    IMPORT_FOLDER,
    IMPORT_STRICT
};
extern const struct parameter import_parameters[];

enum import_format { IMPORT_CSV, IMPORT_GEOJSON, IMPORT_JSON_LINES };

struct import {
    struct invocation *run;
    enum import_kind kind;
    enum import_format format;
    struct import_reader reader;
    struct input input;
    struct rejects rejects;
    struct progress progress;
    struct buffer staged; /* rows that were not sent yet */
    FILE *kept;           /* rows that are sent when all of them have been read, or NULL */
    struct import_files files;
    int64_t rows;
};

/** Reads the options and opens what they name. The reason of a failure is logged. */
enum status import_prepare(struct import *import) MUST_CHECK;

#endif
