#include <stdio.h>

#include "base/log.h"
#include "ctl/groups.h"
#include "ctl/piece.h"
#include "store/poi.h"

enum { OWNER, NAME, CATEGORY, LAT, LNG, POI };

#define OWNER_PARAMETER                                             \
    .name = "owner", .type = {.kind = VALUE_USER}, .value = "USER", \
    .meaning = "whose: identifier or email address"
#define NAME_PARAMETER \
    .name = "name", .type = {VALUE_LINE, LINE_RANGE}, .value = "TEXT", .meaning = "its name"

static const struct parameter add_parameters[] = {
    [OWNER] = {OWNER_PARAMETER, .required = true},
    [NAME] = {NAME_PARAMETER, .required = true},
    [CATEGORY] = {CATEGORY_PARAMETER(POI_CATEGORIES), .required = true},
    [LAT] = {LATITUDE_PARAMETER, .required = true},
    [LNG] = {LONGITUDE_PARAMETER, .required = true},
    PARAMETERS_END,
};

static const struct parameter update_parameters[] = {
    [OWNER] = {OWNER_PARAMETER},
    [NAME] = {NAME_PARAMETER},
    [CATEGORY] = {CATEGORY_PARAMETER(POI_CATEGORIES)},
    [LAT] = {LATITUDE_PARAMETER},
    [LNG] = {LONGITUDE_PARAMETER},
    [POI] = {.name = "POI",
             .type = {VALUE_INTEGER, ID_RANGE},
             OPERAND,
             .meaning = "the place's identifier"},
    PARAMETERS_END,
};

static struct poi_fields read_fields(const struct value *values)
{
    return (struct poi_fields){
        .owner_id = values[OWNER].number,
        .name = values[NAME].text,
        .category = values[CATEGORY].number,
        .place = {.lat = values[LAT].text, .lng = values[LNG].text},
    };
}

static int add(struct invocation *run)
{
    int64_t poi_id = 0;
    const struct poi_fields fields = read_fields(run->values);
    enum status status = poi_insert(run->batch, &fields, &poi_id);
    if (status == STATUS_OK)
        printf("%lld\n", (long long)poi_id);
    return command_end(status, "place");
}

static int update(struct invocation *run)
{
    const struct poi_fields fields = read_fields(run->values);
    int64_t poi_id = run->values[POI].number;
    size_t given = 0;
    for (size_t i = 0; i < POI; i++)
        given += run->values[i].count;
    if (given == 0) {
        log_error("nothing to change: say what (mapdiaryctl poi update --help)");
        return EXIT_USAGE;
    }
    return command_end(poi_update(run->batch, poi_id, &fields), "poi %lld", (long long)poi_id);
}

enum { ONLY_POI };

static const struct parameter poi_parameters[] = {
    [ONLY_POI] = {.name = "POI",
                  .type = {VALUE_INTEGER, ID_RANGE},
                  OPERAND,
                  .meaning = "the place's identifier"},
    PARAMETERS_END,
};

static int remove_poi(struct invocation *run)
{
    int64_t poi_id = run->values[ONLY_POI].number;
    return command_end(poi_delete(run->batch, poi_id), "poi %lld", (long long)poi_id);
}

static int show(struct invocation *run)
{
    return piece_show(run, SUBJECT_POI, run->values[ONLY_POI].number);
}

const struct command poi_commands[] = {
    {.name = "add",
     .summary = "add a point of interest and print its identifier",
     .parameters = add_parameters,
     .run = add},
    {.name = "update",
     .summary = "change what is given, and leave the rest",
     .parameters = update_parameters,
     .run = update},
    {.name = "remove",
     .summary = "remove a point of interest with its photos and comments",
     .parameters = poi_parameters,
     .destroys = "removes the place with its photos and comments for good",
     .run = remove_poi},
    {.name = "show",
     .summary = "show a point of interest with its photos and comments",
     .parameters = poi_parameters,
     .shows = SHOWS_ONE,
     .run = show},
    COMMANDS_END,
};
