#include "store/entry.h"

enum status entry_take_row(void *sink, struct db_row *row)
{
    const struct entry_sink *to = sink;
    struct entry entry = {.id = db_read_integer(row)};
    entry.title = db_read_text(row);
    return to->take(to->context, &entry);
}
