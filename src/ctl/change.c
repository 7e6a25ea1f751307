#include "ctl/change.h"

#include "base/log.h"
#include "ctl/photo_files.h"
#include "media/remains.h"
#include "media/withdrawal.h"

bool change_is_given(const struct invocation *run)
{
    const struct parameter *parameters = run->command->parameters;
    for (size_t i = 0; parameters[i].name != NULL; i++)
        if (!parameters[i].operand && !parameters[i].is_condition && run->values[i].count > 0)
            return true;
    log_error("nothing to change: say what (mapdiaryctl %s %s --help)", run->group->name,
              run->command->name);
    return false;
}

void change_begin(struct invocation *run)
{
    db_batch_hold(run->batch);
}

static bool has_files(const struct db_rows *published)
{
    return published != NULL && db_rows_count(published) > 0;
}

/* The folder is opened where something lies in it alone. */
enum status change_withdraw(struct invocation *run, const struct db_rows *published)
{
    if (!has_files(published))
        return STATUS_OK;
    struct files *files = photo_files_open(&run->config);
    enum status status = withdraw_all(files, published);
    files_close(&files);
    return status;
}

enum { REMAINS_MOST = 60000 }; /* milliseconds */

static void delete_remains(struct invocation *run)
{
    struct files *files = photo_files_open(&run->config);
    if (files == NULL || !remains_delete(files, run->batch, REMAINS_MOST))
        log_warning("files of photos that have gone are still there; the next sweep takes them");
    files_close(&files);
}

enum status change_finish(struct invocation *run, enum status status,
                          const struct db_rows *published)
{
    bool leaves_files = has_files(published);
    if (status == STATUS_OK)
        status = change_withdraw(run, published);
    if (status != STATUS_OK)
        return status;
    status = db_batch_commit(run->batch);
    if (status == STATUS_OK && leaves_files)
        delete_remains(run);
    return status;
}
