#include "store/export.h"

#include "store/statements.h"

enum status export_rows(struct db_batch *batch, enum export_kind kind, db_row_function *function,
                        void *context)
{
    db_batch_stream(batch, &export_statements[kind], NULL, 0, function, context);
    return db_batch_run(batch);
}

static const char *const csv[EXPORT_KIND_COUNT] = {
    [EXPORT_POIS] = export_pois_copy,
    [EXPORT_ALBUMS] = export_albums_copy,
    [EXPORT_BLOGS] = export_blogs_copy,
};

enum status export_csv(struct db *db, enum export_kind kind, db_line_function *function,
                       void *context)
{
    enum status status = db_script(db, "BEGIN READ ONLY");
    if (status == STATUS_OK)
        status = db_copy_out(db, csv[kind], function, context);
    return status != STATUS_OK ? status : db_continue(db, "COMMIT");
}

/* One user ----------------------------------------------------------------------------------- */

enum status export_file_rows(struct db_batch *batch, enum export_file file, int64_t user_id,
                             db_row_function *function, void *context)
{
    DB_STREAM(batch, &export_file_statements[file], function, context, db_integer(user_id));
    return db_batch_run(batch);
}

enum status export_originals_of(struct db_batch *batch, int64_t user_id, db_row_function *function,
                                void *context)
{
    return export_file_rows(batch, EXPORT_ORIGINALS, user_id, function, context);
}
