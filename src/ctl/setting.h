/*
 * A setting, written into the file of the configuration: all else in it stays as it is.
 */
#ifndef MAPDIARY_CTL_SETTING_H
#define MAPDIARY_CTL_SETTING_H

#include "base/config.h"

/** Writes "name = value" in place of the line that has the key, or else the first one that has it
 * commented out, or else at the end; as the caller, and under the file's owner and mode.
 * STATUS_INTERNAL, logged, where that does not work. */
enum status setting_write(const char *path, const struct config *config, const char *name,
                          const char *value) MUST_CHECK;

#endif
