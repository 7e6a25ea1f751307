#include "serve/pending.h"

#include <unistd.h>

struct spool_file *pending_file(struct pending *pending)
{
    return pending->kind == PENDING_ANSWER ? &pending->output.file : &pending->input.file;
}

void pending_close(struct pending *pending, const struct spool *spool)
{
    if (pending->kind == PENDING_ANSWER)
        output_break(&pending->output, spool);
    else if (pending->connection >= 0)
        close(pending->connection);
    input_free(&pending->input, spool);
    pending->connection = -1;
}
