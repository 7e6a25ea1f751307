#include "store/admin.h"

#include <stddef.h>

#include "store/statements.h"

const struct db_statement *const admin_registry[] = {
    album_statements,
    poi_statements,
    blog_statements,
    comment_statements,
    user_statements,
    session_statements,
    account_statements,
    export_statements,
    export_file_statements,
    statistics_statements,
    overview_statements,
    application_statements,
    login_statements,
    photo_statements,
    poi_edit_statements,
    poll_statements,
    remark_statements,
    score_statements,
    NULL,
};
