#include "web/access_log.h"

#include "base/log.h"

void access_log_write(const struct call *call, const struct operation *operation,
                      const struct metrics_event *event, int64_t slow)
{
    const struct outcome *outcome = status_outcome(event->status);
    const char *address = call->request->remote_address;
    int64_t user = event->status == STATUS_OK ? access_asker(&call->access) : 0;
    log_write(event->microseconds >= slow * 1000 ? LOG_LEVEL_WARNING : LOG_LEVEL_INFO,
              "func=%s outcome=\"%s%s%.64s\" us=%lld bytes=%zu user=%lld address=%s request=%s "
              "backend=%d",
              operation != NULL ? operation->func : "-", outcome->text,
              outcome->names_parameter ? ": " : "", outcome->names_parameter ? call->refused : "",
              (long long)event->microseconds, event->sent, (long long)user,
              address != NULL ? address : "-", call->request->identifier,
              db_batch_backend(call->batch));
}
