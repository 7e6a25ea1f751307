#include "ctl/export_originals.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "ctl/photo_files.h"
#include "media/files.h"
#include "store/export.h"

/* What a name ends in, by the bytes that a file begins with; HEIC and AVIF are told by their brand.
 */
static const struct {
    const char *ending;
    size_t at;
    const char *bytes;
} endings[] = {
    {"jpg", 0, "\xff\xd8\xff"}, {"png", 0, "\x89PNG"},  {"gif", 0, "GIF8"},
    {"webp", 8, "WEBP"},        {"avif", 4, "ftypavi"}, {"heic", 4, "ftyp"},
};

static const char *ending_of(int descriptor)
{
    char head[16] = {0};
    if (pread(descriptor, head, sizeof head, 0) <= 0)
        return "bin";
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (memcmp(head + endings[i].at, endings[i].bytes, strlen(endings[i].bytes)) == 0)
            return endings[i].ending;
    return "bin";
}

struct originals {
    struct invocation *run;
    struct archive_file *archive;
    struct files *files;
};

static enum status add_file(const struct originals *to, int64_t photo_id, int descriptor)
{
    char name[64];
    FILE *content = fdopen(descriptor, "rb");
    if (content == NULL) {
        close(descriptor);
        return STATUS_INTERNAL;
    }
    snprintf(name, sizeof name, "photos/%lld.%s", (long long)photo_id, ending_of(descriptor));
    enum status status = archive_add(to->archive, name, content);
    fclose(content);
    return status;
}

/* The folder is opened for the first of them. */
static enum status add_original(void *context, struct db_row *row)
{
    struct originals *to = context;
    unsigned char digest[CRYPTO_DIGEST_SIZE];
    int64_t photo_id = db_read_integer(row);
    if (!crypto_from_hex(db_read_text(row), digest, sizeof digest))
        return STATUS_INTERNAL;
    if (to->files == NULL)
        to->files = photo_files_open(&to->run->config);
    if (to->files == NULL)
        return STATUS_UNAVAILABLE;
    int descriptor = files_get(to->files, FILES_ORIGINALS, digest);
    if (descriptor >= 0)
        return add_file(to, photo_id, descriptor);
    bool is_gone = errno == ENOENT;
    log_error("photo %lld: its file %s (mapdiaryctl photo verify)", (long long)photo_id,
              is_gone ? "is not there" : strerror(errno));
    return is_gone ? STATUS_NOT_FOUND : STATUS_UNAVAILABLE;
}

enum status export_originals(struct invocation *run, struct archive_file *archive, int64_t user_id)
{
    struct originals to = {.run = run, .archive = archive};
    enum status status = export_originals_of(run->batch, user_id, add_original, &to);
    db_batch_reset(run->batch);
    files_close(&to.files);
    return status;
}
