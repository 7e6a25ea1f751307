#include "store/poi.h"
#include "ctl/change.h"
#include "ctl/groups.h"
#include "ctl/piece.h"

enum { OWNER, NAME, CATEGORY, LAT, LNG, POI };

#define NAME_PARAMETER \
    .name = "name", .type = {VALUE_LINE, LINE_RANGE}, .value = "TEXT", .meaning = "its name"

static const struct parameter add_parameters[] = {
    [OWNER] = {USER_OPTION("owner", "whose"), .required = true},
    [NAME] = {NAME_PARAMETER, .required = true},
    [CATEGORY] = {CATEGORY_PARAMETER(POI_CATEGORIES), .required = true},
    [LAT] = {LATITUDE_PARAMETER, .required = true},
    [LNG] = {LONGITUDE_PARAMETER, .required = true},
    PARAMETERS_END,
};

static const struct parameter update_parameters[] = {
    [OWNER] = {USER_OPTION("owner", "whose")},
    [NAME] = {NAME_PARAMETER},
    [CATEGORY] = {CATEGORY_PARAMETER(POI_CATEGORIES)},
    [LAT] = {LATITUDE_PARAMETER},
    [LNG] = {LONGITUDE_PARAMETER},
    [POI] = ID_OPERAND("POI", "the place's identifier"),
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
    command_print(status, poi_id);
    return command_end(status, "place");
}

static int update(struct invocation *run)
{
    const struct poi_fields fields = read_fields(run->values);
    int64_t poi_id = run->values[POI].number;
    if (!change_is_given(run))
        return EXIT_USAGE;
    return command_end(poi_update(run->batch, poi_id, &fields), "poi %lld", (long long)poi_id);
}

enum { ONLY_POI };

static const struct parameter poi_parameters[] = {
    [ONLY_POI] = ID_OPERAND("POI", "the place's identifier"),
    PARAMETERS_END,
};

static int remove_poi(struct invocation *run)
{
    const struct db_rows *published = NULL;
    int64_t poi_id = run->values[ONLY_POI].number;
    change_begin(run);
    enum status status = poi_delete(run->batch, poi_id, &published);
    return command_end(change_finish(run, status, published), "poi %lld", (long long)poi_id);
}

static int show(struct invocation *run)
{
    return piece_show(run, SUBJECT_POI, run->values[ONLY_POI].number);
}

enum { LIST_OWNER, LIST_CATEGORY, LIST_PART };

static const struct parameter list_parameters[] = {
    [LIST_OWNER] = {USER_OPTION("owner", "only places of this user")},
    [LIST_CATEGORY] = {CATEGORY_PARAMETER(POI_CATEGORIES)},
    [LIST_PART] = PART_PARAMETERS,
    PARAMETERS_END,
};

static const char *const listed[] = {"POIID", "ownerID", "name",  "category", "#lat",
                                     "#lng",  "updated", "score", NULL};

static int list(struct invocation *run)
{
    const struct value *values = run->values;
    const struct list_part part = part_of(&values[LIST_PART]);
    struct output_rows rows = {run->out, listed};
    enum status status = poi_list_all(run->batch, values[LIST_OWNER].number,
                                      values[LIST_CATEGORY].number, &part, output_row, &rows);
    return command_end(status, "places");
}

const struct command poi_commands[] = {
    {.name = "add",
     .summary = "add a point of interest and print its identifier",
     .parameters = add_parameters,
     .run = add},
    {.name = "update",
     .summary = "change the given values, and leave the rest",
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
    {.name = "list",
     .summary = "list points of interest",
     .parameters = list_parameters,
     .shows = SHOWS_LIST,
     .run = list},
    COMMANDS_END,
};
