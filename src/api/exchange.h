/*
 * An exchange: from a request to its response. The only place that checks access, and that turns a
 * status into HTTP and `info`.
 */
#ifndef MAPDIARY_API_EXCHANGE_H
#define MAPDIARY_API_EXCHANGE_H

#include "api/service.h"

/**
 * Answers one request, which was not read yet, and logs it; with another status than STATUS_OK it
 * is refused as that says, and nothing of its body is read. False where the response could not be
 * completed: then the responder must be broken off before it is ended, so that the client sees it.
 * Where the service's admission says must_wait afterwards, nothing was answered.
 */
bool exchange_run(struct service *service, struct responder *responder, enum status admission);

#endif
