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
#include "run/reload.h"

static const char usage[] =
    "usage: mapdiary-mail [-c FILE] [-r | -t | --reload PID | -V | -h]\n"
    "  -c FILE        the configuration ($MAPDIARY_CONF, else " MAPDIARY_CONFIG_FILE ")\n"
    "  -r, --report   mail standard input to doctor_mail and end\n"
    "  -t             check the configuration of mails and end\n"
    "  --reload PID   reload the sender of this process, wait for the end of the reload, and end\n"
    "  -V, --version  print the version and end\n"
    "  -h, --help     print this and end\n"
    "Otherwise mapdiary-mail sends mails in the foreground until SIGTERM.\n";

struct words {
    const char *path;
    pid_t sender;
    int mode; /* the letter of the option that says what to do: 0 to send, '?' where it is none */
};

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

static struct words read_words(int argc, char **argv)
{
    static const struct option options[] = {{"help", no_argument, NULL, 'h'},
                                            {"reload", required_argument, NULL, 'R'},
                                            {"report", no_argument, NULL, 'r'},
                                            {"version", no_argument, NULL, 'V'},
                                            {0}};
    struct words words = {.path = NULL};
    int option;
    while ((option = getopt_long(argc, argv, "c:rtVh", options, NULL)) != -1) {
        if (option == 'c')
            words.path = optarg;
        else if (words.mode != '?')
            words.mode = option;
        if (option == 'R')
            words.sender = reload_process(optarg);
    }
    if (optind != argc || (words.mode == 'R' && words.sender == 0))
        words.mode = '?';
    words.path = config_path(words.path);
    return words;
}

int main(int argc, char **argv)
{
    const struct words words = read_words(argc, argv);
    int status;
    if (usage_answer(words.mode, "mapdiary-mail", usage, &status))
        return status;
    if (words.mode == 'R')
        return reload_ask(words.sender) ? EXIT_SUCCESS : EXIT_FAILURE;
    if (crypto_open() != STATUS_OK)
        return EXIT_FAILURE;
    return run(words.path, words.mode);
}
