#include "base/usage.h"

#include <stdio.h>
#include <sysexits.h>

bool usage_answer(int mode, const char *program, const char *usage, int *status)
{
    *status = mode == '?' ? EX_USAGE : EX_OK;
    if (mode == 'V')
        printf("%s " PACKAGE_VERSION "\n", program);
    else if (mode == 'h' || mode == '?')
        fputs(usage, mode == 'h' ? stdout : stderr);
    return mode == 'V' || mode == 'h' || mode == '?';
}
