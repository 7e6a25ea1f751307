/*
 * The rules of the configuration that the database holds writes to.
 */
#ifndef MAPDIARY_SERVE_RULES_H
#define MAPDIARY_SERVE_RULES_H

#include "base/config.h"
#include "db/options.h"

/** Reads the file of words, too. What cannot be read is logged, and holds nothing back. Ends with
 * rules_free(). */
struct db_rules rules_read(const struct config *config);
void rules_free(struct db_rules *rules);

#endif
