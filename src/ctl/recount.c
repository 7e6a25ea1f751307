#include "ctl/groups.h"
#include "store/indexer.h"

static const struct parameter no_parameters[] = {PARAMETERS_END};

static int recount(struct invocation *run)
{
    int64_t pieces = 0;
    enum status status = indexer_recount(run->batch, &pieces);
    command_print(status, pieces);
    return command_end(status, "pieces");
}

const struct command recount_commands[] = {
    {.summary = "count all pieces anew for the map, and print how many those are",
     .details = "For what doctor finds. Nobody waits for it; answers have the counts of before\n"
                "until it is done. Pieces that cannot be found by their words are noted for the\n"
                "service, which sees to them while it runs.",
     .parameters = no_parameters,
     .run = recount},
    COMMANDS_END,
};
