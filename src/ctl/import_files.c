#include "ctl/import_files.h"

#include <stdlib.h>

#include "base/memory.h"
#include "ctl/photo_files.h"
#include "db/copy.h"

/* For the first one. */
static enum status open_maker(struct import_files *files, const struct config *config)
{
    if (files->maker != NULL)
        return STATUS_OK;
    files->maker = memory_zeroed(1, sizeof *files->maker);
    return picture_maker_open(files->maker, config);
}

enum status import_files_make(struct import_files *files, const struct config *config,
                              const char *name, struct arena *arena, struct photo_upload *upload)
{
    const char *path = *name == '/' ? name : arena_format(arena, "%s/%s", files->folder, name);
    enum status status = open_maker(files, config);
    return status == STATUS_OK ? picture_make_photo(files->maker, path, arena, upload) : status;
}

static void add_bytes(struct buffer *staged, const unsigned char *bytes, size_t length)
{
    char text[sizeof "\\x" + 2 * CRYPTO_DIGEST_SIZE] = "\\x";
    crypto_to_hex(bytes, length, text + 2);
    db_copy_add_value(staged, text);
}

void import_files_stage(struct buffer *staged, const struct photo_upload *upload)
{
    enum { COLUMNS = 9 };
    for (int i = 0; upload == NULL && i < COLUMNS; i++)
        db_copy_add_value(staged, NULL);
    if (upload == NULL)
        return;
    add_bytes(staged, upload->name, sizeof upload->name);
    add_bytes(staged, upload->original, sizeof upload->original);
    db_copy_add_integer(staged, upload->original_bytes);
    add_bytes(staged, upload->large, sizeof upload->large);
    add_bytes(staged, upload->small, sizeof upload->small);
    db_copy_add_integer(staged, upload->format);
    db_copy_add_integer(staged, upload->width);
    db_copy_add_integer(staged, upload->height);
    db_copy_add_value(staged, upload->taken);
}

enum status import_files_measure(const struct import_files *files, struct db_batch *batch)
{
    return files->maker != NULL ? photo_files_measure(batch, files->maker->files) : STATUS_OK;
}

void import_files_close(struct import_files *files)
{
    if (files->maker != NULL)
        picture_maker_close(files->maker);
    free(files->maker);
    files->maker = NULL;
}
