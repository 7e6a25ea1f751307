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
    {.summary = "count all pieces anew for the map, and print their number",
     .details =
         "The cure for wrong counts that doctor finds. No request waits: answers have the former\n"
         "counts until the new counts are there. Behind the command, the running service notes the\n"
         "words of all pieces anew, the newest first.",
     .parameters = no_parameters,
     .run = recount},
    COMMANDS_END,
};
