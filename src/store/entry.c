#include "store/entry.h"

/* A row more than the page has says that there is another one. */
enum status entry_take_row(void *context, struct db_row *row)
{
    struct entry_page *page = context;
    page->has_more = page->limit != 0 && page->count == page->limit;
    if (page->has_more)
        return STATUS_OK;
    struct entry entry = {.id = db_read_integer(row)};
    entry.title = db_read_text(row);
    page->last = entry.id;
    page->count++;
    return page->sink.take(page->sink.context, &entry);
}
