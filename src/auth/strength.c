#include "auth/strength.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "auth/common_passwords.h"

static int compare(const void *word, const void *row)
{
    return strcmp(word, *(const char *const *)row);
}

static bool is_common(const char *password, size_t length)
{
    char folded[PASSWORD_LONGEST + 1];
    for (size_t i = 0; i <= length; i++)
        folded[i] = (char)tolower((unsigned char)password[i]);
    const char *found = bsearch(folded, common_passwords, common_passwords_count,
                                sizeof *common_passwords, compare);
    explicit_bzero(folded, sizeof folded);
    return found != NULL;
}

enum status strength_check(const char *password)
{
    size_t length = strlen(password);
    if (length > PASSWORD_LONGEST)
        return STATUS_PARAMETER_INVALID;
    return length < PASSWORD_LEAST || is_common(password, length) ? STATUS_PASSWORD_TOO_WEAK
                                                                  : STATUS_OK;
}
