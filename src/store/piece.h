/*
 * What albums, points of interest and blogs have in common: a place, an owner, a score, and the
 * rule who may change them.
 *
 * Every store works on a batch that may hold the check of the session already, and runs it: one
 * round trip. The texts that it answers live until db_batch_reset().
 */
#ifndef MAPDIARY_STORE_PIECE_H
#define MAPDIARY_STORE_PIECE_H

#include <stdint.h>

#include "base/date.h"
#include "base/status.h"
#include "db/batch.h"

/* In decimal degrees, with the digits that were sent. */
struct place {
    const char *lat;
    const char *lng;
};

/* Of an album or a point of interest. */
struct piece {
    int64_t category;
    struct place place;
    const char *owner_name;
    const char *owner_icon;
    struct date updated;
    int64_t score;
};

/* The columns of a struct piece, in SQL and by their letters; the owner is joined as u. */
#define PIECE_COLUMNS(alias)                                                            \
    alias ".category, " alias ".lat::text, " alias ".lng::text, u.name, u.icon, " alias \
          ".updated_at::date, " alias ".score"
#define PIECE_TYPES "sttttdi"

struct piece piece_read(struct db_row *row);

/**
 * Whether the asker may change what a statement locked. Its row is (owner, hidden); no row, or one
 * that is hidden from all but its owner, is absent to others: the status given. Else STATUS_OK or
 * STATUS_NOT_OWNER.
 */
enum status piece_ownership(const struct db_rows *locked, int64_t asker,
                            enum status absent) MUST_CHECK;

/* A photo of an album (with its identifier and the address of a thumbnail) or of a POI (with its
 * path). */
struct photo {
    int64_t photo_id;
    const char *address;
    const char *description;
};

struct photos {
    struct photo *list;
    size_t count;
};

/** Rows of (identifier, address, description), into the arena. */
struct photos photos_read(const struct db_rows *rows, struct arena *arena);

#endif
