#include "find_statement.h"

#include <string.h>

#include "store/registry.h"

const struct db_statement *find_statement(const char *name)
{
    for (const struct db_statement *const *table = store_registry; *table != NULL; table++)
        for (const struct db_statement *statement = *table; statement->name != NULL; statement++)
            if (strcmp(statement->name, name) == 0)
                return statement;
    return NULL;
}
