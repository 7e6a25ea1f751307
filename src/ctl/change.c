#include "ctl/change.h"

#include "base/log.h"
#include "media/withdrawal.h"

bool change_is_given(const struct invocation *run)
{
    const struct parameter *parameters = run->command->parameters;
    for (size_t i = 0; parameters[i].name != NULL; i++)
        if (!parameters[i].operand && run->values[i].count > 0)
            return true;
    log_error("nothing to change: say what (mapdiaryctl %s %s --help)", run->group->name,
              run->command->name);
    return false;
}

void change_begin(struct invocation *run)
{
    db_batch_hold(run->batch);
}

/* The folder is opened where something lies in it alone. */
enum status change_withdraw(struct invocation *run, const struct db_rows *published)
{
    if (published == NULL || db_rows_count(published) == 0)
        return STATUS_OK;
    struct files *files = files_open(run->config.photo_directory);
    enum status status = withdraw_all(files, published);
    files_close(&files);
    return status;
}

enum status change_finish(struct invocation *run, enum status status,
                          const struct db_rows *published)
{
    if (status == STATUS_OK)
        status = change_withdraw(run, published);
    if (status != STATUS_OK)
        return status;
    db_batch_continue(run->batch);
    return db_batch_run(run->batch);
}
