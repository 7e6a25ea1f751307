#include <string.h>

#include "auth/password.h"
#include "base/crypto.h"
#include "base/log.h"
#include "ctl/import.h"
#include "store/user.h"

static const char *const formats[] = {"csv", "geojson", "jsonl", NULL};
const struct parameter import_parameters[] = {
    [IMPORT_FILE] = {.name = "FILE",
                     .type = {.kind = VALUE_PATH},
                     OPERAND,
                     .meaning = "the file to import; - is standard input"},
    [IMPORT_FORMAT] =
        {.name = "format",
         .type = {VALUE_CHOICE, .words = formats},
         .value = "FORMAT",
         .meaning =
             "the format: csv, geojson (a FeatureCollection, or one feature a line) or jsonl "
             "(one object a line); else the file's name tells the format"},
    [IMPORT_SOURCE] = {.name = "source",
                       .type = {VALUE_LINE, LINE_RANGE},
                       .value = "NAME",
                       .meaning = "the source of the identifiers in rows that name no source, "
                                  "such as osm (import)"},
    [IMPORT_OWNER] = {.name = "owner",
                      .type = {.kind = VALUE_USER},
                      .value = "USER",
                      .meaning = "the owner of rows without an owner (author, user): identifier or "
                                 "email address"},
    [IMPORT_MAPPING] = {.name = "mapping",
                        .type = {.kind = VALUE_PATH},
                        .value = "FILE",
                        .meaning = "the file that gives each tag of a feature its category "
                                   "(pois, geojson)"},
    [IMPORT_REJECTS] = {.name = "rejects",
                        .type = {.kind = VALUE_PATH},
                        .value = "FILE",
                        .meaning = "the file for rejected rows, as CSV (FILE.rejects.csv)"},
    [IMPORT_FOLDER] = {.name = "folder",
                       .type = {.kind = VALUE_PATH},
                       .value = "FOLDER",
                       .meaning = "the folder with the files of photos (the folder of FILE)"},
    [IMPORT_STRICT] = {.name = "strict",
                       .type = {.kind = VALUE_FLAG},
                       .meaning = "import nothing if any row is rejected"},
    PARAMETERS_END,
};

static bool ends_in(const char *name, const char *end)
{
    size_t length = strlen(name), tail = strlen(end);
    return length >= tail && strcmp(name + length - tail, end) == 0;
}

static bool choose_format(struct import *import, const char *path)
{
    static const struct {
        const char *end;
        enum import_format format;
    } names[] = {{".csv", IMPORT_CSV},          {".geojson", IMPORT_GEOJSON},
                 {".geojsonl", IMPORT_GEOJSON}, {".geojsonseq", IMPORT_GEOJSON},
                 {".jsonl", IMPORT_JSON_LINES}, {".ndjson", IMPORT_JSON_LINES}};
    const struct value *format = &import->run->values[IMPORT_FORMAT];
    import->format = (enum import_format)format->number;
    if (format->text != NULL)
        return true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        import->format = names[i].format;
        if (ends_in(path, names[i].end))
            return true;
    }
    log_error("%s: the name does not tell its format; say --format", path);
    return false;
}

static enum status find_owner(struct import *import)
{
    const struct value *owner = &import->run->values[IMPORT_OWNER];
    const char *email = NULL;
    if (owner->text == NULL)
        return STATUS_OK;
    enum status status = user_email(import->run->batch, owner->number, &email);
    if (status == STATUS_OK)
        import->reader.owner = arena_copy(import->run->arena, email, strlen(email));
    db_batch_reset(import->run->batch);
    return status;
}

/* Of a password that nobody knows: such an account answers a login as any other does. */
static enum status make_password_hash(struct import *import)
{
    char token[CRYPTO_TOKEN_DIGITS + 1], hash[PASSWORD_HASH_SIZE];
    const struct config *config = &import->run->config;
    const struct password_cost cost = {config->password_memory, config->password_operations};
    if (import->kind != IMPORT_USERS)
        return STATUS_OK;
    crypto_token(token);
    enum status status = password_hash(token, &cost, hash);
    import->reader.password_hash = arena_copy(import->run->arena, hash, strlen(hash));
    return status;
}

static enum status read_mapping(struct import *import)
{
    const char *path = import->run->values[IMPORT_MAPPING].text;
    if (path == NULL)
        return STATUS_OK;
    if (import->kind != IMPORT_POIS || import->format != IMPORT_GEOJSON) {
        log_error("--mapping: goes with points of interest from GeoJSON");
        return STATUS_PARAMETER_INVALID;
    }
    return mapping_read(path, import->run->arena, &import->reader.mapping);
}

static const char *folder_of(const char *path, struct arena *arena)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? arena_copy(arena, path, (size_t)(slash - path) + 1) : ".";
}

enum status import_prepare(struct import *import)
{
    struct arena *arena = import->run->arena;
    const struct value *values = import->run->values;
    const char *path = values[IMPORT_FILE].text;
    bool is_standard = strcmp(path, "-") == 0;
    import->reader.columns = import->run->command->columns;
    import->reader.source =
        values[IMPORT_SOURCE].text != NULL ? values[IMPORT_SOURCE].text : "import";
    import->rejects = (struct rejects){
        .path = values[IMPORT_REJECTS].text != NULL
                    ? values[IMPORT_REJECTS].text
                    : arena_format(arena, "%s.rejects.csv", is_standard ? "import" : path),
        .is_chosen = values[IMPORT_REJECTS].text != NULL,
        .columns = import->reader.columns,
        .arena = arena,
    };
    import->files.folder =
        values[IMPORT_FOLDER].text != NULL ? values[IMPORT_FOLDER].text : folder_of(path, arena);
    if (!choose_format(import, path))
        return STATUS_PARAMETER_MISSING;
    import->reader.geojson = import->format == IMPORT_GEOJSON;
    enum status status = find_owner(import);
    if (status == STATUS_OK)
        status = make_password_hash(import);
    if (status == STATUS_OK)
        status = read_mapping(import);
    if (status == STATUS_OK)
        status = input_open(&import->input, path);
    return status != STATUS_OK ? status : rejects_check(&import->rejects, import->input.file);
}
