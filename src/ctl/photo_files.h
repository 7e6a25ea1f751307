/*
 * The commands for the files of photos, of the group photo.
 */
#ifndef MAPDIARY_CTL_PHOTO_FILES_H
#define MAPDIARY_CTL_PHOTO_FILES_H

#include "cli/command.h"

extern const struct parameter photo_sweep_parameters[];
int photo_sweep(struct invocation *run);

extern const struct parameter photo_verify_parameters[];
int photo_verify(struct invocation *run);

#endif
