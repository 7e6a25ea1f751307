/*
 * The pictures of photos and icons, as their addresses name them.
 */
#ifndef MAPDIARY_STORE_PICTURE_H
#define MAPDIARY_STORE_PICTURE_H

#include "base/crypto.h"
#include "db/batch.h"
#include "store/session.h"

enum picture_owner { PICTURE_OF_ALBUM, PICTURE_OF_POI, PICTURE_OF_USER, PICTURE_OWNERS };

/* What an address says. */
struct picture_name {
    enum picture_owner owner;
    int64_t id;       /* of the owner */
    const char *name; /* hexadecimal digits */
    int64_t format;   /* as the column has it */
    bool is_large;    /* or an icon */
};

/* What there is to it. */
struct picture_found {
    bool is_public;                           /* and not its reader's alone */
    unsigned char digest[CRYPTO_DIGEST_SIZE]; /* of its file */
};

/** Adds the query for a picture to a batch; picture_read() takes its rows once that has run, and is
 * false where there is no such picture for this reader, NULL for nobody. */
const struct db_rows *picture_find_add(struct db_batch *batch, const struct picture_name *name,
                                       const struct session_claim *reader);
bool picture_read(const struct db_rows *rows, struct picture_found *found);

/** The path of some picture that anybody may see, by a connection without a public_url;
 * STATUS_NOT_FOUND where there is none. */
enum status picture_any_public(struct db_batch *batch, const char **path) MUST_CHECK;

/**
 * Adds that nobody makes private or deletes what the picture belongs to, until the transaction
 * ends. The rows are none where somebody is about to, or it is not public: what comes behind it in
 * the batch sees what is there then.
 */
const struct db_rows *picture_hold_public_add(struct db_batch *batch,
                                              const struct picture_name *name);

#endif
