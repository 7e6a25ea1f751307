#include <dirent.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/crypto.h"
#include "base/log.h"
#include "ctl/command.h"
#include "store/migration.h"

/* A file of the schema folder. */
struct file {
    struct migration migration; /* its texts are the file's */
    char name[NAME_MAX + 1];
    char checksum[CRYPTO_DIGEST_DIGITS + 1];
    struct buffer sql;
};

struct files {
    struct file *list;
    size_t count;
};

/* NNNN-some-name.sql; nothing but these characters, as the name goes into SQL. */
static int is_migration(const struct dirent *entry)
{
    const char *name = entry->d_name;
    size_t digits = strspn(name, "0123456789");
    size_t rest = strspn(name + digits, "abcdefghijklmnopqrstuvwxyz0123456789-");
    return digits == 4 && name[4] == '-' && rest > 1 && strcmp(name + digits + rest, ".sql") == 0;
}

static bool read_all(const char *path, struct buffer *content)
{
    FILE *file = fopen(path, "re");
    size_t got = 0;
    if (file == NULL)
        return false;
    do {
        got = fread(buffer_room(content, 65536), 1, 65536, file);
        content->length += got;
    } while (got > 0);
    bool good = ferror(file) == 0;
    fclose(file);
    return good;
}

static bool read_file(const char *directory, const char *name, struct file *file)
{
    char path[4096];
    unsigned char hash[CRYPTO_DIGEST_SIZE];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    if (!read_all(path, &file->sql)) {
        log_error("%s: %s", path, strerror(errno));
        return false;
    }
    crypto_digest(file->sql.data, file->sql.length, hash);
    crypto_to_hex(hash, sizeof hash, file->checksum);
    snprintf(file->name, sizeof file->name, "%.*s", (int)(strlen(name) - strlen(".sql")), name);
    file->migration = (struct migration){
        .number = strtol(name, NULL, 10), .name = file->name, .checksum = file->checksum};
    return true;
}

static bool read_files(const char *directory, struct arena *arena, struct files *files)
{
    struct dirent **entries = NULL;
    int count = scandir(directory, &entries, is_migration, alphasort);
    bool good = count > 0;
    if (count < 0)
        log_error("%s: %s", directory, strerror(errno));
    else if (count == 0)
        log_error("%s: no migrations there", directory);
    files->list = arena_take_array(arena, count > 0 ? (size_t)count : 0, sizeof *files->list);
    for (int i = 0; i < count; i++) {
        good = good && read_file(directory, entries[i]->d_name, &files->list[files->count++]);
        free(entries[i]);
    }
    free(entries);
    return good;
}

static void free_files(struct files *files)
{
    for (size_t i = 0; i < files->count; i++)
        buffer_free(&files->list[i].sql);
}

static const struct migration *find(const struct migrations *applied, int64_t number)
{
    for (size_t i = 0; i < applied->count; i++)
        if (applied->list[i].number == number)
            return &applied->list[i];
    return NULL;
}

/* What was applied must be what the files say, or nobody knows what the schema is. */
static bool agree(const struct files *files, const struct migrations *applied)
{
    bool good = true;
    for (size_t i = 0; i < files->count; i++) {
        const struct migration *file = &files->list[i].migration;
        const struct migration *known = find(applied, file->number);
        if (known != NULL && strcmp(known->checksum, file->checksum) != 0) {
            log_error("%s: the file has changed since it was applied", file->name);
            good = false;
        }
    }
    for (size_t i = 0; i < applied->count; i++) {
        bool is_file = false;
        for (size_t k = 0; k < files->count; k++)
            is_file = is_file || files->list[k].migration.number == applied->list[i].number;
        if (!is_file)
            log_error("%s: applied, but there is no such file: the database is newer than this "
                      "program",
                      applied->list[i].name);
        good = good && is_file;
    }
    return good;
}

static void print_status(const struct files *files, const struct migrations *applied)
{
    for (size_t i = 0; i < files->count; i++) {
        const struct migration *file = &files->list[i].migration;
        const struct migration *known = find(applied, file->number);
        char when[32] = "pending";
        if (known != NULL) {
            struct tm utc;
            time_t seconds = (time_t)known->applied_at;
            gmtime_r(&seconds, &utc);
            strftime(when, sizeof when, "applied %Y-%m-%dT%H:%M:%SZ", &utc);
        }
        printf("%s %s\n", file->name, when);
    }
}

static enum status apply_pending(struct db *db, const struct files *files,
                                 const struct migrations *applied)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < files->count && status == STATUS_OK; i++) {
        const struct file *file = &files->list[i];
        if (find(applied, file->migration.number) != NULL)
            continue;
        status = migration_apply(db, &file->migration, &file->sql);
        if (status == STATUS_OK)
            printf("%s applied\n", file->name);
        else
            log_error("%s: not applied", file->name);
    }
    return status;
}

/* Two connections: one holds the lock, and the other has the statements, which need the table that
 * the first makes. */
static enum status migrate(const struct config *config, const struct files *files, bool only_status)
{
    struct command_db lock, work;
    struct migrations applied = {0};
    command_db_open(&lock, config, config->admin_database, NULL);
    command_db_open(&work, config, config->admin_database, migration_registry);
    enum status status = migration_prepare(lock.db);
    if (status == STATUS_OK)
        status = migration_list(work.batch, work.arena, &applied);
    if (status == STATUS_OK && only_status)
        print_status(files, &applied);
    if (status == STATUS_OK && !agree(files, &applied))
        status = STATUS_INTERNAL;
    if (status == STATUS_OK && !only_status)
        status = apply_pending(work.db, files, &applied);
    command_db_close(&work);
    command_db_close(&lock);
    return status;
}

int command_migrate(const struct command *command, const struct config *config, int argc,
                    char **argv)
{
    static const struct option options[] = {
        {"status", no_argument, NULL, 's'},
        {0},
    };
    bool only_status = false;
    int option;
    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (option == '?')
            return command_usage(command);
        only_status = true;
    }
    if (optind != argc)
        return command_usage(command);
    struct arena *arena = arena_new();
    struct files files = {0};
    enum status status = STATUS_INTERNAL;
    if (read_files(config->schema_directory, arena, &files))
        status = migrate(config, &files, only_status);
    free_files(&files);
    arena_free(&arena);
    return status == STATUS_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
