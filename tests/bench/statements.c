/*
 * Writes the service's statements, each as name, NUL, SQL, NUL: what the service sends, for all
 * others to send the same.
 */
#include <stdio.h>

#include "store/registry.h"

int main(void)
{
    for (const struct db_statement *const *table = store_registry; *table != NULL; table++)
        for (const struct db_statement *statement = *table; statement->name != NULL; statement++)
            if ((statement->use & DB_SERVICE) != 0)
                printf("%s%c%s%c", statement->name, 0, statement->sql, 0);
    return 0;
}
