#include "store/schema.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

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

static bool read_file(const char *directory, const char *name, struct schema_file *file)
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

enum status schema_read(const char *directory, struct arena *arena, struct schema *schema)
{
    struct dirent **entries = NULL;
    int count = scandir(directory, &entries, is_migration, alphasort);
    bool good = count > 0;
    if (count < 0)
        log_error("%s: %s", directory, strerror(errno));
    else if (count == 0)
        log_error("%s: no migrations there", directory);
    schema->list = arena_take_array(arena, count > 0 ? (size_t)count : 0, sizeof *schema->list);
    for (int i = 0; i < count; i++) {
        good = good && read_file(directory, entries[i]->d_name, &schema->list[schema->count++]);
        free(entries[i]);
    }
    free(entries);
    return good ? STATUS_OK : STATUS_INTERNAL;
}

void schema_free(struct schema *schema)
{
    for (size_t i = 0; i < schema->count; i++)
        buffer_free(&schema->list[i].sql);
}

const struct migration *schema_find(const struct migrations *applied, int64_t number)
{
    for (size_t i = 0; i < applied->count; i++)
        if (applied->list[i].number == number)
            return &applied->list[i];
    return NULL;
}

size_t schema_pending(const struct schema *schema, const struct migrations *applied)
{
    size_t pending = 0;
    for (size_t i = 0; i < schema->count; i++)
        pending += schema_find(applied, schema->list[i].migration.number) == NULL;
    return pending;
}

bool schema_agrees(const struct schema *schema, const struct migrations *applied)
{
    bool good = true;
    for (size_t i = 0; i < schema->count; i++) {
        const struct migration *file = &schema->list[i].migration;
        const struct migration *known = schema_find(applied, file->number);
        if (known != NULL && strcmp(known->checksum, file->checksum) != 0) {
            log_error("%s: the file has changed since it was applied", file->name);
            good = false;
        }
    }
    for (size_t i = 0; i < applied->count; i++) {
        bool is_file = false;
        for (size_t k = 0; k < schema->count; k++)
            is_file = is_file || schema->list[k].migration.number == applied->list[i].number;
        if (!is_file)
            log_error("%s: applied, but there is no such file: the database is newer than this "
                      "program",
                      applied->list[i].name);
        good = good && is_file;
    }
    return good;
}
