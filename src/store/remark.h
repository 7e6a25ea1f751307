/*
 * Writing comments, and the answers of the pieces' owners. No operation of the interface does.
 */
#ifndef MAPDIARY_STORE_REMARK_H
#define MAPDIARY_STORE_REMARK_H

#include "db/batch.h"
#include "store/subject.h"

/** STATUS_ALBUM_NOT_FOUND and so on. */
enum status remark_insert(struct db_batch *batch, enum subject subject, int64_t id, int64_t user_id,
                          const char *text, int64_t *comment_id) MUST_CHECK;
/** The owner's answer, of which there is one. STATUS_NOT_FOUND; STATUS_CONFLICT where there is one
 * already. */
enum status remark_reply(struct db_batch *batch, int64_t comment_id, const char *text) MUST_CHECK;
/** With its answer. STATUS_NOT_FOUND. */
enum status remark_delete(struct db_batch *batch, int64_t comment_id) MUST_CHECK;

#endif
