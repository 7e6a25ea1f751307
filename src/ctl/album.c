#include <string.h>

#include "ctl/change.h"
#include "ctl/groups.h"
#include "ctl/piece.h"
#include "store/album.h"

enum { OWNER, TITLE, CATEGORY, LAT, LNG, VISIBILITY, BASE_VERSION, ALBUM };

#define TITLE_PARAMETER \
    .name = "title", .type = {VALUE_LINE, LINE_RANGE}, .value = "TEXT", .meaning = "its title"
#define ALBUM_PARAMETER ID_OPERAND("ALBUM", "the album's identifier")

static const struct parameter add_parameters[] = {
    [OWNER] = {USER_OPTION("owner", "whose"), .required = true},
    [TITLE] = {TITLE_PARAMETER, .required = true},
    [CATEGORY] = {CATEGORY_PARAMETER(ALBUM_CATEGORIES), .required = true},
    [LAT] = {LATITUDE_PARAMETER, .required = true},
    [LNG] = {LONGITUDE_PARAMETER, .required = true},
    [VISIBILITY] = {VISIBILITY_PARAMETER(" (public)")},
    PARAMETERS_END,
};

static const struct parameter update_parameters[] = {
    [OWNER] = {USER_OPTION("owner", "whose")},
    [TITLE] = {TITLE_PARAMETER},
    [CATEGORY] = {CATEGORY_PARAMETER(ALBUM_CATEGORIES)},
    [LAT] = {LATITUDE_PARAMETER},
    [LNG] = {LONGITUDE_PARAMETER},
    [VISIBILITY] = {VISIBILITY_PARAMETER("")},
    [BASE_VERSION] = {BASE_VERSION_PARAMETER},
    [ALBUM] = ALBUM_PARAMETER,
    PARAMETERS_END,
};

static struct album_fields read_fields(const struct value *values)
{
    return (struct album_fields){
        .title = values[TITLE].text,
        .category = values[CATEGORY].number,
        .place = {.lat = values[LAT].text, .lng = values[LNG].text},
        .visibility = values[VISIBILITY].text,
    };
}

static int add(struct invocation *run)
{
    int64_t album_id = 0;
    const struct album_fields fields = read_fields(run->values);
    enum status status = album_insert(run->batch, run->values[OWNER].number, &fields, &album_id);
    command_print(status, album_id);
    return command_end(status, "album");
}

static int update(struct invocation *run)
{
    struct album_fields fields = read_fields(run->values);
    if (!change_is_given(run))
        return EXIT_USAGE;
    const struct db_rows *published = NULL;
    bool hides = fields.visibility != NULL && strcmp(fields.visibility, PIECE_PRIVATE) == 0;
    fields.album_id = run->values[ALBUM].number;
    fields.base_version = run->values[BASE_VERSION].number;
    change_begin(run);
    enum status status = album_edit(run->batch, run->values[OWNER].number, &fields, &published);
    if (status == STATUS_CHANGED_MEANWHILE)
        return piece_changed_meanwhile(SUBJECT_ALBUM, fields.album_id, fields.base_version);
    return command_end(change_finish(run, status, hides ? published : NULL), "album %lld",
                       (long long)fields.album_id);
}

enum { ONLY_ALBUM };

static const struct parameter album_parameters[] = {
    [ONLY_ALBUM] = ALBUM_PARAMETER,
    PARAMETERS_END,
};

static int remove_album(struct invocation *run)
{
    const struct db_rows *published = NULL;
    int64_t album_id = run->values[ONLY_ALBUM].number;
    change_begin(run);
    enum status status = album_remove(run->batch, album_id, &published);
    return command_end(change_finish(run, status, published), "album %lld", (long long)album_id);
}

static int show(struct invocation *run)
{
    return piece_show(run, SUBJECT_ALBUM, run->values[ONLY_ALBUM].number);
}

enum { LIST_OWNER, LIST_PART };

static const struct parameter list_parameters[] = {
    [LIST_OWNER] = {USER_OPTION("owner", "only albums of this user")},
    [LIST_PART] = PART_PARAMETERS,
    PARAMETERS_END,
};

static const char *const listed[] = {"albumID", "ownerID", "albumTitle", "category",   "#lat",
                                     "#lng",    "updated", "score",      "visibility", NULL};

static int list(struct invocation *run)
{
    const struct value *values = run->values;
    const struct list_part part = part_of(&values[LIST_PART]);
    struct output_rows rows = {run->out, listed};
    enum status status =
        album_list_all(run->batch, values[LIST_OWNER].number, &part, output_row, &rows);
    return command_end(status, "albums");
}

const struct command album_commands[] = {
    {.name = "add",
     .summary = "add an album and print its identifier",
     .parameters = add_parameters,
     .run = add},
    {.name = "update",
     .summary = "change the given values, and leave the rest",
     .parameters = update_parameters,
     .run = update},
    {.name = "remove",
     .summary = "remove an album with its photos and comments",
     .parameters = album_parameters,
     .destroys = "removes the album with its photos and comments for good",
     .run = remove_album},
    {.name = "show",
     .summary = "show an album with its photos and comments",
     .parameters = album_parameters,
     .shows = SHOWS_ONE,
     .run = show},
    {.name = "list",
     .summary = "list albums",
     .parameters = list_parameters,
     .shows = SHOWS_LIST,
     .run = list},
    COMMANDS_END,
};
