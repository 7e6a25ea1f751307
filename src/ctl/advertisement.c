#include "store/advertisement.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"
#include "ctl/groups.h"
#include "ctl/piece.h"

#define AD_PARAMETER ID_OPERAND("AD", "the advertisement, by its identifier")
#define RADIUS_RANGE RANGE(1, ADVERTISEMENT_RADIUS_MOST)

/* Add ---------------------------------------------------------------------------------------- */

enum { TITLE, TEXT, IMAGE, ADDRESS, LAT, LNG, RADIUS, WEIGHT, FIRST, LAST };

static const struct parameter add_parameters[] = {
    [TITLE] = {.name = "title",
               .type = {VALUE_LINE, LINE_RANGE},
               .required = true,
               .value = "TEXT",
               .meaning = "the title"},
    [TEXT] = {.name = "text",
              .type = {VALUE_TEXT, RANGE(0, ADVERTISEMENT_TEXT_MOST)},
              .from_input = true,
              .value = "TEXT",
              .meaning = "the text; - reads the text from standard input"},
    [IMAGE] = {.name = "image",
               .type = {VALUE_LINE, RANGE(1, TEXT_LINE_MOST)},
               .value = "ADDRESS",
               .meaning = "a picture, with http: or https:"},
    [ADDRESS] = {.name = "address",
                 .type = {VALUE_LINE, RANGE(1, TEXT_LINE_MOST)},
                 .required = true,
                 .value = "ADDRESS",
                 .meaning = "the page behind the advertisement, with http: or https:"},
    [LAT] = {LATITUDE_PARAMETER, .required = true},
    [LNG] = {LONGITUDE_PARAMETER, .required = true},
    [RADIUS] = {.name = "radius",
                .type = {VALUE_INTEGER, RADIUS_RANGE},
                .required = true,
                .value = "METRES",
                .meaning = "the distance from there up to which the advertisement is shown"},
    [WEIGHT] = {.name = "weight",
                .type = {VALUE_INTEGER, RANGE(1, ADVERTISEMENT_WEIGHT_MOST)},
                .value = "N",
                .meaning = "the number of turns for each turn of an advertisement with weight 1 "
                           "(1)"},
    [FIRST] = {.name = "from",
               .type = {.kind = VALUE_DATE},
               .value = "DATE",
               .meaning = "the first day (today)"},
    [LAST] = {.name = "until",
              .type = {.kind = VALUE_DATE},
              .required = true,
              .value = "DATE",
              .meaning = "the last day"},
    PARAMETERS_END,
};

static bool is_address(const char *name, const char *address)
{
    bool good = text_is_http(address);
    for (const char *byte = address; *byte != '\0'; byte++)
        good = good && *byte > ' ' && *byte <= '~';
    if (!good)
        log_error("--%s: '%s' is no address with http:// or https:// in ASCII", name, address);
    return good;
}

static int add(struct invocation *run)
{
    int64_t id = 0;
    const struct value *values = run->values;
    const struct advertisement_fields fields = {
        .shown = {.title = values[TITLE].text,
                  .text = values[TEXT].text != NULL ? values[TEXT].text : "",
                  .image = values[IMAGE].text,
                  .address = values[ADDRESS].text,
                  .place = {values[LAT].text, values[LNG].text}},
        .radius = values[RADIUS].number,
        .weight = values[WEIGHT].text != NULL ? values[WEIGHT].number : 1,
        .first_day = values[FIRST].text,
        .last_day = values[LAST].text,
    };
    if (!is_address("address", fields.shown.address) ||
        (fields.shown.image != NULL && !is_address("image", fields.shown.image)))
        return EXIT_USAGE;
    if (fields.first_day != NULL && strcmp(fields.last_day, fields.first_day) < 0) {
        log_error("--until: the last day is before the first day");
        return EXIT_USAGE;
    }
    enum status status = advertisement_insert(run->batch, &fields, &id);
    command_print(status, id);
    return command_end(status, "advertisement");
}

/* List, show --------------------------------------------------------------------------------- */

enum { LIST_RUNNING, LIST_PART };

