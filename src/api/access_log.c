#include "api/access_log.h"

#include <string.h>

#include "base/log.h"
#include "base/text.h"

enum { NAME_MOST = 64 }; /* bytes of a parameter's name, as a client has it */

/* Fit to stand between quotes. */
static const char *quoted(struct arena *arena, const char *name)
{
    char *copy = arena_take(arena, 2 * NAME_MOST + 1), *out = copy;
    for (uint32_t code = 0; *name != '\0';) {
        bool controls = false;
        size_t used = text_next(name, &code, &controls);
        if (out - copy + (ptrdiff_t)used > NAME_MOST)
            break;
        if (*name == '"' || *name == '\\')
            *out++ = '\\';
        memcpy(out, name, used);
        out += used;
        name += used;
    }
    return copy;
}

void access_log_write(const struct call *call, const char *func, const struct metrics_event *event)
{
    int64_t slow = call->service->config->slow_request;
    const struct outcome *outcome = status_outcome(event->status);
    const char *address = call->request->remote_address;
    int64_t user = event->status == STATUS_OK ? access_asker(&call->access) : 0;
    log_write(event->microseconds >= slow * 1000 ? LOG_LEVEL_WARNING : LOG_LEVEL_INFO,
              "func=%s outcome=\"%s%s%s\" us=%lld bytes=%zu received=%zu user=%lld address=%s "
              "request=%s backend=%d",
              func, outcome->text, outcome->names_parameter ? ": " : "",
              outcome->names_parameter ? quoted(call->service->arena, call->refused) : "",
              (long long)event->microseconds, event->sent, event->received, (long long)user,
              address != NULL ? address : "-", call->request->identifier,
              db_batch_backend(call->batch));
}
