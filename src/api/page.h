/*
 * Pages beside the interface, which the web server asks for by SCRIPT_NAME (RFC 3875, 4.1.13):
 * those for whoever watches the service, from locations that it keeps local, and those for
 * everybody.
 */
#ifndef MAPDIARY_API_PAGE_H
#define MAPDIARY_API_PAGE_H

#include "http/request.h"
#include "http/response.h"

struct call;
struct service;

struct page {
    const char *script_name; /* "/healthz" */
    /* Answers it, where the rest is not enough, and says how that went: then it is logged and
     * counted as an operation is. The status is that of reading the request. */
    enum status (*answer)(struct call *call, enum status status);
    const char *content_type;
    /* Writes the body, and the HTTP status where it is not 200. */
    void (*write)(const void *context, struct response *response);
    bool is_public; /* any origin may read it (CORS), and caches keep it as they do a read */
};

/** The page of that name; NULL where there is none. The table ends with a row without a name. */
const struct page *page_find(const struct page *pages, const char *script_name);

/** Answers a request for a page without answer(), whose context is that of the service's pages. */
void page_answer(const struct page *page, struct service *service, const struct request *request);

#endif