static const struct parameter list_parameters[] = {
    [LIST_RUNNING] = {.name = "running",
                      .type = {.kind = VALUE_FLAG},
                      .meaning = "only advertisements that run today"},
    [LIST_PART] = PART_PARAMETERS,
    PARAMETERS_END,
};

static const char *const listed[] = {"advertisementID", "title",  "#lat",    "#lng",
                                     "radius",          "weight", "from",    "until",
                                     "running",         "shown",  "clicked", NULL};

static int list(struct invocation *run)
{
    const struct value *values = run->values;
    const struct list_part part = part_of(&values[LIST_PART]);
    struct output_rows rows = {run->out, listed};
    return command_end(
        advertisement_list(run->batch, values[LIST_RUNNING].text != NULL, &part, output_row, &rows),
        "advertisements");
}

enum { AD, COUNTS_CSV };

static const struct parameter ad_parameters[] = {
    [AD] = AD_PARAMETER,
    PARAMETERS_END,
};

static const char *const shown[] = {
    "advertisementID", "title",   "text", "image", "address", "#lat",  "#lng",
    "radius",          "weight",  "from", "until", "created", "ended", "running",
    "shown",           "clicked", NULL};

static int show(struct invocation *run)
{
    const struct value *ad = &run->values[AD];
    struct output_rows rows = {run->out, shown};
    return command_end(advertisement_show(run->batch, ad->number, output_row, &rows),
                       "advertisement %s", ad->text);
}

/* Counts ------------------------------------------------------------------------------------- */

static const struct parameter counts_parameters[] = {
    [AD] = {.name = "ad",
            .type = {VALUE_INTEGER, ID_RANGE},
            .value = "AD",
            .meaning = "only of this advertisement, by its identifier"},
    [COUNTS_CSV] = {.name = "csv", .type = {.kind = VALUE_FLAG}, .meaning = "as CSV (RFC 4180)"},
    PARAMETERS_END,
};

static const char *const counted[] = {"day", "advertisementID", "shown", "clicked", NULL};

/* Dates and numbers need no quotes. */
static enum status write_csv_row(void *context, struct db_row *row)
{
    (void)context;
    struct date day = db_read_date(row);
    long long id = db_read_integer(row), times_shown = db_read_integer(row);
    long long clicked = db_read_integer(row);
    printf("%04d-%02d-%02d,%lld,%lld,%lld\r\n", day.year, day.month, day.day, id, times_shown,
           clicked);
    return STATUS_OK;
}

static int counts(struct invocation *run)
{
    const struct value *values = run->values;
    struct output_rows rows = {run->out, counted};
    bool is_csv = values[COUNTS_CSV].text != NULL;
    if (is_csv)
        printf("day,advertisementID,shown,clicked\r\n");
    enum status status = advertisement_counts(run->batch, values[AD].number,
                                              is_csv ? write_csv_row : output_row, &rows);
    return command_end(status, "counts");
}

static int end(struct invocation *run)
{
    const struct value *ad = &run->values[AD];
    return command_end(advertisement_end(run->batch, ad->number), "advertisement %s", ad->text);
}

const struct command advertisement_commands[] = {
    {.name = "add",
     .summary = "add an advertisement for a place, and print its identifier",
     .details =
         "The advertisement is shown to requests for a place within the radius, from the first\n"
         "day to the last, both included. Several advertisements take turns by their weights.",
     .parameters = add_parameters,
     .run = add},
    {.name = "list",
     .summary = "list advertisements, and how often each was shown and chosen",
     .parameters = list_parameters,
     .shows = SHOWS_LIST,
     .run = list},
    {.name = "show",
     .summary = "show an advertisement",
     .parameters = ad_parameters,
     .shows = SHOWS_ONE,
     .run = show},
    {.name = "counts",
     .summary = "show how often advertisements were shown and chosen on each day",
     .details = "The service writes these counts some seconds later, and does not record which\n"
                "users chose an advertisement.",
     .parameters = counts_parameters,
     .shows = SHOWS_LIST,
     .run = counts},
    {.name = "end",
     .summary = "show an advertisement no more",
     .parameters = ad_parameters,
     .run = end},
    COMMANDS_END,
};
