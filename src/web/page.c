#include "web/page.h"

#include <string.h>

const struct page *page_find(const struct page *pages, const char *script_name)
{
    for (const struct page *page = pages; page != NULL && page->script_name != NULL; page++)
        if (script_name != NULL && strcmp(page->script_name, script_name) == 0)
            return page;
    return NULL;
}
