#include <string.h>
#include <time.h>

#include "base/buffer.h"
#include "base/log.h"
#include "base/text.h"
#include "ctl/photo_files.h"
#include "media/mark.h"
#include "media/publication.h"
#include "media/remains.h"
#include "store/photo_file.h"

enum { YES, ADOPT };

const struct parameter photo_sweep_parameters[] = {
    [YES] = {.name = "yes",
             .type = {.kind = VALUE_FLAG},
             .meaning = "delete the due files, and withdraw the links"},
    [ADOPT] = {.name = "adopt",
               .type = {.kind = VALUE_FLAG},
               .meaning = "the files belong to this database from now on"},
    PARAMETERS_END,
};

enum {
    BATCH = 1000,
    GRACE = 7 * 86400, /* seconds; a dump of so long ago finds its files */
    GONE = 86400,
    REMAINS_MOST = 3600 * 1000, /* milliseconds */
};

struct link {
    enum publication_owner owner;
    int64_t id;
    char name[PUBLICATION_NAME_DIGITS + 1];
};

struct sum {
    int64_t count, bytes;
};

struct sweep {
    struct invocation *run;
    struct files *files;
    bool takes;
    int64_t began_at;
    enum files_room room; /* of the batch */
    struct files_entry entries[BATCH];
    struct link links[BATCH];
    int count; /* in the batch, which is of either */
    struct buffer text;
    struct sum all, unnamed, due, taken;
    int64_t withdrawn;
};

/* An array as PostgreSQL reads it. What is in it needs no quotes. */
static void add_item(struct buffer *text, const char *item)
{
    buffer_add_text(text, text->length == 0 ? "{" : ",");
    buffer_add_text(text, item);
}

static const char *end_array(struct buffer *text)
{
    buffer_add(text, text->length == 0 ? "{}" : "}", text->length == 0 ? 3 : 2);
    return text->data;
}

static void add_digest(struct buffer *text, const unsigned char *digest)
{
    char hex[CRYPTO_DIGEST_DIGITS + 1];
    crypto_to_hex(digest, CRYPTO_DIGEST_SIZE, hex);
    add_item(text, hex);
}

static void add(struct sum *sum, const struct files_entry *entry)
{
    sum->count++;
    sum->bytes += entry->length;
}

static void end_batch(struct sweep *sweep)
{
    db_batch_reset(sweep->run->batch);
    buffer_reset(&sweep->text, 1 << 20);
    sweep->count = 0;
}

/* Files --------------------------------------------------------------------------------------- */

/* One that was put anew since, or has gone, is no fault. */
static enum status take(struct sweep *sweep, const struct files_entry *entry)
{
    enum status status = files_delete(sweep->files, sweep->room, entry);
    if (status == STATUS_OK) {
        add(&sweep->taken, entry);
        add_digest(&sweep->text, entry->digest);
    }
    return status == STATUS_UNAVAILABLE ? status : STATUS_OK;
}

/* The marks are committed, whatever becomes of the files. */
static enum status judge_files(struct sweep *sweep, const struct db_rows *rows)
{
    enum status status = STATUS_OK;
    buffer_reset(&sweep->text, 1 << 20);
    for (size_t i = 0; i < db_rows_count(rows) && status == STATUS_OK; i++) {
        struct db_row row = db_row(rows, i);
        const struct files_entry *entry = &sweep->entries[db_read_integer(&row) - 1];
        add(&sweep->unnamed, entry);
        if (!db_read_boolean(&row) || entry->put_at > sweep->began_at - GRACE)
            continue;
        add(&sweep->due, entry);
        if (sweep->takes)
            status = take(sweep, entry);
    }
    return status;
}

static enum status sweep_batch(struct sweep *sweep)
{
    const struct db_rows *rows;
    struct db_batch *batch = sweep->run->batch;
    for (int i = 0; i < sweep->count; i++)
        add_digest(&sweep->text, sweep->entries[i].digest);
    enum status status = photo_file_mark(batch, end_array(&sweep->text), GRACE, &rows);
    if (status == STATUS_OK)
        status = judge_files(sweep, rows);
    db_batch_reset(batch);
    if (status == STATUS_OK && sweep->text.length > 0)
        status = photo_file_forget(batch, end_array(&sweep->text));
    end_batch(sweep);
    return status;
}

