#include "store/registry.h"

#include <stddef.h>

const struct db_statement *const store_registry[] = {
    shown_statements, /* first: it says as whom all others are carried out */
    own_photo_statements,
    published_statements,
    album_statements,
    application_statements,
    blog_statements,
    claim_statements,
    comment_statements,
    export_statements,
    export_file_statements,
    finding_statements,
    keeper_statements,
    photo_statements,
    photo_file_statements,
    picture_statements,
    piece_statements,
    poi_statements,
    rate_statements,
    score_statements,
    session_statements,
    statistics_statements,
    throttle_statements,
    user_statements,
    vote_statements,
    account_statements,
    profile_statements,
    mail_statements,
    page_key_statements,
    report_statements,
    advertisement_statements,
    decision_statements,
    NULL,
};
