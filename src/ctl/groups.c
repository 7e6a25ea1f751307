#include "ctl/groups.h"

#include "store/registry.h"
#include "store/user.h"

static const struct command_group groups[] = {
    {"setup", "create the roles, the database and the schema", setup_commands},
    {"migrate", "bring the schema of the database up to date", migrate_commands},
    {"doctor", "check that all parts fit together, and name faults and cures", doctor_commands},
    {"recount", "count all pieces anew for the map", recount_commands},
    {"user", "look after accounts", user_commands},
    {"session", "look after logins", session_commands},
    {"mail", "look after the mails that mapdiary-mail sends", mail_commands},
    {"key", "look after the keys of applications", key_commands},
    {"album", "look after albums", album_commands},
    {"photo", "look after the photos of albums and places", photo_commands},
    {"poi", "look after points of interest", poi_commands},
    {"comment", "look after comments", comment_commands},
    {"piece", "hide pieces, and show them again", piece_commands},
    {"report", "look after the reports of readers", report_commands},
    {"decision", "look back at the decisions of operators", decision_commands},
    {"vote", "look after the votes of blogs", vote_commands},
    {"score", "set scores and recommend", score_commands},
    {"blog", "look after blogs", blog_commands},
    {"ad", "look after advertisements", advertisement_commands},
    {"import", "bring in things by the million", import_commands},
    {"export", "write things to files, and all data of one user", export_commands},
    {"stats", "show counts, growth, sizes and slow statements", stats_commands},
    {"completion", "complete words for a shell", completion_commands},
    {.name = NULL},
};

const struct program mapdiaryctl = {
    .groups = groups, .registry = store_registry, .find_user = user_find};