static enum status take_file(void *context, enum files_room room, const struct files_entry *entry)
{
    struct sweep *sweep = context;
    sweep->room = room;
    sweep->entries[sweep->count++] = *entry;
    add(&sweep->all, entry);
    return sweep->count == BATCH ? sweep_batch(sweep) : STATUS_OK;
}

static enum status sweep_room(struct sweep *sweep, enum files_room room)
{
    enum status status = files_list(sweep->files, room, take_file, sweep);
    return status == STATUS_OK && sweep->count > 0 ? sweep_batch(sweep) : status;
}

/* What pictures take --------------------------------------------------------------------------- */

/* Adds the length of a file that is there. */
static enum status add_length(const struct files *files, const char *hex, int64_t *bytes)
{
    unsigned char digest[CRYPTO_DIGEST_SIZE];
    struct files_entry entry;
    enum status status = crypto_from_hex(hex, digest, sizeof digest)
                             ? files_head(files, FILES_PICTURES, digest, &entry)
                             : STATUS_NOT_FOUND;
    *bytes += status == STATUS_OK ? entry.length : 0;
    return status == STATUS_NOT_FOUND ? STATUS_OK : status;
}

static void add_number(struct buffer *text, int64_t number)
{
    char digits[TEXT_INTEGER_SIZE];
    add_item(text, text_from_integer(number, digits));
}

static enum status measure_one(const struct files *files, struct db_row row, struct buffer *photos,
                               struct buffer *bytes)
{
    int64_t length = 0;
    add_number(photos, db_read_integer(&row));
    enum status status = add_length(files, db_read_text(&row), &length);
    if (status == STATUS_OK)
        status = add_length(files, db_read_text(&row), &length);
    add_number(bytes, length);
    return status;
}

/* STATUS_NOT_FOUND where all are measured. */
static enum status measure_some(struct db_batch *batch, const struct files *files)
{
    struct buffer photos = {0}, bytes = {0};
    const struct db_rows *rows;
    enum status status = photo_file_unmeasured(batch, BATCH, &rows);
    size_t count = status == STATUS_OK ? db_rows_count(rows) : 0;
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        status = measure_one(files, db_row(rows, i), &photos, &bytes);
    db_batch_reset(batch);
    if (count > 0 && status == STATUS_OK)
        status = photo_file_measured(batch, end_array(&photos), end_array(&bytes));
    db_batch_reset(batch);
    buffer_free(&photos);
    buffer_free(&bytes);
    return status == STATUS_OK && count == 0 ? STATUS_NOT_FOUND : status;
}

enum status photo_files_measure(struct db_batch *batch, const struct files *files)
{
    enum status status = STATUS_OK;
    while (status == STATUS_OK)
        status = measure_some(batch, files);
    return status == STATUS_NOT_FOUND ? STATUS_OK : status;
}

/* Links --------------------------------------------------------------------------------------- */

/* What is withdrawn though somebody has just made it public, the service links again. */
static enum status withdraw(struct sweep *sweep, const struct db_rows *rows)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < db_rows_count(rows) && status == STATUS_OK; i++) {
        struct db_row row = db_row(rows, i);
        const struct link *link = &sweep->links[db_read_integer(&row) - 1];
        sweep->withdrawn++;
        if (sweep->takes)
            status = publication_withdraw(sweep->files, link->owner, link->id, link->name);
    }
    return status;
}

static enum status withdraw_batch(struct sweep *sweep)
{
    const struct db_rows *rows;
    enum status status = photo_file_ask_public(sweep->run->batch, end_array(&sweep->text), &rows);
    if (status == STATUS_OK)
        status = withdraw(sweep, rows);
    end_batch(sweep);
    return status;
}

