#include "api/page.h"

#include <string.h>

#include "api/service.h"
#include "http/cache.h"
#include "http/cors.h"

const struct page *page_find(const struct page *pages, const char *script_name)
{
    for (const struct page *page = pages; page != NULL && page->script_name != NULL; page++)
        if (script_name != NULL && strcmp(page->script_name, script_name) == 0)
            return page;
    return NULL;
}

void page_answer(const struct page *page, struct service *service, const struct request *request)
{
    const struct config *config = service->config;
    struct response *response = &service->response;
    response->content_type = page->content_type;
    response->without_body = request->method == METHOD_HEAD;
    if (page->is_public)
        cors_admit(response, request, config, true, service->arena);
    page->write(service->pages_context, response);
    if (page->is_public)
        cache_allow(response, request, config->cache_max_age);
    else
        cache_forbid(response);
    response_send(response);
}
