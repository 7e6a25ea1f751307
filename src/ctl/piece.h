/*
 * What the groups of albums, places and blogs have in common.
 */
#ifndef MAPDIARY_CTL_PIECE_H
#define MAPDIARY_CTL_PIECE_H

#include "cli/command.h"
#include "model/piece.h"

/** Shows a piece with its photos, vote and comments; answers the exit status. */
int piece_show(struct invocation *run, enum subject subject, int64_t id);

/* Whose it is or, of a list, whose alone. */
#define OWNER_PARAMETER                                             \
    .name = "owner", .type = {.kind = VALUE_USER}, .value = "USER", \
    .meaning = "whose: identifier or email address"
#define ONLY_OF_OWNER_PARAMETER                                           \
    {                                                                     \
        .name = "owner", .type = {.kind = VALUE_USER}, .value = "USER",   \
        .meaning = "only those of this user: identifier or email address" \
    }

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

/** The words that a subject may start with: all kinds, or those that have photos. */
#define SUBJECT_WORDS subject_names
extern const char *const subject_words_with_photos[];

#define VISIBILITY_PARAMETER(otherwise)                                                          \
    .name = "visibility", .type = {VALUE_CHOICE, .words = piece_visibilities}, .value = "WHOSE", \
    .meaning = "public, or private: its owner's alone to see" otherwise

#endif
