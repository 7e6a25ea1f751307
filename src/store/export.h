/*
 * What leaves the database as files: points of interest, albums and blogs of everybody, and all
 * that there is of one user. Whoever writes them knows what their columns are called (store/run.h).
 */
#ifndef MAPDIARY_STORE_EXPORT_H
#define MAPDIARY_STORE_EXPORT_H

#include "db/batch.h"
#include "db/copy.h"

/* The first columns of each are its identifier and the source that has given it: that which it was
 * imported from, else this service. Two others are its place. */
enum export_kind { EXPORT_POIS, EXPORT_ALBUMS, EXPORT_BLOGS, EXPORT_KIND_COUNT };
enum { EXPORT_ID, EXPORT_SOURCE, EXPORT_FIRST, EXPORT_LAT = 4, EXPORT_LNG = 5 };

/** Streams all of a kind, by identifier. */
enum status export_rows(struct db_batch *batch, enum export_kind kind, db_row_function *function,
                        void *context) MUST_CHECK;

/** Streams the same as lines of CSV, without a header. Outside of a transaction. */
enum status export_csv(struct db *db, enum export_kind kind, db_line_function *function,
                       void *context) MUST_CHECK;

/* What there is of one user, a file each. Blogs have a column more than names: the choices of their
 * vote, each a line of its votes, a blank and its description. Moments are texts, with all their
 * digits, in the service's time zone. */
enum export_file {
    EXPORT_ACCOUNT,
    EXPORT_SESSIONS,
    EXPORT_MAILS,
    EXPORT_REPORTS,
    EXPORT_DECISIONS,
    EXPORT_OWN_ALBUMS,
    EXPORT_ALBUM_PHOTOS,
    EXPORT_OWN_POIS,
    EXPORT_POI_PHOTOS,
    EXPORT_OWN_BLOGS,
    EXPORT_COMMENTS,
    EXPORT_RECEIVED_COMMENTS,
    EXPORT_BALLOTS,
    EXPORT_RECOMMENDATIONS,
    EXPORT_REWARDS,
    EXPORT_FILE_COUNT,
    EXPORT_ORIGINALS = EXPORT_FILE_COUNT /* which are files themselves */
};

/** Streams the rows of a file. */
enum status export_file_rows(struct db_batch *batch, enum export_file file, int64_t user_id,
                             db_row_function *function, void *context) MUST_CHECK;

/** Streams what was uploaded: photo, digest of the file as it was sent, in hexadecimal. */
enum status export_originals_of(struct db_batch *batch, int64_t user_id, db_row_function *function,
                                void *context) MUST_CHECK;

#endif
