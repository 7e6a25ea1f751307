#include "api/entries.h"

enum { PAGE = 50 }; /* entries, where only its place was given */

enum status entries_begin(struct call *call, const struct paging *paging, struct entry_page *page)
{
    struct paging_position position = {0};
    enum status status = STATUS_OK;
    *page = (struct entry_page){.limit = paging->limit, .sink = {call_item, call}};
    if (paging->limit == 0 && paging->after == NULL)
        return STATUS_OK;
    status = paging_begin(call, paging, &position);
    page->last = position.first;
    if (page->limit == 0)
        page->limit = PAGE;
    return status;
}

const char *entries_next(const struct call *call, const struct entry_page *page)
{
    return page->has_more ? paging_next(call, &(struct paging_position){.first = page->last})
                          : NULL;
}
