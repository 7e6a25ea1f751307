#include "media/remains.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "store/photo_file.h"

enum {
    PHOTOS_MOST = 100, /* at a time, of which each has at most three files */
    FILES_MOST = 3 * PHOTOS_MOST,
};

/* Some photos, and their files as they are before anybody is asked who names them. */
struct remains {
    const struct files *files;
    struct db_batch *batch;
    char *names, *digests; /* arrays, as the database has them */
    size_t count;          /* of the digests */
    struct {
        bool is_there;
        struct files_entry entry;
    } found[FILES_MOST][FILES_ROOMS];
};

static enum status look_at(struct remains *remains, size_t at)
{
    char hex[CRYPTO_DIGEST_DIGITS + 1];
    unsigned char digest[CRYPTO_DIGEST_SIZE];
    snprintf(hex, sizeof hex, "%s", remains->digests + 1 + at * sizeof hex);
    enum status status = STATUS_OK;
    bool is_digest = crypto_from_hex(hex, digest, sizeof digest);
    for (int room = 0; room < FILES_ROOMS && is_digest && status != STATUS_UNAVAILABLE; room++) {
        status = files_head_settled(remains->files, (enum files_room)room, digest,
                                    &remains->found[at][room].entry);
        remains->found[at][room].is_there = status == STATUS_OK;
    }
    return status == STATUS_UNAVAILABLE ? status : STATUS_OK;
}

/* As long as the disk does not say if a file is there, nobody forgets the file. */
static enum status look_at_all(struct remains *remains)
{
    size_t count = strlen(remains->digests) / (CRYPTO_DIGEST_DIGITS + 1);
    enum status status = STATUS_OK;
    remains->count = count < FILES_MOST ? count : FILES_MOST;
    for (size_t i = 0; i < remains->count && status == STATUS_OK; i++)
        status = look_at(remains, i);
    return status;
}

/* That it is not there any more, or was put anew, is fine. */
static enum status delete_file(const struct remains *remains, size_t at)
{
    enum status status = STATUS_OK;
    for (int room = 0; room < FILES_ROOMS && status != STATUS_UNAVAILABLE; room++)
        if (remains->found[at][room].is_there)
            status = files_delete(remains->files, (enum files_room)room,
                                  &remains->found[at][room].entry);
    return status == STATUS_UNAVAILABLE ? status : STATUS_OK;
}

static enum status delete_unnamed(const struct remains *remains, const struct db_rows *unnamed)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < db_rows_count(unnamed) && status == STATUS_OK; i++) {
        struct db_row row = db_row(unnamed, i);
        int64_t place = db_read_integer(&row);
        status = place > 0 ? delete_file(remains, (size_t)place - 1) : STATUS_UNAVAILABLE;
    }
    return status;
}

static enum status delete_these(struct remains *remains)
{
    const struct db_rows *unnamed;
    enum status status = look_at_all(remains);
    if (status == STATUS_OK)
        status = photo_file_unnamed(remains->batch, remains->digests, &unnamed);
    if (status == STATUS_OK)
        status = delete_unnamed(remains, unnamed);
    return status == STATUS_OK ? photo_file_forget_gone(remains->batch, remains->names) : status;
}

/* In one transaction, which keeps others from the same photos. STATUS_NOT_FOUND where none is left.
 */
static enum status delete_some(struct remains *remains)
{
    db_batch_reset(remains->batch);
    db_batch_begin_time(remains->batch);
    enum status status =
        photo_file_gone(remains->batch, PHOTOS_MOST, &remains->names, &remains->digests);
    if (status != STATUS_OK)
        return status;
    status = delete_these(remains);
    free(remains->names);
    free(remains->digests);
    return status;
}

bool remains_delete(const struct files *files, struct db_batch *batch, int64_t most)
{
    struct remains remains = {.files = files, .batch = batch};
    int64_t end = clock_milliseconds() + most;
    enum status status;
    do
        status = delete_some(&remains);
    while (status == STATUS_OK && clock_milliseconds() < end);
    db_batch_reset(batch);
    return status == STATUS_NOT_FOUND;
}
