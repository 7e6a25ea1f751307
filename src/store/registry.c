#include "store/registry.h"

#include <stddef.h>

#include "store/statements.h"

const struct db_statement *const store_registry[] = {
    album_statements,   poi_statements,      blog_statements, comment_statements, user_statements,
    session_statements, throttle_statements, key_statements,  claim_statements,   NULL,
};
