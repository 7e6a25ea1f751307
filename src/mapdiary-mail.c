/*
 * The sender of mails: reads its options and configuration, and sends what is in the outbox.
 */
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sysexits.h>

#include "base/config.h"
#include "base/crypto.h"
#include "base/log.h"
#include "base/usage.h"
#include "jobs/report.h"
#include "jobs/sender.h"

static const char usage[] =
    "usage: mapdiary-mail [-c FILE] [-r | -t | -V | -h]\n"
    "  -c FILE        the configuration ($MAPDIARY_CONF, else " MAPDIARY_CONFIG_FILE ")\n"
    "  -r, --report   mail standard input to doctor_mail and end\n"
    "  -t             check the configuration of mails and end\n"
    "  -V, --version  print the version and end\n"
    "  -h, --help     print this and end\n"
    "Otherwise mapdiary-mail sends mails in the foreground until SIGTERM.\n";

static int run(const char *path, int mode)
{
    struct config config;
    if (sender_read_config(&config, path) != STATUS_OK)
        return EX_CONFIG;
    log_set_level((enum log_level)config.log_level);
    int status = mode == 't'   ? EX_OK
                 : mode == 'r' ? report_send(&config)
                               : sender_run(&config, path);
    config_free(&config);
    return status;
}

/* The letter of the option that says what to do: 0 to send, '?' where it is none. */
static int read_words(int argc, char **argv, const char **path)
{
    static const struct option options[] = {{"help", no_argument, NULL, 'h'},
                                            {"report", no_argument, NULL, 'r'},
                                            {"version", no_argument, NULL, 'V'},
                                            {0}};
    int mode = 0, option;
    while ((option = getopt_long(argc, argv, "c:rtVh", options, NULL)) != -1) {
        if (option == 'c')
            *path = optarg;
        else if (mode != '?')
            mode = option;
    }
    return optind == argc ? mode : '?';
}

int main(int argc, char **argv)
{
    const char *path = NULL;
    int status, mode = read_words(argc, argv, &path);
    if (usage_answer(mode, "mapdiary-mail", usage, &status))
        return status;
    if (crypto_open() != STATUS_OK)
        return EXIT_FAILURE;
    return run(config_path(path), mode);
}
