/*
 * What the keeper does to what finding goes by (the schema says how): counts in cells of the map,
 * and the words of pieces. Each call is a transaction of its own. Where another process is at it,
 * on whatever machine, a call does nothing, and says that it did nothing.
 */
#ifndef MAPDIARY_STORE_KEEPER_H
#define MAPDIARY_STORE_KEEPER_H

#include "db/batch.h"
#include "db/statement.h"

/** For the keeper's connection. */
extern const struct db_statement *const keeper_registry[];

/** What is done once, for what was there before, and what is done now and then. Answers in *done
 * whether there was anything of it. */
enum status keeper_house(struct db_batch *batch, int64_t *done) MUST_CHECK;

/** Works off changes of the map, or of words, at most so many; answers how many. */
enum status keeper_counts(struct db_batch *batch, int64_t most, int64_t *done) MUST_CHECK;
enum status keeper_words(struct db_batch *batch, int64_t most, int64_t *done) MUST_CHECK;

#endif
