#include "store/registry.h"

#include <stddef.h>

#include "store/statements.h"

/* The first one says as whom all others are carried out. */
const struct db_statement *const store_registry[] = {
    shown_statements,         account_statements,
    advertisement_statements, album_statements,
    application_statements,   blog_statements,
    claim_statements,         comment_statements,
    decision_statements,      export_file_statements,
    export_statements,        finding_statements,
    indexer_statements,       mail_queue,
    mail_statements,          page_key_statements,
    photo_file_statements,    photo_owner_statements,
    photo_statements,         picture_statements,
    piece_statements,         poi_statements,
    report_statements,        score_statements,
    session_statements,       statistics_statements,
    throttle_statements,      user_statements,
    vote_statements,          NULL};
