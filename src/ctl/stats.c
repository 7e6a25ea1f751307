#include "ctl/groups.h"
#include "store/statistics.h"

enum { LIMIT };

static const struct parameter parameters[] = {
    [LIMIT] = {.name = "limit",
               .type = {VALUE_INTEGER, RANGE(1, 1000)},
               .value = "N",
               .meaning = "this many of the busiest, the largest and the slowest (10)"},
    PARAMETERS_END,
};

static const char *const counts[] = {"kind", "total", "day", "week", "month", NULL};

static const char *const photos[] = {"of", "total", "uploaded", "bytes", NULL};

static const char *const users[] = {"userID", "name", "acts", NULL};

static const char *const places[] = {"POIID", "name", "comments", "score", NULL};

static const char *const tables[] = {"table", "?rows", "bytes", "indexBytes", NULL};

static const char *const indexes[] = {"index", "table", "bytes", "scans", NULL};

static const char *const slow[] = {"calls", "totalMs", "#meanMs", "rows", "statement", NULL};

/* Where it is not there, its section is not either. */
static enum status show_slow(struct invocation *run, const char *schema, int64_t most)
{
    struct command_db database;
    struct output_rows rows = {run->out, slow};
    command_db_open(&database, &run->config, run->config.database, statistics_slow_registry);
    database.options.schema = schema;
    output_list(run->out, "slowStatements");
    enum status status = statistics_slow(database.batch, most, output_row, &rows);
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
    output_list_of(run->out, "counts", counts, statistics.counts);
    output_list_of(run->out, "photos", photos, statistics.photos);
    output_list_of(run->out, "busiestUsers", users, statistics.users);
    output_list_of(run->out, "busiestPlaces", places, statistics.places);
    output_list_of(run->out, "tables", tables, statistics.tables);
    output_list_of(run->out, "indexes", indexes, statistics.indexes);
    if (statistics.statements_schema != NULL)
        status = show_slow(run, statistics.statements_schema, most);
    output_end(run->out);
    return command_end(status, "slow statements");
}

const struct command stats_commands[] = {
    {.summary = "count things and additions, and show large tables and slow statements",
     .details =
         "Of each kind: all things, and additions of the last day, week and month (changes, of\n"
         "albums and places). Of photos: all photos, uploaded photos, and the bytes of the\n"
         "uploads as sent. The busiest users of the last 30 days, and the places with the most\n"
         "comments. The rows of a table are PostgreSQL's estimate, unknown until PostgreSQL has\n"
         "analysed the table. Sizes are in bytes. If the database has the extension\n"
         "pg_stat_statements: the statements that took the most time in all. Statements of other\n"
         "roles show only if the service's role is a member of pg_read_all_stats.",
     .parameters = parameters,
     .shows = SHOWS_ONE,
     .run = stats},
    COMMANDS_END,
};
