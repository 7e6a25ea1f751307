/*
 * What the indexer does to what finding goes by (the schema says how): counts in cells of the map,
 * and the words of pieces. Each call is a transaction of its own. Where another process is at it,
 * on whatever machine, a call does nothing, and says that it did nothing.
 */
#ifndef MAPDIARY_STORE_INDEXER_H
#define MAPDIARY_STORE_INDEXER_H

#include "db/batch.h"
#include "db/statement.h"

/** For the indexer's connection. */
extern const struct db_statement *const indexer_registry[];

/** What is done once, for what was there before, and what is done now and then. Answers in *done
 * whether there was anything of it. */
enum status indexer_upkeep(struct db_batch *batch, int64_t *done) MUST_CHECK;

/** Works off changes of the map, at most so many; answers how many. */
enum status indexer_counts(struct db_batch *batch, int64_t most, int64_t *done) MUST_CHECK;
/** Works off words, at most so many, for about a fifth of a second; answers how many. */
enum status indexer_words(struct db_batch *batch, int64_t most, int64_t *done) MUST_CHECK;
/** Moves the thing whose words come next behind the others, and answers its name ("blog:7") and how
 * many minutes it waits at least. STATUS_NOT_FOUND where there is none. */
enum status indexer_postpone(struct db_batch *batch, const char **thing,
                             int64_t *minutes) MUST_CHECK;
/** How many reports are open, and when the oldest of them came, in seconds since the epoch; 0
 * without one. */
enum status indexer_reports(struct db_batch *batch, int64_t *open, int64_t *oldest) MUST_CHECK;

/* For an administrator. */
struct indexer_state {
    int64_t wrong;   /* cells with another count than there are pieces in them */
    int64_t lost;    /* pieces without words, and words without a piece */
    int64_t waiting; /* pieces that the indexer has not come to */
};
/** Counts everything, and compares. */
enum status indexer_look(struct db_batch *batch, struct indexer_state *state) MUST_CHECK;
/** Counts everything anew, and notes for the indexer whose words are lost. Answers how many pieces
 * are counted. */
enum status indexer_recount(struct db_batch *batch, int64_t *pieces) MUST_CHECK;

#endif
