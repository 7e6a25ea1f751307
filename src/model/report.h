/*
 * Reports by readers, of pieces and what hangs by them.
 */
#ifndef MAPDIARY_MODEL_REPORT_H
#define MAPDIARY_MODEL_REPORT_H

#include <stdint.h>

#include "model/subject.h"

/* In characters. */
enum { REPORT_REASON_MOST = 1000 };

/* What is reported: pieces by their subject, or one of these. */
enum { REPORT_COMMENT = SUBJECT_COUNT, REPORT_PHOTO, REPORT_THINGS };

struct report {
    int64_t ids[REPORT_THINGS]; /* one of which is not 0 */
    const char *reason;
};

#endif
