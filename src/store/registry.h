/*
 * The statements of the stores, a table each. Of every statement its row says who prepares it: the
 * workers of the service, mapdiaryctl, or both.
 */
#ifndef MAPDIARY_STORE_REGISTRY_H
#define MAPDIARY_STORE_REGISTRY_H

#include "db/statement.h"

/** All of them, ended by NULL. */
extern const struct db_statement *const store_registry[];

extern const struct db_statement account_statements[];
extern const struct db_statement advertisement_statements[];
extern const struct db_statement album_statements[];
extern const struct db_statement application_statements[];
extern const struct db_statement blog_statements[];
extern const struct db_statement claim_statements[];
extern const struct db_statement comment_statements[];
extern const struct db_statement decision_statements[];
extern const struct db_statement export_statements[];
extern const struct db_statement export_file_statements[];
extern const struct db_statement finding_statements[];
extern const struct db_statement keeper_statements[];
extern const struct db_statement mail_statements[];
extern const struct db_statement own_photo_statements[];
extern const struct db_statement page_key_statements[];
extern const struct db_statement photo_statements[];
extern const struct db_statement photo_file_statements[];
extern const struct db_statement picture_statements[];
extern const struct db_statement piece_statements[];
extern const struct db_statement poi_statements[];
extern const struct db_statement profile_statements[];
extern const struct db_statement published_statements[];
extern const struct db_statement rate_statements[];
extern const struct db_statement report_statements[];
extern const struct db_statement score_statements[];
extern const struct db_statement session_statements[];
extern const struct db_statement shown_statements[];
extern const struct db_statement statistics_statements[];
extern const struct db_statement throttle_statements[];
extern const struct db_statement user_statements[];
extern const struct db_statement vote_statements[];

#endif
