/*
 * What a web server hands out without asking: links to pictures, below public/photos/, in folders
 * of their piece and photo, so that either is withdrawn in one step.
 *
 *     public/photos/a12/0123456789abcdef0123456789abcdef/large.jpg
 *                   |   |                                 |
 *                   |   the photo's name, random          which of its pictures
 *                   the piece: album 12, POI 12 ("p12"), user 12 ("u12", for an icon)
 *
 * It holds no more than what anybody may see, and perhaps less: what is not there the service is
 * asked for. So it is withdrawn before a transaction commits that makes it private or deletes it,
 * and linked under a lock of the rows that say that anybody may see it.
 */
#ifndef MAPDIARY_MEDIA_PUBLICATION_H
#define MAPDIARY_MEDIA_PUBLICATION_H

#include "media/files.h"
#include "media/picture.h"

enum { PUBLICATION_NAME_DIGITS = 32 }; /* of a photo's name: 128 random bits, in lower-case hex */

enum publication_owner { PUBLICATION_ALBUM, PUBLICATION_POI, PUBLICATION_USER };
enum publication_part { PUBLICATION_LARGE, PUBLICATION_SMALL, PUBLICATION_ICON };

struct publication {
    enum publication_owner owner;
    int64_t id; /* of the owner */
    const char *name;
    enum publication_part part;
    enum picture_format format;
};

enum { PUBLICATION_ADDRESS_SIZE = 96 };

/** Writes the path of the address, "/photos/a12/NAME/large.jpg", "small.webp", "icon.jpg". */
void publication_address(const struct publication *publication, char *path);

/** Reads such a path, with or without its "/photos". False where it is none; the name is in the
 * path then, PUBLICATION_NAME_DIGITS long. */
bool publication_parse(const char *path, struct publication *publication);

/** Writes what of it names the photo, or icon, as a whole: "a12/NAME". */
void publication_folder(enum publication_owner owner, int64_t id, const char *name, char *path);

/** Links a picture. That it is there already is fine. STATUS_CONFLICT where it has as many links as
 * its file system lets it have; STATUS_UNAVAILABLE, with the reason logged. */
enum status publication_link(const struct files *files, const struct publication *publication,
                             const unsigned char *digest) MUST_CHECK;

/** Takes all of a piece, or with a name all of that photo, from its address, in one step. That
 * nothing is there is fine. STATUS_UNAVAILABLE, with the reason logged, where it cannot. */
enum status publication_withdraw(const struct files *files, enum publication_owner owner,
                                 int64_t id, const char *name) MUST_CHECK;

typedef enum status publication_function(void *context, enum publication_owner owner, int64_t id,
                                         const char *name);

/** Calls the function for each photo, or icon, that has links, until it answers anything but
 * STATUS_OK, which is the answer then. What is none is logged, and left out. */
enum status publication_list(const struct files *files, publication_function *function,
                             void *context) MUST_CHECK;

#endif
