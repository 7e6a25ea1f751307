/*
 * What the originals of a user's photos take, in SQL: what the quota bounds, and what the user is
 * told of it.
 */
#ifndef MAPDIARY_STORE_ORIGINAL_BYTES_H
#define MAPDIARY_STORE_ORIGINAL_BYTES_H

#define BYTES_BELOW(user, piece, key)                                               \
    "(SELECT coalesce(sum(p.original_bytes), 0) FROM visible_" piece "(" user ") t" \
    " JOIN photo p USING (" key ") WHERE t.owner_id = " user ")"

/* Of the user that this parameter is. */
#define ORIGINAL_BYTES(user) \
    BYTES_BELOW(user, "album", "album_id") " + " BYTES_BELOW(user, "poi", "poi_id")

#endif
