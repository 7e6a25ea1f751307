#include "ctl/groups.h"
#include "store/statistics.h"

enum { LIMIT };

static const struct parameter parameters[] = {
    [LIMIT] = {.name = "limit",
               .type = {VALUE_INTEGER, RANGE(1, 1000)},
               .value = "N",
               .meaning = "so many of the busiest, the largest and the slowest (10)"},
    PARAMETERS_END,
};

/* Where it is not there, its section is not either. */
static enum status show_slow(struct invocation *run, const char *schema, int64_t most)
{
    struct command_db database;
    command_db_open(&database, &run->config, run->config.database, statistics_slow_registry);
    database.options.schema = schema;
    output_list(run->out, "slowStatements");
    enum status status = statistics_slow(database.batch, most, output_row, run->out);
    output_end(run->out);
    command_db_close(&database);
    return status;
}

static int stats(struct invocation *run)
{
    int64_t most = run->values[LIMIT].text != NULL ? run->values[LIMIT].number : 10;
    struct statistics statistics = {0};
    enum status status = statistics_read(run->batch, most, &statistics);
    if (status != STATUS_OK)
        return command_end(status, "statistics");
    output_object(run->out, NULL);
    output_rows(run->out, "counts", statistics.counts);
    output_rows(run->out, "busiestUsers", statistics.users);
    output_rows(run->out, "busiestPlaces", statistics.places);
    output_rows(run->out, "tables", statistics.tables);
    output_rows(run->out, "indexes", statistics.indexes);
    if (statistics.statements_schema != NULL)
        status = show_slow(run, statistics.statements_schema, most);
    output_end(run->out);
    return command_end(status, "slow statements");
}

const struct command stats_commands[] = {
    {.summary = "count what there is and what was added, and show what is large and slow",
     .details =
         "Of each kind: all, and those of the last day, week and month (of albums and places,\n"
         "those that were changed). The busiest users of the last 30 days, and the places with\n"
         "the most comments. Sizes are in bytes. Slow statements are those that took the most\n"
         "time in all, where the database has the extension pg_stat_statements; those of other\n"
         "roles only if the service's role is a member of pg_read_all_stats.",
     .parameters = parameters,
     .shows = SHOWS_ONE,
     .run = stats},
    COMMANDS_END,
};
