#include "api/operation.h"

#include <string.h>

#include "api/metrics.h"
#include "media/withdrawal.h"

static bool is_meant(const struct operation *operation, const struct form *form)
{
    if (operation->variant == NULL)
        return true;
    const char *value = form_find(form, operation->variant);
    return value != NULL && strcmp(value, "true") == 0;
}

enum status call_item(void *call, const void *item)
{
    struct call *answered = call;
    document_item(&answered->document, item);
    return response_send_if_large(&answered->service->response);
}

enum status call_renditions(struct call *call, const struct upload *upload, enum picture_kind kind,
                            struct renditions *made)
{
    const struct original original = UPLOADED(upload);
    progress_enter(call->service->progress, STAGE_DECODING);
    enum status status =
        renditions_make(call->service->photos.files, call->service->decoder, kind, &original, made);
    progress_enter(call->service->progress, STAGE_WORKING);
    metrics_count_picture(call->service->metrics, status);
    db_batch_begin_time(call->batch);
    return status;
}

enum status call_withdraw(struct call *call, const struct db_rows *published)
{
    call->leaves_files = db_rows_count(published) > 0;
    return withdraw_all(call->service->photos.files, published);
}

const struct operation *operation_find(const struct operation *table, const struct form *form,
                                       const char *func)
{
    for (const struct operation *row = table; row->func != NULL; row++)
        if (strcmp(row->func, func) == 0 && is_meant(row, form))
            return row;
    return NULL;
}
