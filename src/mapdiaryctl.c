/*
 * The administrator's tool: finds the command and runs it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/crypto.h"
#include "base/log.h"
#include "ctl/command.h"

static void print_usage(FILE *out)
{
    fputs("usage: mapdiaryctl [-c FILE] COMMAND\n"
          "  -c FILE  the configuration ($MAPDIARY_CONF, else " MAPDIARY_CONFIG_FILE ")\n\n",
          out);
    for (const struct command *command = commands; command->group != NULL; command++)
        fprintf(out, "  %s%s%s %s\n      %s\n", command->group, command->verb != NULL ? " " : "",
                command->verb != NULL ? command->verb : "", command->arguments, command->summary);
}

/* The command that the words name, and how many they are; NULL where there is none. */
static const struct command *find_command(int argc, char **argv, int *words)
{
    for (const struct command *command = commands; command->group != NULL; command++) {
        *words = command->verb == NULL ? 1 : 2;
        if (argc >= *words && strcmp(argv[0], command->group) == 0 &&
            (command->verb == NULL || strcmp(argv[1], command->verb) == 0))
            return command;
    }
    return NULL;
}

static int run(const char *path, int argc, char **argv)
{
    struct config config;
    int words = 0;
    const struct command *command = find_command(argc, argv, &words);
    if (command == NULL) {
        print_usage(stderr);
        return EXIT_USAGE;
    }
    if (crypto_open() != STATUS_OK || config_read(&config, config_path(path)) != STATUS_OK)
        return EXIT_FAILURE;
    log_set_level(LOG_LEVEL_WARNING);
    optind = 1;
    int status = command->run(command, &config, argc - words + 1, argv + words - 1);
    config_free(&config);
    return status;
}

int main(int argc, char **argv)
{
    const char *path = NULL;
    int option;
    /* The plus keeps getopt from looking for our options behind the command. */
    while ((option = getopt(argc, argv, "+c:hV")) != -1) {
        switch (option) {
        case 'c':
            path = optarg;
            break;
        case 'h':
            print_usage(stdout);
            return EXIT_SUCCESS;
        case 'V':
            puts("mapdiaryctl " PACKAGE_VERSION);
            return EXIT_SUCCESS;
        default:
            print_usage(stderr);
            return EXIT_USAGE;
        }
    }
    return run(path, argc - optind, argv + optind);
}
