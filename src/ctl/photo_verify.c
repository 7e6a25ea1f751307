#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "cli/progress.h"
#include "ctl/photo_files.h"
#include "store/photo_file.h"

const struct parameter photo_verify_parameters[] = {PARAMETERS_END};

struct verification {
    struct invocation *run;
    struct files *files;
    struct progress progress;
    int64_t count, bytes, whole; /* of files that were read */
    int64_t faults;
};

/* Of a file, none is known. */
static void show_id(struct output *out, const char *name, int64_t id)
{
    if (id != 0)
        output_integer(out, name, id);
    else
        output_text(out, name, NULL);
}

static void report(struct verification *all, enum files_room room, const unsigned char *digest,
                   const char *fault, int64_t photo_id, int64_t user_id)
{
    struct output *out = all->run->out;
    char path[FILES_PATH_SIZE];
    files_path_in(room, digest, path);
    progress_end(&all->progress);
    output_object(out, NULL);
    output_text(out, "file", path);
    output_text(out, "fault", fault);
    show_id(out, "photoID", photo_id);
    show_id(out, "userID", user_id);
    output_end(out);
    all->faults++;
}

/* Files --------------------------------------------------------------------------------------- */

static enum status add_up(void *context, enum files_room room, const struct files_entry *entry)
{
    struct verification *all = context;
    (void)room;
    all->whole += entry->length;
    return STATUS_OK;
}

static bool digest_of(struct verification *all, int descriptor,
                      unsigned char digest[static CRYPTO_DIGEST_SIZE])
{
    static unsigned char block[1 << 18];
    struct crypto_sha256 hash;
    ssize_t length;
    crypto_sha256_begin(&hash);
    while ((length = read(descriptor, block, sizeof block)) > 0) {
        crypto_sha256_add(&hash, block, (size_t)length);
        all->bytes += length;
        progress_show(&all->progress, all->count, all->bytes, all->whole);
    }
    crypto_sha256_end(&hash, digest);
    return length == 0;
}

/* One that a sweep takes meanwhile is no fault. */
static enum status check_file(void *context, enum files_room room, const struct files_entry *entry)
{
    struct verification *all = context;
    unsigned char digest[CRYPTO_DIGEST_SIZE];
    int descriptor = files_get(all->files, room, entry->digest);
    if (descriptor < 0 && errno == ENOENT)
        return STATUS_OK;
    all->count++;
    if (descriptor < 0 || !digest_of(all, descriptor, digest))
        report(all, room, entry->digest, "unreadable", 0, 0);
    else if (memcmp(digest, entry->digest, sizeof digest) != 0)
        report(all, room, entry->digest, "damaged", 0, 0);
    if (descriptor >= 0)
        close(descriptor);
    return STATUS_OK;
}

static enum status list(struct verification *all, files_function *function)
{
    enum status status = files_list(all->files, FILES_ORIGINALS, function, all);
    return status != STATUS_OK ? status : files_list(all->files, FILES_PICTURES, function, all);
}

/* Rows ---------------------------------------------------------------------------------------- */

static enum status check_row(void *context, struct db_row *row)
{
    struct verification *all = context;
    struct files_entry entry;
    int64_t photo_id = db_read_integer(row), user_id = db_read_integer(row);
    enum files_room room = db_read_boolean(row) ? FILES_ORIGINALS : FILES_PICTURES;
    if (!crypto_from_hex(db_read_text(row), entry.digest, sizeof entry.digest))
        return STATUS_INTERNAL;
    enum status status = files_head(all->files, room, entry.digest, &entry);
    if (status == STATUS_NOT_FOUND)
        report(all, room, entry.digest, "missing", photo_id, user_id);
    return status == STATUS_NOT_FOUND ? STATUS_OK : status;
}

static enum status verify(struct verification *all)
{
    progress_start(&all->progress, "photos", "reading");
    all->progress.unit = "files";
    enum status status = list(all, add_up);
    if (status == STATUS_OK)
        status = list(all, check_file);
    progress_stage(&all->progress, "asking for what is missing");
    if (status == STATUS_OK)
        status = photo_file_list(all->run->batch, check_row, all);
    progress_end(&all->progress);
    return status;
}

int photo_verify(struct invocation *run)
{
    int found = photo_files_check(&run->config);
    if (found != EXIT_DONE)
        return found;
    struct verification all = {.run = run, .files = files_open(run->config.photo_directory)};
    if (all.files == NULL)
        return EXIT_FAILED;
    enum status status = verify(&all);
    files_close(&all.files);
    if (status != STATUS_OK)
        return command_end(status, "%s", run->config.photo_directory);
    fprintf(stderr, "%lld files were read, %lld faults found\n", (long long)all.count,
            (long long)all.faults);
    return all.faults == 0 ? EXIT_DONE : EXIT_FAILED;
}
