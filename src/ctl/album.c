#include <stdio.h>

#include "ctl/groups.h"
#include "ctl/piece.h"
#include "store/album.h"

enum { OWNER, TITLE, CATEGORY, LAT, LNG };

static const struct parameter add_parameters[] = {
    [OWNER] = {.name = "owner",
               .type = {.kind = VALUE_USER},
               .required = true,
               .value = "USER",
               .meaning = "whose: identifier or email address"},
    [TITLE] = {.name = "title",
               .type = {VALUE_LINE, LINE_RANGE},
               .required = true,
               .value = "TEXT",
               .meaning = "its title"},
    [CATEGORY] = {CATEGORY_PARAMETER(ALBUM_CATEGORIES), .required = true},
    [LAT] = {LATITUDE_PARAMETER, .required = true},
    [LNG] = {LONGITUDE_PARAMETER, .required = true},
    PARAMETERS_END,
};

static int add(struct invocation *run)
{
    int64_t album_id = 0;
    const struct value *values = run->values;
    const struct album_fields fields = {
        .title = values[TITLE].text,
        .category = values[CATEGORY].number,
        .place = {.lat = values[LAT].text, .lng = values[LNG].text},
    };
    enum status status = album_insert(run->batch, values[OWNER].number, &fields, &album_id);
    if (status == STATUS_OK)
        printf("%lld\n", (long long)album_id);
    return command_end(status, "album");
}

enum { ALBUM };

static const struct parameter show_parameters[] = {
    [ALBUM] = {.name = "ALBUM",
               .type = {VALUE_INTEGER, ID_RANGE},
               OPERAND,
               .meaning = "the album's identifier"},
    PARAMETERS_END,
};

static int show(struct invocation *run)
{
    return piece_show(run, SUBJECT_ALBUM, run->values[ALBUM].number);
}

const struct command album_commands[] = {
    {.name = "add",
     .summary = "add an album and print its identifier",
     .parameters = add_parameters,
     .run = add},
    {.name = "show",
     .summary = "show an album with its photos and comments",
     .parameters = show_parameters,
     .shows = SHOWS_ONE,
     .run = show},
    COMMANDS_END,
};
