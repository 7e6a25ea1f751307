/*
 * The administrator's tool: its own options, then a command of the tables in ctl/.
 */
#include <getopt.h>
#include <stdio.h>

#include "base/crypto.h"
#include "base/log.h"
#include "cli/help.h"
#include "ctl/groups.h"

int main(int argc, char **argv)
{
    static const struct option options[] = {
        {"help", no_argument, NULL, 'h'}, {"version", no_argument, NULL, 'V'}, {0}};
    const char *path = NULL;
    int option;
    log_set_program("mapdiaryctl");
    log_set_level(LOG_LEVEL_WARNING);
    /* The plus keeps getopt from looking for our options behind the command. */
    while ((option = getopt_long(argc, argv, "+c:hV", options, NULL)) != -1) {
        switch (option) {
        case 'c':
            path = optarg;
            break;
        case 'h':
            help_print_groups(mapdiaryctl.groups, stdout);
            return EXIT_DONE;
        case 'V':
            puts("mapdiaryctl " PACKAGE_VERSION);
            return EXIT_DONE;
        default:
            log_error(
                "options of a command stand behind the command: mapdiaryctl user list --json");
            return EXIT_USAGE;
        }
    }
    if (crypto_open() != STATUS_OK)
        return EXIT_FAILED;
    return program_run(&mapdiaryctl, config_path(path), argc - optind, argv + optind);
}
