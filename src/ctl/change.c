#include "ctl/change.h"

#include "base/log.h"

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
