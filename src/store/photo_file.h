/*
 * The files of photos and icons: files that no row names, the file that an address names, and the
 * files that a transaction is to withdraw.
 */
#ifndef MAPDIARY_STORE_PHOTO_FILE_H
#define MAPDIARY_STORE_PHOTO_FILE_H

#include "base/crypto.h"
#include "db/batch.h"
#include "model/subject.h"
#include "store/session.h"

/**
 * Of files, as an array of digests in hexadecimal, "{ab..,cd..}": those that no row names, an
 * icon's or a photo's, are marked from now on, if they are not already, and all others not any
 * more. The rows are the marked ones, in order: the place in the array, from 1 on, and whether it
 * has been marked for that many seconds.
 */
enum status photo_file_mark(struct db_batch *batch, const char *digests, int64_t seconds,
                            const struct db_rows **rows) MUST_CHECK;

/** Forgets such marks. */
enum status photo_file_forget(struct db_batch *batch, const char *digests) MUST_CHECK;

/**
 * Of an array of addresses below /photos/, "{a12/0123..,u30/4567..}", those that no row says
 * anybody may see. The rows are their places in the array, from 1 on.
 */
enum status photo_file_ask_public(struct db_batch *batch, const char *addresses,
                                  const struct db_rows **rows) MUST_CHECK;

/** Photos and icons that have gone, at most so many: their names, and the digests of their files,
 * as arrays, "{ab..,cd..}", for the caller to free. STATUS_NOT_FOUND where there is none. The
 * transaction stays open, and keeps others from them. */
enum status photo_file_gone(struct db_batch *batch, int64_t most, char **names,
                            char **digests) MUST_CHECK;
/** Goes on with it. The rows are the places in the array, from 1 on, of files that no row names,
 * nor is about to; or 0, where mapdiaryctl puts files. */
enum status photo_file_unnamed(struct db_batch *batch, const char *digests,
                               const struct db_rows **rows) MUST_CHECK;
/** Goes on, and forgets the photos and icons: they count no more. This commits. */
enum status photo_file_forget_gone(struct db_batch *batch, const char *names) MUST_CHECK;

/** Keeps all files from being deleted for as long as the connection is there, for who puts them
 * before a row names them. */
enum status photo_file_hold(struct db_batch *batch) MUST_CHECK;
/** Adds that for up to three files, of which others may be NULL, until the transaction ends: it
 * puts them then. */
void photo_file_lock_add(struct db_batch *batch, const unsigned char *one,
                         const unsigned char *second, const unsigned char *third);

/** Photos of which it is not known what their pictures take: photo, and the digests of both in
 * hexadecimal. */
enum status photo_file_unmeasured(struct db_batch *batch, int64_t most,
                                  const struct db_rows **rows) MUST_CHECK;
/** Of photos, what their pictures take, as arrays, "{7,9}". */
enum status photo_file_measured(struct db_batch *batch, const char *photos,
                                const char *bytes) MUST_CHECK;

/* Whose photos are in the folder. */
struct photo_file_owner {
    const char *whose; /* until db_batch_reset(), as of photo_file_whose() */
    bool has_photos;
};

/* For a connection that asks for nothing else. */
extern const struct db_statement *const photo_owner_registry[];
enum status photo_file_owner(struct db_batch *batch, struct photo_file_owner *owner) MUST_CHECK;
/** By what this database is known from all others, that of its dump aside: when its schema was
 * made. The text lives until db_batch_reset(). */
enum status photo_file_whose(struct db_batch *batch, const char **whose) MUST_CHECK;

/** Streams all names of files: photo, user (whose icon it is; either is 0), whether it is what was
 * sent, digest in hexadecimal. */
enum status photo_file_list(struct db_batch *batch, db_row_function *function,
                            void *context) MUST_CHECK;

/* By their addresses --------------------------------------------------------------------------- */

enum picture_owner { PICTURE_OF_ALBUM, PICTURE_OF_POI, PICTURE_OF_USER };

/* An address. */
struct picture_name {
    enum picture_owner owner;
    int64_t id;       /* of the owner */
    const char *name; /* hexadecimal digits */
    int64_t format;   /* as the column has it */
    bool is_large;    /* or an icon */
};

/* The picture that it names. */
struct picture_found {
    bool is_public;                           /* and not its reader's alone */
    unsigned char digest[CRYPTO_DIGEST_SIZE]; /* of its file */
};

/** Adds the query for a picture. picture_read() takes its rows, and is false where there is no such
 * picture for this reader, NULL for nobody. */
const struct db_rows *picture_find_add(struct db_batch *batch, const struct picture_name *name,
                                       const struct session_claim *reader);
bool picture_read(const struct db_rows *rows, struct picture_found *found);

/** The path of some picture that anybody may see, by a connection without a public_url;
 * STATUS_NOT_FOUND where there is none. */
enum status picture_any_public(struct db_batch *batch, const char **path) MUST_CHECK;

/**
 * Adds the lock that keeps the owner of the picture, a piece or a user, public until the
 * transaction ends. There is no row where somebody else has the owner locked, or where it is not
 * public.
 */
const struct db_rows *picture_hold_public_add(struct db_batch *batch,
                                              const struct picture_name *name);

/* To be withdrawn ------------------------------------------------------------------------------ */

/*
 * A transaction that deletes things or makes them private asks behind the lock of these which of
 * their files may be published, and withdraws the files before it commits.
 */
struct published {
    enum picture_owner owner;
    int64_t id;       /* of the owner */
    const char *name; /* in hexadecimal; NULL: all of the owner's. It lives as long as the rows */
};

/** Add the query for the published files of an album or a point of interest that the asker (0: an
 * administrator) may see; of a photo; of the icon of a user; of all that a user has. */
const struct db_rows *published_of_piece_add(struct db_batch *batch, enum subject subject,
                                             int64_t id, int64_t asker);
const struct db_rows *published_photo_add(struct db_batch *batch, int64_t photo_id);
const struct db_rows *published_icon_add(struct db_batch *batch, int64_t user_id);
const struct db_rows *published_of_user_add(struct db_batch *batch, int64_t user_id);

/** One of those that were found, by its index. */
struct published published_read(const struct db_rows *rows, size_t index);

#endif
