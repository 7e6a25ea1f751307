/*
 * The folder of photos, as a worker has it: its disk may come later than the service, and may go.
 */
#ifndef MAPDIARY_SERVE_PHOTOS_H
#define MAPDIARY_SERVE_PHOTOS_H

#include <stdatomic.h>

#include "api/service.h"

/** Looks at the folder if that is due and the database is there. What is found, an enum disk_state,
 * goes to all processes. */
void photos_look(struct service *service, atomic_int *found);

/** A new file without a name, for what comes with a request to the service: a descriptor, or -1,
 * with the reason logged (upload_place). */
int photos_new_file(const void *service);

#endif
