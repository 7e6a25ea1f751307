/*
 * The commands of mapdiaryctl. Each file of this folder that is named after a group has the table
 * of its commands, for groups.c alone.
 */
#ifndef MAPDIARY_CTL_GROUPS_H
#define MAPDIARY_CTL_GROUPS_H

#include "cli/program.h"

extern const struct program mapdiaryctl;

extern const struct command setup_commands[];
extern const struct command migrate_commands[];
extern const struct command doctor_commands[];
extern const struct command recount_commands[];
extern const struct command user_commands[];
extern const struct command session_commands[];
extern const struct command key_commands[];
extern const struct command mail_commands[];
extern const struct command advertisement_commands[];
extern const struct command album_commands[];
extern const struct command photo_commands[];
extern const struct command poi_commands[];
extern const struct command comment_commands[];
extern const struct command piece_commands[];
extern const struct command report_commands[];
extern const struct command decision_commands[];
extern const struct command vote_commands[];
extern const struct command score_commands[];
extern const struct command blog_commands[];
extern const struct command import_commands[];
extern const struct command export_commands[];
extern const struct command stats_commands[];
extern const struct command completion_commands[];

#endif
