#include "cli/program.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/user.h"
#include "cli/arguments.h"
#include "cli/caller.h"
#include "cli/help.h"

/* Whoever is named by an email address, or at all. */
static enum status find_users(struct invocation *invocation, struct value *values)
{
    const struct parameter *parameters = invocation->command->parameters;
    for (size_t i = 0; parameters[i].name != NULL; i++) {
        if (parameters[i].type.kind != VALUE_USER || values[i].text == NULL)
            continue;
        enum status status = invocation->program->find_user(invocation->batch, values[i].number,
                                                            values[i].text, &values[i].number);
        db_batch_reset(invocation->batch);
        if (status != STATUS_OK) {
            log_error("user %s: %s", values[i].text, status_text(status));
            return status;
        }
    }
    return STATUS_OK;
}

/* Asks on a terminal; without one nobody can have agreed. */
static bool confirm(const struct invocation *invocation)
{
    char answer[16] = "";
    const char *name = invocation->command->name;
    const char *space = name != NULL ? " " : "";
    name = name != NULL ? name : "";
    if (!isatty(STDIN_FILENO)) {
        log_error("%s%s%s %s; say --yes", invocation->group->name, space, name,
                  invocation->command->destroys);
        return false;
    }
    fprintf(stderr, "%s%s%s %s. Go on? [y/N] ", invocation->group->name, space, name,
            invocation->command->destroys);
    return fgets(answer, sizeof answer, stdin) != NULL && (*answer == 'y' || *answer == 'Y');
}

static int run_with_output(struct invocation *invocation, bool json)
{
    const struct command *command = invocation->command;
    if (command->shows == SHOWS_NOTHING)
        return command->run(invocation);
    invocation->out = output_new(stdout, json ? OUTPUT_JSON : OUTPUT_TEXT);
    if (command->shows == SHOWS_LIST)
        output_list(invocation->out, NULL);
    int status = command->run(invocation);
    if (command->shows == SHOWS_LIST)
        output_end(invocation->out);
    return output_finish(&invocation->out) == STATUS_OK || status != EXIT_DONE ? status
                                                                               : EXIT_FAILED;
}

static int run_with_config(struct invocation *invocation, struct arguments *arguments)
{
    struct config *config = &invocation->config;
    struct command_db database;
    invocation->values = arguments->values;
    if (invocation->command->needs_no_config)
        return run_with_output(invocation, arguments->json);
    if (config_read(config, invocation->config_path) != STATUS_OK) {
        caller_explain_config(invocation->config_path);
        return EXIT_CONFIGURATION;
    }
    if (!invocation->command->has_own_user && !user_become_owner(config->spool_directory))
        return EXIT_FAILED;
    command_db_open(&database, config, config->database, invocation->program->registry);
    invocation->db = database.db;
    invocation->batch = database.batch;
    enum status found = find_users(invocation, arguments->values);
    int status = found == STATUS_OK ? run_with_output(invocation, arguments->json)
                                    : (int)exit_status_of(found);
    caller_explain_refusal(database.db, config->database, invocation->arena);
    command_db_close(&database);
    config_free(config);
    return status;
}

static int run_command(struct invocation *invocation, int argc, char **argv)
{
    struct arguments arguments;
    const char *name = invocation->command->name;
    enum status status =
        arguments_read(invocation->command, invocation->arena, argc, argv, &arguments);
    if (status != STATUS_OK) {
        fprintf(stderr, "Try: mapdiaryctl %s%s%s --help\n", invocation->group->name,
                name != NULL ? " " : "", name != NULL ? name : "");
        return EXIT_USAGE;
    }
    if (arguments.help) {
        help_print_command(invocation->group, invocation->command, stdout);
        return EXIT_DONE;
    }
    if (invocation->command->destroys != NULL && !arguments.yes && !confirm(invocation))
        return EXIT_UNCONFIRMED;
    return run_with_config(invocation, &arguments);
}

static const struct command_group *find_group(const struct command_group *group, const char *name)
{
    while (group->name != NULL && strcmp(group->name, name) != 0)
        group++;
    return group->name != NULL ? group : NULL;
}

static const struct command *find_command(const struct command_group *group, const char *name)
{
    const struct command *command = group->commands;
    while (command->run != NULL && strcmp(command->name, name) != 0)
        command++;
    return command->run != NULL ? command : NULL;
}

static bool is_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0;
}

static int run_words(struct invocation *invocation, int argc, char **argv)
{
    const struct command_group *group = invocation->group;
    bool is_command = group->commands->name == NULL;
    if (!is_command && (argc == 1 || is_help(argv[1]))) {
        help_print_group(group, stdout);
        return EXIT_DONE;
    }
    const struct command *command = is_command ? group->commands : find_command(group, argv[1]);
    if (command == NULL) {
        log_error("%s %s: no such command (mapdiaryctl %s lists them)", group->name, argv[1],
                  group->name);
        return EXIT_USAGE;
    }
    invocation->command = command;
    invocation->arena = arena_new();
    int words = is_command ? 0 : 1;
    int status = run_command(invocation, argc - words, argv + words);
    arena_free(&invocation->arena);
    return status;
}

int program_run(const struct program *program, const char *config_path, int argc, char **argv)
{
    struct invocation invocation = {.program = program, .config_path = config_path};
    if (argc == 0 || is_help(argv[0])) {
        help_print_groups(program->groups, stdout);
        return EXIT_DONE;
    }
    invocation.group = find_group(program->groups, argv[0]);
    if (invocation.group == NULL) {
        log_error("%s: no such group of commands (mapdiaryctl --help lists them)", argv[0]);
        return EXIT_USAGE;
    }
    return run_words(&invocation, argc, argv);
}
