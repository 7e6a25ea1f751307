#include "ctl/groups.h"

const struct command_group command_groups[] = {
    {"setup", "create the roles, the database and the schema", setup_commands},
    {"migrate", "bring the schema of the database up to date", migrate_commands},
    {"doctor", "check that everything fits together, and say what to do", doctor_commands},
    {"user", "look after accounts", user_commands},
    {"session", "look after logins", session_commands},
    {.name = NULL},
};
