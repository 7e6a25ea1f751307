#include <stdio.h>

#include "cli/new_file.h"
#include "ctl/export_user.h"
#include "ctl/groups.h"
#include "store/export.h"

enum { OUTPUT, FORMAT };
enum { GEOJSON, CSV };

static const char *const formats[] = {"geojson", "csv", NULL};

static const struct parameter parameters[] = {
    [OUTPUT] = {.name = "output",
                .type = {.kind = VALUE_PATH},
                .value = "FILE",
                .meaning = "the file to write; without a file, and with -, standard output"},
    [FORMAT] = {.name = "format",
                .type = {VALUE_CHOICE, .words = formats},
                .value = "FORMAT",
                .meaning = "geojson (the default) or csv"},
    PARAMETERS_END,
};

/* What an import calls them. */
static const char *const poi_columns[] = {"id",   "source", "name",  "category", "#lat",
                                          "#lng", "owner",  "score", NULL};

static const char *const album_columns[] = {"id",   "source", "title", "category",   "#lat",
                                            "#lng", "owner",  "score", "visibility", NULL};

static const char *const blog_columns[] = {
    "id",        "source",  "author",       "type",    "#lat",       "#lng",
    "title",     "content", "date",         "weather", "reply",      "replySource",
    "zoomLevel", "mapType", "userCategory", "score",   "visibility", NULL};

static const char *const *const columns_of[EXPORT_KIND_COUNT] = {
    [EXPORT_POIS] = poi_columns, [EXPORT_ALBUMS] = album_columns, [EXPORT_BLOGS] = blog_columns};

/* A reader that went away, or a full disk, ends the query. */
static enum status write_line(void *context, const char *line, size_t length)
{
    return fwrite(line, 1, length, context) == length ? STATUS_OK : STATUS_INTERNAL;
}

static enum status write_csv(struct invocation *run, enum export_kind kind, FILE *file)
{
    for (const char *const *column = columns_of[kind]; *column != NULL; column++)
        fprintf(file, "%s%s", column == columns_of[kind] ? "" : ",", output_name(*column));
    fputc('\n', file);
    return export_csv(run->db, kind, write_line, file);
}

/* GeoJSON (RFC 7946) */
struct features {
    struct output_rows rows;
    FILE *file;
    int64_t count;
};

/* The row is at the first column of the thing itself. */
static void put_geometry(struct output *out, struct db_row row)
{
    for (int i = EXPORT_FIRST; i < EXPORT_LAT; i++)
        db_skip_column(&row);
    const char *lat = db_read_text(&row), *lng = db_read_text(&row);
    output_object(out, "geometry");
    output_text(out, "type", "Point");
    output_list(out, "coordinates");
    output_decimal(out, NULL, lng);
    output_decimal(out, NULL, lat);
    output_end(out);
    output_end(out);
}

static void put_properties(struct output *out, const char *const *columns, struct db_row *row)
{
    output_object(out, "properties");
    for (int i = EXPORT_FIRST; columns[i] != NULL; i++)
        if (i == EXPORT_LAT || i == EXPORT_LNG)
            db_skip_column(row);
        else
            output_column(out, columns[i], row);
    output_end(out);
}

static enum status write_feature(void *context, struct db_row *row)
{
    struct features *features = context;
    struct output *out = features->rows.out;
    const char *const *columns = features->rows.columns;
    fputs(features->count++ == 0 ? "\n" : ",\n", features->file);
    output_object(out, NULL);
    output_text(out, "type", "Feature");
    output_column(out, columns[EXPORT_ID], row);
    output_column(out, columns[EXPORT_SOURCE], row);
    put_geometry(out, *row);
    put_properties(out, columns, row);
    output_end(out);
    return ferror(features->file) ? STATUS_INTERNAL : STATUS_OK;
}

/* A feature a line. */
static enum status write_collection(struct invocation *run, enum export_kind kind, FILE *file)
{
    struct features features = {{output_new(file, OUTPUT_COMPACT_JSON), columns_of[kind]}, file, 0};
    fputs("{\"type\":\"FeatureCollection\",\"features\":[", file);
    enum status status = export_rows(run->batch, kind, write_feature, &features);
    /* A collection that is not whole must not look as if it were. */
    if (status == STATUS_OK)
        fputs("\n]}\n", file);
    output_free(&features.rows.out);
    return status;
}

static int export_things(struct invocation *run, enum export_kind kind)
{
    struct new_file file;
    enum status status = new_file_open_output(&file, run->values[OUTPUT].text);
    if (status != STATUS_OK)
        return (int)exit_status_of(status);
    if (run->values[FORMAT].number == CSV)
        status = write_csv(run, kind, file.file);
    else
        status = write_collection(run, kind, file.file);
    if (status == STATUS_OK)
        status = new_file_keep(&file);
    new_file_drop(&file);
    return (int)exit_status_of(status);
}

static int export_pois(struct invocation *run)
{
    return export_things(run, EXPORT_POIS);
}

static int export_albums(struct invocation *run)
{
    return export_things(run, EXPORT_ALBUMS);
}

static int export_blogs(struct invocation *run)
{
    return export_things(run, EXPORT_BLOGS);
}

#define DETAILS                                                                               \
    "The file can be imported: another mapdiary takes each thing once, and this mapdiary\n"   \
    "changes nothing. A thing that came from an import keeps the id and the source of that\n" \
    "import. In CSV, texts are as people wrote them: a text that begins with =, +, - or @\n"  \
    "is a formula to a spreadsheet, so open such columns as text."

const struct command export_commands[] = {
    {.name = "pois",
     .summary = "write all points of interest",
     .details = DETAILS,
     .parameters = parameters,
     .run = export_pois},
    {.name = "albums",
     .summary = "write all albums, without their photos",
     .details = DETAILS,
     .parameters = parameters,
     .run = export_albums},
    {.name = "blogs",
     .summary = "write all blogs, future blogs too",
     .details = DETAILS,
     .parameters = parameters,
     .run = export_blogs},
    {.name = "user",
     .summary = "write all data of one user, as an archive for that user",
     .details =
         "Any program opens the archive: a README and files of JSON objects, one on each line.\n"
         "Only the user of the command may read the file; with --output - >FILE, the shell makes\n"
         "the file.",
     .parameters = export_user_parameters,
     .run = export_user},
    COMMANDS_END,
};
