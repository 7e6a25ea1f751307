#include "api/entries.h"

enum { PAGE = 50 }; /* entries, where only its place was given */

static enum status begin(struct call *call, const struct paging *paging, struct entry_page *page)
{
    *page = (struct entry_page){.limit = paging->limit, .sink = {call_item, call}};
    if (paging->limit == 0 && paging->after == NULL)
        return STATUS_OK;
    if (page->limit == 0)
        page->limit = PAGE;
    return paging_begin(call, paging, &page->last, sizeof page->last);
}

enum status entries_answer(struct call *call, entries_function *list)
{
    const struct entry_reading *reading = call->input;
    struct page_shown *shown = call->output;
    struct entry_page page;
    enum status status = begin(call, &reading->paging, &page);
    if (status == STATUS_OK)
        status = list(call->batch, reading->id, access_reader(&call->access), &page);
    if (status == STATUS_OK && page.has_more)
        shown->next = paging_next(call, &page.last, sizeof page.last);
    return status;
}