static enum status take_link(void *context, enum publication_owner owner, int64_t id,
                             const char *name)
{
    struct sweep *sweep = context;
    struct link *link = &sweep->links[sweep->count++];
    char address[PUBLICATION_ADDRESS_SIZE];
    *link = (struct link){.owner = owner, .id = id};
    memcpy(link->name, name, sizeof link->name);
    publication_folder(owner, id, name, address);
    add_item(&sweep->text, address);
    return sweep->count == BATCH ? withdraw_batch(sweep) : STATUS_OK;
}

static enum status sweep_links(struct sweep *sweep)
{
    enum status status = publication_list(sweep->files, take_link, sweep);
    return status == STATUS_OK && sweep->count > 0 ? withdraw_batch(sweep) : status;
}

/* The whole ----------------------------------------------------------------------------------- */

static void show(const struct sweep *sweep)
{
    struct output *out = sweep->run->out;
    output_object(out, NULL);
    output_integer(out, "files", sweep->all.count);
    output_integer(out, "bytes", sweep->all.bytes);
    output_integer(out, "unnamed", sweep->unnamed.count);
    output_integer(out, "unnamedBytes", sweep->unnamed.bytes);
    output_integer(out, "due", sweep->due.count);
    output_integer(out, "dueBytes", sweep->due.bytes);
    output_integer(out, "taken", sweep->taken.count);
    output_integer(out, "takenBytes", sweep->taken.bytes);
    output_integer(out, "notPublic", sweep->withdrawn);
    output_end(out);
}

/* What nobody may see goes first. */
static enum status sweep_all(struct sweep *sweep)
{
    struct db_batch *batch = sweep->run->batch;
    enum status status = photo_files_measure(batch, sweep->files);
    if (status == STATUS_OK && sweep->takes && !remains_delete(sweep->files, batch, REMAINS_MOST))
        log_warning("files of photos that have gone are still there");
    if (status == STATUS_OK)
        status = sweep_links(sweep);
    for (int room = 0; room < FILES_ROOMS && status == STATUS_OK; room++)
        status = sweep_room(sweep, (enum files_room)room);
    if (status == STATUS_OK && sweep->takes)
        status = files_empty(sweep->files, GONE);
    return status;
}

/* By another database's word, as that of one that was made anew, all files would go that this one
 * does not name. */
static enum status compare(const struct invocation *run, const char *marked, const char *whose)
{
    if (*marked == '\0' || strcmp(marked, whose) == 0)
        return STATUS_OK;
    log_error("%s: the photos belong to a database whose schema was made %s UTC, and the schema "
              "of this database was made %s; if the photos belong to this database from now on: "
              "mapdiaryctl photo sweep --adopt",
              run->config.photo_directory, marked, whose);
    return STATUS_CONFLICT;
}

static enum status check_database(struct invocation *run, const struct files *files)
{
    char marked[MARK_SIZE] = "";
    const char *whose = "";
    enum status status = photo_file_whose(run->batch, &whose);
    if (status == STATUS_OK)
        status = mark_read(files, marked);
    if (status == STATUS_OK && run->values[ADOPT].text == NULL)
        status = compare(run, marked, whose);
    if (status == STATUS_OK && strcmp(marked, whose) != 0)
        status = mark_write(files, whose);
    db_batch_reset(run->batch);
    return status;
}

int photo_sweep(struct invocation *run)
{
    int found = run->values[ADOPT].text != NULL ? EXIT_DONE : photo_files_check(&run->config);
    struct files *files = found == EXIT_DONE ? files_open(run->config.photo_directory) : NULL;
    if (files == NULL)
        return found == EXIT_DONE ? EXIT_FAILED : found;
    struct sweep *sweep = arena_take(run->arena, sizeof *sweep);
    *sweep = (struct sweep){
        .run = run, .files = files, .takes = run->values[YES].text != NULL, .began_at = time(NULL)};
    enum status status = check_database(run, files);
    if (status == STATUS_OK)
        status = sweep_all(sweep);
    if (status == STATUS_OK)
        show(sweep);
    buffer_free(&sweep->text);
    files_close(&files);
    return status == STATUS_CONFLICT ? EXIT_FAILED
                                     : command_end(status, "%s", run->config.photo_directory);
}
