/*
 * The addresses of pictures: those that the web server does not find among what anybody may see. A
 * public one is put there, and answered; a private one is answered to its owner; to everybody else
 * it is as if there were none.
 */
#ifndef MAPDIARY_API_PICTURE_H
#define MAPDIARY_API_PICTURE_H

#include "api/page.h"

/** As struct page has it: answers a request for /photos, that is read as the status says. */
enum status picture_answer(struct call *call, enum status status) MUST_CHECK;

#endif
