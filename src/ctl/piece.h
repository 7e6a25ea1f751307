/*
 * The common part of the groups of albums, places and blogs.
 */
#ifndef MAPDIARY_CTL_PIECE_H
#define MAPDIARY_CTL_PIECE_H

#include "cli/command.h"
#include "model/piece.h"

/** Shows a piece with its photos, vote and comments; answers the exit status. */
int piece_show(struct invocation *run, enum subject subject, int64_t id);

/* The parameters of a place. */
#define LATITUDE_PARAMETER                                                         \
    .name = "lat", .type = {VALUE_COORDINATE, LATITUDE_RANGE}, .value = "DEGREES", \
    .meaning = "latitude, decimal"
#define LONGITUDE_PARAMETER                                                         \
    .name = "lng", .type = {VALUE_COORDINATE, LONGITUDE_RANGE}, .value = "DEGREES", \
    .meaning = "longitude, decimal"

/* The parameter of a category, of which there are so many. */
#define CATEGORY_PARAMETER(count)                                               \
    .name = "category", .type = {VALUE_INTEGER, RANGE(1, count)}, .value = "N", \
    .meaning = "1 to " CATEGORY_TEXT(count) ", as in the interface"
#define CATEGORY_TEXT(count) #count

/* The parameter of a piece. */
#define SUBJECT_PARAMETER                             \
    {.name = "SUBJECT",                               \
     .type = {VALUE_SUBJECT, .words = subject_names}, \
     OPERAND,                                         \
     .meaning = "album:ID, poi:ID or blog:ID"}

/* The parameter of the version that is changed. */
#define BASE_VERSION_PARAMETER                                                                     \
    .name = "base-version", .type = {VALUE_INTEGER, ID_RANGE}, .is_condition = true, .value = "N", \
    .meaning = "refuse if the piece has another version, as show says"

/** Logs that the piece has another version than the one that was to be changed; answers the exit
 * status. */
int piece_changed_meanwhile(enum subject subject, int64_t id, int64_t version);

/** The words that a subject with photos may start with. */
extern const char *const subject_words_with_photos[];

#define VISIBILITY_PARAMETER(otherwise)                                                          \
    .name = "visibility", .type = {VALUE_CHOICE, .words = piece_visibilities}, .value = "WHOSE", \
    .meaning = "public, or private: for the owner alone" otherwise

#endif
