/*
 * Days of the Gregorian calendar, carried back before its adoption as PostgreSQL and ISO 8601 do.
 */
#ifndef MAPDIARY_BASE_DATE_H
#define MAPDIARY_BASE_DATE_H

#include <stdbool.h>
#include <stdint.h>

struct date {
    int year; /* 1 to 9999 */
    int month;
    int day;
};

/** True where the calendar has that day. */
bool date_exists(struct date date);

/** The day that is this many days after 2000-01-01, PostgreSQL's own origin; negative for earlier
 * ones. */
struct date date_from_postgres(int32_t days);

/** Reads the ISO 8601 form, 2026-02-03, from the first ten bytes of a text; false where it is none,
 * or the calendar has no such day. */
bool date_from_text(const char *text, struct date *date);

enum { DATE_TEXT_SIZE = sizeof "-2147483648--2147483648--2147483648" };
/** Writes the ISO 8601 form, 2026-02-03, into text and returns text. */
const char *date_text(struct date date, char text[static DATE_TEXT_SIZE]);
/* No moment, where seconds since the epoch are told. */
#define TIME_NONE INT64_MIN
/** The same for a moment, in seconds since the epoch: 2026-02-03T04:05:06Z. */
const char *date_moment_text(int64_t seconds, char text[static DATE_TEXT_SIZE]);

#endif
